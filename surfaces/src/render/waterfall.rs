//! A tick as bars on one time axis.
//!
//! What: [`waterfall`], a row for each step with when it began, how long it took, what went in and what came out. Why: why a tick was slow is
//! seen at once. Only times that trace, journal and quarantine keep are used: a step without a time of its own is an instant and says so.
//! Not here: the rows and their axis (`axis`), markup (`web::console::tick`), where the times come from (the backend).

mod axis;

pub use axis::{AXIS_WIDTH, StepRole, StepSide, TickWaterfall, WaterfallRow};

use serde_json::{Value, json};
use surfaces_base::{
    backend::console::{
        AnswerEnding, NEAR_MS, ProcessName, ProcessRestart, RefusedItem, TickEvent, TickEventKind, TickView,
    },
    format,
    words::{self, tick as say},
};
use toolcall_schema::{
    AgentName, AgentStatus, ReasonCode, StateName, SubmitAct, Surface, Timestamp, ToolName,
    result::ToolErrorCode,
    trace::{CallRecord, StateVisit, Trace},
};

/// The picture of a tick, or of a call that was asked for.
pub fn waterfall(view: &TickView) -> TickWaterfall {
    let steps = TickSteps::of_view(view);
    let rows = if view.trace.decision.call.is_some() {
        steps.of_call()
    } else {
        steps.of_tick()
    };
    let trace = &view.trace;
    let asked = steps.find(|kind| kind == TickEventKind::Requested);
    let from = trace.state_path.first().map(|visit| visit.at);
    let from = from.or(asked.map(|event| event.at)).unwrap_or(trace.decision.ts);
    let kept = steps.find(|kind| matches!(kind, TickEventKind::TraceKept { .. }));
    let to = kept.map_or(trace.ts, |event| event.at.max(trace.ts));
    let ms = to.since(from).max(0);
    let waits = |visit: &&StateVisit| visit.state == StateName::AwaitingConfirm;
    let wait = trace.state_path.iter().find(waits).map(|visit| {
        let begins = visit.at.since(from);
        (begins, begins + visit.ms)
    });
    TickWaterfall {
        from,
        ms,
        short_wait: wait.filter(|(begins, ends)| ends - begins > ms - (ends - begins)),
        rows,
    }
}

struct TickSteps<'a> {
    trace: &'a Trace,
    /// Empty where they are not kept.
    events: &'a [TickEvent],
    has_events: bool,
    refused: &'a [RefusedItem],
    restarts: &'a [ProcessRestart],
}

/// A row with nothing on either side.
fn plain_row(name: String, role: StepRole, from: Timestamp, ms: Option<i64>) -> WaterfallRow {
    WaterfallRow {
        name,
        code: role.class().to_owned(),
        result: None,
        role,
        is_nested: true,
        from,
        ms,
        says: String::new(),
        is_bad: false,
        input: StepSide::Nothing,
        output: StepSide::Nothing,
        refused: None,
    }
}

/// A part of the trace as JSON.
fn side(value: impl serde::Serialize) -> StepSide {
    serde_json::to_value(value).map_or(StepSide::NotKept, StepSide::Json)
}

impl<'a> TickSteps<'a> {
    fn of_view(view: &'a TickView) -> Self {
        Self {
            trace: &view.trace,
            events: view.events.as_deref().unwrap_or_default(),
            has_events: view.events.is_some(),
            refused: &view.refused,
            restarts: &view.restarts,
        }
    }

