//! One life of the model's process, seen from the supervisor.
//!
//! What: starts the process, has it evaluate the prefix, asks it in frames with a deadline on every wait. Why: whatever it does, the
//! service goes on: a refused frame, silence and a death are all an [`ExitReason`]. Not here: starting it again (`supervisor`), its command line
//! (`llm`), socket and process (`link`).

use super::{
    link::{ExitReason, ProcessLink},
    llm::ModelLaunch,
    supervisor::{ChildSession, PONG, plain_sandbox},
};
use aura_platform::metrics::ModelUse;
use llm_runtime::{
    ModelQuestion, ModelText,
    manifest::{Template, Tier},
    prompt,
    wire::{self, End as Stopped, FromModel, RefusalCode, ToModel, WireError},
};
use std::{io, time::Duration};
use tokio::time::timeout;
use toolcall_schema::ModelFault;

/// How long loading may take: a large model is read from the disk.
const LOAD: Duration = Duration::from_mins(2);
/// How long the prefix may take: a large model evaluates a few tokens a second on a small machine.
const PREFIX: Duration = Duration::from_mins(2);

/// A process.
pub(super) struct ModelSession {
    link: ProcessLink,
    template: Template,
    tier: Tier,
    /// Of the last frame.
    n: u64,
}

/// What a process says when it can be asked.
pub(super) struct SessionStarted {
    /// Of its sandbox.
    pub(super) sandbox: String,
    /// Milliseconds of loading.
    pub(super) load_ms: u32,
    /// Tokens of the prefix.
    pub(super) tokens: u32,
    /// Whether the prefix was read from the disk.
    pub(super) restored: bool,
}

/// An answer, or why there is none although the process lives on.
pub(super) struct SessionAnswer {
    /// What it said.
    pub(super) text: ModelText,
    /// What it cost, when there was an answer.
    pub(super) used: Option<ModelUse>,
}

impl ModelSession {
    /// Starts the process.
    ///
    /// # Errors
    /// It could not be started.
    pub(super) fn start(launch: &ModelLaunch, template: Template, tier: Tier) -> io::Result<Self> {
        let (mut command, ours) = launch.command()?;
        let link = ProcessLink::start(&mut command, ours, wire::decoder(), "model")?;
        Ok(Self {
            link,
            template,
            tier,
            n: 0,
        })
    }

    async fn tell(&mut self, frame: &ToModel) -> Result<(), ExitReason> {
        self.link.tell(&frame.encode()?).await
    }

    async fn read(&mut self) -> Result<FromModel, ExitReason> {
        self.link.read(FromModel::decode).await
    }

    /// Waits until the model is loaded and its prefix evaluated.
    ///
    /// # Errors
    /// [`ExitReason`]
    pub(super) async fn begin(&mut self) -> Result<SessionStarted, ExitReason> {
        let loaded = timeout(LOAD, self.read()).await;
        let loaded = loaded.map_err(|_| ExitReason::Hung("`ready`"))??;
        let FromModel::Ready { sandbox, load_ms, .. } = loaded else {
            return Err(refused(&loaded));
        };
        self.n += 1;
        let pieces = prompt::prefix(self.template, self.tier);
        self.tell(&ToModel::Prefix { n: self.n, pieces }).await?;
        let prefixed = timeout(PREFIX, self.read()).await;
        let prefixed = prefixed.map_err(|_| ExitReason::Hung("prefix"))??;
        let FromModel::Prefixed {
            n, tokens, restored, ..
        } = prefixed
        else {
            return Err(refused(&prefixed));
        };
        if n != self.n {
            return Err(out_of_turn());
        }
        Ok(SessionStarted {
            sandbox: plain_sandbox(&sandbox),
            load_ms,
            tokens,
            restored,
        })
    }

    /// Asks; [`Self::answer`] waits for what comes of it.
    ///
    /// # Errors
    /// [`ExitReason`]
    pub(super) async fn ask(&mut self, question: &ModelQuestion, budget: Duration) -> Result<(), ExitReason> {
        self.n += 1;
        let ask = ToModel::Ask {
            n: self.n,
            pieces: prompt::suffix(self.template, self.tier, question),
            grammar: Some(question.grammar()),
            max_tokens: question.max_tokens(),
            budget_ms: u32::try_from(budget.as_millis()).unwrap_or(u32::MAX),
        };
        self.tell(&ask).await
    }

