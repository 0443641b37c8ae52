//! What the owner teaches: whose word counts, and what a message means that could not be read.

use super::{statements::skips, *};
use agents_base::contract::KeptState;
use toolcall_schema::{
    catalogue::{
        money_questions::{
            AnswerQuestion, AnsweredQuestion, JudgeSender, MarkedPayment, MoneyQuestions, SenderAcceptance,
            WordRange,
        },
        shared::{DescribeArgs, ThingId},
    },
    forget::ErasureScope,
    ids::{ChannelHash, ItemId},
    signal::Direction,
};

const BANK: &str = "AX-SBIINB";
const STRANGER: &str = "PESABANK";

/// A wording that no list of words knows: amount and account stand in it, and no verb.
fn unforeseen(amount: &str, payee: &str) -> String {
    format!("Addebito {amount} su conto X2207 presso {payee} ieri sera")
}

fn message(id: &str, from: &str, body: &str) -> Signal {
    let payload = json!({ "from": from, "body": body });
    signal(id, t("2026-11-20T19:00:00+05:30"), "bank_sms", &payload)
}

fn reads(agent: &mut FinanceAgent, signals: Vec<Signal>) -> IngestResult {
    agent.accept(signals);
    ingest(agent, t(NOW))
}

fn fresh() -> FinanceAgent {
    FinanceAgent::new(setup())
}

fn done<T: serde::de::DeserializeOwned>(
    agent: &mut FinanceAgent,
    tool: FinanceTool,
    at: &str,
) -> Result<T, ToolErrorCode> {
    let (result, effects) = agent.act(&Tool::Finance(tool), t(at))?;
    assert_eq!(effects, []);
    Ok(serde_json::from_value(result).unwrap())
}

fn asked(agent: &mut FinanceAgent) -> MoneyQuestions {
    let nothing = FinanceTool::ListQuestions(toolcall_schema::catalogue::money_questions::ListQuestions {});
    done(agent, nothing, NOW).unwrap()
}

/// The message that is asked about.
fn only_question(agent: &mut FinanceAgent) -> ItemId {
    let questions = asked(agent);
    assert_eq!(questions.messages.len(), 1, "{questions:?}");
    questions.messages[0].item_id.clone()
}

fn described(agent: &mut FinanceAgent, id: ThingId) -> serde_json::Value {
    done(agent, FinanceTool::Describe(DescribeArgs { ids: vec![id] }), NOW).unwrap()
}

fn words(from: u16, to: u16) -> WordRange {
    WordRange { from, to }
}

fn marked(amount: WordRange, payee: Option<WordRange>) -> MarkedPayment {
    MarkedPayment {
        direction: Direction::Debit,
        amount,
        payee,
    }
}

fn answer(
    agent: &mut FinanceAgent,
    item_id: &ItemId,
    payments: Vec<MarkedPayment>,
) -> Result<AnsweredQuestion, ToolErrorCode> {
    let item_id = item_id.clone();
    done(
        agent,
        FinanceTool::AnswerQuestion(AnswerQuestion { item_id, payments }),
        NOW,
    )
}

fn judge(agent: &mut FinanceAgent, sender: &ChannelHash, standing: SenderAcceptance) -> Option<u32> {
    let channel_hash = sender.clone();
    let args = JudgeSender {
        channel_hash,
        standing,
    };
    let judged: Result<toolcall_schema::catalogue::money_questions::JudgedSender, _> =
        done(agent, FinanceTool::JudgeSender(args), NOW);
    judged.ok().map(|judged| judged.entered)
}

/// An agent to which the unforeseen wording was shown: 450 to Kirana Bazaar.
fn taught() -> FinanceAgent {
    let mut agent = fresh();
    reads(
        &mut agent,
        vec![message("s1", BANK, &unforeseen("Rs.450.00", "KIRANA BAZAAR"))],
    );
    let question = only_question(&mut agent);
    let answered = answer(
        &mut agent,
        &question,
        vec![marked(words(1, 2), Some(words(6, 8)))],
    )
    .unwrap();
    assert_eq!(
        (answered.txn_ids.len(), answered.learned, answered.also),
        (1, true, 0)
    );
    agent
}

