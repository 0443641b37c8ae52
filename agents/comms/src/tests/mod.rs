//! Comms' rules, one table per promise.

mod acting;
mod charsets;
mod contacts;
mod correspondents;
mod counting;
mod judged_mail;
mod judging;
mod learning;
mod let_through;
mod looking;
mod mails;
mod names;
mod namesakes;
mod older;
mod polite;
mod properties;
mod same_person;
mod settled_mail;
mod slices;

use super::*;
use crate::testing::{ingest, question, setup, signal, t, triggered};
use intent::judge;
use model::{BURST, MAX_ITEMS};
use proptest::prelude::*;
use serde_json::json;
use toolcall_schema::{
    ActionKind, DeclineReason, Tone,
    catalogue::comms::{
        BatchSummarize, DigestResult, DraftReply, DraftResult, MuteChannel, MuteResult, UrgentItem,
    },
    ids::ChannelHash,
    milli::Milli,
    tick::{ActiveRule, Candidate, ReadingKey, SignalReading, Subject, TickStatus, TriggerSource},
};

const NOON: &str = "2026-11-03T12:00:00Z";

fn comms() -> CommsAgent {
    CommsAgent::new(setup())
}

fn channel(name: &str) -> ChannelHash {
    setup().key.channel(name)
}

fn note(id: &str, at: Timestamp, group: &str, sender: &str, text: &str) -> Signal {
    let payload = json!({"app": "org.example.chat", "channel": group, "sender": sender, "text": text});
    signal(id, at, "notification", &payload)
}

/// `n` messages in one group, `gap_s` seconds apart, the first at `from`; the third wants something.
fn chat(from: Timestamp, n: usize, gap_s: i64, group: &str) -> Vec<Signal> {
    (0..n)
        .map(|i| {
            let at = from.plus_ms(i64::try_from(i).unwrap() * gap_s * 1000);
            let text = if i == 2 {
                "can you send the list?"
            } else {
                "so good"
            };
            note(&format!("{group}-{i}-{}", from.ms()), at, group, "Mira", text)
        })
        .collect()
}

#[test]
fn tells_a_burst_once_when_the_window_first_holds_thirty() {
    let from = t("2026-11-03T11:40:00Z");
    let mut agent = comms();
    // 45 messages, 10 s apart: the 30th is 290 s after the first.
    agent.accept(chat(from, 45, 10, "Reunion"));
    let facts = ingest(&mut agent, t(NOON)).facts;
    let burst = IngestFact::Burst {
        channel: channel("Reunion"),
        count: 30,
        at: t("2026-11-03T11:44:50Z"),
    };
    assert_eq!(facts, [burst]);
}

#[test]
fn a_slow_channel_never_bursts_and_a_second_storm_does_again() {
    let mut agent = comms();
    // One every 21 s: 28.6 in ten minutes.
    agent.accept(chat(t("2026-11-03T10:00:00Z"), 60, 21, "Slow"));
    agent.accept(chat(t("2026-11-03T09:00:00Z"), 30, 1, "Reunion"));
    agent.accept(chat(t("2026-11-03T11:00:00Z"), 30, 1, "Reunion"));
    let times: Vec<String> = ingest(&mut agent, t(NOON))
        .facts
        .iter()
        .map(|fact| format!("{fact:?}"))
        .filter(|fact| fact.contains("Burst"))
        .collect();
    assert_eq!(times.len(), 2, "{times:?}");
}

#[test]
fn the_same_signal_twice_is_one_item() {
    let mut agent = comms();
    let one = note("n-1", t("2026-11-03T11:00:00Z"), "Lab", "Asha", "hello");
    agent.accept(vec![one.clone(), one.clone()]);
    assert_eq!(ingest(&mut agent, t(NOON)).read, 1);
    agent.accept(vec![one]);
    assert_eq!(ingest(&mut agent, t(NOON)).read, 0);
    assert_eq!(agent.window().day(t(NOON)).len(), 1);
}

#[test]
fn keeps_a_day_and_at_most_2048_items() {
    let mut agent = comms();
    for hour in 0..3 {
        agent.accept(chat(
            t("2026-11-03T09:00:00Z").plus_min(60 * hour),
            1000,
            1,
            &format!("g{hour}"),
        ));
        ingest(&mut agent, t(NOON));
    }
    assert_eq!(agent.window().day(t(NOON)).len(), MAX_ITEMS);
    let later = t("2026-11-04T11:59:59Z");
    ingest(&mut agent, later);
    // Of 11:00:00 to 11:16:39 everything is a day old.
    assert_eq!(agent.window().day(later).len(), 0);
    assert!(agent.window().is_empty());
}

#[test]
fn without_data_says_so() {
    let answer = comms().tick(&question(t(NOON)), t(NOON));
    assert_eq!(
        (answer.candidates, answer.readings, answer.status),
        (vec![], vec![], TickStatus::NoData)
    );
}

