//! Accounts on servers: forms, a look of which nothing is kept, and who may do what.
//!
//! Not here: real servers (`tests/integration/accounts`), the forms in a browser (`tests/browser/accounts.rs`).

use crate::{
    accounts_double::account,
    client::{Server, proven_cookie, send},
    morning::ts,
    settings::{code, owners},
};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use surfaces_base::backend::sign_in::SignInStanding;
use toolcall_schema::accounts::{LookFailure, ServerAccountKind};

fn with_accounts(server: &Server, problem: Option<LookFailure>) {
    let mut home = server.double.home.lock().unwrap();
    let view = home.as_mut().unwrap();
    view.accounts = vec![account(problem)];
    view.sources.clear();
}

fn fields(address: &str) -> Value {
    json!({ "kind": "caldav", "address": address, "user": "kim", "password": "swordfish" })
}

#[tokio::test]
async fn hosts_are_named_and_what_they_have_is_shown_before_anything_is_kept() {
    let server = owners(None).await;
    let (own, proven) = (server.host(), proven_cookie(&server).await);
    let look = async |body: &Value| send(&server, &own, &proven, "/form/accounts/look", body).await;
    // A mail address is never asked about: the owner sees where it leads, and says so.
    for (address, says) in [
        (
            "kim@example.org",
            "The calendars of kim@example.org are probably at example.org. I have not connected to anything yet.",
        ),
        (
            "kim@icloud.com",
            r#"data-fill="{&quot;address&quot;:&quot;https://caldav.icloud.com/&quot;,&quot;user&quot;:&quot;kim@icloud.com&quot;}""#,
        ),
        ("kim@gmail.com", "Secret address in iCal format"),
    ] {
        let answer = look(&fields(address)).await;
        assert!(answer.body.contains(says), "{address}: {}", answer.body);
    }
    assert_eq!(
        server
            .log()
            .iter()
            .filter(|line| line.starts_with("look at"))
            .count(),
        0
    );
    for (address, says) in [
        (
            "dav.example.org",
            "3 calendars, 212 events, one task. Nothing is kept yet.",
        ),
        (
            "dav.example.org",
            "<li dir=\"auto\"><bdi>Work &lt;b&gt;</bdi></li>",
        ),
        (
            "dav.example.org",
            "I show it to dav.example.org and to nobody else.",
        ),
        (
            "https://refuses.example/",
            "The server refuses the login. Type the password once more.",
        ),
        (
            "https://away.example/",
            "{&quot;address&quot;:&quot;https://dav.other.example/dav/&quot;}",
        ),
        ("https://away.example/", "Ask https://dav.other.example"),
        ("https://near.example/", "{&quot;private&quot;:true}"),
        ("https://nothing", "That is neither a mail address nor"),
        ("https://busy.example/", "I am trying another account just now."),
    ] {
        let answer = look(&fields(address)).await;
        assert_eq!(answer.status, 200, "{address}: {}", answer.body);
        assert!(answer.body.contains(says), "{address}: {}", answer.body);
        assert!(!answer.body.contains("swordfish"), "{}", answer.body);
    }
    let mail = json!({ "kind": "imap", "address": "kim@example.org" });
    assert!(look(&mail).await.body.contains("imaps://imap.example.org"));
    let mail = look(&json!({ "kind": "imap", "address": "imap.example.org" }))
        .await
        .body;
    for says in [
        "2 folders, 34 messages of the last two days. Nothing is kept yet.",
        "I mark nothing as read, fetch no attachments and send nothing.",
        "in no file on a disk, and is read anew after each start.",
    ] {
        assert!(mail.contains(says), "{says}: {mail}");
    }
    let token = look(&json!({ "kind": "simplefin", "address": "a token" }))
        .await
        .body;
    for says in [
        "This token is from bridge.example.org. I have not connected to anything yet.",
        "{&quot;accepted&quot;:&quot;bridge.example.org&quot;}",
    ] {
        assert!(token.contains(says), "{says}: {token}");
    }
    let accepted = json!({ "kind": "simplefin", "address": "a token", "accepted": "bridge.example.org" });
    let money = look(&accepted).await.body;
    for says in [
        "One bank account, 34 payments of the last 60 days.",
        "I can move no money.",
    ] {
        assert!(money.contains(says), "{says}: {money}");
    }
    let added = send(
        &server,
        &own,
        &proven,
        "/form/accounts/add",
        &fields("https://dav.example.org/"),
    )
    .await;
    let reply: Value = serde_json::from_str(&added.body).unwrap();
    assert_eq!(reply, json!({ "restarts": true, "shown": "6".repeat(64) }));
    let log = server.log();
    assert!(
        log.contains(&"read https://dav.example.org/ as ".to_owned()),
        "{log:?}"
    );
}

