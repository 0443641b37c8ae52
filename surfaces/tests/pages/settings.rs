//! Forms that change the settings.
//!
//! What: what they show, who may allow what, and what is answered to a change. Not here: the file (`orchestrator`), the pages in a browser
//! (`tests/browser`).

use crate::{
    client::{Answer, Server, proven_cookie, send, server, server_with},
    morning::{mute_card, ts},
    settings_double::{home, source},
};
use serde_json::{Value, json};
use surfaces_base::backend::settings::{SourceState, SourceView};
use toolcall_schema::SourceKind;

/// A server whose owner's file is that of the double.
pub(crate) async fn owners(welcome: Option<u8>) -> Server {
    let server = server("brief").await;
    *server.double.home.lock().unwrap() = Some(home());
    server.double.home.lock().unwrap().as_mut().unwrap().welcome = welcome;
    server
}

pub(crate) fn code(answer: &Answer) -> (u16, String) {
    let body: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    let code = body["code"].as_str().unwrap_or_default().to_owned();
    (answer.status, code)
}

#[tokio::test]
async fn source_says_when_it_was_read_last_and_is_paused_and_resumed_by_any_browser_of_hers() {
    let server = owners(None).await;
    let reading = server.get("/settings").await.body;
    for says in [r#"data-pausing="pause""#, "Looked at last at "] {
        assert!(reading.contains(says), "{says}: {reading}");
    }
    server.double.home.lock().unwrap().as_mut().unwrap().sources[0].state = SourceState::Paused;
    let paused = server.get("/settings").await.body;
    for says in ["is paused: nothing new of it is read", r#"data-pausing="resume""#] {
        assert!(paused.contains(says), "{says}: {paused}");
    }
    assert!(!paused.contains("Looked at last at "), "{paused}");
    let shown = server.double.home.lock().unwrap().as_ref().unwrap().shown.clone();
    for what in ["pause", "resume"] {
        let body = json!({ "shown": shown, what: [{ "list": "mail", "path": "/home/kavin/Maildir" }] });
        let answer = send(&server, &server.host(), &server.cookie(), "/form/settings", &body).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
}

#[tokio::test]
async fn further_settings_are_fields_with_limits_and_a_change_is_shown_before_it_is_made() {
    let server = owners(None).await;
    let (own, paired, proven) = (server.host(), server.cookie(), proven_cookie(&server).await);
    let page = server.get("/settings").await.body;
    for says in [
        r#"<input name="buffer_min" data-as="more" type="number" min="0" max="240" step="1" required value="15">"#,
        r#"<input type="checkbox" value="tue" checked>"#,
        r#"<input type="checkbox" value="sat">"#,
        r#"data-preview="more-preview""#,
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    // What starts a program is changed by the proven browser alone, and shown to it alone.
    assert!(!page.contains("speech.enabled"), "{page}");
    let shown = server.double.home.lock().unwrap().as_ref().unwrap().shown.clone();
    let change = |more: Value| json!({ "shown": shown, "more": more });
    let speak = change(json!({ "speech.enabled": "yes" }));
    for (cookie, status) in [(&paired, 403), (&proven, 200)] {
        let answer = send(&server, &own, cookie, "/form/settings", &speak).await;
        assert_eq!(answer.status, status, "{}", answer.body);
    }
    let shown = server.double.home.lock().unwrap().as_ref().unwrap().shown.clone();
    let preview = async |more: Value, shown: &str| {
        let body = json!({ "shown": shown, "more": more });
        send(&server, &own, &paired, "/form/settings/preview", &body).await
    };
    let lines = preview(json!({ "buffer_min": "20" }), &shown).await.body;
    assert!(
        lines.contains("buffer_min = 20") && lines.contains("Nothing is saved yet."),
        "{lines}"
    );
    let none = preview(json!({}), &shown).await.body;
    assert!(none.contains("Nothing would change."), "{none}");
    let refused = preview(json!({ "buffer_min": "999" }), &shown).await.body;
    assert!(
        refused.contains("It would not be saved: buffer_min must be"),
        "{refused}"
    );
    let other = preview(json!({}), &"0".repeat(64)).await;
    assert_eq!(code(&other), (409, "WEB-028".to_owned()));
}

#[tokio::test]
async fn model_says_its_size_first_and_how_far_it_is_and_only_the_proven_browser_gets_one() {
    let server = owners(None).await;
    let (own, paired, proven) = (server.host(), server.cookie(), proven_cookie(&server).await);
    let page = server.get("/settings").await.body;
    for says in [
        "alder · in use",
        "1,070 MB on your disk, from a package. Licence: Apache-2.0.",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    assert!(!page.contains("/form/model"), "{page}");
    for (body, says) in [
        (
            json!({ "act": "get", "name": "birch" }),
            r#"<p class="says">I am getting birch: 535 of 1,070 MB.</p><progress aria-label="Language model" value="535000000" max="1070000000">"#,
        ),
        (
            json!({ "act": "try", "name": "birch" }),
            "birch works here: it loads in 0.9 s and answers a short question in 2.4 s.",
        ),
        (json!({ "act": "remove", "name": "birch" }), "birch is in use."),
        (json!({ "act": "use_none" }), "alder"),
    ] {
        let refused = send(&server, &own, &paired, "/form/model", &body).await;
        assert_eq!(code(&refused), (403, "WEB-027".to_owned()));
        let done = send(&server, &own, &proven, "/form/model", &body).await;
        assert!(done.body.contains(says), "{body}: {}", done.body);
    }
    for bad in [
        json!({ "act": "get" }),
        json!({ "act": "burn", "name": "birch" }),
        json!({}),
    ] {
        assert_eq!(
            send(&server, &own, &proven, "/form/model", &bad).await.status,
            400,
            "{bad}"
        );
    }
}

#[tokio::test]
async fn backup_is_made_and_tried_by_the_proven_browser_with_a_passphrase_that_is_said_twice() {
    let server = owners(None).await;
    let (own, paired, proven) = (server.host(), server.cookie(), proven_cookie(&server).await);
    let page = server.get("/settings").await.body;
    for says in [
        "~/Backups/aura-2026-11-02.backup",
        "Not tried yet",
        "One is made every week in ~/Backups.",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    assert!(!page.contains("/form/backup"), "{page}");
    let make =
        |words: &str, again: &str| json!({ "folder": "~/Backups", "passphrase": words, "repeated": again });
    let long = "a long passphrase";
    let refused = send(&server, &own, &paired, "/form/backup", &make(long, long)).await;
    assert_eq!(code(&refused), (403, "WEB-027".to_owned()));
    for (words, again, says) in [
        (long, "a long passphrasE", "are not the same."),
        ("short", "short", "Too short"),
        ("passwordpassword", "passwordpassword", "Easy to guess."),
        (long, long, "I am writing the backup."),
    ] {
        let made = send(&server, &own, &proven, "/form/backup", &make(words, again)).await;
        assert!(made.body.contains(says), "{}", made.body);
        assert!(!made.body.contains(long), "{}", made.body);
    }
    let tried = send(
        &server,
        &own,
        &proven,
        "/form/backup/try",
        &json!({ "passphrase": "x" }),
    )
    .await;
    assert!(
        tried.body.contains("not the passphrase of this backup"),
        "{}",
        tried.body
    );
    // No more of them: only the proven browser says so.
    let ends = json!({});
    let refused = send(&server, &own, &paired, "/form/backup/end", &ends).await;
    assert_eq!(code(&refused), (403, "WEB-027".to_owned()));
    send(&server, &own, &proven, "/form/backup/end", &ends).await;
    let log = server.double.log.borrow().clone();
    assert_eq!(
        log.iter().filter(|line| **line == "backup End").count(),
        1,
        "{log:?}"
    );
    assert_eq!(
        log.iter().filter(|line| line.starts_with("backup ")).count(),
        3,
        "{log:?}"
    );
    assert!(!log.iter().any(|line| line.contains(long)), "{log:?}");
}

#[tokio::test]
async fn each_way_to_the_owner_is_tried_by_the_proven_browser_and_says_what_came_of_it() {
    let server = owners(None).await;
    let (own, paired, proven) = (server.host(), server.cookie(), proven_cookie(&server).await);
    for (channel, says) in [
        ("phone", "Your server took it."),
        (
            "watch",
            r#"Open it on your watch, and try again.</p><p><a href="/watch">"#,
        ),
        ("speech", "It did not go out: the speech program failed."),
    ] {
        let body = json!({ "channel": channel });
        let refused = send(&server, &own, &paired, "/form/notify/try", &body).await;
        assert_eq!(code(&refused), (403, "WEB-027".to_owned()));
        let tried = send(&server, &own, &proven, "/form/notify/try", &body).await;
        assert!(tried.body.contains(says), "{}", tried.body);
    }
    let log = server.double.log.borrow().clone();
    assert_eq!(
        log.iter().filter(|line| line.starts_with("try ")).count(),
        3,
        "{log:?}"
    );
    let bad = json!({ "channel": "pigeon" });
    assert_eq!(
        send(&server, &own, &proven, "/form/notify/try", &bad)
            .await
            .status,
        400
    );
    assert!(!server.get("/settings").await.body.contains("/form/notify/try"));
}

#[tokio::test]
async fn settings_are_fields_with_their_values_and_the_browsers_own_copy_has_none() {
    let server = owners(None).await;
    let page = server.get("/settings").await.body;
    for field in [
        r#"name="ceiling" data-as="number" type="number" min="0" max="5" step="1" required value="3""#,
        r#"data-time type="text" inputmode="numeric" required value="07:30""#,
        // One section says what decides when Aura speaks, and what wins.
        "When I speak</h2>",
        "it comes once the last of them is over; if that is after 12:00, there is none that day.",
        "A rule about anything, or about the morning brief, holds the brief back as well.",
        r#"value="22:00" placeholder="--:--""#,
        r#"aria-label="Quiet from""#,
        r#"value="kavin, K""#,
        r#"step="0.25" required value="7.5""#,
        r#"value="68400.00""#,
        "“~/Maildir”</bdi> is being read",
        "2 things to know about what was read",
        "This mail has no date that I can read. <span class=\"note\"><bdi>cur/&lt;1&gt;</bdi>, line 3</span>",
    ] {
        assert!(page.contains(field), "{field}: {page}");
    }
    let kept = server
        .raw(
            "GET /settings",
            &format!("{}{}x-aura-keep: 1\n", server.host(), server.cookie()),
            "",
        )
        .await;
    assert!(
        !kept.body.contains("data-settings") && !kept.body.contains("kavin"),
        "{}",
        kept.body
    );
}

#[tokio::test]
async fn the_demos_settings_are_all_there_and_none_can_be_changed() {
    let server = server("brief").await;
    *server.double.shown_home.lock().unwrap() = Some(home());
    let page = server.get("/settings").await.body;
    for says in [
        "This household is made up, so its settings are only shown.",
        r#"<input id="ceiling" name="ceiling""#,
        r#"name="names""#,
        r#"<fieldset disabled aria-labelledby="sources-title">"#,
        // What can be done stands beside what cannot.
        r#"<p class="note">A rule below about the morning brief can be tried: it holds the brief back"#,
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    assert_eq!(page.matches(r#"id="settings""#).count(), 1, "{page}");
    assert!(!page.contains("data-settings"), "{page}");
    assert!(!page.contains("change this hour"), "{page}");
    // What opens and then does nothing is not there.
    assert!(!page.contains("Stop reading"), "{page}");
}

#[tokio::test]
async fn something_new_is_allowed_only_by_the_browser_that_was_shown_to_be_the_owners() {
    let server = server_with("brief", |config| {
        config.names.added = vec!["aura.example".to_owned()];
    })
    .await;
    *server.double.home.lock().unwrap() = Some(home());
    let allow = json!({
        "shown": "5".repeat(64),
        "allow": [source(SourceKind::Calendar, "/home/kavin/.calendars")],
    });
    // A program of the owner's, a browser that is only paired, and the right one from elsewhere.
    let refused = (403, "WEB-027".to_owned());
    let by_program = server.post("/form/settings", &allow.to_string()).await;
    assert_eq!(code(&by_program), refused);
    let (own, paired) = (server.host(), server.cookie());
    assert_eq!(
        code(&send(&server, &own, &paired, "/form/settings", &allow).await),
        refused
    );
    let proven = proven_cookie(&server).await;
    for elsewhere in [
        "host: aura.example\n",
        "host: aura.example\norigin: https://aura.example\n",
    ] {
        let answer = send(&server, elsewhere, &proven, "/form/settings", &allow).await;
        assert_eq!(code(&answer), refused, "{elsewhere}");
    }
    assert_eq!(
        server.double.home.lock().unwrap().as_ref().unwrap().sources.len(),
        1
    );

    let page = |cookie: &str| format!("{own}{cookie}");
    let of_paired = server.raw("GET /settings", &page(&paired), "").await.body;
    assert!(
        !of_paired.contains("data-allows") && of_paired.contains("within half an hour"),
        "{of_paired}"
    );
    let of_proven = server.raw("GET /settings", &page(&proven), "").await.body;
    assert!(
        of_proven.contains(r#"data-allow="calendar" data-path="/home/kavin/.calendars""#),
        "{of_proven}"
    );

    let answer = send(&server, &own, &proven, "/form/settings", &allow).await;
    let taken: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(
        (answer.status, taken),
        (200, json!({ "restarts": true, "shown": "5".repeat(64) }))
    );
    assert_eq!(
        server.double.home.lock().unwrap().as_ref().unwrap().sources.len(),
        2
    );
}

#[tokio::test]
async fn what_is_saved_under_an_open_question_says_that_it_waits() {
    let server = owners(None).await;
    let cookie = server.cookie();
    let shown = server.double.home.lock().unwrap().as_ref().unwrap().shown.clone();
    let change = json!({ "shown": shown, "ceiling": 2 });
    for (card, waits) in [(None, false), (Some(mute_card(false)), true)] {
        {
            let mut view = server.double.view.lock().unwrap();
            (view.at, view.card) = (ts("2026-11-03T17:01:49Z"), card);
        }
        let answer = send(&server, &server.host(), &cookie, "/form/settings", &change).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(answer.body.contains(r#""waits":true"#), waits, "{}", answer.body);
    }
    // Its time is over.
    server.double.view.lock().unwrap().at = ts("2026-11-03T17:02:48Z");
    let answer = send(&server, &server.host(), &cookie, "/form/settings", &change).await;
    assert!(
        answer.status == 200 && !answer.body.contains("waits"),
        "{}",
        answer.body
    );
}

#[tokio::test]
async fn what_a_source_holds_is_shown_to_the_browser_that_may_allow_it() {
    let server = owners(None).await;
    let (own, paired, proven) = (server.host(), server.cookie(), proven_cookie(&server).await);
    let look = async |cookie: &str, path: &str| {
        let body = json!({ "list": "mail", "path": path });
        send(&server, &own, cookie, "/form/sources/look", &body).await
    };
    let folder = async |cookie: &str, below: &str| {
        send(
            &server,
            &own,
            cookie,
            "/form/sources/folder",
            &json!({ "below": below }),
        )
        .await
    };
    let refused = (403, "WEB-027".to_owned());
    // What is read already may be looked at by any browser of hers; anything else, and names of folders, by the proven one alone.
    let known = look(&paired, "/home/kavin/Maildir").await;
    assert_eq!(
        (known.status, known.body.as_str()),
        (200, r#"<p class="note holds">500 mails.</p>"#)
    );
    assert_eq!(code(&look(&paired, "/home/kavin/other").await), refused);
    assert_eq!(code(&folder(&paired, "").await), refused);
    assert_eq!(code(&look(&proven, "a\nb").await), (400, "WEB-007".to_owned()));
    // What is left out is said with its reason.
    let changed = look(&proven, "/home/kavin/changed.csv").await.body;
    assert!(
        changed.contains("One thing in it is left out.")
            && changed.contains("<p class=\"note\">This row has other columns than the file began with."),
        "{changed}"
    );
    let mixed = look(&proven, "/home/kavin/mixed.csv").await.body;
    for part in [
        "<summary>Why</summary>",
        "so I leave it out. <span class=\"note\"><bdi>mixed.csv</bdi>, line 7</span>",
        "This row has no date or no currency that I can read. <span class=\"note\"><bdi>mixed.csv</bdi>, line 9</span>",
    ] {
        assert!(mixed.contains(part), "{part}: {mixed}");
    }
    let asked = look(&proven, "/home/kavin/may.csv").await.body;
    for part in [
        "The file does not say everything. Until you answer, none of it is read.",
        // Which day it was is a question: both are there.
        r#"<td><span class="day">3 Apr 2026</span> or <span class="day">4 Mar 2026</span></td>"#,
        "<td><bdi>Corner &lt;shop&gt;</bdi></td><td>out</td><td class=\"amount\">12.50</td>",
        "Is 12.50 to “Corner &lt;shop&gt;” money out?",
        "data-csv=\"/home/kavin/may.csv\"",
        "data-ask=\"currency\"",
    ] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    assert!(
        look(&proven, "/home/kavin/gone")
            .await
            .body
            .contains("could not look into this")
    );
    assert!(
        look(&proven, "/home/kavin/sheet")
            .await
            .body
            .contains("Save it as CSV")
    );
    let names = folder(&proven, "").await.body;
    assert!(names.contains(r#"data-folder="Bank""#), "{names}");
    assert!(
        names.contains(r#"data-allow="finance" data-path="/home/kavin/a.ofx""#),
        "{names}"
    );
    assert!(folder(&proven, "gone").await.body.contains("not there"));
    assert!(folder(&proven, "fast").await.body.contains("a lot of folders"));
    let login = async |cookie: &str| {
        send(
            &server,
            &own,
            cookie,
            "/form/desktop",
            &json!({ "at_login": true }),
        )
        .await
    };
    assert_eq!(code(&login(&paired).await), refused);
    assert_eq!(login(&proven).await.status, 204);
    let page = server
        .raw("GET /settings", &format!("{own}{proven}"), "")
        .await
        .body;
    assert!(
        page.contains(r#"data-desktop="at_login" data-on="false""#),
        "{page}"
    );
    assert!(
        page.contains(r#"data-desktop="in_menu" data-on="false""#),
        "{page}"
    );
    let again = async |cookie: &str| send(&server, &own, cookie, "/form/sources/again", &json!({})).await;
    assert_eq!(code(&again(&paired).await), refused);
    assert_eq!(again(&proven).await.status, 204);
    // One alone, as its row offers it.
    assert!(page.contains(r#"data-again="mail""#), "{page}");
    let one = async |list: &str| {
        send(
            &server,
            &own,
            &proven,
            "/form/sources/again",
            &json!({ "list": list }),
        )
        .await
    };
    assert_eq!(
        (one("mail").await.status, one("everything").await.status),
        (204, 400)
    );
    let asked: Vec<String> = server.double.log.borrow().clone();
    let asked: Vec<&String> = asked.iter().filter(|line| line.starts_with("again")).collect();
    assert_eq!(asked, ["again None", "again Some(Mail)"]);
    // An answer about a statement is a way to have something read.
    let answer =
        json!({ "shown": "5".repeat(64), "csv": [{ "path": "/home/kavin/may.csv", "money_out": true }] });
    assert_eq!(
        code(&send(&server, &own, &paired, "/form/settings", &answer).await),
        refused
    );
    assert_eq!(
        send(&server, &own, &proven, "/form/settings", &answer)
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn columns_of_a_statement_are_chosen_where_its_rows_are_shown() {
    let server = owners(None).await;
    let (own, proven) = (server.host(), proven_cookie(&server).await);
    let look = async |columns: Option<Value>| {
        let mut body = json!({ "list": "finance", "path": "/home/kavin/may.csv" });
        if let Some(columns) = columns {
            body["columns"] = columns;
        }
        send(&server, &own, &proven, "/form/sources/look", &body).await
    };
    let guessed = look(None).await.body;
    for part in [
        "<details class=\"columns\">",
        "<select data-column=\"payee\"><option value=\"\">no column</option>",
        "<option value=\"Memo\" selected>Memo</option>",
        // A column without a name is called by its place.
        "<option value=\"#3\">Column 3</option>",
        "data-show-columns",
    ] {
        assert!(guessed.contains(part), "{part}: {guessed}");
    }
    // What she chose is shown with its rows, and is kept by the same button as any answer.
    let chosen = look(Some(json!({ "date": "Date", "amount": "Amount", "payee": "#3" })))
        .await
        .body;
    for part in [
        "<details class=\"columns\" open>",
        "<option value=\"#3\" selected>Column 3</option>",
        "data-csv=\"/home/kavin/may.csv\" data-chosen",
        "data-answer-csv",
    ] {
        assert!(chosen.contains(part), "{part}: {chosen}");
    }
    assert!(
        !chosen.contains("data-read") && !chosen.contains("read already"),
        "{chosen}"
    );
    // Of a file in a folder that is read the same, with what becomes of what was read of it: nothing, while it waits for an answer.
    let allow =
        json!({ "shown": "5".repeat(64), "allow": [{ "list": "finance", "path": "/home/kavin/Bank" }] });
    let allowed = send(&server, &own, &proven, "/form/settings", &allow).await;
    assert_eq!(allowed.status, 200, "{}", allowed.body);
    let columns = json!({ "date": "Date", "amount": "Amount", "payee": "#3" });
    for (path, is_read, counts) in [
        ("/home/kavin/Bank/may.2025.csv", true, true),
        ("/home/kavin/Bank/may.csv", true, false),
        ("/home/kavin/Bankrupt/may.csv", false, false),
    ] {
        let body = json!({ "list": "finance", "path": path, "columns": columns });
        let shown = send(&server, &own, &proven, "/form/sources/look", &body)
            .await
            .body;
        assert!(shown.contains("data-show-columns"), "{shown}");
        assert_eq!(
            shown.contains("data-chosen data-read"),
            is_read,
            "{path}: {shown}"
        );
        let again = "I read it once more by these columns, and each payment counts once.";
        assert_eq!(shown.contains(again), counts, "{path}: {shown}");
        // What is asked and not yet answered was not read.
        let body = json!({ "list": "finance", "path": path });
        let asked = send(&server, &own, &proven, "/form/sources/look", &body)
            .await
            .body;
        assert!(
            asked.contains("Until you answer, none of it is read.") && !asked.contains("read already"),
            "{path}: {asked}"
        );
    }
    // What cannot be read so says it, and stays as she chose it, to be put right.
    let wrong = look(Some(json!({ "date": "Memo", "amount": "Amount" })))
        .await
        .body;
    assert!(
        wrong.contains("With these columns I can read no payment."),
        "{wrong}"
    );
    assert!(
        wrong.contains("<option value=\"Memo\" selected>Memo</option>"),
        "{wrong}"
    );
    for refused in [
        json!({ "date": "Date", "colour": "red" }),
        json!({ "date": "a\nb" }),
    ] {
        assert_eq!(code(&look(Some(refused)).await), (400, "WEB-007".to_owned()));
    }
}

#[tokio::test]
async fn change_is_answered_with_what_came_of_it() {
    let server = owners(None).await;
    let shown = "5".repeat(64);
    for (path, body, status, wanted) in [
        (
            "",
            json!({ "shown": shown, "ceiling": 4 }),
            200,
            r#""restarts":false"#,
        ),
        // What the file says now comes along.
        (
            "",
            json!({ "shown": "6".repeat(64), "ceiling": 5 }),
            409,
            r#""ceiling":4"#,
        ),
        (
            "",
            json!({ "shown": shown, "ceiling": 6 }),
            422,
            "Nothing was changed: ceiling is 6",
        ),
        ("", json!({ "shown": shown, "ceiling": 256 }), 400, "WEB-007"),
        ("", json!({ "shown": shown, "colour": "red" }), 400, "WEB-007"),
        ("", json!({ "shown": shown, "names": ["a\nb"] }), 400, "WEB-007"),
        (
            "",
            json!({ "shown": shown, "names": vec!["a"; 65] }),
            400,
            "WEB-007",
        ),
        ("/undo", json!({ "shown": shown }), 404, "WEB-008"),
    ] {
        let answer = server
            .post(&format!("/form/settings{path}"), &body.to_string())
            .await;
        assert_eq!(answer.status, status, "{body}: {}", answer.body);
        assert!(answer.body.contains(wanted), "{body}: {}", answer.body);
    }
    // Where pages do not change the file there is nothing to change.
    *server.double.home.lock().unwrap() = None;
    let answer = server
        .post("/form/settings", &json!({ "shown": shown }).to_string())
        .await;
    assert_eq!(answer.status, 404);
}

#[tokio::test]
async fn a_statement_that_waits_for_an_answer_is_said_where_money_is_counted_and_asked_in_its_row() {
    let server = owners(None).await;
    let (own, proven) = (server.host(), proven_cookie(&server).await);
    let says = "may.csv is not counted yet: answer what I ask about it.";
    let page = async |path: &str, cookie: &str| {
        let (line, headers) = (format!("GET {path}"), format!("{own}{cookie}"));
        server.raw(&line, &headers, "").await.body
    };
    for path in ["/settings", "/money", "/money/ahead"] {
        assert!(
            !page(path, &proven).await.contains("is not counted yet"),
            "{path}"
        );
    }
    {
        let mut home = server.double.home.lock().unwrap();
        let sources = &mut home.as_mut().unwrap().sources;
        sources.push(SourceView {
            source: source(SourceKind::Finance, "/home/kavin/Bank"),
            place: "~/Bank".to_owned(),
            state: SourceState::There,
        });
    }
    for path in ["/money", "/money/ahead"] {
        let shown = page(path, &proven).await;
        let link = format!("<a href=\"/settings#asked\">{says}</a>");
        assert!(shown.contains(&link), "{path}: {shown}");
    }
    let row = |page: &str| {
        let (_, row) = page.split_once("data-path=\"/home/kavin/Bank\"").unwrap();
        row.split_once("</li>").unwrap().0.to_owned()
    };
    let own_row = row(&page("/settings", &proven).await);
    for part in [
        "is read",
        &format!("id=\"asked\">{says}</p>"),
        "<div data-look=\"finance\" data-path=\"/home/kavin/Bank/may.csv\">",
        // What it holds comes later; that it was read stands there without it.
        "<div data-look=\"finance\" data-path=\"/home/kavin/Bank\"></div>",
    ] {
        assert!(own_row.contains(part), "{part}: {own_row}");
    }
    // Where nothing may be allowed the file is not asked about, for nobody could answer.
    let other = row(&page("/settings", &server.cookie()).await);
    assert!(other.contains(says) && !other.contains("may.csv\">"), "{other}");
}
