//! `aura pair` and `aura device`: who may come in.
//!
//! What: a code for a new device, a token for a program, the list, shutting one out. Why: the owner's terminal is where somebody is let
//! in from. Not here: what a device may do (`surfaces_base::devices`), the page for the code (`surfaces::web`).

use super::{
    args::{DataDir, FormatArgs},
    error::CliError,
    exit::CommandExit,
    names,
    out::CommandOutput,
    service::{ServiceFolderArgs, ask, not_running, unexpected},
};
use aura_runtime::{
    control::{ControlReply, ControlRequest},
    devices::{self, PairingInvitation},
};
use clap::{Args, Subcommand};
use orchestrator_machine::call_rights;
use qrcode::{QrCode, render::unicode::Dense1x2};
use std::{
    io::{IsTerminal as _, stdout},
    path::Path,
};
use surfaces_base::{
    devices::{AskGrant, DeviceId, DeviceName, DeviceScope, GrantedThing, ListedDevice, NAME_MAX},
    language::{say, text},
};
use toolcall_schema::{ToolName, ids::ChannelHash, trace::Asker};

/// `aura pair`
#[derive(Debug, Clone, Args)]
pub(crate) struct PairArgs {
    /// What the new device may do: owner or operator
    #[arg(long, default_value = "owner", value_parser = page_scope)]
    scope: DeviceScope,
    /// What you call it, in place of what it calls itself
    #[arg(long, value_parser = name)]
    name: Option<DeviceName>,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura device`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum DeviceCommand {
    /// Let a program in: prints its token, once
    Add(DeviceAddArgs),
    /// Say what a program that asks may read of or name beside its tools
    Allow(DeviceAllowArgs),
    /// Who may come in
    List(DeviceListArgs),
    /// Shut one out
    Revoke(DeviceRevokeArgs),
}

/// `aura device add`
#[derive(Debug, Clone, Args)]
pub(crate) struct DeviceAddArgs {
    /// What you call it
    #[arg(value_parser = name)]
    name: DeviceName,
    /// What it may do: signals:write, ask, operator or owner
    #[arg(long, value_parser = scope)]
    scope: DeviceScope,
    /// Of a program that asks: its tools, with a comma between them, or `all`
    #[arg(long, value_name = "TOOLS", value_delimiter = ',', value_parser = asked_tool)]
    tools: Vec<AskedTool>,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura device allow`
#[derive(Debug, Clone, Args)]
pub(crate) struct DeviceAllowArgs {
    /// Its id, as `aura device list` prints it, the beginning of it, or `last`: the newest that asks
    id: String,
    /// `finance`, `wellness`, a chat: `ch_…`, or the file of a workflow that reads as it: `workflows/NAME.toml`
    #[arg(value_name = "WHAT", value_parser = granted)]
    what: GrantedThing,
    /// No longer
    #[arg(long)]
    not: bool,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura device list`
#[derive(Debug, Clone, Args)]
pub(crate) struct DeviceListArgs {
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura device revoke`
#[derive(Debug, Clone, Args)]
pub(crate) struct DeviceRevokeArgs {
    /// Its id, as `aura device list` prints it, the beginning of it, or `last`: the newest
    id: String,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

fn name(text: &str) -> Result<DeviceName, String> {
    DeviceName::parse(text).ok_or_else(|| say!("cli-device-name-length", max = NAME_MAX))
}

fn scope(name: &str) -> Result<DeviceScope, &'static str> {
    DeviceScope::parse(name).ok_or_else(|| text("cli-device-scopes"))
}

/// One tool that a program may ask for or read with, or all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AskedTool {
    All,
    One(ToolName),
}

fn is_for_programs(tool: ToolName) -> bool {
    call_rights::is_readable(tool) || call_rights::is_on_request(tool, Asker::Program)
}

fn tools_for_programs() -> impl Iterator<Item = ToolName> {
    ToolName::ALL
        .iter()
        .copied()
        .filter(|tool| is_for_programs(*tool))
}

fn asked_tool(text: &str) -> Result<AskedTool, String> {
    if text == "all" {
        return Ok(AskedTool::All);
    }
    let tool = ToolName::parse(text).filter(|tool| is_for_programs(*tool));
    tool.map(AskedTool::One).ok_or_else(|| {
        let names: Vec<&str> = tools_for_programs().map(ToolName::as_str).collect();
        say!("cli-device-some-tools", tools = names.join(", "))
    })
}

fn granted(what: &str) -> Result<GrantedThing, &'static str> {
    let thing = GrantedThing::parse(what).or_else(|| granted_workflow(what));
    thing.ok_or_else(|| text("cli-device-grants"))
}

