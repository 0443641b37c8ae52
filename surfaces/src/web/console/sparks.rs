//! The last hour of a few figures on the overview.
//!
//! What: a line for each figure with the table behind them, and what was started again. Why: a figure says more beside those before it. Not here: keeping
//! them (`web::recent_figures`), counting restarts (the backend).

use super::table;
use crate::web::recent_figures::RecentFigures;
use maud::{Markup, html};
use surfaces_base::{
    backend::console::{ProcessRestart, ServiceOverview, ServiceSample},
    format,
    words::{console as words, tick as say},
};

/// The sheet of a small picture.
const SHEET: (i64, i64) = (240, 48);

/// The sections of the overview.
pub(super) fn last_hour(figures: &RecentFigures, view: &ServiceOverview) -> Markup {
    let samples = figures.snapshot();
    html! {
        section #hour data-region aria-labelledby="hour-title" {
            h2 #hour-title { (say::LAST_HOUR) }
            @match samples.as_slice() {
                [first, _, ..] => {
                    p.note { (say::sparks_since(&format::clock(first.at, format::zone(&first.zone)))) }
                    div.sparks { @for (name, figures) in say::SPARKS.into_iter().zip(series(&samples)) { (spark(name.say(), &figures)) } }
                    details #hour-table { summary { (say::AS_TABLE) } (spark_table(&samples)) }
                },
                _ => { p.none { (say::SPARKS_SOON) } },
            }
        }
        section #restarts data-region aria-labelledby="restarts-title" {
            h2 #restarts-title { (say::SEEN_RESTARTS) }
            @if view.restarts.is_empty() { p.none { (say::NO_SEEN_RESTART) } }
            @else { ul.rows { @for seen in view.restarts.iter().rev() { li { (restart(seen, view)) } } } }
        }
    }
}

/// Ticks a minute, what waits, refused a minute, memory in MiB, from the second figure on.
fn series(samples: &[ServiceSample]) -> [Vec<Option<u64>>; 4] {
    let pairs = || samples.iter().zip(samples.iter().skip(1));
    let a_minute = |before: &ServiceSample, after: &ServiceSample, count: fn(&ServiceSample) -> u64| {
        let more = count(after).saturating_sub(count(before));
        let ms = u64::try_from(after.at.since(before.at))
            .ok()
            .filter(|ms| *ms > 0)?;
        // A figure may come late: what it counts is spread over the time since the one before.
        Some((more * 60_000 + ms / 2) / ms)
    };
    [
        pairs()
            .map(|(before, after)| a_minute(before, after, |it| it.ticks))
            .collect(),
        samples.iter().skip(1).map(|it| Some(it.waiting)).collect(),
        pairs()
            .map(|(before, after)| a_minute(before, after, |it| it.refused))
            .collect(),
        samples
            .iter()
            .skip(1)
            .map(|it| it.memory_kib.map(|kib| kib.div_ceil(1024)))
            .collect(),
    ]
}

/// A line through the figures, and the newest, least and most of them.
fn spark(name: &str, figures: &[Option<u64>]) -> Markup {
    let known: Vec<u64> = figures.iter().copied().flatten().collect();
    let least = known.iter().copied().min().unwrap_or_default();
    let most = known.iter().copied().max().unwrap_or_default();
    let now = figures.last().copied().flatten();
    let (width, height) = SHEET;
    let last = i64::try_from(figures.len().saturating_sub(1)).unwrap_or(0).max(1);
    // From nothing up, so that a small change of a large figure looks small.
    let whole = i64::try_from(most).unwrap_or(i64::MAX).max(1);
    let points: Vec<String> = (0..)
        .zip(figures)
        .filter_map(|(number, figure)| {
            let figure = i64::try_from((*figure)?).ok()?;
            let y = height - 2 - figure.saturating_mul(height - 4) / whole;
            Some(format!("{},{y}", number * width / last))
        })
        .collect();
    html! {
        figure.spark {
            figcaption {
                (name) br;
                @if let Some(now) = now { b { (now) } " " (say::spark_says(least, most)) } @else { (say::SPARK_NOT_KNOWN) }
            }
            // A line along the bottom would say less than the words.
            @if most > 0 {
                svg viewBox={ "0 0 " (width) " " (height) } preserveAspectRatio="none" aria-hidden="true" {
                    polyline points=(points.join(" ")) {}
                }
            }
        }
    }
}

fn spark_table(samples: &[ServiceSample]) -> Markup {
    let [ticks, waiting, refused, memory] = series(samples);
    let cell =
        |figure: Option<u64>| html! { @if let Some(figure) = figure { (figure) } @else { (words::NONE) } };
    let rows: Vec<Vec<Markup>> = samples
        .iter()
        .skip(1)
        .zip(
            ticks
                .into_iter()
                .zip(waiting)
                .zip(refused.into_iter().zip(memory)),
        )
        .map(|(sample, ((ticks, waiting), (refused, memory)))| {
            vec![
                html! { time { (format::clock(sample.at, format::zone(&sample.zone))) } },
                cell(ticks),
                cell(waiting),
                cell(refused),
                cell(memory),
            ]
        })
        .collect();
    table(None, &say::SPARK_COLUMNS, &rows)
}

/// A restart, and the way to what was decided around it.
fn restart(seen: &ProcessRestart, view: &ServiceOverview) -> Markup {
    let zone = format::zone(&view.zone);
    let (before, after) = (seen.at.plus_ms(-60_000), seen.at.plus_ms(60_000));
    let day = format::local_date(before, zone);
    // The filter's end is not included: the minute after.
    let end = format::clock(after.plus_ms(60_000), zone);
    html! {
        (say::started_again(&words::part(seen.name), &format::clock_on(seen.at, view.at, zone))) " "
        a href={ "/ops/traces?from=" (day) "&from_time=" (format::clock(before, zone)) "&to_time=" (end) } { (say::TICKS_THEN) }
    }
}

#[cfg(test)]
mod tests {
    use super::series;
    use crate::web::recent_figures::tests::sample;

    #[test]
    fn counts_are_told_a_minute_and_levels_as_they_are() {
        // Two minutes passed between the second and the third figure: 6 ticks are 3 a minute.
        let samples = [sample(0, 10), sample(1, 14), sample(3, 20)];
        assert_eq!(
            series(&samples),
            [
                vec![Some(4), Some(3)],
                vec![Some(0), Some(0)],
                vec![Some(0), Some(0)],
                vec![None, Some(3)],
            ]
        );
    }
}
