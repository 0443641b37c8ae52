//! *Answer these*: who is listed in which order with which draft, and what can be done about it.

use crate::{
    acts_double::call,
    client::server,
    drafts_double::{TEXT, draft},
    morning::{TOKEN, ts},
};
use serde_json::{Value, json};
use surfaces::render::{
    acts::{ActContext, DoneAct, acts},
    section::{
        answers::{AnswerRow, MailLink, MailTo, rows, waited_for},
        waiting,
    },
};
use surfaces_base::backend::{DisplayNames, UntracedActs, drafts::ReplyDraft, people::SenderWays};
use toolcall_schema::{
    catalogue::{comms::TriageResult, learning::LearnedList},
    ids::{ItemId, sha256_hex},
};

const NOW: &str = "2026-11-03T12:00:00Z";
const MAIL: &str = "it_00000000000000b2";

fn id(n: usize) -> String {
    format!("it_{n:016x}")
}

/// Who waits: the number of each message, the minute of its hour, and its channel.
fn triage(items: &[(usize, u32, &str)]) -> TriageResult {
    let urgent: Vec<Value> = items
        .iter()
        .map(|(n, minute, channel)| {
            json!({"item_id": id(*n), "urgency": 0.8, "reason": "actionable", "channel_hash": channel,
                "at": format!("2026-11-03T10:{minute:02}:00.000Z"), "class": "needs_you"})
        })
        .collect();
    let count = urgent.len();
    serde_json::from_value(json!({
        "scope": "unread_24h", "urgent": urgent, "urgent_count": count, "muted_count": 0, "total": count
    }))
    .unwrap()
}

fn reply(n: usize) -> ReplyDraft {
    ReplyDraft {
        item: ItemId::parse(&id(n)).unwrap(),
        ..draft(TEXT)
    }
}

fn names(pairs: &[(&str, &str)]) -> DisplayNames {
    let pairs = pairs
        .iter()
        .map(|(id, name)| ((*id).to_owned(), (*name).to_owned()));
    pairs.collect()
}

fn listed(
    waiting: Option<&TriageResult>,
    drafts: &[ReplyDraft],
    acts: &[DoneAct],
    names: &DisplayNames,
) -> Vec<AnswerRow> {
    let now = (ts(NOW), chrono_tz::UTC);
    rows((waiting, drafts), acts, now, names, &SenderWays::new())
}

/// Acts of messages: when, which tool, and its result.
fn done(list: &[(&str, &str, Value)]) -> Vec<DoneAct> {
    let traces = list.iter().enumerate().map(|(n, (at, tool, result))| {
        let mut trace = call(&format!("tr_{n:012}"), at, tool, result);
        if result["until"] == "2026-11-04T09:30:00Z" {
            trace.tool_calls[0].args = json!({"ttl_seconds": 86400}).into();
        }
        trace
    });
    acts(&traces.collect::<Vec<_>>(), &UntracedActs::default())
}

fn drafted(n: usize) -> Value {
    json!({"item_id": id(n), "tone": "casual", "chars": 40})
}

#[test]
fn whom_the_owner_promised_comes_first_then_who_has_waited_longest() {
    let chat = "ch_0000000000000001";
    let waiting = triage(&[(1, 30, chat), (2, 10, chat), (3, 20, chat)]);
    let acts = done(&[
        ("2026-11-03T11:00:00Z", "comms.draft_reply", drafted(1)),
        // Of the day before yesterday: Comms knows that message no more.
        ("2026-11-01T08:00:00Z", "comms.draft_reply", drafted(9)),
        // Its file is gone.
        ("2026-11-02T08:00:00Z", "comms.draft_reply", drafted(8)),
    ]);
    let rows = listed(
        Some(&waiting),
        &[reply(1), reply(9)],
        &acts,
        &DisplayNames::default(),
    );
    let order: Vec<(&str, bool, bool)> = rows
        .iter()
        .map(|row| (row.item.as_str(), row.waits, row.draft.is_some()))
        .collect();
    assert_eq!(
        order,
        [
            (&*id(9), false, true),
            (&*id(1), true, true),
            (&*id(2), true, false),
            (&*id(3), true, false),
        ]
    );
    let notes: Vec<(&str, &str)> = rows.iter().map(|row| (&*row.since, &*row.note)).collect();
    assert_eq!(
        notes,
        [
            ("", "Draft of Sun 1 Nov, 08:00. I sent nothing."),
            (
                "since 10:30",
                "Asks you something. Draft of 11:00. I sent nothing."
            ),
            ("since 10:10", "Asks you something."),
            ("since 10:20", "Asks you something."),
        ]
    );
}