/// The workflow of a file that is there: its project is the folder of the folder in which it lies.
fn granted_workflow(text: &str) -> Option<GrantedThing> {
    let file = Path::new(text).canonicalize().ok()?;
    let name = file.file_name()?.to_str()?.strip_suffix(".toml")?;
    let folder = file.parent().filter(|folder| folder.ends_with("workflows"))?;
    GrantedThing::parse(&format!("{name}@{}", folder.parent()?.to_str()?))
}

fn page_scope(name: &str) -> Result<DeviceScope, &'static str> {
    scope(name)
        .ok()
        .filter(|scope| matches!(scope, DeviceScope::Operator | DeviceScope::Owner))
        .ok_or_else(|| text("cli-device-page-scopes"))
}

/// Runs `aura pair`.
///
/// # Errors
/// No service, or one that does not answer.
pub(crate) fn pair(args: &PairArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let dir = args.data.path()?;
    let request = ControlRequest::Pair {
        scope: args.scope,
        name: args.name.clone(),
    };
    match ask(&dir, &request)? {
        Some(ControlReply::Invitation(invitation)) if args.format.json => out.json(&invitation)?,
        Some(ControlReply::Invitation(invitation)) => invite(&invitation, out)?,
        Some(other) => return Err(unexpected(other)),
        None => return Err(not_running(&dir)),
    }
    Ok(CommandExit::Ok)
}

/// The code and where it is entered. A picture of the address only where another device would reach it.
pub(super) fn invite(invitation: &PairingInvitation, out: &mut CommandOutput) -> Result<(), CliError> {
    out.text(&say!("cli-device-pairing-code", code = invitation.code.text()))?;
    out.text(&say!("cli-device-here", address = invitation.address.text()))?;
    let Some(outside) = &invitation.outside else {
        return Ok(());
    };
    out.text(&say!("cli-device-elsewhere", address = outside.text()))?;
    show_picture(outside.text(), out)
}

/// An address as a picture for another device's camera, on a terminal.
pub(super) fn show_picture(address: &str, out: &mut CommandOutput) -> Result<(), CliError> {
    match picture(address) {
        Some(picture) if stdout().is_terminal() => out.text(&picture),
        Some(_) | None => Ok(()),
    }
}

/// A QR code for a dark terminal: what is dark on paper is left out.
fn picture(address: &str) -> Option<String> {
    let code = QrCode::new(address).ok()?;
    let mut picture = code.render::<Dense1x2>();
    Some(
        picture
            .dark_color(Dense1x2::Light)
            .light_color(Dense1x2::Dark)
            .build(),
    )
}

/// Runs `aura device …`.
///
/// # Errors
/// Configuration, data folder, a service that does not answer, no device of that id.
pub(crate) fn run(command: &DeviceCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        DeviceCommand::Add(args) => add(args, out),
        DeviceCommand::Allow(args) => {
            let reply = load_devices(&args.folder)?;
            let ControlReply::Devices(devices) = &reply else {
                return Err(unexpected(reply));
            };
            // Nothing is allowed for any other: `last` is the newest program that asks.
            let asking: Vec<ListedDevice> = devices
                .iter()
                .filter(|device| device.asks.is_some())
                .cloned()
                .collect();
            let request = ControlRequest::DeviceGrant {
                id: find_device(&asking, &args.id)?,
                thing: args.what.clone(),
                allowed: !args.not,
            };
            listed(args.folder.ask(&request)?, args.format, out)
        }
        DeviceCommand::List(args) => listed(load_devices(&args.folder)?, args.format, out),
        DeviceCommand::Revoke(args) => {
            let reply = load_devices(&args.folder)?;
            let ControlReply::Devices(devices) = &reply else {
                return Err(unexpected(reply));
            };
            let id = find_device(devices, &args.id)?;
            listed(
                args.folder.ask(&ControlRequest::DeviceRevoke { id })?,
                args.format,
                out,
            )
        }
    }
}

/// Who may come in, as the service or the stopped folder says.
fn load_devices(folder: &ServiceFolderArgs) -> Result<ControlReply, CliError> {
    match ask(&folder.dir()?, &ControlRequest::Devices)? {
        Some(reply) => Ok(reply),
        None => Ok(ControlReply::Devices(devices::listed(&folder.vault()?)?)),
    }
}

