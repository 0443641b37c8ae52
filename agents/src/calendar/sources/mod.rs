//! The real formats that Calendar reads: iCalendar (`ics`), split into components (`lines`), with its values
//! (`values`).

pub mod ics;
pub mod lines;
pub mod values;
