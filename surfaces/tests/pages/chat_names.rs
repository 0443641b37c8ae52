//! A chat without a name of its own is named by its owner.

use crate::client::server;

const CHAT: &str = "ch_00000000000000c3";
const MAIL: &str = "it_00000000000000b2";

#[tokio::test]
async fn a_chat_is_named_by_its_owner() {
    let server = server("acts").await;
    let form = r#"<form data-naming="ch_00000000000000c3">"#;
    let chat = |name: &str| [(CHAT.to_owned(), name.to_owned())].into_iter().collect();
    // Only where it has no name of its own: there is a form on its page.
    for (labels, is_offered) in [
        (surfaces_base::backend::DisplayNames::default(), true),
        (chat("Five-a-side"), false),
    ] {
        *server.double.labels.lock().unwrap() = labels;
        let page = server.get("/chats").await.body;
        assert_eq!(page.contains(form), is_offered, "{page}");
    }
    let long = format!(r#"{{"name":"{}"}}"#, "x".repeat(81));
    for (thing, body, status) in [
        (CHAT, r#"{"name":" Five-a-side "}"#, 204),
        (CHAT, r#"{"name":""}"#, 204),
        (CHAT, &long, 400),
        (CHAT, r#"{"name":"a\nb"}"#, 400),
        (CHAT, "{}", 400),
        (MAIL, r#"{"name":"x"}"#, 404),
        ("family", r#"{"name":"x"}"#, 404),
    ] {
        let answer = server.post(&format!("/v1/things/{thing}/name"), body).await;
        assert_eq!(answer.status, status, "{thing} {body}: {}", answer.body);
    }
    let asked = server.double.log.borrow().join("\n");
    assert!(
        asked.contains(r#"Some("Five-a-side")"#) && asked.contains("None"),
        "{asked}"
    );
}
