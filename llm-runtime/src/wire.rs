//! Frames between the service and the model's process.
//!
//! What: `u32` length (big endian), then JSON `{"v":1,"frame":…}`; what each side may say. Why: llama.cpp can end the process it
//! lives in, so it lives in one of its own. Not here: framing (`toolcall_schema::wire`), the process (`native`), its keeper.
//!
//! The process speaks first (`ready`, once the model is loaded). Then each `prefix`, `ask` and `ping` is answered once, with its
//! number. One question is worked on at a time; a newer one ends it, and the older is answered [`RefusalCode::Superseded`].

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fmt;
pub use toolcall_schema::wire::{FrameDecoder, VERSION, WireError};
use toolcall_schema::{closed_enum, wire};

/// The largest body of a frame.
pub const MAX_FRAME_BYTES: usize = 64 * 1024;
/// Tokens of a whole prompt, the prefix included.
pub const PROMPT_TOKENS_MAX: u32 = 512;
/// Tokens of an answer.
pub const OUTPUT_TOKENS_MAX: u16 = 80;

/// A part of a prompt.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptPiece {
    /// Whether marks in it count (`<|im_start|>`): only for pieces of the template.
    pub special: bool,
    /// The text.
    pub text: String,
}

impl fmt::Debug for PromptPiece {
    /// Without the text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { special, text } = self;
        write!(f, "Piece {{ special: {special}, {} bytes }}", text.len())
    }
}

/// What the service sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ToModel {
    /// Evaluate this once and keep it: every later prompt begins with it. Answered by [`FromModel::Prefixed`].
    Prefix {
        /// Echoed; from 1.
        n: u64,
        /// In order; none: later prompts begin with nothing.
        pieces: Vec<PromptPiece>,
    },
    /// Go on from the prefix. Answered by [`FromModel::Answer`].
    Ask {
        /// Echoed; from 1.
        n: u64,
        /// What comes after the prefix, in order; at least one token in all.
        pieces: Vec<PromptPiece>,
        /// GBNF with the rule `root`; absent: anything may be said.
        grammar: Option<String>,
        /// Tokens of the answer at most, 1 to [`OUTPUT_TOKENS_MAX`].
        max_tokens: u16,
        /// Milliseconds of wall time, from when the process has read the question.
        budget_ms: u32,
    },
    /// "Are you there?" Answered by [`FromModel::Pong`] at once, whatever is being worked on.
    Ping { n: u64 },
    /// End. No answer.
    Stop,
}

closed_enum!(
    /// Why an answer ends where it does.
    End {
        /// The model ended it, or the grammar allows no more.
        Eos = "eos",
        /// It has as many tokens as it may have.
        Limit = "limit",
        /// Its time is over. The text is what there was.
        Deadline = "deadline",
    }
);

closed_enum!(
    /// Why something was not done. Each code has a page in `docs/errors`.
    RefusalCode {
        /// The model's file cannot be loaded. With the number 0: the process ends.
        File = "MODEL-004",
        /// The processor lacks instructions. With the number 0: the process ends.
        Processor = "MODEL-005",
        /// More tokens than a prompt, or the context, may have; or none.
        PromptLength = "MODEL-101",
        /// Not a grammar, or one without `root`.
        Grammar = "MODEL-102",
        /// A newer question came.
        Superseded = "MODEL-103",
        /// The model could not evaluate it.
        Evaluation = "MODEL-104",
        /// The answer is not UTF-8.
        NotText = "MODEL-105",
        /// A number in the question is out of its bounds.
        Bounds = "MODEL-106",
        /// Its time was over before the first token.
        Deadline = "MODEL-107",
    }
);

/// What the model's process sends.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FromModel {
    /// The model is loaded.
    Ready {
        /// Which file it is: 16 hex digits over its length, its time of change and its first and last MiB.
        model: String,
        /// Tokens of context.
        context: u32,
        /// Milliseconds of loading.
        load_ms: u32,
        /// What is enforced on the process, in a few words.
        sandbox: String,
    },
    /// The prefix is evaluated and kept.
    Prefixed {
        /// Of the frame that asked.
        n: u64,
        /// How many it has.
        tokens: u32,
        /// Whether it was read from the state folder and not evaluated.
        restored: bool,
        /// Milliseconds.
        ms: u32,
    },
    /// The model's words.
    Answer {
        /// Of the question.
        n: u64,
        /// What it said. Not to be trusted, not to be logged.
        text: String,
        /// Why it ends here.
        end: End,
        /// Tokens of the prompt, the prefix included.
        prompt_tokens: u32,
        /// How many of them were kept from before.
        reused_tokens: u32,
        /// Tokens of the answer.
        output_tokens: u32,
        /// Milliseconds from when it was read to the first token.
        first_token_ms: u32,
        /// Milliseconds from when it was read.
        total_ms: u32,
    },
    /// It was not done. The process lives on, and so does the prefix.
    Refused {
        /// Of the frame that asked; 0, in place of [`FromModel::Ready`]: the process cannot work and ends.
        n: u64,
        code: RefusalCode,
        /// The same in plain words, with the limit.
        why: String,
    },
    /// "I am."
    Pong {
        /// Of the ping.
        n: u64,
    },
}

