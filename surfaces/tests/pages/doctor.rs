//! The page on which Aura says whether all is well.
//!
//! What: what is wrong comes first, each with its remedy as a link, and no command is named. Not here: the checks (`aura doctor`).

use crate::{
    client::{proven_cookie, send, server},
    settings_double::home,
};
use serde_json::json;
use surfaces_base::words;

#[tokio::test]
async fn what_is_wrong_comes_first_as_a_sentence_with_its_remedy() {
    let server = server("brief").await;
    // It starts a program: another device is told where.
    let page = server.get("/doctor").await.body;
    assert!(page.contains("I can look only in the browser"), "{page}");
    let (own, paired) = (server.host(), server.cookie());
    let refused = send(&server, &own, &paired, "/form/doctor", &json!({})).await;
    assert_eq!(refused.status, 403);
    let proven = proven_cookie(&server).await;
    let headers = format!("{own}{proven}");
    let page = server.raw("GET /doctor", &headers, "").await.body;
    assert!(
        page.contains(r#"data-post="/form/doctor" data-into="checks""#),
        "{page}"
    );
    let looked = send(&server, &server.host(), &proven, "/form/doctor", &json!({})).await;
    let at = |text: &str| {
        looked
            .body
            .find(text)
            .unwrap_or_else(|| panic!("{text}: {}", looked.body))
    };
    assert!(at("The disk is nearly full.") < at("A source cannot be read."));
    for says in [
        r#"<a href="/settings#sources">See your sources</a>"#,
        r#"<a href="/memory#forget">Forget something</a>"#,
        "2 checks are fine",
        "7 MiB free",
    ] {
        at(says);
    }
    // Two sources of which the same is wrong are one sentence, with both below it.
    assert_eq!(looked.body.matches("A source cannot be read.").count(), 1);
    assert!(at("Maildir cannot be read: gone") < at("bank.csv cannot be read: gone"));
    // Where Aura has no file of the owner's there is nothing to look after, and no link.
    let has_link = async || server.get("/settings").await.body.contains(r#"href="/doctor""#);
    assert!(!has_link().await);
    *server.double.home.lock().unwrap() = Some(home());
    assert!(has_link().await);
}

#[test]
fn each_check_of_the_command_has_a_sentence_without_a_command() {
    // As `aura doctor` names them.
    for name in [
        "data folder",
        "key",
        "modes",
        "lock",
        "service",
        "clock",
        "space",
        "raw traces",
        "repaired",
        "store",
        "newest trace",
        "runs",
        "refused calls",
        "refused results",
        "refused traces",
        "refused messages",
        "quarantine",
        "configuration",
        "source",
        "sources",
        "speech",
        "ntfy",
        "web push",
        "model",
        "policy",
        "catalogue",
        "sandbox",
        "account sandbox",
        "programs",
    ] {
        let says = words::doctor_says(name);
        assert!(says != words::doctor_says("?"), "{name}");
        assert!(
            says.ends_with('.') && !says.contains('`') && !says.contains("aura "),
            "{says}"
        );
    }
}