#[test]
fn a_draft_is_no_promise_any_more_when_its_message_was_set_aside_or_it_is_a_week_old() {
    let taken = |what: &str| json!({"item_id": id(1), "what": what});
    let put = |until: &str| json!({"item_id": id(1), "until": until});
    let drafted_at = |at: &'static str| (at, "comms.draft_reply", drafted(1));
    let today = drafted_at("2026-11-03T08:00:00Z");
    for (case, acts, is_listed) in [
        ("drafted", vec![today.clone()], true),
        ("a week ago", vec![drafted_at("2026-10-27T11:00:00Z")], false),
        ("never drafted", vec![], false),
        (
            "put off until tomorrow",
            vec![
                today.clone(),
                (
                    "2026-11-03T09:00:00Z",
                    "comms.snooze",
                    put("2026-11-04T06:00:00Z"),
                ),
            ],
            false,
        ),
        (
            "put off until an hour ago",
            vec![
                today.clone(),
                (
                    "2026-11-03T09:00:00Z",
                    "comms.snooze",
                    put("2026-11-03T11:00:00Z"),
                ),
            ],
            true,
        ),
        (
            "done",
            vec![
                today.clone(),
                (
                    "2026-11-03T09:30:00Z",
                    "comms.snooze",
                    put("2026-11-04T09:30:00Z"),
                ),
            ],
            false,
        ),
        (
            "done, and that was undone",
            vec![
                today.clone(),
                (
                    "2026-11-03T09:30:00Z",
                    "comms.snooze",
                    put("2026-11-04T09:30:00Z"),
                ),
                ("2026-11-03T09:40:00Z", "comms.take_back", taken("put_off")),
            ],
            true,
        ),
        (
            "discarded and brought back, so that it lies there",
            vec![today, ("2026-11-03T09:00:00Z", "comms.take_back", taken("draft"))],
            true,
        ),
    ] {
        let rows = listed(None, &[reply(1)], &done(&acts), &DisplayNames::default());
        assert_eq!(!rows.is_empty(), is_listed, "{case}");
    }
}

#[test]
fn what_was_let_go_says_so_and_is_undone_for_a_day() {
    use surfaces::render::acts::UndoState;
    let put = json!({"item_id": id(1), "until": "2026-11-04T09:30:00Z"});
    let acts = done(&[("2026-11-03T09:30:00Z", "comms.snooze", put)]);
    let asha = names(&[(&id(1), "Asha")]);
    let says = acts[0].says(&asha, false, ts(NOW), chrono_tz::UTC);
    assert_eq!(says, "Asha no longer waits for your answer.");
    let undo = |at: &str| acts[0].undo(&acts, &ActContext::of_messages(ts(at), chrono_tz::UTC));
    assert_eq!(undo("2026-11-04T09:29:59Z"), UndoState::Offered);
    assert_eq!(undo("2026-11-04T09:30:00Z"), UndoState::Over);
}

#[test]
fn two_of_one_name_are_told_apart_and_strange_names_stay_as_they_are() {
    let chat = "ch_0000000000000001";
    let waiting = triage(&[
        (1, 10, chat),
        (2, 20, chat),
        (3, 30, chat),
        (4, 40, chat),
        (5, 50, chat),
    ]);
    let long = "x".repeat(300);
    let names = names(&[
        (&id(1), "Kim"),
        (&id(2), "Kim"),
        (&id(3), "\u{5d0}\u{5e1}\u{5ea}\u{5e8}"),
        (&id(4), "\u{1f355}\u{1f355}"),
        (&id(5), &long),
    ]);
    let rows = listed(Some(&waiting), &[], &[], &names);
    let told: Vec<&str> = rows.iter().map(|row| &*row.told_apart).collect();
    let hebrew = "\u{5d0}\u{5e1}\u{5ea}\u{5e8}";
    assert_eq!(
        told,
        [
            "Kim, since 10:10",
            "Kim, since 10:20",
            hebrew,
            "\u{1f355}\u{1f355}",
            &*long
        ]
    );
}

