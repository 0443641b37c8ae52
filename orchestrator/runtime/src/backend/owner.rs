//! What the owner's sections ask, answered over the actors, the store and the owner's file.
//!
//! What: [`surfaces_base::OwnerBackend`] for [`ServiceBackend`]. Why: the sections show what is really in force and really kept. Not here: the card and the
//! day (`backend`), the pages (`surfaces`).
//!
//! A question to an agent is an admitted call like any other, outside of ticks: it carries nothing out, what effects its answer lists
//! are not performed, and its answer goes to the page that asked and nowhere else.

mod kept_rows;

use super::{ServiceBackend, decisions::trace_of, read, read_unfolded, untraced_acts};
use crate::{
    accounts::ServerDeliveryReport,
    config::{AGENTS_KEY, HomeConfig},
    erase, kept_things,
    next_brief::next_brief,
};
use agents::contract::AgentCall;
use aura_memory::{
    StoreWrite,
    audit::{AuditFilter, AuditSubject, Kind, Op},
    graph::NodeKey,
};
use aura_process::model_supervisor;
use chrono::NaiveDate;
use kept_rows::{audit_act, count_kept, shown_since, statement_balances};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};
use surfaces_base::{
    OwnerBackend,
    backend::owner::{
        ACTS_DAYS, AuditAct, DayTag, KeptSummary, ModelAvailability, MoneyInquiry, OwnerStatus, RecentCards,
        SHOWN_DAYS, SOON_MS, SentNotifications, SettingsInForce,
    },
    backend::{BackendError, BackendFuture, DisplayNames, deliveries::DeliveryView, money_terms::MoneyTerms},
};
use toolcall_schema::{
    Authority, Confirm, Dispatch, Timestamp, ToolCall, ToolName, WellnessState,
    catalogue::{
        allowed_spending::AllowedSpendingList,
        comms::{LongestFirst, TriageInbox, TriageResult, TriageScope, WAITING_MAX, WaitingPlace},
        learning::LearnedList,
        money_questions::{DescribedMoney, MoneyQuestions},
        shared::{LabelledThing, ThingId},
        wellness::LoadScored,
    },
    gate::{self, AdmittedAnswer},
    ids::{CallId, ItemId, TraceId},
    result::ToolErrorCode,
    trace::Trace,
};

/// Ids in one call, as the schema limits them.
const IDS_MAX: usize = 64;

/// Traces that are read at a time.
const PAGE: usize = 512;

/// Traces among which acts of the last days are looked for.
const ACTS_READ_MAX: usize = 4096;

/// Acts of the owner's that have no trace: the audit log alone has them.
const RECORDED: &[(Op, Option<Kind>)] = &[
    (Op::Delete, None),
    (Op::Export, None),
    (Op::Write, Some(Kind::Draft)),
    (Op::Write, Some(Kind::Settings)),
    (Op::KeyChange, Some(Kind::Key)),
];

/// Of each so many, at most.
const RECORDED_MAX: u32 = 64;

/// Records of the audit log that are counted.
const AUDIT_MAX: u32 = 10_000;

/// What a page takes of the answer of each `*.describe`.
#[derive(Deserialize)]
struct NamedThings {
    labels: Vec<LabelledThing>,
    /// Of Comms alone.
    #[serde(default)]
    marks: Vec<LabelledThing>,
    #[serde(default)]
    gone: Vec<ItemId>,
}

/// Who can name it.
fn namer(thing: &ThingId) -> ToolName {
    match thing {
        ThingId::Item(_) | ThingId::Channel(_) | ThingId::Person(_) => ToolName::CommsDescribe,
        ThingId::Event(_) => ToolName::CalendarDescribe,
        ThingId::Txn(_) | ThingId::Merchant(_) => ToolName::FinanceDescribe,
    }
}

/// Why an agent told nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UntoldReason {
    /// It did not answer soon, or not usably.
    NoAnswer,
    /// It answered that it cannot.
    Failed(ToolErrorCode),
}

