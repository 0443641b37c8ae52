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
use surfaces_base::language::{say, text};
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
    out.text(&match name {
        None if told => text("cli-model-none-asked-now").to_owned(),
        None => text("cli-model-none-asked-next").to_owned(),
        Some(name) if told => say!("cli-model-asked-now", name),
        Some(name) => say!("cli-model-asked-next", name),
    })?;
    if !there {
        out.text(&say!("cli-model-no-file", name = &args.name))?;
    }
    Ok(CommandExit::Ok)
}