#[tokio::test]
async fn accounts_are_added_and_logged_in_to_by_the_proven_browser_alone_and_looked_at_by_any_of_hers() {
    let server = owners(None).await;
    let (own, paired, proven) = (server.host(), server.cookie(), proven_cookie(&server).await);
    let wish = fields("https://dav.example.org/");
    let login = json!({ "name": "work", "password": "swordfish" });
    for (path, body) in [
        ("/form/accounts/look", &wish),
        ("/form/accounts/add", &wish),
        ("/form/accounts/login", &login),
    ] {
        let refused = send(&server, &own, &paired, path, body).await;
        assert_eq!(code(&refused), (403, "WEB-027".to_owned()), "{path}");
    }
    let kept = send(&server, &own, &proven, "/form/accounts/login", &login).await;
    assert_eq!(
        kept.body,
        "work answers. 212 entries. 2 new or changed the last time."
    );
    let other = json!({ "name": "other", "password": "x" });
    let refused = send(&server, &own, &proven, "/form/accounts/login", &other).await;
    assert_eq!(
        refused.body,
        "I did not keep it: it is not for the same server, or no longer works."
    );
    for (name, status, says) in [
        (
            "work",
            200,
            "work answers. 212 entries. 2 new or changed the last time.",
        ),
        (
            "broken",
            200,
            "The server refuses the login. Type the password once more.",
        ),
        ("none", 404, ""),
    ] {
        let answer = send(
            &server,
            &own,
            &paired,
            "/form/accounts/test",
            &json!({ "name": name }),
        )
        .await;
        assert_eq!(answer.status, status, "{name}");
        assert!(answer.body.contains(says), "{name}: {}", answer.body);
    }
}

