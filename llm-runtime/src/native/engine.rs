//! A loaded model with its context: prefix, question, answer.
//!
//! What: [`InferenceEngine`]. Why: everything that makes llama.cpp abort the process is checked here before it is asked: more tokens than the
//! context or a batch holds, sampling without an evaluation, an absurd context. Not here: frames and threads (`worker`).

use super::{
    cancellation::{CancelReason, CancellationToken, after},
    prefix_cache::PrefixCache,
    sample::TokenSampler,
};
use crate::wire::{End, FromModel, OUTPUT_TOKENS_MAX, PROMPT_TOKENS_MAX, PromptPiece, RefusalCode};
use llama_cpp_2::{
    context::LlamaContext, llama_batch::LlamaBatch, model::LlamaModel, token::LlamaToken, vocab::LlamaVocab,
};
use std::time::Instant;

/// Tokens that are evaluated at once: as many as a prompt may have.
pub(super) const BATCH: u32 = PROMPT_TOKENS_MAX;

/// Why something was not done.
#[derive(Debug)]
pub(super) enum EngineError {
    /// It is said so, and the process goes on.
    Refused(RefusalCode, String),
    /// The service wants the process to end.
    Ended,
}

fn refused<T>(code: RefusalCode, why: impl Into<String>) -> Result<T, EngineError> {
    Err(EngineError::Refused(code, why.into()))
}

/// One question, as it is put to the engine.
pub(super) struct EngineRequest<'a> {
    pub(super) n: u64,
    pub(super) pieces: &'a [PromptPiece],
    pub(super) grammar: Option<&'a str>,
    pub(super) max_tokens: u16,
    pub(super) budget_ms: u32,
    /// When it came.
    pub(super) came: Instant,
    /// Its number for the brake.
    pub(super) number: u64,
}

/// A loaded model.
pub(super) struct InferenceEngine<'m> {
    model: &'m LlamaModel,
    vocab: LlamaVocab<'m>,
    ctx: LlamaContext<'m>,
    batch: LlamaBatch<'static>,
    brake: &'static CancellationToken,
    saved: PrefixCache,
    /// What every prompt begins with.
    prefix: Vec<LlamaToken>,
    /// Whether the context holds the evaluation of all of it.
    evaluated: bool,
}

impl<'m> InferenceEngine<'m> {
    pub(super) fn new(
        model: &'m LlamaModel,
        ctx: LlamaContext<'m>,
        brake: &'static CancellationToken,
        saved: PrefixCache,
    ) -> Self {
        Self {
            vocab: model.vocab(),
            model,
            ctx,
            batch: LlamaBatch::new(BATCH as usize, 1),
            brake,
            saved,
            prefix: Vec::new(),
            evaluated: true,
        }
    }

    /// Evaluates what every later prompt begins with, or reads its evaluation from the state folder.
    pub(super) fn set_prefix(&mut self, n: u64, pieces: &[PromptPiece]) -> Result<FromModel, EngineError> {
        let start = Instant::now();
        self.brake.work_on_prefix();
        let tokens = self.tokens(pieces, true);
        self.fits(tokens.len(), 1)?;
        let restored = if self.evaluated && self.prefix == tokens {
            false
        } else {
            self.prefix = tokens;
            self.ready_prefix()?
        };
        Ok(FromModel::Prefixed {
            n,
            tokens: count(self.prefix.len()),
            restored,
            ms: ms(start),
        })
    }

    /// Makes the context hold the prefix and nothing else. Whether it was read from the disk.
    fn ready_prefix(&mut self) -> Result<bool, EngineError> {
        self.evaluated = false;
        self.ctx.clear_kv_cache();
        let restored = !self.prefix.is_empty() && self.saved.restore(&mut self.ctx, &self.prefix);
        if !restored {
            self.ctx.clear_kv_cache();
            let tokens = std::mem::take(&mut self.prefix);
            let done = self.evaluate(&tokens, 0, false);
            self.prefix = tokens;
            done?;
            if !self.prefix.is_empty() {
                // A full disk is no reason not to answer.
                let _ = self.saved.keep(&self.ctx, &self.prefix);
            }
        }
        self.evaluated = true;
        Ok(restored)
    }

    /// Rolls the context back to the prefix.
    fn roll_back(&mut self) -> Result<(), EngineError> {
        let from = count(self.prefix.len());
        let rolled = self.evaluated
            && self
                .ctx
                .clear_kv_cache_seq(Some(0), Some(from), None)
                .is_ok_and(|done| done);
        if rolled {
            Ok(())
        } else {
            self.ready_prefix().map(|_| ())
        }
    }