    fn find(&self, is_it: impl Fn(TickEventKind) -> bool) -> Option<&'a TickEvent> {
        self.events.iter().find(|event| is_it(event.kind))
    }

    fn of_tick(&self) -> Vec<WaterfallRow> {
        let mut rows = vec![self.trigger()];
        // A path begins in the Idle that the tick left at once: that is no step.
        let is_step = |visit: &&StateVisit| visit.state != StateName::Idle || visit.ms > 0;
        for visit in self.trace.state_path.iter().filter(is_step) {
            rows.push(WaterfallRow {
                is_nested: false,
                code: visit.state.as_str().to_owned(),
                says: format::duration_ms(visit.ms),
                ..plain_row(
                    words::console::state_name(visit.state).to_owned(),
                    StepRole::State,
                    visit.at,
                    Some(visit.ms),
                )
            });
            match visit.state {
                StateName::Listening => {
                    rows.extend(AgentName::FOUR.iter().map(|agent| {
                        let row = self.agent(*agent, visit);
                        self.with_restart(row, *agent, visit)
                    }));
                }
                StateName::Deliberating => rows.extend(self.deliberation(visit)),
                StateName::AwaitingConfirm => rows.extend(self.question(visit)),
                StateName::Executing => rows.extend(self.execution(visit)),
                StateName::LoggingTrace => rows.extend(self.logging()),
                StateName::Idle | StateName::Cooldown => {}
            }
        }
        rows.extend(self.restarts());
        rows
    }

    fn trigger(&self) -> WaterfallRow {
        let decision = &self.trace.decision;
        let began = self
            .trace
            .state_path
            .first()
            .map_or(decision.ts, |visit| visit.at);
        let waited = began.since(decision.trigger.at);
        WaterfallRow {
            is_nested: false,
            code: "trigger".to_owned(),
            result: Some(decision.trigger.source.as_str().to_owned()),
            says: if waited > 0 {
                say::had_waited(&format::duration_ms(waited))
            } else {
                say::AT_ONCE.say().to_owned()
            },
            output: side(&decision.trigger),
            ..plain_row(
                say::began_by(decision.trigger.source),
                StepRole::Gate,
                began,
                None,
            )
        }
    }

    fn agent(&self, agent: AgentName, listening: &StateVisit) -> WaterfallRow {
        let answer = self.events.iter().find_map(|event| {
            if let TickEventKind::AgentAnswered { agent: whose, ending } = event.kind
                && whose == agent
            {
                Some((event, ending))
            } else {
                None
            }
        });
        let decision = &self.trace.decision;
        let status = decision.agent_status.get(&agent).copied();
        let ended = listening.at.plus_ms(listening.ms);
        let row = plain_row(
            words::agent(agent).to_owned(),
            StepRole::Agent,
            listening.at,
            None,
        );
        let row = WaterfallRow {
            code: format!("agent {agent}"),
            result: status.map(|status| status.as_str().to_owned()),
            input: StepSide::NotKept,
            ..row
        };
        let Some((event, ending)) = answer else {
            let is_timeout = status == Some(AgentStatus::Timeout);
            return WaterfallRow {
                // Until its deadline it was waited for: that is known without an event.
                ms: is_timeout.then_some(listening.ms),
                from: if is_timeout { listening.at } else { ended },
                says: match status {
                    Some(status) if is_timeout || self.has_events => words::status(status).to_owned(),
                    Some(status) => say::without_time(words::status(status)),
                    None => say::NOT_ASKED.say().to_owned(),
                },
                is_bad: status.is_some_and(|status| status != AgentStatus::Answered),
                output: side(json!({
                    "status": status,
                    "signals": decision.signals.get(&agent),
                    "candidates": decision.candidates.iter().filter(|one| one.agent == agent).collect::<Vec<_>>(),
                })),
                ..row
            };
        };
        // The journal writes an answer down a moment after it counts: what the trace calls answered was in time.
        let is_in_time = status == Some(AgentStatus::Answered);
        let is_late = !is_in_time && event.at > ended;
        let answered_at = if is_in_time { event.at.min(ended) } else { event.at };
        let ms = answered_at.since(listening.at);
        let ending = match ending {
            AnswerEnding::Answered => AgentStatus::Answered,
            AnswerEnding::Failed => AgentStatus::Failed,
            AnswerEnding::Rejected => AgentStatus::Rejected,
        };
        WaterfallRow {
            ms: Some(ms.max(0)),
            result: Some(ending.as_str().to_owned()),
            says: if is_late {
                say::came_late(&format::duration_ms(event.at.since(ended)))
            } else {
                words::status(ending).to_owned()
            },
            is_bad: is_late || ending != AgentStatus::Answered,
            output: event
                .json
                .pointer("/what/answer")
                .map_or(StepSide::NotKept, |answer| StepSide::Json(answer.clone())),
            ..row
        }
    }

    /// A row of an agent, which also says that it was started again: while it was asked or, where it gave no answer in time, soon after.
    fn with_restart(&self, row: WaterfallRow, agent: AgentName, listening: &StateVisit) -> WaterfallRow {
        let until = if row.is_bad {
            listening.at.plus_ms(listening.ms + NEAR_MS)
        } else {
            row.from.plus_ms(row.ms.unwrap_or(0))
        };
        let is_its = |restart: &&ProcessRestart| {
            restart.name == ProcessName::Agent(agent) && (listening.at..=until).contains(&restart.at)
        };
        let Some(restart) = self.restarts.iter().find(is_its) else {
            return row;
        };
        let long = format::duration_ms(restart.at.since(listening.at));
        WaterfallRow {
            says: say::started_again_while_asked(&row.says, &long),
            is_bad: true,
            ..row
        }
    }

    fn gate(&self, at: Timestamp) -> Vec<WaterfallRow> {
        if self.refused.is_empty() {
            return vec![WaterfallRow {
                result: Some("passed".to_owned()),
                says: say::NOTHING_REFUSED.say().to_owned(),
                ..plain_row(say::GATE.say().to_owned(), StepRole::Gate, at, None)
            }];
        }
        let row = |(place, item): (usize, &RefusedItem)| WaterfallRow {
            result: Some(item.code.clone()),
            says: say::refused_with(&item.code),
            is_bad: true,
            output: StepSide::Json(
                json!({"code": item.code, "pointer": item.pointer, "message": item.message}),
            ),
            input: StepSide::Json(Value::from(item.raw.as_str())),
            refused: Some(place),
            ..plain_row(say::GATE.say().to_owned(), StepRole::Gate, item.at, None)
        };
        // They are kept newest first.
        self.refused.iter().enumerate().rev().map(row).collect()
    }

    fn deliberation(&self, visit: &StateVisit) -> Vec<WaterfallRow> {
        let decision = &self.trace.decision;
        let mut rows = self.gate(visit.at);
        if let Some(event) = self.find(|kind| matches!(kind, TickEventKind::TieBroken { .. })) {
            let is_ok = matches!(event.kind, TickEventKind::TieBroken { ok: true });
            rows.push(WaterfallRow {
                code: "model tie".to_owned(),
                result: Some(model_result(is_ok)),
                says: say::model_said(is_ok).to_owned(),
                is_bad: !is_ok,
                input: StepSide::NotKept,
                output: side(event.json.get("what")),
                ..plain_row(
                    say::TIE.say().to_owned(),
                    StepRole::Model,
                    visit.at,
                    Some(event.at.since(visit.at).max(0)),
                )
            });
        }
        let reason = || decision.reason_code.map(ReasonCode::as_str);
        let chosen = decision.chosen.as_ref().map(|chosen| chosen.kind.as_str());
        rows.push(WaterfallRow {
            result: chosen.or_else(reason).map(str::to_owned),
            says: decision.chosen.as_ref().map_or_else(
                || say::NOTHING_CHOSEN.say().to_owned(),
                |chosen| words::action(chosen.kind).to_owned(),
            ),
            input: side(&decision.candidates),
            output: side(json!({"chosen": decision.chosen, "reason_code": decision.reason_code})),
            ..plain_row(
                say::DECISION.say().to_owned(),
                StepRole::Decision,
                decision.ts,
                None,
            )
        });
        if decision.chosen.is_some() {
            let event = self.find(|kind| matches!(kind, TickEventKind::Committed { .. }));
            let ended = visit.at.plus_ms(visit.ms);
            rows.push(barrier(
                (say::DECISION_KEPT.say(), "decision"),
                decision.ts,
                event,
                event.map_or(ended, |event| event.at),
            ));
        }
        rows
    }

    fn question(&self, visit: &StateVisit) -> Vec<WaterfallRow> {
        let trace = self.trace;
        let ended = visit.at.plus_ms(visit.ms);
        let mut rows = self.shown_cards(visit.at, ended);
        let said = self.events.iter().rev().find_map(|event| {
            if let TickEventKind::Submitted { surface, act } = event.kind
                && event.at <= ended
            {
                Some((surface, act))
            } else {
                None
            }
        });
        let answer = match (&trace.confirm, said) {
            (Some(confirm), _) => Some((confirm.surface, SubmitAct::Confirm)),
            (None, said) => said,
        };
        let (says, is_bad) = match answer {
            Some((surface, act)) => (say::owner_answer(surface, act), false),
            None => (say::NO_ANSWER.say().to_owned(), true),
        };
        rows.push(WaterfallRow {
            result: Some(answer.map_or("no_answer", |(_, act)| act.as_str()).to_owned()),
            says,
            is_bad,
            input: side(&trace.decision.chosen),
            output: trace.confirm.as_ref().map_or(StepSide::Nothing, side),
            ..plain_row(
                say::OWNER.say().to_owned(),
                StepRole::Owner,
                visit.at,
                Some(visit.ms),
            )
        });
        rows
    }

    /// Where a card was really shown between two instants: once for each card and surface, with its times.
    fn shown_cards(&self, from: Timestamp, to: Timestamp) -> Vec<WaterfallRow> {
        let zone = format::zone(&self.trace.decision.user.zone);
        let mut shown: Vec<(Surface, Option<&Value>, Vec<&TickEvent>)> = Vec::new();
        for event in self
            .events
            .iter()
            .filter(|event| from <= event.at && event.at < to)
        {
            let TickEventKind::Shown { surface } = event.kind else {
                continue;
            };
            let card = event.json.pointer("/what/card_id");
            let is_it = |one: &&mut (Surface, Option<&Value>, Vec<_>)| one.0 == surface && one.1 == card;
            match shown.iter_mut().find(is_it) {
                Some((_, _, events)) => events.push(event),
                None => shown.push((surface, card, vec![event])),
            }
        }
        let row = |(surface, _, events): (Surface, Option<&Value>, Vec<&TickEvent>)| {
            let first = *events.first()?;
            let on = words::surface(surface);
            let times: Vec<String> = events
                .iter()
                .map(|event| format::clock_s(event.at, zone))
                .collect();
            Some(WaterfallRow {
                code: "shown".to_owned(),
                result: Some(surface.as_str().to_owned()),
                says: match times.as_slice() {
                    [_] => on.to_owned(),
                    _ => say::shown_again(on, &times),
                },
                output: side(first.json.get("what")),
                ..plain_row(say::SHOWN.say().to_owned(), StepRole::Owner, first.at, None)
            })
        };
        shown.into_iter().filter_map(row).collect()
    }

    fn execution(&self, visit: &StateVisit) -> Vec<WaterfallRow> {
        let mut rows = Vec::new();
        let mut sent = visit.at;
        if self.trace.confirm.is_some() {
            let is_barrier = |event: &&TickEvent| {
                matches!(event.kind, TickEventKind::Committed { .. }) && event.at >= visit.at
            };
            // The first one was the decision's.
            let event = self.events.iter().rfind(is_barrier);
            if let Some(event) = event {
                rows.push(barrier(
                    (say::ANSWER_KEPT.say(), "answer"),
                    visit.at,
                    Some(event),
                    event.at,
                ));
                sent = event.at;
            }
        }
        let ended = visit.at.plus_ms(visit.ms);
        let calls = self.trace.tool_calls.iter().enumerate();
        rows.extend(calls.map(|(number, call)| {
            let event = self.find(|kind| {
                matches!(kind, TickEventKind::Executed { companion, .. } if companion == (number == 1))
            });
            self::call(call, sent, event.map_or(ended, |event| event.at))
        }));
        rows
    }

    fn logging(&self) -> Vec<WaterfallRow> {
        let trace = self.trace;
        let mut rows = Vec::new();
        if let Some(event) = self.find(|kind| matches!(kind, TickEventKind::Sentence { .. })) {
            let is_ok = matches!(event.kind, TickEventKind::Sentence { ok: true });
            let asked = trace.decision.ts;
            rows.push(WaterfallRow {
                code: "model sentence".to_owned(),
                result: Some(model_result(is_ok)),
                // Without it the template's sentence stays: nothing went wrong.
                says: say::model_said(is_ok).to_owned(),
                input: StepSide::NotKept,
                output: side(event.json.get("what")),
                ..plain_row(
                    say::SENTENCE.say().to_owned(),
                    StepRole::Model,
                    asked,
                    Some(event.at.since(asked).max(0)),
                )
            });
        }
        rows.push(self.trace_kept());
        rows.extend(
            self.shown_cards(trace.ts, Timestamp::from_ms(i64::MAX))
                .into_iter()
                .map(|row| {
                    let later = format::duration_ms(row.from.since(trace.ts));
                    WaterfallRow {
                        says: say::seen_later(&row.says, &later),
                        ..row
                    }
                }),
        );
        rows
    }

    fn trace_kept(&self) -> WaterfallRow {
        let trace = self.trace;
        let event = self.find(|kind| matches!(kind, TickEventKind::TraceKept { .. }));
        let row = match event {
            Some(event) => barrier(
                (say::TRACE_KEPT.say(), TRACE_BARRIER),
                trace.ts,
                Some(event),
                event.at,
            ),
            None => WaterfallRow {
                code: barrier_code(TRACE_BARRIER),
                says: say::without_time(say::KEPT.say()),
                ..plain_row(
                    say::TRACE_KEPT.say().to_owned(),
                    StepRole::Barrier,
                    trace.ts,
                    None,
                )
            },
        };
        WaterfallRow {
            input: side(json!({"outcome": trace.outcome, "reason_code": trace.reason_code,
                "rationale": trace.rationale, "rationale_source": trace.rationale_source})),
            ..row
        }
    }

    fn restarts(&self) -> Vec<WaterfallRow> {
        let is_start = |event: &&TickEvent| event.kind == TickEventKind::Restarted;
        let row = |event: &TickEvent| WaterfallRow {
            is_nested: false,
            is_bad: true,
            code: "restart".to_owned(),
            says: say::RESTARTED.say().to_owned(),
            output: side(event.json.get("what")),
            ..plain_row(say::RESTART.say().to_owned(), StepRole::State, event.at, None)
        };
        self.events.iter().filter(is_start).map(row).collect()
    }

    /// A call that was asked for goes through no states.
    fn of_call(&self) -> Vec<WaterfallRow> {
        let trace = self.trace;
        let asked = self.find(|kind| kind == TickEventKind::Requested);
        let asked_at = asked.map_or(trace.decision.ts, |event| event.at);
        let mut rows = vec![WaterfallRow {
            code: "request".to_owned(),
            says: trace
                .tool_calls
                .first()
                .map_or_else(String::new, |call| call.tool.clone()),
            output: side(trace.decision.call),
            ..plain_row(say::ASKED_FOR.say().to_owned(), StepRole::Owner, asked_at, None)
        }];
        rows.extend(self.gate(asked_at));
        let kept = self.find(|kind| matches!(kind, TickEventKind::Committed { .. }));
        if let Some(event) = kept {
            rows.push(barrier(
                (say::REQUEST_KEPT.say(), "request"),
                asked_at,
                Some(event),
                event.at,
            ));
        }
        let sent = kept.map_or(asked_at, |event| event.at);
        let answered = self.find(|kind| matches!(kind, TickEventKind::Executed { .. }));
        let until = answered.map_or(trace.ts, |event| event.at);
        rows.extend(trace.tool_calls.iter().map(|call| self::call(call, sent, until)));
        rows.push(self.trace_kept());
        rows.extend(self.restarts());
        for row in &mut rows {
            row.is_nested = false;
        }
        rows
    }
}

