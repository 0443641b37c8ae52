//! Canonical JSON (RFC 8785).
//!
//! What: [`canonical`], one text per value. Why: a hash of arguments must not depend on who wrote the spaces. Not here:
//! strictness (`strict`), keyed hashes (`ids`).

use crate::{ids::sha256_hex, strict::MAX_INTEGER};
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// The canonical text: keys sorted by UTF-16 code units, numbers as ECMAScript prints doubles, no spaces.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// SHA-256 of the canonical text, 64 hexadecimal digits. `20` and `20.0` have the same hash.
pub fn hash(value: &Value) -> String {
    sha256_hex(canonical(value).as_bytes())
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(n) => match n.as_i64().filter(|v| v.unsigned_abs() <= MAX_INTEGER) {
            // Writing to a string cannot fail.
            Some(whole) => drop(write!(out, "{whole}")),
            // JSON has finite numbers only.
            None => out.push_str(ryu_js::Buffer::new().format_finite(n.as_f64().unwrap_or_default())),
        },
        Value::String(text) => string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => object(members, out),
    }
}

fn object(members: &Map<String, Value>, out: &mut String) {
    if members.keys().all(|key| key.is_ascii()) {
        // A map is in the order of its keys' bytes, which is that of UTF-16 for ASCII.
        return listed(members.iter(), out);
    }
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    listed(sorted.into_iter(), out);
}

fn listed<'v>(members: impl Iterator<Item = (&'v String, &'v Value)>, out: &mut String) {
    out.push('{');
    for (i, (key, value)) in members.enumerate() {
        if i > 0 {
            out.push(',');
        }
        string(key, out);
        out.push(':');
        write(value, out);
    }
    out.push('}');
}

fn string(text: &str, out: &mut String) {
    if text
        .bytes()
        .any(|byte| byte < b' ' || byte == b'"' || byte == b'\\')
    {
        // serde_json escapes exactly what RFC 8785 asks for, and writing a string cannot fail.
        out.push_str(&serde_json::to_string(text).unwrap_or_default());
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn number(v: f64) -> String {
        canonical(&json!(v))
    }

    #[test]
    fn prints_numbers_as_ecmascript_does() {
        // RFC 8785, appendix B, but for its NaN and Infinity, which JSON has no words for.
        let table: &[(u64, &str)] = &[
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            // "Round to even (10)"
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ];
        for (bits, text) in table {
            assert_eq!(number(f64::from_bits(*bits)), *text);
        }
    }

    #[test]
    fn of_two_shortest_texts_as_near_as_each_other_the_even_one_is_printed() {
        // Each ends in 5 one digit after the shortest text that reads back the same.
        for (exact, text) in [
            // 794258117.67578125: …812 and …813 are as near.
            ("794258117.67578125", "794258117.6757812"),
            ("-794258117.67578125", "-794258117.6757812"),
            ("1424953923781206.25", "1424953923781206.2"),
            ("1424953923781206.75", "1424953923781206.8"),
        ] {
            assert_eq!(number(exact.parse().unwrap()), text);
        }
    }

    /// The shortest decimal that reads back the same, of several the nearest, of two as near the even one: found by trying, from one digit
    /// on. Sign, digits, and the power of ten of the first.
    fn shortest(v: f64) -> (bool, String, i32) {
        for more in 0..17 {
            // Rounded from the exact value, half to even.
            let near = format!("{:.more$e}", v.abs());
            let (digits, exponent) = near.split_once('e').unwrap();
            let whole: i64 = digits.replace('.', "").parse().unwrap();
            // Beside a power of two the nearest one may be outside of what reads back the same, and its neighbour inside.
            for candidate in [whole, whole + 1, whole - 1] {
                let scale = exponent.parse::<i32>().unwrap() - i32::try_from(more).unwrap();
                let text = format!("{candidate}e{scale}");
                if text.parse::<f64>() == Ok(v.abs()) {
                    let digits = candidate.to_string();
                    let first = scale + i32::try_from(digits.len()).unwrap() - 1;
                    return (v < 0.0, digits.trim_end_matches('0').to_owned(), first);
                }
            }
        }
        panic!("{v} has more than 17 digits")
    }

    /// The same of a text.
    fn parts(text: &str) -> (bool, String, i32) {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let zeros = digits.len() - digits.trim_start_matches('0').len();
        let first = i32::try_from(whole.len()).unwrap() - 1 - i32::try_from(zeros).unwrap();
        let first = first + exponent.parse::<i32>().unwrap();
        (negative, digits.trim_matches('0').to_owned(), first)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 8000, ..ProptestConfig::default() })]

        #[test]
        fn every_double_is_its_shortest_text(bits in any::<u64>(), fewer in 0_u32..32, behind in 0_u32..16) {
            // Any double; one with few binary digits behind the point, where ties are; a power of two.
            let tie = (bits >> (11 + fewer)) as f64 / f64::from(1_u32 << behind);
            let power = f64::from_bits(bits & 0x7ff0_0000_0000_0000);
            for v in [f64::from_bits(bits), tie, power] {
                if v.is_finite() && v != 0.0 {
                    let text = number(v);
                    prop_assert_eq!(text.parse::<f64>(), Ok(v));
                    prop_assert_eq!(parts(&text), shortest(v), "{}", text);
                }
            }
        }
    }

    #[test]
    fn sorts_by_utf16_and_escapes_as_little_as_possible() {
        // U+1D11E sorts before U+E000 in UTF-16 (surrogates), after it in UTF-8.
        let value = json!({"\u{e000}": 1, "\u{1d11e}": 2, "b": [1.0, true, null], "a": "\u{7f}é\n\u{1}\"/"});
        let text = "{\"a\":\"\u{7f}é\\n\\u0001\\\"/\",\"b\":[1,true,null],\"\u{1d11e}\":2,\"\u{e000}\":1}";
        assert_eq!(canonical(&value), text);
    }
}
