//! What other people's programs ask, answered over the machine, the agents and the audit log.
//!
//! What: [`AskBackend`] for [`ServiceBackend`]. Why: whatever protocol a program speaks, here alone is said what it may. Not here: what
//! waits for the owner (`orchestrator_machine::asks`), who may name what (`surfaces_base::devices`), how it is said (`surfaces::web`).

use super::{ServiceBackend, answer_of, owner::UntoldReason, read};
use crate::{actors::orchestrator::CancelAsk, ask_limits::AskLimits, kept_things};
use aura_memory::audit::{AuditEntry, AuditFilter, AuditSubject, Kind, Op};
use aura_platform::mailbox::send;
use orchestrator_machine::{
    asks::{self, AskOrigin, AskProtocol, AskerId},
    call_rights,
    calls::{CallAnswer, CallRefusal, CallRequest},
    supervision::SupervisedRole,
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use surfaces_base::{
    backend::{
        BackendError, BackendFuture,
        asks::{
            ASK_HELD_MAX, ASK_KEY_MAX, AskBackend, AskDoor, AskKind, AskProposal, AskRefusal, AskView,
            AskWait, AskableThing, AskableTool, ProgramClient,
        },
    },
    devices::{AskGrant, DeviceId, DeviceRegistry},
    visible::visible,
};
use tokio::sync::oneshot;
use toolcall_schema::{
    AskReport, ToolName,
    catalogue::shared::ThingId,
    gate,
    ids::{ChannelHash, RequestId, SecretKey},
    result::ToolErrorCode,
    trace::Asker,
};

type AskResult<T> = Result<Result<T, AskRefusal>, BackendError>;

/// The use of the owner's seed by which ids for one device are made.
const DEVICE_IDS: &str = "ask ids v1";

/// What a service has for programs that ask: who they are, what keeps them in bounds, and what tells them of changes.
#[derive(Clone)]
pub struct ProgramAccess {
    /// Who may come in.
    pub devices: Arc<DeviceRegistry>,
    pub(crate) limits: Arc<AskLimits>,
    /// What the workflows of the runs that ask are called.
    workflows: Arc<Mutex<BTreeMap<AskerId, String>>>,
}

/// So many names of workflows are remembered.
const WORKFLOWS_MAX: usize = 64;
/// Records of an hour that are looked through for a device's reads.
const READS_LOOKED_AT: u32 = 10_000;

impl ProgramAccess {
    /// For these devices.
    pub fn new(devices: Arc<DeviceRegistry>) -> Self {
        Self {
            devices,
            limits: Arc::default(),
            workflows: Arc::default(),
        }
    }

    /// Remembers what the workflow of a run is called.
    pub(super) fn name_run(&self, run: AskerId, workflow: &str) {
        let mut known = self.workflows.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(run, workflow.to_owned());
        if known.len() > WORKFLOWS_MAX {
            known.pop_first();
        }
    }

    /// What the owner calls who asks: a name of a device, or a workflow.
    fn name_of(&self, asker: &AskerId) -> String {
        if asker.is_run() {
            let known = self.workflows.lock().unwrap_or_else(PoisonError::into_inner);
            let name = known.get(asker).map(String::as_str).unwrap_or_default();
            return format!("Workflow {name}").trim_end().to_owned();
        }
        let name = self.devices.name_of(&DeviceId::from_text(asker.as_str()));
        name.map_or_else(|| asker.as_str().to_owned(), |name| name.as_str().to_owned())
    }
}

impl AskBackend for ServiceBackend {
    fn tools_for(&self, device: DeviceId) -> BackendFuture<Result<Vec<AskableTool>, BackendError>> {
        let grant = self.grant(&device).unwrap_or_default();
        let tools = ToolName::ALL.iter().filter(|tool| grant.has(**tool));
        let tools = tools.filter_map(|tool| {
            Some(AskableTool {
                tool: *tool,
                kind: kind_of(*tool)?,
                fixed: asks::fixed_arguments(*tool),
            })
        });
        Box::pin(std::future::ready(Ok(tools.collect())))
    }

    fn ask(&self, client: ProgramClient, proposal: AskProposal) -> BackendFuture<AskResult<AskView>> {
        let me = self.clone();
        Box::pin(async move { me.propose(client, proposal).await })
    }

    fn ask_state(
        &self,
        device: DeviceId,
        ask: RequestId,
        wait: AskWait,
    ) -> BackendFuture<AskResult<AskView>> {
        let me = self.clone();
        Box::pin(async move {
            let report = me.await_ask(ask.clone(), Some(device), wait).await?;
            Ok(report.map(|report| AskView { ask, report }))
        })
    }

    fn cancel_ask(&self, client: ProgramClient, ask: RequestId) -> BackendFuture<AskResult<AskView>> {
        let me = self.clone();
        Box::pin(async move {
            let ProgramClient { device, door } = client;
            let Some(origin) = me.grant(&device).and_then(|_| origin_of(&device, door)) else {
                return Ok(Err(AskRefusal::NoSuchAsk));
            };
            let report = me.cancel(ask.clone(), Some(origin)).await?;
            Ok(report.map(|report| AskView { ask, report }).map_err(refusal_of))
        })
    }

    fn read(&self, device: DeviceId, tool: ToolName, args: Value) -> BackendFuture<AskResult<Value>> {
        let me = self.clone();
        Box::pin(async move {
            let may = |grant: &AskGrant| grant.has(tool) && call_rights::is_readable(tool);
            if !me.grant(&device).is_some_and(|grant| may(&grant)) {
                return Ok(Err(AskRefusal::NotAllowed));
            }
            let Ok(admitted) = gate::pre_admit(tool, &args, false) else {
                return Ok(Err(AskRefusal::Arguments));
            };
            if let Err(refusal) = me.record_program_read(&device, tool.as_str()).await {
                return Ok(Err(refusal));
            }
            let answer: Result<Value, UntoldReason> = me.try_ask(tool, admitted.args).await;
            let key = me.device_ids();
            Ok(answer
                .map(|answer| with_device_ids(&key, &device, answer))
                .map_err(untold))
        })
    }

    fn device_revoked(&self, device: DeviceId) -> BackendFuture<()> {
        let me = self.clone();
        Box::pin(async move { me.withdraw_asks_of(device.as_str()).await })
    }

    fn askable_things(&self, device: DeviceId) -> BackendFuture<AskResult<Vec<AskableThing>>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(grant) = me.grant(&device).filter(AskGrant::names_chats) else {
                return Ok(Err(AskRefusal::NotAllowed));
            };
            if let Err(refusal) = me.record_program_read(&device, "chats").await {
                return Ok(Err(refusal));
            }
            let key = me.device_ids();
            let mut things = Vec::new();
            for (chat, label) in me.labelled(&grant.chats).await? {
                things.push(AskableThing {
                    id: id_for_device(&key, &device, chat.as_str()),
                    label: visible(&label).into_owned(),
                });
            }
            Ok(Ok(things))
        })
    }
}

