//! Tests of what a form may allow.
//!
//! What: a path by what it holds. Why: a bank's file must not become mail. Not here: the file itself (`home_file`).

use super::*;

#[test]
fn a_path_is_allowed_as_what_it_is_or_is_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let bank = file(
        "umsaetze.csv",
        "Buchungstag;Empfänger;Betrag (EUR)\n29.08.2026;Bäcker;-20,29\n",
    );
    let kinds = |path: &str| {
        SettingsEditor::with_kinds(HomeFileChange {
            allow_by_content: vec![path.to_owned()],
            ..HomeFileChange::default()
        })
    };
    let allowed = HomeFileChange {
        allow: vec![SourceRef {
            list: SourceKind::Finance,
            path: bank.clone(),
        }],
        ..HomeFileChange::default()
    };
    assert_eq!(kinds(&bank), Ok(allowed));
    let unclear = kinds(&file("notes.csv", "a,b\n1,2\n"));
    assert!(matches!(unclear, Err(HomeChangeReply::Refused(_))), "{unclear:?}");
}
