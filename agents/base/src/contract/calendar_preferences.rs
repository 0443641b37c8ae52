//! What the owner may set about the calendar.
//!
//! What: [`CalendarPreferences`], the table `[calendar]` of the owner's file. Why: every default can be the owner's own, and what is
//! out of bounds is refused where it is read, with its line. Not here: reading the file (the configuration), the buffer
//! before leaving (the owner's, not Calendar's).

use chrono::{NaiveTime, Weekday};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::ids::{SecretKey, hex};

/// Places whose way the owner told, and how long a way may be.
const PLACES_MAX: usize = 512;
const WAY_MAX_MIN: u32 = 24 * 60;

/// How a place that the calendar names is known to the owner's file: a keyed hash of its name, whatever its case and blanks.
pub fn place_key(key: &SecretKey, name: &str) -> String {
    let plain = name
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    let mac = key.mac(&[b"named place", plain.as_bytes()]);
    format!("lo_{}", hex(mac.get(..8).unwrap_or_default()))
}

/// Whether that is such a key.
pub(crate) fn is_place_key(text: &str) -> bool {
    let digits = text.strip_prefix("lo_").unwrap_or_default();
    digits.len() == 16
        && digits
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// How the owner travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TravelMode {
    /// On foot.
    Walk,
    /// By train, metro or bus.
    Metro,
    /// By bicycle.
    Bike,
    /// By car or cab.
    Car,
}

impl TravelMode {
    /// The mode that an event names, in any case.
    pub fn parse(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "walk" => Some(Self::Walk),
            "metro" => Some(Self::Metro),
            "bike" => Some(Self::Bike),
            "car" | "cab" => Some(Self::Car),
            _ => None,
        }
    }
}

/// The table as it is written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct CalendarTable {
    speeds_kmh: TravelSpeeds,
    default_mode: TravelMode,
    working_hours: [String; 2],
    working_days: Vec<String>,
    before_meetings: bool,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    places: BTreeMap<String, u32>,
}

/// Kilometres an hour.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TravelSpeeds {
    walk: f64,
    metro: f64,
    bike: f64,
    car: f64,
}

impl Default for TravelSpeeds {
    fn default() -> Self {
        Self {
            walk: 4.5,
            metro: 28.0,
            bike: 18.0,
            car: 22.0,
        }
    }
}

impl Default for CalendarTable {
    fn default() -> Self {
        Self {
            speeds_kmh: TravelSpeeds::default(),
            default_mode: TravelMode::Car,
            working_hours: ["09:00".to_owned(), "18:00".to_owned()],
            working_days: ["mon", "tue", "wed", "thu", "fri"].map(str::to_owned).to_vec(),
            before_meetings: false,
            places: BTreeMap::new(),
        }
    }
}

/// What the owner may set about the calendar, within bounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "CalendarTable", into = "CalendarTable")]
pub struct CalendarPreferences {
    /// Of walk, metro, bike and car.
    tenths_kmh: [u32; 4],
    default_mode: TravelMode,
    working_hours: (NaiveTime, NaiveTime),
    working_days: Vec<Weekday>,
    /// Whether the owner wants to be prepared for meetings.
    before_meetings: bool,
    /// Minutes from home to places without coordinates, by [`place_key`]; 0: no way.
    places: BTreeMap<String, u32>,
}

/// Why a table is refused; the sentence goes on where the configuration names file and line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PreferenceOutOfBounds {
    /// A speed.
    #[error("a speed in speeds_kmh is not from 0.5 to 1000 km/h")]
    Speed,
    /// The working hours.
    #[error("working_hours are not two times like [\"09:00\", \"18:00\"], the first before the second")]
    Hours,
    /// The working days.
    #[error("working_days are not one to seven different days like \"mon\"")]
    Days,
    /// The ways to places.
    #[error("places are not at most 512 of the names that Aura writes there, each with 0 to 1440 minutes")]
    Places,
}

impl TryFrom<CalendarTable> for CalendarPreferences {
    type Error = PreferenceOutOfBounds;

