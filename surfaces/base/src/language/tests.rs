//! What the texts have in common: the same ids and values in each language, a form for one and for many, none left over.

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
        let ids = |texts: &BTreeMap<String, BTreeSet<String>>| texts.keys().cloned().collect::<BTreeSet<_>>();
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
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("language.rs") {
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
    used(&sources.join("../../../orchestrator/runtime/src"), &mut ids);
    used(&sources.join("../../../orchestrator/hosts/src"), &mut ids);
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
const OF_MANY: [&str; 66] = [
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
    "cli-arguments-too-few",
    "cli-arguments-wrong-number",
    "cli-device-name-length",
    "cli-open-next-nothing-left",
    "cli-policy-combinations",
    "cli-doctor-folder-rows-lost",
    "cli-memory-audit-fault-cut-off",
    "cli-memory-audit-fault-rewritten",
    "cli-memory-audit-fault-signature",
    "cli-memory-scan-in-file",
    "cli-memory-scan-in-page",
    "cli-memory-scan-too-short",
    "cli-replay-keep-exists",
    "cli-sign-in-try",
    "cli-source-in-address-books",
    "cli-source-login-kept",
    "cli-update-no-package",
    "cli-memory-scan-none",
    "cli-why-tokens",
    "cli-workflow-checked",
    "console-policy-origin-a-policy-of-3",
    "control-agent-silent",
    "control-ask-arguments",
    "control-ask-not-on-request",
    "control-in-data-folder",
    "control-rows-brought-back",
    "control-several-acts",
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
    "is", "was", "has", "does", "waits", "looks", "wants", "needs", "writes", "works", "answers", "counts",
    "comes", "ends", "overlaps", "clashes", "this", "as", "ms", "says", "means", "takes",
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
