//! `aura ask`: a program proposes a call, the owner decides.
//!
//! What: tells the machine what a program wants done, and says how far that is. Why: a script may propose what a card can ask, and
//! nothing that it sends confirms it. Not here: what waits and when it is asked (`orchestrator_machine::asks`), the owner's own commands.

use super::{
    args::FormatArgs,
    error::CliError,
    exit::CommandExit,
    moments, mute,
    out::CommandOutput,
    records::local,
    service::{ServiceFolderArgs, unexpected},
};
use aura_runtime::control::{ControlReply, ControlRequest};
use clap::Args;
use orchestrator_machine::asks::{ASK_WAIT_MAX_MIN, AskReport, AskState};
use serde_json::Value;
use toolcall_schema::ToolName;

/// `aura ask`
#[derive(Debug, Clone, Args)]
pub(crate) struct AskArgs {
    /// What is to be done: `comms.mute_channel`, `wellness.guide_breathing`, `wellness.start_nap_timer` or `wellness.permit_leisure`
    #[arg(value_name = "TOOL", value_parser = tool)]
    tool: ToolName,
    /// The tool's arguments, with the values that its card names
    #[arg(long, value_name = "JSON", value_parser = json)]
    args: Value,
    /// The program's own name for this ask: the same again tells how far it is
    #[arg(long, value_name = "KEY", value_parser = mute::key)]
    idempotency_key: String,
    /// How long it may wait, 1m to 1d [default: 1h]
    #[arg(long = "for", value_name = "TIME", value_parser = wait)]
    wait_min: Option<u16>,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

fn tool(text: &str) -> Result<ToolName, &'static str> {
    ToolName::parse(text).ok_or("the catalogue has no such tool: `aura catalogue` lists them")
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("that is no JSON: {error}"))
}

fn wait(text: &str) -> Result<u16, &'static str> {
    moments::length_ms(text)
        .and_then(|ms| u16::try_from(ms / 60_000).ok())
        .filter(|minutes| (1..=ASK_WAIT_MAX_MIN).contains(minutes))
        .ok_or("an ask waits from 1m to 1d")
}

/// Runs `aura ask`. 1 when it is over and was not done.
///
/// # Errors
/// What may not be asked for, a key of another ask, too many that wait, data folder, a service that does not answer.
pub(crate) fn run(args: &AskArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let reply = args.folder.ask(&ControlRequest::Ask {
        tool: args.tool,
        args: args.args.clone(),
        key: args.idempotency_key.clone(),
        wait_min: args.wait_min,
    })?;
    let ControlReply::Asked(report) = &reply else {
        return Err(unexpected(reply));
    };
    if args.format.json {
        out.json(report)?;
    } else {
        let zone = args.folder.standing()?.zone;
        out.text(&sentence(report, |until| local(until, zone)))?;
    }
    Ok(match report.state {
        AskState::Queued | AskState::Asking | AskState::Done => CommandExit::Ok,
        AskState::Refused | AskState::Dismissed | AskState::Expired | AskState::Unknown => CommandExit::Bad,
    })
}

fn sentence(report: &AskReport, time: impl Fn(toolcall_schema::Timestamp) -> String) -> String {
    let mut text = match (report.state, report.until) {
        (AskState::Queued, Some(until)) => {
            format!("queued: it waits for a moment when Aura may ask the owner, until {}.", time(until))
        }
        (AskState::Queued, None) => "queued: it waits for a moment when Aura may ask the owner.".to_owned(),
        (AskState::Asking, _) => "asking: the owner is being asked.".to_owned(),
        (AskState::Done, _) => "done: the owner confirmed it, and it was done.".to_owned(),
        (AskState::Refused, _) => "refused: the owner confirmed it, and its tool did not do it.".to_owned(),
        (AskState::Dismissed, _) => "dismissed: the owner said no.".to_owned(),
        (AskState::Expired, _) => "expired: nobody confirmed it in time.".to_owned(),
        (AskState::Unknown, _) => {
            "unknown: the owner confirmed it, and a crash left it unknown whether it was done; it is not done again."
                .to_owned()
        }
    };
    if let Some(trace) = &report.trace_id {
        text.push_str(" See aura trace show ");
        text.push_str(trace.as_str());
    }
    text
}
