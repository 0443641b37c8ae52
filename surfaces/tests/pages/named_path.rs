//! A source that is named by its path.
//!
//! What: it is shown with the box that allows it, or why not. Why: what is allowed was seen before. Not here: what a path is (`orchestrator`), what it
//! holds (`settings`).

use crate::{
    client::{proven_cookie, send},
    settings::{code, owners},
};
use serde_json::json;

#[tokio::test]
async fn path_is_shown_to_the_browser_that_may_allow_it_or_why_it_is_none() {
    let server = owners(None).await;
    let (own, paired, proven) = (server.host(), server.cookie(), proven_cookie(&server).await);
    let name = async |cookie: &str, list: &str, path: &str| {
        let body = json!({ "list": list, "path": path });
        send(&server, &own, cookie, "/form/sources/path", &body).await
    };
    let refused = name(&paired, "", "/home/kavin/Maildir").await;
    assert_eq!(code(&refused), (403, "WEB-027".to_owned()));
    for (list, path) in [("", "a\nb"), ("everything", "/home/kavin/Maildir")] {
        let refused = name(&proven, list, path).await;
        assert_eq!(code(&refused), (400, "WEB-007".to_owned()), "{list} {path}");
    }
    for (list, path, says) in [
        ("", "/nowhere", "Nothing is there, or I may not look at it."),
        ("", "/notes.csv", "I cannot tell what it holds."),
        (
            "finance",
            "/notes.csv",
            r#"data-allow="finance" data-path="/notes.csv""#,
        ),
        (
            "",
            "/home/kavin/Maildir",
            r#"data-allow="mail" data-path="/home/kavin/Maildir""#,
        ),
        (
            "",
            "/home/kavin/Maildir",
            r#"data-look="mail" data-path="/home/kavin/Maildir""#,
        ),
    ] {
        let shown = name(&proven, list, path).await;
        assert!(
            shown.status == 200 && shown.body.contains(says),
            "{says}: {}",
            shown.body
        );
    }
}
