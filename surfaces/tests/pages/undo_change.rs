//! The button that takes the last change of the settings back.
//!
//! What: it stands below each form, and what it takes back beside it. Why: nobody takes back what is not named. Not here: taking it back (`settings`), the list of
//! what was done (`acts`).

use crate::{
    client::{proven_cookie, send},
    settings::owners,
};
use serde_json::json;

#[tokio::test]
async fn button_that_undoes_the_last_change_says_what_that_was() {
    let server = owners(None).await;
    let (own, proven) = (server.host(), proven_cookie(&server).await);
    let before = server.get("/settings").await.body;
    assert!(
        !before.contains("Undo the last change") && !before.contains("The last change"),
        "{before}"
    );
    let change = json!({ "shown": "5".repeat(64), "ceiling": 4 });
    assert_eq!(
        send(&server, &own, &proven, "/form/settings", &change)
            .await
            .status,
        200
    );
    let after = server.get("/settings").await.body;
    // Below each form of settings: how often I speak, who you are, and all others.
    for says in [
        ">Undo the last change</button>",
        r#"<p class="note">The last change: You set the interruptions a day to 4.</p>"#,
    ] {
        assert_eq!(after.matches(says).count(), 3, "{says}: {after}");
    }
}