/// The barrier behind which a trace is kept.
const TRACE_BARRIER: &str = "trace";

fn barrier_code(what: &str) -> String {
    format!("barrier {what}")
}

fn model_result(is_ok: bool) -> String {
    if is_ok { "used" } else { "not_used" }.to_owned()
}

/// Something that had to be on disk.
fn barrier(
    (name, what): (&str, &str),
    from: Timestamp,
    event: Option<&TickEvent>,
    to: Timestamp,
) -> WaterfallRow {
    let is_kept = event.is_none_or(|event| {
        matches!(
            event.kind,
            TickEventKind::Committed { ok: true } | TickEventKind::TraceKept { ok: true }
        )
    });
    WaterfallRow {
        code: barrier_code(what),
        result: Some(if is_kept { "kept" } else { "not_kept" }.to_owned()),
        says: if is_kept {
            say::KEPT.say()
        } else {
            say::NOT_KEPT.say()
        }
        .to_owned(),
        is_bad: !is_kept,
        output: event.map_or(StepSide::Nothing, |event| side(event.json.get("what"))),
        ..plain_row(
            name.to_owned(),
            StepRole::Barrier,
            from,
            Some(to.since(from).max(0)),
        )
    }
}

/// A tool's call, from its being sent to its answer.
fn call(call: &CallRecord, from: Timestamp, to: Timestamp) -> WaterfallRow {
    WaterfallRow {
        code: format!(
            "call {}",
            ToolName::parse(&call.tool).map_or("unknown", ToolName::as_str)
        ),
        result: Some(call.error.map_or("done", ToolErrorCode::as_str).to_owned()),
        says: call.error.map_or(say::DONE.say(), words::tool_error).to_owned(),
        is_bad: call.error.is_some(),
        input: StepSide::Json(json!({"call_id": call.call_id, "args": call.args})),
        output: call.result.as_deref().map_or(StepSide::Nothing, side),
        ..plain_row(
            call.tool.clone(),
            StepRole::Call,
            from,
            Some(to.since(from).max(0)),
        )
    }
}
