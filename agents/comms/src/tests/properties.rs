//! Drafts of every tone and length, bursts at their edges, tools that are pure and total.

use super::*;
use toolcall_schema::catalogue::{
    comms::{ClassifyArgs, SnoozeArgs, TriageInbox, TriageScope},
    shared::DescribeArgs,
};

const TONES: [Tone; 3] = [Tone::Casual, Tone::Formal, Tone::Brief];

#[test]
fn a_draft_is_never_longer_than_asked_and_each_tone_has_its_wording() {
    let at = t(NOON);
    // One word for each of the thirteen verbs.
    for word in [
        "submit", "send", "review", "reply", "confirm", "call", "pay", "share", "sign", "update", "join",
        "check", "help",
    ] {
        let mut agent = comms();
        agent.accept(vec![note(
            "m",
            at,
            "Lab",
            "Asha",
            &format!("@rohan please {word} me"),
        )]);
        ingest(&mut agent, at);
        let mut before = [0; 3];
        for length_max in 1..=280 {
            let mut texts = Vec::new();
            for (tone, shorter) in TONES.into_iter().zip(&mut before) {
                let args = DraftReply {
                    item_id: setup().key.item("m"),
                    tone,
                    length_max,
                };
                let (drafted, effects) = tools::draft_reply(agent.window(), &args, Some("Asha"), at).unwrap();
                let [ToolEffect::OutboxFile { text, .. }] = effects.as_slice() else {
                    panic!("one file");
                };
                let chars = text.chars().count();
                assert!(
                    (1..=usize::try_from(length_max).unwrap()).contains(&chars),
                    "{text}"
                );
                assert_eq!(drafted.chars as usize, chars);
                // More room never makes it shorter, and nothing is claimed to be done.
                assert!(chars >= *shorter, "{text}");
                assert!(!text.contains("done") && !text.contains(" sent"), "{text}");
                *shorter = chars;
                texts.push(text.clone());
            }
            assert!(
                texts[0] != texts[1] && texts[1] != texts[2] && texts[0] != texts[2],
                "{texts:?}"
            );
        }
    }
}

fn bursts(agent: &mut CommsAgent, at: Timestamp) -> Vec<(ChannelHash, u32)> {
    let burst = |fact| {
        let IngestFact::Burst { channel, count, .. } = fact else {
            return None;
        };
        Some((channel, count))
    };
    ingest(agent, at).facts.into_iter().filter_map(burst).collect()
}

#[test]
fn the_older_end_of_ten_minutes_does_not_count() {
    let from = t("2026-11-03T11:40:00Z");
    for (last_ms, expected) in [(600_000, vec![]), (599_999, vec![(channel("Reunion"), 30)])] {
        let mut agent = comms();
        agent.accept(chat(from, 29, 1, "Reunion"));
        agent.accept(vec![note(
            "last",
            from.plus_ms(last_ms),
            "Reunion",
            "Mira",
            "so good",
        )]);
        assert_eq!(bursts(&mut agent, t(NOON)), expected, "{last_ms}");
    }
}

#[test]
fn two_channels_burst_each_on_their_own() {
    let from = t("2026-11-03T11:50:00Z");
    let mut agent = comms();
    agent.accept(chat(from, 29, 5, "Reunion"));
    agent.accept(chat(from, 29, 5, "Lab"));
    assert_eq!(bursts(&mut agent, from.plus_min(3)), []);
    agent.accept(vec![note("one", from.plus_min(4), "Lab", "Mira", "so good")]);
    assert_eq!(bursts(&mut agent, from.plus_min(5)), [(channel("Lab"), 30)]);
    // The same over a restart.
    let mut restored = stormed_with(&agent);
    assert_eq!(restored.window(), agent.window());
    restored.accept(vec![note("two", from.plus_min(5), "Reunion", "Mira", "so good")]);
    assert_eq!(
        bursts(&mut restored, from.plus_min(6)),
        [(channel("Reunion"), 30)]
    );
}

