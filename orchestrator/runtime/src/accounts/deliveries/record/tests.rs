//! What becomes of a delivery, row by row.

use super::*;
use toolcall_schema::delivery::ChangeRefusal;

const HOLD: &str = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:hold-1\nDTSTART:20261127T100000Z\nDTEND:20261127T110000Z\nEND:VEVENT\nEND:VCALENDAR\n";

fn at(minute: i64) -> Timestamp {
    Timestamp::parse("2026-11-27T08:00:00Z").unwrap().plus_min(minute)
}

fn trace(n: u32) -> TraceId {
    TraceId::parse(&format!("tr_{n:012}")).unwrap()
}

fn hold() -> ServerDelivery {
    let mut hold = ServerDelivery::new(&trace(1), "hold-1.ics", HOLD, at(0)).unwrap();
    hold.place = Some(DeliveryPlace {
        account: "work".to_owned(),
        server: "https://dav.example.org".to_owned(),
        path: "/kim/work/a.ics".to_owned(),
        seen: None,
    });
    hold
}

fn there() -> DeliveryState {
    DeliveryState::Delivered {
        version: Some("\"1\"".to_owned()),
        part_before: None,
    }
}

fn done() -> ChangeEnd {
    ChangeEnd::Answered(ChangeOutcome::Done {
        version: Some("\"1\"".to_owned()),
        part_before: None,
    })
}

fn refused() -> ChangeEnd {
    ChangeEnd::Answered(ChangeOutcome::Refused(ChangeRefusal::Changed))
}

fn silent(is_perhaps_made: bool) -> ChangeEnd {
    ChangeEnd::Failed {
        failure: LookFailure::Silent,
        is_perhaps_made,
    }
}

const CHANGED: DeliveryProblem = DeliveryProblem::Refused(ChangeRefusal::Changed);

/// One try of a delivery that stood so, by a worker that ended so; the owner may take it back while the worker is at it.
fn tried(
    state: DeliveryState,
    wish: DeliveryWish,
    end: ChangeEnd,
    is_taken_back: bool,
) -> Option<(DeliveryState, DeliveryWish, bool)> {
    let before = ServerDelivery {
        wish,
        state,
        ..hold()
    };
    let mut during = before.clone().after(DeliveryEvent::Begun, at(1), 0)?;
    if is_taken_back {
        during = during.after(DeliveryEvent::TakenBack, at(1), 0)?;
    }
    let before = Box::new(before);
    let after = during.after(DeliveryEvent::Answered { before, end }, at(2), 100)?;
    let is_due = !after.is_settled() && after.due_at <= at(2);
    Some((after.state, after.wish, is_due))
}

#[test]
fn each_try_has_one_outcome_and_what_may_be_there_is_never_forgotten() {
    use DeliveryState::{Failed, Pending, Removed, Stays, Unknown};
    use DeliveryWish::{Gone, There};
    let rows = [
        // Asked for.
        (Pending, There, done(), false, Some((there(), There, false))),
        (
            Pending,
            There,
            refused(),
            false,
            Some((Failed { why: CHANGED }, There, false)),
        ),
        (
            Pending,
            There,
            silent(false),
            false,
            Some((Pending, There, false)),
        ),
        (Pending, There, silent(true), false, Some((Unknown, There, false))),
        // It was sent before, and nobody answered: only an answer says more.
        (Unknown, There, done(), false, Some((there(), There, false))),
        (
            Unknown,
            There,
            refused(),
            false,
            Some((Failed { why: CHANGED }, There, false)),
        ),
        (
            Unknown,
            There,
            silent(false),
            false,
            Some((Unknown, There, false)),
        ),
        // Taken back while it is sent: what is there is removed at once, what never was is forgotten.
        (Pending, There, done(), true, Some((there(), Gone, true))),
        (Pending, There, refused(), true, None),
        (Pending, There, silent(false), true, None),
        (Pending, There, silent(true), true, Some((Unknown, Gone, false))),
        (Unknown, There, silent(false), true, Some((Unknown, Gone, false))),
        // Taken back.
        (there(), Gone, done(), false, Some((Removed, Gone, false))),
        (
            there(),
            Gone,
            refused(),
            false,
            Some((Stays { why: CHANGED }, Gone, false)),
        ),
        (there(), Gone, silent(true), false, Some((there(), Gone, false))),
        (Unknown, Gone, done(), false, Some((Removed, Gone, false))),
    ];
    for (number, (state, wish, end, is_taken_back, expected)) in rows.into_iter().enumerate() {
        assert_eq!(tried(state, wish, end, is_taken_back), expected, "row {number}");
    }
}

