//! Changing single constants of a policy as its owner would by hand, and putting one into force.
//!
//! What: [`with_constants`], pure, and [`put_policy`]. Why: a field of the console is an edit of the policy's text, whose comments stay. Not here: whether a policy makes sense
//! (`orchestrator_machine::policy`), taking it up (`control_handler`).

use crate::{control::ControlReply, control_handler::ServiceControlHandler, home_file::replace};
use orchestrator_machine::policy::Policy;
use std::{collections::BTreeMap, io, path::PathBuf};
use surfaces_base::backend::{
    BackendError,
    console::{PolicyOutcome, PolicyWish},
};
use toml_edit::{DocumentMut, Item, Value};
use toolcall_schema::ids::sha256_hex;

/// The text with these constants. What is no number, no key of a policy or no TOML is found when the policy is read.
pub(crate) fn with_constants(text: &str, constants: &BTreeMap<String, String>) -> String {
    let Ok(mut document) = text.parse::<DocumentMut>() else {
        return text.to_owned();
    };
    for (key, value) in constants {
        let mut value = value
            .trim()
            .parse::<Value>()
            .unwrap_or_else(|_| Value::from(value.as_str()));
        let (table, name) = key.rsplit_once('.').unwrap_or(("", key));
        let table = if table.is_empty() {
            Some(document.as_table_mut())
        } else {
            document.get_mut(table).and_then(Item::as_table_mut)
        };
        let Some(table) = table else { continue };
        if let Some(old) = table.get_mut(name).and_then(Item::as_value_mut) {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        } else {
            table.insert(name, Item::Value(value));
        }
    }
    document.to_string()
}

/// Writes a policy into its file, which is made where there is none, and takes it up. What cannot be taken up is taken out again.
///
/// # Errors
/// Busy or stopping.
pub(crate) async fn put_policy(
    handler: &ServiceControlHandler,
    wish: PolicyWish,
) -> Result<PolicyOutcome, BackendError> {
    if let Err(error) = Policy::parse(&wish.text) {
        return Ok(PolicyOutcome::Unusable(error.findings().cloned().collect()));
    }
    let path = handler.files.policy_file();
    let in_force = handler.backend.look().await?.env.policy.hash().to_owned();
    let Ok(before) = handler.files.policy_text() else {
        return Ok(PolicyOutcome::NotWritten);
    };
    if in_force != wish.shown || sha256_hex(before.as_bytes()) != wish.shown {
        return Ok(PolicyOutcome::Changed);
    }
    let hash = sha256_hex(wish.text.as_bytes());
    // A new file is for whom the configuration is.
    let was_there = path.exists();
    let like = if was_there {
        path.clone()
    } else {
        handler.files.home.clone()
    };
    if let Err(error) = write(path.clone(), wish.text, like).await {
        tracing::warn!(%error, "a policy could not be written");
        return Ok(PolicyOutcome::NotWritten);
    }
    tracing::info!(policy = hash, "the owner put a policy into force on a page");
    match handler.reload().await {
        Ok(ControlReply::Reloaded(report)) if report.policy_hash == hash => Ok(PolicyOutcome::InForce(hash)),
        Ok(_) | Err(_) => {
            let back = if was_there {
                write(path.clone(), before, path).await
            } else {
                remove(path).await
            };
            if let Err(error) = back {
                tracing::error!(%error, "the policy of before could not be written again");
            }
            Ok(PolicyOutcome::NotWritten)
        }
    }
}

/// `like`: for whom it is readable.
async fn write(path: PathBuf, text: String, like: PathBuf) -> io::Result<()> {
    let written = tokio::task::spawn_blocking(move || replace(&path, &text, &like)).await;
    written.map_err(io::Error::other)?
}

async fn remove(path: PathBuf) -> io::Result<()> {
    let removed = tokio::task::spawn_blocking(move || std::fs::remove_file(path)).await;
    removed.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests {
    use super::*;
    use orchestrator_machine::policy::DEFAULT_TEXT;

    fn changed(pairs: &[(&str, &str)]) -> String {
        let constants = pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        with_constants(DEFAULT_TEXT, &constants.collect())
    }

    #[test]
    fn a_constant_changes_where_it_stands_and_nothing_else_does() {
        assert_eq!(changed(&[]), DEFAULT_TEXT);
        let text = changed(&[("threshold", "0.5"), ("cost.confirm", "0.1")]);
        let wanted = DEFAULT_TEXT
            .replace("threshold = 0.45", "threshold = 0.5")
            .replace("confirm = 0.05", "confirm = 0.1");
        assert_eq!(text, wanted);
        assert!(Policy::parse(&text).is_ok());
    }

    #[test]
    fn what_is_no_number_or_no_key_is_refused_by_the_policy_itself() {
        for pair in [
            ("threshold", "high"),
            ("threshold", "[1]"),
            ("cost.kindness", "1"),
        ] {
            assert!(Policy::parse(&changed(&[pair])).is_err(), "{pair:?}");
        }
        assert_eq!(
            with_constants("= no TOML", &[("a".to_owned(), "1".to_owned())].into()),
            "= no TOML"
        );
    }
}
