//! Where the events of some days stand on a sheet of hours, and beside which others.
//!
//! What: [`WeekGrid`], which hours the sheet shows and the [`GridPlace`] of each event on it, in quarters of an hour. Why: a week is read by its gaps, and a list has none. Not here: what
//! stands in a day (`agenda`), markup (`web::agenda_page`).

use super::agenda::{AgendaDay, AgendaRow};
use toolcall_schema::ids::EventId;

/// Minutes of a row of the sheet.
const ROW_MIN: u32 = 15;
/// The fewest rows of an event: its title has to fit.
const ROWS_LEAST: u32 = 2;
/// Hours that the sheet shows where nothing asks for more.
const USUAL_HOURS: (u32, u32) = (8, 18);
/// Events beside one another; of more at one time the rest stands on the day's own page.
const LANES_MAX: u32 = 3;
/// Rows of a whole day: the style has a rule for each.
pub(crate) const GRID_ROWS: u32 = DAY_MIN / ROW_MIN;

/// Minutes of a whole day.
const DAY_MIN: u32 = 24 * 60;

/// From when to when, in minutes of a local day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DayMinutes {
    pub from: u32,
    pub to: u32,
}

/// What stands in a line above the hours of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WholeSlot {
    /// What the day holds, by its number: it begins here and lasts so many days of the week.
    Begins { row: usize, days: u32 },
    /// What began on a day before.
    GoesOn { row: usize },
    /// Nothing: a line below goes on.
    Free,
}

/// The lines above the hours of some days, so that what lasts several days keeps its own. `days`: the events of each day that last whole ones; `None` is no event.
pub(crate) fn whole_slots(days: &[Vec<Option<&EventId>>]) -> Vec<Vec<WholeSlot>> {
    let mut lines: Vec<Option<&EventId>> = Vec::new();
    let mut all = Vec::with_capacity(days.len());
    for (at, rows) in days.iter().enumerate() {
        let mut slots = vec![WholeSlot::Free; lines.len()];
        let mut is_placed = vec![false; rows.len()];
        for (line, slot) in lines.iter_mut().zip(&mut slots) {
            let goes_on = line.and_then(|event| rows.iter().position(|row| *row == Some(event)));
            match goes_on.and_then(|row| is_placed.get_mut(row).map(|placed| (row, placed))) {
                Some((row, placed)) => {
                    *placed = true;
                    *slot = WholeSlot::GoesOn { row };
                }
                None => *line = None,
            }
        }
        for (row, (event, _)) in rows
            .iter()
            .zip(&is_placed)
            .enumerate()
            .filter(|(_, (_, placed))| !**placed)
        {
            let later = days.iter().skip(at).take_while(|rows| rows.contains(event));
            let days = if event.is_some() { later.count() } else { 1 };
            let slot = WholeSlot::Begins {
                row,
                days: u32::try_from(days).unwrap_or(1),
            };
            let free = slots.iter().position(|slot| *slot == WholeSlot::Free);
            if let Some((place, line)) = free.and_then(|line| slots.get_mut(line).zip(lines.get_mut(line))) {
                (*place, *line) = (slot, *event);
            } else {
                slots.push(slot);
                lines.push(*event);
            }
        }
        let used = slots
            .iter()
            .rposition(|slot| *slot != WholeSlot::Free)
            .map_or(0, |last| last + 1);
        slots.truncate(used);
        all.push(slots);
    }
    all
}

/// Whether something stands on the sheet, or in a list above or below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SheetSide {
    Before,
    Within,
    After,
}

/// Where something stands: its first row, from 1 on, how many, and in which of how many lanes, from 1 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GridPlace {
    pub row: u32,
    pub rows: u32,
    pub lane: u32,
    pub lanes: u32,
}

/// The hours of a sheet that some days share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WeekGrid {
    /// The first hour, and the one that ends it.
    first: u32,
    last: u32,
}

