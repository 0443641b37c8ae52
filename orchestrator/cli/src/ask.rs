//! `aura ask`: a program proposes a call, the owner decides.
//!
//! What: tells the machine what a program wants done, and says how far that is. Why: a script may propose what a card can ask, and
//! nothing that it sends confirms it. Not here: what waits and when it is asked (`orchestrator_machine::asks`), the owner's own commands.

use super::{
    args::FormatArgs,
    error::CliError,
    exit::CommandExit,
    moments, mute, names,
    out::CommandOutput,
    records::local,
    service::{ServiceFolderArgs, unexpected},
};
use aura_runtime::control::{ControlReply, ControlRequest, ListedAsk};
use clap::{ArgGroup, Args};
use orchestrator_machine::asks::ASK_WAIT_MAX_MIN;
use serde_json::Value;
use std::{
    borrow::Cow,
    time::{Duration, Instant},
};
use surfaces_base::language::{name_or_word, say, text};
use toolcall_schema::{AskReport, AskState, ToolName, ids::RequestId};

/// `aura ask`
#[derive(Debug, Clone, Args)]
#[command(group = ArgGroup::new("what").required(true).args(["tool", "state", "cancel", "list"]))]
pub(crate) struct AskArgs {
    /// What is to be done: `comms.mute_channel`, `wellness.guide_breathing`, `wellness.start_nap_timer` or `wellness.permit_leisure`
    #[arg(value_name = "TOOL", value_parser = tool, requires_all = ["args", "idempotency_key"])]
    tool: Option<ToolName>,
    /// The tool's arguments, with the values that its card names
    #[arg(long, value_name = "JSON", value_parser = json, requires = "tool")]
    args: Option<Value>,
    /// The program's own name for this ask: the same again tells how far it is
    #[arg(long, value_name = "KEY", value_parser = mute::key, requires = "tool")]
    idempotency_key: Option<String>,
    /// How long it may wait for the owner, 1m to 1d [default: 1h]
    #[arg(long = "for", value_name = "TIME", value_parser = wait, requires = "tool")]
    wait_min: Option<u16>,
    /// Wait until it is over, or so long
    #[arg(long, value_name = "TIME", value_parser = wait, num_args = 0..=1, default_missing_value = "1d", conflicts_with_all = ["list", "cancel"])]
    wait: Option<u16>,
    /// How far one is, by its id
    #[arg(long, value_name = "ID", value_parser = RequestId::parse)]
    state: Option<RequestId>,
    /// Take one back, by its id
    #[arg(long, value_name = "ID", value_parser = RequestId::parse)]
    cancel: Option<RequestId>,
    /// What programs asked for: what waits, and the last ends
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

fn tool(name: &str) -> Result<ToolName, &'static str> {
    ToolName::parse(name).ok_or_else(|| text("cli-ask-no-such-tool"))
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error: serde_json::Error| {
        let place = || say!("cli-ask-json-place", line = error.line(), column = error.column());
        say!("cli-ask-no-json", error = name_or_word(&error.to_string(), place))
    })
}

fn wait(length: &str) -> Result<u16, &'static str> {
    moments::length_ms(length)
        .and_then(|ms| u16::try_from(ms / 60_000).ok())
        .filter(|minutes| (1..=ASK_WAIT_MAX_MIN).contains(minutes))
        .ok_or_else(|| text("cli-ask-wait-length"))
}

/// Runs `aura ask`. 1 when it is over and was not done.
///
/// # Errors
/// What may not be asked for, a key of another ask, too many that wait, no such ask, data folder, a service that does not answer.
pub(crate) fn run(args: &AskArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let Some(request) = request_of(args) else {
        return list(args, out);
    };
    let mut asked = ask(args, &request)?;
    let until = args
        .wait
        .map(|minutes| Instant::now() + Duration::from_secs(u64::from(minutes) * 60));
    // Each answer is held back by the service until something changes, so this does not spin.
    while !asked.report.state.is_over() && until.is_some_and(|until| Instant::now() < until) {
        let ask_again = ControlRequest::AskState {
            ask: asked.ask.clone(),
            wait: true,
        };
        asked = ask(args, &ask_again)?;
    }
    if args.format.json {
        out.json(&as_json(&asked))?;
    } else {
        let zone = args.folder.standing()?.zone;
        out.text(&sentence(&asked.report, |until| local(until, zone)))?;
        if args.tool.is_some() && !asked.report.state.is_over() {
            out.text(&say!("cli-ask-how-far", ask = asked.ask.as_str()))?;
        }
    }
    Ok(match asked.report.state {
        AskState::Queued | AskState::Asking | AskState::Done => CommandExit::Ok,
        AskState::Cancelled if args.cancel.is_some() => CommandExit::Ok,
        AskState::Refused
        | AskState::Dismissed
        | AskState::Expired
        | AskState::Cancelled
        | AskState::Unknown => CommandExit::Bad,
    })
}

