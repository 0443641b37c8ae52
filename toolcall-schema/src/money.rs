//! Amounts of money as memory and exports keep them.
//!
//! [`AccountBalance`] is what an account held. [`SignedAmount`] tells in one field how much was paid and which way it went, so that a payment keeps its six fields. Amounts
//! of signals and tools stay unsigned and name their direction in a field of its own.

use crate::{signal::Direction, time::Timestamp};
use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt, str::FromStr};

/// What an account held at an instant, as its owner, a statement or a bank told it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountBalance {
    /// May be below 0.
    pub amount: Decimal,
    /// ISO 4217.
    pub currency: String,
    pub as_of: Timestamp,
}

/// Which way money went, seen from the owner's account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MoneyFlow {
    /// Away from the owner: debits and fees.
    Out,
    /// To the owner: credits and refunds.
    In,
}

impl Direction {
    /// Which way money of this direction went.
    pub const fn flow(self) -> MoneyFlow {
        match self {
            Self::Debit | Self::Fee => MoneyFlow::Out,
            Self::Credit | Self::Refund => MoneyFlow::In,
        }
    }
}

/// An amount and which way it went. As text `-450.00` went out, `+450.00` came in, and of `450.00`, as releases before this one
/// wrote all amounts, the direction is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SignedAmount {
    size: Decimal,
    flow: Option<MoneyFlow>,
}

impl SignedAmount {
    /// An amount of which the direction is known. A sign of `size` does not count.
    pub fn new(size: Decimal, flow: MoneyFlow) -> Self {
        Self {
            size: size.abs(),
            flow: Some(flow),
        }
    }

    /// How much, never below 0.
    pub fn size(self) -> Decimal {
        self.size
    }

    /// Which way; `None` when it is not known.
    pub fn flow(self) -> Option<MoneyFlow> {
        self.flow
    }

    /// The number that a sum takes: below 0 what went out. `None` when the direction is not known: such an amount belongs in no
    /// sum.
    pub fn signed(self) -> Option<Decimal> {
        self.flow.map(|flow| match flow {
            MoneyFlow::Out => -self.size,
            MoneyFlow::In => self.size,
        })
    }

    /// The same direction with another size.
    #[must_use]
    pub fn with_size(self, size: Decimal) -> Self {
        Self {
            size: size.abs(),
            flow: self.flow,
        }
    }
}

impl fmt::Display for SignedAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.flow {
            Some(MoneyFlow::Out) => "-",
            Some(MoneyFlow::In) => "+",
            None => "",
        })?;
        fmt::Display::fmt(&self.size, f)
    }
}

/// A text that is no amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an amount is decimal digits, with - before what went out and + before what came in")]
pub struct AmountShape;

impl FromStr for SignedAmount {
    type Err = AmountShape;

    fn from_str(text: &str) -> Result<Self, AmountShape> {
        let (flow, digits) = match text.split_at_checked(1) {
            Some(("-", digits)) => (Some(MoneyFlow::Out), digits),
            Some(("+", digits)) => (Some(MoneyFlow::In), digits),
            _ => (None, text),
        };
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(AmountShape);
        }
        let size = Decimal::from_str_exact(digits).map_err(|_| AmountShape)?;
        Ok(Self { size, flow })
    }
}

impl Serialize for SignedAmount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SignedAmount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'_, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_tells_the_direction_and_no_sign_that_it_is_not_known() {
        for (text, flow, signed) in [
            ("-450.00", Some(MoneyFlow::Out), Some("-450.00")),
            ("+85000", Some(MoneyFlow::In), Some("85000")),
            ("320.5", None, None),
            ("0", None, None),
        ] {
            let amount: SignedAmount = text.parse().unwrap();
            assert_eq!(amount.to_string(), text);
            assert_eq!(
                (amount.flow(), amount.signed().map(|sum| sum.to_string())),
                (flow, signed.map(str::to_owned)),
                "{text}"
            );
            let json = serde_json::to_string(&amount).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<SignedAmount>(&json).unwrap(), amount);
        }
        for text in ["", "-", "+", "--1", "+-1", "1e3", "1,5", " 1", ".5", "-.5", "x"] {
            assert_eq!(text.parse::<SignedAmount>(), Err(AmountShape), "{text:?}");
        }
    }

    #[test]
    fn debits_and_fees_go_out_and_credits_and_refunds_come_in() {
        for (direction, text) in [
            (Direction::Debit, "-1.5"),
            (Direction::Fee, "-1.5"),
            (Direction::Credit, "+1.5"),
            (Direction::Refund, "+1.5"),
        ] {
            let amount = SignedAmount::new(Decimal::new(15, 1), direction.flow());
            assert_eq!(amount.to_string(), text);
        }
    }
}