impl ServiceBackend {
    /// What a device may name; `None`: it may not ask, or is let in no more.
    fn grant(&self, device: &DeviceId) -> Option<AskGrant> {
        self.programs.as_ref()?.devices.grant_of(device)
    }

    fn device_ids(&self) -> SecretKey {
        self.vault.seed().key(DEVICE_IDS)
    }

    async fn propose(&self, client: ProgramClient, proposal: AskProposal) -> AskResult<AskView> {
        let AskProposal {
            tool,
            args,
            key,
            wait_min,
        } = proposal;
        let ProgramClient { device, door } = client;
        let grant = self.grant(&device).filter(|grant| grant.has(tool));
        let (Some(grant), Some(origin)) = (grant, origin_of(&device, door)) else {
            return Ok(Err(AskRefusal::NotAllowed));
        };
        if kind_of(tool) != Some(AskKind::Propose) {
            return Ok(Err(AskRefusal::NotAllowed));
        }
        let is_key = (1..=ASK_KEY_MAX).contains(&key.chars().count());
        let is_wait = wait_min.is_none_or(|minutes| (1..=asks::ASK_WAIT_MAX_MIN).contains(&minutes));
        let Some(args) = self
            .own_arguments(&device, &grant, args)
            .filter(|_| is_key && is_wait)
        else {
            return Ok(Err(AskRefusal::Arguments));
        };
        let id = self.ask_id(device.as_str(), &key);
        let call = CallRequest {
            id: id.clone(),
            asker: Asker::Program,
            origin: Some(origin),
            tool,
            args,
            wait_min,
        };
        let answer = if let Some(answer) = self.answer_from_state(&call).await? {
            answer
        } else {
            let access = self.programs.as_ref();
            let counted = access.map(|access| access.limits.count_ask(&device, Instant::now()));
            if let Some(Err(seconds)) = counted {
                return Ok(Err(AskRefusal::TooOften(seconds)));
            }
            if self.cpu_wait().is_some() {
                return Ok(Err(AskRefusal::NoAnswer));
            }
            self.request_call(call).await?
        };
        Ok(match answer {
            CallAnswer::Waiting(report) => Ok(AskView { ask: id, report }),
            CallAnswer::Refused(why) => Err(refusal_of(why)),
            // A program's call is made by a tick alone.
            CallAnswer::Ended(_) => return Err(BackendError::Busy),
        })
    }