#[test]
fn a_message_that_cannot_be_read_is_a_question_in_memory_alone() {
    let mut agent = fresh();
    let answer = reads(
        &mut agent,
        vec![message("s1", BANK, &unforeseen("Rs.450.00", "KIRANA BAZAAR"))],
    );
    assert_eq!(
        skips(&answer)
            .into_iter()
            .map(|(code, ..)| code)
            .collect::<Vec<_>>(),
        ["AGENT-101"]
    );
    assert_eq!((answer.read, tick(&agent).status), (0, TickStatus::NoData));
    let question = only_question(&mut agent);
    let shown = described(&mut agent, ThingId::Item(question.clone()));
    let shown: Vec<(&str, bool)> = shown["texts"][0]["words"]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| (word["text"].as_str().unwrap(), word["amount"].as_bool().unwrap()))
        .collect();
    let expected = [
        ("Addebito", false),
        ("Rs.450.00", true),
        ("su", false),
        ("conto", false),
        ("X2207", false),
        ("presso", false),
        ("KIRANA", false),
        ("BAZAAR", false),
        ("ieri", false),
        ("sera", false),
    ];
    assert_eq!(shown, expected);
    // Nothing of it is kept: a restart forgets it.
    assert_eq!(answer.agent_state, Value::Null);
    let mut agent = fresh();
    assert_eq!(asked(&mut agent).messages, []);
    let shown = described(&mut agent, ThingId::Item(question.clone()));
    assert_eq!(shown, json!({"labels": [], "unknown": [question]}));
}

#[test]
fn an_answer_counts_and_the_next_message_of_the_form_is_read_whole_after_a_restart() {
    let mut agent = taught();
    let counted = reads(&mut agent, vec![]);
    assert_eq!((counted.seen.len(), agent.view.spent(today())), (1, dec("450")));
    assert_eq!(asked(&mut agent).messages, []);
    // No word is kept, of the name neither.
    let kept = counted.agent_state.to_string().to_lowercase();
    for text in ["kirana", "bazaar", "addebito", "presso", "sera"] {
        assert!(!kept.contains(text), "{text} in {kept}");
    }
    let mut later = fresh();
    later.restore(&counted.agent_state).unwrap();
    let read = reads(
        &mut later,
        vec![message(
            "s2",
            "VK-SBIINB-S",
            &unforeseen("Rs.80", "CHAI AT THE OLD LAKE"),
        )],
    );
    assert_eq!((read.read, read.skipped), (1, 0));
    assert_eq!(later.view.spent(today()), dec("530"));
    let merchant = toolcall_schema::ids::SecretKey::merchant(&setup().key, "chai at the old lake");
    let name = described(&mut later, ThingId::Merchant(merchant));
    assert_eq!(name["labels"][0]["label"], "Chai At The Old Lake", "{name}");
    assert_eq!(asked(&mut later).messages, []);
}

#[test]
fn another_wording_is_another_form() {
    for body in [
        // Refused, without the account, with more behind it, of another sender.
        "Rifiuto Rs.450.00 su conto X2207 presso KIRANA BAZAAR ieri sera",
        "Addebito Rs.450.00 su conto presso KIRANA BAZAAR ieri sera",
        "Addebito Rs.450.00 su conto X2207 presso KIRANA BAZAAR ieri sera annullato",
        "Addebito Rs.450.00 su conto X2207 presso ieri sera",
        "Addebito su conto X2207 presso KIRANA Rs.450.00 ieri sera",
        // A word beside the payee, which says that nothing was paid.
        "Addebito Rs.450.00 su conto X2207 presso KIRANA declined ieri sera",
    ] {
        let mut agent = taught();
        reads(&mut agent, vec![]);
        let read = reads(&mut agent, vec![message("s2", BANK, body)]);
        assert_eq!((read.read, agent.view.spent(today())), (0, dec("450")), "{body}");
    }
    let mut agent = taught();
    reads(&mut agent, vec![]);
    let body = unforeseen("Rs.70.00", "LUNA");
    assert_eq!(reads(&mut agent, vec![message("s2", "AX-HDFCBK", &body)]).read, 0);
}

