//! Whether an owner of a host is served.
//!
//! What: [`next_step`], what the host does for one owner when her folder is looked at or her tenant has ended, and [`rest_after`], for how long
//! she rests before she is started again. Why: starts, restarts, pauses and the host's own end meet in one table. Not here: doing it (`host`).

use crate::control::OwnerState;
use orchestrator_machine::supervision::Backoff;
use std::time::Duration;

/// How long a service rests before it is started again.
const REST: Backoff = Backoff {
    first: Duration::from_secs(1),
    longest: Duration::from_mins(1),
};

/// Whoever served for so long before it failed begins again with the shortest rest.
const STEADY: Duration = Duration::from_hours(1);

/// An owner's tenant, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum TenantState {
    #[default]
    Absent,
    Running(u32),
    /// It was told to end, or does so by itself.
    Ending {
        number: u32,
        is_wanted_again: bool,
    },
    /// Nothing of hers is due, and nobody is there: her service begins again, under the same number, when that changes.
    Parked(u32),
}

/// What an owner's folder says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderState {
    Wanted,
    Paused,
    /// Another host serves her, or will.
    Elsewhere,
    Gone,
}

/// How a tenant ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TenantExit {
    /// As its owner or its host wished.
    Told,
    /// By what may be better at the next try: a folder in use, a full disk, a bug.
    Passing,
    /// By what somebody has to mend: configuration, damage.
    Lasting,
    /// By itself, because nothing is due.
    Parked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnerEvent {
    /// Her folder is looked at: at the host's start, for a command, after a rest.
    Refreshed,
    TenantEnded(TenantExit),
    /// Somebody came, something changed or is due while she was parked.
    Woken,
}

/// What the host does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnerStep {
    Nothing,
    Start,
    /// Tells her tenant to end.
    End,
    /// Starts her as soon as her tenant has ended.
    StartAfterEnd,
    Rest(OwnerState),
    /// Looks at her folder again after a rest.
    RestThenRefresh,
    /// Waits for what she is parked for.
    Park,
    /// She is no owner any more.
    Forget,
}

pub(super) fn next_step(
    event: OwnerEvent,
    tenant: TenantState,
    folder: FolderState,
    is_host_ending: bool,
) -> OwnerStep {
    match (event, tenant, folder) {
        // Nobody would end a tenant that starts now.
        (OwnerEvent::Refreshed | OwnerEvent::Woken, ..) if is_host_ending => OwnerStep::Nothing,
        (OwnerEvent::Refreshed, TenantState::Absent, FolderState::Wanted)
        | (OwnerEvent::Woken, TenantState::Parked(_), FolderState::Wanted) => OwnerStep::Start,
        (OwnerEvent::Refreshed, TenantState::Running(_) | TenantState::Parked(_), FolderState::Wanted)
        // She has been started since.
        | (
            OwnerEvent::Woken,
            TenantState::Absent | TenantState::Running(_) | TenantState::Ending { .. },
            _,
        ) => OwnerStep::Nothing,
        (OwnerEvent::Refreshed, TenantState::Ending { .. }, FolderState::Wanted) => OwnerStep::StartAfterEnd,
        (
            OwnerEvent::Refreshed,
            TenantState::Running(_) | TenantState::Ending { .. },
            FolderState::Paused | FolderState::Gone,
        ) => OwnerStep::End,
        // Should she be here again by its end, she is started.
        (OwnerEvent::Refreshed, TenantState::Running(_) | TenantState::Ending { .. }, FolderState::Elsewhere) => {
            OwnerStep::StartAfterEnd
        }
        (_, _, FolderState::Gone) => OwnerStep::Forget,
        (_, _, FolderState::Elsewhere) => OwnerStep::Rest(OwnerState::Elsewhere),
        (_, _, FolderState::Paused) => OwnerStep::Rest(OwnerState::Paused),
        (OwnerEvent::TenantEnded(exit), tenant, FolderState::Wanted) => {
            let is_wanted_again = matches!(
                tenant,
                TenantState::Ending {
                    is_wanted_again: true,
                    ..
                }
            );
            match exit {
                TenantExit::Told | TenantExit::Parked if is_host_ending => {
                    OwnerStep::Rest(OwnerState::Stopped)
                }
                TenantExit::Passing | TenantExit::Lasting if is_host_ending => {
                    OwnerStep::Rest(OwnerState::Failed)
                }
                _ if is_wanted_again => OwnerStep::Start,
                TenantExit::Told => OwnerStep::Rest(OwnerState::Stopped),
                TenantExit::Parked => OwnerStep::Park,
                TenantExit::Passing => OwnerStep::RestThenRefresh,
                TenantExit::Lasting => OwnerStep::Rest(OwnerState::Failed),
            }
        }
    }
}

