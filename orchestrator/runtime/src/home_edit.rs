//! Changing the owner's file as its owner would by hand.
//!
//! What: [`HomeEdit`], and [`apply`], which gives the text with those edits. Why: the file is the one truth; a form is an edit of it, and what
//! the owner wrote beside it (comments, order, blank lines) stays hers. Pure: no file is touched. Not here: writing (`home_file`), what a
//! setting means and whether it makes sense (`config`).

mod accounts;

use crate::home_fields;
use agents::contract::CsvMapping;
use std::path::{Path, PathBuf};
use surfaces_base::{
    backend::accounts::AccountChange,
    language::{say, text},
};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, RawString, Table, TableLike, Value};
use toolcall_schema::SourceKind;

/// One edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HomeEdit {
    /// An IANA name.
    Zone(String),
    Names(Vec<String>),
    Addresses(Vec<String>),
    /// Interruptions a day.
    Ceiling(u8),
    /// `07:30`
    BriefTime(String),
    /// Local times between which nothing disturbs.
    QuietHours(Vec<[String; 2]>),
    /// Minutes of sleep the owner wants.
    SleepTarget(u32),
    /// What is in the account, at an instant in RFC 3339.
    Balance {
        amount: String,
        currency: String,
        as_of: String,
    },
    /// A setting by its key with dots, as its field writes it.
    Field(String, String),
    /// What phone and Aura write to at the owner's ntfy server, where the file names a server and no topics yet.
    NtfyTopics {
        topic: String,
        answers: String,
    },
    /// Minutes from home to a place, by its key; `None`: nothing is known of it any more.
    Place(String, Option<u32>),
    /// A file or folder more; one that is there already stays once.
    AddSource(SourceKind, PathBuf),
    /// How a bank's exports are read; the first that fits a file is taken.
    AddMapping(Box<CsvMapping>),
    /// A file or folder less, as the file writes it or as it leads to; a paused one too.
    RemoveSource(SourceKind, PathBuf),
    /// A file or folder that is not read for now: it stays in the file, under `[sources.paused]`.
    PauseSource(SourceKind, PathBuf),
    /// One that is read again.
    ResumeSource(SourceKind, PathBuf),
    /// An account on a server: one more, one less, or one that is not looked at for now.
    Account(Box<AccountChange>),
}

/// A file that cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HomeEditError {
    /// Not TOML.
    #[error("the file is not valid TOML")]
    NotToml,
    /// The place of this key holds something else.
    #[error("`{0}` is written in a way that a form cannot change")]
    Shape(&'static str),
    /// A path that is no text.
    #[error("the path is not UTF-8, and cannot be written there")]
    Path,
    /// A field's text that makes no sense, or a key without a field.
    #[error("{key} {problem}")]
    Field { key: String, problem: String },
    /// There is an account of that name.
    #[error("there is an account of that name already")]
    SameName,
    /// There is no such source.
    #[error("there is no such source any more")]
    NoSource,
}

impl HomeEditError {
    /// For who asked for the edit.
    pub(crate) fn in_words(&self) -> String {
        match self {
            Self::NotToml => text("control-file-no-toml").to_owned(),
            Self::Shape(key) => say!("control-file-shape", key = *key),
            Self::Path => text("control-path-no-text").to_owned(),
            Self::Field { key, problem } => format!("{key} {problem}"),
            Self::SameName => text("control-account-same-name").to_owned(),
            Self::NoSource => text("control-source-gone").to_owned(),
        }
    }
}

