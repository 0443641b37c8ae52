//! What Calendar keeps from one start to the next.
//!
//! What: [`CalendarAgentState`], without a word of text, and places as the middles of their cells. Why: no place is kept to the metre. Not here: what
//! is known while it runs (`mod`).

use super::{
    facts::ReportedInstance,
    model::{BusyTime, EventInstance, TravelTime},
};
use agents_base::contract::KeptState;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    AgentName, Timestamp, cell::GridCell, forget::ErasureScope, ids::EventId, signal::LocationData,
};

/// `agent_state.v1` of Calendar.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalendarAgentState {
    pub(super) cursor: u64,
    pub(super) posted: Vec<EventInstance>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) busy: Vec<BusyTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<(Timestamp, LocationData)>,
    pub(super) told: BTreeMap<EventId, ReportedInstance>,
    pub(super) declined: BTreeSet<EventId>,
    pub(super) any: bool,
}

impl KeptState for CalendarAgentState {
    const AGENT: AgentName = AgentName::Calendar;
    const ROWS: &'static [&'static str] = &[];

    fn forget(&mut self, what: &ErasureScope) {
        self.posted.retain(|i| {
            !(what.covers_time(i.start)
                || what.covers_thing(i.id.as_str())
                || what.covers_thing(i.series.as_str()))
        });
        self.busy.retain(|busy| !what.covers_time(busy.start));
        self.place = self.place.filter(|(at, _)| !what.covers_time(*at));
        self.told
            .retain(|id, told| !(what.covers_time(told.start) || what.covers_thing(id.as_str())));
        self.declined.retain(|id| !what.covers_thing(id.as_str()));
    }

    // Its files are read whole at each start: what they tell is told again where it is not known.
    fn clear_read_marks(&mut self) {}
}

/// The middle of the place's cell.
pub(super) fn coarse(place: LocationData) -> LocationData {
    GridCell::of(place.lat, place.lon).map_or(place, |cell| {
        let (lat, lon) = cell.middle();
        LocationData { lat, lon }
    })
}

pub(super) fn without_point(mut instance: EventInstance) -> EventInstance {
    if let Some(TravelTime::Place { place, .. }) = &mut instance.travel {
        *place = coarse(*place);
    }
    instance
}