impl WeekGrid {
    /// From the first to the last hour of what stands in these days, and the usual ones. What runs over midnight would stretch the sheet to a whole day for the sake of one
    /// night: it counts on neither side.
    pub(crate) fn covering(days: &[AgendaDay]) -> Self {
        let (mut first, mut last) = USUAL_HOURS;
        let all = days.iter().flat_map(|day| &day.rows);
        for DayMinutes { from, to } in all.filter_map(|row| row.minutes) {
            let (is_over_midnight_before, is_over_midnight_after) = (from == 0 && to > 0, to >= DAY_MIN);
            if !is_over_midnight_before && !is_over_midnight_after {
                first = first.min(from / 60);
                last = last.max(to.div_ceil(60));
            }
        }
        Self { first, last }
    }

    /// Where something stands against the hours of the sheet.
    pub(crate) fn side_of(self, DayMinutes { from, to }: DayMinutes) -> SheetSide {
        // A moment stands where its minute is.
        if to.max(from + 1) <= self.first * 60 {
            SheetSide::Before
        } else if from >= self.last * 60 {
            SheetSide::After
        } else {
            SheetSide::Within
        }
    }

    /// Its hours, each with the row in which it begins.
    pub(crate) fn hours(self) -> impl Iterator<Item = (u32, u32)> {
        (self.first..self.last).map(move |hour| (hour, self.row(hour * 60)))
    }

    /// The row of a minute of the day, where the sheet shows it.
    pub(crate) fn row_of(self, minute: u32) -> Option<u32> {
        (self.first * 60 <= minute && minute < self.last * 60).then(|| self.row(minute))
    }

    fn row(self, minute: u32) -> u32 {
        minute.saturating_sub(self.first * 60) / ROW_MIN + 1
    }

    /// The places of rows that are in the order of their hours; `None` for what has no hours, and for what no lane is left for.
    pub(crate) fn places(self, rows: &[&AgendaRow]) -> Vec<Option<GridPlace>> {
        let spans: Vec<Option<(u32, u32)>> = rows
            .iter()
            .map(|row| row.minutes.map(|at| self.span(at)))
            .collect();
        let mut places = vec![None; rows.len()];
        // Those that touch one another, directly or by others, share the width.
        let mut group: Vec<(usize, u32)> = Vec::new();
        let mut ends: Vec<u32> = Vec::new();
        let close =
            |group: &mut Vec<(usize, u32)>, ends: &mut Vec<u32>, places: &mut Vec<Option<GridPlace>>| {
                let lanes = u32::try_from(ends.len()).unwrap_or(LANES_MAX).min(LANES_MAX);
                for (at, lane) in group.drain(..) {
                    let span = spans.get(at).copied().flatten();
                    if let (Some((row, rows)), Some(place)) = (span, places.get_mut(at)) {
                        *place = (lane <= LANES_MAX).then_some(GridPlace {
                            row,
                            rows,
                            lane,
                            lanes,
                        });
                    }
                }
                ends.clear();
            };
        for (at, span) in spans.iter().enumerate() {
            let Some((row, rows)) = *span else { continue };
            if ends.iter().all(|end| *end <= row) {
                close(&mut group, &mut ends, &mut places);
            }
            let lane = ends.iter().position(|end| *end <= row).unwrap_or(ends.len());
            match ends.get_mut(lane) {
                Some(end) => *end = row + rows,
                None => ends.push(row + rows),
            }
            group.push((at, u32::try_from(lane).unwrap_or(u32::MAX).saturating_add(1)));
        }
        close(&mut group, &mut ends, &mut places);
        places
    }

