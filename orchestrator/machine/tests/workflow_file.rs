//! What a workflow's file may say.
//!
//! What: a file that is right, and each mistake with its line. Why: whoever writes one is told all of it before a run. Not here: runs
//! (`workflow_rules.rs`, `workflow.rs`).

#![expect(clippy::unwrap_used, reason = "a helper of a test may panic")]

use orchestrator_machine::workflow::{TransitionTarget, definition::parse_workflow};
use toolcall_schema::protocol::manifest::ProgramManifest;

/// Every sort of step.
const SPECIFY: &str = include_str!("support/specify.toml");

fn agents() -> Vec<ProgramManifest> {
    let envelope = |name: &str, action: &str| {
        format!(
            "name = \"{name}\"\nprotocol = \"envelope\"\nskills = [\"agent-protocol\"]\ncommand = [\"sh\"]\nactions = [\"{action}\"]\n"
        )
    };
    let base = "name = \"surveyor\"\nprotocol = \"base\"\ncommand = [\"sh\"]\ntask_types = [\"research\", \"test\"]\n";
    [
        envelope("writer", "write"),
        envelope("validator", "validate"),
        base.to_owned(),
    ]
    .iter()
    .map(|text| ProgramManifest::parse(text).unwrap())
    .collect()
}

/// All that is said of a file, as `line: message`.
fn findings(text: &str) -> Vec<String> {
    let found = match parse_workflow(text) {
        Ok(parsed) => parsed.check(&agents()),
        Err(findings) => findings,
    };
    found
        .iter()
        .map(|finding| format!("{}: {}", finding.line, finding.message))
        .collect()
}

#[test]
fn a_file_that_is_right_has_no_finding_and_says_where_each_step_leads() {
    assert_eq!(findings(SPECIFY), Vec::<String>::new());
    let definition = parse_workflow(SPECIFY).unwrap().definition;
    let next: Vec<(&str, Option<&TransitionTarget>)> = definition
        .steps
        .iter()
        .map(|step| (step.name.as_str(), step.next.as_ref()))
        .collect();
    let to = |name: &str| TransitionTarget::Step(name.to_owned());
    assert_eq!(
        next,
        [
            ("write", Some(&to("validate"))),
            ("validate", Some(&to("both"))),
            ("survey", None),
            ("tests", None),
            ("both", Some(&TransitionTarget::End)),
        ]
    );
    assert_eq!(
        (definition.max_steps, definition.root_for(Some("005-user-auth"))),
        (100, Some("specs/005-user-auth".to_owned()))
    );
    assert_eq!(definition.first().map(|step| step.name.as_str()), Some("write"));
}

