//! Accounts on servers in the owner's file.
//!
//! What: [`change_account`]: one of `[[accounts]]` more, less, or not looked at for now. Why: as any other edit it leaves alone what stands around
//! it. Not here: whether an account makes sense (`config`).

use super::{HomeEditError, set};
use surfaces_base::backend::{
    accounts::{AccountAct, AccountChange, AccountDraft},
    sign_in::SignInDraft,
};
use toml_edit::{Array, ArrayOfTables, InlineTable, Item, Table, Value};

/// One of `[[accounts]]`, which are made when there are none.
pub(super) fn change_account(root: &mut Table, change: &AccountChange) -> Result<(), HomeEditError> {
    let accounts = root
        .entry("accounts")
        .or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    let accounts = accounts
        .as_array_of_tables_mut()
        .ok_or(HomeEditError::Shape("accounts"))?;
    let name_of = |table: &Table| table.get("name").and_then(Item::as_str).map(str::to_owned);
    let found = accounts
        .iter()
        .position(|table| name_of(table).as_ref() == Some(&change.name));
    match &change.act {
        AccountAct::Add(_) if found.is_some() => return Err(HomeEditError::SameName),
        AccountAct::Add(draft) => {
            let mut table = Table::new();
            let mut put = |key: &str, value: Value| drop(table.insert(key, Item::Value(value)));
            put("name", change.name.as_str().into());
            put("kind", draft.kind.as_str().into());
            put("address", draft.address.as_str().into());
            if let Some(user) = &draft.user {
                put("user", user.as_str().into());
            }
            if draft.private {
                put("private", true.into());
            }
            if let Some(every) = draft.every {
                put("every", i64::from(every).into());
            }
            if let Some(days) = draft.days {
                put("days", i64::from(days).into());
            }
            if let Some(certificate) = &draft.certificate {
                put("certificate", certificate.as_str().into());
            }
            if draft.write {
                put("write", true.into());
            }
            if let Some(draft) = &draft.sign_in {
                put("sign_in", sign_in_table(draft).into());
            }
            accounts.push(table);
            return add_address(root, draft);
        }
        AccountAct::Pause
        | AccountAct::Resume
        | AccountAct::AllowWrite
        | AccountAct::ForbidWrite
        | AccountAct::KeepFree(_)
        | AccountAct::Remove => {}
    }
    let found = found.ok_or(HomeEditError::NoSource)?;
    if let AccountAct::KeepFree(calendar) = &change.act {
        for (at, table) in accounts.iter_mut().enumerate() {
            if at == found {
                set(table, "keep_free", calendar.as_str().into())?;
            } else {
                table.remove("keep_free");
            }
        }
    }
    let mut flag = |key: &'static str, is_set: bool| {
        let table = accounts.get_mut(found).ok_or(HomeEditError::NoSource)?;
        if is_set {
            set(table, key, true.into())
        } else {
            table.remove(key);
            Ok(())
        }
    };
    match &change.act {
        AccountAct::Pause => flag("paused", true)?,
        AccountAct::Resume => flag("paused", false)?,
        AccountAct::AllowWrite => flag("write", true)?,
        AccountAct::ForbidWrite => flag("write", false)?,
        AccountAct::Remove => drop(accounts.remove(found)),
        AccountAct::Add(_) | AccountAct::KeepFree(_) => {}
    }
    if accounts.is_empty() {
        root.remove("accounts");
    }
    Ok(())
}

/// Whoever logs in to mail by a mail address has that address. Where the file says nothing of hers yet, mail to it is mail to her.
fn add_address(root: &mut Table, draft: &AccountDraft) -> Result<(), HomeEditError> {
    let is_address = |user: &&str| {
        let parts = user.split_once('@');
        parts.is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
            && !user.contains(char::is_whitespace)
    };
    let said = root.get("addresses").and_then(Item::as_array);
    if let Some(user) = draft.user.as_deref().filter(is_address)
        && draft.kind.is_mail()
        && said.is_none_or(Array::is_empty)
    {
        set(root, "addresses", Array::from_iter([user]).into())?;
    }
    Ok(())
}