#[test]
fn a_draft_is_handed_to_a_mail_program_as_rfc_6068_says() {
    let to = |address: Option<&str>, subject: Option<&str>| MailTo {
        address: address.map(str::to_owned),
        subject: subject.map(str::to_owned),
    };
    for (to, text, link) in [
        (to(None, None), "Hi", "mailto:?body=Hi"),
        (
            to(
                Some("o'brien+a%b@example.net"),
                Some("Your message of Tuesday 3 November"),
            ),
            "Hi Zo\u{eb},\nyes & no?\r\n100% = done",
            "mailto:o%27brien%2Ba%25b@example.net?subject=Your%20message%20of%20Tuesday%203%20November\
             &body=Hi%20Zo%C3%AB%2C%0D%0Ayes%20%26%20no%3F%0D%0A100%25%20%3D%20done",
        ),
        (
            to(None, Some("a&b=c#d")),
            "\u{1f355}",
            "mailto:?subject=a%26b%3Dc%23d&body=%F0%9F%8D%95",
        ),
    ] {
        assert_eq!(MailLink::new(&to, text).whole.as_deref(), Some(link));
    }
    let long = MailLink::new(&to(None, Some("s")), &"x".repeat(3000));
    assert_eq!((long.whole, &*long.bare), (None, "mailto:?subject=s"));
}

#[test]
fn a_mail_goes_to_the_address_it_was_written_from_whatever_its_sender_is_called() {
    let (mail, chat) = ("ch_0000000000000001", "ch_0000000000000002");
    let asha = "asha@example.net";
    for (name, channel, written_from, address) in [
        ("Asha Rao", Some("mail:Inbox"), Some(asha), Some(Some(asha))),
        (asha, Some("mail:Inbox"), Some(asha), Some(Some(asha))),
        // Names that are the address of somebody else, or end a link.
        (
            "boss@example.org",
            Some("mail:Inbox"),
            Some(asha),
            Some(Some(asha)),
        ),
        (
            "Asha Rao <boss@example.org>",
            Some("mail:Inbox"),
            Some(asha),
            Some(Some(asha)),
        ),
        (
            "x@y.example?bcc=eve@example.org",
            Some("mail:Inbox"),
            Some(asha),
            Some(Some(asha)),
        ),
        (
            "\u{202e}\u{5d0}\r\nBcc: eve@example.org",
            Some("mail:Inbox"),
            Some(asha),
            Some(Some(asha)),
        ),
        (
            "\u{1f355}",
            Some("mail:Inbox"),
            Some("o'brien+a%b@example.net"),
            Some(Some("o'brien+a%b@example.net")),
        ),
        // Where no address is known, none is taken from the name.
        ("boss@example.org", Some("mail:Inbox"), None, Some(None)),
        // What is not one address.
        ("Asha", Some("mail:Inbox"), Some("a@b"), Some(None)),
        (
            "Asha",
            Some("mail:Inbox"),
            Some("asha@example.net?bcc=eve@example.org"),
            Some(None),
        ),
        (
            "Asha",
            Some("mail:Inbox"),
            Some("asha@example.net, eve@example.org"),
            Some(None),
        ),
        (
            "Asha",
            Some("mail:Inbox"),
            Some("asha@example.net\r\nBcc: eve@example.org"),
            Some(None),
        ),
        (
            "Asha",
            Some("mail:Inbox"),
            Some("\"a b\"@example.net"),
            Some(None),
        ),
        ("Asha Rao", Some("Five-a-side"), Some(asha), None),
        ("Asha Rao", None, None, Some(None)),
    ] {
        let hash = if channel == Some("Five-a-side") {
            chat
        } else {
            mail
        };
        let waiting = triage(&[(1, 10, hash)]);
        let item = id(1);
        let mut known = vec![(&*item, name)];
        known.extend(channel.map(|channel| (hash, channel)));
        let addresses = written_from.map(|from| (ItemId::parse(&item).unwrap(), from.to_owned()));
        let names = names(&known).with_addresses(addresses);
        let rows = listed(Some(&waiting), &[reply(1)], &[], &names);
        let link = rows[0].draft.as_ref().unwrap().mail.clone();
        let found = link.map(|to| {
            assert_eq!(to.subject.as_deref(), Some("Your message of Tuesday 3 November"));
            to.address
        });
        let expected = address.map(|address| address.map(str::to_owned));
        assert_eq!(found, expected, "{name} {channel:?} {written_from:?}");
    }
}

