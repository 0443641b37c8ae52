//! The database of Taskwarrior 3, `taskchampion.sqlite3`.
//!
//! What: [`read`]: its table `tasks` has a row each, with the attributes as JSON. Why: version 3 has no other file. Not here: what the attributes mean
//! (`taskwarrior`), its log of changes, which is not looked at. A change that Taskwarrior has not yet moved from its write-ahead log is seen once it has.

use super::{
    ics::ParsedCalendar,
    tasks::{MAX_RECORD, MAX_TASKS, NO_TASK_DATABASE, NOT_A_TASK},
    taskwarrior::{add, fields_of_object},
};
use agents_base::shared::database;
use chrono_tz::Tz;
use serde_json::{Map, Value};

/// Reads a database.
pub(super) fn read(bytes: Vec<u8>, zone: Tz) -> ParsedCalendar {
    let mut out = ParsedCalendar::default();
    if rows(bytes, zone, &mut out).is_err() {
        out.tasks.clear();
        out.skip(NO_TASK_DATABASE, 1, 1);
        return out;
    }
    out.whole = true;
    out
}

fn rows(bytes: Vec<u8>, zone: Tz, out: &mut ParsedCalendar) -> rusqlite::Result<()> {
    let database = database::from_bytes(bytes)?;
    let mut query = database.prepare("SELECT uuid, data FROM tasks WHERE length(data) <= ?1 LIMIT ?2")?;
    let most = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let mut rows = query.query([most(MAX_RECORD), most(MAX_TASKS + 1)])?;
    let mut place = 0;
    while let Some(row) = rows.next()? {
        place += 1;
        let (uuid, data): (String, String) = (row.get(0)?, row.get(1)?);
        match serde_json::from_str::<Map<String, Value>>(&data) {
            Ok(task) => {
                let mut fields = fields_of_object(&task);
                fields.insert("uuid".to_owned(), uuid);
                add(out, place, &fields, zone);
            }
            Err(_) => out.skip(NOT_A_TASK, place, 1),
        }
    }
    Ok(())
}
