//! Towns and where they are, without a network.
//!
//! What: [`find_towns`] by a part of their name, [`town_near`] a point, [`far_towns`] that places of a calendar name. Why: whoever sets Aura up knows where
//! they live, not at which degrees, and a place that names a town says how far it is. Not here: streets (docs/towns.md says what is there), the way
//! there in minutes (`agents::calendar`).

use agents::calendar::haversine_km;
use std::collections::{BTreeMap, BTreeSet};
use surfaces_base::backend::settings::TownView;
use surfaces_base::backend::source_look::FarTown;
use toolcall_schema::signal::LocationData;

/// Made by `scripts/towns.py`. A line: name, country, hundredths of degrees north and east, other spellings.
const TOWNS: &str = include_str!("gazetteer/towns.tsv");
/// Towns in one answer.
const FOUND_MAX: usize = 8;
/// Whoever lives farther from a town of the list is not said to live near it.
const NEAR_KM: f64 = 25.0;
/// What is nearer than this is a way within a town.
const FAR_KM: f64 = 5.0;
/// Letters of another spelling that a place is looked up by: shorter ones are words of any language.
const SPELLING_MIN: usize = 5;

#[derive(Debug, Clone, Copy)]
struct TownRow {
    name: &'static str,
    country: &'static str,
    at: LocationData,
    spellings: &'static str,
}

impl TownRow {
    fn spellings(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.spellings.split('|').filter(|one| !one.is_empty())
    }

    fn view(&self, spelling: Option<&str>) -> TownView {
        let name = match spelling {
            Some(spelling) => format!("{spelling} ({}), {}", self.name, self.country),
            None => format!("{}, {}", self.name, self.country),
        };
        TownView {
            name,
            place: format!("{}, {}", self.at.lat, self.at.lon),
        }
    }
}

/// The largest first. A line that is none is left out.
fn towns() -> impl Iterator<Item = TownRow> {
    TOWNS.lines().filter_map(|line| {
        let mut columns = line.split('\t');
        let (name, country) = (columns.next()?, columns.next()?);
        let mut degrees = || Some(columns.next()?.parse::<f64>().ok()? / 100.0);
        let at = LocationData {
            lat: degrees()?,
            lon: degrees()?,
        };
        Some(TownRow {
            name,
            country,
            at,
            spellings: columns.next()?,
        })
    })
}

/// Towns whose name, in one of its spellings, begins with these words, whatever their case: those that are called exactly so first, the larger first.
pub(crate) fn find_towns(wanted: &str) -> Vec<TownView> {
    let wanted = wanted.trim().to_lowercase();
    if wanted.is_empty() {
        return Vec::new();
    }
    let (mut whole, mut begun) = (Vec::new(), Vec::new());
    for town in towns() {
        let names = [town.name].into_iter().chain(town.spellings());
        let fits: Vec<(&str, String)> = names
            .map(|name| (name, name.to_lowercase()))
            .filter(|(_, lower)| lower.starts_with(&wanted))
            .collect();
        let exact = fits.iter().find(|(_, lower)| *lower == wanted);
        let Some((name, _)) = exact.or(fits.first()) else {
            continue;
        };
        let list = if exact.is_some() { &mut whole } else { &mut begun };
        if list.len() < FOUND_MAX {
            list.push(town.view((*name != town.name).then_some(*name)));
        }
    }
    whole.append(&mut begun);
    whole.truncate(FOUND_MAX);
    whole
}

/// The nearest town of the list.
pub(crate) fn town_near(at: LocationData) -> Option<String> {
    let near = towns().map(|town| (haversine_km(at, town.at), town));
    let (km, town) = near.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
    (km <= NEAR_KM).then(|| town.view(None).name)
}