#[test]
fn a_message_out_of_order_counts_from_the_next_one_on() {
    let from = t("2026-11-03T11:50:00Z");
    let mut agent = comms();
    agent.accept(chat(from, 29, 5, "Reunion"));
    ingest(&mut agent, from.plus_min(3));
    agent.accept(vec![note("late", from.plus_ms(1), "Reunion", "Mira", "so good")]);
    assert_eq!(bursts(&mut agent, from.plus_min(3)), []);
    agent.accept(vec![note("next", from.plus_min(3), "Reunion", "Mira", "so good")]);
    assert_eq!(bursts(&mut agent, from.plus_min(3)), [(channel("Reunion"), 31)]);
}

fn any_item() -> impl Strategy<Value = (i64, usize, String, bool)> {
    let text = prop_oneof![
        any_text(),
        Just("@rohan please call".to_owned()),
        Just("can you send it today?".to_owned()),
        Just("we are out of milk, get some on your way home".to_owned()),
    ];
    (0..3 * model::WINDOW_MS, 0..4_usize, text, any::<bool>())
}

proptest! {
    #[test]
    fn tick_and_every_tool_are_pure_and_total(
        items in proptest::collection::vec(any_item(), 0..50),
        ingested in 0..3 * model::WINDOW_MS, asked in prop_oneof![0..3 * model::WINDOW_MS, 0..i64::MAX],
        ttl in 60..=86_400_u32, length_max in 1..=280_u32, which in 0..60_usize, tone in 0..3_usize, all in any::<bool>(),
        load in proptest::option::of(0..=100_u8), brief_due in any::<bool>(),
    ) {
        let base = t(NOON).ms();
        let (at, asked) = (Timestamp::from_ms(base + ingested), Timestamp::from_ms(base.saturating_add(asked)));
        let mut agent = comms();
        agent.accept(items.iter().enumerate().map(|(i, (ms, group, text, own))| {
            let sender = if *own { "Rohan" } else { "Mira" };
            note(&format!("n{i}"), Timestamp::from_ms(base + ms), &format!("g{group}"), sender, text)
        }).collect());
        ingest(&mut agent, at);
        let mut args = triggered(asked, TriggerSource::CommsBurst, Subject::from(&channel("g0")));
        args.user.load_score = load;
        args.user.brief_due = brief_due;
        args.user.active_channel = Some(channel("g1"));
        let mut state = agent.state();
        prop_assert_eq!(agent.tick(&args, asked), agent.tick(&args, asked));
        prop_assert_eq!(agent.tick(&args, asked), stormed_with(&agent).tick(&args, asked));
        let item_id = setup().key.item(&format!("n{which}"));
        let scope = if all { TriageScope::AllToday } else { TriageScope::Unread24h };
        let since = Timestamp::from_ms(base + ingested / 2);
        for (tool, keeps) in [
            (CommsTool::MuteChannel(MuteChannel { channel_hash: channel("g0"), ttl_seconds: ttl }), false),
            (CommsTool::BatchSummarize(BatchSummarize { channel_hash: None, since }), false),
            (CommsTool::BatchSummarize(BatchSummarize { channel_hash: Some(channel("g2")), since }), false),
            (CommsTool::Classify(ClassifyArgs { item_id: item_id.clone() }), false),
            (CommsTool::TriageInbox(TriageInbox { scope, longest: None }), false),
            (CommsTool::Describe(DescribeArgs { ids: vec![ThingId::Item(item_id.clone()), ThingId::Channel(channel("g3"))] }), false),
            (CommsTool::DraftReply(DraftReply { item_id: item_id.clone(), tone: TONES[tone], length_max }), true),
            (CommsTool::Snooze(SnoozeArgs { item_id, ttl_seconds: ttl }), true),
        ] {
            let mut twin = stormed_with(&agent);
            // A name is known until a restart only.
            twin.senders.clone_from(&agent.senders);
            twin.channels.clone_from(&agent.channels);
            let once = agent_act(&mut agent, tool.clone(), asked);
            prop_assert_eq!(&once, &agent_act(&mut twin, tool, asked));
            prop_assert_eq!(agent.state(), twin.state());
            if !keeps || once.is_err() {
                prop_assert_eq!(agent.state(), state.clone());
            }
            state = agent.state();
        }
    }
}
