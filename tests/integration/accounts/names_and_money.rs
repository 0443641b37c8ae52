//! Names and payments on servers.
//!
//! What: a card on a real server (Radicale) names who writes, and not any more when it is gone; payments and balances come from a stand-in of ours for
//! SimpleFIN, whose token is turned once; nothing of either lies on a disk. Why: both are read where they are, and kept nowhere. Not here: what
//! the agents make of cards and statements (`agents`).

use super::{
    Household, PASSWORD, any_file_holds,
    bad_servers::{asked, ok, read, serve},
    radicale::Radicale,
};
use crate::{settings::Browser, support::Service};
use aura_process::source::{AccountLogin, AccountPart, AccountProtocol, LookFailure};
use chrono::{TimeDelta, Utc};
use data_encoding::BASE64;
use serde_json::{Value, json};
use std::{fs, net::SocketAddr};

fn page(service: &Service, path: &str) -> String {
    let (_, page) = service.request("GET", path, None);
    page.as_str().unwrap_or_default().to_owned()
}

#[test]
fn card_on_a_server_names_who_writes_until_it_is_gone_and_lies_on_no_disk() {
    let server = Radicale::start("kim", PASSWORD);
    server.make_address_book("/kim/people/");
    let card = "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:asha\r\nFN:Asha Rao\r\nN:Rao;Asha;;;\r\nEMAIL:asha@work.example\r\n\
        NOTE:likes marzipan\r\nEND:VCARD\r\n";
    server.put("/kim/people/asha.vcf", card);
    let household = Household::new();
    let home = "zone = \"UTC\"\nnames = [\"Kim\"]\naddresses = [\"kim@example.org\"]\n[sources]\nmail = [\"mail\"]\n";
    fs::write(household.home(), home).unwrap();
    let sent = (Utc::now() - TimeDelta::minutes(20)).to_rfc2822();
    let mail = format!(
        "From: asha79 <asha@work.example>\r\nTo: kim@example.org\r\nMessage-ID: <1@example.net>\r\nDate: {sent}\r\nSubject: Visit\r\n\r\n\
         Kim, can you call me back today?\r\n"
    );
    fs::create_dir(household.dir.path().join("mail")).unwrap();
    fs::write(household.dir.path().join("mail/1.eml"), mail).unwrap();
    let service = household.service();
    let until_called = |name: &str| {
        service.until("name", |service| {
            page(service, "/chats")
                .contains(&format!("<bdi>{name}</bdi>"))
                .then_some(())
        });
    };
    until_called("asha79");
    let add = [
        "add",
        "people",
        &server.address("/kim/"),
        "--kind",
        "carddav",
        "--user",
        "kim",
        "--private",
        "--certificate",
        &server.fingerprint(),
    ];
    let (code, said) = household.source(&service, &add, "");
    assert_eq!(code, Some(0), "{said}");
    household.source(
        &service,
        &["login", "people", "--stdin"],
        &format!("{PASSWORD}\n"),
    );
    service.until("look", |service| {
        let report = household.look_at(service, "people");
        (report["entries"] == 1 && report["failure"].is_null()).then_some(())
    });
    until_called("Asha Rao");
    for text in ["Asha Rao", "marzipan", PASSWORD] {
        assert!(
            !any_file_holds(household.dir.path(), text),
            "{text} lies on the disk"
        );
    }
    server.delete("/kim/people/asha.vcf");
    service.until("second look", |service| {
        (household.look_at(service, "people")["entries"] == 0).then_some(())
    });
    until_called("asha79");
}

/// A stand-in for a server of SimpleFIN, with one token that works once.
fn bridge() -> SocketAddr {
    let now = Utc::now().timestamp();
    let mut is_claimed = false;
    let answer = std::sync::Mutex::new(move |asked: &str, at: &str| {
        if asked.starts_with("POST /claim/once") {
            if std::mem::replace(&mut is_claimed, true) {
                return ok("403 Forbidden", "", "");
            }
            return ok("200 OK", "", &format!("http://a1:b%402-wombat@{at}/simplefin\n"));
        }
        let login = format!("authorization: basic {}", BASE64.encode(b"a1:b@2-wombat"));
        if !asked.to_ascii_lowercase().contains(&login.to_ascii_lowercase()) {
            return ok("403 Forbidden", "", "");
        }
        assert!(
            asked.starts_with("GET /simplefin/accounts?start-date=1"),
            "{asked}"
        );
        let payment = |id: &str, minutes: i64, amount: &str, payee: &str| json!({ "id": id, "posted": now - 60 * minutes, "amount": amount, "description": payee });
        let account = json!({
            "org": { "domain": "bank.example" }, "id": "ACT-1", "name": "Everyday 4711", "currency": "EUR",
            "balance": "812.40", "balance-date": now,
            "transactions": [payment("T1", 2, "-4.20", "CAFE LUNA"), payment("T2", 1, "-17.05", "CORNER BAKERY")],
        });
        ok(
            "200 OK",
            "",
            &json!({ "errors": [], "accounts": [account] }).to_string(),
        )
    });
    serve(None, move |_, asked, stream| {
        let host = asked
            .lines()
            .find_map(|line| {
                line.to_ascii_lowercase()
                    .strip_prefix("host: ")
                    .map(str::to_owned)
            })
            .unwrap_or_default();
        let text = (answer.lock().unwrap())(asked, &host);
        let _ = stream.write_all(text.as_bytes());
    })
}

