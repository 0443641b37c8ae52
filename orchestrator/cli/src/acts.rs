//! `aura history` and `aura undo`: what you did, and taking it back.
//!
//! What: asks the service, or runs one for the request, and prints. Why: whatever was done by mistake is taken back where one is. Not here: what an act
//! is, and by which call it is taken back (`control_handler::history`).

use super::{
    args::FormatArgs,
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
    service::{ServiceFolderArgs, unexpected},
    trace_ref::TraceRef,
};
use aura_runtime::control::{ActReversal, ControlReply, ControlRequest, ListedAct};
use clap::Args;
use surfaces::render::acts::ActId;
use surfaces_base::{
    language::{Language, say, text},
    locale,
};
use toolcall_schema::ids::TraceId;

/// `aura history`
#[derive(Debug, Clone, Args)]
pub(crate) struct HistoryArgs {
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura undo`
#[derive(Debug, Clone, Args)]
pub(crate) struct UndoArgs {
    /// Which act, as `aura history` prints it, the beginning of its id, or `last`: the newest that can be taken back
    #[arg(default_value = "last", value_parser = act_ref)]
    act: TraceRef,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// An act is named by its trace; a pause and a rule have an id of their own.
fn act_ref(text: &str) -> Result<TraceRef, &'static str> {
    match ActId::parse(text) {
        Some(ActId::Instruction(_)) => Ok(TraceRef::Beginning(text.to_owned())),
        Some(ActId::Trace(_)) | None => TraceRef::parse(text),
    }
}

/// Asks, in English for programs: without a running service this process says what was done.
fn ask(
    folder: &ServiceFolderArgs,
    format: FormatArgs,
    request: &ControlRequest,
) -> Result<ControlReply, CliError> {
    if format.json {
        locale::speaking(Language::English, || folder.ask_existing(request))
    } else {
        folder.ask_existing(request)
    }
}

/// Runs `aura history`.
///
/// # Errors
/// Configuration, data folder, a service that does not answer.
pub(crate) fn history(args: &HistoryArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let reply = ask(&args.folder, args.format, &ControlRequest::History)?;
    let ControlReply::Acts(acts) = reply else {
        return Err(unexpected(reply));
    };
    if args.format.json {
        for act in &acts {
            out.json(act)?;
        }
    } else if acts.is_empty() {
        out.text(text("cli-acts-nothing-done"))?;
    } else {
        let zone = args.folder.standing()?.zone;
        let cells: Vec<_> = acts
            .iter()
            .map(|act| {
                let trace = act.trace_id.as_ref().map(TraceId::as_str);
                [
                    trace.or(act.instruction.as_deref()).unwrap_or("-").to_owned(),
                    out.moment(act.at, zone),
                    undo_cell(act).to_owned(),
                    [Some(act.says.as_str()), act.delivery.as_deref()]
                        .into_iter()
                        .flatten()
                        .collect::<Vec<_>>()
                        .join(" "),
                ]
            })
            .collect();
        let head = [
            text("cli-acts-column-act"),
            text("cli-acts-column-when"),
            text("cli-acts-column-undo"),
            text("cli-acts-column-what"),
        ];
        out.table(head, &cells)?;
    }
    Ok(CommandExit::Ok)
}

fn undo_cell(act: &ListedAct) -> &'static str {
    match act.undo {
        ActReversal::Offered => text("cli-acts-undo-offered"),
        ActReversal::Undone => text("cli-acts-undo-undone"),
        ActReversal::Over => text("cli-acts-undo-over"),
        ActReversal::Nothing => "-",
    }
}

/// Runs `aura undo`.
///
/// # Errors
/// As [`history`]; an act that is not there, is over, or cannot be taken back.
pub(crate) fn undo(args: &UndoArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let beginning = args.act.beginning().map(str::to_owned);
    let reply = ask(&args.folder, args.format, &ControlRequest::Undo { beginning })?;
    let ControlReply::Undone(undone) = reply else {
        return Err(unexpected(reply));
    };
    if args.format.json {
        out.json(&undone)?;
    } else if undone.was_undone {
        out.text(&say!("cli-acts-undone-already", act = &undone.act.says))?;
    } else {
        out.text(&say!("cli-acts-undone", act = &undone.act.says))?;
    }
    Ok(CommandExit::Ok)
}
