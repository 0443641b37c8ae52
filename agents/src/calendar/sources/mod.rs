//! The real formats that Calendar reads: iCalendar (`ics`), cut into components (`lines`), with its values (`values`),
//! zones (`zones`, `zone_names`) and what an event says about the owner (`owned`).

pub(crate) mod ics;
pub(crate) mod lines;
pub(crate) mod owned;
pub(crate) mod values;
mod zone_names;
pub(crate) mod zones;