impl ServiceBackend {
    /// Asks an agent what changes nothing. `None`: it did not answer soon, or not usably.
    pub(super) async fn ask<T: DeserializeOwned>(&self, tool: ToolName, args: Value) -> Option<T> {
        self.try_ask(tool, args).await.ok()
    }

    /// Asks an agent what changes nothing.
    ///
    /// # Errors
    /// Why it told nothing.
    pub(super) async fn try_ask<T: DeserializeOwned>(
        &self,
        tool: ToolName,
        args: impl Into<Arc<Value>>,
    ) -> Result<T, UntoldReason> {
        let silent = UntoldReason::NoAnswer;
        let call = ToolCall {
            call_id: question().ok_or(silent)?,
            agent: tool.agent(),
            tool: tool.tool().to_owned(),
            args: args.into(),
            ts: self.clock.wall(),
            confirm_required: tool.columns().confirm == Confirm::Always,
            expected_surface: None,
            deadline_ms: Some(SOON_MS),
        };
        let bytes = call.to_bytes();
        let admitted = gate::admit(&bytes, gate::GateClock::At(call.ts)).map_err(|_| silent)?;
        let dispatch = Dispatch::new(admitted, Authority::Auto).map_err(|_| silent)?;
        let soon = Duration::from_millis(u64::from(SOON_MS));
        let asked = tokio::time::timeout(
            soon,
            self.agents
                .ask(Box::new(AgentCall::new(dispatch, bytes, self.clock.wall()))),
        )
        .await;
        let answer = asked.map_err(|_| silent)?.map_err(|_| silent)?;
        match gate::admit_result(&answer.result, tool, &call.call_id) {
            Ok(AdmittedAnswer::Done { result, .. }) => serde_json::from_value(result).map_err(|_| silent),
            Ok(AdmittedAnswer::Failed(code)) => Err(UntoldReason::Failed(code)),
            Ok(AdmittedAnswer::Tick(_) | AdmittedAnswer::Ingest(_)) => Err(silent),
            Err(error) => {
                // The code alone: the answer may hold names.
                tracing::warn!(
                    tool = tool.tool(),
                    code = error.code.as_str(),
                    "an answer for a page was refused"
                );
                Err(silent)
            }
        }
    }
}

impl ServiceBackend {
    /// Keeps what the owner says of a thing; it is on disk then.
    async fn write_label(&self, of: NodeKey, text: Option<String>) -> Result<(), BackendError> {
        let label = StoreWrite::Label {
            of,
            text,
            at: self.clock.wall(),
        };
        self.reads.write(vec![label]).await.map_err(|error| {
            tracing::error!(%error, "a name of the owner's could not be kept");
            BackendError::Store
        })
    }

    /// Has mails of accounts fetched again where one of these senders has no name; the page is told when they came.
    fn ask_for_senders(&self, things: &BTreeMap<ToolName, Vec<ThingId>>, names: &DisplayNames) {
        let mut of_comms = things.get(&ToolName::CommsDescribe).into_iter().flatten();
        let is_nameless = |thing: &ThingId| match thing {
            ThingId::Item(_) | ThingId::Person(_) => names.get(&id(thing)).is_none(),
            // Folders of mail are called as they are configured.
            ThingId::Channel(_) | ThingId::Event(_) | ThingId::Txn(_) | ThingId::Merchant(_) => false,
        };
        if self.accounts.has_mail() && of_comms.any(is_nameless) && self.accounts.may_ask_again() {
            let accounts = self.accounts.clone();
            tokio::task::spawn_blocking(move || accounts.ask_again());
        }
    }

