//! Why something that was read is left out.
//!
//! What: a sentence for each code of the agents. Why: she is told what is the matter with her file, in her language; the sentences of the codes
//! themselves are for whoever writes files and programs. Not here: what to click then (`web::source_remedy`), causes and remedies (`docs/errors`).

use crate::language::{Text, say};

/// By the number of the code, `AGENT-001` on.
const SKIP_REASONS: [(u16, Text); 73] = [
    (1, Text("skip-reasons-001")),
    (2, Text("skip-reasons-002")),
    (3, Text("skip-reasons-003")),
    (4, Text("skip-reasons-004")),
    (5, Text("skip-reasons-005")),
    (6, Text("skip-reasons-006")),
    (7, Text("skip-reasons-007")),
    (8, Text("skip-reasons-008")),
    (9, Text("skip-reasons-009")),
    (10, Text("skip-reasons-010")),
    (11, Text("skip-reasons-011")),
    (12, Text("skip-reasons-012")),
    (13, Text("skip-reasons-013")),
    (14, Text("skip-reasons-014")),
    (15, Text("skip-reasons-015")),
    (16, Text("skip-reasons-016")),
    (17, Text("skip-reasons-017")),
    (18, Text("skip-reasons-018")),
    (30, Text("skip-reasons-030")),
    (31, Text("skip-reasons-031")),
    (32, Text("skip-reasons-032")),
    (33, Text("skip-reasons-033")),
    (34, Text("skip-reasons-034")),
    (35, Text("skip-reasons-035")),
    (36, Text("skip-reasons-036")),
    (37, Text("skip-reasons-037")),
    (38, Text("skip-reasons-038")),
    (40, Text("skip-reasons-040")),
    (41, Text("skip-reasons-041")),
    (42, Text("skip-reasons-042")),
    (43, Text("skip-reasons-043")),
    (44, Text("skip-reasons-044")),
    (101, Text("skip-reasons-101")),
    (102, Text("skip-reasons-102")),
    (103, Text("skip-reasons-103")),
    (104, Text("skip-reasons-104")),
    (105, Text("skip-reasons-105")),
    (106, Text("skip-reasons-106")),
    (107, Text("skip-reasons-107")),
    (108, Text("skip-reasons-108")),
    (109, Text("skip-reasons-109")),
    (110, Text("skip-reasons-110")),
    (111, Text("skip-reasons-111")),
    (112, Text("skip-reasons-112")),
    (113, Text("skip-reasons-113")),
    (114, Text("skip-reasons-114")),
    (115, Text("skip-reasons-115")),
    (116, Text("skip-reasons-116")),
    (117, Text("skip-reasons-117")),
    (118, Text("skip-reasons-118")),
    (119, Text("skip-reasons-119")),
    (120, Text("skip-reasons-120")),
    (121, Text("skip-reasons-121")),
    (122, Text("skip-reasons-122")),
    (123, Text("skip-reasons-123")),
    (124, Text("skip-reasons-124")),
    (201, Text("skip-reasons-201")),
    (202, Text("skip-reasons-202")),
    (203, Text("skip-reasons-203")),
    (204, Text("skip-reasons-204")),
    (205, Text("skip-reasons-205")),
    (206, Text("skip-reasons-206")),
    (207, Text("skip-reasons-207")),
    (208, Text("skip-reasons-208")),
    (209, Text("skip-reasons-209")),
    (210, Text("skip-reasons-210")),
    (211, Text("skip-reasons-211")),
    (212, Text("skip-reasons-212")),
    (213, Text("skip-reasons-213")),
    (214, Text("skip-reasons-214")),
    (215, Text("skip-reasons-215")),
    (216, Text("skip-reasons-216")),
    (217, Text("skip-reasons-217")),
];

/// More than one reason for what is left out.
pub const SKIP_WHY: Text = Text("skip-reasons-why");

/// Why, by the code; `None`: it is none of the agents'.
pub fn skip_reason(code: &str) -> Option<&'static str> {
    let number: u16 = code.strip_prefix("AGENT-")?.parse().ok()?;
    let known = SKIP_REASONS.iter().find(|(known, _)| *known == number)?;
    Some(known.1.say())
}

/// Before some of the places where it is so.
pub const SKIP_FOR_EXAMPLE: Text = Text("skip-reasons-for-example");

/// Of payments none is new enough to be counted.
pub(crate) fn payments_all_old(count: u64) -> String {
    say!("skip-reasons-payments-all-old", count)
}

/// Beside those that are counted.
pub(crate) fn payments_also_old(count: u64) -> String {
    say!("skip-reasons-payments-also-old", count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{language::Language, locale::speaking};
    use std::{fs, path::Path};

    #[test]
    fn each_code_of_an_agent_has_its_reason_in_words_that_need_no_manual() {
        let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
        let mut said = 0;
        for entry in fs::read_dir(pages).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            let code = name.trim_end_matches(".md");
            if !code.starts_with("AGENT-") {
                continue;
            }
            for language in Language::ALL {
                let reason =
                    speaking(language, || skip_reason(code)).unwrap_or_else(|| panic!("{code} has none"));
                assert!(reason.ends_with('.'), "{code}: {reason}");
                for word in ["`", "[", "_", "RFC", "JSON", "RMSSD", "config"] {
                    assert!(!reason.contains(word), "{code}: {reason}");
                }
            }
            said += 1;
        }
        assert_eq!(said, SKIP_REASONS.len());
        for none in ["", "AGENT-", "AGENT-99", "WEB-001"] {
            assert_eq!(skip_reason(none), None, "{none}");
        }
    }
}
