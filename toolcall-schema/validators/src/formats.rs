//! Instants and dates, checked digit by digit.
//!
//! What: the formats `date-time`, `date` and `time` of JSON Schema, which are those of RFC 3339, section 5.6. Why: the validating
//! crate takes `*` to `/` for digits (`2026-11-03T0*:15:00Z`), and what a schema lets pass is then refused without a place.
//! Not here: instants as values (`toolcall-schema::time`).

/// `full-date`.
pub fn is_date(text: &str) -> bool {
    date(text.as_bytes())
}

/// `full-time`: with an offset; a second 60 only where one can leap, at 23:59 UTC.
pub fn is_time(text: &str) -> bool {
    time(text.as_bytes())
}

/// `date-time`: a date and a time with `T` or `t` between them.
pub fn is_date_time(text: &str) -> bool {
    match text.as_bytes().split_at_checked(10) {
        Some((day, [b'T' | b't', rest @ ..])) => date(day) && time(rest),
        Some(_) | None => false,
    }
}

/// A UUID as RFC 9562, section 4, writes it, of any version: 8, 4, 4, 4 and 12 hexadecimal digits.
pub fn is_uuid(text: &str) -> bool {
    let mut groups = text.split('-');
    let lengths = [8, 4, 4, 4, 12];
    let hex = |group: &str| group.bytes().all(|byte| byte.is_ascii_hexdigit());
    let all = lengths.iter().all(|length| {
        let group = groups.next();
        group.is_some_and(|group| group.len() == *length && hex(group))
    });
    all && groups.next().is_none()
}

/// The value of some digits; nothing else may stand there.
fn number(digits: &[u8]) -> Option<u32> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u32::from(byte - b'0'));
    digits
        .iter()
        .try_fold(0, |value, byte| Some(value * 10 + digit(byte)?))
}

fn date(text: &[u8]) -> bool {
    let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = text else {
        return false;
    };
    let (year, month, day) = (
        number(&[*y0, *y1, *y2, *y3]),
        number(&[*m0, *m1]),
        number(&[*d0, *d1]),
    );
    let (Some(year), Some(month), Some(day)) = (year, month, day) else {
        return false;
    };
    let leaps = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leaps => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// Minutes of an hour and a minute in range.
fn minutes(hour: [u8; 2], minute: [u8; 2]) -> Option<u32> {
    let (hour, minute) = (number(&hour)?, number(&minute)?);
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

fn time(text: &[u8]) -> bool {
    let [h0, h1, b':', m0, m1, b':', s0, s1, rest @ ..] = text else {
        return false;
    };
    let (Some(local), Some(second)) = (minutes([*h0, *h1], [*m0, *m1]), number(&[*s0, *s1])) else {
        return false;
    };
    let offset = match rest {
        [b'.', fraction @ ..] => {
            let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            fraction.get(digits..).filter(|_| digits > 0)
        }
        _ => Some(rest),
    };
    // Minutes of the day in UTC: what is ahead of it is taken off, over midnight where need be.
    let utc = match offset {
        Some([b'Z' | b'z']) => Some(local),
        Some([sign @ (b'+' | b'-'), h0, h1, b':', m0, m1]) => minutes([*h0, *h1], [*m0, *m1]).map(|ahead| {
            let shift = if *sign == b'+' { 24 * 60 - ahead } else { ahead };
            (local + shift) % (24 * 60)
        }),
        Some(_) | None => None,
    };
    utc.is_some_and(|utc| second < 60 || (second == 60 && utc == 23 * 60 + 59))
}
