//! The drawer: why Aura spoke, or stayed silent.
//!
//! What: five sections in a fixed order. Why: whoever wants to know finds everything that went into the decision. Not
//! here: the markup (`web::pages`), the terminal form (`text`).

use super::{
    about,
    card::{AnswerButtons, card as card_view},
    course::course,
    explanation::{CandidateRole, DecisionReasons},
    sender_link::SenderLink,
    sentence, why_now,
};
use chrono_tz::Tz;
use surfaces_base::language::{Text, say, text};
use surfaces_base::{
    backend::DisplayNames,
    format::{
        clock, clock_on, clock_s, duration_ms, number, on_day, reading_value, thousandths, usual, zone,
    },
    words,
};
use toolcall_schema::{
    ActionKind, AgentName, AgentStatus, Class, Outcome, StateName, SubmitAct, Surface, Timestamp,
    ids::TraceId,
    milli::Milli,
    tick::Subject,
    trace::{Card, ConsideredCandidate, Decision, LedgerView, RationaleSource, ScoreParts, Trace},
};

/// The drawer of one decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawerView {
    pub trace_id: TraceId,
    /// What was chosen, or that nothing was.
    pub title: String,
    /// When, local: `Tuesday 3 November, 07:45`.
    pub when: String,
    /// How it came about: what came in, what it was taken for, what else was in the way, what was decided, how it ended.
    pub says: Vec<String>,
    /// Whether it was weighed against something: then the machine can decide its moment once more.
    pub was_weighed: bool,
    /// Why now.
    pub why: Vec<String>,
    /// What I saw.
    pub saw: ObservationSection,
    /// What I considered, ranked.
    pub considered: Vec<CandidateRow>,
    /// What I chose and why.
    pub chose: ChoiceSection,
    /// What you can do.
    pub can_do: Vec<String>,
    /// The buttons of the last section.
    pub answers: Option<AnswerButtons>,
    /// What was chosen, when it shows something: what a rule may be about.
    pub shows: Option<(ActionKind, Subject)>,
    /// The chat or the sender that it is about.
    pub about: Option<SenderLink>,
}

/// What the owner did with a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldAct {
    /// In a sentence that names the thing.
    pub says: String,
    /// Whether it can be taken back now.
    pub can_undo: bool,
}

/// The headings of the five sections, in their order.
pub const HEADINGS: [Text; 5] = [
    Text("drawer-part-headings-why-now"),
    Text("drawer-part-headings-what-i-saw"),
    Text("drawer-part-headings-what-i-considered"),
    Text("drawer-part-headings-what-i-chose"),
    Text("drawer-part-headings-what-you-can"),
];

/// The second section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservationSection {
    /// The owner's state, in words.
    pub you: Vec<String>,
    /// One group an agent, in the fixed order of the four.
    pub agents: Vec<AgentObservation>,
}

/// What one agent saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentObservation {
    /// Its name.
    pub agent: &'static str,
    /// How its part ended, when it did not simply answer.
    pub status: Option<&'static str>,
    /// What it measured.
    pub readings: Vec<ReadingRow>,
}

/// One measured value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadingRow {
    pub name: &'static str,
    /// The value with its unit.
    pub value: String,
    /// The usual range.
    pub usual: Option<String>,
    /// Whether the value lies outside of the usual range.
    pub unusual: bool,
}

/// One candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidateRow {
    /// What, and about what.
    pub what: String,
    /// Who proposed it, how sure, and why where the agent says.
    pub by: String,
    /// What became of it.
    pub fate: CandidateFate,
    /// Whether it was chosen (or is on the same card).
    pub chosen: bool,
}

/// The fate of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CandidateFate {
    /// Removed before scoring, with the reason.
    Removed(&'static str),
    /// Removed by the owner's rule of that name.
    Forbidden(String),
    /// Scored: the score, and its parts with their names.
    Scored(Milli, Vec<ScorePart>),
    /// Neither: it came after the decision was forced.
    NotScored,
}

