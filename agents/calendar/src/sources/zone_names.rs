//! Names of time zones as programs write them.
//!
//! What: [`known`], from any name to a zone of the tz database; [`fixed_offset`], for names that are an offset. Why: each program has names of
//! its own for the same zones. Not here: what a file defines itself (`zones`).

use chrono_tz::{TZ_VARIANTS, Tz};
use std::{collections::BTreeMap, sync::LazyLock};

/// The display names of Windows zones without their offset, as CLDR's `windowsZones.xml` lists them, with older spellings; names of
/// Outlook, Lotus Notes and CLDR's metazones. Left out are old names of places that do not share a time any more.
const DISPLAY_NAMES: &[(&str, &str)] = &[
    ("international date line west", "Etc/GMT+12"),
    ("aleutian islands", "America/Adak"),
    ("hawaii", "Pacific/Honolulu"),
    ("marquesas islands", "Pacific/Marquesas"),
    ("alaska", "America/Anchorage"),
    ("baja california", "America/Tijuana"),
    ("tijuana, baja california", "America/Tijuana"),
    ("pacific time (us & canada)", "America/Los_Angeles"),
    ("pacific time (us & canada); tijuana", "America/Los_Angeles"),
    ("arizona", "America/Phoenix"),
    ("chihuahua, la paz, mazatlan", "America/Mazatlan"),
    ("la paz, mazatlan", "America/Mazatlan"),
    ("mountain time (us & canada)", "America/Denver"),
    ("yukon", "America/Whitehorse"),
    ("central america", "America/Guatemala"),
    ("central time (us & canada)", "America/Chicago"),
    ("easter island", "Pacific/Easter"),
    ("guadalajara, mexico city, monterrey", "America/Mexico_City"),
    ("saskatchewan", "America/Regina"),
    ("bogota, lima, quito", "America/Bogota"),
    ("bogota, lima, quito, rio branco", "America/Bogota"),
    ("chetumal", "America/Cancun"),
    ("eastern time (us & canada)", "America/New_York"),
    ("haiti", "America/Port-au-Prince"),
    ("havana", "America/Havana"),
    ("indiana (east)", "America/Indiana/Indianapolis"),
    ("turks and caicos", "America/Grand_Turk"),
    ("asuncion", "America/Asuncion"),
    ("atlantic time (canada)", "America/Halifax"),
    ("caracas", "America/Caracas"),
    ("cuiaba", "America/Cuiaba"),
    ("georgetown, la paz, manaus, san juan", "America/La_Paz"),
    ("santiago", "America/Santiago"),
    ("newfoundland", "America/St_Johns"),
    ("araguaina", "America/Araguaina"),
    ("brasilia", "America/Sao_Paulo"),
    ("cayenne, fortaleza", "America/Cayenne"),
    ("city of buenos aires", "America/Argentina/Buenos_Aires"),
    ("buenos aires", "America/Argentina/Buenos_Aires"),
    ("greenland", "America/Nuuk"),
    ("montevideo", "America/Montevideo"),
    ("punta arenas", "America/Punta_Arenas"),
    ("saint pierre and miquelon", "America/Miquelon"),
    ("salvador", "America/Bahia"),
    ("azores", "Atlantic/Azores"),
    ("cabo verde is.", "Atlantic/Cape_Verde"),
    ("cape verde is.", "Atlantic/Cape_Verde"),
    ("coordinated universal time", "UTC"),
    ("universal coordinated time", "UTC"),
    ("z", "UTC"),
    ("dublin, edinburgh, lisbon, london", "Europe/London"),
    (
        "greenwich mean time : dublin, edinburgh, lisbon, london",
        "Europe/London",
    ),
    (
        "greenwich mean time: dublin, edinburgh, lisbon, london",
        "Europe/London",
    ),
    ("greenwich mean time", "Etc/GMT"),
    ("british time", "Europe/London"),
    ("british standard time", "Europe/London"),
    ("monrovia, reykjavik", "Atlantic/Reykjavik"),
    ("sao tome", "Africa/Sao_Tome"),
    ("casablanca", "Africa/Casablanca"),
    (
        "amsterdam, berlin, bern, rome, stockholm, vienna",
        "Europe/Berlin",
    ),
    ("western/central europe", "Europe/Berlin"),
    (
        "belgrade, bratislava, budapest, ljubljana, prague",
        "Europe/Budapest",
    ),
    ("brussels, copenhagen, madrid, paris", "Europe/Paris"),
    ("sarajevo, skopje, warsaw, zagreb", "Europe/Warsaw"),
    ("central european time", "Europe/Paris"),
    ("western european time", "Atlantic/Canary"),
    ("western european standard time", "Atlantic/Canary"),
    ("eastern european time", "Europe/Bucharest"),
    ("eastern european standard time", "Europe/Bucharest"),
    ("west central africa", "Africa/Lagos"),
    ("amman", "Asia/Amman"),
    ("athens, bucharest", "Europe/Bucharest"),
    ("beirut", "Asia/Beirut"),
    ("cairo", "Africa/Cairo"),
    ("chisinau", "Europe/Chisinau"),
    ("damascus", "Asia/Damascus"),
    ("gaza, hebron", "Asia/Hebron"),
    ("harare, pretoria", "Africa/Johannesburg"),
    ("helsinki, kiev, riga, sofia, tallinn, vilnius", "Europe/Kyiv"),
    ("helsinki, kyiv, riga, sofia, tallinn, vilnius", "Europe/Kyiv"),
    ("jerusalem", "Asia/Jerusalem"),
    ("juba", "Africa/Juba"),
    ("kaliningrad", "Europe/Kaliningrad"),
    ("khartoum", "Africa/Khartoum"),
    ("tripoli", "Africa/Tripoli"),
    ("windhoek", "Africa/Windhoek"),
    ("baghdad", "Asia/Baghdad"),
    ("istanbul", "Europe/Istanbul"),
    ("kuwait, riyadh", "Asia/Riyadh"),
    ("minsk", "Europe/Minsk"),
    ("moscow, st. petersburg", "Europe/Moscow"),
    ("moscow, st. petersburg, volgograd", "Europe/Moscow"),
    ("nairobi", "Africa/Nairobi"),
    ("tehran", "Asia/Tehran"),
    ("abu dhabi, muscat", "Asia/Dubai"),
    ("astrakhan, ulyanovsk", "Europe/Astrakhan"),
    ("baku", "Asia/Baku"),
    ("izhevsk, samara", "Europe/Samara"),
    ("port louis", "Indian/Mauritius"),
    ("saratov", "Europe/Saratov"),
    ("tbilisi", "Asia/Tbilisi"),
    ("volgograd", "Europe/Volgograd"),
    ("yerevan", "Asia/Yerevan"),
    ("kabul", "Asia/Kabul"),
    ("ashgabat, tashkent", "Asia/Tashkent"),
    ("ekaterinburg", "Asia/Yekaterinburg"),
    ("islamabad, karachi", "Asia/Karachi"),
    ("qyzylorda", "Asia/Qyzylorda"),
    ("chennai, kolkata, mumbai, new delhi", "Asia/Kolkata"),
    ("sri jayawardenepura", "Asia/Colombo"),
    ("kathmandu", "Asia/Kathmandu"),
    ("dhaka", "Asia/Dhaka"),
    ("omsk", "Asia/Omsk"),
    ("yangon (rangoon)", "Asia/Yangon"),
    ("bangkok, hanoi, jakarta", "Asia/Bangkok"),
    ("barnaul, gorno-altaysk", "Asia/Barnaul"),
    ("hovd", "Asia/Hovd"),
    ("krasnoyarsk", "Asia/Krasnoyarsk"),
    ("novosibirsk", "Asia/Novosibirsk"),
    ("tomsk", "Asia/Tomsk"),
    ("beijing, chongqing, hong kong, urumqi", "Asia/Shanghai"),
    ("irkutsk", "Asia/Irkutsk"),
    ("kuala lumpur, singapore", "Asia/Singapore"),
    ("perth", "Australia/Perth"),
    ("taipei", "Asia/Taipei"),
    ("ulaanbaatar", "Asia/Ulaanbaatar"),
    ("eucla", "Australia/Eucla"),
    ("chita", "Asia/Chita"),
    ("osaka, sapporo, tokyo", "Asia/Tokyo"),
    ("pyongyang", "Asia/Pyongyang"),
    ("seoul", "Asia/Seoul"),
    ("yakutsk", "Asia/Yakutsk"),
    ("adelaide", "Australia/Adelaide"),
    ("darwin", "Australia/Darwin"),
    ("brisbane", "Australia/Brisbane"),
    ("canberra, melbourne, sydney", "Australia/Sydney"),
    ("guam, port moresby", "Pacific/Port_Moresby"),
    ("hobart", "Australia/Hobart"),
    ("vladivostok", "Asia/Vladivostok"),
    ("lord howe island", "Australia/Lord_Howe"),
    ("bougainville island", "Pacific/Bougainville"),
    ("chokurdakh", "Asia/Srednekolymsk"),
    ("magadan", "Asia/Magadan"),
    ("norfolk island", "Pacific/Norfolk"),
    ("sakhalin", "Asia/Sakhalin"),
    ("solomon is., new caledonia", "Pacific/Guadalcanal"),
    ("anadyr, petropavlovsk-kamchatsky", "Asia/Kamchatka"),
    ("auckland, wellington", "Pacific/Auckland"),
    ("fiji", "Pacific/Fiji"),
    ("chatham islands", "Pacific/Chatham"),
    ("nuku'alofa", "Pacific/Tongatapu"),
    ("samoa", "Pacific/Apia"),
    ("kiritimati island", "Pacific/Kiritimati"),
];