    /// Answers one question behind the prefix.
    pub(super) fn ask(&mut self, question: &EngineRequest<'_>) -> Result<FromModel, EngineError> {
        let EngineRequest {
            n,
            pieces,
            grammar,
            max_tokens,
            budget_ms,
            came,
            number,
        } = *question;
        if !(1..=OUTPUT_TOKENS_MAX).contains(&max_tokens) || budget_ms == 0 {
            return refused(
                RefusalCode::Bounds,
                format!("an answer has 1 to {OUTPUT_TOKENS_MAX} tokens and takes at least 1 ms"),
            );
        }
        self.brake.work_on(number, after(came, budget_ms));
        let tokens = self.tokens(pieces, self.prefix.is_empty());
        if tokens.is_empty() {
            return refused(
                RefusalCode::PromptLength,
                "the prompt has no token behind the prefix",
            );
        }
        let prompt = self.prefix.len() + tokens.len();
        self.fits(prompt, max_tokens)?;
        let Ok(mut choice) = TokenSampler::new(self.model, grammar) else {
            return refused(RefusalCode::Grammar, "llama.cpp takes no such grammar");
        };
        self.roll_back()?;
        let mut row = self.evaluate(&tokens, self.prefix.len(), true)?;
        let (mut bytes, mut output, mut first_token_ms) = (Vec::new(), 0_u16, None);
        let end = loop {
            let Ok(token) = choice.pick(&self.ctx, row) else {
                return refused(RefusalCode::Evaluation, "no token has a usable weight");
            };
            first_token_ms.get_or_insert_with(|| ms(came));
            if self.vocab.is_eog(token) {
                break End::Eos;
            }
            output += 1;
            self.vocab.token_to_piece_into(token, &mut bytes, false, None);
            if output == max_tokens {
                break End::Limit;
            }
            if choice.accept(token).is_err() {
                return refused(RefusalCode::Evaluation, "the grammar allows no token");
            }
            let at = prompt + usize::from(output) - 1;
            match self.evaluate(&[token], at, true) {
                Ok(next) => row = next,
                Err(EngineError::Refused(RefusalCode::Deadline, _)) => break End::Deadline,
                Err(fault) => return Err(fault),
            }
        };
        Ok(FromModel::Answer {
            n,
            text: text(bytes, end)?,
            end,
            prompt_tokens: count(prompt),
            reused_tokens: count(self.prefix.len()),
            output_tokens: u32::from(output),
            first_token_ms: first_token_ms.unwrap_or_else(|| ms(came)),
            total_ms: ms(came),
        })
    }

    /// Pieces as tokens. Marks count in pieces of the template alone.
    fn tokens(&self, pieces: &[PromptPiece], begin: bool) -> Vec<LlamaToken> {
        let mut tokens = Vec::new();
        if begin && self.vocab.should_add_bos() {
            tokens.push(self.vocab.bos());
        }
        for piece in pieces.iter().filter(|piece| !piece.text.is_empty()) {
            tokens.extend(self.vocab.tokenize(piece.text.as_bytes(), false, piece.special));
        }
        tokens
    }

    /// Whether so many tokens may be a prompt with an answer of at most `more` behind it.
    fn fits(&self, prompt: usize, more: u16) -> Result<(), EngineError> {
        let (limit, context) = (PROMPT_TOKENS_MAX as usize, self.ctx.n_ctx() as usize);
        if prompt > limit || prompt + usize::from(more) > context {
            return refused(
                RefusalCode::PromptLength,
                format!(
                    "{prompt} tokens and {more} of an answer: a prompt has at most {limit}, the context {context}"
                ),
            );
        }
        Ok(())
    }

    /// Evaluates tokens at a position and gives the row of the last one's weights, which are there only when they are `wanted`.
    fn evaluate(&mut self, tokens: &[LlamaToken], at: usize, wanted: bool) -> Result<i32, EngineError> {
        let mut row = 0;
        let broken = || {
            EngineError::Refused(
                RefusalCode::Evaluation,
                "llama.cpp could not evaluate it".to_owned(),
            )
        };
        for (chunk, part) in tokens.chunks(BATCH as usize).enumerate() {
            self.halt()?;
            self.batch.clear();
            for (index, token) in part.iter().enumerate() {
                let number = chunk * BATCH as usize + index;
                let last = wanted && number + 1 == tokens.len();
                let position = i32::try_from(at + number).map_err(|_| broken())?;
                self.batch
                    .add(*token, position, &[0], last)
                    .map_err(|_| broken())?;
            }
            if self.ctx.decode(&mut self.batch).is_err() {
                self.halt()?;
                return Err(broken());
            }
            row = self.batch.n_tokens() - 1;
        }
        Ok(row)
    }

    /// Whether the brake is on.
    fn halt(&self) -> Result<(), EngineError> {
        match self.brake.stopped() {
            None => Ok(()),
            Some(CancelReason::Ended) => Err(EngineError::Ended),
            Some(CancelReason::Newer) => refused(RefusalCode::Superseded, "a newer question came"),
            Some(CancelReason::Deadline) => {
                refused(RefusalCode::Deadline, "its time was over before the first token")
            }
        }
    }
}

/// The bytes of an answer as text. A character that its end cut is left out.
fn text(bytes: Vec<u8>, end: End) -> Result<String, EngineError> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let (good, cut) = (
                error.utf8_error().valid_up_to(),
                error.utf8_error().error_len().is_none(),
            );
            let mut bytes = error.into_bytes();
            bytes.truncate(good);
            match String::from_utf8(bytes) {
                Ok(text) if cut && end != End::Eos => Ok(text),
                Ok(_) | Err(_) => refused(RefusalCode::NotText, "the answer is not UTF-8"),
            }
        }
    }
}

/// Milliseconds since a moment.
pub(super) fn ms(since: Instant) -> u32 {
    u32::try_from(since.elapsed().as_millis()).unwrap_or(u32::MAX)
}

fn count(tokens: usize) -> u32 {
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_character_is_left_out_and_bytes_that_are_none_are_refused() {
        for (bytes, end, expected) in [
            (&b"2"[..], End::Eos, Some("2")),
            (b"a\xc3", End::Limit, Some("a")),
            (b"a\xc3", End::Deadline, Some("a")),
            (b"a\xc3", End::Eos, None),
            (b"a\xffb", End::Limit, None),
            (b"", End::Eos, Some("")),
        ] {
            let got = text(bytes.to_vec(), end).ok();
            assert_eq!(got.as_deref(), expected, "{bytes:?} {end}");
        }
    }
}