/// A part of a score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScorePart {
    /// What it is.
    pub name: &'static str,
    /// How it enters the formula: `× 0.850`, `−0.100`.
    pub value: String,
    /// How large it is, 0 to 1, as a bar.
    pub size: Milli,
}

/// A state that was gone through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisitRow {
    pub state: StateName,
    /// When it was entered, local.
    pub at: String,
    /// What Aura did.
    pub what: &'static str,
    /// How long it lasted.
    pub long: String,
    /// The same in milliseconds.
    pub ms: i64,
}

/// The fourth section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoiceSection {
    /// The sentence, and what came of it.
    pub lines: Vec<String>,
    /// Names and values: calls, ledger, hashes.
    pub facts: Vec<(&'static str, String)>,
    /// The states gone through, in order.
    pub path: Vec<VisitRow>,
}

/// The drawer of a finished tick.
///
/// `done`: what the owner did with it, where that has a sentence of its own; else how it ended is said.
pub fn drawer_of_trace(trace: &Trace, labels: &DisplayNames, done: Option<&ToldAct>) -> DrawerView {
    let zone = zone(&trace.decision.user.zone);
    let mut drawer = drawer_of_decision(&trace.decision, labels, zone);
    if trace.decision.call.is_some() {
        let says = done.map_or_else(|| sentence::of_call(trace, labels), |act| act.says.clone());
        says.trim_end_matches('.').clone_into(&mut drawer.title);
    }
    drawer.says = course(&trace.decision, Some((trace, done)), labels, zone);
    drawer.chose = ChoiceSection {
        lines: trace_lines(trace, labels, zone),
        facts: trace_facts(trace),
        path: trace
            .state_path
            .iter()
            .map(|visit| VisitRow {
                state: visit.state,
                at: clock_s(visit.at, zone),
                what: words::state(visit.state),
                long: duration_ms(visit.ms),
                ms: visit.ms.max(0),
            })
            .collect(),
    };
    drawer.answers = trace.decision.chosen.as_ref().and_then(|chosen| {
        let done = matches!(trace.outcome, Outcome::ExecutedAuto | Outcome::Confirmed);
        let free = chosen.class == Class::Safety || trace.decision.put_off > 0;
        let costs = !free && chosen.surface != Surface::Silent;
        (done && costs).then(|| AnswerButtons {
            trace_id: trace.trace_id.clone(),
            card_id: chosen.card_id.clone(),
            kind: chosen.kind,
            acts: vec![SubmitAct::Useful],
            later: vec![],
            capability: None,
        })
    });
    drawer.can_do = match drawer.answers {
        Some(_) => vec![text("drawer-part-drawer-of-trace-say-useful-on").to_owned()],
        // Undo stands there.
        None if done.is_some_and(|act| act.can_undo) || trace.decision.call.is_some() => Vec::new(),
        None => vec![text("drawer-part-drawer-of-trace-nothing-is-open").to_owned()],
    };
    if drawer.shows.is_some() {
        drawer.can_do.push(words::TELL_ME_WHEN_NOT_TO.say().to_owned());
    }
    drawer
}

/// The drawer of a card whose tick is not over yet.
pub fn drawer_of_card(card: &Card, labels: &DisplayNames, now: Timestamp) -> DrawerView {
    let zone = zone(&card.decision.user.zone);
    let mut drawer = drawer_of_decision(&card.decision, labels, zone);
    drawer.answers = card_view(card, labels, now).map(|view| view.answers_on(Surface::PhoneCard));
    if let Some(answers) = drawer
        .answers
        .as_mut()
        .filter(|answers| answers.capability.is_some())
    {
        answers.acts.push(SubmitAct::Edit);
    }
    drawer.can_do = card
        .prompts
        .iter()
        .filter(|prompt| prompt.expires_at > now)
        .map(|prompt| {
            say!(
                "drawer-part-drawer-of-card-confirm-dismiss-or",
                surface = words::surface(prompt.surface),
                clock_s = clock_s(prompt.expires_at, zone)
            )
        })
        .collect();
    if drawer.can_do.is_empty() {
        let until = clock_on(card.valid_until, card.decision.ts, zone);
        drawer
            .can_do
            .push(say!("drawer-part-drawer-of-card-its-card-stays", until));
    }
    drawer.can_do.push(words::TELL_ME_WHEN_NOT_TO.say().to_owned());
    drawer
}