fn stormed() -> CommsAgent {
    let mut agent = comms();
    agent.accept(chat(t("2026-11-03T11:50:00Z"), 40, 10, "Reunion"));
    ingest(&mut agent, t(NOON));
    agent
}

fn digest_candidate() -> Candidate {
    Candidate {
        kind: ActionKind::BatchDigest,
        subject: Subject::from(&channel("Reunion")),
        confidence: Milli(800),
        args: json!({"channel_hash": channel("Reunion"), "since": "2026-11-03T11:50:00.000Z"}),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    }
}

fn mute_candidate() -> Candidate {
    Candidate {
        kind: ActionKind::MuteGroup30,
        subject: Subject::from(&channel("Reunion")),
        confidence: Milli(600),
        args: json!({"channel_hash": channel("Reunion"), "ttl_seconds": 1800}),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    }
}

#[test]
fn a_burst_proposes_a_digest_and_under_load_a_mute() {
    let agent = stormed();
    let at = t(NOON);
    let burst = || triggered(at, TriggerSource::CommsBurst, Subject::from(&channel("Reunion")));
    assert_eq!(agent.tick(&burst(), at).candidates, [digest_candidate()]);
    let mut loaded = burst();
    loaded.user.load_score = Some(70);
    let answer = agent.tick(&loaded, at);
    assert_eq!(answer.candidates, [digest_candidate(), mute_candidate()]);
    assert_eq!(
        answer.readings,
        [
            SignalReading::new(ReadingKey::Messages, 40.0),
            SignalReading::new(ReadingKey::Actionable, 1.0),
            SignalReading::new(ReadingKey::BusiestChannel, 40.0),
            SignalReading::new(ReadingKey::ImportantMail, 0.0),
        ]
    );
    loaded.user.load_score = Some(69);
    assert_eq!(agent.tick(&loaded, at).candidates, [digest_candidate()]);
}

#[test]
fn another_trigger_mutes_the_active_channel_and_gives_no_digest() {
    let agent = stormed();
    let mut args = question(t(NOON));
    args.user.load_score = Some(80);
    assert_eq!(agent.tick(&args, t(NOON)).candidates, []);
    args.user.active_channel = Some(channel("Reunion"));
    assert_eq!(agent.tick(&args, t(NOON)).candidates, [mute_candidate()]);
}

#[test]
fn a_muted_channel_gets_neither_until_the_mute_has_ended() {
    let agent = stormed();
    let at = t(NOON);
    let mut args = triggered(at, TriggerSource::CommsBurst, Subject::from(&channel("Reunion")));
    args.user.load_score = Some(90);
    args.rules = vec![ActiveRule::Mute {
        channel: channel("Reunion"),
        until: at.plus_ms(1),
    }];
    assert_eq!(agent.tick(&args, at).candidates, []);
    let later = t("2026-11-03T12:30:00Z");
    // The same when the owner had put the digest off.
    for source in [TriggerSource::MuteEnded, TriggerSource::Later] {
        let ended = triggered(later, source, Subject::from(&channel("Reunion")));
        assert_eq!(
            agent.tick(&ended, later).candidates,
            [digest_candidate()],
            "{source}"
        );
    }
}

#[test]
fn a_burst_in_which_nothing_is_wanted_gets_no_digest() {
    let mut agent = comms();
    let at = t(NOON);
    agent.accept(
        (0..BURST)
            .map(|i| note(&format!("n{i}"), at.plus_ms(-1000), "Talk", "Mira", "so good"))
            .collect(),
    );
    ingest(&mut agent, at);
    let args = triggered(at, TriggerSource::CommsBurst, Subject::from(&channel("Talk")));
    assert_eq!(agent.tick(&args, at).candidates, []);
}

#[test]
fn the_brief_needs_something_that_is_wanted() {
    let mut agent = comms();
    let at = t("2026-11-03T02:15:00Z");
    agent.accept(vec![note("n-1", at.plus_min(-60), "Lab", "Asha", "so good")]);
    ingest(&mut agent, at);
    let mut args = question(at);
    args.user.brief_due = true;
    assert_eq!(agent.tick(&args, at).candidates, []);
    agent.accept(vec![note(
        "n-2",
        at.plus_min(-50),
        "Lab",
        "Asha",
        "can you call the lab?",
    )]);
    ingest(&mut agent, at);
    let brief = Candidate {
        kind: ActionKind::ShowBrief,
        // 02:15 UTC is 07:45 of the same day in Kolkata.
        subject: Subject::parse("2026-11-03").unwrap(),
        confidence: Milli(850),
        args: json!({"sections": [{"section": "messages", "total": 2, "actionable": 1}]}),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    };
    assert_eq!(agent.tick(&args, at).candidates, [brief]);
}