#[test]
fn draft_that_is_edited_is_put_again_where_it_is_still_ours() {
    let draft = ServerDelivery {
        state: there(),
        ..ServerDelivery::new(&trace(2), "reply-it_0000000000000001.txt", "First", at(0)).unwrap()
    };
    let edit = || DeliveryEvent::Edited {
        text: "Second".to_owned(),
    };
    let edited = draft.clone().after(edit(), at(1), 0).unwrap();
    assert_eq!(
        (edited.text.as_str(), edited.is_settled(), edited.due_at),
        ("Second", false, at(1))
    );
    // Its head says which mail it answers, so nobody is asked.
    assert_eq!(edited.answered_item(), None);
    let why = |refusal| ChangeEnd::Answered(ChangeOutcome::Refused(refusal));
    let stays = DeliveryState::Stays {
        why: DeliveryProblem::Refused(ChangeRefusal::DraftChanged),
    };
    let rows = [
        (done(), there(), true),
        (why(ChangeRefusal::Gone), DeliveryState::Removed, true),
        (why(ChangeRefusal::DraftChanged), stays, true),
        // The text of before is there.
        (why(ChangeRefusal::Full), there(), true),
        (silent(true), there(), false),
    ];
    for (end, state, is_settled) in rows {
        let before = Box::new(edited.clone());
        let begun = edited.clone().after(DeliveryEvent::Begun, at(2), 0).unwrap();
        let after = begun
            .after(DeliveryEvent::Answered { before, end }, at(3), 0)
            .unwrap();
        assert_eq!((&after.state, after.is_settled()), (&state, is_settled));
    }
    // What is not there yet is put as it says now; what is taken back is not put again.
    let pending = ServerDelivery {
        state: DeliveryState::Pending,
        ..draft.clone()
    };
    let pending = pending.after(edit(), at(1), 0).unwrap();
    assert_eq!((pending.text.as_str(), pending.is_edited), ("Second", false));
    let gone = draft.after(DeliveryEvent::TakenBack, at(1), 0).unwrap();
    let gone = gone.after(edit(), at(2), 0).unwrap();
    assert_eq!((gone.wish, gone.is_edited), (DeliveryWish::Gone, false));
}

#[test]
fn what_is_taken_back_is_cancelled_where_nothing_is_there_and_removed_where_something_may_be() {
    for (state, expected) in [
        (DeliveryState::Pending, None),
        (DeliveryState::Failed { why: CHANGED }, None),
        (DeliveryState::Unknown, Some(DeliveryWish::Gone)),
        (there(), Some(DeliveryWish::Gone)),
    ] {
        let one = ServerDelivery { state, ..hold() };
        let after = one.after(DeliveryEvent::TakenBack, at(5), 0);
        assert_eq!(after.map(|after| after.wish), expected);
    }
}

#[test]
fn after_a_kill_it_is_looked_for_before_it_is_sent_again() {
    let begun = hold().after(DeliveryEvent::Begun, at(1), 0).unwrap();
    let kept = serde_json::to_string(&begun).unwrap();
    let again: ServerDelivery = serde_json::from_str(&kept).unwrap();
    let Some(ServerChange::PutEvent { is_repeat, text, .. }) = again.change() else {
        panic!("it is put");
    };
    assert!(is_repeat);
    assert!(
        text.contains(&format!("UID:aura-{}\r\n", trace(1))) && !text.contains("hold-1"),
        "{text}"
    );
    let Some(ServerChange::PutEvent { is_repeat, .. }) = hold().change() else {
        panic!("it is put");
    };
    assert!(!is_repeat);
}