/// What a moment that was decided once more would have brought, in sentences.
pub fn otherwise(then: &Decision, again: &Decision, labels: &DisplayNames) -> Vec<String> {
    let content = |decision: &Decision| {
        let chosen = decision.chosen.as_ref();
        chosen.map(|chosen| (chosen.kind, chosen.subject.clone(), chosen.companion))
    };
    let mut says = Vec::new();
    if content(then) == content(again) {
        says.push(words::OTHERWISE_SAME.say().to_owned());
    } else if let Some(chosen) = &again.chosen {
        let what = words::action(chosen.kind);
        says.push(match about(&chosen.subject, labels) {
            Some(subject) => words::otherwise_chosen(&format!("{what} · {subject}")),
            None => words::otherwise_chosen(what),
        });
    } else {
        says.push(words::OTHERWISE_SILENT.say().to_owned());
    }
    says.push(sentence::of_decision(again, labels));
    says
}

fn drawer_of_decision(decision: &Decision, labels: &DisplayNames, zone: Tz) -> DrawerView {
    let mut why = vec![why_now(&decision.trigger, decision.ts, zone, labels)];
    why.extend(decision.stale_triggers.iter().map(|stale| {
        say!(
            "drawer-part-drawer-of-decision-too-late-for",
            trigger = words::lower_first(words::trigger(stale.source)),
            when = on_day(stale.at, decision.ts, zone)
        )
    }));
    let chosen = decision.chosen.as_ref();
    DrawerView {
        trace_id: decision.trace_id.clone(),
        title: match (chosen, &decision.call) {
            (Some(chosen), _) => words::action(chosen.kind).to_owned(),
            (None, Some(_)) => words::asked_for(None).trim_end_matches('.').to_owned(),
            (None, None) => text("drawer-part-drawer-of-decision-nothing-worth-your").to_owned(),
        },
        when: format!(
            "{}, {}",
            surfaces_base::format::day(decision.ts, zone),
            clock(decision.ts, zone)
        ),
        says: course(decision, None, labels, zone),
        // What was asked for by name was not.
        was_weighed: decision.call.is_none(),
        why,
        saw: saw(decision),
        considered: decision
            .candidates
            .iter()
            .map(|candidate| {
                let role = CandidateRole::in_decision(candidate, decision);
                candidate_row(candidate, labels, role != CandidateRole::PassedOver)
            })
            .collect(),
        chose: ChoiceSection {
            lines: vec![sentence::of_decision(decision, labels)],
            facts: vec![
                (
                    text("drawer-part-drawer-of-decision-attention-before"),
                    ledger(&decision.ledger_before),
                ),
                (
                    text("drawer-part-drawer-of-decision-policy"),
                    short(&decision.policy_hash),
                ),
                (
                    text("drawer-part-drawer-of-decision-catalogue"),
                    short(&decision.catalogue_hash),
                ),
            ],
            path: Vec::new(),
        },
        can_do: Vec::new(),
        answers: None,
        shows: decision
            .chosen
            .as_ref()
            .filter(|chosen| chosen.surface != Surface::Silent)
            .map(|chosen| (chosen.kind, chosen.subject.clone())),
        about: chosen
            .map(|chosen| &chosen.subject)
            .or(decision.trigger.subject.as_ref())
            .and_then(|subject| SenderLink::from_id(subject.as_str(), labels)),
    }
}