#[test]
fn marks_that_say_no_payment_are_refused_and_the_question_stays() {
    let mut agent = fresh();
    reads(
        &mut agent,
        vec![message("s1", BANK, &unforeseen("Rs.450.00", "KIRANA BAZAAR"))],
    );
    let question = only_question(&mut agent);
    for (name, amount, payee) in [
        ("no amount", words(0, 1), None),
        ("behind the end", words(10, 11), None),
        ("nothing", words(1, 1), None),
        ("the wrong way round", words(3, 2), None),
        ("a payee behind the end", words(1, 2), Some(words(9, 12))),
    ] {
        let refused = answer(&mut agent, &question, vec![marked(amount, payee)]);
        assert_eq!(refused, Err(ToolErrorCode::NotFound), "{name}");
    }
    assert_eq!(only_question(&mut agent), question);
    // A day later the text is gone.
    let args = AnswerQuestion {
        item_id: question,
        payments: vec![marked(words(1, 2), None)],
    };
    let late: Result<AnsweredQuestion, _> = done(
        &mut agent,
        FinanceTool::AnswerQuestion(args),
        "2026-11-21T20:00:00+05:30",
    );
    assert_eq!(late, Err(ToolErrorCode::TextUnknown));
}

#[test]
fn nothing_was_paid_is_learned_too() {
    let mut agent = fresh();
    reads(
        &mut agent,
        vec![message("s1", BANK, &unforeseen("Rs.450.00", "LUNA"))],
    );
    let question = only_question(&mut agent);
    assert!(answer(&mut agent, &question, vec![]).unwrap().learned);
    reads(
        &mut agent,
        vec![message("s2", BANK, &unforeseen("Rs.9.00", "LUNA"))],
    );
    assert_eq!(asked(&mut agent).messages, []);
    assert_eq!(agent.view.spent(today()), dec("0"));
}

#[test]
fn amounts_that_nobody_can_read_are_no_question() {
    for amount in [
        "Rs.1234567890123456789012345678901234567890",
        "Rs.1,5000",
        "Rs.0.00",
    ] {
        let mut agent = fresh();
        reads(&mut agent, vec![message("s1", BANK, &unforeseen(amount, "LUNA"))]);
        assert_eq!(asked(&mut agent).messages, [], "{amount}");
    }
    // Where the form is known, such a message is not read either.
    let mut agent = taught();
    reads(&mut agent, vec![]);
    let body = unforeseen("Rs.1234567890123456789012345678901234567890", "LUNA");
    assert_eq!(reads(&mut agent, vec![message("s2", BANK, &body)]).read, 0);
    assert_eq!(agent.view.spent(today()), dec("450"));
}

#[test]
fn two_payments_of_one_message_are_marked_and_read_both() {
    let body = |one: &str, two: &str| {
        format!(
            "Rs.{one} debited from A/c X2207 to ASHA on 20-11-26. Rs.{two} debited from A/c X2207 to NOOR on 20-11-26."
        )
    };
    let mut agent = fresh();
    let read = reads(&mut agent, vec![message("s1", BANK, &body("500.00", "300.00"))]);
    assert_eq!(
        skips(&read)
            .into_iter()
            .map(|(code, ..)| code)
            .collect::<Vec<_>>(),
        ["AGENT-118"]
    );
    let question = only_question(&mut agent);
    let both = vec![
        marked(words(0, 1), Some(words(6, 7))),
        marked(words(9, 10), Some(words(15, 16))),
    ];
    let answered = answer(&mut agent, &question, both).unwrap();
    assert_eq!((answered.txn_ids.len(), answered.learned), (2, true));
    reads(&mut agent, vec![message("s2", BANK, &body("20.00", "7.00"))]);
    assert_eq!(agent.view.spent(today()), dec("827"));
}