    /// The id of what somebody asks under a key of their own.
    pub(super) fn ask_id(&self, asker: &str, key: &str) -> RequestId {
        self.vault.seed().key("call request v1").request(asker, key)
    }

    /// Has the machine told of an ask; what it can be answered without that fills no journal, however often it comes.
    ///
    /// # Errors
    /// Busy or stopping.
    pub(super) async fn request_ask(&self, call: CallRequest) -> Result<CallAnswer, BackendError> {
        match self.answer_from_state(&call).await? {
            Some(answer) => Ok(answer),
            None => self.request_call(call).await,
        }
    }

    /// What a repeat is answered, and what is refused; `None`: the machine is to be told.
    async fn answer_from_state(&self, call: &CallRequest) -> Result<Option<CallAnswer>, BackendError> {
        let look = self.look().await?;
        let answer = asks::answer_without_event(&look.state, call);
        Ok(self.kept_answer(answer).await)
    }

    /// An answer, once the end that it tells is on disk: no crash takes that back.
    async fn kept_answer(&self, answer: Option<CallAnswer>) -> Option<CallAnswer> {
        let is_end = matches!(&answer, Some(CallAnswer::Waiting(report)) if report.state.is_over());
        if is_end && self.reads.flush().await.is_err() {
            return Some(CallAnswer::Refused(CallRefusal::NotKept));
        }
        answer
    }

    /// Waits until every end that the machine has come to is on disk: no crash takes back what is told of it.
    ///
    /// # Errors
    /// The disk does not take it.
    pub(crate) async fn flush_ends(&self) -> Result<(), BackendError> {
        self.reads.flush().await.map_err(|_| BackendError::Busy)
    }

    /// Arguments with Aura's own ids in the place of the device's; `None`: it names what it may not.
    fn own_arguments(&self, device: &DeviceId, grant: &AskGrant, mut args: Value) -> Option<Value> {
        let Some(named) = args.get_mut("channel_hash") else {
            return Some(args);
        };
        let key = self.device_ids();
        let is_meant =
            |chat: &&ChannelHash| named.as_str() == Some(&id_for_device(&key, device, chat.as_str()));
        let chat = grant.chats.iter().find(is_meant)?;
        *named = Value::String(chat.as_str().to_owned());
        Some(args)
    }

    /// How far an ask of a device is, or without one of a program over the owner's own socket; held back as long as it says.
    ///
    /// # Errors
    /// Busy or stopping.
    pub(crate) async fn await_ask(
        &self,
        ask: RequestId,
        device: Option<DeviceId>,
        wait: AskWait,
    ) -> AskResult<AskReport> {
        let until = tokio::time::Instant::now() + wait.up_to.min(ASK_HELD_MAX);
        let asking = device.as_ref().and_then(|device| AskerId::parse(device.as_str()));
        let may = || {
            device
                .as_ref()
                .is_none_or(|device| asking.is_some() && self.grant(device).is_some())
        };
        // Where too many are held back already, this one is answered as it is.
        let access = self.programs.as_ref();
        let held = access.and_then(|access| access.limits.hold(device.as_ref(), !wait.up_to.is_zero()));
        let mut turns = self.turns.clone();
        loop {
            turns.mark_unchanged();
            let look = self.look().await?;
            let report = asks::report_of(&look.state, &ask, asking.as_ref()).filter(|_| may());
            let Some(report) = report else {
                return Ok(Err(AskRefusal::NoSuchAsk));
            };
            let state = report.state;
            if state.is_over() {
                // What is told is on disk: no crash takes it back.
                let kept = self.reads.flush().await;
                return Ok(kept.map(|()| report).map_err(|_| AskRefusal::NotRecorded));
            }
            let is_news = wait.seen.is_some_and(|seen| seen != state);
            let changed = async { held.is_some() && turns.changed().await.is_ok() };
            if is_news || !tokio::time::timeout_at(until, changed).await.unwrap_or(false) {
                return Ok(Ok(report));
            }
        }
    }