/// For how long an owner rests after so many failures in a row: a second, twice as long after each, a minute at most. `served`: for how long she
/// was served before this one. With the number of failures that count from now on.
pub(super) fn rest_after(failures: u32, served: Duration) -> (Duration, u32) {
    let failures = if served >= STEADY { 0 } else { failures };
    (REST.pause(failures), failures.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDING: TenantState = TenantState::Ending {
        number: 1,
        is_wanted_again: false,
    };
    const AGAIN: TenantState = TenantState::Ending {
        number: 1,
        is_wanted_again: true,
    };

    const PARKED: TenantState = TenantState::Parked(1);

    #[test]
    fn an_owner_is_served_while_her_folder_wants_it_and_the_host_does_not_end() {
        use FolderState::{Elsewhere, Gone, Paused, Wanted};
        use OwnerEvent::{Refreshed, TenantEnded, Woken};
        use OwnerStep::{End, Forget, Nothing, Park, Rest, RestThenRefresh, Start, StartAfterEnd};
        use TenantExit::{Lasting, Passing, Told};
        use TenantState::{Absent, Running};
        for (event, tenant, folder, step, step_of_ending_host) in [
            (Refreshed, Absent, Wanted, Start, Nothing),
            (Refreshed, Absent, Paused, Rest(OwnerState::Paused), Nothing),
            (Refreshed, Absent, Gone, Forget, Nothing),
            (Refreshed, Running(1), Wanted, Nothing, Nothing),
            (Refreshed, Running(1), Paused, End, Nothing),
            (Refreshed, Running(1), Gone, End, Nothing),
            (Refreshed, ENDING, Wanted, StartAfterEnd, Nothing),
            (Refreshed, ENDING, Paused, End, Nothing),
            (Refreshed, AGAIN, Wanted, StartAfterEnd, Nothing),
            (Refreshed, AGAIN, Paused, End, Nothing),
            (Refreshed, AGAIN, Gone, End, Nothing),
            (
                TenantEnded(Told),
                Running(1),
                Wanted,
                Rest(OwnerState::Stopped),
                Rest(OwnerState::Stopped),
            ),
            (
                TenantEnded(Told),
                ENDING,
                Wanted,
                Rest(OwnerState::Stopped),
                Rest(OwnerState::Stopped),
            ),
            (TenantEnded(Told), AGAIN, Wanted, Start, Rest(OwnerState::Stopped)),
            (
                TenantEnded(Passing),
                Running(1),
                Wanted,
                RestThenRefresh,
                Rest(OwnerState::Failed),
            ),
            (
                TenantEnded(Passing),
                ENDING,
                Wanted,
                RestThenRefresh,
                Rest(OwnerState::Failed),
            ),
            (
                TenantEnded(Passing),
                AGAIN,
                Wanted,
                Start,
                Rest(OwnerState::Failed),
            ),
            (
                TenantEnded(Lasting),
                Running(1),
                Wanted,
                Rest(OwnerState::Failed),
                Rest(OwnerState::Failed),
            ),
            (
                TenantEnded(Lasting),
                AGAIN,
                Wanted,
                Start,
                Rest(OwnerState::Failed),
            ),
            (
                TenantEnded(Told),
                AGAIN,
                Paused,
                Rest(OwnerState::Paused),
                Rest(OwnerState::Paused),
            ),
            (
                TenantEnded(Passing),
                Running(1),
                Paused,
                Rest(OwnerState::Paused),
                Rest(OwnerState::Paused),
            ),
            (
                TenantEnded(TenantExit::Parked),
                ENDING,
                Wanted,
                Park,
                Rest(OwnerState::Stopped),
            ),
            (
                TenantEnded(TenantExit::Parked),
                AGAIN,
                Wanted,
                Start,
                Rest(OwnerState::Stopped),
            ),
            (
                TenantEnded(TenantExit::Parked),
                ENDING,
                Paused,
                Rest(OwnerState::Paused),
                Rest(OwnerState::Paused),
            ),
            (TenantEnded(TenantExit::Parked), ENDING, Gone, Forget, Forget),
            (Refreshed, Absent, Elsewhere, Rest(OwnerState::Elsewhere), Nothing),
            (Refreshed, Running(1), Elsewhere, StartAfterEnd, Nothing),
            (Refreshed, ENDING, Elsewhere, StartAfterEnd, Nothing),
            (Refreshed, PARKED, Elsewhere, Rest(OwnerState::Elsewhere), Nothing),
            (Woken, PARKED, Elsewhere, Rest(OwnerState::Elsewhere), Nothing),
            (Woken, Running(1), Elsewhere, Nothing, Nothing),
            (
                TenantEnded(Passing),
                Running(1),
                Elsewhere,
                Rest(OwnerState::Elsewhere),
                Rest(OwnerState::Elsewhere),
            ),
            (
                TenantEnded(Told),
                AGAIN,
                Elsewhere,
                Rest(OwnerState::Elsewhere),
                Rest(OwnerState::Elsewhere),
            ),
            (
                TenantEnded(TenantExit::Parked),
                ENDING,
                Elsewhere,
                Rest(OwnerState::Elsewhere),
                Rest(OwnerState::Elsewhere),
            ),
            (Woken, PARKED, Wanted, Start, Nothing),
            (Woken, PARKED, Paused, Rest(OwnerState::Paused), Nothing),
            (Woken, PARKED, Gone, Forget, Nothing),
            (Woken, ENDING, Paused, Nothing, Nothing),
            (Woken, Running(1), Wanted, Nothing, Nothing),
            (Woken, Absent, Wanted, Nothing, Nothing),
            (Refreshed, PARKED, Wanted, Nothing, Nothing),
            (Refreshed, PARKED, Paused, Rest(OwnerState::Paused), Nothing),
            (Refreshed, PARKED, Gone, Forget, Nothing),
            (TenantEnded(Told), ENDING, Gone, Forget, Forget),
            (TenantEnded(Lasting), Running(1), Gone, Forget, Forget),
        ] {
            for (is_host_ending, expected) in [(false, step), (true, step_of_ending_host)] {
                assert_eq!(
                    next_step(event, tenant, folder, is_host_ending),
                    expected,
                    "{event:?} {tenant:?} {folder:?} {is_host_ending}"
                );
            }
        }
    }

    #[test]
    fn rests_double_up_to_a_minute_and_begin_anew_after_an_hour_of_service() {
        let mut failures = 0;
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            let (rest, counted) = rest_after(failures, Duration::from_mins(59));
            assert_eq!(rest, Duration::from_secs(seconds));
            failures = counted;
        }
        assert_eq!(
            rest_after(failures, Duration::from_hours(1)),
            (Duration::from_secs(1), 1)
        );
        assert_eq!(rest_after(u32::MAX, Duration::ZERO).0, Duration::from_mins(1));
    }
}
