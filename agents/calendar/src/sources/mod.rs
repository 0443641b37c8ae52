//! The real formats that Calendar reads: iCalendar (`ics`, `vtodo`), cut into components (`lines`), with its values (`values`),
//! zones (`zones`, `zone_names`) and what an event says about the owner (`owned`); and tasks (`tasks`, `todo_txt`, `taskwarrior`, `taskchampion`).

pub(crate) mod ics;
pub(crate) mod lines;
pub(crate) mod owned;
mod taskchampion;
pub(crate) mod tasks;
mod taskwarrior;
mod todo_txt;
pub(crate) mod values;
mod vtodo;
mod zone_names;
pub(crate) mod zones;
