//! Deliberating: from answers to a decision.
//!
//! What: reads the answers, weighs what they propose, reserves a token for what was chosen, and writes the decision. Why: the one place
//! where it is decided whether something is worth an interruption. Not here: what must not be (`caps`), the formulas (`rank`), which one
//! is chosen and how it is asked (`choose`), the states (`flow`).

use crate::{
    asks,
    caps::{self, CapContext, Initiative},
    cards,
    effect::Effect,
    env::MachineEnv,
    event::TickAnswer,
    later::PostponedCard,
    policy::BRIEF_EXPECTS,
    rank::{self, MergedCandidate, NanoScore, ScoreContext},
    rationale,
    state::{DeliberationResult, Tick},
    step::StepContext,
};
use std::{cmp::Reverse, sync::Arc};
use toolcall_schema::{
    ActionKind, AgentName, AgentStatus, Class, ReasonCode, Surface, WellnessState,
    milli::Milli,
    tick::{Candidate, PerAgent, SignalReading, Subject, UserState},
    trace::{ConsideredCandidate, Decision, ScoreParts},
};

/// Scores that differ by no more are as good as each other.
const TIE: NanoScore = NanoScore(50_000_000);
/// An ask is worth less than whatever an agent proposes: it explains a silence only where there was nothing else.
const ASK_WORTH: i64 = -1;
/// At most this many are offered.
const TIED_MAX: usize = 6;

/// A candidate with what became of it.
pub(crate) struct RankedCandidate {
    pub(crate) merged: MergedCandidate,
    pub(crate) removed: Option<(ReasonCode, Option<String>)>,
    score: Option<(NanoScore, ScoreParts)>,
    /// Priority × confidence: what it is worth whatever the state.
    worth: i64,
    /// How often in a row the owner put it off until now; 0: it is not what this tick is to ask for again.
    pub(crate) put_off: u8,
}

impl RankedCandidate {
    pub(crate) fn remove(&mut self, reason: ReasonCode) {
        self.removed = Some((reason, None));
        self.score = None;
    }

    pub(crate) fn surface(&self) -> Surface {
        self.merged.kind.tool().columns().surface
    }

    fn exact(&self) -> Option<NanoScore> {
        self.score.as_ref().map(|(exact, _)| *exact)
    }

    /// Whether it was scored, and passes: by its score, or because the owner always lets it through and nothing the same was shown today.
    pub(crate) fn reaches(&self, threshold: Milli) -> bool {
        self.score.as_ref().is_some_and(|(exact, parts)| {
            *exact >= NanoScore::from_milli(threshold)
                || (self.merged.let_through && parts.recent <= Milli(0))
        })
    }
}

/// Candidates that are as good as each other, for a model that may choose.
pub(crate) struct TiedCandidates {
    /// Best first.
    pub(crate) offered: Vec<(ActionKind, Subject)>,
    /// The same as true sentences.
    pub(crate) actions: Vec<String>,
}

