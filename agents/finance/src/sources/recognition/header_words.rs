//! What the columns of statements are called, in the languages of their banks.
//!
//! What: [`roles_of`], what a column of a name may hold, with how sure that is; [`currency_in`], a currency within a name. Why: banks name
//! columns freely, but out of few words. Not here: whether the cells agree (`values`), whole headers of known banks (`banks.json`).

use super::super::currency::is_currency;
use agents_base::contract::ColumnRole;
use unicode_normalization::UnicodeNormalization as _;

/// The longest name of a column that is looked at, in characters.
const MAX_NAME: usize = 80;
/// A name that is one of the words.
const SURE: u8 = 95;
/// A name in which one of the words stands, for each word of it.
const PART: u8 = 60;

/// Names for each role, as [`fold`] leaves them, with a stroke between two. English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish, Norwegian,
/// Finnish, Polish, Czech, Hungarian, Turkish.
const NAMES: &[(ColumnRole, &str)] = &[
    (
        ColumnRole::ValueDate,
        "value date|value dt|val date|valuta|valutadatum|valuta datum|wert|wertstellung|wertstellungstag|wertstellungsdatum|\
         date valeur|date de valeur|fecha valor|f valor|data valuta|data valor|rentedatum|valutadag|rantedag|data waluty|\
         settlement date|interest date|maksupaiva|arvopaiva|rentedato|datum valuty|erteknap",
    ),
    (
        ColumnRole::Date,
        "date|transaction date|trans date|trn date|txn date|tran date|posting date|post date|posted date|posted|date posted|\
         booking date|booked|booked at|completed date|date completed|operation date|entry date|date of transaction|activity date|\
         created on|finished on|buchungstag|buchungsdatum|buchung|belegdatum|umsatzdatum|datum|transaktionsdatum|kaufdatum|\
         date operation|date de l operation|date d operation|dateop|date comptable|date de comptabilisation|fecha|fecha operacion|\
         fecha de operacion|f operacion|fecha contable|data|data operazione|data contabile|data movimento|data lancamento|\
         data mov|data operacji|data transakcji|data ksiegowania|boekdatum|boekingsdatum|transactiedatum|bokforingsdag|\
         bokforingsdatum|transaktionsdag|bogforingsdato|dato|bokfort dato|utfort dato|kirjauspaiva|pvm|paivamaara|datum provedeni|\
         datum zauctovani|datum operace|konyveles datuma|tranzakcio datuma|islem tarihi|tarih",
    ),
    (
        ColumnRole::Balance,
        "balance|running balance|closing balance|account balance|available balance|ledger balance|saldo|saldo nach buchung|\
         saldo po operacji|saldo contabile|saldo disponible|kontostand|solde|zustatek|egyenleg|bakiye|bal|closing bal|\
         saldo na trn|saldo apos movimento|stand|saldo nach mutatie|saldo na mutatie|total balance|cash balance",
    ),
    (
        ColumnRole::Debit,
        "debit|debits|debit amount|debit amt|withdrawal|withdrawals|withdrawal amt|withdrawal amount|paid out|money out|out|spent|\
         soll|belastung|belastungen|lastschrift|ausgang|ausgaben|debito|debiti|dare|addebiti|uscite|uscita|cargo|cargos|debe|\
         adeudo|sortie|depense|depenses|uit|debet|uttag|ut|ud|ut av konto|ut fra konto|wydatki|obciazenia|dr|dr amount|saidas|\
         borc|terheles|money out amount|withdrawal dr|outflow|expense",
    ),
    (
        ColumnRole::Credit,
        "credit|credits|credit amount|credit amt|deposit|deposits|deposit amt|deposit amount|paid in|money in|in|received|haben|\
         gutschrift|gutschriften|eingang|einnahmen|credito|crediti|avere|accrediti|entrate|entrata|abono|abonos|haber|entree|\
         recette|recettes|kredit|insattning|inn|ind|inn pa konto|wplywy|uznania|cr|cr amount|entradas|alacak|jovairas|deposit cr|\
         inflow|income",
    ),
    (
        ColumnRole::Amount,
        "amount|transaction amount|sum|value|net amount|total|betrag|umsatz|umsatzbetrag|montant|montant de l operation|importe|\
         importo|valor|bedrag|belopp|belob|kwota|kwota operacji|castka|suma|summa|maara|osszeg|tutar|quantia|amount paid|\
         booked amount|billing amount|account amount|mutatie bedrag|transactiebedrag|transaction amt|amt",
    ),
    (
        ColumnRole::Way,
        "dr cr|cr dr|debit credit|credit debit|af bij|bij af|d c|dc|c d|s h|soll haben|debit credit indicator|\
         credit debit indicator|cr dr indicator|sens|sign|sinal|direction|type|transaction type|tipo|typ|kind|af of bij|\
         credit or debit|debit or credit|credit debit code|d k",
    ),
    (
        ColumnRole::CounterAccount,
        "to account|tegenrekening|tegenrekening iban bban|gegenkonto|kontonummer iban|iban zahlungsbeteiligter|\
         counterparty account|account name number|partner iban|payee account|beneficiary account|contrepartie|\
         account of counterparty|rachunek przeciwstawny|cislo protiuctu|nr rachunku odbiorcy|counter account|recipient account",
    ),
    (
        ColumnRole::Account,
        "account|account number|account no|account iban|kontonummer|iban|auftragskonto|konto|iban auftragskonto|rekening|\
         rekeningnummer|cuenta|conto|compte|numero de compte|conta|konto nr|from account|card number|card no|kartennummer|\
         own account|iban bban|cislo uctu|numer rachunku|card|kortnummer",
    ),
    (
        ColumnRole::Currency,
        "currency|ccy|cur|curr|wahrung|devise|divisa|moneda|moeda|munt|muntsoort|mena|penznem|para birimi|waluta|valuutta|\
         payment currency|account currency|transaction currency|valuta|currency code|booked currency",
    ),
    (
        ColumnRole::Reference,
        "reference number|ref no|ref number|ref no cheque no|chq ref no|chq ref number|cheque no|cheque number|transaction id|\
         transaction reference|transaction no|transaction number|txn id|tran id|id|utr|rrn|transaktionsnummer|referenz|referentie|\
         transactiereferentie|volgnr|nr|numero operation|operation id|order id|bank reference|check number|check or slip|\
         referencia|verifikationsnummer|id transakcji|cislo transakce|archive id|arkistointitunnus|reference no|tfr no",
    ),
    (
        ColumnRole::State,
        "state|status|statut|stato|estado|tila|stav|transaction status|umsatzstatus",
    ),
    (
        ColumnRole::Payee,
        "payee|payee name|merchant|merchant name|name|beneficiary|beneficiary name|counterparty|counter party|counterparty name|\
         target name|partner name|partner|recipient|to from|beguenstigter zahlungspflichtiger|begunstigter zahlungspflichtiger|\
         auftraggeber begunstigter|auftraggeber empfanger|zahlungsempfanger|zahlungsempfanger in|empfanger|\
         name zahlungsbeteiligter|beneficiaire|tiers|beneficiario|ordenante beneficiario|naam tegenpartij|naam omschrijving|naam|\
         naam tegenrekening|mottagare|mottaker|modtager|saaja maksaja|saaja|nazwa odbiorcy|nadawca odbiorca|kontrahent|\
         nazev protiuctu|nazev protistrany|partner neve|other party|shop|comercio|esercente|zahlungspflichtige r|\
         name zahlungsempfanger",
    ),
    (
        ColumnRole::Narration,
        "description|transaction description|details|transaction details|particulars|narration|narrative|memo|remarks|\
         transaction remarks|text|notes|reference|payment reference|counter party reference|verwendungszweck|buchungstext|\
         buchungsdetails|vorgang|beschreibung|libelle|libelle operation|libelle simplifie|designation|concepto|descripcion|\
         movimiento|observaciones|causale|descrizione|descrizione operazione|descricao|historico|omschrijving|mededelingen|\
         mededeling|communication|communications|beskrivning|tekst|beskrivelse|forklaring|selite|viesti|tytul|tytulem|opis|\
         opis operacji|poznamka|zprava pro prijemce|zprava|kozlemeny|aciklama|rubrik|omschrijving 1|description 1|zahlungsgrund|\
         transaction|extended details|additional info|detail|desc|descr|bank desc|original description|statement description",
    ),
    (
        ColumnRole::Other,
        "original amount|amount foreign currency|amount in foreign currency|foreign amount|type foreign currency|local amount|\
         local currency|original currency|foreign currency|exchange rate|fee|fees|category|kategorie|categorie|categoria|product|\
         produkt|source|branch code|init br|target amount|target amount after fees|fremdwahrungsbetrag|exchange to amount|\
         ursprungsbetrag|originalbetrag|tax|gross|mcc|kurs|wechselkurs|time|uhrzeit|day|address|town city|postcode|\
         subcategory|sub category|class|account name|account owner|account holder|member name|card member|cardholder|\
         cardholder name|card holder|name on card|authorized user|kontoinhaber|karteninhaber|titulaire|titular|intestatario",
    ),
];