#[test]
fn what_no_reply_sees_to_is_offered_none() {
    let chat = "ch_0000000000000001";
    for (class, offered) in [
        ("needs_you", true),
        ("date", true),
        ("bill", false),
        ("code", false),
        ("news", false),
    ] {
        let mut waiting = serde_json::to_value(triage(&[(1, 10, chat)])).unwrap();
        waiting["urgent"][0]["class"] = json!(class);
        let waiting: TriageResult = serde_json::from_value(waiting).unwrap();
        let rows = listed(Some(&waiting), &[], &[], &DisplayNames::default());
        assert_eq!(rows[0].may_be_drafted, offered, "{class}");
    }
}

#[test]
fn the_owner_waits_for_whom_they_asked_first() {
    let row = |about: &str, class: &str, minutes: Option<u32>| {
        let mut row = json!({"about": about, "class": class, "why": "asks_question", "corrected": false,
            "received": 0, "answered": 0, "shift": 0});
        if let Some(minutes) = minutes {
            row["minutes"] = json!(minutes);
        }
        row
    };
    let list: LearnedList = serde_json::from_value(json!({"labels": 0, "counted": 0, "rows": [
        row("pe_0000000000000001", "waiting", Some(3 * 24 * 60)),
        row("pe_0000000000000002", "waiting", None),
        row("pe_0000000000000003", "news", Some(10)),
        row("pe_0000000000000004", "waiting", Some(5 * 24 * 60)),
    ]}))
    .unwrap();
    let rows = waited_for(Some(&list), ts(NOW), chrono_tz::UTC);
    let said: Vec<(&str, Option<&str>)> = rows
        .iter()
        .map(|(row, since)| (row.about.as_str(), since.as_deref()))
        .collect();
    assert_eq!(
        said,
        [
            ("pe_0000000000000004", Some("since Thu 29 Oct, 12:00")),
            ("pe_0000000000000001", Some("since Sat 31 Oct, 12:00")),
            ("pe_0000000000000002", None),
        ]
    );
}

