//! The languages that Aura speaks, and how a text is said in one of them.
//!
//! What: [`Language`], and the ways to a text: [`Text`] for a constant, [`text`] for a phrase, [`say!`] for a sentence with values, [`translated`] for
//! what has its English elsewhere. Why: all texts lie in
//! Fluent files (`words/en`, `words/de`), one file for each concern, so that another language is another folder. Not here: who hears which
//! language (`locale`), numbers, sums and dates (`format`), what records say (they keep their own words).

mod known_language;
mod said_value;

pub use known_language::Language;
pub use said_value::SaidValue;

use crate::locale;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};
use std::{collections::HashMap, fmt, ops::Deref, sync::LazyLock};

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        collections::{BTreeMap, BTreeSet},
        fs,
        path::Path,
    };

    /// The variables of each message of a language, by its id; of one that is chosen by a count, of all its variants.
    fn variables(language: Language) -> BTreeMap<String, BTreeSet<String>> {
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (_, file) in language.files() {
            let mut id = None;
            for line in file.lines() {
                if line.starts_with(|first: char| first.is_ascii_lowercase()) {
                    let named = line.split_once(" =").map(|(id, _)| id.to_owned());
                    let named = named.unwrap_or_else(|| panic!("{language:?}: {line} has no text"));
                    let is_new = found.insert(named.clone(), BTreeSet::new()).is_none();
                    assert!(is_new, "{language:?}: {named} is there twice");
                    id = Some(named);
                }
                let id = id
                    .as_ref()
                    .unwrap_or_else(|| panic!("{language:?}: {line} belongs to no text"));
                let names = line.split('$').skip(1).map(|rest| {
                    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                    rest.split_at(end.unwrap_or(rest.len())).0.to_owned()
                });
                found.entry(id.clone()).or_default().extend(names);
            }
        }
        found
    }

    #[test]
    fn every_file_of_every_language_can_be_read_whole() {
        for language in Language::ALL {
            let files = language.files().iter().map(|(_, file)| file);
            for file in files.chain(GERMAN_TRANSLATIONS) {
                if let Err((_, errors)) = FluentResource::try_new((*file).to_owned()) {
                    panic!("{language:?}: {errors:?} in {file}");
                }
            }
        }
    }

    #[test]
    fn the_languages_say_the_same_texts_with_the_same_values() {
        let english = variables(Language::English);
        for language in Language::ALL {
            let other = variables(language);
            let ids =
                |texts: &BTreeMap<String, BTreeSet<String>>| texts.keys().cloned().collect::<BTreeSet<_>>();
            let (wanted, there) = (ids(&english), ids(&other));
            assert_eq!(
                wanted.difference(&there).collect::<Vec<_>>(),
                Vec::<&String>::new(),
                "{language:?} lacks these"
            );
            assert_eq!(
                there.difference(&wanted).collect::<Vec<_>>(),
                Vec::<&String>::new(),
                "nobody says these"
            );
            for (id, values) in &other {
                assert_eq!(values, &english[id], "{language:?}: {id}");
            }
        }
    }

    /// The ids in `Text("…")`, `text("…")` and `say!("…"`, in our sources.
    fn used(folder: &Path, ids: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                used(&path, ids);
            } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("language.rs")
            {
                let source: String = fs::read_to_string(&path).unwrap().split_whitespace().collect();
                for way in ["Text(\"", "text(\"", "say!(\""] {
                    let after = source.split(way).skip(1);
                    ids.extend(after.filter_map(|rest| rest.split('"').next()).map(str::to_owned));
                }
            }
        }
    }

    #[test]
    fn every_text_that_is_asked_for_is_there_and_none_is_left_over() {
        let mut ids = BTreeSet::new();
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        used(&sources, &mut ids);
        used(&sources.join("../../src"), &mut ids);
        used(&sources.join("../../../orchestrator/cli/src"), &mut ids);
        let there: BTreeSet<String> = variables(Language::English).into_keys().collect();
        // Words of other functions named `text` are no ids: an id has its file's name in front.
        let files: Vec<String> = fs::read_dir(sources.join("words/en"))
            .unwrap()
            .map(|file| {
                file.unwrap()
                    .file_name()
                    .into_string()
                    .unwrap()
                    .replace(".ftl", "-")
            })
            .collect();
        let is_id = |id: &String| files.iter().any(|file| id.starts_with(file));
        let asked: BTreeSet<String> = ids.into_iter().filter(is_id).collect();
        assert_eq!(
            asked.difference(&there).collect::<Vec<_>>(),
            Vec::<&String>::new(),
            "no file says these"
        );
        assert_eq!(
            there.difference(&asked).collect::<Vec<_>>(),
            Vec::<&String>::new(),
            "nobody asks for these"
        );
    }

    /// Texts that are asked for with more than one alone, and have another for one, or say a limit that is more.
    const OF_MANY: [&str; 101] = [
        "cli-common-free-then",
        "format-times-as-much",
        "answers-answer-these-says",
        "answers-mail-gone-says",
        "answers-you-wait-for-nobody",
        "answers-you-wait-for-says",
        "page-longest-first",
        "sections-nothing-waits",
        "sections-largest-payment",
        "sections-largest-payment-beside-bills",
        "away-back-in-minutes",
        "away-back-in-seconds",
        "cli-agent-requests-max",
        "cli-catalogue-tools",
        "cli-device-name-length",
        "cli-open-next-nothing-left",
        "cli-doctor-folder-modes-open",
        "cli-doctor-folder-refused-kept",
        "cli-doctor-folder-rows-lost",
        "cli-doctor-folder-service-answers",
        "cli-doctor-folder-store-sound",
        "cli-doctor-runs-sound",
        "cli-doctor-sandbox-held",
        "cli-doctor-source-entries",
        "cli-init-written",
        "cli-model-answered",
        "cli-model-checked",
        "cli-model-is-here",
        "cli-model-is-here-already",
        "cli-owner-host",
        "cli-memory-scan-in-file",
        "cli-memory-scan-in-page",
        "cli-memory-scan-too-short",
        "cli-replay-keep-exists",
        "cli-sign-in-try",
        "cli-source-in-address-books",
        "cli-source-login-kept",
        "cli-update-no-package",
        "cli-memory-audit-sound",
        "cli-memory-backed-up",
        "cli-memory-count-decisions",
        "cli-memory-count-drafts",
        "cli-memory-count-edges",
        "cli-memory-count-events",
        "cli-memory-count-labels",
        "cli-memory-count-measurements",
        "cli-memory-count-nodes",
        "cli-memory-count-notes",
        "cli-memory-count-runs",
        "cli-memory-count-traces",
        "cli-memory-days",
        "cli-memory-exported",
        "cli-memory-imported",
        "cli-memory-key-plan",
        "cli-memory-restored",
        "cli-memory-scan-none",
        "cli-memory-stats",
        "cli-memory-wipe-plan",
        "cli-memory-wipe-warning",
        "cli-memory-wiped",
        "cli-quarantine-purged",
        "cli-quarantine-stats",
        "cli-quarantine-torn",
        "cli-quarantine-unreadable",
        "cli-quarantine-would-purge",
        "cli-replay-made-again",
        "cli-status-interruptions",
        "cli-status-refused",
        "cli-status-skipped",
        "cli-whatif-day",
        "cli-whatif-sums",
        "cli-why-tokens",
        "cli-workflow-checked",
        "cli-workflow-steps",
        "console-policy-origin-a-policy-of-3",
        "console-what-if-sums-days",
        "doctor-doctor-fine-checks-are-fine",
        "event-reasons-held-back-at-held-back-times",
        "learned-learned-from-this-rests-on-2",
        "learned-within-hours",
        "learned-within-minutes",
        "memory-kept-days-kept-for-days",
        "memory-page-audit-act-entries",
        "money-questions-sender-you-taught-me-2",
        "money-questions-waits-payments-wait",
        "month-month-sums-on-days",
        "month-month-sums-times",
        "people-one-of-addresses",
        "runs-asked-times",
        "sections-points",
        "sections-rule-tried-since-this-would-3",
        "sections-wait-now-wait-now",
        "settings-form-left-out-things-were-left",
        "source-look-mails-days-ago",
        "source-look-mails-hours-ago",
        "source-look-mails-minutes-ago",
        "source-look-people-addresses-and-numbers",
        "source-look-places-said-places-whose-way",
        "source-look-source-holds-things-in-it",
        "spending-likely-transfers-payments-look-like",
        "two-days-things-many",
    ];
    /// Words in `s` that follow one thing, or its name.
    const NO_PLURALS: [&str; 22] = [
        "is", "was", "has", "does", "waits", "looks", "wants", "needs", "writes", "works", "answers",
        "counts", "comes", "ends", "overlaps", "clashes", "this", "as", "ms", "says", "means", "takes",
    ];

    /// A text as it is said where one of its values is a count, the others being two.
    fn said_with(texts: &LanguageTexts, id: &str, values: &BTreeSet<String>, of: &str, count: u64) -> String {
        let pattern = texts
            .bundle
            .get_message(id)
            .and_then(|message| message.value())
            .unwrap();
        let mut args = FluentArgs::new();
        for name in values {
            args.set(name.as_str(), if name == of { count } else { 2 });
        }
        let mut errors = Vec::new();
        texts
            .bundle
            .format_pattern(pattern, Some(&args), &mut errors)
            .into_owned()
    }

    #[test]
    fn what_a_half_translated_language_lacks_is_said_in_english() {
        // One text, one that was begun, and a line that is none.
        let half = LanguageTexts::from_files(
            Language::German,
            &["phone-keys-sheet = Tasten\nphone-keys-go =\n{ $ = \n"],
        );
        let texts = [&half, Language::English.texts()];
        assert_eq!(plain_in(texts, "phone-keys-sheet"), Some("Tasten"));
        assert_eq!(
            plain_in(texts, "phone-keys-go"),
            Some("Go to a page, a person, a chat or a day")
        );
        let until = |id| sentence_in(texts, id, &[("at", SaidValue::from("18:00"))]);
        assert_eq!(until("sections-until").as_deref(), Some("until 18:00"));
        assert_eq!(until("no-file-has-this"), None);
        assert_eq!(plain_in(texts, "no-file-has-this"), None);
    }

    #[test]
    fn a_count_is_said_as_people_say_none_one_and_two() {
        let english = variables(Language::English);
        let load = |language| LanguageTexts::of_files(language, |_| true);
        let english_texts = load(Language::English);
        let all_texts = Language::ALL.map(load);
        let mut wrong = Vec::new();
        for (id, values) in english.iter().filter(|(id, _)| !OF_MANY.contains(&id.as_str())) {
            for of in values {
                let said = |texts, count| said_with(texts, id, values, of, count);
                let digits = |text: String| text.replace(|c: char| c.is_ascii_digit(), "#");
                let one = said(&english_texts, 1);
                let words: Vec<&str> = one.split_whitespace().collect();
                for pair in words.windows(2) {
                    let next = pair[1].trim_end_matches(|c: char| !c.is_alphabetic());
                    let is_plural = next.ends_with('s') && next.chars().all(char::is_lowercase);
                    if pair[0] == "1" && is_plural && next.len() > 1 && !NO_PLURALS.contains(&next) {
                        wrong.push(format!("{id}: {one}"));
                    }
                }
                for texts in &all_texts {
                    // Of none as of many, where it is no word of its own.
                    let (none, two) = (digits(said(texts, 0)), digits(said(texts, 2)));
                    if none != two && none.contains('#') {
                        wrong.push(format!("{id}: {none}, {two}"));
                    }
                }
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn a_sentence_is_said_in_the_language_that_is_spoken() {
        let said = || (text("format-tue"), say!("format-at", time = "08:23"));
        assert_eq!(said(), ("Tue", "at 08:23".to_owned()));
        assert_eq!(
            locale::speaking(Language::German, said),
            ("Di", "um 08:23".to_owned())
        );
        assert_eq!(spoken(), Language::English);
    }
}
