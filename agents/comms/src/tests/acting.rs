//! Drafts, digests and mutes.

use super::*;
use toolcall_schema::catalogue::comms::{TakeBack, TakenBackAct};

fn draft_of(agent: &CommsAgent, at: Timestamp) -> Option<Subject> {
    agent
        .tick(&question(at), at)
        .candidates
        .into_iter()
        .find(|c| c.kind == ActionKind::DraftReply)
        .map(|c| c.subject)
}

#[test]
fn drafts_a_reply_to_the_most_urgent_mention_only_while_it_waits() {
    let at = t(NOON);
    let mut agent = comms();
    agent.accept(vec![
        // 1 of 5 words, mentioned: 0.95.
        note(
            "mild",
            at.plus_min(-30),
            "Lab",
            "Asha",
            "@rohan could you call asha",
        ),
        // 2 of 4: 1.25, at most 1.
        note(
            "urgent",
            at.plus_min(-60),
            "Home",
            "Bo",
            "@rohan call asap please",
        ),
        // Not a mention.
        note("other", at.plus_min(-10), "Lab", "Asha", "call asap please now"),
    ]);
    ingest(&mut agent, at);
    let urgent = setup().key.item("urgent");
    assert_eq!(draft_of(&agent, at), Some(Subject::from(&urgent)));
    let reply = DraftReply {
        item_id: urgent.clone(),
        tone: Tone::Casual,
        length_max: 280,
    };
    let (result, effects) = agent.act(&Tool::Comms(CommsTool::DraftReply(reply)), at).unwrap();
    let text = "Hi Bo, got your message. I'll call you and get back to you. Thanks!";
    let drafted = DraftResult {
        item_id: urgent.clone(),
        tone: Tone::Casual,
        chars: u32::try_from(text.len()).unwrap(),
    };
    assert_eq!(result, serde_json::to_value(drafted).unwrap());
    let file = ToolEffect::OutboxFile {
        name: format!("reply-{urgent}.txt"),
        text: text.to_owned(),
    };
    assert_eq!(effects, [file]);
    assert_eq!(
        draft_of(&agent, at),
        Some(Subject::from(&setup().key.item("mild")))
    );
    // The owner writes there: answered.
    agent.accept(vec![note("own", at, "Lab", "Rohan", "on my way")]);
    ingest(&mut agent, at);
    assert_eq!(draft_of(&agent, at), None);
}

/// Discarded, a message is proposed for a draft again; brought back, it is as before the discard, also after a restart.
#[test]
fn draft_that_is_brought_back_is_drafted_again() {
    let at = t(NOON);
    let mut agent = comms();
    agent.accept(vec![note("n", at, "Home", "Bo", "@rohan call asap please")]);
    ingest(&mut agent, at);
    let item = setup().key.item("n");
    let reply = DraftReply {
        item_id: item.clone(),
        tone: Tone::Casual,
        length_max: 280,
    };
    let take_back = |agent: &mut CommsAgent, what| {
        let back = TakeBack {
            item_id: item.clone(),
            what,
        };
        agent.act(&Tool::Comms(CommsTool::TakeBack(back)), at).unwrap().1
    };
    let proposed = Some(Subject::from(&item));
    assert_eq!(draft_of(&agent, at), proposed);
    agent.act(&Tool::Comms(CommsTool::DraftReply(reply)), at).unwrap();
    assert_eq!(draft_of(&agent, at), None);
    take_back(&mut agent, TakenBackAct::Draft);
    assert_eq!(draft_of(&agent, at), proposed);
    assert_eq!(take_back(&mut agent, TakenBackAct::Discard), []);
    assert_eq!(draft_of(&agent, at), None);
    let mut again = comms();
    again.restore(&agent.state()).unwrap();
    assert_eq!(draft_of(&again, at), None);
}