    /// The answer to what was asked last. Can be cancelled at any time: what comes of it is passed over when the next question is
    /// asked.
    ///
    /// # Errors
    /// [`ExitReason`]; hung, when there is no answer within `most`.
    pub(super) async fn answer(&mut self, most: Duration) -> Result<SessionAnswer, ExitReason> {
        timeout(most, self.answer_to(self.n))
            .await
            .unwrap_or(Err(ExitReason::Hung("answer within its budget")))
    }

    async fn answer_to(&mut self, wanted: u64) -> Result<SessionAnswer, ExitReason> {
        loop {
            let frame = self.read().await?;
            match question_of(&frame) {
                Some(n) if n == wanted => return session_answer(frame).ok_or_else(out_of_turn),
                // Of a question that a newer one took the place of.
                Some(n) if n < wanted => {}
                Some(_) | None => return Err(out_of_turn()),
            }
        }
    }
}

/// The question that a frame answers, or says to be refused.
fn question_of(frame: &FromModel) -> Option<u64> {
    if let FromModel::Answer { n, .. } | FromModel::Refused { n, .. } = frame {
        Some(*n)
    } else {
        None
    }
}

/// What an answer or a refusal comes to; `None` for any other frame.
fn session_answer(frame: FromModel) -> Option<SessionAnswer> {
    if let FromModel::Refused { code, .. } = frame {
        let fault = match code {
            RefusalCode::Superseded => ModelFault::Superseded,
            RefusalCode::Deadline => ModelFault::Late,
            RefusalCode::PromptLength
            | RefusalCode::Grammar
            | RefusalCode::Evaluation
            | RefusalCode::NotText
            | RefusalCode::File
            | RefusalCode::Processor
            | RefusalCode::Bounds => {
                tracing::warn!(code = code.as_str(), "the model's process refused a question");
                ModelFault::Failed
            }
        };
        return Some(SessionAnswer {
            text: Err(fault),
            used: None,
        });
    }
    let FromModel::Answer {
        text,
        end,
        prompt_tokens,
        reused_tokens,
        output_tokens,
        total_ms,
        ..
    } = frame
    else {
        return None;
    };
    Some(SessionAnswer {
        text: match end {
            Stopped::Eos | Stopped::Limit => Ok(text),
            Stopped::Deadline => Err(ModelFault::Late),
        },
        used: Some(ModelUse {
            prompt_tokens,
            reused_tokens,
            output_tokens,
            total_ms,
        }),
    })
}

impl ChildSession for ModelSession {
    async fn idle(&mut self) -> ExitReason {
        let asked = self.n;
        loop {
            match self.read().await {
                Ok(frame) if question_of(&frame).is_some_and(|n| n <= asked) => {}
                Ok(_) => return out_of_turn(),
                Err(end) => return end,
            }
        }
    }

    /// Answered whatever is being worked on.
    async fn ping(&mut self) -> Result<(), ExitReason> {
        self.n += 1;
        let n = self.n;
        self.tell(&ToModel::Ping { n }).await?;
        let answer = async {
            loop {
                let frame = self.read().await?;
                if matches!(frame, FromModel::Pong { n: of } if of == n) {
                    return Ok(());
                }
                if question_of(&frame).is_none_or(|of| of >= n) {
                    return Err(out_of_turn());
                }
            }
        };
        timeout(PONG, answer)
            .await
            .unwrap_or(Err(ExitReason::Hung("answer to a ping")))
    }

    fn pid(&self) -> u32 {
        self.link.pid()
    }

    fn stop_frame() -> Result<Vec<u8>, WireError> {
        ToModel::Stop.encode()
    }

    fn into_link(self) -> ProcessLink {
        self.link
    }
}

/// Another frame than the one that a start waits for: the process says that it cannot work, or it is out of turn.
fn refused(frame: &FromModel) -> ExitReason {
    if let FromModel::Refused { code, .. } = frame {
        ExitReason::Refused(code.as_str())
    } else {
        out_of_turn()
    }
}

/// A frame that is not its turn.
fn out_of_turn() -> ExitReason {
    WireError::Malformed { line: 0, column: 0 }.into()
}
