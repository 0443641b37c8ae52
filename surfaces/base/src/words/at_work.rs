//! What Aura does at this moment: what it reads, what has left this computer, and when it looks next.
//!
//! What: a sentence for each, on the page Now. Why: who opens the page wants to know that first. Not here: why nothing is said (`why`), the day's
//! interruptions (`page`).

use crate::backend::{owner::SentNotifications, settings::ReadingView};
use crate::language::{Text, say, text};
use std::collections::BTreeMap;
use toolcall_schema::AgentName;

/// The part with these sentences.
pub const AT_WORK: Text = Text("at-work-at-work");

/// What is still being read, or that all of it was; `None`: nothing came yet.
pub fn what_is_read(reading: &BTreeMap<AgentName, ReadingView>) -> Option<String> {
    let of = |agent: &AgentName| reading.get(agent);
    let unread: Vec<&str> = AgentName::FOUR
        .iter()
        .filter(|agent| of(agent).is_some_and(|read| read.left > 0))
        .map(|agent| read_things(*agent))
        .collect();
    if !unread.is_empty() {
        return Some(say!("at-work-what-is-read-i-am-still", listed = listed(&unread)));
    }
    let came = AgentName::FOUR.iter().filter_map(of).any(|read| read.items > 0);
    came.then(|| text("at-work-what-is-read-i-have-read").to_owned())
}

/// What an agent reads.
pub fn read_things(agent: AgentName) -> &'static str {
    match agent {
        AgentName::Comms => text("at-work-read-things-messages"),
        AgentName::Calendar => text("at-work-read-things-events"),
        AgentName::Finance => text("at-work-read-things-payments"),
        AgentName::Wellness => text("at-work-read-things-measurements"),
        AgentName::Orchestrator => text("at-work-read-things-decisions"),
    }
}

/// What was sent to other machines today, and which one is asked for the owner's answers.
pub fn what_has_left(sent: &[SentNotifications], listens_at: Option<&str>) -> String {
    let to: Vec<String> = sent
        .iter()
        .map(|sent| {
            let host = sent
                .host
                .as_deref()
                .unwrap_or(text("at-work-what-has-left-a-machine-that"));
            say!("at-work-what-has-left-to", count = sent.count, host)
        })
        .collect();
    let parts: Vec<&str> = to.iter().map(String::as_str).collect();
    match (parts.as_slice(), listens_at) {
        ([], None) => text("at-work-what-has-left-nothing-has-left").to_owned(),
        ([], Some(host)) => {
            say!("at-work-what-has-left-nothing-has-left-2", host)
        }
        (parts, None) => say!("at-work-what-has-left-left-this-computer", listed = listed(parts)),
        (parts, Some(host)) => say!(
            "at-work-what-has-left-left-this-computer-2",
            listed = listed(parts),
            host
        ),
    }
}

/// When it looks by itself next.
pub fn looks_again(at: &str) -> String {
    say!("at-work-looks-again", at)
}

/// `a`, `a and b`, `a, b and c`.
fn listed(parts: &[&str]) -> String {
    match parts {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => say!("at-work-listed", value = first.join(", "), last),
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