#[test]
fn the_state_restores_the_window_holds_no_text_and_is_null_while_unchanged() {
    let at = t(NOON);
    let mut agent = stormed();
    agent.accept(vec![note("m", at, "Lab", "Asha", "@rohan please call")]);
    let answer = ingest(&mut agent, at);
    let text = answer.agent_state.to_string();
    for word in ["Asha", "call", "Lab", "Reunion", "chat"] {
        assert!(!text.replace("\"call\"", "").contains(word), "{word} in {text}");
    }
    let mut restored = comms();
    restored.restore(&answer.agent_state).unwrap();
    assert_eq!(restored.window(), agent.window());
    let args = IngestArgs {
        cursor: answer.cursor,
        signal_ids: vec![],
    };
    let quiet = restored.ingest(&args, at);
    assert_eq!(
        (quiet.cursor, quiet.agent_state, quiet.facts),
        (answer.cursor, Value::Null, vec![])
    );
    assert!(comms().restore(&json!({"cursor": 1})).is_err());
}

/// A copy by way of the state: what a restart leaves.
fn stormed_with(agent: &CommsAgent) -> CommsAgent {
    let mut copy = comms();
    copy.restore(&agent.state()).unwrap();
    copy
}

fn agent_act(
    agent: &mut CommsAgent,
    tool: CommsTool,
    at: Timestamp,
) -> Result<(Value, Vec<ToolEffect>), ToolErrorCode> {
    agent.act(&Tool::Comms(tool), at)
}

fn home() -> std::path::PathBuf {
    std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/home")
}

#[test]
fn reads_the_demo_household() {
    let mut setup = setup();
    setup.owner.addresses = vec!["kavin@example.org".to_owned()];
    setup.owner.names = vec!["kavin".to_owned()];
    setup.sources.mail = vec![home().join("mail")];
    setup.sources.notifications = vec![home().join("notifications.jsonl")];
    let mut agent = CommsAgent::new(setup);
    let at = t("2026-11-03T07:44:50+05:30");
    let answer = ingest(&mut agent, at);
    let skips: Vec<_> = answer
        .skips
        .iter()
        .map(|s| (s.code.as_str(), s.item.as_str()))
        .collect();
    assert_eq!(skips, [("AGENT-010", "broken-not-a-mail.eml")]);
    assert_eq!(answer.facts, []);
    let mut args = question(at);
    args.user.brief_due = true;
    let kinds: Vec<ActionKind> = agent.tick(&args, at).candidates.iter().map(|c| c.kind).collect();
    assert_eq!(kinds, [ActionKind::ShowBrief, ActionKind::DraftReply]);
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[@a-z .?:/\u{130}\u{1F600}-]{0,80}",
        Just("@".to_owned()),
        Just("http://".to_owned()),
    ]
}

proptest! {
    #[test]
    fn judging_is_total_and_stays_in_range(text in any_text(), sender in any_text(), name in any_text()) {
        let message = message::JudgedMessage {
            text: &text, sender: &sender, sender_host: Some(&sender), channel: &name, to_owner: true, bulk: false,
        };
        let j = judge(&message, std::slice::from_ref(&name));
        prop_assert!((0..=1000).contains(&j.urgency.0));
    }

    #[test]
    fn any_bytes_are_a_mail_or_a_skip(bytes in proptest::collection::vec(any::<u8>(), 0..400), head in any::<bool>()) {
        let bytes = if head { [b"From: a@b\r\n".as_slice(), &bytes].concat() } else { bytes };
        let _ = agents_base::mail::eml::parse(&bytes);
    }

    #[test]
    fn tick_and_tools_are_total(
        items in proptest::collection::vec((0..i64::MAX, 0..4_usize, any_text()), 0..60),
        at in 0..i64::MAX, tick_at in 0..i64::MAX, ttl in any::<u32>(), length in any::<u32>(),
    ) {
        let (at, tick_at) = (Timestamp::from_ms(at), Timestamp::from_ms(tick_at));
        let mut agent = comms();
        agent.accept(items.iter().enumerate().map(|(i, (ms, group, text))| {
            note(&format!("n{i}"), Timestamp::from_ms(*ms), &format!("g{group}"), text, text)
        }).collect());
        ingest(&mut agent, at);
        let mut args = triggered(tick_at, TriggerSource::CommsBurst, Subject::from(&channel("g0")));
        args.user.brief_due = true;
        args.user.load_score = Some(100);
        let answer = agent.tick(&args, tick_at);
        prop_assert!(answer.candidates.len() <= 16);
        for tool in [
            CommsTool::MuteChannel(MuteChannel { channel_hash: channel("g0"), ttl_seconds: ttl }),
            CommsTool::BatchSummarize(BatchSummarize { channel_hash: None, since: at }),
            CommsTool::DraftReply(DraftReply { item_id: setup().key.item("n0"), tone: Tone::Formal, length_max: length }),
        ] {
            let _ = agent_act(&mut agent, tool, tick_at);
        }
    }
}