    fn try_from(written: CalendarTable) -> Result<Self, PreferenceOutOfBounds> {
        let speeds = &written.speeds_kmh;
        let [walk, metro, bike, car] = [speeds.walk, speeds.metro, speeds.bike, speeds.car].map(tenths);
        let [from, to] = written
            .working_hours
            .map(|text| NaiveTime::parse_from_str(&text, "%H:%M").ok());
        let mut days = Vec::new();
        for day in &written.working_days {
            match day.parse::<Weekday>() {
                Ok(day) if !days.contains(&day) => days.push(day),
                Ok(_) | Err(_) => return Err(PreferenceOutOfBounds::Days),
            }
        }
        if days.is_empty() {
            return Err(PreferenceOutOfBounds::Days);
        }
        let good = |(key, min): (&String, &u32)| is_place_key(key) && *min <= WAY_MAX_MIN;
        if written.places.len() > PLACES_MAX || !written.places.iter().all(good) {
            return Err(PreferenceOutOfBounds::Places);
        }
        let all = (walk, metro, bike, car);
        let (Some(walk), Some(metro), Some(bike), Some(car)) = all else {
            return Err(PreferenceOutOfBounds::Speed);
        };
        Ok(Self {
            tenths_kmh: [walk, metro, bike, car],
            default_mode: written.default_mode,
            working_hours: from
                .zip(to)
                .filter(|(from, to)| from < to)
                .ok_or(PreferenceOutOfBounds::Hours)?,
            working_days: days,
            before_meetings: written.before_meetings,
            places: written.places,
        })
    }
}

/// Tenths of a kilometre an hour.
fn tenths(kmh: f64) -> Option<u32> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the bounds are checked first"
    )]
    (0.5..=1000.0).contains(&kmh).then(|| (kmh * 10.0).round() as u32)
}

impl From<CalendarPreferences> for CalendarTable {
    fn from(known: CalendarPreferences) -> Self {
        let [walk, metro, bike, car] = known.tenths_kmh.map(|tenths| f64::from(tenths) / 10.0);
        let (from, to) = known.working_hours;
        Self {
            speeds_kmh: TravelSpeeds {
                walk,
                metro,
                bike,
                car,
            },
            default_mode: known.default_mode,
            working_hours: [from, to].map(|time| time.format("%H:%M").to_string()),
            working_days: known
                .working_days
                .iter()
                .map(|day| day.to_string().to_lowercase())
                .collect(),
            before_meetings: known.before_meetings,
            places: known.places,
        }
    }
}

impl Default for CalendarPreferences {
    fn default() -> Self {
        Self {
            tenths_kmh: [45, 280, 180, 220],
            default_mode: TravelMode::Car,
            working_hours: (hour(9), hour(18)),
            working_days: vec![
                Weekday::Mon,
                Weekday::Tue,
                Weekday::Wed,
                Weekday::Thu,
                Weekday::Fri,
            ],
            before_meetings: false,
            places: BTreeMap::new(),
        }
    }
}

fn hour(hour: u32) -> NaiveTime {
    NaiveTime::from_hms_opt(hour, 0, 0).unwrap_or(NaiveTime::MIN)
}

impl CalendarPreferences {
    /// The speed of a mode, or of the default one, in tenths of a kilometre an hour.
    pub fn tenth_kmh(&self, mode: Option<TravelMode>) -> u32 {
        let [walk, metro, bike, car] = self.tenths_kmh;
        match mode.unwrap_or(self.default_mode) {
            TravelMode::Walk => walk,
            TravelMode::Metro => metro,
            TravelMode::Bike => bike,
            TravelMode::Car => car,
        }
    }

    /// Minutes from home to a place, by its [`place_key`], where the owner told them.
    pub fn minutes_to(&self, place: &str) -> Option<u32> {
        self.places.get(place).copied()
    }

    /// Whether the owner asked for a card before meetings.
    pub fn prepares_meetings(&self) -> bool {
        self.before_meetings
    }

    /// When the owner's working day begins and ends.
    pub fn working_hours(&self) -> (NaiveTime, NaiveTime) {
        self.working_hours
    }

    /// Whether the owner works on that day of the week.
    pub fn works_on(&self, day: Weekday) -> bool {
        self.working_days.contains(&day)
    }
}
