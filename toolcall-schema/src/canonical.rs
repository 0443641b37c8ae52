//! Canonical JSON (RFC 8785).
//!
//! What: [`canonical`], one text per value. Why: a hash of arguments must not depend on who wrote the spaces. Not here:
//! strictness (`strict`), keyed hashes (`ids`).

use crate::{ids::sha256_hex, strict::MAX_INTEGER};
use serde_json::{Map, Value};

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
            Some(whole) => out.push_str(&whole.to_string()),
            None => out.push_str(&number(n.as_f64().unwrap_or_default())),
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
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    out.push('{');
    for (i, (key, value)) in sorted.into_iter().enumerate() {
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
    // serde_json escapes exactly what RFC 8785 asks for, and writing a string cannot fail.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// ECMAScript's `Number::toString` for a finite double, from the shortest digits that read back the same.
fn number(v: f64) -> String {
    if v == 0.0 {
        return "0".to_owned();
    }
    let shortest = format!("{:e}", v.abs());
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let digits = mantissa.replace('.', "");
    // The decimal point stands after `point` digits.
    let point = exponent.parse::<i32>().unwrap_or_default() + 1;
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or_default());
    let split = |at: i32| {
        digits
            .split_at_checked(usize::try_from(at).unwrap_or_default())
            .unwrap_or((&digits, ""))
    };
    let body = match point {
        p if count <= p && p <= 21 => digits.clone() + &zeros(p - count),
        p if 0 < p && p <= 21 => {
            let (whole, fraction) = split(p);
            format!("{whole}.{fraction}")
        }
        p if -6 < p && p <= 0 => format!("0.{}{digits}", zeros(-p)),
        p => {
            let (first, rest) = split(1);
            let dot = if rest.is_empty() { "" } else { "." };
            format!("{first}{dot}{rest}e{:+}", p - 1)
        }
    };
    if v < 0.0 { format!("-{body}") } else { body }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn prints_numbers_as_ecmascript_does() {
        // From RFC 8785, appendix B, and the boundaries of ECMAScript's notation.
        let table: &[(u64, &str)] = &[
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
        ];
        for (bits, text) in table {
            assert_eq!(number(f64::from_bits(*bits)), *text);
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
