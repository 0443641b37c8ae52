//! A model of architecture `phi3` with random weights, small enough to be made by each test.
//!
//! What: [`write`], half a MB of GGUF that llama.cpp loads in milliseconds. Why: the way of Phi-3 (its tensors, its marks, its
//! vocabulary of bytes) is walked where its 2.3 GB cannot be. Not here: sense; what it says is noise, and often not UTF-8.
//!
//! The format is GGUF version 3: header, keys and values, tensors by name with shape and place, then their numbers, each
//! at a multiple of 32 bytes. All numbers are 32-bit floats; the same seed gives the same bytes.

use std::{fs, io, path::Path};

const EMBED: u64 = 64;
const FEED: u64 = 128;
const LAYERS: u32 = 2;
const ALIGN: usize = 32;

/// The kinds of values that are used, by their number in the format.
enum Value<'a> {
    U32(u32),
    F32(f32),
    Bool(bool),
    Text(&'a str),
    Texts(&'a [Vec<u8>]),
    F32s(&'a [f32]),
    I32s(&'a [i32]),
}

#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn u32(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    fn u64(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn text(&mut self, text: &[u8]) {
        self.u64(text.len() as u64);
        self.0.extend(text);
    }

    fn list(&mut self, kind: u32, count: usize) {
        self.u32(9);
        self.u32(kind);
        self.u64(count as u64);
    }

    fn pair(&mut self, key: &str, value: &Value<'_>) {
        self.text(key.as_bytes());
        match value {
            Value::U32(number) => {
                self.u32(4);
                self.u32(*number);
            }
            Value::F32(number) => {
                self.u32(6);
                self.u32(number.to_bits());
            }
            Value::Bool(yes) => {
                self.u32(7);
                self.0.push(u8::from(*yes));
            }
            Value::Text(text) => {
                self.u32(8);
                self.text(text.as_bytes());
            }
            Value::Texts(texts) => {
                self.list(8, texts.len());
                texts.iter().for_each(|text| self.text(text));
            }
            Value::F32s(numbers) => {
                self.list(6, numbers.len());
                numbers.iter().for_each(|number| self.u32(number.to_bits()));
            }
            Value::I32s(numbers) => {
                self.list(5, numbers.len());
                numbers.iter().for_each(|number| self.u32(number.cast_unsigned()));
            }
        }
    }

    fn align(&mut self) {
        self.0.resize(self.0.len().next_multiple_of(ALIGN), 0);
    }
}

/// `SplitMix64`.
struct Chance(u64);

impl Chance {
    /// Evenly from minus `most` to `most`.
    fn next(&mut self, most: f32) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bits = u16::try_from((z ^ (z >> 31)) >> 48).unwrap_or(0);
        (f32::from(bits) / 32_767.5 - 1.0) * most
    }
}