    /// A device is shut out, or a run ended for good: what it asked for and is not over is taken back.
    pub(crate) async fn withdraw_asks_of(&self, asker: &str) {
        let Ok(look) = self.look().await else { return };
        let of_it = |origin: &&AskOrigin| origin.device.as_str() == asker;
        for ask in &look.state.asks.open {
            if let Some(origin) = ask.origin.as_ref().filter(of_it) {
                // Who is not heard any more needs no answer; what stays runs out by itself.
                let _ = self.cancel(ask.id.clone(), Some(origin.clone())).await;
            }
        }
    }

    /// Takes an ask back; answered when that is on disk. Where there is nothing to take back, no journal is told of it.
    ///
    /// # Errors
    /// Busy or stopping.
    pub async fn cancel(
        &self,
        id: RequestId,
        origin: Option<AskOrigin>,
    ) -> Result<Result<AskReport, CallRefusal>, BackendError> {
        let look = self.look().await?;
        let device = origin.as_ref().map(|origin| &origin.device);
        let answer = asks::answer_cancel_without_event(&look.state, &id, device);
        let answer = match self.kept_answer(answer).await {
            Some(answer) => answer,
            None => self.tell_cancel(id, origin).await?,
        };
        match answer {
            CallAnswer::Waiting(report) => Ok(Ok(report)),
            CallAnswer::Refused(why) => Ok(Err(why)),
            CallAnswer::Ended(_) => Err(BackendError::Busy),
        }
    }

    /// Has the machine take an ask back.
    async fn tell_cancel(
        &self,
        id: RequestId,
        origin: Option<AskOrigin>,
    ) -> Result<CallAnswer, BackendError> {
        let (reply, wait) = oneshot::channel();
        let asked = CancelAsk {
            id,
            origin,
            reply,
            ticket: self.busy.ticket_to(SupervisedRole::Orchestrator),
        };
        send(&self.orchestrator, "orchestrator", asked).map_err(|_| BackendError::Busy)?;
        answer_of(wait).await
    }

    /// Counts a read of a device and records it; only then may it be answered.
    async fn record_program_read(&self, device: &DeviceId, what: &str) -> Result<(), AskRefusal> {
        let access = self.programs.as_ref().ok_or(AskRefusal::NotAllowed)?;
        if self.cpu_wait().is_some() {
            return Err(AskRefusal::NoAnswer);
        }
        if !access.limits.knows(device) {
            let ages = self.recorded_reads(device).await;
            access.limits.remember(device, ages?, Instant::now());
        }
        access
            .limits
            .count_read(device, Instant::now())
            .map_err(AskRefusal::TooOften)?;
        let entry = AuditEntry {
            at_ms: self.clock.wall().ms(),
            op: Op::Read,
            meaning: AuditSubject::one(Kind::Call, &format!("{}:{what}", device.as_str())),
        };
        self.reads.record(entry).await.map_err(|error| {
            tracing::error!(%error, "a program was refused what it asked for");
            AskRefusal::NotRecorded
        })
    }

    /// How long ago a device read within the last hour, oldest first: what the audit log says, so that a start begins no new hour.
    async fn recorded_reads(&self, device: &DeviceId) -> Result<Vec<Duration>, AskRefusal> {
        let now_ms = self.clock.wall().ms();
        let filter = AuditFilter {
            op: Some(Op::Read),
            kind: Some(Kind::Call),
            from_ms: Some(now_ms - 3_600_000),
            ..AuditFilter::default()
        };
        let records = read(self.readers.clone(), move |reader| {
            reader.audit(&filter, READS_LOOKED_AT)
        });
        let records = records.await.map_err(|_| AskRefusal::NotRecorded)?;
        let prefix = format!("{}:", device.as_str());
        let of_it = records.iter().rev().filter(|record| {
            let id = record
                .revealed
                .as_ref()
                .and_then(|shown| shown.meaning.id.as_ref());
            id.is_some_and(|id| id.as_str().starts_with(&prefix))
        });
        let age = |at_ms: i64| Duration::from_millis(u64::try_from(now_ms - at_ms).unwrap_or_default());
        Ok(of_it.map(|record| age(record.at_ms)).collect())
    }