impl StepContext<'_> {
    /// The owner's state, from the last answers and the clock.
    pub(crate) fn user_state(&self) -> UserState {
        let wall = self.wall();
        let now = || {
            self.state
                .known
                .events_wall
                .values()
                .filter(|times| times.start <= wall && wall < times.end)
        };
        let in_focus = now().any(|times| times.focus);
        let (_, time) = self.env.local(wall);
        let state = self.state.known.state.unwrap_or(WellnessState::Unknown);
        UserState {
            load_score: self.state.known.load_score,
            state: if in_focus { WellnessState::Focused } else { state },
            in_focus,
            in_meeting: now().any(|times| !times.focus),
            dnd: self.state.known.dnd.is_some()
                || self.env.settings.dnd.iter().any(|span| span.contains(time)),
            active_channel: self.active_channel(),
            brief_due: self.env.settings.brief.contains(time),
            zone: self.env.settings.zone.name().to_owned(),
        }
    }

    /// What a model may choose between: of a novel combination of kinds, the best and those within 0.05 of it. `None`: there
    /// is nothing to choose, or no model that could be asked.
    pub(crate) fn find_tie(&mut self, tick: &Tick, answers: &PerAgent<TickAnswer>) -> Option<TiedCandidates> {
        if !self.env.settings.model {
            return None;
        }
        let (agent_status, signals, proposed) = read_answers(answers.clone());
        let user = self.user_in_tick(&tick.trigger);
        let weighed = self.weigh(tick, &user, &agent_status, proposed);
        if !self.is_novel(&weighed) || weighed.iter().any(|w| w.put_off > 0) {
            return None;
        }
        let can_be_shown = |w: &&RankedCandidate| self.prompt_surfaces(&w.merged, user.dnd).is_ok();
        let mut standing = self.presentable(&weighed).filter(can_be_shown);
        let (best, best_score) = standing.next().and_then(|w| Some((w, w.exact()?)))?;
        let near = |w: &&RankedCandidate| w.exact().is_some_and(|exact| best_score.0 - exact.0 <= TIE.0);
        let tied: Vec<&RankedCandidate> = std::iter::once(best)
            .chain(standing.filter(near))
            .take(TIED_MAX)
            .collect();
        let of = |w: &&RankedCandidate| (w.merged.kind, w.merged.subject.clone());
        let words = |w: &&RankedCandidate| rationale::of_tied(&signals, w.merged.kind, &w.merged.subject);
        (tied.len() > 1).then(|| TiedCandidates {
            offered: tied.iter().map(of).collect(),
            actions: tied.iter().map(words).collect(),
        })
    }

    /// What could be shown by its score, best first.
    fn presentable<'w>(
        &self,
        weighed: &'w [RankedCandidate],
    ) -> impl Iterator<Item = &'w RankedCandidate> + use<'w> {
        let threshold = self.env.policy.threshold();
        weighed
            .iter()
            .filter(move |w| w.surface() != Surface::Silent && w.reaches(threshold))
    }

    /// Whether what stands out is a combination of kinds that no rule of the policy knows.
    fn is_novel(&self, weighed: &[RankedCandidate]) -> bool {
        let kinds = self.presentable(weighed).map(|w| w.merged.kind).collect();
        !self.env.policy.is_known_combination(&kinds)
    }

    /// `preferred` goes first, if it is there and passes.
    pub(crate) fn deliberate(
        &mut self,
        tick: &Tick,
        answers: PerAgent<TickAnswer>,
        preferred: Option<&(ActionKind, Subject)>,
    ) -> DeliberationResult {
        let (agent_status, signals, proposed) = read_answers(answers);
        let user = self.user_in_tick(&tick.trigger);
        let mut weighed = self.weigh(tick, &user, &agent_status, proposed);
        let novel = self.env.settings.model && self.is_novel(&weighed);
        let chosen = self.choose(tick, &user, &mut weighed, preferred);
        if let Some((chosen, _)) = &chosen {
            self.retry_outranked(tick, &weighed, (chosen.kind, &chosen.subject));
        }
        let again = weighed.iter().find(|w| w.put_off > 0);
        let removed = again.and_then(|w| w.removed.as_ref()).map(|(reason, _)| *reason);
        let put_off = again
            .filter(|w| w.removed.is_none() && chosen.is_some())
            .map_or(0, |w| w.put_off);
        let unheard = again.is_none() && self.is_unheard(tick, &agent_status);
        self.settle_later(tick, removed, unheard);
        if let Some((chosen, _)) = &chosen
            && chosen.kind == ActionKind::PrepareMeeting
        {
            self.meeting_is_told(&chosen.subject);
        }
        self.settle_meeting(tick, &agent_status, &weighed);
        let ledger_before = self.state.ledger.view();
        if chosen
            .as_ref()
            .is_some_and(|(primary, plan)| plan.surfaces && primary.class != Class::Safety && put_off == 0)
        {
            let row = self.state.ledger.reserve(&tick.trace_id);
            self.effects.extend(row.map(Effect::Ledger));
            if chosen
                .as_ref()
                .is_some_and(|(primary, _)| primary.asker.is_some())
            {
                self.state.asks.count_card(&tick.trace_id, &self.state.ledger);
            }
        }
        let reason_code = chosen.is_none().then(|| silence_reason(&weighed));
        let (primary, plan) = chosen.map_or((None, None), |(chosen, plan)| (Some(chosen), Some(plan)));
        let mut decision = Decision {
            trace_id: tick.trace_id.clone(),
            tick: tick.number,
            call: None,
            ts: self.wall(),
            trigger: tick.trigger.clone(),
            user,
            agent_status,
            signals,
            candidates: weighed.into_iter().map(considered).collect(),
            chosen: primary,
            reason_code,
            rationale: String::new(),
            ledger_before,
            policy_hash: self.env.policy.hash().to_owned(),
            catalogue_hash: self.env.catalogue_hash.clone(),
            stale_triggers: tick.stale.clone(),
            put_off,
        };
        let threshold = self.env.policy.threshold();
        decision.rationale = rationale::template(&decision, threshold);
        // What a program asked for is said in our own words alone.
        let proposed = decision
            .chosen
            .as_ref()
            .is_some_and(|chosen| chosen.asker.is_none());
        let asks_model =
            self.env.settings.model && proposed && plan.as_ref().is_some_and(|plan| plan.surfaces);
        DeliberationResult {
            sentences: if asks_model {
                rationale::sentences(&decision, threshold)
            } else {
                vec![]
            },
            decision: Arc::new(decision),
            plan,
            novel: novel && asks_model,
            said: None,
        }
    }

    /// Merges, removes, scores, ranks.
    fn weigh(
        &mut self,
        tick: &Tick,
        user: &UserState,
        status: &PerAgent<AgentStatus>,
        proposed: Vec<(AgentName, Candidate)>,
    ) -> Vec<RankedCandidate> {
        let local = self.env.local(self.wall());
        let muted: Vec<Subject> = self.state.mutes_wall.keys().map(Subject::from).collect();
        let standing = CapContext {
            muted: &muted,
            ..self.cap_context(Initiative::of_trigger(&tick.trigger), user.dnd)
        };
        let again = self.postponed_of(&tick.trigger).cloned();
        let waiting = cards::unseen_subjects(&self.state.cards);
        let scene = ScoreContext {
            waiting: &waiting,
            env: self.env,
            state: user.state,
            trigger: &tick.trigger,
            dnd: user.dnd,
            history: &self.state.history,
            day: local.0,
            at: self.state.at,
        };
        let asked: Vec<RankedCandidate> = self
            .state
            .asks
            .candidates(self.state.at)
            .into_iter()
            .map(|merged| RankedCandidate {
                removed: self
                    .reason_against(&standing, &merged)
                    .or_else(|| self.asks_cap()),
                merged,
                score: None,
                worth: ASK_WORTH,
                put_off: 0,
            })
            .collect();
        let mut weighed: Vec<RankedCandidate> = rank::merge(proposed)
            .into_iter()
            .map(|mut merged| {
                if merged.kind == ActionKind::ShowBrief {
                    name_missing_sections(&mut merged, status);
                }
                let is_again = |card: &PostponedCard| card.is_about(merged.kind, &merged.subject);
                let put_off = again
                    .as_ref()
                    .filter(|card| is_again(card))
                    .map_or(0, |card| card.times);
                let removed = if put_off > 0 {
                    let standing = CapContext {
                        initiative: Initiative::PutOff,
                        ..standing.clone()
                    };
                    caps::removal_reason(&standing, &merged)
                } else {
                    self.reason_against(&standing, &merged)
                };
                let scored = removed.is_none() && put_off == 0;
                let score = scored.then(|| rank::score(&scene, &merged));
                let worth = worth(self.env, &merged);
                RankedCandidate {
                    merged,
                    removed,
                    score,
                    worth,
                    put_off,
                }
            })
            .collect();
        // Ranked: what the owner waits for, then scored ones by (score, priority, kind), then the removed ones by what they were worth.
        weighed.sort_by_key(|w| {
            let score = w.score.as_ref().map(|(exact, parts)| (*exact, parts.priority));
            (
                w.put_off == 0,
                Reverse(score.is_some()),
                Reverse(score),
                Reverse(score.is_none().then_some(w.worth)),
                w.merged.kind.as_str(),
            )
        });
        self.retry_blocked(tick, &weighed);
        // Behind whatever an agent proposed, oldest first.
        weighed.extend(asked);
        weighed
    }

    /// The asks' own cap, where it is reached.
    fn asks_cap(&self) -> Option<(ReasonCode, Option<String>)> {
        let per_day = self.env.policy.asks_per_day();
        let reached = self.state.asks.is_cap_reached(&self.state.ledger, per_day);
        reached.then(|| (ReasonCode::CapDaily, Some(asks::ASKS_CAP.to_owned())))
    }

    /// Why a candidate may not be considered now; one that the owner put off comes at its hour, or when the owner asks.
    fn reason_against(
        &self,
        standing: &CapContext<'_>,
        merged: &MergedCandidate,
    ) -> Option<(ReasonCode, Option<String>)> {
        let waits = || standing.initiative != Initiative::Owner && self.is_put_off(merged);
        caps::removal_reason(standing, merged).or_else(|| waits().then_some((ReasonCode::Later, None)))
    }
}

