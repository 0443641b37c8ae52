//! `aura model use`: which model a data folder's service asks.
//!
//! What: writes the choice down and tells a running service. Why: it takes effect without a restart. Not here: the file
//! (`aura_memory::chosen`), starting the model (`aura_process::model_supervisor`).

use crate::{
    args::{DataDir, FormatArgs},
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
    service::{ask, unexpected},
};
use aura_process::models::ModelCatalog;
use aura_runtime::control::{ControlReply, ControlRequest};
use clap::Args;
use toolcall_schema::ModelFileStatus;

/// `aura model use`
#[derive(Debug, Clone, Args)]
pub(crate) struct ModelUseArgs {
    /// The model's name, or `none`
    name: String,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura model use`.
///
/// # Errors
/// No such model, a data folder that cannot be written, a service that does not answer.
pub(super) fn run(args: &ModelUseArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let data = args.data.path()?;
    let shelf = ModelCatalog::in_folder(&data);
    let name = Some(args.name.as_str()).filter(|name| *name != "none");
    let manifest = name.map(|name| shelf.find(name)).transpose()?;
    aura_memory::chosen::choose(&data, name)?;
    let told = match ask(&data, &ControlRequest::Model)? {
        Some(ControlReply::ModelLooked) => true,
        Some(other) => return Err(unexpected(other)),
        None => false,
    };
    let there = manifest.is_none_or(|manifest| shelf.standing(manifest) == ModelFileStatus::There);
    if args.format.json {
        out.json(&serde_json::json!({ "model": name, "service_told": told, "file_there": there }))?;
        return Ok(CommandExit::Ok);
    }
    let when = if told { "now" } else { "from the next start on" };
    out.text(&match name {
        None => format!("No model is asked {when}: sentences are templates."),
        Some(name) => format!("{name} is asked {when}."),
    })?;
    if !there {
        out.text(&format!(
            "Its file is not here yet: aura model fetch {}",
            args.name
        ))?;
    }
    Ok(CommandExit::Ok)
}