    /// What the owner calls some things: their own words, so that reading them is no look into what is kept of others.
    async fn own_names(&self, things: &BTreeMap<ToolName, Vec<ThingId>>) -> Vec<(String, String)> {
        let keys: Vec<NodeKey> = things
            .values()
            .flatten()
            .filter_map(kept_things::key_of)
            .collect();
        if keys.is_empty() {
            return Vec::new();
        }
        let names = read_unfolded(self.readers.clone(), move |reader| reader.own_names(&keys)).await;
        let names = names.unwrap_or_default().into_iter();
        names.map(|(key, name)| (key.as_str().to_owned(), name)).collect()
    }
}

/// Whether a stored trace may be of an act of the owner's.
fn is_act(json: &str) -> bool {
    json.contains(r#""asker":"owner_"#)
        || json.contains(r#""outcome":"confirmed""#)
        || json.contains(r#""reason_code":"owner_dismissed""#)
        || json.contains(r#""reason_code":"later""#)
}

/// An id for a question of a page: random, because nothing of it is kept or replayed.
fn question() -> Option<CallId> {
    let number = uuid::Uuid::new_v4().as_u128() % 10_u128.pow(10);
    CallId::parse(&format!("t_{number:010}")).ok()
}

impl OwnerBackend for ServiceBackend {
    fn status(&self) -> BackendFuture<Result<OwnerStatus, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let look = me.look().await?;
            let (state, settings) = (&look.state, &look.env.settings);
            let hour = |time: chrono::NaiveTime| time.format("%H:%M").to_string();
            let span = |span: &orchestrator_machine::env::DailyWindow| (hour(span.from), hour(span.to));
            Ok(OwnerStatus {
                at: state.wall(look.at),
                settings: SettingsInForce {
                    zone: settings.zone.name().to_owned(),
                    ceiling: settings.ceiling,
                    brief: span(&settings.brief),
                    dnd: settings.dnd.clone(),
                    given: given_settings(me.home.clone()).await,
                },
                state: state.known.state.unwrap_or(WellnessState::Unknown),
                load_score: state.known.load_score,
                recovering_until: state.known.recovering_until.map(|until| state.wall(until)),
                mutes: state.mutes_wall.clone(),
                brief: next_brief(state, &look.env, state.wall(look.at)),
                surfaces: state.surfaces.clone(),
                model: model(me.model.report().standing),
            })
        })
    }

    fn load(&self) -> BackendFuture<Option<LoadScored>> {
        let me = self.clone();
        Box::pin(async move {
            me.ask(ToolName::ComputeLoadScore, Value::Object(serde_json::Map::new()))
                .await
        })
    }

    fn learned(&self) -> BackendFuture<Option<LearnedList>> {
        let me = self.clone();
        Box::pin(async move {
            me.ask(ToolName::ListLearned, Value::Object(serde_json::Map::new()))
                .await
        })
    }

    fn allowed_spending(&self) -> BackendFuture<Option<AllowedSpendingList>> {
        let me = self.clone();
        Box::pin(async move {
            me.ask(
                ToolName::ListAllowedSpending,
                Value::Object(serde_json::Map::new()),
            )
            .await
        })
    }

    fn money_questions(&self) -> BackendFuture<Option<MoneyInquiry>> {
        let me = self.clone();
        Box::pin(async move {
            let nothing = Value::Object(serde_json::Map::new());
            let questions: MoneyQuestions = me.ask(ToolName::ListQuestions, nothing).await?;
            let senders = questions.senders.iter().map(|row| &row.channel_hash);
            let senders = senders.chain(questions.messages.iter().map(|row| &row.channel_hash));
            let messages = questions
                .messages
                .iter()
                .map(|row| ThingId::Item(row.item_id.clone()));
            let ids: BTreeSet<ThingId> = senders.cloned().map(ThingId::Channel).chain(messages).collect();
            let described = if ids.is_empty() {
                DescribedMoney::default()
            } else {
                me.ask(ToolName::FinanceDescribe, serde_json::json!({ "ids": ids }))
                    .await?
            };
            Some(MoneyInquiry { questions, described })
        })
    }

    fn money_terms(&self) -> BackendFuture<MoneyTerms> {
        let (path, nameless) = (self.home.clone(), self.vault.seed().key(AGENTS_KEY).merchant(""));
        let readers = self.readers.clone();
        Box::pin(async move {
            let loaded = match path {
                Some(path) => tokio::task::spawn_blocking(move || HomeConfig::load(&path))
                    .await
                    .ok(),
                None => None,
            };
            // A file that cannot be read is told of where settings are changed.
            let home = loaded.and_then(Result::ok);
            let terms = home.map_or_else(MoneyTerms::default, |home| MoneyTerms {
                balance: home.owner.balance,
                budgets: home.budgets,
                accounts: home.owner.finance.accounts.into_iter().collect(),
                currency: home.owner.finance.currency,
                nameless: None,
                statement_balances: Vec::new(),
            });
            // Without them it counts what she told.
            let statement_balances = read(readers, statement_balances).await.unwrap_or_default();
            MoneyTerms {
                nameless: Some(nameless),
                statement_balances,
                ..terms
            }
        })
    }

    fn sent_today(&self) -> BackendFuture<Result<Vec<SentNotifications>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let look = me.look().await?;
            let midnight =
                surfaces_base::format::midnight(look.state.ledger.view().day, look.env.settings.zone);
            let filter = AuditFilter {
                op: Some(Op::Send),
                kind: Some(Kind::Notification),
                from_ms: Some(midnight.ms()),
                ..AuditFilter::default()
            };
            let records =
                read_unfolded(me.readers.clone(), move |reader| reader.audit(&filter, AUDIT_MAX)).await?;
            let mut sent: BTreeMap<Option<String>, u32> = BTreeMap::new();
            for record in records {
                let host = record.revealed.and_then(|revealed| revealed.meaning.id);
                *sent.entry(host.map(String::from)).or_default() += 1;
            }
            let of_machine = |(host, count)| SentNotifications { host, count };
            Ok(sent.into_iter().map(of_machine).collect())
        })
    }

    fn waiting(&self) -> BackendFuture<Option<TriageResult>> {
        let me = self.clone();
        Box::pin(async move {
            let mut longest = LongestFirst::default();
            let mut all: Option<TriageResult> = None;
            loop {
                let args = TriageInbox {
                    scope: TriageScope::Unread24h,
                    longest: Some(longest),
                };
                let args = serde_json::to_value(args).ok()?;
                let part: TriageResult = me.ask(ToolName::TriageInbox, args).await?;
                let last = part.urgent.last().map(WaitingPlace::of_item);
                let is_last = part.urgent.len() < WAITING_MAX;
                match &mut all {
                    Some(all) => all.urgent.extend(part.urgent),
                    None => all = Some(part),
                }
                if is_last {
                    return all;
                }
                longest = LongestFirst { after: last };
            }
        })
    }

    fn acts(&self) -> BackendFuture<Result<Vec<Trace>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.shows(AuditSubject::all_of(Kind::Traces)).await?;
            let since = me.clock.wall().plus_min(-ACTS_DAYS * 24 * 60);
            let untraced = untraced_acts(&me.look().await?.state);
            let put_off = untraced.put_off.into_iter().map(|(id, _)| id);
            let put_away: BTreeSet<TraceId> = untraced.dismissed.into_iter().chain(put_off).collect();
            read_unfolded(me.readers.clone(), move |reader| {
                // What ended later may have been decided before: a card waits for a day at most.
                let from = since.plus_min(-24 * 60);
                let first = reader.ticks_between(from, Timestamp::from_ms(i64::MAX))?;
                let first = first.map_or(u64::MAX, |(first, _)| first);
                let rows = reader.traces_and_calls_from(ACTS_READ_MAX, None, first)?;
                // What was decided and done without the owner is not parsed.
                let acts = rows.iter().filter(|row| is_act(&row.json));
                let mut traces: Vec<Trace> = acts.filter_map(|row| trace_of(&row.json)).collect();
                let known: BTreeSet<TraceId> = traces.iter().map(|trace| trace.trace_id.clone()).collect();
                // That a card which asked nothing was dismissed or put off does not stand in its trace.
                for id in put_away.difference(&known) {
                    traces.extend(reader.trace(id)?.and_then(|row| trace_of(&row.json)));
                }
                traces.retain(|trace| trace.decision.ts >= since);
                Ok(traces)
            })
            .await
        })
    }

    fn deliveries(&self) -> BackendFuture<Vec<DeliveryView>> {
        let views = self
            .accounts
            .deliveries()
            .iter()
            .map(ServerDeliveryReport::view)
            .collect();
        Box::pin(std::future::ready(views))
    }

    fn recorded_acts(&self) -> BackendFuture<Result<Vec<AuditAct>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.shows(AuditSubject::all_of(Kind::Audit)).await?;
            let since = me.clock.wall().plus_min(-ACTS_DAYS * 24 * 60);
            read_unfolded(me.readers.clone(), move |reader| {
                let mut acts = Vec::new();
                for (op, kind) in RECORDED {
                    let filter = AuditFilter {
                        op: Some(*op),
                        kind: *kind,
                        from_ms: Some(since.ms()),
                        ..AuditFilter::default()
                    };
                    let records = reader.audit(&filter, RECORDED_MAX)?.into_iter().map(audit_act);
                    // Of settings that somebody is about to change it is not known which.
                    acts.extend(records.filter(|act| *kind != Some(Kind::Settings) || act.id.is_some()));
                }
                Ok(acts)
            })
            .await
        })
    }

    fn name_thing(&self, thing: ThingId, name: Option<String>) -> BackendFuture<Result<(), BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(of) = kept_things::key_of(&thing) else {
                return Err(BackendError::Store);
            };
            me.write_label(of, name).await
        })
    }

    fn tag_day(&self, day: NaiveDate, tag: Option<DayTag>) -> BackendFuture<Result<(), BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let text = tag.map(|tag| tag.as_str().to_owned());
            me.write_label(NodeKey::body(day), text).await
        })
    }

    fn kept(&self) -> BackendFuture<Result<KeptSummary, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.shows(AuditSubject::all_of(Kind::Graph)).await?;
            let (home, vault) = (me.home.clone(), me.vault.clone());
            me.retention.observe();
            let (time, results) = (me.retention.report(), Arc::clone(&me.results));
            read(me.readers.clone(), move |reader| {
                let version = reader.content_version()?;
                let counted = results
                    .stats
                    .get_or_try_init(version, || Ok((reader.stats()?, reader.content_counts()?)))?;
                let home = home.and_then(|path| HomeConfig::load(&path).ok());
                let zone = erase::zone(&vault, home.as_ref());
                let midnight =
                    surfaces_base::format::midnight(surfaces_base::format::local_date(time.wall, zone), zone);
                let retention = home.map(|home| home.retention).unwrap_or_default();
                Ok(KeptSummary {
                    waits: time.waits.map(|why| (why, time.wall)),
                    ..count_kept((reader, &counted), &retention, midnight)?
                })
            })
            .await
        })
    }

    fn recent_cards(&self) -> BackendFuture<Result<RecentCards, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.shows(AuditSubject::all_of(Kind::Traces)).await?;
            let since = me.clock.wall().plus_min(-SHOWN_DAYS * 24 * 60);
            read_unfolded(me.readers.clone(), move |reader| shown_since(reader, since)).await
        })
    }

    fn names(&self, ids: BTreeSet<ThingId>) -> BackendFuture<DisplayNames> {
        let me = self.clone();
        Box::pin(async move {
            let mut by_namer: BTreeMap<ToolName, Vec<ThingId>> = BTreeMap::new();
            for id in ids {
                by_namer.entry(namer(&id)).or_default().push(id);
            }
            let asked = by_namer.iter().flat_map(|(tool, ids)| {
                ids.chunks(IDS_MAX)
                    .map(|some| me.ask::<NamedThings>(*tool, serde_json::json!({ "ids": some })))
            });
            let (answers, own) =
                futures_util::future::join(futures_util::future::join_all(asked), me.own_names(&by_namer))
                    .await;
            let (mut named, mut marks, mut gone) = (Vec::new(), Vec::new(), Vec::new());
            for described in answers.into_iter().flatten() {
                named.extend(
                    described
                        .labels
                        .iter()
                        .map(|named| (id(&named.id), shown_name(named))),
                );
                let marked = described.marks.iter();
                marks.extend(marked.map(|mark| (id(&mark.id), mark.label.as_str().to_owned())));
                gone.extend(described.gone);
            }
            // What the owner calls a thing stands before what others do, and tells it apart.
            marks.retain(|(id, _)| !own.iter().any(|(of, _)| of == id));
            let names: DisplayNames = named.into_iter().chain(own).collect();
            let names = names.with_marks(marks).with_gone(gone);
            me.ask_for_senders(&by_namer, &names);
            names
        })
    }
}