/// The vocabulary: three marks, every byte, a space, the letters, Phi-3's marks. Each with its score and kind.
fn vocabulary() -> (Vec<Vec<u8>>, Vec<f32>, Vec<i32>) {
    const NORMAL: i32 = 1;
    const UNKNOWN: i32 = 2;
    const CONTROL: i32 = 3;
    const BYTE: i32 = 6;
    let mark = |text: &str| (text.as_bytes().to_vec(), 0.0, CONTROL);
    let mut all = vec![(b"<unk>".to_vec(), 0.0, UNKNOWN), mark("<s>"), mark("</s>")];
    all.extend((0..=255).map(|byte| (format!("<0x{byte:02X}>").into_bytes(), 0.0, BYTE)));
    all.push(("\u{2581}".as_bytes().to_vec(), -1.0, NORMAL));
    all.extend((b'!'..=b'~').map(|letter| (vec![letter], -2.0 - f32::from(letter), NORMAL)));
    all.extend(
        [
            "<|endoftext|>",
            "<|assistant|>",
            "<|system|>",
            "<|end|>",
            "<|user|>",
        ]
        .map(mark),
    );
    let (mut texts, mut scores, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
    for (text, score, kind) in all {
        texts.push(text);
        scores.push(score);
        kinds.push(kind);
    }
    (texts, scores, kinds)
}

/// The whole file.
pub(crate) fn bytes(seed: u64) -> Vec<u8> {
    let (texts, scores, kinds) = vocabulary();
    let words = texts.len() as u64;
    let end = u32::try_from(texts.iter().position(|text| text == b"<|endoftext|>").unwrap()).unwrap();
    let pairs = [
        ("general.architecture", Value::Text("phi3")),
        ("general.name", Value::Text("tiny")),
        ("phi3.context_length", Value::U32(4096)),
        ("phi3.rope.scaling.original_context_length", Value::U32(4096)),
        ("phi3.embedding_length", Value::U32(u32::try_from(EMBED).unwrap())),
        (
            "phi3.feed_forward_length",
            Value::U32(u32::try_from(FEED).unwrap()),
        ),
        ("phi3.block_count", Value::U32(LAYERS)),
        ("phi3.attention.head_count", Value::U32(4)),
        ("phi3.attention.head_count_kv", Value::U32(4)),
        ("phi3.attention.layer_norm_rms_epsilon", Value::F32(1e-5)),
        ("phi3.rope.dimension_count", Value::U32(16)),
        ("phi3.rope.freq_base", Value::F32(10_000.0)),
        ("tokenizer.ggml.model", Value::Text("llama")),
        ("tokenizer.ggml.pre", Value::Text("default")),
        ("tokenizer.ggml.tokens", Value::Texts(&texts)),
        ("tokenizer.ggml.scores", Value::F32s(&scores)),
        ("tokenizer.ggml.token_type", Value::I32s(&kinds)),
        ("tokenizer.ggml.bos_token_id", Value::U32(1)),
        ("tokenizer.ggml.eos_token_id", Value::U32(end)),
        ("tokenizer.ggml.unknown_token_id", Value::U32(0)),
        ("tokenizer.ggml.padding_token_id", Value::U32(end)),
        ("tokenizer.ggml.add_bos_token", Value::Bool(true)),
        ("tokenizer.ggml.add_eos_token", Value::Bool(false)),
    ];
    // Name, shape (the fastest first), and how far its numbers go; 0: all ones.
    let mut tensors = vec![
        ("token_embd.weight".to_owned(), vec![EMBED, words], 1.7),
        ("output_norm.weight".to_owned(), vec![EMBED], 0.0),
        ("output.weight".to_owned(), vec![EMBED, words], 0.14),
    ];
    for layer in 0..LAYERS {
        let mut add = |name: &str, shape: Vec<u64>, most: f32| {
            tensors.push((format!("blk.{layer}.{name}.weight"), shape, most));
        };
        add("attn_norm", vec![EMBED], 0.0);
        add("attn_qkv", vec![EMBED, 3 * EMBED], 0.14);
        add("attn_output", vec![EMBED, EMBED], 0.14);
        add("ffn_norm", vec![EMBED], 0.0);
        add("ffn_up", vec![EMBED, 2 * FEED], 0.14);
        add("ffn_down", vec![FEED, EMBED], 0.14);
    }
    let mut file = Bytes(b"GGUF".to_vec());
    file.u32(3);
    file.u64(tensors.len() as u64);
    file.u64(pairs.len() as u64);
    for (key, value) in &pairs {
        file.pair(key, value);
    }
    let (mut chance, mut data) = (Chance(seed), Bytes::default());
    for (name, shape, most) in &tensors {
        data.align();
        file.text(name.as_bytes());
        file.u32(u32::try_from(shape.len()).unwrap());
        for size in shape {
            file.u64(*size);
        }
        file.u32(0);
        file.u64(data.0.len() as u64);
        for _ in 0..shape.iter().product::<u64>() {
            let number = if *most == 0.0 { 1.0 } else { chance.next(*most) };
            data.u32(number.to_bits());
        }
    }
    file.align();
    file.0.extend(data.0);
    file.align();
    file.0
}

/// Writes it to a file.
pub(crate) fn write(path: &Path, seed: u64) -> io::Result<()> {
    fs::write(path, bytes(seed))
}