#[test]
fn after_a_restart_a_draft_says_that_the_name_is_no_longer_known() {
    let at = t(NOON);
    let mut agent = comms();
    agent.accept(vec![note("n", at, "Home", "Bo", "@rohan call asap please")]);
    let state = ingest(&mut agent, at).agent_state;
    let mut again = comms();
    again.restore(&state).unwrap();
    ingest(&mut again, at.plus_min(1));
    let draft = |agent: &mut CommsAgent, tone| {
        let reply = DraftReply {
            item_id: setup().key.item("n"),
            tone,
            length_max: 280,
        };
        let (_, effects) = agent
            .act(&Tool::Comms(CommsTool::DraftReply(reply)), at.plus_min(2))
            .unwrap();
        let [ToolEffect::OutboxFile { text, .. }] = effects.as_slice() else {
            panic!("one file");
        };
        text.clone()
    };
    for (tone, expected) in [
        (
            Tone::Casual,
            "Hi [name no longer known], got your message. I'll call you and get back to you. Thanks!",
        ),
        (
            Tone::Formal,
            "Dear [name no longer known],\n\nThank you for your message. I will call you and reply to you.\n\nKind regards",
        ),
        // It names nobody.
        (Tone::Brief, "Will call you."),
    ] {
        assert_eq!(draft(&mut again, tone), expected);
    }
    // Posted again it is known again, and not another message.
    again.accept(vec![note("n", at, "Home", "Bo", "@rohan call asap please")]);
    ingest(&mut again, at.plus_min(3));
    let named = "Hi Bo, got your message. I'll call you and get back to you. Thanks!";
    assert_eq!(draft(&mut again, Tone::Casual), named);
    assert_eq!(again.window().items().len(), 1);
}

#[test]
fn no_draft_in_a_channel_that_bursts_nor_after_a_day() {
    let at = t(NOON);
    let mut agent = comms();
    agent.accept(vec![note(
        "m",
        at.plus_min(-5),
        "Reunion",
        "Mira",
        "@rohan please call me",
    )]);
    ingest(&mut agent, at);
    assert!(draft_of(&agent, at).is_some());
    agent.accept(chat(at.plus_min(-5), 29, 10, "Reunion"));
    ingest(&mut agent, at);
    assert_eq!(draft_of(&agent, at), None);
    // Ten minutes on the channel is quiet again.
    assert!(draft_of(&agent, at.plus_min(10)).is_some());
    assert_eq!(draft_of(&agent, at.plus_min(24 * 60 - 5)), None);
}

#[test]
fn drafts_obey_tone_and_length() {
    let at = t(NOON);
    let mut agent = comms();
    agent.accept(vec![note(
        "m",
        at,
        "Lab",
        "\"Asha K\"",
        "@rohan please confirm the date",
    )]);
    ingest(&mut agent, at);
    let item = setup().key.item("m");
    for (tone, length_max, expected) in [
        (
            Tone::Casual,
            280,
            "Hi Asha, got your message. I'll check and confirm and get back to you. Thanks!",
        ),
        (Tone::Casual, 40, "Got it, I'll check and confirm."),
        (Tone::Casual, 3, "Got"),
        (
            Tone::Formal,
            280,
            "Dear Asha,\n\nThank you for your message. I will check and confirm and reply to you.\n\nKind regards",
        ),
        (Tone::Brief, 280, "Will check and confirm."),
        (Tone::Brief, 1, "O"),
    ] {
        let args = DraftReply {
            item_id: item.clone(),
            tone,
            length_max,
        };
        let (_, effects) = tools::draft_reply(agent.window(), &args, Some("\"Asha K\""), at).unwrap();
        let [ToolEffect::OutboxFile { text, .. }] = effects.as_slice() else {
            panic!("one file");
        };
        assert_eq!(text, expected);
    }
    let unknown = DraftReply {
        item_id: setup().key.item("?"),
        tone: Tone::Brief,
        length_max: 9,
    };
    let tool = Tool::Comms(CommsTool::DraftReply(unknown));
    assert_eq!(agent.act(&tool, at), Err(ToolErrorCode::NotFound));
}

#[test]
fn a_name_that_is_no_name_is_not_greeted() {
    let at = t(NOON);
    let mut agent = comms();
    agent.accept(vec![note(
        "m",
        at,
        "Lab",
        "<script>alert(1)",
        "@rohan please call",
    )]);
    ingest(&mut agent, at);
    let args = DraftReply {
        item_id: setup().key.item("m"),
        tone: Tone::Casual,
        length_max: 280,
    };
    let (_, effects) = agent.act(&Tool::Comms(CommsTool::DraftReply(args)), at).unwrap();
    assert!(format!("{effects:?}").contains("Hi, got your message"));
}