/// The text with these edits; `base` is the folder that relative paths start from.
///
/// # Errors
/// [`HomeEditError`]; nothing is half done.
pub(crate) fn apply(text: &str, base: &Path, edits: &[HomeEdit]) -> Result<String, HomeEditError> {
    let mut document: DocumentMut = text.parse().map_err(|_| HomeEditError::NotToml)?;
    for edit in edits {
        let root = document.as_table_mut();
        match edit {
            HomeEdit::Zone(zone) => set(root, "zone", zone.as_str().into())?,
            HomeEdit::Names(names) => set(root, "names", texts(names))?,
            HomeEdit::Addresses(addresses) => set(root, "addresses", texts(addresses))?,
            HomeEdit::Ceiling(ceiling) => set(root, "ceiling", i64::from(*ceiling).into())?,
            HomeEdit::BriefTime(time) => set(root, "brief_time", time.as_str().into())?,
            HomeEdit::QuietHours(hours) => set(root, "dnd", hours.iter().map(|span| texts(span)).collect())?,
            HomeEdit::SleepTarget(minutes) => set(root, "sleep_target_min", i64::from(*minutes).into())?,
            HomeEdit::Balance {
                amount,
                currency,
                as_of,
            } => set_balance(root, [amount, currency, as_of])?,
            HomeEdit::Field(key, text) => set_field(root, key, text)?,
            HomeEdit::NtfyTopics { topic, answers } => {
                set_topics(root, topic, answers)?;
                // Taken away with the rest, it would be said to be saved.
                if gives_ntfy_token(edits) && !root.contains_key("ntfy") {
                    return Err(HomeEditError::Field {
                        key: "ntfy.token".to_owned(),
                        problem: "needs the address of its server".to_owned(),
                    });
                }
            }
            HomeEdit::Place(place, minutes) => set_place(root, place, *minutes)?,
            HomeEdit::AddSource(kind, path) => add(root, *kind, path, base)?,
            HomeEdit::AddMapping(mapping) => add_mapping(root, mapping)?,
            HomeEdit::RemoveSource(kind, path) => remove(root, *kind, path, base)?,
            HomeEdit::PauseSource(kind, path) => {
                let written = take(read_list(root, *kind)?, path, base)?;
                put(paused_list(root, *kind)?, written, path, base);
            }
            HomeEdit::Account(change) => accounts::change_account(root, change)?,
            HomeEdit::ResumeSource(kind, path) => {
                let written = take(paused_list(root, *kind)?, path, base)?;
                put(read_list(root, *kind)?, written, path, base);
            }
        }
    }
    Ok(document.to_string())
}

fn texts(texts: &[String]) -> Value {
    let array: Array = texts.iter().map(String::as_str).collect();
    array.into()
}

/// Sets a key of a table. What stands around an older value stays, its comment too; a new key comes after the last one.
fn set(table: &mut dyn TableLike, key: &'static str, mut value: Value) -> Result<(), HomeEditError> {
    match table.get_mut(key) {
        Some(Item::Value(old)) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        Some(_) => return Err(HomeEditError::Shape(key)),
        None => {
            table.insert(key, Item::Value(value));
        }
    }
    Ok(())
}

/// Sets a setting of a table, which is made when it is not there; an empty one goes.
fn set_field(root: &mut Table, key: &str, text: &str) -> Result<(), HomeEditError> {
    let wrong = |problem: String| HomeEditError::Field {
        key: key.to_owned(),
        problem,
    };
    let (key, kind) = home_fields::field(key).ok_or_else(|| wrong("has no field".to_owned()))?;
    let value = home_fields::value_of(kind, text).map_err(wrong)?;
    let mut parts = key.split('.');
    let name = parts.next_back().unwrap_or(key);
    let mut table: &mut dyn TableLike = root;
    let mut is_inline = false;
    for part in parts {
        is_inline |= table.get(part).is_some_and(Item::is_inline_table);
        if table.get(part).is_none() {
            // Within a line only a line can stand.
            let made = if is_inline {
                Item::Value(InlineTable::new().into())
            } else {
                Item::Table(Table::new())
            };
            table.insert(part, made);
        }
        let inner = table.get_mut(part).and_then(Item::as_table_like_mut);
        table = inner.ok_or(HomeEditError::Shape(key))?;
    }
    match value {
        // A place may be written as a table of its own.
        Some(value) if table.get(name).is_some_and(Item::is_table) => {
            table.insert(name, Item::Value(value));
            Ok(())
        }
        Some(value) => set(table, name, value),
        None => {
            table.remove(name);
            Ok(())
        }
    }
}

fn gives_ntfy_token(edits: &[HomeEdit]) -> bool {
    let is_token = |edit: &HomeEdit| matches!(edit, HomeEdit::Field(key, text) if key == "ntfy.token" && !text.is_empty());
    edits.iter().any(is_token)
}