/// What is asked first; `None`: the list.
fn request_of(args: &AskArgs) -> Option<ControlRequest> {
    if let Some(ask) = args.state.clone() {
        let wait = args.wait.is_some();
        return Some(ControlRequest::AskState { ask, wait });
    }
    if let Some(ask) = args.cancel.clone() {
        return Some(ControlRequest::AskCancel { ask });
    }
    Some(ControlRequest::Ask {
        tool: args.tool?,
        args: args.args.clone()?,
        key: args.idempotency_key.clone()?,
        wait_min: args.wait_min,
    })
}

fn ask(args: &AskArgs, request: &ControlRequest) -> Result<ListedAsk, CliError> {
    let reply = args.folder.ask(request)?;
    let ControlReply::Asked(asked) = reply else {
        return Err(unexpected(reply));
    };
    Ok(asked)
}

/// One ask on a line: its id beside what a program is told.
fn as_json(asked: &ListedAsk) -> Value {
    let mut told = serde_json::to_value(&asked.report).unwrap_or_default();
    if let Value::Object(members) = &mut told {
        members.insert("ask".to_owned(), Value::from(asked.ask.as_str()));
        if let Some(kind) = asked.kind {
            members.insert("kind".to_owned(), Value::from(kind.as_str()));
        }
        if let Some(device) = &asked.device {
            members.insert("device".to_owned(), Value::from(device.as_str()));
        }
    }
    told
}

fn list(args: &AskArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let reply = args.folder.ask_existing(&ControlRequest::Asks)?;
    let ControlReply::Asks(asks) = reply else {
        return Err(unexpected(reply));
    };
    if args.format.json {
        for asked in &asks {
            out.json(&as_json(asked))?;
        }
    } else if asks.is_empty() {
        out.text(text("cli-ask-nothing-asked"))?;
    } else {
        let row = |asked: &ListedAsk| {
            [
                asked.ask.to_string(),
                asked
                    .device
                    .as_ref()
                    .map_or("-", |device| device.as_str())
                    .to_owned(),
                asked.kind.map_or(Cow::Borrowed("-"), names::action).into_owned(),
                state_in_words(asked.report.state).to_owned(),
            ]
        };
        let rows: Vec<[String; 4]> = asks.iter().map(row).collect();
        let head = [
            text("cli-ask-column-ask"),
            text("cli-ask-column-device"),
            text("cli-ask-column-for"),
            text("cli-ask-column-state"),
        ];
        out.table(head, &rows)?;
    }
    Ok(CommandExit::Ok)
}

fn state_in_words(state: AskState) -> &'static str {
    match state {
        AskState::Queued => text("cli-ask-state-queued"),
        AskState::Asking => text("cli-ask-state-asking"),
        AskState::Done => text("cli-ask-state-done"),
        AskState::Refused => text("cli-ask-state-refused"),
        AskState::Dismissed => text("cli-ask-state-dismissed"),
        AskState::Expired => text("cli-ask-state-expired"),
        AskState::Cancelled => text("cli-ask-state-cancelled"),
        AskState::Unknown => text("cli-ask-state-unknown"),
    }
}

fn sentence(report: &AskReport, time: impl Fn(toolcall_schema::Timestamp) -> String) -> String {
    let said = match (report.state, report.until) {
        (AskState::Queued, Some(until)) => say!("cli-ask-queued-until", until = time(until)),
        (AskState::Queued, None) => text("cli-ask-queued").to_owned(),
        (AskState::Asking, _) => text("cli-ask-asking").to_owned(),
        (AskState::Done, _) => text("cli-ask-done").to_owned(),
        (AskState::Refused, _) => text("cli-ask-refused").to_owned(),
        (AskState::Dismissed, _) => text("cli-ask-dismissed").to_owned(),
        (AskState::Expired, _) => text("cli-ask-expired").to_owned(),
        (AskState::Cancelled, _) => text("cli-ask-cancelled").to_owned(),
        (AskState::Unknown, _) => text("cli-ask-unknown").to_owned(),
    };
    match &report.trace_id {
        Some(trace) => format!("{said} {}", say!("cli-ask-see-trace", trace = trace.as_str())),
        None => said,
    }
}
