//! The languages that Aura speaks, and how a text is said in one of them.
//!
//! What: [`Language`], and the ways to a text: [`Text`] for a constant, [`text`] for a phrase, [`say!`] for a sentence with values, [`translated`] for
//! what has its English elsewhere. Why: all texts lie in
//! Fluent files (`words/en`, `words/de`), one file for each concern, so that another language is another folder. Not here: who hears which
//! language (`locale`), numbers, sums and dates (`format`), what records say (they keep their own words).

mod known_language;
mod said_value;
#[cfg(test)]
mod tests;

pub use known_language::Language;
pub use said_value::SaidValue;

use crate::locale;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};
use std::{borrow::Cow, collections::HashMap, fmt, ops::Deref, sync::LazyLock};

impl Language {
    fn texts(self) -> &'static LanguageTexts {
        static ENGLISH: LazyLock<LanguageTexts> = LazyLock::new(|| LanguageTexts::load(Language::English));
        static GERMAN: LazyLock<LanguageTexts> = LazyLock::new(|| LanguageTexts::load(Language::German));
        match self {
            Self::English => &ENGLISH,
            Self::German => &GERMAN,
        }
    }

    /// The texts of the command line: the service does not load them.
    fn command_texts(self) -> &'static LanguageTexts {
        static ENGLISH: LazyLock<LanguageTexts> =
            LazyLock::new(|| LanguageTexts::of_commands(Language::English));
        static GERMAN: LazyLock<LanguageTexts> =
            LazyLock::new(|| LanguageTexts::of_commands(Language::German));
        match self {
            Self::English => &ENGLISH,
            Self::German => &GERMAN,
        }
    }

    /// Each file of texts with its name.
    fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::English => &ENGLISH_FILES,
            Self::German => &GERMAN_FILES,
        }
    }
}

/// The language that is spoken here.
pub fn spoken() -> Language {
    locale::current().language
}

/// A text without values, by its id: a constant that is said in the language that is spoken when it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text(pub &'static str);

impl Text {
    /// The text.
    pub fn say(self) -> &'static str {
        text(self.0)
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.say()
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.say())
    }
}

impl maud::Render for Text {
    fn render_to(&self, buffer: &mut String) {
        self.say().render_to(buffer);
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.say().to_owned()
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.say() == *other
    }
}

/// A text without values. What a language has not said yet is said in English; an id that no file has is said as it stands: a test finds it.
pub fn text(id: &'static str) -> &'static str {
    plain_in(spoken_first(id), id).unwrap_or(id)
}

/// A sentence with values, by its id: [`say!`] calls it. The same.
pub fn sentence(id: &'static str, values: &[(&'static str, SaidValue<'_>)]) -> String {
    sentence_in(spoken_first(id), id, values).unwrap_or_else(|| id.to_owned())
}

/// What the texts of the command line, and their files, begin with.
const OF_COMMANDS: &str = "cli-";

/// The texts of the language that is spoken that have this one, and those that stand in for what they lack.
fn spoken_first(id: &str) -> [&'static LanguageTexts; 2] {
    let texts = if id.starts_with(OF_COMMANDS) {
        Language::command_texts
    } else {
        Language::texts
    };
    [spoken(), Language::English].map(texts)
}

/// What is said in another language than English where the English stands beside what it is about: `cli-help-…` of a command's help, `cli-error-…` of
/// a code. `None` in English, and where nothing is said.
pub fn translated(id: &str) -> Option<&'static str> {
    static GERMAN: LazyLock<LanguageTexts> =
        LazyLock::new(|| LanguageTexts::from_files(Language::German, GERMAN_TRANSLATIONS));
    match spoken() {
        Language::English => None,
        Language::German => GERMAN.plain.get(id).map(String::as_str),
    }
}

/// The ids of what is said in another language than English only: for tests that none is left over.
pub fn translated_ids() -> impl Iterator<Item = &'static str> {
    GERMAN_TRANSLATIONS.iter().copied().flat_map(message_ids)
}