/// Makes `[ntfy]` whole: topics where there are none, and nothing of it where no server is named.
fn set_topics(root: &mut Table, topic: &str, answers: &str) -> Result<(), HomeEditError> {
    let Some(item) = root.get_mut("ntfy") else {
        return Ok(());
    };
    let table = item.as_table_like_mut().ok_or(HomeEditError::Shape("ntfy"))?;
    if !table.contains_key("server") {
        root.remove("ntfy");
        return Ok(());
    }
    for (key, text) in [("topic", topic), ("answers", answers)] {
        if !table.contains_key(key) {
            set(table, key, text.into())?;
        }
    }
    Ok(())
}

/// One entry of `[calendar.places]`, which is made when it is not there.
fn set_place(root: &mut Table, place: &str, minutes: Option<u32>) -> Result<(), HomeEditError> {
    let wrong = HomeEditError::Shape("calendar.places");
    let made = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    let calendar = root.entry("calendar").or_insert_with(made);
    let is_line = calendar.is_inline_table();
    let calendar = calendar.as_table_like_mut().ok_or(wrong.clone())?;
    if calendar.get("places").is_none() && minutes.is_some() {
        let table = if is_line {
            Item::Value(InlineTable::new().into())
        } else {
            Item::Table(Table::new())
        };
        calendar.insert("places", table);
    }
    let Some(places) = calendar.get_mut("places") else {
        return Ok(());
    };
    let places = places.as_table_like_mut().ok_or(wrong)?;
    match minutes {
        Some(minutes) => drop(places.insert(place, Item::Value(i64::from(minutes).into()))),
        None => drop(places.remove(place)),
    }
    Ok(())
}

/// In the form in which it is written: an inline table, or a table of its own.
fn set_balance(root: &mut Table, [amount, currency, as_of]: [&String; 3]) -> Result<(), HomeEditError> {
    let parts = [("amount", amount), ("currency", currency), ("as_of", as_of)];
    if let Some(item) = root.get_mut("balance") {
        let table = item.as_table_like_mut().ok_or(HomeEditError::Shape("balance"))?;
        return parts
            .into_iter()
            .try_for_each(|(key, text)| set(table, key, text.as_str().into()));
    }
    let inline: InlineTable = parts
        .into_iter()
        .map(|(key, text)| (key, Value::from(text.as_str())))
        .collect();
    set(root, "balance", inline.into())
}

/// The list of a kind of source that is read, made when it is not there.
fn read_list(root: &mut Table, kind: SourceKind) -> Result<&mut Array, HomeEditError> {
    list(sources(root)?, kind)
}

/// The same of what is paused.
fn paused_list(root: &mut Table, kind: SourceKind) -> Result<&mut Array, HomeEditError> {
    let sources = sources(root)?;
    if sources.get("paused").is_none() {
        // An inline table cannot hold one of another form.
        let table = if sources.is_dotted() || !sources.iter().any(|(_, item)| item.is_table()) {
            Item::Value(InlineTable::new().into())
        } else {
            Item::Table(Table::new())
        };
        sources.insert("paused", table);
    }
    let paused = sources.get_mut("paused").and_then(Item::as_table_like_mut);
    list(paused.ok_or(HomeEditError::Shape("sources.paused"))?, kind)
}

fn sources(root: &mut Table) -> Result<&mut dyn TableLike, HomeEditError> {
    root.entry("sources")
        .or_insert_with(|| Item::Table(Table::new()))
        .as_table_like_mut()
        .ok_or(HomeEditError::Shape("sources"))
}

/// The list of a kind in a table, made when it is not there.
fn list(sources: &mut dyn TableLike, kind: SourceKind) -> Result<&mut Array, HomeEditError> {
    if sources.get(kind.as_str()).is_none() {
        sources.insert(kind.as_str(), Item::Value(Array::new().into()));
    }
    sources
        .get_mut(kind.as_str())
        .and_then(Item::as_array_mut)
        .ok_or(HomeEditError::Shape("sources"))
}

