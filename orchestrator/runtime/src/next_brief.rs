//! When the next morning brief really comes.
//!
//! What: [`next_brief`], from the machine's state: the hour that is set, what the owner said that stands against it, and the first moment at which nothing
//! does. Why: the brief's timer knows the hour alone, and a page must not announce what a rule forbids. Not here: whether there is anything to say then (the
//! agents), caps that follow from what was shown (the machine).

use orchestrator_machine::{MachineState, env::MachineEnv};
use surfaces_base::backend::owner::{BRIEF_DAYS, BriefObstacle, NextBrief};
use toolcall_schema::{ActionKind, Timestamp, rule::OwnerRule, tick::Subject};

/// A day back, to find today's hour again.
const DAY_MIN: i64 = 24 * 60;

/// The next brief, at `now` (wall clock).
pub(crate) fn next_brief(state: &MachineState, env: &MachineEnv, now: Timestamp) -> NextBrief {
    let hours = env.settings.brief;
    let (today, time) = env.local(now);
    let was_shown = {
        let of_today = Subject::date(today);
        let mut past = state.history.iter();
        past.any(|past| past.kind == ActionKind::ShowBrief && past.subject == of_today)
    };
    // Today's is still to come where what held it back may end before its time is over.
    let is_held = hours.contains(time) && !was_shown && obstacle(state, env, now).is_some();
    let due = if is_held {
        env.next_local(now.plus_min(-DAY_MIN), hours.from)
    } else {
        state.brief_wall
    };
    let mut day = due;
    let mut comes = None;
    for _ in 0..BRIEF_DAYS {
        comes = first_free(state, env, day.max(now), env.next_local(day, hours.to));
        if comes.is_some() {
            break;
        }
        day = env.next_local(day, hours.from);
    }
    NextBrief {
        due,
        against: obstacle(state, env, due.max(now)),
        comes,
    }
}

/// What the owner said that stands against a brief at a moment, in the order in which the machine asks.
fn obstacle(state: &MachineState, env: &MachineEnv, at: Timestamp) -> Option<BriefObstacle> {
    let (date, time) = env.local(at);
    let subject = Subject::date(date);
    let forbids = |rule: &&OwnerRule| rule.forbids(ActionKind::ShowBrief, &subject, at, (date, time));
    let lasts = |until: Option<Timestamp>| until.is_some_and(|until| until > at);
    if lasts(state.paused_until_wall) {
        Some(BriefObstacle::Pause)
    } else if let Some(rule) = state.rules.iter().find(forbids) {
        Some(BriefObstacle::Rule(rule.name.clone()))
    } else if env.settings.dnd.iter().any(|span| span.contains(time)) || lasts(state.known.dnd_until()) {
        Some(BriefObstacle::QuietHours)
    } else {
        (env.settings.ceiling == 0).then_some(BriefObstacle::NoInterruption)
    }
}