fn saw(decision: &Decision) -> ObservationSection {
    let user = &decision.user;
    let load = user
        .load_score
        .map_or_else(String::new, |load| say!("drawer-part-saw-load-of-100", load));
    let mut you = vec![say!(
        "drawer-part-saw-you",
        wellness = words::wellness(user.state),
        load
    )];
    for (on, sentence) in [
        (user.in_focus, text("drawer-part-saw-a-focus-block")),
        (user.in_meeting, text("drawer-part-saw-an-event-is")),
        (user.dnd, text("drawer-part-saw-do-not-disturb")),
        (user.brief_due, text("drawer-part-saw-the-morning-brief")),
    ] {
        if on {
            you.push(sentence.to_owned());
        }
    }
    let agents = AgentName::FOUR
        .into_iter()
        .map(|agent| {
            let status = decision.agent_status.get(&agent).copied();
            let readings = decision
                .signals
                .get(&agent)
                .map(Vec::as_slice)
                .unwrap_or_default();
            AgentObservation {
                agent: words::agent(agent),
                status: match status {
                    Some(AgentStatus::Answered) if readings.is_empty() => {
                        Some(text("drawer-part-saw-had-nothing-to"))
                    }
                    Some(AgentStatus::Answered) => None,
                    Some(other) => Some(words::status(other)),
                    None => Some(text("drawer-part-saw-was-not-asked")),
                },
                readings: readings
                    .iter()
                    .map(|reading| ReadingRow {
                        name: words::reading(reading.key),
                        value: reading_value(reading, reading.value),
                        usual: usual(reading),
                        unusual: reading.low.is_some_and(|low| reading.value < low)
                            || reading.high.is_some_and(|high| reading.value > high),
                    })
                    .collect(),
            }
        })
        .collect();
    ObservationSection { you, agents }
}

fn candidate_row(candidate: &ConsideredCandidate, labels: &DisplayNames, chosen: bool) -> CandidateRow {
    let what = words::action(candidate.kind);
    let fate = match (&candidate.removed, &candidate.score) {
        (Some(reason), _) => match candidate.rule.as_deref() {
            Some("muted") => CandidateFate::Removed(words::ALREADY_MUTED.say()),
            Some(rule) => CandidateFate::Forbidden(rule.to_owned()),
            None => CandidateFate::Removed(words::reason(*reason)),
        },
        (None, Some(score)) => CandidateFate::Scored(score.score, parts(score, candidate.confidence)),
        (None, None) => CandidateFate::NotScored,
    };
    CandidateRow {
        what: match about(&candidate.subject, labels) {
            Some(subject) => format!("{what} · {subject}"),
            None => what.to_owned(),
        },
        by: said_by(candidate),
        fate,
        chosen,
    }
}

/// Who proposed it, how sure, and on what that rests: `Comms, 85 % sure: it asks a question`. A program that asks is never sure.
fn said_by(candidate: &ConsideredCandidate) -> String {
    if let Some(asker) = candidate.asker {
        return words::asker(asker).to_owned();
    }
    let (agent, sure) = (words::agent(candidate.agent), percent(candidate.confidence));
    let why = words::because(&candidate.evidence);
    let between = if why.is_empty() { "" } else { ": " };
    let by_rule = if candidate.passes_by_rule() {
        format!("; {}", words::LET_THROUGH_BESIDE.say())
    } else {
        String::new()
    };
    say!("drawer-part-said-by", agent, sure, between, why, by_rule)
}

/// The parts in the order of the formula: what speaks for it, then what is taken off.
fn parts(score: &ScoreParts, confidence: Milli) -> Vec<ScorePart> {
    let part = |name, sign: &str, size: Milli| ScorePart {
        name,
        value: format!("{sign}{}", thousandths(size)),
        size,
    };
    let off = |name, size: Milli| part(name, if size.0 == 0 { "" } else { "−" }, size);
    vec![
        part(text("drawer-part-parts-priority"), "", score.priority),
        part(text("drawer-part-parts-confidence"), "× ", confidence),
        part(text("drawer-part-parts-fit-to-your"), "× ", score.m),
        part(text("drawer-part-parts-worth"), "= ", score.utility),
        off(text("drawer-part-parts-its-surface"), score.surface_cost),
        off(text("drawer-part-parts-having-to-ask"), score.confirm_cost),
        off(text("drawer-part-parts-shown-lately"), score.recent),
        off(text("drawer-part-parts-do-not-disturb"), score.dnd),
        part(text("drawer-part-parts-score"), "= ", score.score),
    ]
}