    /// The first row of a span, and how many: at least two, and none below the sheet.
    fn span(self, minutes: DayMinutes) -> (u32, u32) {
        let end = (self.last - self.first) * 60 / ROW_MIN;
        let row = self.row(minutes.from).min(end + 1 - ROWS_LEAST);
        let until = self.row(minutes.to.saturating_add(ROW_MIN - 1)).min(end + 1);
        (row, until.saturating_sub(row).max(ROWS_LEAST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::section::agenda::AgendaEntry;

    fn row(from: &str, to: &str) -> AgendaRow {
        let minute = |text: &str| -> u32 {
            let (hour, minute) = text.split_once(':').unwrap();
            hour.parse::<u32>().unwrap() * 60 + minute.parse::<u32>().unwrap()
        };
        AgendaRow {
            when: String::new(),
            entry: AgendaEntry::Now,
            minutes: (!from.is_empty()).then(|| DayMinutes {
                from: minute(from),
                to: minute(to),
            }),
        }
    }

    fn day(rows: &[(&str, &str)]) -> AgendaDay {
        AgendaDay {
            date: chrono::NaiveDate::from_ymd_opt(2026, 11, 3).unwrap(),
            is_today: false,
            rows: rows.iter().map(|(from, to)| row(from, to)).collect(),
        }
    }

    fn placed(rows: &[(&str, &str)]) -> Vec<Option<(u32, u32, u32, u32)>> {
        let day = day(rows);
        let places =
            WeekGrid::covering(std::slice::from_ref(&day)).places(&day.rows.iter().collect::<Vec<_>>());
        let numbers = |place: GridPlace| (place.row, place.rows, place.lane, place.lanes);
        places.into_iter().map(|place| place.map(numbers)).collect()
    }

    #[test]
    fn the_sheet_shows_working_hours_and_what_lies_before_and_after() {
        for (rows, hours) in [
            (&[][..], (8, 18)),
            (&[("09:00", "10:00"), ("", "")][..], (8, 18)),
            (&[("06:45", "07:15"), ("17:30", "18:01")][..], (6, 19)),
            // A night that runs over midnight, and a day that is all of one event, stretch nothing.
            (&[("22:00", "24:00"), ("00:00", "06:00")][..], (8, 18)),
            (&[("00:00", "24:00")][..], (8, 18)),
            (&[("00:00", "06:00"), ("07:15", "08:00")][..], (7, 18)),
            // What begins at midnight and lasts no time runs over nothing.
            (&[("00:00", "00:00")][..], (0, 18)),
        ] {
            let grid = WeekGrid::covering(&[day(rows)]);
            assert_eq!((grid.first, grid.last), hours, "{rows:?}");
        }
        let grid = WeekGrid::covering(&[day(&[])]);
        // Eight o'clock is the first row, nine the fifth.
        assert_eq!(grid.hours().take(2).collect::<Vec<_>>(), [(8, 1), (9, 5)]);
        assert_eq!(grid.hours().count(), 10);
        assert_eq!(
            [479, 480, 555, 1079, 1080].map(|minute| grid.row_of(minute)),
            [None, Some(1), Some(6), Some(40), None]
        );
    }

    #[test]
    fn what_lies_outside_the_hours_stands_above_or_below_them() {
        let grid = WeekGrid::covering(&[day(&[])]);
        for (from, to, side) in [
            (0, 6 * 60, SheetSide::Before),
            (0, 8 * 60, SheetSide::Before),
            (0, 8 * 60 + 1, SheetSide::Within),
            (8 * 60, 8 * 60, SheetSide::Within),
            (7 * 60, 7 * 60, SheetSide::Before),
            (17 * 60 + 59, 24 * 60, SheetSide::Within),
            (18 * 60, 24 * 60, SheetSide::After),
            (0, 24 * 60, SheetSide::Within),
        ] {
            assert_eq!(grid.side_of(DayMinutes { from, to }), side, "{from} to {to}");
        }
    }

    #[test]
    fn an_event_is_as_high_as_it_is_long_and_high_enough_for_its_title() {
        for (rows, place) in [
            (("09:00", "10:00"), (5, 4, 1, 1)),
            (("08:00", "18:00"), (1, 40, 1, 1)),
            // A begun quarter is shown whole, a moment as half an hour.
            (("09:05", "09:50"), (5, 4, 1, 1)),
            (("09:00", "09:00"), (5, 2, 1, 1)),
            // The last quarter of the sheet: moved up, so that it stays on it.
            (("17:50", "18:00"), (39, 2, 1, 1)),
        ] {
            assert_eq!(placed(&[rows]), [Some(place)], "{rows:?}");
        }
    }

    #[test]
    fn what_overlaps_stands_side_by_side_and_what_only_touches_does_not() {
        assert_eq!(
            placed(&[("09:00", "10:00"), ("10:00", "11:00")]),
            [Some((5, 4, 1, 1)), Some((9, 4, 1, 1))]
        );
        assert_eq!(
            placed(&[
                ("09:00", "11:00"),
                ("", ""),
                ("09:30", "10:00"),
                ("10:00", "10:30"),
                ("12:00", "13:00")
            ]),
            [
                Some((5, 8, 1, 2)),
                None,
                Some((7, 2, 2, 2)),
                // The second lane is free again.
                Some((9, 2, 2, 2)),
                Some((17, 4, 1, 1)),
            ]
        );
    }

    #[test]
    fn of_more_than_three_at_one_time_the_rest_has_no_place() {
        let five = [("09:00", "10:00"); 5];
        assert_eq!(
            placed(&five),
            [
                Some((5, 4, 1, 3)),
                Some((5, 4, 2, 3)),
                Some((5, 4, 3, 3)),
                None,
                None
            ]
        );
    }

    #[test]
    fn what_lasts_several_days_keeps_its_line_and_a_line_that_is_free_is_taken() {
        use WholeSlot::{Begins, Free, GoesOn};
        let [trip, fair, feast] = [1, 2, 3].map(|n| EventId::parse(&format!("ev_{n:016x}")).unwrap());
        let (trip, fair, feast) = (Some(&trip), Some(&fair), Some(&feast));
        let begins = |row, days| Begins { row, days };
        assert_eq!(
            whole_slots(&[
                vec![fair, trip],
                // In another order: each keeps its line.
                vec![trip, fair],
                vec![trip],
                vec![feast, trip],
                vec![],
                // The same again after a day without it, and twice what is no event.
                vec![trip, None],
                vec![None],
            ]),
            [
                vec![begins(0, 2), begins(1, 4)],
                vec![GoesOn { row: 1 }, GoesOn { row: 0 }],
                vec![Free, GoesOn { row: 0 }],
                vec![begins(0, 1), GoesOn { row: 1 }],
                vec![],
                vec![begins(0, 1), begins(1, 1)],
                vec![begins(0, 1)],
            ]
        );
    }

    #[test]
    fn every_place_is_on_the_sheet_and_none_lies_over_another() {
        // A day of each length from each quarter on: a crowd, told by its arithmetic alone.
        for seed in 0..200_u32 {
            let mut rows: Vec<DayMinutes> = (0..12_u32)
                .map(|n| {
                    let from = (seed * 37 + n * 101) % 1_430;
                    DayMinutes {
                        from,
                        to: (from + (seed * 13 + n * 29) % 300).min(1_440),
                    }
                })
                .collect();
            rows.sort_unstable();
            let day = AgendaDay {
                rows: rows
                    .into_iter()
                    .map(|minutes| AgendaRow {
                        minutes: Some(minutes),
                        ..row("", "")
                    })
                    .collect(),
                ..day(&[])
            };
            let grid = WeekGrid::covering(std::slice::from_ref(&day));
            let end = (grid.last - grid.first) * 4;
            let places: Vec<GridPlace> = grid
                .places(&day.rows.iter().collect::<Vec<_>>())
                .into_iter()
                .flatten()
                .collect();
            for (n, one) in places.iter().enumerate() {
                assert!(
                    one.row >= 1 && one.row + one.rows <= end + 1 && end <= GRID_ROWS,
                    "{seed}: {one:?}"
                );
                assert!(
                    (1..=one.lanes).contains(&one.lane) && one.lanes <= LANES_MAX,
                    "{seed}: {one:?}"
                );
                for other in places.iter().skip(n + 1) {
                    let apart = other.row >= one.row + one.rows || one.row >= other.row + other.rows;
                    assert!(
                        apart || one.lane != other.lane && one.lanes == other.lanes,
                        "{seed}: {one:?} {other:?}"
                    );
                }
            }
        }
    }
}