#[tokio::test]
async fn a_draft_stands_beside_its_message_and_the_browser_keeps_none() {
    let server = server("acts").await;
    let page = server.get("/chats").await.body;
    let shown = sha256_hex(TEXT.as_bytes());
    for part in [
        format!(r#"<form class="draft" data-draft="{MAIL}" data-shown="{shown}">"#),
        format!(">\n{TEXT}</textarea>"),
        r#"aria-label="Copy: the lab's mail""#.to_owned(),
        format!(r#"data-done-with="{MAIL}" data-as="done" aria-label="Done: the lab's mail""#),
        format!(r#"data-done-with="{MAIL}" data-as="not-for-me" aria-label="Not for me: the lab's mail""#),
        r#"data-undo-act="tr_draft0000001" aria-label="Discard draft: the lab's mail""#.to_owned(),
        "Draft of 11:30. I sent nothing.".to_owned(),
    ] {
        assert!(page.contains(&part), "{part}: {page}");
    }
    // The garden committee is a chat: its draft is copied.
    assert!(!page.contains("mailto:"), "{page}");
    let headers = format!("{}authorization: Bearer {TOKEN}\nx-aura-keep: 1\n", server.host());
    let kept = server.raw("GET /chats", &headers, "").await.body;
    assert!(
        !kept.contains("got your message") && !kept.contains("data-draft"),
        "{kept}"
    );
    // As markup a draft does nothing.
    *server.double.drafts.lock().unwrap() = vec![draft("</textarea><script>x</script>")];
    let page = server.get("/chats").await.body;
    assert!(page.contains("&lt;/textarea&gt;&lt;script&gt;"), "{page}");
}

#[tokio::test]
async fn a_message_is_let_go_and_a_draft_edited_only_as_it_was_shown() {
    let server = server("acts").await;
    let shown = sha256_hex(TEXT.as_bytes());
    let edit = |text: &str, shown: &str| json!({"text": text, "shown": shown}).to_string();
    let long = "x".repeat(16 * 1024);
    for (path, body, status, said) in [
        (format!("{MAIL}/done"), String::new(), 200, "tr_000000000001"),
        (
            format!("{MAIL}/not-for-me"),
            String::new(),
            200,
            "tr_000000000001",
        ),
        ("family/done".to_owned(), String::new(), 404, "WEB-008"),
        ("family/not-for-me".to_owned(), String::new(), 404, "WEB-008"),
        (
            format!("{MAIL}/draft"),
            edit("Later\r\nthen", &shown),
            200,
            &*sha256_hex(b"Later\nthen"),
        ),
        (format!("{MAIL}/draft"), edit(&long, &shown), 200, "shown"),
        (
            format!("{MAIL}/draft"),
            edit(&format!("{long}x"), &shown),
            413,
            "DRAFT-001",
        ),
        (
            format!("{MAIL}/draft"),
            edit(&"x".repeat(1 << 20), &shown),
            413,
            "DRAFT-001",
        ),
        (
            format!("{MAIL}/draft"),
            edit(&"x".repeat(3 << 20), &shown),
            413,
            "DRAFT-001",
        ),
        (format!("{MAIL}/draft"), edit(" \n ", &shown), 422, "DRAFT-002"),
        (
            format!("{MAIL}/draft"),
            edit("Later", &"0".repeat(64)),
            409,
            "DRAFT-003",
        ),
        (
            format!("{}/draft", id(7)),
            edit("Later", &shown),
            404,
            "DRAFT-004",
        ),
        ("family/draft".to_owned(), edit("Later", &shown), 404, "WEB-008"),
        (format!("{MAIL}/draft"), edit("Later", "abc"), 400, "WEB-007"),
        (
            format!("{MAIL}/draft"),
            r#"{"text":"Later"}"#.to_owned(),
            400,
            "WEB-007",
        ),
    ] {
        let answer = server.post(&format!("/v1/messages/{path}"), &body).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
        assert!(answer.body.contains(said), "{path} {said}: {}", answer.body);
    }
    let asked = server.log().join("\n");
    for line in [
        "end MarkAnswered(",
        "end MarkNotForOwner(",
        &format!("edit {MAIL} 10 bytes"),
    ] {
        assert!(asked.contains(line), "{line}: {asked}");
    }
}

#[test]
fn pages_of_those_who_wait_have_each_of_them_once_and_the_drafted_first() {
    // 40 wait, the newest first as they come; the 38th has a draft, and one is done between two pages.
    let numbers: Vec<(usize, u32, &str)> = (0..40_u32)
        .rev()
        .map(|n| (n as usize, n, "ch_00000000000000c3"))
        .collect();
    let items = |page: &waiting::WaitingPage| -> Vec<String> {
        page.triage
            .urgent
            .iter()
            .map(|item| item.item_id.to_string())
            .collect()
    };
    let first = waiting::page_of(triage(&numbers), &[reply(37)], None);
    let wanted: Vec<String> = std::iter::once(37).chain(0..32).map(id).collect();
    assert_eq!(items(&first), wanted);
    let (last, behind) = first.next.unwrap();
    assert_eq!((last.item_id.to_string(), behind), (id(31), 7));
    let left: Vec<(usize, u32, &str)> = numbers.into_iter().filter(|(n, _, _)| *n != 31).collect();
    let second = waiting::page_of(triage(&left), &[reply(37)], Some(&last));
    let wanted: Vec<String> = (32..40).filter(|n| *n != 37).map(id).collect();
    assert_eq!((items(&second), second.next), (wanted, None));
    assert_eq!(second.triage.urgent_count, 39);
}

#[test]
fn who_waits_is_found_by_their_name_and_by_their_chat_but_by_no_folder() {
    let (lab, inbox) = ("ch_00000000000000c3", "ch_00000000000000c4");
    let all = triage(&[(1, 1, lab), (2, 2, inbox), (3, 3, inbox)]);
    let names = names(&[
        (&id(1), "Mira"),
        (&id(2), "Ada INBOX"),
        (&id(3), "Mirabel"),
        (lab, "The Lab"),
        (inbox, "mail:Inbox"),
    ]);
    for (wanted, found) in [
        ("MIRA ", vec![1, 3]),
        ("lab", vec![1]),
        ("inbox", vec![2]),
        ("zz", vec![]),
    ] {
        let some = waiting::named_like(all.clone(), &names, wanted);
        let items: Vec<String> = some.urgent.iter().map(|item| item.item_id.to_string()).collect();
        let found: Vec<String> = found.into_iter().map(id).collect();
        assert_eq!(some.urgent_count as usize, found.len(), "{wanted}");
        assert_eq!(items, found, "{wanted}");
    }
}

#[tokio::test]
async fn everybody_who_waits_stands_on_a_page_and_is_found_there() {
    let server = server("brief").await;
    let page = server.get("/chats/waiting").await;
    assert_eq!(page.status, 200);
    assert!(
        page.body.contains("the lab&#39;s mail") || page.body.contains("the lab's mail"),
        "{}",
        page.body
    );
    assert!(
        page.body.contains(&format!("data-done-with=\"{MAIL}\"")),
        "{}",
        page.body
    );
    for (body, found) in [
        (json!({"name": "LAB"}), "lab"),
        (json!({"name": "nobody of them"}), "Nobody of that name waits."),
        // Behind both.
        (
            json!({"at": "2026-11-03T01:00:00.000Z", "item": "it_0000000000000002"}),
            "Nobody who wrote in the last 14 days waits",
        ),
    ] {
        let answer = server.post("/form/waiting/find", &body.to_string()).await;
        assert!(
            answer.status == 200 && answer.body.contains(found),
            "{body}: {}",
            answer.body
        );
    }
    for bad in [
        json!({"name": "x".repeat(101)}),
        json!({"at": "yesterday", "item": MAIL}),
        json!({"item": MAIL}),
        json!({"whom": "people"}),
    ] {
        assert_eq!(
            server.post("/form/waiting/find", &bad.to_string()).await.status,
            400,
            "{bad}"
        );
    }
}

#[test]
fn who_has_no_name_is_called_by_their_chat_which_is_not_said_again() {
    let waiting = triage(&[
        (1, 10, "ch_0000000000000001"),
        (2, 20, "ch_0000000000000002"),
        (3, 30, "ch_0000000000000001"),
    ]);
    let names = names(&[("ch_0000000000000001", "School"), (&id(3), "Head")]);
    let rows = listed(Some(&waiting), &[], &[], &names);
    let said: Vec<(&str, &str)> = rows.iter().map(|row| (&*row.name, &*row.note)).collect();
    assert_eq!(
        said,
        [
            ("Somebody in School", "Asks you something."),
            ("Somebody", "Asks you something."),
            ("Head", "Asks you something. In School."),
        ]
    );
}

#[test]
fn the_only_one_without_a_row_is_led_to() {
    let chat = "ch_0000000000000001";
    let names = names(&[(chat, "School")]);
    let all = [
        (1, 10, chat),
        (2, 20, chat),
        (3, 30, chat),
        (4, 40, chat),
        (5, 50, chat),
    ];
    for (count, rest) in [
        (3, None),
        (4, Some(("One more message waits, in School", Some(id(4))))),
        (5, Some(("2 more messages wait", None))),
    ] {
        let found = waiting::rest(&triage(&all[..count]), 3, &names);
        let found = found.map(|rest| (rest.says, rest.only.map(|item| item.to_string())));
        assert_eq!(found, rest.map(|(says, only)| (says.to_owned(), only)), "{count}");
    }
}