/// All names, plain: of the tz database, of Windows (CLDR's table, territory 001), and those above.
static NAMES: LazyLock<BTreeMap<String, Tz>> = LazyLock::new(|| {
    let mut names = BTreeMap::new();
    for (name, zone) in DISPLAY_NAMES {
        names.extend(zone.parse().ok().map(|zone| ((*name).to_owned(), zone)));
    }
    for zone in TZ_VARIANTS {
        if let Some((windows, _)) = localzone::iana_to_win_zone(zone.name()) {
            let main = localzone::win_zone_to_iana(windows, Some("001"));
            names.extend(main.and_then(|main| Some((normalized(windows), main.parse().ok()?))));
        }
    }
    names.extend(TZ_VARIANTS.iter().map(|zone| (normalized(zone.name()), *zone)));
    names
});

/// Lower case, without quotes and escapes, with single spaces for spaces and underscores.
fn normalized(name: &str) -> String {
    let words = name
        .split(|c: char| c.is_whitespace() || c == '_')
        .filter(|word| !word.is_empty());
    let spaced = words.collect::<Vec<_>>().join(" ").to_lowercase();
    spaced
        .replace(['"', '\\'], "")
        .replace("us and canada", "us & canada")
}

/// The zone of a name: of the tz database, also behind a vendor's prefix (`/vendor/Europe/Berlin`, `tzone://Microsoft/Utc`); of Windows, also
/// by its name in summer or without "Standard Time"; of Outlook's lists, with or without the offset before it.
pub(super) fn known(name: &str) -> Option<Tz> {
    if let Ok(zone) = name.parse() {
        return Some(zone);
    }
    let name = normalized(name);
    let name = name.strip_prefix("tzone://microsoft/").unwrap_or(&name);
    let of = |name: &str| NAMES.get(name).copied();
    let tail = |n: usize| {
        let from = name.rmatch_indices('/').nth(n - 1)?.0;
        of(name.get(from + 1..)?)
    };
    let standard = |summer: &str| of(&format!("{}standard time", name.strip_suffix(summer)?));
    let without_offset = || {
        let (offset, rest) = name.strip_prefix('(')?.split_once(')')?;
        let is_offset = offset.starts_with("utc") || offset.starts_with("gmt");
        of(rest.trim_start()).filter(|_| is_offset)
    };
    of(name)
        .or_else(|| tail(2).or_else(|| tail(3)))
        .or_else(|| standard("daylight time").or_else(|| standard("summer time")))
        .or_else(|| of(&format!("{name} standard time")))
        .or_else(without_offset)
}