/// A name as its letters and digits in small letters, without accents, one space between words.
pub(crate) fn fold(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars().take(MAX_NAME).flat_map(char::to_lowercase).nfkd() {
        match c {
            'ø' => out.push('o'),
            'æ' => out.push_str("ae"),
            'ł' => out.push('l'),
            'đ' => out.push('d'),
            'ß' => out.push_str("ss"),
            'ı' => out.push('i'),
            c if c.is_alphanumeric() => out.push(c),
            // An accent leaves its letter alone.
            '\u{300}'..='\u{36f}' => {}
            _ if !out.is_empty() && !out.ends_with(' ') => out.push(' '),
            _ => {}
        }
    }
    out.trim_end().to_owned()
}

/// All fields of a row as one text in small letters.
pub(super) fn fold_all(fields: &[String]) -> String {
    fields
        .iter()
        .map(|field| fold(field))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A currency within a name: `Amount (GBP)`, `Betrag in EUR`.
pub(super) fn currency_in(name: &str) -> Option<String> {
    let words = name.split(|c: char| !c.is_alphanumeric());
    let code = words
        .filter(|word| word.len() == 3)
        .find(|word| is_currency(word));
    let sign = || {
        [('€', "EUR"), ('£', "GBP"), ('₹', "INR")]
            .into_iter()
            .find(|(sign, _)| name.contains(*sign))
            .map(|(_, code)| code)
    };
    code.or_else(sign).map(str::to_owned)
}

/// What a column of this name holds, the likeliest first, each with how sure that is.
pub(super) fn roles_of(name: &str) -> Vec<(ColumnRole, u8)> {
    let whole = fold(name);
    // "Betrag (EUR)", "Amount in INR": the currency is no part of the name.
    let words: Vec<&str> = whole
        .split(' ')
        .filter(|word| !(word.len() == 3 && is_currency(&word.to_ascii_uppercase())))
        .collect();
    let bare = words.join(" ");
    let before_currency = bare.strip_suffix(" in").filter(|_| bare.len() < whole.len());
    let mut out: Vec<(ColumnRole, u8)> = Vec::new();
    for (role, names) in NAMES {
        let sureness_of = |name: &str| names.split('|').filter_map(|known| sureness(name, known)).max();
        let surest = sureness_of(&bare).max(before_currency.and_then(sureness_of));
        if let Some(sure) = surest {
            out.push((*role, sure));
        }
    }
    out.sort_by_key(|(_, sure)| std::cmp::Reverse(*sure));
    out
}

fn sureness(name: &str, known: &str) -> Option<u8> {
    if name == known {
        return Some(SURE);
    }
    // Short words stand in too many names.
    if known.len() < 4 {
        return None;
    }
    let words = u8::try_from(known.split(' ').count()).unwrap_or(5).min(5);
    format!(" {name} ")
        .contains(&format!(" {known} "))
        .then_some(PART + 5 * words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_are_known_in_many_languages_with_or_without_a_currency() {
        for (name, role) in [
            ("Transaction Date", ColumnRole::Date),
            ("Buchungstag", ColumnRole::Date),
            ("Fecha de operación", ColumnRole::Date),
            ("Bogføringsdato", ColumnRole::Date),
            ("Wertstellung", ColumnRole::ValueDate),
            ("Betrag (EUR)", ColumnRole::Amount),
            ("Betrag (€)", ColumnRole::Amount),
            ("Amount in INR", ColumnRole::Amount),
            ("Částka", ColumnRole::Amount),
            ("Withdrawal Amt.", ColumnRole::Debit),
            ("Withdrawal Amount (INR )", ColumnRole::Debit),
            ("Paid in", ColumnRole::Credit),
            ("Af Bij", ColumnRole::Way),
            ("Saldo po operacji", ColumnRole::Balance),
            ("Balance (GBP)", ColumnRole::Balance),
            ("Währung", ColumnRole::Currency),
            ("Zahlungsempfänger*in", ColumnRole::Payee),
            ("Libellé", ColumnRole::Narration),
            ("Chq./Ref.No.", ColumnRole::Reference),
            ("Tegenrekening IBAN/BBAN", ColumnRole::CounterAccount),
            // Whose card or account it is, is no payee.
            ("Member Name", ColumnRole::Other),
            ("Account Name", ColumnRole::Other),
            ("name_on_card", ColumnRole::Other),
            ("desc", ColumnRole::Narration),
        ] {
            let roles = roles_of(name);
            assert_eq!(
                roles.first().map(|(role, _)| *role),
                Some(role),
                "{name}: {roles:?}"
            );
        }
        assert_eq!(roles_of("Zebra"), []);
        assert_eq!(currency_in("Amount (GBP)").as_deref(), Some("GBP"));
        assert_eq!(currency_in("Betrag (€)").as_deref(), Some("EUR"));
        assert_eq!(currency_in("Amount"), None);
    }
}