/// In the form in which mappings are written: a list of inline tables, or `[[finance.csv]]`, which is made when there is none.
fn add_mapping(root: &mut Table, mapping: &CsvMapping) -> Result<(), HomeEditError> {
    let text = toml::to_string(mapping).map_err(|_| HomeEditError::Shape("finance.csv"))?;
    let written: DocumentMut = text.parse().map_err(|_| HomeEditError::NotToml)?;
    // What has parts of its own, as an amount of two columns, stays on one line.
    let parts = written.iter().filter_map(|(key, item)| {
        let value = item.clone().into_value().ok()?;
        Some((key.to_owned(), value))
    });
    let finance = root
        .entry("finance")
        .or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        })
        .as_table_like_mut()
        .ok_or(HomeEditError::Shape("finance"))?;
    // One of the same columns is that bank's: it is changed, because the first that fits is taken.
    let is_it = |table: &dyn TableLike| {
        let header = table.get("header").and_then(Item::as_array);
        let names = header.map(|header| header.iter().filter_map(Value::as_str));
        names.is_some_and(|names| names.eq(mapping.header.iter().map(String::as_str)))
    };
    match finance.get_mut("csv") {
        Some(Item::Value(Value::Array(list))) => {
            let is_that = |value: &Value| value.as_inline_table().is_some_and(|table| is_it(table));
            let place = list.iter().position(is_that);
            match place.and_then(|i| list.get_mut(i)?.as_inline_table_mut()) {
                Some(table) => write_parts(table, parts.collect()),
                None => list.push(parts.collect::<InlineTable>()),
            }
        }
        Some(Item::ArrayOfTables(list)) => {
            let place = list.iter().position(|table| is_it(table));
            match place.and_then(|i| list.get_mut(i)) {
                Some(table) => write_parts(table, parts.collect()),
                None => list.push(parts.collect()),
            }
        }
        Some(_) => return Err(HomeEditError::Shape("finance.csv")),
        None => {
            let mut list = ArrayOfTables::new();
            list.push(parts.collect());
            finance.insert("csv", Item::ArrayOfTables(list));
        }
    }
    Ok(())
}

/// Writes all parts of a mapping over another one; what that has besides goes.
fn write_parts(table: &mut dyn TableLike, parts: Vec<(String, Value)>) {
    let old: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
    for key in old.iter().filter(|key| parts.iter().all(|(new, _)| new != *key)) {
        table.remove(key);
    }
    for (key, value) in parts {
        table.insert(&key, Item::Value(value));
    }
}

fn add(root: &mut Table, kind: SourceKind, path: &Path, base: &Path) -> Result<(), HomeEditError> {
    let text = path.to_str().ok_or(HomeEditError::Path)?;
    let paths = read_list(root, kind)?;
    if position(paths, path, base).is_none() {
        paths.push(text);
    }
    Ok(())
}

fn remove(root: &mut Table, kind: SourceKind, path: &Path, base: &Path) -> Result<(), HomeEditError> {
    if take(read_list(root, kind)?, path, base).is_ok() {
        return Ok(());
    }
    let sources = root.get("sources").and_then(Item::as_table_like);
    if sources.is_none_or(|sources| sources.get("paused").is_none()) {
        return Err(HomeEditError::NoSource);
    }
    take(paused_list(root, kind)?, path, base).map(drop)
}

/// Takes a path out of a list, as it is written there.
fn take(paths: &mut Array, path: &Path, base: &Path) -> Result<Value, HomeEditError> {
    let place = position(paths, path, base).ok_or(HomeEditError::NoSource)?;
    let mut written = paths.remove(place);
    // Blanks are of its old place; what the owner wrote about it goes along.
    let decor = written.decor();
    let around = [decor.prefix(), decor.suffix()].into_iter().flatten();
    if !around
        .filter_map(RawString::as_str)
        .any(|text| text.contains('#'))
    {
        written.decor_mut().clear();
    }
    Ok(written)
}

/// Puts a path at the end of a list, once.
fn put(paths: &mut Array, written: Value, path: &Path, base: &Path) {
    if position(paths, path, base).is_none() {
        paths.push(written);
    }
}