impl fmt::Debug for FromModel {
    /// Without the model's words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FromModel::Ready { model, context, .. } => write!(f, "Ready {{ {model}, context {context} }}"),
            FromModel::Prefixed {
                n, tokens, restored, ..
            } => {
                write!(f, "Prefixed {{ n: {n}, tokens: {tokens}, restored: {restored} }}")
            }
            FromModel::Answer {
                n,
                end,
                output_tokens,
                ..
            } => write!(
                f,
                "Answer {{ n: {n}, end: {end}, output_tokens: {output_tokens} }}"
            ),
            FromModel::Refused { n, code, .. } => write!(f, "Refused {{ n: {n}, code: {code} }}"),
            FromModel::Pong { n } => write!(f, "Pong {{ n: {n} }}"),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelFrame<T> {
    v: u64,
    frame: T,
}

fn encode<T: Serialize>(frame: &T) -> Result<Vec<u8>, WireError> {
    let v = u64::from(VERSION);
    wire::encode_frame(&ModelFrame { v, frame }, MAX_FRAME_BYTES)
}

fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, WireError> {
    wire::decode_frame(body, MAX_FRAME_BYTES, |read: &ModelFrame<T>| read.v).map(|read| read.frame)
}

/// For a stream of these frames.
pub fn decoder() -> FrameDecoder {
    FrameDecoder::with_limit(MAX_FRAME_BYTES)
}

impl ToModel {
    /// The frame with its length.
    ///
    /// # Errors
    /// `WIRE-001` when it is too large.
    pub fn encode(&self) -> Result<Vec<u8>, WireError> {
        encode(self)
    }

    /// Reads a body, without its length.
    ///
    /// # Errors
    /// `WIRE-001`, `WIRE-003` or `WIRE-004`.
    pub fn decode(body: &[u8]) -> Result<Self, WireError> {
        decode(body)
    }
}

impl FromModel {
    /// The frame with its length.
    ///
    /// # Errors
    /// `WIRE-001` when it is too large.
    pub fn encode(&self) -> Result<Vec<u8>, WireError> {
        encode(self)
    }

