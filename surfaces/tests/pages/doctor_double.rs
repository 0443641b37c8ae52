//! The double's look after itself.
//!
//! What: a full disk, two sources that are gone, and two checks that are well. Not here: any claim.

use crate::morning::Double;
use surfaces_base::backend::{
    BackendError, BackendFuture,
    doctor::{DoctorBackend, DoctorCheck, DoctorLevel},
};

impl DoctorBackend for Double {
    fn look_after(&self) -> BackendFuture<Result<Option<Vec<DoctorCheck>>, BackendError>> {
        let check = |name: &str, level, what: &str| DoctorCheck {
            name: name.to_owned(),
            level,
            what: what.to_owned(),
        };
        Self::ready(Some(vec![
            check("key", DoctorLevel::Ok, "sealed"),
            check(
                "source",
                DoctorLevel::Warn,
                "/home/kavin/Maildir cannot be read: gone",
            ),
            check(
                "source",
                DoctorLevel::Warn,
                "/home/kavin/bank.csv cannot be read: gone",
            ),
            check("space", DoctorLevel::Bad, "7 MiB free on the disk of the folder"),
            check("store", DoctorLevel::Ok, "sound"),
        ]))
    }
}