/// The first moment from `from` on and before `until` against which nothing stands: `from` itself, or where something ends.
fn first_free(
    state: &MachineState,
    env: &MachineEnv,
    from: Timestamp,
    until: Timestamp,
) -> Option<Timestamp> {
    let hours = state.rules.iter().filter_map(|rule| rule.hours);
    let of_day = hours
        .map(|(_, to)| to)
        .chain(env.settings.dnd.iter().map(|span| span.to));
    let ends = state.rules.iter().filter_map(|rule| rule.until);
    let mut moments: Vec<Timestamp> = of_day
        .map(|time| env.next_local(from, time))
        .chain([from, env.next_midnight(from)])
        .chain(ends)
        .chain(state.paused_until_wall)
        .chain(state.known.dnd_until())
        .filter(|at| *at >= from && *at < until)
        .collect();
    moments.sort_unstable();
    moments.into_iter().find(|at| obstacle(state, env, *at).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveTime;
    use orchestrator_machine::{
        env::{DailyWindow, MachineSettings},
        policy::{DEFAULT_TEXT, Policy},
    };
    use toolcall_schema::{ids::OwnerSeed, rule::RuleName};

    fn ts(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn hour(h: u32, m: u32) -> NaiveTime {
        NaiveTime::from_hms_opt(h, m, 0).unwrap()
    }

    fn span(from: (u32, u32), to: (u32, u32)) -> DailyWindow {
        DailyWindow {
            from: hour(from.0, from.1),
            to: hour(to.0, to.1),
        }
    }

    fn env(dnd: Vec<DailyWindow>, ceiling: u8) -> MachineEnv {
        MachineEnv {
            policy: Policy::parse(DEFAULT_TEXT).unwrap(),
            settings: MachineSettings {
                zone: chrono_tz::Tz::UTC,
                ceiling,
                brief: span((7, 30), (12, 0)),
                dnd,
                model: false,
                kinds: std::collections::BTreeMap::new(),
            },
            seed: OwnerSeed::from_day_seed("brief"),
            catalogue_hash: String::new(),
        }
    }

    /// A rule against briefs between these hours, on these days.
    fn rule(hours: Option<((u32, u32), (u32, u32))>, days: &[u8]) -> OwnerRule {
        OwnerRule {
            kinds: vec![ActionKind::ShowBrief],
            hours: hours.map(|(from, to)| (hour(from.0, from.1), hour(to.0, to.1))),
            days: days.to_vec(),
            ..OwnerRule::named(RuleName::parse("late").unwrap())
        }
    }

    #[test]
    fn what_the_owner_forbids_is_not_announced() {
        let by_rule = || Some(BriefObstacle::Rule(RuleName::parse("late").unwrap()));
        let quiet = || Some(BriefObstacle::QuietHours);
        // 2026-11-03 is a Tuesday; the brief is due at 07:30 and may come until 12:00.
        for (case, now, dnd, rules, against, comes) in [
            (
                "nothing",
                "2026-11-03T06:00:00Z",
                vec![],
                vec![],
                None,
                Some("2026-11-03T07:30:00Z"),
            ),
            (
                "not before nine",
                "2026-11-03T06:00:00Z",
                vec![],
                vec![rule(Some(((6, 0), (9, 0))), &[])],
                by_rule(),
                Some("2026-11-03T09:00:00Z"),
            ),
            (
                "two rules, one behind the other",
                "2026-11-03T06:00:00Z",
                vec![],
                vec![
                    rule(Some(((9, 0), (10, 15))), &[]),
                    rule(Some(((6, 0), (9, 0))), &[]),
                ],
                by_rule(),
                Some("2026-11-03T10:15:00Z"),
            ),
            (
                "quiet until ten",
                "2026-11-03T06:00:00Z",
                vec![span((22, 0), (10, 0))],
                vec![],
                quiet(),
                Some("2026-11-03T10:00:00Z"),
            ),
            (
                "not on Tuesdays and Wednesdays",
                "2026-11-03T06:00:00Z",
                vec![],
                vec![rule(None, &[2, 3])],
                by_rule(),
                Some("2026-11-05T07:30:00Z"),
            ),
            (
                "never",
                "2026-11-03T06:00:00Z",
                vec![],
                vec![rule(None, &[])],
                by_rule(),
                None,
            ),
            (
                "quiet for longer than it may come",
                "2026-11-03T06:00:00Z",
                vec![span((5, 0), (12, 0))],
                vec![],
                quiet(),
                None,
            ),
            // In the middle of its time, held back: today's is still to come.
            (
                "now",
                "2026-11-03T08:00:00Z",
                vec![],
                vec![rule(Some(((6, 0), (9, 0))), &[])],
                by_rule(),
                Some("2026-11-03T09:00:00Z"),
            ),
        ] {
            let (env, now) = (env(dnd, 3), ts(now));
            let mut state = MachineState::new(&env, ts("2026-11-03T00:00:00Z"));
            state.brief_wall = env.next_local(now, env.settings.brief.from);
            state.rules = rules;
            let found = next_brief(&state, &env, now);
            assert_eq!((found.against, found.comes), (against, comes.map(ts)), "{case}");
            assert_eq!(found.due, ts("2026-11-03T07:30:00Z"), "{case}");
        }
    }

    #[test]
    fn a_pause_and_a_day_without_interruptions_count_as_well() {
        let now = ts("2026-11-03T06:00:00Z");
        let env = env(vec![], 3);
        let mut state = MachineState::new(&env, now);
        state.paused_until_wall = Some(ts("2026-11-03T08:15:00Z"));
        let found = next_brief(&state, &env, now);
        assert_eq!(
            (found.against, found.comes),
            (Some(BriefObstacle::Pause), Some(ts("2026-11-03T08:15:00Z")))
        );
        let none = self::env(vec![], 0);
        let found = next_brief(&MachineState::new(&none, now), &none, now);
        assert_eq!(
            (found.against, found.comes),
            (Some(BriefObstacle::NoInterruption), None)
        );
    }
}
