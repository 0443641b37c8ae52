//! The real formats that Calendar reads: iCalendar (`ics`), cut into components (`lines`), with its values (`values`),
//! zones (`zones`) and what an event says about the owner (`owned`).

pub mod ics;
pub mod lines;
pub mod owned;
pub mod values;
pub mod zones;