#[test]
fn a_message_cut_at_160_letters_teaches_and_is_read() {
    let whole = |amount: &str, payee: &str| {
        format!(
            "{}, operazione autorizzata con il codice della carta; per domande chiama il numero verde oppure visita la filiale di zona",
            unforeseen(amount, payee)
        )
    };
    let cut = |amount: &str, payee: &str| whole(amount, payee).chars().take(160).collect::<String>();
    for (name, shown, next, read) in [
        (
            "both cut",
            cut("Rs.450.00", "KIRANA BAZAAR"),
            cut("Rs.80.00", "LUNA"),
            1,
        ),
        (
            "the next one cut",
            whole("Rs.450.00", "KIRANA BAZAAR"),
            cut("Rs.80.00", "LUNA"),
            1,
        ),
        // What a cut message went on to say is not known.
        (
            "the first one cut",
            cut("Rs.450.00", "KIRANA BAZAAR"),
            whole("Rs.80.00", "LUNA"),
            0,
        ),
    ] {
        let mut agent = fresh();
        reads(&mut agent, vec![message("s1", BANK, &shown)]);
        let question = only_question(&mut agent);
        let answered = answer(
            &mut agent,
            &question,
            vec![marked(words(1, 2), Some(words(6, 8)))],
        );
        assert!(answered.unwrap().learned, "{name}");
        assert_eq!(
            reads(&mut agent, vec![message("s2", BANK, &next)]).read,
            read,
            "{name}"
        );
    }
}

#[test]
fn forgetting_the_time_of_an_answer_or_the_sender_unlearns_the_form() {
    let mut agent = taught();
    let state = reads(&mut agent, vec![]).agent_state;
    let sender = asked(&mut agent).senders[0].channel_hash.clone();
    let within = |from: &str, to: &str| ErasureScope::within(t(from), t(to));
    for (what, read) in [
        (
            within("2026-11-20T19:30:00+05:30", "2026-11-20T21:00:00+05:30"),
            0,
        ),
        (
            within("2026-11-01T00:00:00+05:30", "2026-11-02T00:00:00+05:30"),
            1,
        ),
        (ErasureScope::naming([sender.as_str().to_owned()]), 0),
        (ErasureScope::everything(), 0),
    ] {
        let mut kept = FinanceAgentState::from_json(&state).unwrap();
        kept.forget(&what);
        let mut later = fresh();
        later.restore(&serde_json::to_value(kept).unwrap()).unwrap();
        let next = message("s2", BANK, &unforeseen("Rs.80.00", "LUNA"));
        assert_eq!(reads(&mut later, vec![next]).read, read, "{what:?}");
    }
    // The owner takes it back.
    assert_eq!(asked(&mut agent).senders[0].forms, 1);
    assert_eq!(judge(&mut agent, &sender, SenderAcceptance::Undecided), Some(0));
    assert_eq!(asked(&mut agent).senders, []);
    let next = message("s2", BANK, &unforeseen("Rs.80.00", "LUNA"));
    assert_eq!(reads(&mut agent, vec![next]).read, 0);
}

#[test]
fn questions_and_forms_are_bounded_and_the_newest_stay() {
    let mut agent = fresh();
    let headers = ["SBIINB", "SBIUPI", "HDFCBK", "ICICIB", "AXISBK"];
    let signals = (0..40_usize).map(|i| {
        let body = unforeseen(&format!("Rs.{}.00", i + 1), "LUNA");
        let payload = json!({ "from": format!("AX-{}", headers[i % 5]), "body": body });
        let at = t("2026-11-20T10:00:00+05:30").plus_min(i64::try_from(i).unwrap());
        signal(&format!("s{i}"), at, "bank_sms", &payload)
    });
    reads(&mut agent, signals.collect());
    let questions = asked(&mut agent);
    assert_eq!(questions.messages.len(), 8);
    // Of 40, one a minute: the last eight.
    let oldest = questions.messages.last().unwrap().at;
    assert_eq!(oldest, t("2026-11-20T10:32:00+05:30"));
    for i in 0..60 {
        let word = ["uno", "otto", "tre", "sei"][i % 4];
        let more = "oggi ".repeat(1 + i / 4);
        let body = format!(
            "Addebito {word} {more}Rs.{}.00 su conto X2207 presso LUNA ieri",
            i + 1
        );
        let from = format!("AX-{}", headers[i % 5]);
        reads(&mut agent, vec![message(&format!("m{i}"), &from, &body)]);
        let newest = asked(&mut agent).messages[0].item_id.clone();
        let amount = u16::try_from(3 + i / 4).unwrap();
        answer(&mut agent, &newest, vec![marked(words(amount, amount + 1), None)]).unwrap();
    }
    let forms: u32 = asked(&mut agent).senders.iter().map(|row| row.forms).sum();
    assert_eq!(forms, 32);
    let state = reads(&mut agent, vec![]).agent_state;
    let bytes = state["forms"].to_string().len();
    assert!(bytes <= 32 * 1024, "{bytes}");
}