#[test]
fn each_mistake_is_named_with_its_line_and_what_to_write() {
    for (from, to, expected) in [
        (
            "name = \"specify\"",
            "name = \"Specify\"",
            "1: name must be 1 to 40 of a-z, 0-9 and -",
        ),
        (
            "feature_root = \"specs/{feature}/\"",
            "feature_root = \"../{feature}\"",
            "2: feature_root must be a path below the project, with {feature} for what the run is given",
        ),
        (
            "feature_root = \"specs/{feature}/\"",
            "",
            "5: step write: the workflow needs feature_root for an agent that writes",
        ),
        (
            "max_iterations = 2",
            "max_iterations = 11",
            "5: step write: max_iterations must be 1 to 10",
        ),
        (
            "params = { strict = true }",
            "params = { day = 2026-11-03 }",
            "11: step validate: params hold a date: write it as text",
        ),
        (
            "{feature_root}/spec.md",
            "/etc/passwd",
            "11: step validate: paths must lie below the project; only {feature_root} and {feature} are filled in",
        ),
        (
            "{feature_root}/spec.md",
            "{home}/spec.md",
            "11: step validate: paths must lie below the project; only {feature_root} and {feature} are filled in",
        ),
        (
            "name = \"validate\"",
            "name = \"end\"",
            "11: step end: its name must be 1 to 40 of a-z, 0-9 and -, and not end, stop, again or ask",
        ),
        (
            "time_limit_seconds = 60",
            "time_limit_seconds = 29",
            "19: step survey: time_limit_seconds must be 30 to 300",
        ),
        (
            "Find what {feature} touches",
            "Find out!",
            "19: step survey: its objective must have at least 10 characters",
        ),
        (
            "save = \"tests.md\"",
            "save = \"../tests.md\"",
            "28: step tests: save must be a path below the feature root",
        ),
        (
            "save = \"tests.md\"",
            "paths = {}",
            "28: step tests: params and paths go with action, not with task",
        ),
        (
            "name = \"tests\"\nagent = \"surveyor\"",
            "name = \"tests\"",
            "28: step tests: it needs agent and action (envelope), agent and task (base), kind = \"ask\" or \"read\", or parallel (a group)",
        ),
        (
            "parallel = [\"survey\", \"tests\"]",
            "parallel = [\"survey\", \"tests\"]\nmax_iterations = 2",
            "36: step both: a group has name, parallel, next and on; the rest belongs to its members",
        ),
        // What only the whole file, or the agents, can say.
        (
            "retry = \"write\"",
            "retry = \"wirte\"",
            "11: step validate: on.retry leads to wirte, which is no step",
        ),
        (
            "retry = \"write\"",
            "retry = \"survey\"",
            "11: step validate: on.retry leads to survey, which belongs to a group: lead to the group",
        ),
        (
            "retry = \"write\"",
            "failed = \"write\"",
            "11: step validate: on.failed never happens in it: it has proceed, retry, escalate, refused",
        ),
        (
            "on = { retry = \"write\" }",
            "next = \"again\"",
            "11: step validate: next cannot be again: that is for on, in steps that ask",
        ),
        (
            "agent = \"validator\"",
            "agent = \"nobody\"",
            "11: step validate: agents.d has no agent nobody: writer, validator, surveyor",
        ),
        (
            "action = \"validate\"",
            "action = \"paint\"",
            "11: step validate: agent validator cannot be asked to paint: its manifest lists validate",
        ),
        (
            "agent = \"validator\"",
            "agent = \"surveyor\"",
            "11: step validate: agent surveyor speaks base, and the step asks by envelope",
        ),
        (
            "task = \"test\"",
            "task = \"assembly\"",
            "28: step tests: agent surveyor cannot be asked for assembly: its manifest lists research, test",
        ),
        (
            "task = \"test\"",
            "task = \"research\"",
            "36: step both: two members ask for research: what they find is joined by task type",
        ),
        (
            "parallel = [\"survey\", \"tests\"]",
            "parallel = [\"survey\", \"test\"]",
            "36: step both: parallel names test, which is no step",
        ),
        (
            "parallel = [\"survey\", \"tests\"]",
            "parallel = [\"survey\", \"survey\"]",
            "19: step survey: it belongs to a group more than once: a step is in one group",
        ),
        (
            "save = \"tests.md\"",
            "next = \"end\"",
            "28: step tests: it belongs to a group, so it has no next and no on: the group has",
        ),
    ] {
        assert!(SPECIFY.contains(from), "{from}");
        let found = findings(&SPECIFY.replacen(from, to, 1));
        assert!(found.contains(&expected.to_owned()), "{to}: {found:#?}");
    }
    let found = findings(&SPECIFY.replacen("agent = ", "agnet = ", 1));
    assert!(
        found.len() == 1 && found[0].starts_with("6: unknown field `agnet`"),
        "{found:?}"
    );
    // A step that nothing leads to, and a round of next alone.
    let skips = SPECIFY.replacen("max_iterations = 2", "next = \"both\"", 1);
    assert_eq!(findings(&skips), ["11: step validate: nothing leads to it"]);
    let round = SPECIFY.replacen("on = { retry = \"write\" }", "next = \"write\"", 1);
    let found = findings(&round);
    assert!(
        found.contains(
            &"5: step write: next leads round to it again without a limit: go back by on, which counts"
                .to_owned()
        ),
        "{found:?}"
    );
}
