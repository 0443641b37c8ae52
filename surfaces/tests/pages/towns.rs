//! Where the owner lives, by the name of a town.

use crate::settings::owners;
use serde_json::json;

#[tokio::test]
async fn home_is_found_by_the_name_of_a_town_and_saved_with_the_form_around_it() {
    let server = owners(Some(4)).await;
    for path in ["/settings", "/welcome/4"] {
        let page = server.get(path).await.body;
        for says in [
            r#"id="home-town" form="town-find" name="name""#,
            "Now: near Bengaluru, IN.",
            r#"<form id="town-find" data-post="/form/towns/find" data-into="towns-found"></form>"#,
        ] {
            assert_eq!(page.matches(says).count(), 1, "{path} {says}: {page}");
        }
    }
    for (name, says) in [
        (
            "Chennai",
            r#"<select name="home" data-as="more" data-was="12.97, 77.59"><option value="13.09, 80.28">Chennai, IN</option></select>"#,
        ),
        ("Nowhere", "I know no town of that name."),
    ] {
        let answer = server
            .post("/form/towns/find", &json!({ "name": name }).to_string())
            .await;
        assert!(
            answer.status == 200 && answer.body.contains(says),
            "{name}: {}",
            answer.body
        );
    }
    for bad in [
        json!({"name": "x".repeat(101)}),
        json!({}),
        json!({"town": "Chennai"}),
    ] {
        let answer = server.post("/form/towns/find", &bad.to_string()).await;
        assert_eq!(answer.status, 400, "{bad}");
    }
    // Where pages do not change the file, there is nothing to find it for.
    *server.double.home.lock().unwrap() = None;
    let answer = server.post("/form/towns/find", r#"{"name":"Chennai"}"#).await;
    assert_eq!(answer.status, 404);
}