/// For each of these places the town that it names and how far that is from home, where it is not the same town. Of towns of one name it is the nearest.
pub(crate) fn far_towns(places: &[&str], home: LocationData) -> Vec<Option<FarTown>> {
    let named: Vec<BTreeSet<String>> = places.iter().map(|place| town_names(place)).collect();
    let mut known: BTreeMap<&str, Option<(f64, &'static str)>> = BTreeMap::new();
    for name in named.iter().flatten() {
        known.insert(name, None);
    }
    for town in towns() {
        let long = town
            .spellings()
            .filter(|name| name.chars().count() >= SPELLING_MIN);
        for name in [town.name].into_iter().chain(long) {
            let Some(nearest) = known.get_mut(&*name.to_lowercase()) else {
                continue;
            };
            let km = haversine_km(home, town.at);
            if nearest.is_none_or(|(before, _)| km < before) {
                *nearest = Some((km, town.name));
            }
        }
    }
    named
        .iter()
        .map(|names| {
            let found = names
                .iter()
                .filter_map(|name| known.get(&**name).copied().flatten());
            let (km, town) = found.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
            (km >= FAR_KM).then(|| FarTown {
                town: town.to_owned(),
                km: round_km(km),
            })
        })
        .collect()
}

/// What may be a town's name in an address: its parts without house numbers and postcodes.
fn town_names(place: &str) -> BTreeSet<String> {
    let parts = place.split([',', ';', '\n', '(', ')']);
    parts
        .map(|part| {
            let words = part.split_whitespace();
            let words = words.filter(|word| !word.chars().any(|c| c.is_ascii_digit()));
            words.collect::<Vec<_>>().join(" ").to_lowercase()
        })
        .filter(|name| !name.is_empty())
        .collect()
}

/// As a person says it: whole kilometres up to 20, fives up to 100, then tens.
fn round_km(km: f64) -> u32 {
    let step = match km {
        km if km < 20.0 => 1.0,
        km if km < 100.0 => 5.0,
        _ => 10.0,
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and half the way around the earth"
    )]
    let km = ((km / step).round() * step) as u32;
    km
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(wanted: &str) -> Vec<String> {
        find_towns(wanted).into_iter().map(|town| town.name).collect()
    }

    #[test]
    fn a_town_is_found_as_germans_and_as_english_spell_it() {
        for (wanted, first) in [
            ("Köln", "Köln, DE"),
            ("cologne", "Cologne (Köln), DE"),
            ("KOELN", "Koeln (Köln), DE"),
            (" München ", "München (Munich), DE"),
            ("Munich", "Munich, DE"),
            ("Wien", "Wien (Vienna), AT"),
            ("Mailand", "Mailand (Milan), IT"),
            ("Krakow", "Krakow (Kraków), PL"),
            ("Mumbai", "Mumbai, IN"),
        ] {
            assert_eq!(names(wanted).first().map(String::as_str), Some(first), "{wanted}");
        }
        // As far as it is typed.
        assert!(names("Aach").contains(&"Aachen, DE".to_owned()));
        let springfields = names("Springfield");
        assert!(
            springfields.contains(&"Springfield, MO, US".to_owned()),
            "{springfields:?}"
        );
        assert!(springfields.len() <= FOUND_MAX);
        for nothing in ["", "  ", "Nowhere at all", "<script>"] {
            assert_eq!(names(nothing), Vec::<String>::new(), "{nothing:?}");
        }
    }

    #[test]
    fn every_line_is_a_town_somewhere_on_the_earth() {
        assert_eq!(towns().count(), TOWNS.lines().count());
        for town in towns() {
            assert!(
                town.at.lat.abs() <= 90.0 && town.at.lon.abs() <= 180.0,
                "{town:?}"
            );
            assert!(!town.name.is_empty() && !town.country.is_empty(), "{town:?}");
        }
    }

    #[test]
    fn home_is_near_the_nearest_town_or_near_none() {
        let near = |lat, lon| town_near(LocationData { lat, lon });
        assert_eq!(near(50.93, 6.94).as_deref(), Some("Köln, DE"));
        // In the middle of the Atlantic.
        assert_eq!(near(40.0, -40.0), None);
    }

    #[test]
    fn a_place_that_names_a_town_says_how_far_it_is_and_home_itself_does_not() {
        let bonn = LocationData { lat: 50.73, lon: 7.1 };
        let places = [
            // Bonn to Köln: 0.20 degrees north, 0.15 west at 50.8 degrees: 22.2 and 10.5 km, 24.6 together.
            "Domkloster 4, 50667 Köln",
            "Ratskeller (Cologne)",
            "Markt 2, 53111 Bonn",
            "Mensa",
            "Room 5",
            "",
        ];
        let found = far_towns(&places, bonn);
        let koeln = Some(FarTown {
            town: "Köln".to_owned(),
            km: 25,
        });
        assert_eq!(found, [koeln.clone(), koeln, None, None, None, None]);
    }

    #[test]
    fn kilometres_are_rounded_as_a_person_says_them() {
        for (km, said) in [
            (5.4, 5),
            (19.4, 19),
            (23.0, 25),
            (97.0, 95),
            (104.0, 100),
            (468.0, 470),
        ] {
            assert_eq!(round_km(km), said, "{km}");
        }
    }
}