#[test]
fn payments_come_from_a_bridge_whose_address_lies_on_no_disk() {
    let bridge = bridge();
    let household = Household::new();
    let service = household.service();
    let address = format!("http://{bridge}/");
    let add = ["add", "bank", &address, "--kind", "simplefin", "--private"];
    let (code, said) = household.source(&service, &add, "");
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(
        household.look_at(&service, "bank")["failure"]["why"],
        "login_refused"
    );
    let access = format!("http://a1:b%402-wombat@{bridge}/simplefin\n");
    let login = ["login", "bank", "--secret-address", "--stdin"];
    let (code, said) = household.source(&service, &login, &access);
    assert_eq!(code, Some(0), "{said}");
    service.until("look", |service| {
        let report = household.look_at(service, "bank");
        (report["entries"] == 2 && report["failure"].is_null()).then_some(())
    });
    let (_, said) = household.source(&service, &["list"], "");
    assert!(said.contains("2 payments in 1 bank account;"), "{said}");
    service.until("payments", |service| {
        let spent = page(service, "/money/spending?view=month");
        (spent.contains("21.25") && spent.contains("Corner Bakery")).then_some(())
    });
    // What the bank says stands there, though nobody typed a balance and no income is known.
    service.until("balance", |service| {
        let ahead = page(service, "/money/ahead");
        (ahead.contains("What your banks say") && ahead.contains("812.40") && ahead.contains("account …4711"))
            .then_some(())
    });
    for text in ["a1:b", "b@2-wombat", "CORNER BAKERY"] {
        assert!(
            !any_file_holds(household.dir.path(), text),
            "{text} lies on the disk"
        );
    }
    let file = fs::read_to_string(household.home()).unwrap();
    assert!(
        file.contains(&format!("address = \"{address}\""))
            && !file.contains("simplefin\"\naddress = \"http://a1"),
        "{file}"
    );
}

#[test]
fn token_on_the_page_names_its_server_first_and_is_kept_after_a_look() {
    let bridge = bridge();
    let household = Household::new();
    let service = household.service();
    let owner = Browser::opened(&household.data(), &service);
    let token = BASE64.encode(format!("http://{bridge}/claim/once").as_bytes());
    let mut fields = json!({ "kind": "simplefin", "address": token, "private": "on" });
    let send = |path: &str, fields: &Value| {
        service.until("answer to a form", |service| {
            let (_, token) = owner.page(service);
            let (head, text) = owner.post(service, path, &token, fields);
            (!head.starts_with("HTTP/1.1 503")).then_some((head, text))
        })
    };
    let looked = |fields: &Value| send("/form/accounts/look", fields).1;
    let says = looked(&fields);
    assert!(
        says.contains(&format!(
            "This token is from {bridge}. I have not connected to anything yet."
        )),
        "{says}"
    );
    fields["accepted"] = json!(bridge.to_string());
    // The token works once; what it was turned into is known until the account is read.
    for _ in 0..2 {
        let says = looked(&fields);
        assert!(
            says.contains("One bank account, 2 payments of the last 60 days. Nothing is kept yet."),
            "{says}"
        );
    }
    assert!(!fs::read_to_string(household.home()).unwrap().contains("accounts"));
    fields["name"] = json!("bank");
    let (head, says) = send("/form/accounts/add", &fields);
    assert!(head.contains(" 200 "), "{head}{says}");
    service.until("look", |service| {
        let report = household.look_at(service, "bank");
        (report["entries"] == 2 && report["failure"].is_null()).then_some(())
    });
    let file = fs::read_to_string(household.home()).unwrap();
    assert!(
        file.contains(&format!("address = \"http://{bridge}/\"")),
        "{file}"
    );
    for text in ["a1:b", "b@2-wombat", "claim/once"] {
        assert!(
            !any_file_holds(household.dir.path(), text),
            "{text} lies on the disk"
        );
    }
}

#[test]
fn token_is_turned_once_and_bridges_that_lie_have_one_clear_failure_each() {
    let at = bridge();
    let claim = asked(
        AccountProtocol::SimpleFinClaim,
        &format!("http://{at}/claim/once"),
    );
    let (parts, _) = read(&claim, at).unwrap();
    let text = format!("http://a1:b%402-wombat@{at}/simplefin");
    assert_eq!(
        parts,
        [AccountPart::Object {
            id: "access".to_owned(),
            text
        }]
    );
    assert_eq!(read(&claim, at).unwrap_err(), LookFailure::LoginRefused);

    let many: Vec<Value> = (0..30_000)
        .map(|number| json!({ "id": number.to_string(), "posted": 1, "amount": "1" }))
        .collect();
    let account = json!({ "id": "1", "currency": "EUR", "transactions": many });
    for (name, answer, expected) in [
        (
            "no access any more",
            ok("403 Forbidden", "", ""),
            LookFailure::LoginRefused,
        ),
        (
            "to be paid",
            ok("402 Payment Required", "", ""),
            LookFailure::Refused { status: 402 },
        ),
        ("no JSON", ok("200 OK", "", "<html>"), LookFailure::Broken),
        (
            "half of it",
            ok("200 OK", "", "{\"accounts\":[{\"id\""),
            LookFailure::Broken,
        ),
        (
            "nothing",
            ok("200 OK", "", "{\"accounts\":[]}"),
            LookFailure::NoMoney,
        ),
        (
            "nothing but a no",
            ok("200 OK", "", "{\"errors\":[\"Log in again\"],\"accounts\":[]}"),
            LookFailure::SaysNo,
        ),
        (
            "too many payments",
            ok("200 OK", "", &json!({ "accounts": [account] }).to_string()),
            LookFailure::TooLarge,
        ),
    ] {
        let at = serve(None, move |_, _, stream| {
            drop(stream.write_all(answer.as_bytes()));
        });
        let mut request = asked(AccountProtocol::SimpleFin, "http://bridge.example/simplefin");
        request.login = Some(AccountLogin {
            user: "a1".to_owned(),
            password: "x".to_owned(),
        });
        assert_eq!(read(&request, at).unwrap_err(), expected, "{name}");
    }
}