/// What an agent calls a thing; Finance keeps the names of shops in small letters.
fn shown_name(named: &LabelledThing) -> String {
    let label = named.label.as_str();
    match named.id {
        ThingId::Merchant(_) | ThingId::Txn(_) => surfaces_base::format::shop_name(label),
        ThingId::Item(_) | ThingId::Channel(_) | ThingId::Event(_) | ThingId::Person(_) => label.to_owned(),
    }
}

fn id(thing: &ThingId) -> String {
    match thing {
        ThingId::Item(id) => id.as_str(),
        ThingId::Channel(id) => id.as_str(),
        ThingId::Event(id) => id.as_str(),
        ThingId::Txn(id) => id.as_str(),
        ThingId::Merchant(id) => id.as_str(),
        ThingId::Person(id) => id.as_str(),
    }
    .to_owned()
}

/// The keys that the owner's file sets; `None` when there is no such file or it is not TOML.
async fn given_settings(home: Option<PathBuf>) -> Option<BTreeSet<String>> {
    let path = home?;
    let read = tokio::task::spawn_blocking(move || std::fs::read_to_string(path));
    let table: toml::Table = read.await.ok()?.ok()?.parse().ok()?;
    Some(table.into_iter().map(|(key, _)| key).collect())
}

fn model(standing: model_supervisor::ModelState) -> ModelAvailability {
    match standing {
        model_supervisor::ModelState::Off => ModelAvailability::Off,
        model_supervisor::ModelState::Ready => ModelAvailability::Ready,
        model_supervisor::ModelState::Starting => ModelAvailability::Starting,
        model_supervisor::ModelState::Unknown
        | model_supervisor::ModelState::NoFile
        | model_supervisor::ModelState::NoWorker
        | model_supervisor::ModelState::Resting => ModelAvailability::Unusable,
    }
}

#[cfg(test)]
mod tests {
    use aura_memory::audit::{Kind, Op};
    use surfaces_base::words;

    #[test]
    fn each_act_of_the_audit_log_is_a_sentence_without_its_code() {
        for op in Op::ALL {
            for kind in Kind::ALL.iter().map(Some).chain([None]) {
                let says = words::audit_act(op.as_str(), kind.map(|kind| kind.as_str()), None, Some(2));
                assert!(
                    says.ends_with('.') && !says.contains('_'),
                    "{op} {kind:?}: {says}"
                );
                // Of each kind there is a phrase, not its name with a colon.
                assert!(!says.starts_with(char::is_lowercase), "{op} {kind:?}: {says}");
                assert!(
                    !says.to_lowercase().contains(" graph") && !says.contains(" node"),
                    "{says}"
                );
            }
        }
    }
}