type CollectedAnswers = (
    PerAgent<AgentStatus>,
    PerAgent<Vec<SignalReading>>,
    Vec<(AgentName, Candidate)>,
);

fn read_answers(mut answers: PerAgent<TickAnswer>) -> CollectedAnswers {
    let (mut status, mut signals, mut proposed) = (PerAgent::new(), PerAgent::new(), Vec::new());
    for agent in AgentName::FOUR {
        let how = match answers.remove(&agent) {
            Some(TickAnswer::Answered(result)) => {
                signals.insert(agent, result.readings);
                proposed.extend(result.candidates.into_iter().map(|candidate| (agent, candidate)));
                AgentStatus::Answered
            }
            Some(TickAnswer::Failed) => AgentStatus::Failed,
            Some(TickAnswer::Rejected) => AgentStatus::Rejected,
            None => AgentStatus::Timeout,
        };
        status.insert(agent, how);
    }
    (status, signals, proposed)
}

/// A brief says which of the agents it expects was not read.
fn name_missing_sections(merged: &mut MergedCandidate, status: &PerAgent<AgentStatus>) {
    let missing = BRIEF_EXPECTS
        .iter()
        .filter(|agent| status.get(agent) != Some(&AgentStatus::Answered));
    if let Some(sections) = Arc::make_mut(&mut merged.args)
        .get_mut("sections")
        .and_then(serde_json::Value::as_array_mut)
    {
        sections.extend(missing.map(|agent| serde_json::json!({ "section": "not_read", "agent": agent })));
    }
}

