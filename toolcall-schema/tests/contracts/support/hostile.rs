//! Documents made to hurt a reader, each as large as it may be.
//!
//! What: [`hostile`], by name, for any size. Why: depth, width, repetition, numbers and encodings each hurt another part. Not
//! here: small ones (`fixtures/rejections`, the tables of the gate's tests).

/// `piece` again and again, between `head` and `tail`, `size` bytes or a little less.
fn fill(head: &str, piece: impl Fn(usize) -> String, tail: &str, size: usize) -> Vec<u8> {
    let mut text = head.to_owned();
    for n in 0.. {
        let next = piece(n);
        if text.len() + next.len() + tail.len() > size {
            break;
        }
        text.push_str(&next);
    }
    text.push_str(tail);
    text.into_bytes()
}

/// Documents of at most `size` bytes, and near it.
pub(crate) fn hostile(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let same = |piece: &'static str| move |_| piece.to_owned();
    let after =
        |first: &'static str, rest: &'static str| move |n| if n == 0 { first } else { rest }.to_owned();
    let call = r#"{"call_id":"t_abcde01234","agent":"finance","tool":"categorize","ts":"2026-11-03T02:15:00Z","confirm_required":false,"args":"#;
    let txns = |n| format!("{}\"tx_{n:016x}\"", if n == 0 { "" } else { "," });
    let deep = |open: &str, shut: &str| [open.repeat(31), shut.repeat(31)];
    let [arrays, ends] = deep("[", "]");
    let [objects, shuts] = deep(r#"{"k":"#, "}");
    vec![
        ("open brackets", fill("", same("["), "", size)),
        ("open objects", fill("", same(r#"{"a":"#), "", size)),
        ("zeros", fill("[", after("0", ",0"), "]", size)),
        ("empty lists", fill("[", after("[]", ",[]"), "]", size)),
        ("empty objects", fill("[", after("{}", ",{}"), "]", size)),
        ("empty texts", fill("[", after("\"\"", ",\"\""), "]", size)),
        ("fractions", fill("[", after("0.1", ",0.1"), "]", size)),
        (
            "wide at depth",
            fill(&format!("{arrays}["), after("0", ",0"), &format!("]{ends}"), size),
        ),
        (
            "keys at depth",
            fill(
                &format!("{objects}{{"),
                |n| format!("{}\"{n}\":0", if n == 0 { "" } else { "," }),
                &format!("}}{shuts}"),
                size,
            ),
        ),
        (
            "many keys",
            fill(
                "{",
                |n| format!("{}\"k{n}\":0", if n == 0 { "" } else { "," }),
                "}",
                size,
            ),
        ),
        (
            "the last key twice",
            fill("{", |n| format!("\"k{n}\":0,"), "\"k0\":0}", size),
        ),
        (
            "one key again and again",
            fill("{", after("\"k\":0", ",\"k\":0"), "}", size),
        ),
        ("one long key", fill("{\"", same("k"), "\":0}", size)),
        ("one long text", fill("\"", same("x"), "\"", size)),
        ("one long text that never ends", fill("\"", same("x"), "", size)),
        ("escapes", fill("\"", same("\\u0000"), "\"", size)),
        (
            "pairs of surrogates",
            fill("\"", same("\\ud83d\\ude00"), "\"", size),
        ),
        (
            "a lone surrogate at the end",
            fill("\"", same("x"), "\\ud800\"", size),
        ),
        ("four bytes each", fill("\"", same("💩"), "\"", size)),
        ("digits", fill("", same("9"), "", size)),
        ("digits after a point", fill("0.", same("1"), "", size)),
        ("an exponent", fill("1e", same("0"), "9", size)),
        ("spaces", fill("", same(" "), "", size)),
        ("spaces before the end", fill("0", same(" "), "x", size)),
        ("line ends", fill("", same("\n"), "", size)),
        ("many documents", fill("", same("{}\n"), "", size)),
        ("NUL", vec![0; size]),
        ("overlong slashes", [0xc0, 0xaf].repeat(size / 2)),
        ("0xff", vec![0xff; size]),
        ("marks of byte order", fill("", same("\u{feff}"), "", size)),
        (
            "a call of many transactions",
            fill(&format!("{call}{{\"txn_ids\":["), txns, "]}}", size),
        ),
        (
            "a call of many members",
            fill(
                &format!("{call}{{"),
                |n| format!("{}\"k{n}\":0", if n == 0 { "" } else { "," }),
                "}}",
                size,
            ),
        ),
        (
            "a call with a long name",
            fill(
                &call.replace("categorize", "\",\"tool\":\""),
                same("a"),
                "\"}",
                size,
            ),
        ),
    ]
}
