//! What is said of one sender or chat, through the gate.

use super::*;
use crate::testing::ask;
use agents_base::host::AgentHost;
use serde_json::Value;
use toolcall_schema::{ToolName, ids::PersonHash, result::ToolErrorCode};

fn person(name: &str) -> PersonHash {
    setup().key.person(name)
}

fn described(agent: CommsAgent, about: &str) -> Result<Value, ToolErrorCode> {
    let mut host = AgentHost::new(Box::new(agent));
    ask(
        &mut host,
        ToolName::DescribeCorrespondent,
        &json!({"about": about}),
        t(NOON),
    )
}

/// Asha wrote three times in a group, where Bo wrote once; one of hers wants something.
fn talked() -> CommsAgent {
    let mut agent = comms();
    let at = |minute: i64| t("2026-11-03T11:00:00Z").plus_min(minute);
    agent.accept(vec![
        note("n-1", at(0), "Lab", "Asha", "hello"),
        note("n-2", at(1), "Lab", "Asha", "@Rohan can you send the list today?"),
        note("n-3", at(2), "Lab", "Bo", "so good"),
        note("n-4", at(3), "Lab", "Asha", "so good"),
        note("n-5", at(4), "Choir", "Asha", "so good"),
    ]);
    ingest(&mut agent, t(NOON));
    agent
}

#[test]
fn a_person_a_chat_and_a_message_are_counted_of_the_last_day() {
    let asha = person("asha").as_str().to_owned();
    let lab = channel("Lab").as_str().to_owned();
    let asked = setup().key.item("n-2").as_str().to_owned();
    // (about, of whom, messages of the day, waiting)
    for (about, whom, day, waiting) in [(&asha, &asha, 4, 1), (&lab, &lab, 4, 1), (&asked, &asha, 4, 1)] {
        let said = described(talked(), about).unwrap();
        assert_eq!(
            (&said["about"], &said["day"], &said["waiting"]),
            (&json!(whom), &json!(day), &json!(waiting)),
            "{said}"
        );
        assert_eq!(said["waits_since"], "2026-11-03T11:01:00.000Z", "{said}");
        assert_eq!(
            (&said["addresses"], &said["named_by"]),
            (&json!(1), &json!("sender"))
        );
    }
}

#[test]
fn who_never_wrote_counts_nothing_and_an_unknown_message_is_nobodys() {
    let nobody = described(talked(), person("miriam").as_str()).unwrap();
    assert_eq!(
        (
            &nobody["day"],
            &nobody["received"],
            &nobody["waiting"],
            &nobody["named_by"]
        ),
        (&json!(0), &json!(0), &json!(0), &Value::Null)
    );
    let unknown = setup().key.item("n-99");
    assert_eq!(
        described(talked(), unknown.as_str()),
        Err(ToolErrorCode::NotFound)
    );
}