const SENT: &str = "QK31AB2CD4 Confirmed. Ksh500.00 sent to JOHN KAMAU 0712345678 on 20/11/26 at 2:30 PM. New M-PESA balance is Ksh1,234.00.";

#[test]
fn a_sender_is_counted_refused_and_asked_about_again() {
    let mut agent = fresh();
    reads(&mut agent, vec![message("s1", STRANGER, SENT)]);
    let row = asked(&mut agent).senders[0].clone();
    assert_eq!(
        (row.standing, row.waiting, row.currencies, row.newest),
        (
            SenderAcceptance::Undecided,
            1,
            vec!["KES".to_owned()],
            Some(t("2026-11-20T19:00:00+05:30"))
        )
    );
    let sender = row.channel_hash;
    let name = described(&mut agent, ThingId::Channel(sender.clone()));
    assert_eq!(name["labels"][0]["label"], STRANGER);

    // Not a bank: nothing more waits; what waited is there again when it is asked about again.
    assert_eq!(judge(&mut agent, &sender, SenderAcceptance::NotABank), Some(0));
    let other = SENT
        .replace("500.00", "700.00")
        .replace("QK31AB2CD4", "QK31AB2CD5");
    reads(&mut agent, vec![message("s2", STRANGER, &other)]);
    let row = asked(&mut agent).senders[0].clone();
    assert_eq!((row.standing, row.waiting), (SenderAcceptance::NotABank, 1));
    assert_eq!(judge(&mut agent, &sender, SenderAcceptance::Undecided), Some(0));

    // Counted: at the next look, and after a restart.
    assert_eq!(judge(&mut agent, &sender, SenderAcceptance::Counts), Some(1));
    let counted = reads(&mut agent, vec![message("s3", STRANGER, &other)]);
    assert_eq!(counted.seen.len(), 2);
    let mut later = fresh();
    later.restore(&counted.agent_state).unwrap();
    let third = SENT
        .replace("500.00", "900.00")
        .replace("QK31AB2CD4", "QK31AB2CD6");
    assert_eq!(reads(&mut later, vec![message("s4", STRANGER, &third)]).read, 1);

    // Whose word counts by itself is nobody's to refuse here, and a sender of whom nothing is known neither.
    let bank = taught();
    let mut bank = bank;
    let known = asked(&mut bank).senders[0].channel_hash.clone();
    assert_eq!(judge(&mut bank, &known, SenderAcceptance::NotABank), None);
    let nobody = ChannelHash::parse("ch_00000000000000aa").unwrap();
    assert_eq!(judge(&mut bank, &nobody, SenderAcceptance::Counts), None);
}

#[test]
fn an_answer_counts_whoever_wrote_and_what_follows_waits_until_the_sender_is_accepted() {
    let two = |one: &str, two: &str| {
        format!("Ksh{one} sent to JOHN KAMAU on 20/11/26. Ksh{two} sent to MARY WANJIRU on 20/11/26.")
    };
    let mut agent = fresh();
    reads(
        &mut agent,
        vec![message("s1", STRANGER, &two("500.00", "300.00"))],
    );
    let question = only_question(&mut agent);
    let marks = vec![
        marked(words(0, 1), Some(words(3, 5))),
        marked(words(7, 8), Some(words(10, 12))),
    ];
    assert!(answer(&mut agent, &question, marks).unwrap().learned);
    assert_eq!(reads(&mut agent, vec![]).seen.len(), 2);
    let waits = reads(&mut agent, vec![message("s2", STRANGER, &two("20.00", "30.00"))]);
    assert_eq!((waits.read, waits.seen.len()), (0, 0));
    let row = asked(&mut agent).senders[0].clone();
    assert_eq!((row.waiting, row.forms), (2, 1));
    assert_eq!(
        judge(&mut agent, &row.channel_hash, SenderAcceptance::Counts),
        Some(2)
    );
    assert_eq!(reads(&mut agent, vec![]).seen.len(), 2);
}
