//! The real formats that Calendar reads: iCalendar (`ics`), cut into components (`lines`), with its values (`values`),
//! zones (`zones`, `zone_names`) and what an event says about the owner (`owned`).

pub mod ics;
pub mod lines;
pub mod owned;
pub mod values;
mod zone_names;
pub mod zones;
