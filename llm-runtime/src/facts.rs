//! What a sentence may say with a number in it: the signals of a decision as phrases.
//!
//! What: [`fact_phrases`], from a decision's readings to phrases such as `137 messages in {channel_1}`: value, unit and what was measured in
//! one. Why: a model that quotes them cannot give a number another unit or another meaning, and a check can find them word
//! for word. Not here: the check (`fact_check`), the template's own sentences (`orchestrator_machine::rationale`).
//!
//! There is no text from outside in a decision: what has a name outside (a chat, say) is a placeholder here.

use toolcall_schema::{
    tick::{ReadingKey, SignalReading},
    trace::Decision,
};

/// At most this many phrases are offered, those of the chosen action's own agent first.
pub(crate) const FACTS_MAX: usize = 12;

/// A placeholder, and the plain words that stand for it in a trace. A surface that knows the name shows it beside the sentence.
pub(crate) const PLACEHOLDERS: [(&str, &str); 1] = [("{channel_1}", "one channel")];

/// The phrases of a decision, in the order of the agents, at most [`FACTS_MAX`].
pub(crate) fn fact_phrases(decision: &Decision) -> Vec<String> {
    let own = decision.chosen.as_ref().map(|chosen| chosen.kind.tool().agent());
    let of_own = decision.signals.iter().filter(|(agent, _)| Some(**agent) == own);
    let of_others = decision.signals.iter().filter(|(agent, _)| Some(**agent) != own);
    let readings = of_own.chain(of_others).flat_map(|(_, readings)| readings);
    readings.filter_map(phrase).take(FACTS_MAX).collect()
}

/// One reading as a phrase; `None` for what says nothing to a person.
fn phrase(reading: &SignalReading) -> Option<String> {
    let v = reading.shown();
    let counted = |one: &str, more: &str| format!("{v} {}", if v == "1" { one } else { more });
    Some(match reading.key {
        ReadingKey::Messages => counted("message", "messages"),
        ReadingKey::Actionable => counted("message that wants an answer", "messages that want an answer"),
        ReadingKey::BusiestChannel => counted("message in {channel_1}", "messages in {channel_1}"),
        ReadingKey::ImportantMail => counted("important mail", "important mails"),
        ReadingKey::EventsToday => counted("event today", "events today"),
        ReadingKey::Conflicts => counted("event in conflict", "events in conflict"),
        ReadingKey::TravelMin => format!("{v} min of travel"),
        ReadingKey::BufferMin => format!("{v} min to spare"),
        ReadingKey::LeaveInMin => format!("{v} min until you have to leave"),
        ReadingKey::SpentToday => format!("{v} {} spent today", reading.currency.as_deref()?),
        ReadingKey::VersusUsualPct => format!("{v} % of a usual day"),
        ReadingKey::Uncategorized => counted("payment without a category", "payments without a category"),
        ReadingKey::BalanceEndOfMonth => {
            format!("{v} {} at the end of the month", reading.currency.as_deref()?)
        }
        ReadingKey::DaysToZero => counted("day until the balance is zero", "days until the balance is zero"),
        ReadingKey::LoadScore => format!("a load score of {v} of 100"),
        ReadingKey::LoadDrop => format!("a load down by {v}"),
        ReadingKey::RmssdMs => format!("a heart-rate variability of {v} ms"),
        ReadingKey::SleepMin => format!("{v} min of sleep"),
        ReadingKey::SleepDebtMin => format!("{v} min of missing sleep"),
        ReadingKey::ScreenOnMin => format!("{v} min of screen in the last hour"),
        ReadingKey::ZScore
        | ReadingKey::RmssdZ
        | ReadingKey::TypingEntropy
        | ReadingKey::AppSwitchRate
        | ReadingKey::DismissRate => return None,
    })
}

/// A sentence with the placeholders filled in.
pub(crate) fn fill_placeholders(sentence: &str) -> String {
    PLACEHOLDERS
        .iter()
        .fold(sentence.to_owned(), |text, (placeholder, words)| {
            text.replace(placeholder, words)
        })
}
