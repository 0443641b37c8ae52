//! What Aura does at this moment: what it reads, what has left this computer, and when it looks next.
//!
//! What: a sentence for each, on the page Now. Why: who opens the page wants to know that first. Not here: why nothing is said (`why`), the day's
//! interruptions (`page`).

use crate::backend::{owner::SentNotifications, settings::ReadingView};
use std::collections::BTreeMap;
use toolcall_schema::AgentName;

/// The part with these sentences.
pub const AT_WORK: &str = "What I do now";

/// What is still being read, or that all of it was; `None`: nothing came yet.
pub fn what_is_read(reading: &BTreeMap<AgentName, ReadingView>) -> Option<String> {
    let of = |agent: &AgentName| reading.get(agent);
    let unread: Vec<&str> = AgentName::FOUR
        .iter()
        .filter(|agent| of(agent).is_some_and(|read| read.left > 0))
        .map(|agent| read_things(*agent))
        .collect();
    if !unread.is_empty() {
        return Some(format!("I am still reading your {}.", listed(&unread)));
    }
    let came = AgentName::FOUR.iter().filter_map(of).any(|read| read.items > 0);
    came.then(|| "I have read everything that I may.".to_owned())
}

/// What an agent reads.
pub(super) fn read_things(agent: AgentName) -> &'static str {
    match agent {
        AgentName::Comms => "messages",
        AgentName::Calendar => "events",
        AgentName::Finance => "payments",
        AgentName::Wellness => "measurements",
        AgentName::Orchestrator => "decisions",
    }
}

/// What was sent to other machines today, and which one is asked for the owner's answers.
pub fn what_has_left(sent: &[SentNotifications], listens_at: Option<&str>) -> String {
    let to: Vec<String> = sent
        .iter()
        .map(|sent| {
            let what = if sent.count == 1 {
                "notification"
            } else {
                "notifications"
            };
            let host = sent
                .host
                .as_deref()
                .unwrap_or("a machine that the log does not name");
            format!("{} {what} to {host}", sent.count)
        })
        .collect();
    let parts: Vec<&str> = to.iter().map(String::as_str).collect();
    match (parts.as_slice(), listens_at) {
        ([], None) => "Nothing has left this computer today.".to_owned(),
        ([], Some(host)) => {
            format!("Nothing has left this computer today, but I ask {host} for your answers.")
        }
        (parts, None) => format!("Left this computer today: {}.", listed(parts)),
        (parts, Some(host)) => format!(
            "Left this computer today: {}. I ask {host} for your answers.",
            listed(parts)
        ),
    }
}

/// When it looks by itself next.
pub fn looks_again(at: &str) -> String {
    format!("I look again at {at}, and sooner when something comes in.")
}

/// `a`, `a and b`, `a, b and c`.
fn listed(parts: &[&str]) -> String {
    match parts {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(host: Option<&str>, count: u32) -> SentNotifications {
        SentNotifications {
            host: host.map(str::to_owned),
            count,
        }
    }

    #[test]
    fn what_has_left_names_each_machine_or_says_nothing() {
        let ntfy = Some("ntfy.example.org");
        for (sent, listens_at, says) in [
            (vec![], None, "Nothing has left this computer today."),
            (
                vec![],
                ntfy,
                "Nothing has left this computer today, but I ask ntfy.example.org for your answers.",
            ),
            (
                vec![sent(ntfy, 1)],
                None,
                "Left this computer today: 1 notification to ntfy.example.org.",
            ),
            (
                vec![sent(None, 1), sent(ntfy, 2), sent(Some("push.example.net"), 3)],
                ntfy,
                "Left this computer today: 1 notification to a machine that the log does not name, 2 notifications to ntfy.example.org \
                 and 3 notifications to push.example.net. I ask ntfy.example.org for your answers.",
            ),
        ] {
            assert_eq!(what_has_left(&sent, listens_at), says);
        }
    }

    #[test]
    fn what_is_read_names_what_is_left_and_is_silent_where_nothing_came() {
        let read = |items, left| ReadingView {
            items,
            left,
            ..ReadingView::default()
        };
        let of = |views: Vec<(AgentName, ReadingView)>| what_is_read(&views.into_iter().collect());
        assert_eq!(of(vec![]), None);
        assert_eq!(of(vec![(AgentName::Comms, read(0, 0))]), None);
        assert_eq!(
            of(vec![
                (AgentName::Comms, read(7, 0)),
                (AgentName::Finance, read(0, 0))
            ]),
            Some("I have read everything that I may.".to_owned())
        );
        assert_eq!(
            of(vec![
                (AgentName::Comms, read(7, 900)),
                (AgentName::Calendar, read(3, 0)),
                (AgentName::Finance, read(0, 1))
            ]),
            Some("I am still reading your messages and payments.".to_owned())
        );
    }
}
