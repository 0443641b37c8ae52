//! Settings, the policy, figures and codes: a table each.
//!
//! What: [`settings`], [`policy`], [`metrics`], [`errors`]. Why: they are lists of the program's own, looked up by name. Not here: what to do with them
//! (`docs/first-day.md`, `docs/operating.md`), the pages of the codes (`docs/errors`).

use super::{ReferencePage, code, plain, table};
use crate::{error::CliError, error_pages, policy};
use aura_platform::metrics::METRICS;
use aura_runtime::setting_reference::{DescribedSetting, described_settings};
use std::{collections::BTreeMap, fmt::Write as _};

/// Every key of `home.toml`.
pub(super) fn settings() -> Result<ReferencePage, CliError> {
    let mut text = "# Settings\n\nEvery key of `home.toml` ([where it is](../cli.md#where-things-are)). Most are changed on the page *Settings*; \
                    a key that is not known is refused with its line (CONF-002). Marked keys name what is read, start a program or open an address: on a page \
                    something new is put there only in the browser that Aura opened. `fixtures/home/home.toml` is a whole file with comments.\n"
        .to_owned();
    let mut groups: BTreeMap<&str, Vec<[String; 4]>> = BTreeMap::new();
    for setting in described_settings()? {
        let group = setting.key.split_once('.').map_or("", |(table, _)| table);
        groups.entry(group).or_default().push(row(&setting));
    }
    for (group, rows) in groups {
        let title = if group.is_empty() {
            "Of no table".to_owned()
        } else {
            code(&format!("[{group}]"))
        };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n## {title}\n\n{}",
            table(["Key", "Takes", "Without it", "Means"], rows)
        );
    }
    Ok(ReferencePage {
        path: "settings.md".to_owned(),
        text,
    })
}

fn row(setting: &DescribedSetting) -> [String; 4] {
    let marked = if setting.needs_proof { " *marked*" } else { "" };
    [
        format!("`{}`{marked}", setting.key),
        plain(&setting.takes),
        code(&setting.default),
        plain(&setting.means),
    ]
}

/// Every constant of the policy.
pub(super) fn policy() -> Result<ReferencePage, CliError> {
    let policy = policy::by_file("default")?;
    let rows = policy.constants().map(|(constant, amount)| {
        [
            code(constant.path),
            code(&constant.show(amount).to_string()),
            format!(
                "{} to {}",
                constant.show(constant.low),
                constant.show(constant.high)
            ),
            plain(constant.means),
        ]
    });
    let text = "# The policy\n\nEvery constant that Aura decides with, as this program has it. `aura policy show` prints the text in force, \
                `aura policy check FILE` says what is wrong with one, and `aura replay --what-if FILE` what another would have decided.\n\n"
        .to_owned();
    Ok(ReferencePage {
        path: "policy.md".to_owned(),
        text: text + &table(["Constant", "Value", "Range", "Means"], rows),
    })
}

/// Every figure of `/metrics`.
pub(super) fn metrics() -> ReferencePage {
    let rows = METRICS
        .descriptions()
        .iter()
        .map(|one| [code(&one.name), one.kind.clone(), plain(one.means)]);
    let text = "# Metrics\n\nWhat `GET /metrics` serves in the text format of Prometheus, and what `[telemetry]` sends. A counter's name ends with \
                `_total`, a histogram has `_bucket`, `_sum` and `_count`. Labels, and at which value somebody should look, stand in \
                [operating](../operating.md#figures).\n\n"
        .to_owned();
    ReferencePage {
        path: "metrics.md".to_owned(),
        text: text + &table(["Name", "Type", "Means"], rows),
    }
}

/// Every code with its title, by family.
pub(super) fn errors() -> ReferencePage {
    let mut text = "# Error codes\n\nEach has a page with cause, effect and remedy; `aura help CODE` prints the same in a terminal.\n".to_owned();
    let mut here = "";
    for (code, page) in error_pages::all() {
        let family = code.split_once('-').map_or(code, |(family, _)| family);
        let title = page.lines().next().unwrap_or_default();
        let title = title.strip_prefix(&format!("# {code}: ")).unwrap_or(title);
        // Writing to a string cannot fail.
        if family != here {
            here = family;
            let _ = write!(text, "\n## {family}\n\n| Code | Says |\n| --- | --- |\n");
        }
        let _ = writeln!(
            text,
            "| [{code}](../errors/{code}.md) | {} |",
            title.replace('|', "\\|")
        );
    }
    ReferencePage {
        path: "errors.md".to_owned(),
        text,
    }
}