/// The seconds east of UTC of a name that is an offset: `UTC+2`, `GMT+0530`, `(UTC-03:00)`, `+05:30`. Unlike in `Etc/GMT+5`, a plus means east.
pub(super) fn fixed_offset(name: &str) -> Option<i64> {
    let name: String = name.chars().filter(|c| !c.is_whitespace()).collect();
    let name = name
        .strip_prefix('(')
        .and_then(|name| name.strip_suffix(')'))
        .unwrap_or(&name);
    let name = ["UTC", "GMT"]
        .iter()
        .find_map(|head| {
            let (name, rest) = name.split_at_checked(head.len())?;
            name.eq_ignore_ascii_case(head).then_some(rest)
        })
        .unwrap_or(name);
    let (sign, digits) = match name.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() > 2 => digits.split_at_checked(digits.len() - 2)?,
        None => (digits, "00"),
    };
    let number = |text: &str| {
        text.parse::<i64>()
            .ok()
            .filter(|_| matches!(text.len(), 1 | 2) && text.bytes().all(|b| b.is_ascii_digit()))
    };
    let minutes = number(minutes).filter(|n| *n < 60)?;
    let seconds = number(hours)? * 3600 + minutes * 60;
    (seconds <= 14 * 3600).then_some(sign * seconds)
}