fn worth(env: &MachineEnv, merged: &MergedCandidate) -> i64 {
    let severity = merged
        .args
        .get("severity")
        .and_then(|v| v.as_str())
        .and_then(toolcall_schema::Severity::parse);
    env.priority(merged.kind, merged.agent, severity).0 * merged.confidence.0
}

/// Why a tick stays silent: the reason of what the owner waits for, else of the candidate that is worth most, ties by kind.
fn silence_reason(weighed: &[RankedCandidate]) -> ReasonCode {
    // Where an ask alone has nothing left for today, the day is as it would be without it.
    let capped = |w: &&RankedCandidate| {
        let rule = w.removed.as_ref().and_then(|(_, rule)| rule.as_deref());
        w.merged.asker.is_some() && rule == Some(asks::ASKS_CAP)
    };
    let best = weighed
        .iter()
        .filter(|w| !capped(w))
        .min_by_key(|w| (w.put_off == 0, Reverse(w.worth), w.merged.kind.as_str()));
    best.map_or(ReasonCode::NoCandidate, |w| {
        w.removed
            .as_ref()
            .map_or(ReasonCode::BelowThreshold, |(reason, _)| *reason)
    })
}

fn considered(weighed: RankedCandidate) -> ConsideredCandidate {
    let (removed, rule) = weighed
        .removed
        .map_or((None, None), |(reason, rule)| (Some(reason), rule));
    ConsideredCandidate {
        kind: weighed.merged.kind,
        subject: weighed.merged.subject,
        agent: weighed.merged.agent,
        class: weighed.merged.class,
        confidence: weighed.merged.confidence,
        asker: weighed.merged.asker,
        evidence: weighed.merged.evidence,
        let_through: weighed.merged.let_through,
        removed,
        rule,
        score: weighed.score.map(|(_, parts)| parts),
    }
}
