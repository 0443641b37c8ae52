//! The figures of `/metrics` as values, for who sends them on in another form.
//!
//! What: [`families`], which reads the text that [`ServiceMetrics::text`](crate::metrics::ServiceMetrics::text) writes. Why: there is one registry and one list
//! of figures, whoever asks. Not here: counting (`metrics`), the other form (`aura_runtime::outbound::telemetry`).

use std::collections::BTreeMap;

/// A figure with all its labels.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricFamily {
    /// Its name without an ending: `aura_ticks`.
    pub name: String,
    /// What it counts.
    pub help: String,
    pub points: MetricPoints,
}

/// Labels and what they are worth.
pub type LabelledValue<T> = (MetricLabels, T);

/// Names and values of ours.
pub type MetricLabels = Vec<(String, String)>;

/// The values of a figure, by its type.
#[derive(Debug, Clone, PartialEq)]
pub enum MetricPoints {
    /// Counted since the process began.
    Counter(Vec<LabelledValue<f64>>),
    /// As it is now.
    Gauge(Vec<LabelledValue<f64>>),
    Histogram(Vec<LabelledValue<HistogramCounts>>),
}

/// A histogram's counts since the process began.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HistogramCounts {
    pub count: u64,
    pub sum: f64,
    /// Upper bound, and how many were at most that, in the order of the bounds. The last one has no bound.
    pub buckets: Vec<(f64, u64)>,
}

/// Every figure of the text, in its order. A line that is none of ours is passed over.
pub fn families(text: &str) -> Vec<MetricFamily> {
    let mut families = Vec::new();
    let mut help = "";
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            help = rest.split_once(' ').map_or("", |(_, help)| help);
        }
        let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' ')) else {
            continue;
        };
        let mut samples = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with('#')) {
            samples.extend(sample(line));
        }
        let points = match kind {
            "counter" => MetricPoints::Counter(plain(&samples)),
            "gauge" | "info" => MetricPoints::Gauge(plain(&samples)),
            "histogram" => MetricPoints::Histogram(histograms(name, &samples)),
            _ => continue,
        };
        families.push(MetricFamily {
            name: name.to_owned(),
            help: help.trim_end_matches('.').to_owned(),
            points,
        });
    }
    families
}

/// One line.
struct MetricSample<'a> {
    name: &'a str,
    labels: MetricLabels,
    value: f64,
}

fn sample(line: &str) -> Option<MetricSample<'_>> {
    let (what, value) = line.rsplit_once(' ')?;
    let (name, labels) = match what.split_once('{') {
        Some((name, labels)) => (name, labels.strip_suffix('}')?),
        None => (what, ""),
    };
    Some(MetricSample {
        name,
        labels: labels_of(labels)?,
        value: value.parse().ok()?,
    })
}

/// Values are names of ours: none has a quotation mark or a backslash in it, and one that had would end the line here.
fn labels_of(text: &str) -> Option<MetricLabels> {
    let mut labels = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (name, after) = rest.split_once("=\"")?;
        let (value, after) = after.split_once('"')?;
        labels.push((name.to_owned(), value.to_owned()));
        rest = after.strip_prefix(',').unwrap_or(after);
    }
    Some(labels)
}

fn plain(samples: &[MetricSample<'_>]) -> Vec<LabelledValue<f64>> {
    let value = |sample: &MetricSample<'_>| (sample.labels.clone(), sample.value);
    samples.iter().map(value).collect()
}

fn histograms(name: &str, samples: &[MetricSample<'_>]) -> Vec<LabelledValue<HistogramCounts>> {
    let mut all: BTreeMap<MetricLabels, HistogramCounts> = BTreeMap::new();
    for sample in samples {
        let (bounds, labels): (MetricLabels, MetricLabels) =
            sample.labels.iter().cloned().partition(|(name, _)| name == "le");
        let counts = all.entry(labels).or_default();
        match sample.name.strip_prefix(name) {
            Some("_sum") => counts.sum = sample.value,
            Some("_count") => counts.count = whole(sample.value),
            Some("_bucket") => {
                let bound = bounds.first().and_then(|(_, bound)| bound.parse().ok());
                counts
                    .buckets
                    .push((bound.unwrap_or(f64::INFINITY), whole(sample.value)));
            }
            Some(_) | None => {}
        }
    }
    for counts in all.values_mut() {
        counts.buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    all.into_iter().collect()
}

/// A count that was written as a number.
fn whole(value: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count below 2^53, written as a whole number"
    )]
    let whole = value.max(0.0) as u64;
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_registry_is_read_as_its_figures() {
        let text = "# HELP aura_ticks Ticks that ended.\n# TYPE aura_ticks counter\n\
            aura_ticks_total{outcome=\"done\",reason=\"none\"} 3\n\
            # HELP aura_journal_up 1 while it can be written.\n# TYPE aura_journal_up gauge\naura_journal_up 1\n\
            # HELP aura_state_seconds Time.\n# TYPE aura_state_seconds histogram\n\
            aura_state_seconds_sum{state=\"Idle\"} 0.5\naura_state_seconds_count{state=\"Idle\"} 2\n\
            aura_state_seconds_bucket{le=\"0.1\",state=\"Idle\"} 1\naura_state_seconds_bucket{le=\"+Inf\",state=\"Idle\"} 2\n\
            # HELP aura_build The version.\n# TYPE aura_build info\naura_build_info{version=\"0.1.0\"} 1\n# EOF\n";
        let own = |labels: &[(&str, &str)]| -> MetricLabels {
            labels
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect()
        };
        let family = |name: &str, help: &str, points| MetricFamily {
            name: name.to_owned(),
            help: help.to_owned(),
            points,
        };
        let idle = HistogramCounts {
            count: 2,
            sum: 0.5,
            buckets: vec![(0.1, 1), (f64::INFINITY, 2)],
        };
        let wanted = [
            family(
                "aura_ticks",
                "Ticks that ended",
                MetricPoints::Counter(vec![(own(&[("outcome", "done"), ("reason", "none")]), 3.0)]),
            ),
            family(
                "aura_journal_up",
                "1 while it can be written",
                MetricPoints::Gauge(vec![(own(&[]), 1.0)]),
            ),
            family(
                "aura_state_seconds",
                "Time",
                MetricPoints::Histogram(vec![(own(&[("state", "Idle")]), idle)]),
            ),
            family(
                "aura_build",
                "The version",
                MetricPoints::Gauge(vec![(own(&[("version", "0.1.0")]), 1.0)]),
            ),
        ];
        assert_eq!(families(text), wanted);
        assert_eq!(families("no figure\n# TYPE x\nx{a=\"b} 1\n"), []);
    }
}
