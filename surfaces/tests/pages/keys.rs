//! The key on the page.
//!
//! What: who may move it and make a sheet, and what is said. Not here: sealing (`orchestrator`), the page in a browser (`tests/browser`).

use crate::{
    client::{proven_cookie, send, server, server_with},
    settings_double::home,
};
use serde_json::json;

#[tokio::test]
async fn the_key_is_moved_and_a_sheet_is_shown_in_the_owners_own_browser_alone() {
    let server = server("brief").await;
    *server.double.home.lock().unwrap() = Some(home());
    let (own, paired, proven) = (server.host(), server.cookie(), proven_cookie(&server).await);
    let page = server
        .raw("GET /settings", &format!("{own}{proven}"), "")
        .await
        .body;
    for says in [
        "It lies in the file /home/kavin/.config/aura/key.",
        "There is no recovery sheet.",
        r#"data-post="/form/key/sheet""#,
        r#"<input type="hidden" name="place" value="keyring">"#,
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    let words = |place: &str, passphrase: &str, repeated: &str| json!({ "place": place, "passphrase": passphrase, "repeated": repeated });
    for (path, body) in [
        (
            "/form/key",
            words("passphrase", "a long passphrase", "a long passphrase"),
        ),
        ("/form/key/sheet", json!({})),
    ] {
        assert_eq!(
            send(&server, &own, &paired, path, &body).await.status,
            403,
            "{path}"
        );
    }
    assert_eq!(server.log(), Vec::<String>::new());
    for (body, says) in [
        (
            words("passphrase", "short", "short"),
            "Too short: at least twelve characters.",
        ),
        (
            words("passphrase", "a long passphrase", "another passphrase"),
            "are not the same.",
        ),
        (
            words("passphrase", "passwordpassword", "passwordpassword"),
            "Easy to guess.",
        ),
        (
            words("passphrase", "a long passphrase", "a long passphrase"),
            "I seal everything anew.",
        ),
        (
            json!({ "place": "keyring" }),
            "That is not your passphrase as it is now. Forgotten? As long as I run, make a recovery sheet",
        ),
        (
            json!({ "place": "file", "file": "/there" }),
            "it has &lt;2&gt; bytes",
        ),
        (json!({ "place": "file", "file": "~/stick/key" }), "data-again-ms"),
    ] {
        let said = send(&server, &own, &proven, "/form/key", &body).await.body;
        assert!(said.contains(says), "{says}: {said}");
    }
    for (passphrase, says) in [
        ("", ""),
        ("k7#qd0!", "Too short: at least twelve characters."),
        ("123456789012", "Easy to guess."),
        ("green garden oven", "Good enough."),
        ("correct horse battery staple", "Strong."),
    ] {
        let typed = json!({ "passphrase": passphrase });
        let paired = send(&server, &own, &paired, "/form/key/strength", &typed).await;
        assert_eq!(paired.status, 403);
        let said = send(&server, &own, &proven, "/form/key/strength", &typed).await;
        assert!(
            said.status == 200 && said.body.starts_with(says),
            "{passphrase}: {}",
            said.body
        );
    }
    let sheet = send(&server, &own, &proven, "/form/key/sheet", &json!({}))
        .await
        .body;
    assert!(
        sheet.contains("ABCDE-FGH12") && sheet.contains("data-print"),
        "{sheet}"
    );
    let log = server.log().join("\n");
    assert!(!log.contains("a long passphrase"), "{log}");
    assert_eq!(server.log().len(), 5, "{log}");
}

#[tokio::test]
async fn the_passphrase_shows_on_this_computer_that_it_is_the_owner() {
    let server = server_with("brief", |config| {
        config.names.added = vec!["aura.example".to_owned()];
    })
    .await;
    *server.double.home.lock().unwrap() = Some(home());
    let (own, paired) = (server.host(), server.cookie());
    let prove = async |host: &str, words: &str| {
        let typed = json!({ "passphrase": words });
        send(&server, host, &paired, "/form/key/proof", &typed).await
    };
    let sheet = async || {
        send(&server, &own, &paired, "/form/key/sheet", &json!({}))
            .await
            .status
    };
    // From elsewhere nothing is even tried.
    for elsewhere in [
        "host: aura.example\n",
        "host: aura.example\norigin: https://aura.example\n",
    ] {
        assert_eq!(
            prove(elsewhere, "green garden oven").await.status,
            403,
            "{elsewhere}"
        );
    }
    assert_eq!(server.log(), Vec::<String>::new());
    let wrong = prove(&own, "green garden").await;
    assert!(
        wrong.body.contains("That is not your passphrase"),
        "{}",
        wrong.body
    );
    assert_eq!(sheet().await, 403);
    let right = prove(&own, "green garden oven").await;
    assert!(right.body.contains("Good for half an hour."), "{}", right.body);
    assert_eq!(sheet().await, 200);
    // Five tries a minute, whoever tries.
    let mut status = 200;
    for _ in 0..5 {
        status = prove(&own, "red garden oven").await.status;
    }
    assert_eq!(status, 429);
}
