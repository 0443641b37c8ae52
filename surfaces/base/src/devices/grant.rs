//! What a program may name that asks.
//!
//! What: [`AskGrant`], kept with a device of scope `ask`; [`GrantedWorkflow`], a workflow that reads as such a device. Why: each program may do what the owner said of it and no more, and all of it is
//! shown and changed in one place. Not here: which tools can be asked for at all (`orchestrator_machine::call_rights`).

use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fmt};
use toolcall_schema::{AgentName, Confirm, ToolName, ids::ChannelHash};

/// Chats that one device may name.
pub const GRANTED_CHATS_MAX: usize = 64;
/// Workflows that read as one device.
pub const GRANTED_WORKFLOWS_MAX: usize = 16;
/// The longest path of a project, in bytes.
const FOLDER_MAX: usize = 4096;

/// What one device may ask for, read and name. It begins with its tools; the owner ticks the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskGrant {
    /// The tools. Of those that can be neither asked for nor read nothing comes.
    pub tools: BTreeSet<ToolName>,
    /// Of money and body, which agents it may read of.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub areas: BTreeSet<AgentName>,
    /// The chats that it may name, at most [`GRANTED_CHATS_MAX`].
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub chats: BTreeSet<ChannelHash>,
    /// The workflows that read as it, at most [`GRANTED_WORKFLOWS_MAX`].
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub workflows: BTreeSet<GrantedWorkflow>,
}

/// A workflow of one project. Another project's of the same name is another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrantedWorkflow {
    /// 1 to 40 of `a-z0-9-`.
    pub name: String,
    /// The project's folder, absolute.
    pub project: String,
}

impl GrantedWorkflow {
    /// `NAME@FOLDER`, as it is shown.
    fn parse(text: &str) -> Option<Self> {
        let (name, project) = text.split_once('@')?;
        let may = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_name = (1..=40).contains(&name.len()) && name.bytes().all(may);
        let is_folder = project.starts_with('/') && project.len() <= FOLDER_MAX;
        (is_name && is_folder).then(|| Self {
            name: name.to_owned(),
            project: project.to_owned(),
        })
    }
}

impl fmt::Display for GrantedWorkflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.project)
    }
}

/// What the owner ticks for a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantedThing {
    /// Reading of an agent that is off otherwise.
    Area(AgentName),
    /// Naming a chat.
    Chat(ChannelHash),
    /// A workflow that reads as it.
    Workflow(GrantedWorkflow),
}

impl GrantedThing {
    /// `finance`, `wellness`, a chat's id, or `NAME@FOLDER` for a workflow.
    pub fn parse(text: &str) -> Option<Self> {
        let area = AgentName::parse(text).filter(|agent| is_area(*agent));
        let chat = || ChannelHash::parse(text).ok().map(Self::Chat);
        let workflow = || GrantedWorkflow::parse(text).map(Self::Workflow);
        area.map(Self::Area).or_else(chat).or_else(workflow)
    }
}

/// Whether reads of this agent are off until the owner ticks it.
fn is_area(agent: AgentName) -> bool {
    match agent {
        AgentName::Finance | AgentName::Wellness => true,
        AgentName::Comms | AgentName::Calendar | AgentName::Orchestrator => false,
    }
}

