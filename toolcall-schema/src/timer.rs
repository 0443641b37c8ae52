//! What the machine waits for.

use crate::names::{AgentName, StateName};

/// What ends or begins at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimerName {
    /// The state itself: an answer is late, a prompt ends, the spacing is over.
    State(StateName),
    /// An agent has to have read its sources by then.
    Reading(AgentName),
    /// A call that somebody asked for has to be over by then.
    Call,
    /// What a program asked for is not worth asking the owner any more.
    Ask,
    /// The regular look.
    Interval,
    /// A departure or a digest that the window held back is tried again.
    Retry,
    /// What the owner put off comes back.
    Later,
    /// The morning brief.
    Brief,
    /// Time to think of leaving.
    Alert,
    /// A muted chat comes back.
    Mute,
    /// The pause ends.
    Pause,
    /// Do not disturb ends.
    Dnd,
    /// A rule of the owner ends.
    Rule,
    /// Breathing, nap or break ends.
    Course,
    /// A card is not worth showing any more.
    Card,
    /// The window after a card ends; counts while a card waits to be seen.
    Window,
    /// The quiet time after stress ends; counts while a card waits to be seen.
    Recovering,
    /// The last reading of the owner's state is too old.
    Lapse,
}
