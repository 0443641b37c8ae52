//! Bank accounts by SimpleFIN.
//!
//! What: [`read`]: one question for all accounts with their payments since a day, handed over as statements (OFX 2) that the Finance agent reads;
//! [`claim`], which has a setup token turned into an address. Why: what a stranger sends of money is parsed where nothing can be reached. Not
//! here: HTTP (`http`), what payments mean (the Finance agent), when it is asked (the runtime).

use super::{
    dav::PartSender,
    http::{HttpSession, ServerRequest},
    wire::{AccountPart, AccountRequest, LookFailure, NAME_MAX, STATEMENT_HEAD, STATEMENT_TAIL},
};
use http::StatusCode;
use quick_xml::escape::escape;
use serde::Deserialize;
use toolcall_schema::Timestamp;

/// Accounts and payments that are taken of one answer.
const ACCOUNTS_MAX: usize = 64;
const PAYMENTS_MAX: usize = 20_000;
/// Characters of a payment's texts, and of an id.
const TEXT_MAX: usize = 200;
/// Bytes of an address that a token is turned into.
const ACCESS_MAX: usize = 2048;

/// In the name of an account whose balance is no money to spend: words, and beginnings of words.
const NO_PURSE: [&str; 3] = ["ira", "401k", "401(k)"];
const NO_PURSE_PART: [&str; 6] = ["loan", "mortgage", "invest", "brokerage", "retirement", "pension"];

/// An answer, as far as it is wanted.
#[derive(Debug, Deserialize)]
struct MoneyAnswer {
    #[serde(default)]
    errors: Vec<serde_json::Value>,
    accounts: Vec<MoneyAccount>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct MoneyAccount {
    id: String,
    #[serde(default)]
    name: String,
    currency: String,
    #[serde(default)]
    balance: String,
    #[serde(default)]
    balance_date: i64,
    #[serde(default)]
    transactions: Vec<MoneyTransaction>,
}

#[derive(Debug, Deserialize)]
struct MoneyTransaction {
    id: String,
    #[serde(default)]
    posted: i64,
    amount: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    payee: String,
    #[serde(default)]
    memo: String,
    #[serde(default)]
    pending: bool,
}

/// Hands over the accounts, each whole, and gives their ids.
///
/// # Errors
/// [`LookFailure`]
pub(super) async fn read(
    request: &AccountRequest,
    session: &mut HttpSession<'_>,
    parts: &mut PartSender<'_>,
) -> Result<Vec<String>, LookFailure> {
    let [from, _] = &request.span;
    let root = request.place.path.trim_end_matches('/');
    let answer = session
        .ask(&ServerRequest {
            method: "GET",
            path: &format!("{root}/accounts?start-date={from}"),
            headers: &[("Accept", "application/json")],
            body: "",
        })
        .await?;
    // By this it says that the access was taken back.
    if answer.status == StatusCode::FORBIDDEN {
        return Err(LookFailure::LoginRefused);
    }
    let answer = answer.good()?;
    let found: MoneyAnswer = serde_json::from_slice(&answer.body).map_err(|_| LookFailure::Broken)?;
    if found.accounts.is_empty() {
        return Err(if found.errors.is_empty() {
            LookFailure::NoMoney
        } else {
            LookFailure::SaysNo
        });
    }
    let payments = found.accounts.iter().map(|account| account.transactions.len());
    if found.accounts.len() > ACCOUNTS_MAX || payments.sum::<usize>() > PAYMENTS_MAX {
        return Err(LookFailure::TooLarge);
    }
    let mut ids = Vec::new();
    for account in &found.accounts {
        hand_over(account, parts)?;
        ids.push(short(&account.id));
    }
    Ok(ids)
}

/// Turns a setup token, whose address the request names, into an address with a login. It works once.
///
/// # Errors
/// [`LookFailure`]
pub(super) async fn claim(
    request: &AccountRequest,
    session: &mut HttpSession<'_>,
    parts: &mut PartSender<'_>,
) -> Result<Vec<String>, LookFailure> {
    let answer = session
        .ask_once(&ServerRequest {
            method: "POST",
            path: &request.place.path,
            headers: &[("Content-Length", "0")],
            body: "",
        })
        .await?;
    // It was used before, or never was one.
    if answer.status == StatusCode::FORBIDDEN {
        return Err(LookFailure::LoginRefused);
    }
    let body = answer.good()?.body;
    let text = str::from_utf8(&body).map_err(|_| LookFailure::Broken)?.trim();
    if text.len() > ACCESS_MAX || !text.contains("://") {
        return Err(LookFailure::Broken);
    }
    let id = "access".to_owned();
    parts.send(AccountPart::Object {
        id: id.clone(),
        text: text.to_owned(),
    })?;
    Ok(vec![id])
}

fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(TEXT_MAX).collect()
}

/// A statement in pieces: its head, a piece for each payment, its end with the balance.
fn hand_over(account: &MoneyAccount, parts: &mut PartSender<'_>) -> Result<(), LookFailure> {
    parts.send(AccountPart::Calendar {
        id: short(&account.id),
        name: short(&account.name).chars().take(NAME_MAX).collect(),
        is_whole: true,
        mark: None,
        takes_events: false,
    })?;
    let head = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>{}</CURDEF>\
         <BANKACCTFROM><ACCTID>{}</ACCTID></BANKACCTFROM><BANKTRANLIST>\n",
        escape(short(&account.currency)),
        escape(number_of(account))
    );
    parts.send(AccountPart::Object {
        id: STATEMENT_HEAD.to_owned(),
        text: head,
    })?;
    for payment in account.transactions.iter().filter(|one| !one.pending) {
        let Some(posted) = stamp(payment.posted) else {
            continue;
        };
        let id = short(&payment.id);
        parts.send(AccountPart::Object {
            text: statement_line(payment, &posted, &id),
            id: format!("payment {id}"),
        })?;
    }
    let balance = stamp(account.balance_date).filter(|_| is_purse(&account.name));
    let balance = balance.map_or_else(String::new, |as_of| {
        format!(
            "<LEDGERBAL><BALAMT>{}</BALAMT><DTASOF>{as_of}</DTASOF></LEDGERBAL>",
            escape(short(&account.balance))
        )
    });
    parts.send(AccountPart::Object {
        id: STATEMENT_TAIL.to_owned(),
        text: format!("</BANKTRANLIST>{balance}</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n"),
    })
}

