//! Who answers: a bounded trait, with nobody and a script behind it.
//!
//! What: [`LanguageModel`], [`AbsentModel`], and [`ScriptedModel`] for recorded days. Why: the machine's shell asks one thing in one way, whoever
//! answers. Not here: the process with llama.cpp (`aura_process::model_supervisor`), reading the answer (`question`).

use crate::{manifest::Tier, question::ModelQuestion};
use std::{
    collections::{BTreeMap, VecDeque},
    future::Future,
    pin::Pin,
};
use toolcall_schema::ModelFault;

/// What a model said, or why it said nothing. Not to be trusted, not to be logged.
pub type ModelText = Result<String, ModelFault>;

/// When an answer is there.
pub enum PendingAnswer {
    /// It is known and is given at a time of the clock: recorded replies.
    After {
        /// Milliseconds after it was asked.
        ms: u32,
        /// What is said.
        text: ModelText,
    },
    /// It comes when it comes: a real model. Whoever drops this has stopped waiting.
    Later(Pin<Box<dyn Future<Output = ModelText> + Send>>),
}

impl PendingAnswer {
    /// There is no model.
    pub fn absent() -> Self {
        PendingAnswer::After {
            ms: 0,
            text: Err(ModelFault::Absent),
        }
    }
}

/// A language model.
pub trait LanguageModel: Send {
    /// What it may be asked now; `None`: there is none.
    fn tier(&self) -> Option<Tier>;

    /// Asks it, for a tick. Returns at once.
    fn ask(&mut self, tick: u64, question: &ModelQuestion) -> PendingAnswer;
}

/// No model: Aura works fully on templates.
#[derive(Debug, Clone, Copy, Default)]
pub struct AbsentModel;

impl LanguageModel for AbsentModel {
    fn tier(&self) -> Option<Tier> {
        None
    }

    fn ask(&mut self, _tick: u64, _question: &ModelQuestion) -> PendingAnswer {
        PendingAnswer::absent()
    }
}

/// One recorded reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedReply {
    /// Milliseconds after it was asked.
    pub after_ms: u32,
    /// What it said; absent: it failed.
    pub text: Option<String>,
}

/// A model that gives recorded replies, by tick, in their order. Without one for a question it is absent.
#[derive(Debug, Clone)]
pub struct ScriptedModel {
    tier: Tier,
    replies: BTreeMap<u64, VecDeque<RecordedReply>>,
}

impl ScriptedModel {
    /// A model of a tier with these replies.
    pub fn new(tier: Tier, replies: impl IntoIterator<Item = (u64, RecordedReply)>) -> Self {
        let mut all: BTreeMap<u64, VecDeque<RecordedReply>> = BTreeMap::new();
        for (tick, reply) in replies {
            all.entry(tick).or_default().push_back(reply);
        }
        Self { tier, replies: all }
    }
}

impl LanguageModel for ScriptedModel {
    fn tier(&self) -> Option<Tier> {
        Some(self.tier)
    }

    fn ask(&mut self, tick: u64, _question: &ModelQuestion) -> PendingAnswer {
        let reply = self.replies.get_mut(&tick).and_then(VecDeque::pop_front);
        reply.map_or_else(PendingAnswer::absent, |reply| PendingAnswer::After {
            ms: reply.after_ms,
            text: reply.text.ok_or(ModelFault::Failed),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scripted_model_says_what_was_recorded_in_its_order_and_is_absent_otherwise() {
        let reply = |after_ms, text: Option<&str>| RecordedReply {
            after_ms,
            text: text.map(str::to_owned),
        };
        let replies = [
            (1, reply(300, Some("1"))),
            (1, reply(5, Some("2"))),
            (2, reply(10, None)),
        ];
        let mut model = ScriptedModel::new(Tier::Choose, replies);
        let question = ModelQuestion::choose(&["a".to_owned(), "b".to_owned()]);
        let mut ask = |tick| match model.ask(tick, &question) {
            PendingAnswer::After { ms, text } => (ms, text),
            PendingAnswer::Later(_) => panic!("a script knows its answers"),
        };
        assert_eq!(ask(1), (300, Ok("1".to_owned())));
        assert_eq!(ask(1), (5, Ok("2".to_owned())));
        assert_eq!(ask(1), (0, Err(ModelFault::Absent)));
        assert_eq!(ask(2), (10, Err(ModelFault::Failed)));
        assert_eq!(ask(3), (0, Err(ModelFault::Absent)));
    }
}