    /// Reads a body, without its length.
    ///
    /// # Errors
    /// `WIRE-001`, `WIRE-003` or `WIRE-004`.
    pub fn decode(body: &[u8]) -> Result<Self, WireError> {
        decode(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(special: bool, text: &str) -> PromptPiece {
        PromptPiece {
            special,
            text: text.to_owned(),
        }
    }

    /// What follows the length, which must be right.
    fn body(frame: Result<Vec<u8>, WireError>) -> String {
        let frame = frame.unwrap();
        let (length, body) = frame.split_at(4);
        assert_eq!(length, u32::try_from(body.len()).unwrap().to_be_bytes());
        String::from_utf8(body.to_vec()).unwrap()
    }

    #[test]
    fn each_frame_to_the_model_has_one_form_and_is_read_again() {
        for (frame, json) in [
            (
                ToModel::Prefix {
                    n: 1,
                    pieces: vec![piece(true, "<|im_start|>"), piece(false, "a")],
                },
                r#"{"v":1,"frame":{"prefix":{"n":1,"pieces":[{"special":true,"text":"<|im_start|>"},{"special":false,"text":"a"}]}}}"#,
            ),
            (
                ToModel::Ask {
                    n: 2,
                    pieces: vec![piece(false, "b")],
                    grammar: Some(r#"root ::= "1""#.to_owned()),
                    max_tokens: 2,
                    budget_ms: 700,
                },
                r#"{"v":1,"frame":{"ask":{"n":2,"pieces":[{"special":false,"text":"b"}],"grammar":"root ::= \"1\"","max_tokens":2,"budget_ms":700}}}"#,
            ),
            (ToModel::Ping { n: 3 }, r#"{"v":1,"frame":{"ping":{"n":3}}}"#),
            (ToModel::Stop, r#"{"v":1,"frame":"stop"}"#),
        ] {
            assert_eq!(body(frame.encode()), json);
            assert_eq!(ToModel::decode(json.as_bytes()), Ok(frame));
        }
    }

    #[test]
    fn each_frame_from_the_model_has_one_form_and_is_read_again() {
        for (frame, json) in [
            (
                FromModel::Ready {
                    model: "00ff".to_owned(),
                    context: 1024,
                    load_ms: 90,
                    sandbox: "no Landlock, no seccomp".to_owned(),
                },
                r#"{"v":1,"frame":{"ready":{"model":"00ff","context":1024,"load_ms":90,"sandbox":"no Landlock, no seccomp"}}}"#,
            ),
            (
                FromModel::Prefixed {
                    n: 1,
                    tokens: 150,
                    restored: true,
                    ms: 3,
                },
                r#"{"v":1,"frame":{"prefixed":{"n":1,"tokens":150,"restored":true,"ms":3}}}"#,
            ),
            (
                FromModel::Answer {
                    n: 2,
                    text: "2".to_owned(),
                    end: End::Eos,
                    prompt_tokens: 270,
                    reused_tokens: 150,
                    output_tokens: 1,
                    first_token_ms: 160,
                    total_ms: 170,
                },
                r#"{"v":1,"frame":{"answer":{"n":2,"text":"2","end":"eos","prompt_tokens":270,"reused_tokens":150,"output_tokens":1,"first_token_ms":160,"total_ms":170}}}"#,
            ),
            (
                FromModel::Refused {
                    n: 4,
                    code: RefusalCode::Grammar,
                    why: "no".to_owned(),
                },
                r#"{"v":1,"frame":{"refused":{"n":4,"code":"MODEL-102","why":"no"}}}"#,
            ),
            (FromModel::Pong { n: 3 }, r#"{"v":1,"frame":{"pong":{"n":3}}}"#),
        ] {
            assert_eq!(body(frame.encode()), json);
            assert_eq!(FromModel::decode(json.as_bytes()), Ok(frame));
        }
    }

    #[test]
    fn what_is_not_a_frame_is_refused_with_its_code() {
        for (json, code) in [
            ("", "WIRE-004"),
            ("{}", "WIRE-004"),
            (r#"{"v":2,"frame":{"ping":{"n":1}}}"#, "WIRE-003"),
            (r#"{"v":1}"#, "WIRE-004"),
            (r#"{"v":1,"frame":{"ping":{"n":1},"pong":{"n":1}}}"#, "WIRE-004"),
            (r#"{"v":1,"frame":{"ping":{"n":1,"m":2}}}"#, "WIRE-004"),
            (r#"{"v":1,"frame":{"ping":{"n":-1}}}"#, "WIRE-004"),
            (r#"{"v":1,"frame":{"pong":{"n":1}}}"#, "WIRE-004"),
            (r#"{"v":1,"frame":"stop","more":1}"#, "WIRE-004"),
            (r#"{"v":1,"frame":"stop"} x"#, "WIRE-004"),
            (
                r#"{"v":1,"frame":{"ask":{"n":1,"pieces":[],"grammar":null,"max_tokens":65536,"budget_ms":1}}}"#,
                "WIRE-004",
            ),
        ] {
            let code_of = ToModel::decode(json.as_bytes()).unwrap_err().code();
            assert_eq!(code_of.as_str(), code, "{json}");
        }
    }

    #[test]
    fn a_frame_that_is_too_large_is_refused_on_both_sides() {
        let large = ToModel::Prefix {
            n: 1,
            pieces: vec![piece(false, &"x".repeat(MAX_FRAME_BYTES))],
        };
        assert_eq!(large.encode().unwrap_err().code().as_str(), "WIRE-001");
        let mut decoder = decoder();
        decoder.push(&[0, 1, 0, 1]);
        let too_large = WireError::TooLarge {
            bytes: 0x1_0001,
            limit: 0x1_0000,
        };
        assert_eq!(decoder.next_body(), Err(too_large));
    }

    #[test]
    fn no_words_of_prompt_or_answer_are_in_a_debug_output() {
        let ask = ToModel::Ask {
            n: 1,
            pieces: vec![piece(false, "secret")],
            grammar: None,
            max_tokens: 1,
            budget_ms: 1,
        };
        let answer = FromModel::Answer {
            n: 1,
            text: "secret".to_owned(),
            end: End::Limit,
            prompt_tokens: 1,
            reused_tokens: 0,
            output_tokens: 1,
            first_token_ms: 1,
            total_ms: 1,
        };
        for shown in [format!("{ask:?}"), format!("{answer:?}")] {
            assert!(!shown.contains("secret"), "{shown}");
        }
    }
}
