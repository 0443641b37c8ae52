//! Icons, drawings for what is empty, and the initial of a row.
//!
//! What: [`icon`], [`icon_of_block`], [`drawing`] and [`initial`]. Why: they stand in the page itself, so that they are there with its first paint, without a
//! connection and in the colour of the text. Not here: the paths (`assets/icons.svg`; docs/design.md names their source).

use super::shell::AppSection;
use maud::{Markup, PreEscaped, html};
use toolcall_schema::catalogue::shared::ThingId;

/// Every picture, one `symbol` a line.
const SYMBOLS: &str = include_str!("../../assets/icons.svg");

/// The symbols of the set that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IconName {
    Agenda,
    Alert,
    Bars,
    Body,
    Brief,
    Chats,
    Clock,
    Close,
    Curve,
    Devices,
    Find,
    Look,
    Mail,
    Memory,
    Money,
    Mute,
    Next,
    Now,
    Past,
    People,
    Private,
    Quiet,
    Settings,
    Undo,
}

impl IconName {
    fn id(self) -> &'static str {
        match self {
            Self::Agenda => "agenda",
            Self::Alert => "alert",
            Self::Bars => "bars",
            Self::Body => "body",
            Self::Brief => "brief",
            Self::Chats => "chats",
            Self::Clock => "clock",
            Self::Close => "close",
            Self::Curve => "curve",
            Self::Devices => "devices",
            Self::Find => "find",
            Self::Look => "look",
            Self::Mail => "mail",
            Self::Memory => "memory",
            Self::Money => "money",
            Self::Mute => "mute",
            Self::Next => "next",
            Self::Now => "now",
            Self::Past => "past",
            Self::People => "people",
            Self::Private => "private",
            Self::Quiet => "quiet",
            Self::Settings => "settings",
            Self::Undo => "undo",
        }
    }
}

impl From<AppSection> for IconName {
    fn from(section: AppSection) -> Self {
        match section {
            AppSection::Now => Self::Now,
            AppSection::Brief => Self::Brief,
            AppSection::Chats => Self::Chats,
            AppSection::Money => Self::Money,
            AppSection::Body => Self::Body,
            AppSection::Memory => Self::Memory,
            AppSection::Settings => Self::Settings,
        }
    }
}

/// Drawn where there is nothing to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EmptyDrawing {
    /// Nothing is worth saying.
    Quiet,
    /// Nothing is read.
    Sheet,
    /// Nobody waits.
    Done,
    /// Nothing went out.
    Chart,
}

/// An icon beside words that say the same: nobody needs to hear it.
pub(super) fn icon(name: IconName) -> Markup {
    symbol(name.id(), "icon")
}

/// The drawing above what is said.
pub(super) fn drawing(drawing: EmptyDrawing) -> Markup {
    let id = match drawing {
        EmptyDrawing::Quiet => "empty-quiet",
        EmptyDrawing::Sheet => "empty-sheet",
        EmptyDrawing::Done => "empty-done",
        EmptyDrawing::Chart => "empty-chart",
    };
    symbol(id, "drawing")
}

/// What stands before the heading of a block with that id.
pub(super) fn icon_of_block(id: &str) -> Markup {
    let name = match id {
        "brief" => IconName::Brief,
        "due" => IconName::Agenda,
        "today" | "tomorrow" => IconName::Agenda,
        "forecast" | "drivers" => IconName::Curve,
        "unusual" | "loud" => IconName::Alert,
        "score" | "measured" => IconName::Body,
        "muted" => IconName::Mute,
        "digest" => IconName::Chats,
        "waits" => IconName::Mail,
        "kept" => IconName::Memory,
        "audit" => IconName::Private,
        "acts" => IconName::Past,
        "settings" | "around" => IconName::Settings,
        _ => return html! {},
    };
    icon(name)
}

/// The first letter of who a row is of; of a name without letters what it begins with.
pub(super) fn initial(name: &str) -> Markup {
    let letter = name.chars().find(|each| each.is_alphanumeric());
    let letter = letter.or_else(|| name.chars().next());
    html! { span.initial aria-hidden="true" { @if let Some(letter) = letter { (letter) } } }
}

/// The same for what may be somebody, or something else.
pub(super) fn initial_of(about: &ThingId, name: &str) -> Markup {
    match about {
        ThingId::Item(_) | ThingId::Channel(_) | ThingId::Person(_) => initial(name),
        ThingId::Event(_) | ThingId::Txn(_) | ThingId::Merchant(_) => html! {},
    }
}

fn symbol(id: &str, class: &str) -> Markup {
    let (sheet, paths) = parts(id).unwrap_or_default();
    html! { svg class=(class) viewBox=(sheet) aria-hidden="true" focusable="false" { (PreEscaped(paths)) } }
}

/// Its `viewBox` and what is drawn.
fn parts(id: &str) -> Option<(&'static str, &'static str)> {
    SYMBOLS.lines().find_map(|line| {
        let rest = line.strip_prefix("<symbol id=\"")?.strip_prefix(id)?;
        let rest = rest.strip_prefix("\" viewBox=\"")?;
        let (sheet, rest) = rest.split_once("\">")?;
        Some((sheet, rest.strip_suffix("</symbol>")?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::ids::{ItemId, MerchantHash};

    #[test]
    fn every_picture_of_the_file_is_whole_and_carries_no_style_script_or_address() {
        let ids: Vec<&str> = SYMBOLS
            .lines()
            .filter_map(|line| Some(line.strip_prefix("<symbol id=\"")?.split_once('"')?.0))
            .collect();
        // 24 icons and 4 drawings.
        assert_eq!(ids.len(), 28);
        for id in ids {
            let (sheet, paths) = parts(id).unwrap_or_else(|| panic!("{id} is cut"));
            assert!(matches!(sheet, "0 0 24 24" | "0 0 96 64"), "{id}: {sheet}");
            for strange in ["<script", "style=", "href", "url(", "on"] {
                assert!(!paths.contains(&format!(" {strange}")), "{id}: {strange}");
            }
        }
    }

    #[test]
    fn an_icon_and_a_drawing_are_found_by_their_names() {
        for name in [IconName::Money, IconName::Undo, IconName::from(AppSection::Brief)] {
            assert!(
                icon(name).into_string().contains("viewBox=\"0 0 24 24\""),
                "{name:?}"
            );
        }
        for name in [
            EmptyDrawing::Quiet,
            EmptyDrawing::Sheet,
            EmptyDrawing::Done,
            EmptyDrawing::Chart,
        ] {
            assert!(
                drawing(name).into_string().contains("viewBox=\"0 0 96 64\""),
                "{name:?}"
            );
        }
    }

    #[test]
    fn an_initial_is_the_first_letter_of_somebody() {
        let item = ThingId::Item(ItemId::parse("it_0000000000000001").unwrap());
        let shop = ThingId::Merchant(MerchantHash::parse("mh_0000000000000001").unwrap());
        let shown = |about, name| initial_of(about, name).into_string();
        for (name, letter) in [
            ("Asha", "A"),
            ("(Émile)", "É"),
            ("<b>", "b"),
            ("7 a.m.", "7"),
            ("😀!", "😀"),
            ("…", "…"),
            ("", ""),
        ] {
            assert_eq!(
                shown(&item, name),
                format!("<span class=\"initial\" aria-hidden=\"true\">{letter}</span>")
            );
        }
        assert_eq!(shown(&shop, "Corner shop"), "");
    }
}
