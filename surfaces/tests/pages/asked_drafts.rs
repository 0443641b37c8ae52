//! A draft that the owner asks for beside whoever waits, to whom it goes, and for whom the owner waits.
//!
//! What: the button, its request, the link to a mail program, and the sentence about whom the owner waits for. Why: these are claims of `docs/surfaces.md`. Not
//! here: who is listed in which order (`answers`).

use crate::{
    client::server,
    drafts_double::{TEXT, draft},
};
use surfaces_base::backend::drafts::ReplyDraft;
use toolcall_schema::ids::ItemId;

/// The message of the double that has no draft.
const LAB: &str = "it_0000000000000002";

#[tokio::test]
async fn a_draft_by_mail_leads_to_the_address_that_comms_names() {
    let server = server("acts").await;
    *server.double.drafts.lock().unwrap() = vec![ReplyDraft {
        item: ItemId::parse(LAB).unwrap(),
        ..draft(TEXT)
    }];
    for path in ["/chats", "/chats/waiting"] {
        let page = server.get(path).await.body;
        assert!(
            page.contains("\"mailto:asha.rao@example.net?subject="),
            "{path}: {page}"
        );
    }
}

#[tokio::test]
async fn who_waits_without_a_draft_can_be_drafted_an_answer() {
    let server = server("acts").await;
    for path in ["/chats", "/chats/waiting"] {
        let page = server.get(path).await.body;
        // One of the two who wait has a draft.
        assert_eq!(page.matches("data-write-reply=").count(), 1, "{path}: {page}");
        assert!(
            page.contains(&format!("data-write-reply=\"{LAB}\"")),
            "{path}: {page}"
        );
    }
    let path = format!("/v1/messages/{LAB}/draft-reply");
    assert_eq!(server.post(&path, "").await.status, 200);
    assert_eq!(server.post("/v1/messages/it_2/draft-reply", "").await.status, 404);
    assert!(
        server.get("/").await.body.matches("data-write-reply=").count() == 0,
        "a card names who waits without their drafts"
    );
}

#[tokio::test]
async fn it_is_said_after_how_long_somebody_is_waited_for() {
    let server = server("acts").await;
    let page = server.get("/chats").await.body;
    let (_, block) = page.split_once("id=\"waiting\"").unwrap();
    let block = block.split_once("</section>").unwrap().0;
    let says = if block.contains("<li>") {
        "Whom you asked something by mail at least 3 days ago, and who has not answered. After 30 days I no longer list it."
    } else {
        "Nobody now. Whom you ask something by mail stands here once 3 days have passed without an answer, until 30 have."
    };
    assert!(block.contains(says), "{block}");
    assert!(!block.split_once('>').unwrap().0.contains("hidden"), "{block}");
}

#[test]
fn whom_the_owner_waits_for_is_told_with_its_days_also_when_that_is_nobody() {
    use surfaces_base::words::you_wait_for_says;
    for is_empty in [false, true] {
        let says = you_wait_for_says(is_empty);
        assert!(says.contains('3') && says.contains("30"), "{says}");
    }
}
