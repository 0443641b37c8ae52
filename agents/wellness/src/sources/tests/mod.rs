//! The formats of health apps, each alone.

mod fits;
mod gadgets;
pub(in super::super) mod health;

use super::{
    super::tests::{at, setup},
    *,
};
use agents_base::shared::{IngestReport, ReadMark, SLICE};
use chrono_tz::Tz;
use toolcall_schema::Timestamp;
