//! The first day with an account on a server in place of a folder, and the account afterwards.
//!
//! What: from an empty home folder a calendar on a real server (Radicale) is named, refused for each thing that is wrong with it, looked at, read and on the
//! agenda; its row in *Settings* is tried, given another password, paused and removed. Why: nobody exports a file to begin. Not here: servers that
//! lie (`tests/integration/accounts`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::Browser,
    first_day::{NewOwner, click, is_there, type_into},
    page::Page,
    radicale::Radicale,
    support::any_file_holds,
};
use chrono::Utc;
use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    thread,
};

const PASSWORD: &str = "correct horse 77";

fn event(uid: &str, hours: [&str; 2], title: &str) -> String {
    let day = Utc::now().format("%Y%m%d");
    let [from, to] = hours;
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VEVENT\r\nUID:{uid}@example.org\r\nDTSTAMP:{day}T000000Z\r\n\
         DTSTART:{day}T{from}00Z\r\nDTEND:{day}T{to}00Z\r\nRRULE:FREQ=DAILY\r\nSUMMARY:{title}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

/// A server with one calendar, in which two things clash each day.
fn server() -> Radicale {
    let server = Radicale::start("kim", PASSWORD);
    server.make_calendar("/kim/work/");
    server.put(
        "/kim/work/one.ics",
        &event("1", ["0900", "1000"], "Loom demonstration"),
    );
    server.put("/kim/work/two.ics", &event("2", ["0930", "1030"], "Dentist"));
    server
}

/// Presses the button that looks, and waits for what it says.
async fn looks(page: &Page, says: &str) {
    click(page, "#account-by-login form > .buttons button").await;
    answers(page, says).await;
}

async fn answers(page: &Page, says: &str) {
    let is_said = format!("document.getElementById('account-look-login').textContent.includes({says:?})");
    page.until(&is_said).await.unwrap();
}

/// Types what is known of the server, and gets past each thing that is wrong, to a look that is good.
async fn describe(page: &Page, axe: &str, server: &Radicale) {
    click(page, "#account-by-login > summary").await;
    look(page, axe, "account-by-login", "account-form").await;
    // A mail address alone connects to nothing.
    type_into(page, "address", "kim@example.org").await;
    looks(page, "probably at example.org").await;
    look(page, axe, "account-look-login", "account-suggestion").await;
    type_into(page, "address", &server.address("/kim/")).await;
    page.until("document.getElementById('account-look-login').textContent === ''")
        .await
        .unwrap();
    type_into(page, "user", "kim").await;
    type_into(page, "password", "wrong").await;
    looks(page, "you have not allowed that").await;
    click(page, "#account-look-login [data-fill]").await;
    answers(page, "comes from nobody whom this computer trusts").await;
    look(page, axe, "account-look-login", "account-untrusted").await;
    type_into(page, "certificate", &server.fingerprint()).await;
    looks(page, "The server refuses the login.").await;
    type_into(page, "password", PASSWORD).await;
    looks(page, "One calendar, 2 events. Nothing is kept yet.").await;
    look(page, axe, "account-look-login", "account-found").await;
}

#[tokio::test]
async fn from_an_empty_home_folder_to_an_agenda_with_an_account_and_no_folder() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let server = server();
    let owner = NewOwner::new();
    let page = owner.opens(&mut browser).await;
    for screen in [1, 2] {
        is_there(&page, &format!(".welcome progress[value=\"{screen}\"]")).await;
        click(&page, "button.main[data-welcome]").await;
    }
    is_there(&page, ".welcome progress[value=\"3\"]").await;
    describe(&page, &axe, &server).await;
    let config = owner.at(".config/aura");
    assert!(
        !any_file_holds(&config, "[[accounts]]"),
        "nothing is kept before she says so"
    );

    click(&page, "[data-account-add]").await;
    // The machine starts anew under the page, which then says how it stands by itself.
    page.until("(document.getElementById('allowed-accounts')?.textContent || '').includes('Last reached')")
        .await
        .unwrap();
    look(&page, &axe, "allowed-accounts", "account-welcome").await;
    let file = fs::read_to_string(config.join("home.toml")).unwrap();
    assert!(
        file.contains("kind = \"caldav\"") && file.contains("name = \"localhost\""),
        "{file}"
    );
    assert!(
        !any_file_holds(&owner.at(""), PASSWORD),
        "the password lies open on the disk"
    );

    page.until("document.getElementById('reading').textContent.includes('2 events')")
        .await
        .unwrap();
    click(&page, "button.main[data-welcome]").await;
    is_there(&page, ".welcome progress[value=\"4\"]").await;
    click(&page, "button.plain[data-welcome=\"5\"]").await;
    is_there(&page, ".welcome progress[value=\"5\"]").await;
    click(&page, "button.main[data-welcome]").await;
    is_there(&page, ".welcome progress[value=\"6\"]").await;
    click(&page, "button[data-tick]").await;
    // A card, or the sentence that says why there is none.
    page.until("document.querySelector('#now h2')").await.unwrap();
    look(&page, &axe, "now", "account-first-card").await;
    click(&page, "button.main[data-welcome]").await;
    is_there(&page, "#attention").await;
    page.go("/agenda").await.unwrap();
    let agenda = page.text().await.unwrap();
    assert!(
        agenda.contains("Loom demonstration") && agenda.contains("Dentist"),
        "{agenda}"
    );
}