    /// Those of some chats that have a name of the owner's, with it.
    async fn labelled(
        &self,
        chats: &BTreeSet<ChannelHash>,
    ) -> Result<Vec<(ChannelHash, String)>, BackendError> {
        let things = chats.iter().map(|chat| ThingId::Channel(chat.clone()));
        let keys: Vec<_> = things.filter_map(|thing| kept_things::key_of(&thing)).collect();
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let names = super::read_unfolded(self.readers.clone(), move |reader| reader.own_names(&keys)).await?;
        let names = names.into_iter().filter_map(|(key, name)| {
            let chat = ChannelHash::parse(key.as_str()).ok()?;
            Some((chat, name))
        });
        Ok(names.collect())
    }

    /// What the owner calls the devices and workflows that ask for what the open card asks.
    pub(super) fn askers_of_card(&self, state: &orchestrator_machine::MachineState) -> Vec<String> {
        let Some(access) = &self.programs else {
            return Vec::new();
        };
        let mut names: Vec<String> = Vec::new();
        for device in asks::devices_of_prompt(state) {
            let name = access.name_of(device);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// Whether programs read a tool or propose it; `None`: neither.
fn kind_of(tool: ToolName) -> Option<AskKind> {
    if call_rights::is_readable(tool) {
        Some(AskKind::Read)
    } else {
        call_rights::is_on_request(tool, Asker::Program).then_some(AskKind::Propose)
    }
}

fn origin_of(device: &DeviceId, door: AskDoor) -> Option<AskOrigin> {
    Some(AskOrigin {
        device: AskerId::parse(device.as_str())?,
        door: match door {
            AskDoor::Api => AskProtocol::Api,
            AskDoor::Mcp => AskProtocol::Mcp,
        },
    })
}

/// Why a program is told nothing.
fn untold(why: UntoldReason) -> AskRefusal {
    match why {
        UntoldReason::Failed(ToolErrorCode::NotEnoughData | ToolErrorCode::NotFound) => AskRefusal::NotKnown,
        UntoldReason::NoAnswer
        | UntoldReason::Failed(
            ToolErrorCode::TooLate | ToolErrorCode::TextUnknown | ToolErrorCode::Unavailable,
        ) => AskRefusal::NoAnswer,
    }
}

pub(super) fn refusal_of(why: CallRefusal) -> AskRefusal {
    match why {
        CallRefusal::Arguments => AskRefusal::Arguments,
        CallRefusal::NotOnRequest => AskRefusal::NotAllowed,
        CallRefusal::OtherRequest => AskRefusal::OtherRequest,
        CallRefusal::TooMany => AskRefusal::TooMany,
        CallRefusal::NotKept => AskRefusal::NotRecorded,
        CallRefusal::NoSuchAsk => AskRefusal::NoSuchAsk,
    }
}

/// An id as one device knows it: of the same form, and good for nobody else.
fn id_for_device(key: &SecretKey, device: &DeviceId, id: &str) -> String {
    let prefix = id.split_once('_').map_or("", |(prefix, _)| prefix);
    let mac = toolcall_schema::ids::hex(&key.mac(&[device.as_str().as_bytes(), id.as_bytes()])[..8]);
    format!("{prefix}_{mac}")
}

/// A result in which each id is one of this device's.
fn with_device_ids(key: &SecretKey, device: &DeviceId, value: Value) -> Value {
    let same = |value| with_device_ids(key, device, value);
    match value {
        Value::String(text) if ThingId::parse(&text).is_ok() => {
            Value::String(id_for_device(key, device, &text))
        }
        Value::Array(items) => Value::Array(items.into_iter().map(same).collect()),
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(name, value)| (name, same(value)))
                .collect(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use toolcall_schema::ids::OwnerSeed;

    #[test]
    fn each_device_has_ids_of_its_own_of_the_same_form() {
        let key = OwnerSeed::from_day_seed("asks").key(DEVICE_IDS);
        let (one, other) = (DeviceId::from_text("dev_one"), DeviceId::from_text("dev_other"));
        let event = "ev_0123456789abcdef";
        let result = || json!({"conflicts": [{"earlier": event, "later": event, "overlap_min": 5}], "truncated": false});
        let told = with_device_ids(&key, &one, result());
        let id = told["conflicts"][0]["earlier"].as_str().unwrap().to_owned();
        assert!(
            ThingId::parse(&id).is_ok() && id.starts_with("ev_") && id != event,
            "{id}"
        );
        assert_eq!(
            told["conflicts"][0]["later"],
            json!(id),
            "the same one is the same"
        );
        assert_eq!(told["truncated"], json!(false));
        assert_eq!(with_device_ids(&key, &one, result()), told);
        assert_ne!(with_device_ids(&key, &other, result()), told);
    }
}