impl AskGrant {
    /// Of tools alone.
    pub fn of_tools(tools: impl IntoIterator<Item = ToolName>) -> Self {
        Self {
            tools: tools.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Whether it has this tool; one that is read also needs its area, where that has to be ticked.
    pub fn has(&self, tool: ToolName) -> bool {
        let columns = tool.columns();
        let is_read = columns.confirm == Confirm::Never;
        let is_open = !is_area(columns.agent) || self.areas.contains(&columns.agent);
        self.tools.contains(&tool) && (!is_read || is_open)
    }

    /// The areas that some tool of it needs.
    pub fn wanted_areas(&self) -> BTreeSet<AgentName> {
        let read = |tool: &&ToolName| tool.columns().confirm == Confirm::Never;
        let agents = self.tools.iter().filter(read).map(|tool| tool.agent());
        agents.filter(|agent| is_area(*agent)).collect()
    }

    /// Whether one of its tools names a chat.
    pub fn names_chats(&self) -> bool {
        self.tools.contains(&ToolName::MuteChannel)
    }

    /// Ticks a thing, or takes the tick away. One more than [`GRANTED_CHATS_MAX`] or [`GRANTED_WORKFLOWS_MAX`] is not taken.
    pub fn tick(&mut self, thing: GrantedThing, allowed: bool) {
        match thing {
            GrantedThing::Area(agent) if allowed => {
                self.areas.insert(agent);
            }
            GrantedThing::Area(agent) => {
                self.areas.remove(&agent);
            }
            GrantedThing::Chat(chat) if allowed => {
                if self.chats.len() < GRANTED_CHATS_MAX {
                    self.chats.insert(chat);
                }
            }
            GrantedThing::Chat(chat) => {
                self.chats.remove(&chat);
            }
            GrantedThing::Workflow(workflow) if allowed => {
                if self.workflows.len() < GRANTED_WORKFLOWS_MAX {
                    self.workflows.insert(workflow);
                }
            }
            GrantedThing::Workflow(workflow) => {
                self.workflows.remove(&workflow);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_and_body_are_read_only_where_the_owner_ticked_them() {
        let mut grant = AskGrant::of_tools([
            ToolName::SuggestSlots,
            ToolName::PredictEomBalance,
            ToolName::ComputeLoadScore,
            ToolName::PermitLeisure,
        ]);
        let has = |grant: &AskGrant| {
            let tools = ToolName::ALL.iter().filter(|tool| grant.has(**tool));
            tools.map(|tool| tool.as_str()).collect::<Vec<_>>()
        };
        // A break is proposed, and what is proposed is not read.
        assert_eq!(has(&grant), ["calendar.suggest_slots", "wellness.permit_leisure"]);
        let areas = [AgentName::Finance, AgentName::Wellness].into();
        assert_eq!(grant.wanted_areas(), areas);
        grant.tick(GrantedThing::parse("finance").unwrap(), true);
        assert!(grant.has(ToolName::PredictEomBalance) && !grant.has(ToolName::ComputeLoadScore));
        grant.tick(GrantedThing::parse("finance").unwrap(), false);
        assert!(!grant.has(ToolName::PredictEomBalance));
        for other in ["calendar", "comms", "", "ch_1"] {
            assert_eq!(GrantedThing::parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_workflow_is_one_of_its_project_and_of_no_other() {
        let mut grant = AskGrant::default();
        let thing = || GrantedThing::parse("rest@/home/me/p@1").unwrap();
        grant.tick(thing(), true);
        let shown = grant.workflows.iter().map(ToString::to_string);
        assert_eq!(shown.collect::<Vec<_>>(), ["rest@/home/me/p@1"]);
        grant.tick(thing(), false);
        assert_eq!(grant, AskGrant::default());
        for other in ["rest", "rest@p", "@/p", "Rest@/p", "re st@/p"] {
            assert_eq!(GrantedThing::parse(other), None, "{other}");
        }
        for n in 0..=GRANTED_WORKFLOWS_MAX {
            grant.tick(GrantedThing::parse(&format!("w{n}@/p")).unwrap(), true);
        }
        assert_eq!(grant.workflows.len(), GRANTED_WORKFLOWS_MAX);
    }

    #[test]
    fn so_many_chats_can_be_named_and_no_more() {
        let mut grant = AskGrant::default();
        for n in 0..=GRANTED_CHATS_MAX {
            grant.tick(GrantedThing::parse(&format!("ch_{n:016x}")).unwrap(), true);
        }
        assert_eq!(grant.chats.len(), GRANTED_CHATS_MAX);
    }
}