#[tokio::test]
async fn rows_have_what_their_owner_can_do_and_the_forms_are_where_she_may_add() {
    let server = owners(None).await;
    with_accounts(&server, Some(LookFailure::LoginRefused));
    let plain = server.get("/settings").await.body;
    for says in [
        "Calendars by CalDAV",
        "The server refuses the login.",
        "212 entries and the login are forgotten on this computer.",
        r#"data-says="/form/accounts/test""#,
    ] {
        assert!(plain.contains(says), "{says}: {plain}");
    }
    for hidden in ["/form/accounts/login", "/form/accounts/look", "aura source"] {
        assert!(!plain.contains(hidden), "{hidden}: {plain}");
    }
    let proven = proven_cookie(&server).await;
    let page = server
        .raw("GET /settings", &format!("{}{proven}", server.host()), "")
        .await
        .body;
    for says in [
        r#"data-says="/form/accounts/login""#,
        r#"data-account-form data-post="/form/accounts/look" data-into="account-look-login""#,
        "href=\"#add-account\"",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
}

#[tokio::test]
async fn provider_is_named_before_it_is_asked_and_a_browser_comes_back_to_one_page() {
    let server = owners(None).await;
    let (own, paired, proven) = (server.host(), server.cookie(), proven_cookie(&server).await);
    let typed = json!({ "kind": "imap", "address": "kim@outlook.com", "client_id": "aura-kim" });
    let answer = send(&server, &own, &proven, "/form/accounts/look", &typed).await;
    for says in [
        "What belongs to kim@outlook.com is at outlook.office365.com, and you sign in at login.microsoftonline.com. I have not connected to anything yet.",
        "fetch no attachments and send nothing",
        "IMAP.AccessAsUser.All",
        "Nobody has tried this with the provider yet",
        "data-account-add",
    ] {
        assert!(answer.body.contains(says), "{says}: {}", answer.body);
    }
    let begin = json!({ "name": "work", "way": "device", "secret": "" });
    let refused = send(&server, &own, &paired, "/form/accounts/sign-in", &begin).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    let code = send(&server, &own, &proven, "/form/accounts/sign-in", &begin).await;
    assert!(
        code.body.contains("WDJB-MJHT") && code.body.contains("Go on at login.example.org"),
        "{}",
        code.body
    );
    let begin = json!({ "name": "work", "way": "browser" });
    let link = send(&server, &own, &proven, "/form/accounts/sign-in", &begin).await;
    assert!(
        link.body.contains(r#"rel="noopener noreferrer""#),
        "{}",
        link.body
    );
    for (query, says) in [
        ("state=good&code=x&scope=mail", "You are signed in."),
        ("state=good&error=access_denied", "said no"),
        ("state=other&code=x", "not begun here"),
        ("code=x", "not begun here"),
    ] {
        // Without a cookie: none comes along from another site.
        let page = server
            .raw(&format!("GET /signed-in?{query}"), &server.host(), "")
            .await;
        assert_eq!(page.status, 200, "{query}");
        assert!(page.body.contains(says), "{query}: {}", page.body);
        assert!(!page.body.contains("aura-page"), "{query}");
    }
}

#[tokio::test]
async fn welcome_goes_on_from_an_account_as_from_a_folder() {
    let server = owners(Some(3)).await;
    with_accounts(&server, None);
    let sources = server.get("/welcome/3").await.body;
    assert!(
        sources.contains("Calendars by CalDAV") && sources.contains("Last reached "),
        "{sources}"
    );
    let first = server.get("/welcome/6").await.body;
    assert!(
        first.contains("data-tick") && !first.contains("I may read nothing yet"),
        "{first}"
    );
    // With nothing reached yet the page looks again by itself.
    server.double.home.lock().unwrap().as_mut().unwrap().accounts[0].reached_at = None;
    let waits = server.get("/welcome/3").await.body;
    assert!(
        waits.contains("Not reached yet.") && waits.contains("data-again-ms"),
        "{waits}"
    );
}

#[tokio::test]
async fn welcome_looks_again_until_what_an_account_brought_is_read() {
    let server = owners(Some(3)).await;
    with_accounts(&server, None);
    server.double.is_read.store(true, Ordering::Relaxed);
    let reading = async |calendar_read_at: &str| {
        *server.double.calendar_read_at.lock().unwrap() = Some(ts(calendar_read_at));
        let page = server.get("/welcome/3").await.body;
        let (_, section) = page.split_once("<section id=\"reading\"").unwrap();
        section.split_once('>').unwrap().0.to_owned()
    };
    // The account was reached at 02:10, with two new events.
    let before = reading("2026-11-03T02:09:59Z").await;
    assert!(before.contains("data-again-ms"), "{before}");
    let after = reading("2026-11-03T02:10:01Z").await;
    assert!(!after.contains("data-again-ms"), "{after}");
}

#[tokio::test]
async fn what_is_to_be_done_about_a_server_helps() {
    let server = owners(None).await;
    for (problem, says, never) in [
        // Its fingerprint counts for the name in the address alone.
        (
            LookFailure::OtherName,
            "Write the name that the certificate is for in the address",
            "by its fingerprint",
        ),
        // It runs, and its address is right: it took the login.
        (
            LookFailure::SaysNo,
            "If it goes on, ask whoever runs the server.",
            "See that the server runs",
        ),
        // It is the network in between that answers.
        (
            LookFailure::Refused { status: 511 },
            "sign in to the network",
            "See that the server runs",
        ),
        (
            LookFailure::AnswerTooLarge,
            "If it goes on, ask whoever runs the server.",
            "See that the server runs",
        ),
    ] {
        with_accounts(&server, Some(problem));
        let page = server.get("/settings").await.body;
        assert!(page.contains(says) && !page.contains(never), "{says}: {page}");
    }
}

#[tokio::test]
async fn row_counts_what_is_read_there() {
    let server = owners(None).await;
    for (kind, says) in [
        (ServerAccountKind::CalDav, "1 entry."),
        (ServerAccountKind::CardDav, "1 person."),
        (ServerAccountKind::SimpleFin, "1 payment."),
        (ServerAccountKind::HomeAssistant, "1 night."),
        (ServerAccountKind::Imap, "1 message."),
    ] {
        with_accounts(&server, None);
        {
            let mut home = server.double.home.lock().unwrap();
            let row = &mut home.as_mut().unwrap().accounts[0];
            (row.kind, row.entries) = (kind, 1);
        }
        let page = server.get("/settings").await.body;
        assert!(page.contains(says), "{says}: {page}");
    }
}

#[tokio::test]
async fn row_counts_nothing_before_it_is_read_after_a_start() {
    let server = owners(None).await;
    for (is_paused, problem, is_reading) in [
        (false, None, true),
        (true, None, false),
        (false, Some(LookFailure::Unreachable), false),
    ] {
        with_accounts(&server, problem);
        {
            let mut home = server.double.home.lock().unwrap();
            let row = &mut home.as_mut().unwrap().accounts[0];
            (row.is_known, row.is_paused) = (false, is_paused);
            (row.kind, row.entries, row.new) = (ServerAccountKind::Imap, 0, 0);
        }
        let page = server.get("/settings").await.body;
        assert!(
            !page.contains("0 messages") && !page.contains("Nothing new"),
            "{page}"
        );
        assert_eq!(page.contains("I am reading it now."), is_reading, "{page}");
    }
}

#[tokio::test]
async fn code_of_a_sign_in_stays_on_the_page_while_the_provider_is_waited_for() {
    let server = owners(None).await;
    let proven = proven_cookie(&server).await;
    for (standing, stays) in [
        (SignInStanding::NotYet, false),
        (SignInStanding::Underway, true),
        (SignInStanding::SignedIn, false),
        (SignInStanding::Ended, false),
    ] {
        with_accounts(&server, None);
        server.double.home.lock().unwrap().as_mut().unwrap().accounts[0].sign_in = Some(standing);
        let page = server
            .raw("GET /settings", &format!("{}{proven}", server.host()), "")
            .await
            .body;
        // The script takes over what stands there when it draws the page anew.
        assert_eq!(page.contains(" data-underway"), stays, "{standing:?}: {page}");
        assert!(page.contains("sign-in-work"), "{page}");
    }
}