/// A name of a closed vocabulary for people: in English the name itself, which scripts cut out of what commands print; else the word that pages have for it.
pub fn name_or_word<'a, W: Into<Cow<'a, str>>>(name: &'a str, word: impl FnOnce() -> W) -> Cow<'a, str> {
    match spoken() {
        Language::English => Cow::Borrowed(name),
        Language::German => word().into(),
    }
}

fn plain_in<'a>(texts: [&'a LanguageTexts; 2], id: &str) -> Option<&'a str> {
    texts
        .into_iter()
        .find_map(|one| one.plain.get(id))
        .map(String::as_str)
}

fn sentence_in(
    texts: [&LanguageTexts; 2],
    id: &str,
    values: &[(&'static str, SaidValue<'_>)],
) -> Option<String> {
    let (bundle, pattern) = texts.into_iter().find_map(|one| {
        let pattern = one.bundle.get_message(id)?.value()?;
        Some((&one.bundle, pattern))
    })?;
    let mut arguments = FluentArgs::with_capacity(values.len());
    for (name, value) in values {
        arguments.set(*name, value.fluent());
    }
    // A value that a text does not have is said as its name: a test finds it.
    let mut wrong = Vec::new();
    Some(
        bundle
            .format_pattern(pattern, Some(&arguments), &mut wrong)
            .into_owned(),
    )
}

/// `say!("people-more", more)`, `say!("people-more", more = people.len())`: a sentence of the files with its values.
#[macro_export]
macro_rules! say {
    (@value $name:ident) => { $name };
    (@value $name:ident $value:expr) => { $value };
    ($id:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::language::sentence(
            $id,
            &[$((stringify!($name), $crate::language::SaidValue::from($crate::language::say!(@value $name $($value)?)))),*],
        )
    };
}
pub use crate::say;

/// All texts of one language.
struct LanguageTexts {
    bundle: FluentBundle<FluentResource>,
    /// Those without a value, said once.
    plain: HashMap<String, String>,
}

impl LanguageTexts {
    fn load(language: Language) -> Self {
        Self::of_files(language, |name| !name.starts_with(OF_COMMANDS))
    }

    fn of_commands(language: Language) -> Self {
        let mut texts = Self::of_files(language, |name| name.starts_with(OF_COMMANDS));
        texts.bundle.set_formatter(Some(count_in_digits));
        texts
    }

    fn of_files(language: Language, is_wanted: impl Fn(&str) -> bool) -> Self {
        let files = language.files().iter();
        let wanted: Vec<&str> = files
            .filter(|(name, _)| is_wanted(name))
            .map(|(_, file)| *file)
            .collect();
        Self::from_files(language, &wanted)
    }

    fn from_files(language: Language, files: &[&str]) -> Self {
        let tag = language.tag().parse().unwrap_or_default();
        let mut bundle = FluentBundle::new_concurrent(vec![tag]);
        // Values are written into HTML and into a push, which have their own ways for text of the other direction.
        bundle.set_use_isolating(false);
        bundle.set_formatter(Some(count_in_words));
        let mut plain = HashMap::new();
        for file in files {
            // A file that cannot be read whole gives what can be read; a test finds what is wrong with it.
            let resource = match FluentResource::try_new((*file).to_owned()) {
                Ok(resource) | Err((resource, _)) => resource,
            };
            bundle.add_resource_overriding(resource);
        }
        for id in files.iter().flat_map(|file| message_ids(file)) {
            let Some(pattern) = bundle.get_message(id).and_then(|message| message.value()) else {
                continue;
            };
            let mut wants_values = Vec::new();
            let said = bundle
                .format_pattern(pattern, None, &mut wants_values)
                .into_owned();
            if wants_values.is_empty() {
                plain.insert(id.to_owned(), said);
            }
        }
        Self { bundle, plain }
    }
}

/// The ids of a file's messages: each stands at the beginning of its line.
fn message_ids(file: &str) -> impl Iterator<Item = &str> {
    file.lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()))
        .filter_map(|line| line.split_once(" =").map(|(id, _)| id))
}