#[tokio::test]
async fn account_in_settings_is_tried_given_a_password_paused_and_removed() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let server = server();
    let owner = NewOwner::new();
    let page = owner.opens(&mut browser).await;
    is_there(&page, ".welcome progress[value=\"1\"]").await;
    page.go("/settings").await.unwrap();
    describe(&page, &axe, &server).await;
    click(&page, "[data-account-add]").await;
    let until_row_says = async |says: &str| {
        let is_said = format!("(document.getElementById('accounts')?.textContent || '').includes({says:?})");
        page.until(&is_said).await.unwrap();
    };
    until_row_says("localhost").await;
    let status = async |says: &str| {
        let is_said = format!("document.getElementById('status').textContent.includes({says:?})");
        page.until(&is_said).await.unwrap();
    };
    click(&page, "#accounts form[data-says=\"/form/accounts/test\"] button").await;
    status("localhost answers. 2 entries.").await;
    until_row_says("Last reached").await;
    look(&page, &axe, "accounts-title", "account-row").await;

    // A password that is wrong is told, and the right one mends it.
    let login = "#accounts form[data-says=\"/form/accounts/login\"]";
    for (password, says) in [
        ("wrong", "The server refuses the login."),
        (
            PASSWORD,
            "localhost answers. 2 entries. Nothing new the last time.",
        ),
    ] {
        page.run(&format!(
            "document.querySelector('{login}').closest('details').open = true; \
             document.querySelector('{login} [name=\"password\"]').value = {password:?};"
        ))
        .await
        .unwrap();
        click(&page, &format!("{login} button")).await;
        status(says).await;
    }

    click(&page, "#accounts [data-account-act=\"pause\"]").await;
    until_row_says("Paused: I ask this server for nothing.").await;
    click(&page, "#accounts [data-account-act=\"resume\"]").await;
    is_there(&page, "#accounts [data-account-act=\"pause\"]").await;
    page.run(
        "document.querySelector('#accounts [data-account-act=\"remove\"]').closest('details').open = true;",
    )
    .await
    .unwrap();
    until_row_says("2 entries and the login are forgotten on this computer.").await;
    look(&page, &axe, "accounts-title", "account-remove").await;
    click(&page, "#accounts [data-account-act=\"remove\"]").await;
    page.until("!document.getElementById('accounts')").await.unwrap();
    let file = fs::read_to_string(owner.at(".config/aura/home.toml")).unwrap();
    assert!(!file.contains("[[accounts]]"), "{file}");
}

/// A stand-in for a provider: it gives a code to type, and is waited for without end.
fn provider() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut asked = String::new();
            let mut some = [0; 4096];
            while !asked.contains("client_id=") {
                let Ok(count @ 1..) = stream.read(&mut some) else {
                    break;
                };
                asked.push_str(&String::from_utf8_lossy(&some[..count]));
            }
            let (status, body) = if asked.starts_with("POST /device ") {
                let page = format!("http://localhost:{port}/enter");
                let code = format!(
                    r#"{{"device_code":"d","user_code":"WDJB-MJHT","verification_uri":"{page}","expires_in":300,"interval":5}}"#
                );
                ("200 OK", code)
            } else {
                (
                    "400 Bad Request",
                    r#"{"error":"authorization_pending"}"#.to_owned(),
                )
            };
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            // Whoever asked may have gone.
            let _ = stream.write_all((head + &body).as_bytes());
        }
    });
    port
}

#[tokio::test]
async fn code_that_is_typed_elsewhere_stays_while_another_account_is_looked_at() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let provider = provider();
    let owner = NewOwner::new();
    let account = |name: &str, more: &str| {
        format!(
            "[[accounts]]\nname = \"{name}\"\nkind = \"caldav\"\naddress = \"http://localhost:{provider}/\"\nuser = \"kim\"\nprivate = true\n{more}"
        )
    };
    let at = |path: &str| format!("\"http://localhost:{provider}/{path}\"");
    let sign_in = format!(
        "sign_in = {{ client_id = \"aura-kim\", device = {}, token = {} }}\n",
        at("device"),
        at("token")
    );
    owner.put(
        ".config/aura/home.toml",
        &format!(
            "zone = \"UTC\"\n{}{}",
            account("coded", &sign_in),
            account("other", "")
        ),
    );
    let page = owner.opens(&mut browser).await;
    is_there(&page, "#live").await;
    page.go("/settings").await.unwrap();
    is_there(&page, "#sign-in-of-coded").await;
    page.run("document.getElementById('sign-in-of-coded').open = true;")
        .await
        .unwrap();
    click(&page, "#sign-in-of-coded [value=\"device\"]").await;
    click(&page, "#sign-in-of-coded form button").await;
    let shows_code = "document.getElementById('sign-in-coded').innerText.includes('WDJB-MJHT')";
    page.until(shows_code).await.unwrap();
    // What was said of the other account is drawn anew with all rows; this mark is of the rows before.
    page.run("document.getElementById('accounts').dataset.before = '';")
        .await
        .unwrap();
    click(
        &page,
        "#accounts form[data-says=\"/form/accounts/test\"]:has([value=\"other\"]) button",
    )
    .await;
    page.until(
        "document.getElementById('accounts') && !('before' in document.getElementById('accounts').dataset)",
    )
    .await
    .unwrap();
    page.until(shows_code).await.unwrap();
    look(&page, &axe, "accounts-title", "account-code").await;
}