/// Where a list names that path.
fn position(paths: &Array, path: &Path, base: &Path) -> Option<usize> {
    // Without `//`, `/./` and a slash at the end, as the configuration reads it.
    let plain = |path: &Path| -> PathBuf { base.join(path).components().collect() };
    let wanted = plain(path);
    let mut named = paths.iter().map(|value| value.as_str().map(Path::new));
    named.position(|named| named.is_some_and(|named| plain(named) == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::HomeConfig;

    const FILE: &str = "# Who I am.\n\
        zone = \"Europe/Berlin\"   # since 2019\n\
        \n\
        # At most two.\n\
        ceiling = 2\n\
        names = [\"anna\"] # nicknames too\n\
        \n\
        [calendar]\n\
        default_mode = \"bike\" # always\n\
        \n\
        [sources]\n\
        # The old archive comes first.\n\
        mail = [\"archive\", \"/srv/mail/\"] # both\n";

    fn changed(text: &str, edits: &[HomeEdit]) -> String {
        apply(text, Path::new("/home/anna/.config/aura"), edits).unwrap()
    }

    #[test]
    fn value_changes_and_all_around_it_stays() {
        let text = |text: &str| text.to_owned();
        for (edit, old, new) in [
            (
                HomeEdit::Zone(text("Asia/Kolkata")),
                "\"Europe/Berlin\"",
                "\"Asia/Kolkata\"",
            ),
            (HomeEdit::Ceiling(5), "ceiling = 2", "ceiling = 5"),
            (
                HomeEdit::Names(vec![text("anna"), text("A \"K\"")]),
                "[\"anna\"]",
                "[\"anna\", 'A \"K\"']",
            ),
            (
                HomeEdit::RemoveSource(SourceKind::Mail, "/srv/mail".into()),
                "[\"archive\", \"/srv/mail/\"]",
                "[\"archive\"]",
            ),
            (
                HomeEdit::RemoveSource(SourceKind::Mail, "/home/anna/.config/aura/archive".into()),
                "[\"archive\", \"/srv/mail/\"]",
                "[ \"/srv/mail/\"]",
            ),
            (
                HomeEdit::AddSource(SourceKind::Mail, "/home/anna/Mail".into()),
                "\"/srv/mail/\"]",
                "\"/srv/mail/\", \"/home/anna/Mail\"]",
            ),
            // It is there, under another way of writing it.
            (
                HomeEdit::AddSource(SourceKind::Mail, "/srv//mail".into()),
                "2019",
                "2019",
            ),
        ] {
            let expected = FILE.replacen(old, new, 1);
            assert_eq!(changed(FILE, std::slice::from_ref(&edit)), expected, "{edit:?}");
        }
    }

    #[test]
    fn what_is_not_there_yet_is_added_where_it_belongs() {
        let quiet = HomeEdit::QuietHours(vec![["22:00".to_owned(), "07:00".to_owned()]]);
        let balance = HomeEdit::Balance {
            amount: "1200.50".to_owned(),
            currency: "EUR".to_owned(),
            as_of: "2026-11-03T07:00:00Z".to_owned(),
        };
        let source = HomeEdit::AddSource(SourceKind::Finance, "/home/anna/bank.csv".into());
        let zone = "zone = \"UTC\"\n";
        assert_eq!(
            changed(zone, &[quiet, HomeEdit::SleepTarget(450), balance, source]),
            "zone = \"UTC\"\n\
             dnd = [[\"22:00\", \"07:00\"]]\n\
             sleep_target_min = 450\n\
             balance = { amount = \"1200.50\", currency = \"EUR\", as_of = \"2026-11-03T07:00:00Z\" }\n\
             \n[sources]\n\
             finance = [\"/home/anna/bank.csv\"]\n"
        );
    }

    #[test]
    fn a_place_is_told_told_otherwise_and_forgotten() {
        let place = |minutes| [HomeEdit::Place("lo_0123456789abcdef".to_owned(), minutes)];
        for (before, after) in [
            (
                "zone = \"UTC\"\n",
                "zone = \"UTC\"\n\n[calendar.places]\nlo_0123456789abcdef = 20\n",
            ),
            (
                "zone = \"UTC\"\n[calendar]\ndefault_mode = \"bike\" # always\n",
                "zone = \"UTC\"\n[calendar]\ndefault_mode = \"bike\" # always\n\n[calendar.places]\nlo_0123456789abcdef = 20\n",
            ),
            (
                "zone = \"UTC\"\ncalendar = { default_mode = \"bike\" }\n",
                "zone = \"UTC\"\ncalendar = { default_mode = \"bike\" , places = { lo_0123456789abcdef = 20 } }\n",
            ),
        ] {
            let told = changed(before, &place(Some(20)));
            assert_eq!(told, after, "{before}");
            HomeConfig::from_text(Path::new("home.toml"), &told).unwrap();
            let otherwise = changed(&told, &place(Some(0)));
            assert_eq!(otherwise, told.replace("= 20", "= 0"), "{before}");
            let gone = changed(&told, &place(None));
            assert!(!gone.contains("lo_"), "{gone}");
            HomeConfig::from_text(Path::new("home.toml"), &gone).unwrap();
            assert!(!changed(before, &place(None)).contains("lo_"));
        }
        // What is no such key is refused where the file is read.
        let wrong = changed(
            "zone = \"UTC\"\n",
            &[HomeEdit::Place("the inn".to_owned(), Some(20))],
        );
        assert!(HomeConfig::from_text(Path::new("home.toml"), &wrong).is_err());
    }

    #[test]
    fn mapping_is_added_in_the_form_that_is_there() {
        let mapping: CsvMapping = serde_json::from_str(
            r#"{ "name": "savings", "header": ["Date", "Sum"], "date": "Date", "date_formats": ["%d/%m/%Y"],
            "amount": { "charged": "Sum" }, "payee": ["Who"], "currency": "EUR", "account": "0000" }"#,
        )
        .unwrap();
        let written = |text: &str, mapping: &CsvMapping| {
            let after = changed(text, &[HomeEdit::AddMapping(Box::new(mapping.clone()))]);
            let read = crate::config::HomeConfig::from_text(Path::new("home.toml"), &after).unwrap();
            (read.owner.finance.csv, after)
        };
        let has = |text: &str, before: &str| {
            let (all, after) = written(text, &mapping);
            assert!(after.starts_with(before), "{after}");
            assert_eq!(all.last(), Some(&mapping), "{after}");
            (all.len(), after)
        };
        let plain = "zone = \"UTC\" # mine\nceiling = 2\n";
        let (count, after) = has(plain, plain);
        assert_eq!(count, 1);
        assert!(
            after.contains("\n[[finance.csv]]\nname = \"savings\"\n"),
            "{after}"
        );
        // One of other columns comes behind the first, and what is written beside stays.
        let mut other = mapping.clone();
        other.header = vec!["Day".to_owned(), "Sum".to_owned()];
        let (all, both) = written(&after, &other);
        assert!(both.starts_with(&after), "{both}");
        assert_eq!(all, [mapping.clone(), other.clone()]);
        // The same columns read otherwise are that bank's from now on, where it stands.
        let mut better = mapping.clone();
        better.payee = vec!["Text".to_owned()];
        better.balance = Some("Rest".to_owned());
        assert_eq!(written(&both, &better).0, [better.clone(), other.clone()]);
        let (all, back) = written(&written(&both, &better).1, &mapping);
        assert_eq!(all, [mapping.clone(), other]);
        assert!(!back.contains("balance"), "{back}");
        let inline = "zone = \"UTC\"\n[finance]\naccounts = [\"8841\"] # both\ncsv = []\n";
        let (count, after) = has(
            inline,
            "zone = \"UTC\"\n[finance]\naccounts = [\"8841\"] # both\ncsv = [{",
        );
        assert_eq!(count, 1, "{after}");
        assert_eq!(written(&after, &better).0, [better]);
    }

    #[test]
    fn settings_of_another_form_are_changed_in_it() {
        let edits = [
            HomeEdit::AddSource(SourceKind::Sms, "/s".into()),
            HomeEdit::Balance {
                amount: "2".to_owned(),
                currency: "EUR".to_owned(),
                as_of: "2026-11-03T07:00:00Z".to_owned(),
            },
        ];
        let inline = "zone = \"UTC\"\nsources = { mail = [] }\n\
            [balance] # of the joint account\namount = \"1\"\ncurrency = \"EUR\"\nas_of = \"2026-11-01T07:00:00Z\"\n";
        assert_eq!(
            changed(inline, &edits),
            "zone = \"UTC\"\nsources = { mail = [] , sms = [\"/s\"] }\n\
            [balance] # of the joint account\namount = \"2\"\ncurrency = \"EUR\"\nas_of = \"2026-11-03T07:00:00Z\"\n"
        );
        let dotted = "zone = \"UTC\"\nsources.mail = [\"/m\"]\n";
        assert_eq!(
            changed(dotted, &edits[..1]),
            "zone = \"UTC\"\nsources.mail = [\"/m\"]\nsources.sms = [\"/s\"]\n"
        );
    }

    #[test]
    fn source_is_paused_and_resumed_as_it_is_written_and_all_around_it_stays() {
        let pause = |path: &str| HomeEdit::PauseSource(SourceKind::Mail, path.into());
        let resume = |path: &str| HomeEdit::ResumeSource(SourceKind::Mail, path.into());
        // As the page names it: with its whole path.
        let archive = "/home/anna/.config/aura/archive";
        let paused = changed(FILE, &[pause(archive)]);
        let expected = FILE.replacen(
            "[\"archive\", \"/srv/mail/\"] # both\n",
            "[ \"/srv/mail/\"] # both\npaused = { mail = [\"archive\"] }\n",
            1,
        );
        assert_eq!(paused, expected);
        let read =
            crate::config::HomeConfig::from_text(Path::new("/home/anna/.config/aura/home.toml"), &paused)
                .unwrap();
        assert_eq!(read.sources.mail, [PathBuf::from("/srv/mail")]);
        assert_eq!(read.paused.mail, [PathBuf::from(archive)]);
        // Back, at the end of its list; and one that is paused is removed like any other.
        let resumed = changed(&paused, &[resume(archive)]);
        assert!(
            resumed.contains("mail = [ \"/srv/mail/\", \"archive\"] # both"),
            "{resumed}"
        );
        let gone = changed(
            &paused,
            &[HomeEdit::RemoveSource(SourceKind::Mail, archive.into())],
        );
        assert!(!gone.contains("archive\""), "{gone}");
        // A table of its own, and one written in a line, keep their form.
        for text in [
            "zone = \"UTC\"\n[sources]\nmail = [\"/m\"]\n[sources.paused]\nsms = [\"/s\"] # later\n",
            "zone = \"UTC\"\nsources = { mail = [\"/m\"] }\n",
            "zone = \"UTC\"\nsources.mail = [\"/m\"]\n",
        ] {
            let paused = changed(text, &[pause("/m")]);
            let read = crate::config::HomeConfig::from_text(Path::new("home.toml"), &paused).unwrap();
            assert_eq!(read.paused.mail, [PathBuf::from("/m")], "{paused}");
            assert!(read.sources.mail.is_empty(), "{paused}");
            let back = changed(&paused, &[resume("/m")]);
            let read = crate::config::HomeConfig::from_text(Path::new("home.toml"), &back).unwrap();
            assert_eq!(read.sources.mail, [PathBuf::from("/m")], "{back}");
        }
        for edit in [pause("/gone"), resume("/srv/mail"), resume("/gone")] {
            assert_eq!(apply(FILE, Path::new("/"), &[edit]), Err(HomeEditError::NoSource));
        }
    }

    #[test]
    fn what_a_form_cannot_change_is_refused_whole() {
        let base = Path::new("/");
        let gone = HomeEdit::RemoveSource(SourceKind::Mail, "/gone".into());
        for (text, edit, error) in [
            ("zone = ", HomeEdit::Ceiling(1), HomeEditError::NotToml),
            (
                "zone = \"UTC\"\nsources = 3\n",
                gone.clone(),
                HomeEditError::Shape("sources"),
            ),
            (
                "[ceiling]\nx = 1\n",
                HomeEdit::Ceiling(1),
                HomeEditError::Shape("ceiling"),
            ),
            ("zone = \"UTC\"\n", gone, HomeEditError::NoSource),
        ] {
            assert_eq!(apply(text, base, &[edit]), Err(error), "{text}");
        }
    }
}