fn statement_line(payment: &MoneyTransaction, posted: &str, id: &str) -> String {
    let said = [&payment.payee, &payment.description, &payment.memo];
    let mut said = said.into_iter().filter(|text| !text.trim().is_empty());
    let name = said.next().map(|text| short(text)).unwrap_or_default();
    let memo = said.next().map(|text| short(text)).unwrap_or_default();
    format!(
        "<STMTTRN><TRNTYPE>OTHER</TRNTYPE><DTPOSTED>{posted}</DTPOSTED><TRNAMT>{}</TRNAMT><FITID>{}</FITID><NAME>{}</NAME><MEMO>{}</MEMO></STMTTRN>\n",
        escape(short(&payment.amount)),
        escape(id),
        escape(name),
        escape(memo)
    )
}

/// The digits by which the owner knows an account: those at the end of its name, else its id.
fn number_of(account: &MoneyAccount) -> String {
    let name = account.name.trim_end_matches(|c: char| !c.is_alphanumeric());
    let before = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = name.strip_prefix(before).unwrap_or_default();
    if digits.len() >= 4 {
        digits.to_owned()
    } else {
        short(&account.id)
    }
}

/// Whether what lies there can be spent, as far as its name says.
fn is_purse(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut words = name.split_whitespace();
    !words.any(|word| NO_PURSE.contains(&word)) && !NO_PURSE_PART.iter().any(|part| name.contains(part))
}

/// A moment as a statement writes it; `None`: nobody said when.
fn stamp(seconds: i64) -> Option<String> {
    let seconds = Some(seconds).filter(|seconds| *seconds > 0)?;
    let at = Timestamp::from_ms(seconds.checked_mul(1000)?);
    Some(format!("{}[0:GMT]", at.utc().format("%Y%m%d%H%M%S")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(name: &str, id: &str) -> MoneyAccount {
        MoneyAccount {
            id: id.to_owned(),
            name: name.to_owned(),
            currency: "EUR".to_owned(),
            balance: "12.5".to_owned(),
            balance_date: 1_794_000_000,
            transactions: Vec::new(),
        }
    }

    fn handed_over(account: &MoneyAccount) -> Vec<AccountPart> {
        let mut parts = Vec::new();
        let mut take = |part| {
            parts.push(part);
            Ok(())
        };
        hand_over(account, &mut PartSender(&mut take)).unwrap();
        parts
    }

    #[test]
    fn accounts_are_known_by_the_digits_that_their_owner_sees() {
        for (name, id, number) in [
            ("Checking (1234)", "ACT-9", "1234"),
            ("Everyday ...005678", "ACT-9", "005678"),
            ("Savings 12", "ACT-0a17", "ACT-0a17"),
            ("12345", "ACT-9", "12345"),
        ] {
            assert_eq!(number_of(&account(name, id)), number, "{name}");
        }
        for (name, is_to_spend) in [
            ("Checking", true),
            ("Giro Miriam", true),
            ("Roth IRA", false),
            ("Home Mortgage", false),
            ("My 401(k) plan", false),
            ("Autoloan 77", false),
        ] {
            assert_eq!(is_purse(name), is_to_spend, "{name}");
        }
    }

    #[test]
    fn statement_has_payments_that_were_made_and_the_balance_and_text_of_a_bank_stays_text() {
        let mut giro = account("Giro 0815", "ACT-1");
        let payment = |id: &str, posted, pending| MoneyTransaction {
            id: id.to_owned(),
            posted,
            amount: "-4.20".to_owned(),
            description: "CAFE <LUNA> & CO".to_owned(),
            payee: String::new(),
            memo: "card".to_owned(),
            pending,
        };
        giro.transactions = vec![
            payment("1", 1_793_966_400, false),
            payment("2", 0, false),
            payment("3", 1, true),
        ];
        let texts: String = handed_over(&giro)
            .into_iter()
            .filter_map(|part| match part {
                AccountPart::Object { text, .. } => Some(text),
                AccountPart::Calendar { .. } | AccountPart::Gone { .. } => None,
            })
            .collect();
        assert_eq!(
            texts,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR</CURDEF>\
             <BANKACCTFROM><ACCTID>0815</ACCTID></BANKACCTFROM><BANKTRANLIST>\n\
             <STMTTRN><TRNTYPE>OTHER</TRNTYPE><DTPOSTED>20261106120000[0:GMT]</DTPOSTED><TRNAMT>-4.20</TRNAMT><FITID>1</FITID>\
             <NAME>CAFE &lt;LUNA&gt; &amp; CO</NAME><MEMO>card</MEMO></STMTTRN>\n\
             </BANKTRANLIST><LEDGERBAL><BALAMT>12.5</BALAMT><DTASOF>20261106212000[0:GMT]</DTASOF></LEDGERBAL>\
             </STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n"
        );
        let loan = handed_over(&account("Loan 0815", "ACT-1"));
        assert!(
            matches!(loan.last(), Some(AccountPart::Object { text, .. }) if !text.contains("LEDGERBAL")),
            "{loan:?}"
        );
    }
}
