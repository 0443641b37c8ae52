//! Secrets of the door: a device's token and a pairing code.
//!
//! What: [`DeviceToken`] and [`PairingCode`], both from the system's randomness. Why: neither is ever printed by `Debug`, and only the SHA-256 of
//! a token is kept. Not here: who has one (`devices`), how long a code is good (`pairing`).

use crate::backend::BackendError;
use rustix::rand::{GetRandomFlags, getrandom};
use serde::{Deserialize, Serialize};
use std::fmt;
use toolcall_schema::ids::hex;

/// Crockford's base32: no I, L, O and U.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Characters of a code: 50 bits.
const CODE: usize = 10;

/// Bytes as characters of Crockford's base32, five bits of each.
pub fn base32(bytes: &[u8]) -> String {
    let digit = |byte: &u8| ALPHABET.get(usize::from(byte % 32)).copied().map(char::from);
    bytes.iter().filter_map(digit).collect()
}

/// Random bytes of the system's.
pub(super) fn random<const N: usize>() -> Result<[u8; N], BackendError> {
    let mut bytes = [0; N];
    // Up to 256 bytes come whole.
    getrandom(&mut bytes[..], GetRandomFlags::empty()).map_err(|_| BackendError::Busy)?;
    Ok(bytes)
}

/// A device's secret: a browser has it as its cookie, a program sends it as a bearer. Told once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeviceToken(String);

impl DeviceToken {
    /// 256 random bits.
    pub(super) fn random() -> Result<Self, BackendError> {
        Ok(Self(hex(&random::<32>()?)))
    }

    /// What is sent.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for DeviceToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceToken(..)")
    }
}

/// A pairing code: ten characters, shown in two groups.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PairingCode(String);

impl PairingCode {
    /// 50 random bits.
    pub(super) fn random() -> Result<Self, BackendError> {
        Ok(Self::grouped(&base32(&random::<CODE>()?)))
    }

    /// As somebody types it: small letters, O for 0, I and L for 1, with or without the hyphen.
    pub(super) fn parse_typed(text: &str) -> Option<Self> {
        let plain: String = text
            .chars()
            .filter(|c| !matches!(c, '-' | ' '))
            .take(CODE + 1)
            .map(|c| match c.to_ascii_uppercase() {
                'O' => '0',
                'I' | 'L' => '1',
                other => other,
            })
            .collect();
        let known = plain.bytes().all(|byte| ALPHABET.contains(&byte));
        (known && plain.len() == CODE).then(|| Self::grouped(&plain))
    }

    fn grouped(plain: &str) -> Self {
        let (first, second) = plain.split_at_checked(CODE / 2).unwrap_or((plain, ""));
        Self(format!("{first}-{second}"))
    }

    /// As it is shown: `ABCDE-FGH12`.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PairingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PairingCode(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_may_be_typed_as_people_type() {
        for typed in [
            "01234-56789",
            "0123456789",
            " O1 2-34 567 89 ",
            "oi234-56789",
            "ol23456789",
        ] {
            assert_eq!(
                PairingCode::parse_typed(typed).map(|code| code.0).as_deref(),
                Some("01234-56789"),
                "{typed}"
            );
        }
        for wrong in [
            "",
            "01234-5678",
            "01234-567890",
            "01234-5678U",
            "01234-5678é",
            "01234_56789",
        ] {
            assert_eq!(PairingCode::parse_typed(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn secrets_are_random_and_never_shown_by_debug() {
        let (one, other) = (DeviceToken::random().unwrap(), DeviceToken::random().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.text().len(), 64);
        let code = PairingCode::random().unwrap();
        assert_eq!(PairingCode::parse_typed(code.text()), Some(code.clone()));
        assert_eq!(format!("{one:?} {code:?}"), "DeviceToken(..) PairingCode(..)");
    }
}
