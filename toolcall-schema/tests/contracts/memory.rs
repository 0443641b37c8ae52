//! What 64 KiB from outside can cost at most.
//!
//! What: peak memory of every reader on documents made to hurt it, and that twice the bytes take twice the work. Why: the
//! supervisor stays small whoever speaks to it; allocations are counted, because time on a shared machine tells nothing.
//! Not here: what is said of the documents (`gate.rs`), time (`aura bench gate`).

use crate::support::hostile::hostile;
use allocation_counter::{AllocationInfo, measure};
use std::hint::black_box;
use toolcall_schema::{
    ToolName,
    gate::{self, GateClock},
    ids::{CallId, OwnerSeed},
    validate::{self, Document, SchemaValidator, ValidatorOptions},
    wire::{FrameDecoder, FromAgent, ToAgent},
};

/// The limit of the specification for any 64 KiB of input.
const PEAK: u64 = 10 * 1024 * 1024;

/// A reader and what it takes at most.
type Reader = (&'static str, fn(&[u8]));

fn result(bytes: &[u8]) {
    let Ok(id) = CallId::parse("t_abcde01234") else {
        return;
    };
    for tool in [ToolName::CommsTick, ToolName::CommsIngest, ToolName::DraftReply] {
        let _ = black_box(gate::admit_result(bytes, tool, &id));
    }
}

fn frames(bytes: &[u8]) {
    let mut decoder = FrameDecoder::default();
    let length = u32::try_from(bytes.len()).unwrap_or_default();
    decoder.push(&length.to_be_bytes());
    for piece in bytes.chunks(4096) {
        decoder.push(piece);
    }
    if let Ok(Some(body)) = decoder.next_body() {
        let _ = black_box(ToAgent::decode(body).is_ok());
        let _ = black_box(FromAgent::decode(body).is_ok());
    }
}

fn instance(bytes: &[u8]) {
    if let Ok(value) = validate::parse(bytes, Document::Instance) {
        // One fault: listing many takes some 360 bytes each, so it is for the one who asks, not for what comes in.
        let schema = serde_json::json!({"type": "null"});
        let verdict = SchemaValidator::new(&schema, ValidatorOptions::default())
            .and_then(|validator| validator.check(&value));
        let _ = black_box(verdict);
    }
}

const READERS: &[Reader] = &[
    ("call", |bytes| {
        drop(black_box(gate::admit(bytes, GateClock::Skip)));
    }),
    ("result", result),
    ("signal", |bytes| drop(black_box(gate::admit_signal(bytes)))),
    ("frames", frames),
    ("instance", instance),
    ("redact", |bytes| {
        let key = OwnerSeed::from_day_seed("x").key("quarantine");
        drop(black_box(gate::redact(bytes, Some(ToolName::DraftReply), &key)));
    }),
];

/// Measured after one run that is not counted: what a process makes once is not what an input costs.
fn cost(read: fn(&[u8]), bytes: &[u8]) -> AllocationInfo {
    read(bytes);
    measure(|| read(bytes))
}

#[test]
fn no_64_kib_take_more_than_10_mib() {
    for (name, bytes) in hostile(64 * 1024) {
        for (reader, read) in READERS {
            let peak = cost(*read, &bytes).bytes_max;
            assert!(peak <= PEAK, "{reader} of {name}: {peak} bytes");
        }
    }
}

#[test]
fn twice_the_bytes_take_twice_the_work() {
    let sizes = [16, 32, 64].map(|kib| kib * 1024);
    let [small, middle, large] = sizes.map(hostile);
    for (((name, small), (_, middle)), (_, large)) in small.iter().zip(&middle).zip(&large) {
        for (reader, read) in READERS {
            let costs = [small, middle, large].map(|bytes| cost(*read, bytes));
            for pair in costs.windows(2) {
                let grew = |of: fn(&AllocationInfo) -> u64| {
                    // What is small does not grow with the input.
                    of(&pair[1]) <= 4096 || of(&pair[1]) * 10 <= of(&pair[0]) * 2 * 13
                };
                assert!(
                    grew(|cost| cost.count_total),
                    "{reader} of {name}, allocations: {costs:?}"
                );
                assert!(
                    grew(|cost| cost.bytes_total),
                    "{reader} of {name}, bytes: {costs:?}"
                );
            }
        }
    }
}