#[test]
fn the_digest_counts_and_names_the_three_most_urgent() {
    let at = t(NOON);
    let mut agent = stormed();
    agent.accept(vec![
        note("u1", at, "Home", "Bo", "@rohan call asap please"),
        note("u2", at, "Home", "Bo", "@rohan could you call bo"),
        note("u3", at, "Home", "Bo", "could you call bo then maybe"),
    ]);
    ingest(&mut agent, at);
    let digest = |channel_hash| {
        let args = BatchSummarize {
            channel_hash,
            since: t("2026-11-03T11:50:00Z"),
        };
        agent_act(&mut stormed_with(&agent), CommsTool::BatchSummarize(args), at)
    };
    let key = setup().key;
    let urgent = |id: &str, urgency| UrgentItem {
        item_id: key.item(id),
        urgency: Milli(urgency),
    };
    let all = DigestResult {
        // The chat's third message: 1 of 5 words, 0.75; u3 1 of 6: 0.717.
        actionable: vec![
            urgent("u1", 1000),
            urgent("u2", 950),
            urgent(&format!("Reunion-2-{}", t("2026-11-03T11:50:00Z").ms()), 750),
        ],
        actionable_count: 4,
        muted_count: 39,
        total: 43,
    };
    assert_eq!(
        digest(None),
        Ok((serde_json::to_value(all).unwrap(), vec![ToolEffect::CardShow]))
    );
    let (one, _) = digest(Some(channel("Reunion"))).unwrap();
    assert_eq!(
        (one["total"].as_u64(), one["actionable_count"].as_u64()),
        (Some(40), Some(1))
    );
    assert_eq!(digest(Some(channel("Nobody"))), Err(ToolErrorCode::NotEnoughData));
}

#[test]
fn a_mute_lasts_its_time() {
    let args = MuteChannel {
        channel_hash: channel("Reunion"),
        ttl_seconds: 1800,
    };
    let until = t("2026-11-03T12:30:00Z");
    let muted = MuteResult {
        channel_hash: channel("Reunion"),
        until,
    };
    let effect = ToolEffect::RuleSet {
        channel: channel("Reunion"),
        until,
    };
    assert_eq!(
        agent_act(&mut comms(), CommsTool::MuteChannel(args), t(NOON)),
        Ok((serde_json::to_value(muted).unwrap(), vec![effect]))
    );
}

#[test]
fn another_agents_tool_is_refused_and_not_run() {
    let tool = Tool::Calendar(toolcall_schema::catalogue::CalendarTool::AutoDecline(
        toolcall_schema::catalogue::calendar::AutoDecline {
            event_id: setup().key.event("u", "s"),
            reason_template: DeclineReason::Focus,
        },
    ));
    assert_eq!(comms().act(&tool, t(NOON)), Err(ToolErrorCode::Unavailable));
}

#[test]
fn a_mute_says_how_loud_the_chat_is_that_it_names() {
    // 40 messages in the chat that is open, 45 of the last ten minutes in another.
    let mut agent = stormed();
    agent.accept(chat(t("2026-11-03T11:50:30Z"), 45, 10, "Louder"));
    ingest(&mut agent, t(NOON));
    let mut args = question(t(NOON));
    args.user.load_score = Some(80);
    let loud = |args: &TickArgs| {
        let answer = agent.tick(args, t(NOON));
        let mut readings = answer.readings.into_iter();
        readings.find(|reading| reading.key == ReadingKey::BusiestChannel)
    };
    let of = |count| Some(SignalReading::new(ReadingKey::BusiestChannel, count));
    assert_eq!(loud(&args), of(45.0));
    args.user.active_channel = Some(channel("Reunion"));
    assert_eq!(agent.tick(&args, t(NOON)).candidates, [mute_candidate()]);
    assert_eq!(loud(&args), of(40.0));
}
