//! Frames over any cut of the stream, and their refusals.

use super::*;
use proptest::prelude::*;
use std::io;

const TO_AGENT: &str = include_str!("../../../fixtures/wire/to_agent.jsonl");
const FROM_AGENT: &str = include_str!("../../../fixtures/wire/from_agent.jsonl");
const REFUSED: &str = include_str!("../../../fixtures/wire/refused.jsonl");

/// Length and body, as they travel.
fn framed(body: &str) -> Vec<u8> {
    let mut bytes = u32::try_from(body.len()).unwrap().to_be_bytes().to_vec();
    bytes.extend_from_slice(body.as_bytes());
    bytes
}

#[test]
fn every_frame_is_written_as_it_was_read() {
    for body in TO_AGENT.lines() {
        let frame = ToAgent::decode(body.as_bytes()).unwrap();
        assert_eq!(frame.encode(), Ok(framed(body)), "{body}");
    }
    for body in FROM_AGENT.lines() {
        assert_eq!(
            FromAgent::decode(body.as_bytes()).unwrap().encode(),
            Ok(framed(body))
        );
    }
}

#[test]
fn what_is_not_a_frame_is_refused_with_its_code() {
    for line in REFUSED.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let body = line["body"].as_str().unwrap();
        let code = ToAgent::decode(body.as_bytes()).unwrap_err().code();
        assert_eq!(Value::from(code.as_str()), line["code"], "{body}");
    }
    assert_eq!(
        FromAgent::decode(br#"{"v":1,"frame":"pong","n":0,"state":1}"#).unwrap_err(),
        MISFIT
    );
}

#[test]
fn a_frame_that_is_too_large_is_refused_on_both_sides() {
    let state = Value::from("x".repeat(MAX_FRAME_BYTES));
    let error = ToAgent::Restore { state }.encode().unwrap_err();
    // The text, its quotes and what stands around it.
    let bytes = MAX_FRAME_BYTES + r#"{"v":1,"frame":"restore","state":""}"#.len();
    let limit = MAX_FRAME_BYTES;
    assert_eq!(error, WireError::TooLarge { bytes, limit });
    let mut decoder = FrameDecoder::default();
    decoder.push(&u32::try_from(MAX_FRAME_BYTES + 1).unwrap().to_be_bytes());
    assert_eq!(
        decoder.next_body(),
        Err(WireError::TooLarge {
            bytes: MAX_FRAME_BYTES + 1,
            limit
        })
    );
}

#[test]
fn a_torn_stream_is_told_from_an_ended_one() {
    let bytes = framed("{}");
    for (taken, want) in [
        (0, Ok(())),
        (1, Err(WireError::Torn { missing: 3 })),
        (4, Err(WireError::Torn { missing: 2 })),
        (5, Err(WireError::Torn { missing: 1 })),
    ] {
        let mut decoder = FrameDecoder::default();
        decoder.push(&bytes[..taken]);
        assert_eq!(decoder.next_body(), Ok(None));
        assert_eq!(decoder.finish(), want, "{taken} bytes");
    }
    let mut decoder = FrameDecoder::default();
    decoder.push(&bytes);
    assert_eq!(decoder.next_body(), Ok(Some(&b"{}"[..])));
    assert_eq!(decoder.finish(), Ok(()));
}

proptest! {
    #[test]
    fn bodies_come_out_whole_however_the_stream_is_cut(
        bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..6),
        cut in 1_usize..9,
    ) {
        let mut stream = Vec::new();
        for body in &bodies {
            stream.extend(u32::try_from(body.len()).unwrap().to_be_bytes());
            stream.extend(body);
        }
        let (mut decoder, mut out) = (FrameDecoder::default(), Vec::new());
        for piece in stream.chunks(cut) {
            decoder.push(piece);
            while let Some(body) = decoder.next_body().unwrap() {
                out.push(body.to_vec());
            }
        }
        prop_assert_eq!(&out, &bodies);
        prop_assert_eq!(decoder.finish(), Ok(()));
        // The same of what a stream writes into the decoder itself.
        let (mut decoder, mut out) = (FrameDecoder::default(), Vec::new());
        for piece in stream.chunks(cut) {
            let taken = decoder.take_in(|room| {
                room[..piece.len()].copy_from_slice(piece);
                Ok(piece.len())
            });
            prop_assert!(matches!(taken, Ok(true)));
            while let Some(body) = decoder.next_body().unwrap() {
                out.push(body.to_vec());
            }
        }
        prop_assert_eq!(out, bodies);
        prop_assert_eq!(decoder.finish(), Ok(()));
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut decoder = FrameDecoder::default();
        decoder.push(&bytes);
        while let Ok(Some(body)) = decoder.next_body() {
            let _ = (ToAgent::decode(body), FromAgent::decode(body));
        }
        let _ = (decoder.finish(), ToAgent::decode(&bytes), FromAgent::decode(&bytes));
    }
}

#[test]
fn a_stream_that_blocks_is_read_frame_by_frame_until_it_is_over() {
    /// Gives one byte at a time, is interrupted between them, and is reset at its end.
    struct Slow<'a>(&'a [u8], bool);
    impl io::Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            match self.0.split_first() {
                _ if self.1 => Err(io::ErrorKind::Interrupted.into()),
                None => Err(io::ErrorKind::ConnectionReset.into()),
                Some((byte, rest)) => {
                    (buffer[0], self.0) = (*byte, rest);
                    Ok(1)
                }
            }
        }
    }
    let text = |body: &[u8]| Ok(String::from_utf8(body.to_vec()).unwrap());
    let bytes = [framed("1"), framed("22"), framed("333")].concat();
    for (taken, last) in [(bytes.len(), Ok(Some("333"))), (bytes.len() - 1, Err("WIRE-002"))] {
        let (mut stream, mut decoder) = (Slow(&bytes[..taken], false), FrameDecoder::default());
        let mut next = || {
            let frame: Result<_, Box<dyn std::error::Error>> = decoder.read_frame(&mut stream, text);
            frame.map_err(|error| error.to_string()[..8].to_owned())
        };
        assert_eq!(next(), Ok(Some("1".to_owned())));
        assert_eq!(next(), Ok(Some("22".to_owned())));
        let last = last.map(|last| last.map(str::to_owned)).map_err(str::to_owned);
        assert_eq!(next(), last);
        if last.is_ok() {
            assert_eq!(next(), Ok(None));
        }
    }
}

#[test]
fn a_large_frame_comes_out_whole_and_leaves_no_large_buffer() {
    let body = format!("\"{}\"", "x".repeat(1024 * 1024));
    let bytes = framed(&body);
    let mut decoder = FrameDecoder::default();
    let mut stream = bytes.as_slice();
    while !stream.is_empty() {
        assert_eq!(decoder.next_body(), Ok(None));
        decoder.take_in(|room| io::Read::read(&mut stream, room)).unwrap();
    }
    assert_eq!(decoder.next_body(), Ok(Some(body.as_bytes())));
    let mut room = 0;
    let taken = decoder.take_in(|buffer| {
        room = buffer.len();
        Err(io::ErrorKind::WouldBlock.into())
    });
    assert_eq!(taken.unwrap_err().kind(), io::ErrorKind::WouldBlock);
    assert_eq!(room, 16 * 1024, "as much as a new decoder has");
    assert_eq!(decoder.finish(), Ok(()));
}