#[test]
fn tries_wait_longer_each_time_and_at_once_when_the_server_is_back() {
    let mut one = hold();
    for (minutes, failures) in [(1, 1), (2, 2), (4, 3), (8, 4)] {
        let now = one.due_at;
        let before = Box::new(one.clone());
        one = one.after(DeliveryEvent::Begun, now, 100).unwrap();
        let end = silent(false);
        one = one
            .after(DeliveryEvent::Answered { before, end }, now, 100)
            .unwrap();
        assert_eq!(
            (one.due_at.since(now), one.failures),
            (minutes * 60_000, failures)
        );
    }
    one = one.after(DeliveryEvent::Reachable, at(20), 0).unwrap();
    assert_eq!(one.due_at, at(20));
    let end = ChangeEnd::Failed {
        failure: LookFailure::TooOften { after_s: Some(7200) },
        is_perhaps_made: false,
    };
    let before = Box::new(one.clone());
    one = one
        .after(DeliveryEvent::Answered { before, end }, at(20), 0)
        .unwrap();
    assert_eq!(one.due_at, at(140));
}

#[test]
fn next_is_the_oldest_that_is_due_and_what_was_taken_back_before_comes_first() {
    let removal = ServerDelivery {
        state: there(),
        wish: DeliveryWish::Gone,
        due_at: at(10),
        ..hold()
    };
    let again = ServerDelivery {
        trace_id: trace(2),
        asked_at: at(1),
        ..hold()
    };
    let other = ServerDelivery {
        trace_id: trace(3),
        name: "hold-3.ics".to_owned(),
        asked_at: at(2),
        place: None,
        ..hold()
    };
    let records = DeliveryRecords::from([(trace(1), removal), (trace(2), again), (trace(3), other)]);
    assert_eq!(
        next_step(&records, at(5)),
        (Some((trace(3), DeliveryStep::FindPlace)), Some(at(0)))
    );
    assert_eq!(
        next_step(&records, at(10)).0,
        Some((trace(1), DeliveryStep::Change))
    );
    // Its time is over at 11:00.
    let late = DeliveryRecords::from([(trace(1), hold())]);
    assert_eq!(
        next_step(&late, at(180)).0,
        Some((trace(1), DeliveryStep::GiveUp))
    );
    let given_up = hold().after(DeliveryEvent::TooLate, at(180), 0).unwrap();
    let why = DeliveryProblem::TooLate;
    assert_eq!(given_up.state, DeliveryState::Failed { why });
    assert_eq!(next_step(&DeliveryRecords::new(), at(0)), (None, None));
}

#[test]
fn settled_ones_are_told_of_for_eight_days() {
    let settled = |n: u32, minute: i64| ServerDelivery {
        trace_id: trace(n),
        state: there(),
        changed_at: at(minute),
        ..hold()
    };
    let records = DeliveryRecords::from([
        (trace(1), settled(1, 0)),
        (trace(2), settled(2, 60)),
        (trace(3), hold()),
    ]);
    let days = |days: i64| at(days * 24 * 60 + 1);
    assert_eq!(outdated(&records, days(7)), []);
    assert_eq!(outdated(&records, days(8)), [trace(1)]);
}

#[test]
fn only_files_that_a_server_is_to_have_become_deliveries() {
    for name in ["reply-it_1.eml", "decline-ev_1.txt", "hold-1.eml", "other.ics"] {
        assert!(
            ServerDelivery::new(&trace(1), name, HOLD, at(0)).is_none(),
            "{name}"
        );
    }
    let decline = ServerDelivery::new(&trace(1), "decline-ev_1.ics", HOLD, at(0)).unwrap();
    assert_eq!((decline.until, decline.text.as_str()), (at(120), HOLD));
    assert!(decline.change().is_none());
}