/// A count as the language writes it.
fn count_in_words<M>(value: &FluentValue<'_>, _: &M) -> Option<String> {
    match value {
        FluentValue::Number(number) => Some(crate::format::number(number.value)),
        FluentValue::String(_) | FluentValue::Custom(_) | FluentValue::None | FluentValue::Error => None,
    }
}

/// A count as a command prints it: scripts cut it out and compare it.
fn count_in_digits<M>(value: &FluentValue<'_>, _: &M) -> Option<String> {
    match value {
        FluentValue::Number(number) => Some(number.value.to_string()),
        FluentValue::String(_) | FluentValue::Custom(_) | FluentValue::None | FluentValue::Error => None,
    }
}

macro_rules! language_files {
    ($($name:literal)*) => {
        const ENGLISH_FILES: [(&str, &str); [$($name),*].len()] =
            [$(($name, include_str!(concat!("words/en/", $name, ".ftl")))),*];
        const GERMAN_FILES: [(&str, &str); [$($name),*].len()] =
            [$(($name, include_str!(concat!("words/de/", $name, ".ftl")))),*];
    };
}

/// Files whose English stands beside what they are about ([`translated`]).
const GERMAN_TRANSLATIONS: &[&str] = &[
    include_str!("words/de/cli-error.ftl"),
    include_str!("words/de/cli-help.ftl"),
];

language_files! {
    "account-balances"
    "account-forms"
    "accounts"
    "acts"
    "agenda"
    "ahead"
    "answers"
    "asks"
    "at-work"
    "away"
    "backups"
    "brief-hour"
    "card-body"
    "card-things"
    "catalogue"
    "clash"
    "clash-move"
    "cli-acts"
    "cli-agent"
    "cli-arguments"
    "cli-ask"
    "cli-browser"
    "cli-catalogue"
    "cli-clock"
    "cli-common"
    "cli-device"
    "cli-doctor"
    "cli-doctor-folder"
    "cli-gate"
    "cli-import"
    "cli-inbox"
    "cli-init"
    "cli-learned"
    "cli-ledger"
    "cli-logs"
    "cli-mcp"
    "cli-memory"
    "cli-model"
    "cli-mute"
    "cli-names"
    "cli-ntfy"
    "cli-open"
    "cli-owner"
    "cli-pause"
    "cli-policy"
    "cli-quarantine"
    "cli-replay"
    "cli-rule"
    "cli-run"
    "cli-runs"
    "cli-schema"
    "cli-selftest"
    "cli-service"
    "cli-sign-in"
    "cli-source"
    "cli-status"
    "cli-trace"
    "cli-unlock-page"
    "cli-update"
    "cli-whatif"
    "cli-why"
    "cli-workflow"
    "console"
    "control"
    "course"
    "deliveries"
    "doctor"
    "door"
    "drawer"
    "drawer-part"
    "event-reasons"
    "evidence"
    "explanation"
    "feedback"
    "figures"
    "first-steps"
    "forgetting"
    "format"
    "frames"
    "free-time-calendar"
    "history"
    "home-assistant"
    "home-fields"
    "hosts-page"
    "kept"
    "keys"
    "kind-wishes"
    "kinds"
    "learned"
    "let-through"
    "mail-accounts"
    "meeting"
    "memory"
    "memory-page"
    "models"
    "money-questions"
    "month"
    "muting"
    "notice"
    "notify"
    "owner"
    "page"
    "palette"
    "palette-find"
    "parts"
    "passphrase"
    "people"
    "periods"
    "phone"
    "picture-day"
    "picture-lines"
    "picture-spending"
    "plain-text"
    "policy-constants"
    "policy-trial"
    "program-network"
    "readers"
    "refusal"
    "refused"
    "render"
    "runs"
    "same-person"
    "script"
    "sections"
    "sentences"
    "settings-form"
    "shop-category"
    "sign-in"
    "skip-reasons"
    "source-again"
    "source-look"
    "source-programs"
    "source-remedy"
    "spending"
    "telemetry"
    "tick"
    "tools"
    "towns"
    "two-days"
    "undo-later"
    "usual-spending"
    "voice"
    "web-push"
    "welcome"
    "why"
}
