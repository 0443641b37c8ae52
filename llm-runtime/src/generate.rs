//! Who answers: a bounded trait, with nobody and a script behind it.
//!
//! What: [`Generate`], [`Absent`], and [`Scripted`] for recorded days. Why: the machine's shell asks one thing in one way, whoever
//! answers. Not here: the process with llama.cpp (`orchestrator::process::model`), reading the answer (`question`).

use crate::{manifest::Tier, question::Question};
use std::{
    collections::{BTreeMap, VecDeque},
    future::Future,
    pin::Pin,
};
use toolcall_schema::ModelFault;

/// What a model said, or why it said nothing. Not to be trusted, not to be logged.
pub type Text = Result<String, ModelFault>;

/// When an answer is there.
pub enum Answer {
    /// It is known and is given at a time of the clock: recorded replies.
    After {
        /// Milliseconds after it was asked.
        ms: u32,
        /// What is said.
        text: Text,
    },
    /// It comes when it comes: a real model. Whoever drops this has stopped waiting.
    Later(Pin<Box<dyn Future<Output = Text> + Send>>),
}

impl Answer {
    /// There is no model.
    pub fn absent() -> Self {
        Answer::After {
            ms: 0,
            text: Err(ModelFault::Absent),
        }
    }
}

/// A language model.
pub trait Generate: Send {
    /// What it may be asked now; `None`: there is none.
    fn tier(&self) -> Option<Tier>;

    /// Asks it, for a tick. Returns at once.
    fn ask(&mut self, tick: u64, question: &Question) -> Answer;
}

/// No model: Aura works fully on templates.
#[derive(Debug, Clone, Copy, Default)]
pub struct Absent;

impl Generate for Absent {
    fn tier(&self) -> Option<Tier> {
        None
    }

    fn ask(&mut self, _tick: u64, _question: &Question) -> Answer {
        Answer::absent()
    }
}

/// One recorded reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Milliseconds after it was asked.
    pub after_ms: u32,
    /// What it said; absent: it failed.
    pub text: Option<String>,
}

/// A model that gives recorded replies, by tick, in their order. Without one for a question it is absent.
#[derive(Debug, Clone)]
pub struct Scripted {
    tier: Tier,
    replies: BTreeMap<u64, VecDeque<Reply>>,
}

impl Scripted {
    /// A model of a tier with these replies.
    pub fn new(tier: Tier, replies: impl IntoIterator<Item = (u64, Reply)>) -> Self {
        let mut all: BTreeMap<u64, VecDeque<Reply>> = BTreeMap::new();
        for (tick, reply) in replies {
            all.entry(tick).or_default().push_back(reply);
        }
        Self { tier, replies: all }
    }
}

impl Generate for Scripted {
    fn tier(&self) -> Option<Tier> {
        Some(self.tier)
    }

    fn ask(&mut self, tick: u64, _question: &Question) -> Answer {
        let reply = self.replies.get_mut(&tick).and_then(VecDeque::pop_front);
        reply.map_or_else(Answer::absent, |reply| Answer::After {
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
        let reply = |after_ms, text: Option<&str>| Reply {
            after_ms,
            text: text.map(str::to_owned),
        };
        let replies = [
            (1, reply(300, Some("1"))),
            (1, reply(5, Some("2"))),
            (2, reply(10, None)),
        ];
        let mut model = Scripted::new(Tier::Choose, replies);
        let question = Question::choose(&["a".to_owned(), "b".to_owned()]);
        let mut ask = |tick| match model.ask(tick, &question) {
            Answer::After { ms, text } => (ms, text),
            Answer::Later(_) => panic!("a script knows its answers"),
        };
        assert_eq!(ask(1), (300, Ok("1".to_owned())));
        assert_eq!(ask(1), (5, Ok("2".to_owned())));
        assert_eq!(ask(1), (0, Err(ModelFault::Absent)));
        assert_eq!(ask(2), (10, Err(ModelFault::Failed)));
        assert_eq!(ask(3), (0, Err(ModelFault::Absent)));
    }
}