/// `sign_in = { … }`, in one line.
fn sign_in_table(draft: &SignInDraft) -> InlineTable {
    let mut table = InlineTable::new();
    table.insert("client_id", draft.client_id.as_str().into());
    for (key, text) in draft.optional_texts() {
        if let Some(text) = text {
            table.insert(key, text.as_str().into());
        }
    }
    if !draft.hosts.is_empty() {
        let hosts: Array = draft.hosts.iter().map(String::as_str).collect();
        table.insert("hosts", hosts.into());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::{HomeEdit, HomeEditError, apply};
    use super::*;
    use std::path::Path;
    use toolcall_schema::accounts::ServerAccountKind;

    const FILE: &str = "# Mine.\nzone = \"UTC\" # for now\n\n[sources]\nmail = [\"archive\"]\n";

    fn changed(text: &str, edits: &[HomeEdit]) -> String {
        apply(text, Path::new("/"), edits).unwrap()
    }

    fn draft(kind: ServerAccountKind, address: &str, user: &str) -> AccountDraft {
        AccountDraft {
            kind,
            address: address.to_owned(),
            user: Some(user.to_owned()),
            private: false,
            every: None,
            days: None,
            certificate: None,
            write: false,
            sign_in: None,
        }
    }

    #[test]
    fn accounts_are_added_paused_and_removed_and_all_around_them_stays() {
        let change = |act: AccountAct| {
            let name = "work".to_owned();
            [HomeEdit::Account(Box::new(AccountChange { name, act }))]
        };
        let draft = draft(ServerAccountKind::CalDav, "https://dav.example.org/", "kim");
        let added = changed(FILE, &change(AccountAct::Add(Box::new(draft.clone()))));
        let table = "\n[[accounts]]\nname = \"work\"\nkind = \"caldav\"\naddress = \"https://dav.example.org/\"\nuser = \"kim\"\n";
        assert_eq!(added, format!("{FILE}{table}"));
        let paused = changed(&added, &change(AccountAct::Pause));
        assert_eq!(paused, format!("{added}paused = true\n"));
        assert_eq!(changed(&paused, &change(AccountAct::Resume)), added);
        let writable = changed(&added, &change(AccountAct::AllowWrite));
        assert_eq!(writable.matches("write = true").count(), 1, "{writable}");
        assert_eq!(changed(&writable, &change(AccountAct::ForbidWrite)), added);
        let other = added.replace("\"work\"", "\"home\"");
        let both = format!("{other}keep_free = \"Old\"\n{table}");
        let chosen = changed(&both, &change(AccountAct::KeepFree("Family".to_owned())));
        assert_eq!(chosen, format!("{other}{table}keep_free = \"Family\"\n"));
        assert_eq!(changed(&added, &change(AccountAct::Remove)), FILE);
        let by_provider = AccountDraft {
            sign_in: Some(SignInDraft {
                client_id: "aura-kim".to_owned(),
                issuer: Some("https://login.example/".to_owned()),
                hosts: vec!["tokens.example".to_owned()],
                ..SignInDraft::default()
            }),
            ..draft.clone()
        };
        let line = "sign_in = { client_id = \"aura-kim\", issuer = \"https://login.example/\", hosts = [\"tokens.example\"] }\n";
        let signed = changed(FILE, &change(AccountAct::Add(Box::new(by_provider))));
        assert_eq!(signed, format!("{FILE}{table}{line}"));
        let refused = |text: &str, act: AccountAct| apply(text, Path::new("/"), &change(act));
        assert_eq!(
            refused(&added, AccountAct::Add(Box::new(draft))),
            Err(HomeEditError::SameName)
        );
        assert_eq!(refused(FILE, AccountAct::Pause), Err(HomeEditError::NoSource));
    }

    #[test]
    fn who_logs_in_to_mail_by_an_address_has_it_unless_she_said_which_are_hers() {
        let add = |kind, user: &str| {
            let act = AccountAct::Add(Box::new(draft(kind, "imap.example.org", user)));
            let name = "home".to_owned();
            [HomeEdit::Account(Box::new(AccountChange { name, act }))]
        };
        let of = |text: &str, kind, user: &str| {
            let changed = changed(text, &add(kind, user));
            let lines: Vec<String> = changed
                .lines()
                .filter(|line| line.starts_with("addresses"))
                .map(str::to_owned)
                .collect();
            lines
        };
        let (mail, calendars) = (ServerAccountKind::Imap, ServerAccountKind::CalDav);
        let hers = "addresses = [\"kim@example.org\"]";
        assert_eq!(of(FILE, mail, "kim@example.org"), [hers]);
        for user in ["kim", "kim@localhost", "@example.org", "kim b@example.org"] {
            assert_eq!(of(FILE, mail, user), [""; 0], "{user}");
        }
        assert_eq!(of(FILE, calendars, "kim@example.org"), [""; 0]);
        // A first configuration has the empty list.
        let empty = format!("addresses = []\n{FILE}");
        assert_eq!(of(&empty, mail, "kim@example.org"), [hers]);
        let said = format!("addresses = [\"k@example.com\"]\n{FILE}");
        assert_eq!(
            of(&said, mail, "kim@example.org"),
            ["addresses = [\"k@example.com\"]"]
        );
        // It stands among her own settings, above all tables.
        let changed = changed(FILE, &add(mail, "kim@example.org"));
        assert!(changed.find(hers) < changed.find("[sources]"), "{changed}");
    }
}