/// Per cent without a trailing `.0`: 850 is `85`, 855 is `85.5`.
fn percent(milli: Milli) -> String {
    number(milli.to_f64() * 100.0)
}

fn trace_lines(trace: &Trace, labels: &DisplayNames, zone: Tz) -> Vec<String> {
    let reasons = DecisionReasons::from_trace(trace, zone);
    let sentence = sentence::of_trace(trace, labels);
    // The sentence of a silence holds its reason.
    let reason = reasons.reason.filter(|reason| !sentence.contains(reason));
    let mut lines = vec![sentence, reasons.outcome.to_owned()];
    lines.extend(reason.map(str::to_owned));
    lines.extend(trace.confirm.as_ref().map(|confirm| {
        say!(
            "drawer-part-trace-lines",
            surface = words::surface(confirm.surface),
            clock_s = clock_s(confirm.at, zone)
        )
    }));
    lines.extend(reasons.failures.into_iter().map(str::to_owned));
    lines.extend(reasons.next_possible);
    lines
}

fn trace_facts(trace: &Trace) -> Vec<(&'static str, String)> {
    let decision = &trace.decision;
    let mut facts = Vec::new();
    if let Some(chosen) = &decision.chosen {
        facts.push((
            text("drawer-part-trace-facts-shown"),
            words::surface(chosen.surface).to_owned(),
        ));
        if chosen.surface != Surface::Silent {
            let ask = if chosen.confirm_required {
                words::YES
            } else {
                words::NO
            };
            facts.push((
                text("drawer-part-trace-facts-asks-first"),
                ask.say().to_lowercase(),
            ));
        }
    }
    facts.extend(trace.tool_calls.iter().map(|call| {
        let end = match (&call.result, call.error) {
            (Some(_), _) => text("drawer-part-trace-facts-done"),
            (None, Some(_)) => text("drawer-part-trace-facts-not-done"),
            (None, None) => text("drawer-part-trace-facts-no-answer"),
        };
        (
            text("drawer-part-trace-facts-tool-call"),
            format!("{} ({end})", call.tool),
        )
    }));
    facts.push((
        text("drawer-part-trace-facts-attention-before"),
        ledger(&decision.ledger_before),
    ));
    facts.push((
        text("drawer-part-trace-facts-attention-after"),
        ledger(&trace.ledger_after),
    ));
    facts.push((
        text("drawer-part-trace-facts-the-sentence-is"),
        match (trace.rationale_source, &trace.rationale_rejected) {
            (RationaleSource::Model, _) => text("drawer-part-trace-facts-the-language-models").to_owned(),
            (RationaleSource::Template, None) => text("drawer-part-trace-facts-a-templates").to_owned(),
            (RationaleSource::Template, Some(why)) => {
                say!("drawer-part-trace-facts-a-templates-the", why)
            }
        },
    ));
    facts.push((
        text("drawer-part-trace-facts-policy"),
        short(&decision.policy_hash),
    ));
    facts.push((
        text("drawer-part-trace-facts-catalogue"),
        short(&decision.catalogue_hash),
    ));
    facts
}

/// `2 of 3 free`, with what is held.
fn ledger(ledger: &LedgerView) -> String {
    let held = if ledger.reserved == 0 {
        String::new()
    } else {
        say!("drawer-part-ledger-held", reserved = ledger.reserved)
    };
    say!(
        "drawer-part-ledger-of-free",
        free = ledger.free,
        ceiling = ledger.ceiling,
        held
    )
}

/// The first twelve characters of a hash.
fn short(hash: &str) -> String {
    hash.chars().take(12).collect()
}
