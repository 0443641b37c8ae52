//! Whatever the bytes are: no panic, and what was taken is taken again.
//!
//! What: one fuzz target a reader of bytes from outside. As plain tests they replay their corpus (`__fuzz__`) and some random
//! bytes; `make fuzz` searches on. Why: files, agents and programs send what they like. Not here: how much memory is taken
//! (`toolcall-schema/tests/contracts/memory.rs`), the quarantine's reader (`orchestrator/memory/tests`).

#![cfg(test)]

use bolero::check;
use serde_json::{Value, json};
use toolcall_schema::{
    Timestamp, ToolName,
    gate::{self, GateClock},
    ids::CallId,
    strict,
    validate::{self, Document, SchemaValidator, ValidatorOptions},
    wire::{FrameDecoder, FromAgent, HEADER_BYTES, ToAgent},
};

/// What every refusal is: words of ours with a code, and never long.
fn is_plain(pointer: &str, message: &str) {
    assert!(!message.is_empty() && message.len() < 200, "{message:?}");
    assert!(
        pointer.len() <= gate::MAX_RESULT_BYTES,
        "a pointer of {} bytes",
        pointer.len()
    );
}

#[test]
fn a_call_is_admitted_again_or_refused_in_words() {
    let now = GateClock::At(Timestamp::parse("2026-11-03T02:15:00.500Z").unwrap());
    check!().for_each(|bytes: &[u8]| {
        let timely = gate::admit(bytes, now).is_ok();
        match gate::admit(bytes, GateClock::Skip) {
            Ok(call) => {
                // As its types write it.
                let mut typed: Value = serde_json::from_slice(bytes).unwrap();
                typed["args"] = call.args();
                typed["ts"] = json!(call.ts());
                let again = gate::admit(typed.to_string().as_bytes(), GateClock::Skip).unwrap();
                assert_eq!(again, call);
                assert_eq!(again.args_hash(), call.args_hash());
            }
            Err(refusal) => {
                assert!(!timely, "the deadline is looked at last");
                is_plain(&refusal.error.pointer, &refusal.error.message);
            }
        }
    });
}

#[test]
fn a_result_is_of_its_tool_and_call_or_refused_in_words() {
    let id = CallId::parse("t_abcde01234").unwrap();
    check!().for_each(|bytes: &[u8]| {
        for tool in ToolName::ALL {
            if let Err(error) = gate::admit_result(bytes, *tool, &id) {
                is_plain(&error.pointer, &error.message);
            }
        }
    });
}

#[test]
fn a_signal_is_read_again_the_same_or_refused_in_words() {
    check!().for_each(|bytes: &[u8]| match gate::admit_signal(bytes) {
        Ok(admitted) => {
            let again = gate::admit_signal(&serde_json::to_vec(admitted.signal()).unwrap()).unwrap();
            assert_eq!(again.signal(), admitted.signal());
        }
        Err(error) => is_plain(&error.pointer, &error.message),
    });
}

#[test]
fn a_stream_is_cut_into_the_same_frames_however_it_arrives() {
    check!().for_each(|bytes: &[u8]| {
        let whole = cut(&[bytes]);
        let pieces: Vec<&[u8]> = bytes.chunks(7).collect();
        assert_eq!(whole, cut(&pieces));
        for body in whole.0 {
            if let Ok(frame) = ToAgent::decode(&body) {
                let encoded = frame.encode().unwrap();
                let again = ToAgent::decode(&encoded[HEADER_BYTES..]).unwrap();
                assert_eq!(again.encode().unwrap(), encoded);
            }
            if let Ok(frame) = FromAgent::decode(&body) {
                let encoded = frame.encode().unwrap();
                assert!(FromAgent::decode(&encoded[HEADER_BYTES..]).is_ok());
            }
        }
    });
}

/// The bodies of a stream, and whether it ended well.
fn cut(pieces: &[&[u8]]) -> (Vec<Vec<u8>>, bool) {
    let (mut decoder, mut bodies) = (FrameDecoder::default(), Vec::new());
    for piece in pieces {
        decoder.push(piece);
        loop {
            match decoder.next_body() {
                Ok(Some(body)) => bodies.push(body.to_vec()),
                Ok(None) => break,
                Err(_) => return (bodies, false),
            }
        }
    }
    let ended = decoder.finish().is_ok();
    (bodies, ended)
}

#[test]
fn strict_json_is_json_and_is_read_again_the_same() {
    check!().for_each(|bytes: &[u8]| {
        if let Ok(value) = strict::parse(bytes, 65_536) {
            assert!(serde_json::from_slice::<serde_json::Value>(bytes).is_ok());
            let again = serde_json::to_vec(&value).unwrap();
            assert_eq!(strict::parse(&again, 1 << 20), Ok(value));
        }
    });
}

#[test]
fn any_schema_and_instance_get_a_verdict() {
    check!().for_each(|bytes: &[u8]| {
        let Ok(line) = validate::parse(bytes, Document::Line) else {
            return;
        };
        let Ok((schema, instance)) = validate::parse_line(line) else {
            return;
        };
        for assert_format in [false, true] {
            let options = ValidatorOptions {
                draft: None,
                assert_format,
            };
            if let Err(faults) =
                SchemaValidator::new(&schema, options).and_then(|validator| validator.check(&instance))
            {
                assert!(!faults.listed.is_empty());
                for fault in faults.listed {
                    is_plain(&fault.pointer, &fault.message);
                }
            }
        }
    });
}