/// The one device that is meant. What begins no id is handed on as it is: the service says that there is none.
fn find_device(devices: &[ListedDevice], beginning: &str) -> Result<DeviceId, CliError> {
    if beginning == "last" {
        let newest = devices.iter().max_by_key(|device| device.paired_at);
        return newest
            .map(|device| device.id.clone())
            .ok_or_else(|| CliError::NotThere(text("cli-device-none-paired").to_owned()));
    }
    let mut found = devices
        .iter()
        .filter(|device| !beginning.is_empty() && device.id.as_str().starts_with(beginning));
    match (found.next(), found.next()) {
        (Some(device), None) => Ok(device.id.clone()),
        (None, _) => Ok(DeviceId::from_text(beginning)),
        (Some(one), Some(other)) => Err(CliError::NotThere(say!(
            "cli-device-more-than-one",
            beginning,
            one = one.id.as_str(),
            other = other.id.as_str()
        ))),
    }
}

fn add(args: &DeviceAddArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let tools = args.tools.iter().flat_map(|tool| match tool {
        AskedTool::All => tools_for_programs().collect(),
        AskedTool::One(tool) => vec![*tool],
    });
    let grant = AskGrant::of_tools(tools);
    if (args.scope == DeviceScope::Ask) == grant.tools.is_empty() {
        return Err(CliError::Usage(text("cli-device-tools-with-ask").to_owned()));
    }
    let request = ControlRequest::DeviceAdd {
        name: args.name.clone(),
        scope: args.scope,
        asks: (args.scope == DeviceScope::Ask).then_some(grant),
    };
    let reply = args.folder.ask(&request)?;
    let ControlReply::DeviceAdded { device, token } = reply else {
        return Err(unexpected(reply));
    };
    if args.format.json {
        out.json(&serde_json::json!({ "device": device, "token": token }))?;
    } else {
        out.text(&say!(
            "cli-device-added",
            device = device.id.as_str(),
            scope = names::scope(device.scope)
        ))?;
        out.text(&say!("cli-device-token", token = token.text()))?;
        out.text(text("cli-device-bearer"))?;
    }
    Ok(CommandExit::Ok)
}

/// Its scope, and of one that asks what it may name.
fn may(device: &ListedDevice) -> String {
    let scope = names::scope(device.scope);
    match &device.asks {
        Some(grant) => format!("{scope}: {}", may_name(grant)),
        None => scope.into_owned(),
    }
}

/// As it is typed: `all` for all tools.
fn may_name(grant: &AskGrant) -> String {
    let has_all = tools_for_programs().all(|tool| grant.tools.contains(&tool));
    let tools: Vec<&str> = if has_all {
        vec!["all"]
    } else {
        grant.tools.iter().map(|tool| tool.as_str()).collect()
    };
    let areas = grant.areas.iter().map(|area| area.as_str());
    let chats = grant.chats.iter().map(ChannelHash::as_str);
    let names: Vec<&str> = tools.into_iter().chain(areas).chain(chats).collect();
    let workflows = grant.workflows.iter().map(|workflow| format!(" {workflow}"));
    names.join(" ") + &workflows.collect::<String>()
}

fn listed(reply: ControlReply, format: FormatArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let ControlReply::Devices(devices) = reply else {
        return Err(unexpected(reply));
    };
    if format.json {
        for device in &devices {
            out.json(device)?;
        }
    } else if devices.is_empty() {
        out.text(text("cli-device-nobody"))?;
    } else {
        let row = |device: &ListedDevice| {
            [
                device.id.as_str().to_owned(),
                may(device),
                device.last_seen.to_string(),
                device.name.as_str().to_owned(),
            ]
        };
        let rows: Vec<[String; 4]> = devices.iter().map(row).collect();
        let head = [
            text("cli-device-column-device"),
            text("cli-device-column-may"),
            text("cli-device-column-last-seen"),
            text("cli-device-column-name"),
        ];
        out.table(head, &rows)?;
    }
    Ok(CommandExit::Ok)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::AgentName;

    #[test]
    fn what_a_program_may_name_is_listed_as_it_is_typed() {
        let mut grant = AskGrant::of_tools(tools_for_programs());
        grant.areas.insert(AgentName::Finance);
        assert_eq!(may_name(&grant), "all finance");
        let one = ToolName::parse("wellness.guide_breathing").unwrap();
        assert_eq!(may_name(&AskGrant::of_tools([one])), "wellness.guide_breathing");
    }

    #[test]
    fn an_address_is_a_square_picture_of_half_lines() {
        let picture = picture("https://aura.example/pair#ABCDE-FGH12").unwrap();
        let widths: Vec<usize> = picture.lines().map(|line| line.chars().count()).collect();
        let width = widths.first().copied().unwrap();
        assert!(widths.iter().all(|one| *one == width), "{widths:?}");
        // 29 modules and a quiet zone of four around them; two of its rows a line.
        assert_eq!((width, widths.len()), (37, 19));
        assert_eq!(
            super::picture(&"x".repeat(8000)),
            None,
            "more than a code can hold"
        );
    }
}
