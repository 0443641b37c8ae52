//! What is said of runs of workflows.
//!
//! What: where a run stands, how often something was asked. Why: whoever waits for the owner says so. Not here: what a program said (`runs`).

use crate::runs::Standing;

/// Where a run of a workflow stands.
pub fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Running => "at work",
        Standing::Interrupted => "interrupted",
        Standing::Waiting => "waits for you",
        Standing::Stopped => "stopped",
        Standing::Completed => "completed",
        Standing::Expired => "not answered in time",
        Standing::Cancelled => "ended by you",
        Standing::Undone => "taken back",
    }
}

/// How often, in words.
pub fn times(count: u16) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}
