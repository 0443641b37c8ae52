//! Whom the owner always lets through: which messages that marks, which it never does, and what becomes of the rule.

use super::*;
use crate::CommsAgentState;
use crate::testing::{ask, called};
use agents_base::contract::KeptState as _;
use agents_base::host::AgentHost;
use std::{fs, path::Path};
use toolcall_schema::{
    Authority, ToolName,
    catalogue::{
        comms::MessageClass,
        correspondent::{LET_THROUGH_MAX, LetThrough},
        learning::{CorrectLearned, LearnedThing},
    },
    forget::ErasureScope,
    ids::PersonHash,
};

const WORK: &str = "miriam@work.example";
const HOME: &str = "miriam@home.example";
const WANTS: &str = "Could you please send me the list today?";

fn person(name: &str) -> PersonHash {
    setup().key.person(name)
}

fn of_person(name: &str) -> LearnedThing {
    LearnedThing::Person(person(name))
}

fn of_chat(name: &str) -> LearnedThing {
    LearnedThing::Channel(channel(name))
}

fn said(agent: &mut CommsAgent, about: LearnedThing, always: bool) -> Result<(), ToolErrorCode> {
    let tool = Tool::Comms(CommsTool::LetThrough(LetThrough { about, always }));
    agent.act(&tool, t(NOON)).map(|_| ())
}

/// Replies that are proposed, and whether each is let through, by the ids of messages.
fn drafts(agent: &CommsAgent, args: &TickArgs) -> Vec<(String, bool)> {
    let candidates = agent.tick(args, t(NOON)).candidates.into_iter();
    candidates
        .filter(|one| one.kind == ActionKind::DraftReply)
        .map(|one| (one.subject.as_str().to_owned(), one.let_through))
        .collect()
}

fn note_id(id: &str) -> String {
    setup().key.item(id).as_str().to_owned()
}

fn mail_id(id: &str) -> String {
    setup()
        .key
        .item(&format!("mail:{id}@x.example"))
        .as_str()
        .to_owned()
}

/// Miriam asks in a group without naming the owner, Bo by name and more urgently.
fn asked() -> CommsAgent {
    let mut agent = comms();
    let at = |minute: i64| t("2026-11-03T11:00:00Z").plus_min(minute);
    agent.accept(vec![
        note("n-1", at(0), "Lab", "Miriam", "can you send the list?"),
        note("n-2", at(1), "Choir", "Miriam", "so good"),
        note(
            "n-3",
            at(2),
            "Lab",
            "Bo",
            "@Rohan please send the slides by 5 pm today",
        ),
    ]);
    ingest(&mut agent, t(NOON));
    agent
}

#[test]
fn what_wants_an_answer_of_whom_is_let_through_is_proposed_beside_the_most_urgent() {
    let first = (note_id("n-3"), false);
    assert_eq!(
        drafts(&asked(), &question(t(NOON))),
        vec![first.clone()],
        "without a rule"
    );
    for (about, wanted) in [
        (of_person("miriam"), vec![first.clone(), (note_id("n-1"), true)]),
        (of_person("bo"), vec![(note_id("n-3"), true)]),
        // In the chat both are.
        (
            of_chat("Lab"),
            vec![(note_id("n-3"), true), (note_id("n-1"), true)],
        ),
        // There nothing wants anything.
        (of_chat("Choir"), vec![first.clone()]),
        (of_person("wim"), vec![first.clone()]),
    ] {
        let mut agent = asked();
        said(&mut agent, about.clone(), true).unwrap();
        assert_eq!(drafts(&agent, &question(t(NOON))), wanted, "{about:?}");
        // After a restart as well.
        let state = agent.state_after_act(t(NOON)).unwrap();
        let mut again = comms();
        again.restore(&state).unwrap();
        assert_eq!(drafts(&again, &question(t(NOON))), wanted, "{about:?}");
        // Taken back, nothing is left of it.
        said(&mut again, about, false).unwrap();
        assert_eq!(drafts(&again, &question(t(NOON))), vec![first.clone()]);
        assert_eq!(again.state_after_act(t(NOON)).unwrap().get("let_through"), None);
    }
}

#[test]
fn a_mute_and_a_rule_against_a_chat_win() {
    let mut agent = asked();
    said(&mut agent, of_person("miriam"), true).unwrap();
    said(&mut agent, of_chat("Lab"), true).unwrap();
    let lab = || channel("Lab");
    for (rule, wins) in [
        (
            ActiveRule::Mute {
                channel: lab(),
                until: t(NOON).plus_min(1),
            },
            true,
        ),
        (
            ActiveRule::Mute {
                channel: lab(),
                until: t(NOON),
            },
            false,
        ),
        (ActiveRule::Forbidden { channel: lab() }, true),
        (
            ActiveRule::Forbidden {
                channel: channel("Choir"),
            },
            false,
        ),
    ] {
        let mut args = question(t(NOON));
        args.rules = vec![rule.clone()];
        let marked = drafts(&agent, &args)
            .into_iter()
            .any(|(_, let_through)| let_through);
        assert_eq!(marked, !wins, "{rule:?}");
    }
}

#[test]
fn a_rule_against_a_person_wins_and_holds_back_what_they_wrote_wherever() {
    let mut agent = asked();
    said(&mut agent, of_person("miriam"), true).unwrap();
    for (name, wanted) in [
        ("miriam", vec![(note_id("n-3"), false)]),
        // Bo's is held back; Miriam is let through as before.
        ("bo", vec![(note_id("n-1"), true)]),
        ("wim", vec![(note_id("n-3"), false), (note_id("n-1"), true)]),
    ] {
        let mut args = question(t(NOON));
        args.rules = vec![ActiveRule::ForbiddenPerson { person: person(name) }];
        assert_eq!(drafts(&agent, &args), wanted, "{name}");
    }
}

#[test]
fn who_is_muted_is_counted_in_a_loud_chat_and_no_reason_for_a_digest() {
    let digest = |wanting: &str, muted: &str| {
        let mut agent = comms();
        let at = |second: i64| t("2026-11-03T11:55:00Z").plus_ms(second * 1000);
        let say = |n: i64| {
            let (who, text) = if n == 7 {
                (wanting, "@Rohan please send the slides by 5 pm today")
            } else {
                ("Joss", "haha")
            };
            note(&format!("l-{n}"), at(n), "Lab", who, text)
        };
        agent.accept((0..30).map(say).collect());
        ingest(&mut agent, t(NOON));
        let mut args = triggered(t(NOON), TriggerSource::CommsBurst, Subject::from(&channel("Lab")));
        args.rules = vec![ActiveRule::ForbiddenPerson {
            person: person(muted),
        }];
        let candidates = agent.tick(&args, t(NOON)).candidates;
        candidates.iter().any(|one| one.kind == ActionKind::BatchDigest)
    };
    assert!(digest("Bo", "wim"), "somebody wants something");
    assert!(!digest("Bo", "bo"), "only who is muted does");
    assert!(digest("Bo", "joss"), "the noise of who is muted still counts");
}

#[test]
fn a_rule_against_a_chat_holds_back_replies_to_its_messages() {
    let agent = asked();
    for (chat, wanted) in [
        ("Lab", vec![]),
        // The message is of another chat.
        ("Choir", vec![(note_id("n-3"), false)]),
    ] {
        let mut args = question(t(NOON));
        let channel = channel(chat);
        args.rules = vec![ActiveRule::Forbidden { channel }];
        assert_eq!(drafts(&agent, &args), wanted, "{chat}");
    }
}

#[test]
fn the_digest_of_a_chat_that_is_let_through_is_marked() {
    let mut agent = stormed();
    said(&mut agent, of_chat("Reunion"), true).unwrap();
    let args = triggered(
        t(NOON),
        TriggerSource::CommsBurst,
        Subject::from(&channel("Reunion")),
    );
    let marked = Candidate {
        let_through: true,
        ..digest_candidate()
    };
    assert_eq!(agent.tick(&args, t(NOON)).candidates, [marked]);
    // Its writer alone is no reason for a digest of all.
    let mut agent = stormed();
    said(&mut agent, of_person("mira"), true).unwrap();
    assert_eq!(agent.tick(&args, t(NOON)).candidates, [digest_candidate()]);
}

fn write_mail(folder: &Path, id: &str, head: &str, body: &str) {
    fs::create_dir_all(folder.join("INBOX")).unwrap();
    let head = format!("{head}\nMessage-ID: <{id}@x.example>\nDate: Tue, 3 Nov 2026 09:00:00 +0000");
    let mail = format!("{}\r\n\r\n{body}", head.replace('\n', "\r\n"));
    fs::write(folder.join("INBOX").join(format!("{id}.eml")), mail).unwrap();
}

fn reading(folder: &Path) -> CommsAgent {
    let mut setup = setup();
    setup.sources.mail = vec![folder.to_owned()];
    let book = folder.join("all.vcf");
    if book.exists() {
        setup.sources.contacts = vec![book];
    }
    CommsAgent::new(setup)
}

/// A head as a server of today leaves it.
fn head(from: &str, results: &str, more: &str) -> String {
    format!(
        "Received: from mx.work.example (mx.work.example [192.0.2.1]) by home.example.org; Tue, 3 Nov 2026 09:00:05 +0000\n\
         Authentication-Results: home.example.org; dmarc={results} header.from=work.example\n\
         From: Miriam <{from}>\nTo: rohan@example.org, asha@example.com\nSubject: list{more}"
    )
}

#[test]
fn a_mail_of_hers_is_marked_and_no_forged_no_bulk_and_no_spam() {
    let pitch = "Dear friend, you have won a free prize of $5,000! Click here now to claim your money: https://a.example/x";
    for (what, head, body, marked) in [
        ("hers", head(WORK, "pass", ""), WANTS, true),
        ("another's", head("bo@work.example", "pass", ""), WANTS, false),
        ("forged", head(WORK, "fail", ""), WANTS, false),
        (
            "through a list",
            head(
                WORK,
                "pass",
                "\nList-Id: <all.lists.example.org>\nList-Post: <mailto:all@lists.example.org>",
            ),
            WANTS,
            false,
        ),
        (
            "by a program",
            head(WORK, "pass", "\nAuto-Submitted: auto-generated\nPrecedence: bulk"),
            WANTS,
            false,
        ),
        ("spam", head(WORK, "fail", ""), pitch, false),
        (
            "called spam",
            head(WORK, "pass", "\nX-Spam-Flag: YES"),
            WANTS,
            false,
        ),
        (
            "nothing is wanted",
            head(WORK, "pass", ""),
            "It was lovely.",
            false,
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        write_mail(dir.path(), "m", &head, body);
        let mut agent = reading(dir.path());
        said(&mut agent, of_person(WORK), true).unwrap();
        ingest(&mut agent, t(NOON));
        let wanted = if marked {
            vec![(mail_id("m"), true)]
        } else {
            vec![]
        };
        let proposed = drafts(&agent, &question(t(NOON)));
        let proposed: Vec<_> = proposed.into_iter().filter(|(_, marked)| *marked).collect();
        assert_eq!(proposed, wanted, "{what}");
    }
}

#[test]
fn what_was_learned_holds_nothing_back() {
    let dir = tempfile::tempdir().unwrap();
    let run = |lets: bool| {
        write_mail(
            dir.path(),
            "m",
            &head(WORK, "pass", ""),
            "Could you send me the list?",
        );
        let mut agent = reading(dir.path());
        let only_news = CorrectLearned {
            about: of_person(WORK),
            class: MessageClass::News,
        };
        let tool = Tool::Comms(CommsTool::CorrectLearned(only_news));
        agent.act(&tool, t(NOON)).unwrap();
        if lets {
            said(&mut agent, of_person(WORK), true).unwrap();
        }
        ingest(&mut agent, t(NOON));
        drafts(&agent, &question(t(NOON)))
    };
    assert_eq!(run(true), [(mail_id("m"), true)]);
    assert!(run(false).iter().all(|(_, marked)| !marked));
}

#[test]
fn every_address_of_a_person_counts_and_forgetting_takes_the_rule_away() {
    let dir = tempfile::tempdir().unwrap();
    let card = format!("BEGIN:VCARD\nVERSION:3.0\nFN:Miriam\nEMAIL:{WORK}\nEMAIL:{HOME}\nEND:VCARD\n");
    fs::write(dir.path().join("all.vcf"), card).unwrap();
    write_mail(dir.path(), "m", &head(WORK, "pass", ""), WANTS);
    let mut agent = reading(dir.path());
    said(&mut agent, of_person(HOME), true).unwrap();
    let state = ingest(&mut agent, t(NOON)).agent_state;
    assert_eq!(drafts(&agent, &question(t(NOON))), [(mail_id("m"), true)]);
    // Said again at the other address it is one rule, taken back at either.
    said(&mut agent, of_person(WORK), true).unwrap();
    let mut host = AgentHost::new(Box::new(agent));
    let listed = ask(&mut host, ToolName::ListLearned, &json!({}), t(NOON)).unwrap();
    assert_eq!(listed["let_through"].as_array().unwrap().len(), 1, "{listed}");
    for address in [WORK, HOME] {
        let about = json!({"about": person(address)});
        let described = ask(&mut host, ToolName::DescribeCorrespondent, &about, t(NOON)).unwrap();
        assert_eq!(described["let_through"], true, "{address}");
        let mut again = reading(dir.path());
        again.restore(&state).unwrap();
        said(&mut again, of_person(address), false).unwrap();
        assert!(!drafts(&again, &question(t(NOON))).contains(&(mail_id("m"), true)));
        let what = ErasureScope::naming([person(address).as_str().to_owned()]);
        let left = CommsAgentState::json_without(&state, &what).unwrap();
        assert!(!left.to_string().contains(person(HOME).as_str()), "{left}");
        assert_eq!(left.get("let_through"), None);
    }
}

#[test]
fn a_list_and_a_folder_of_mail_cannot_be_and_there_is_a_limit() {
    let dir = tempfile::tempdir().unwrap();
    let list = "\nList-Id: <all.lists.example.org>";
    write_mail(dir.path(), "m", &head(WORK, "pass", list), WANTS);
    let mut agent = reading(dir.path());
    ingest(&mut agent, t(NOON));
    let item = agent.window().items()[0].clone();
    let places = [item.channel, item.list.unwrap()];
    for place in &places {
        let about = LearnedThing::Channel(place.clone());
        assert_eq!(said(&mut agent, about, true), Err(ToolErrorCode::NotFound));
    }
    for n in 0..LET_THROUGH_MAX {
        said(&mut agent, of_person(&format!("p{n}")), true).unwrap();
    }
    let one_more = of_person("one-more");
    assert_eq!(said(&mut agent, one_more, true), Err(ToolErrorCode::Unavailable));
    // Who is let through already stays so.
    said(&mut agent, of_person("p0"), true).unwrap();
    let mut host = AgentHost::new(Box::new(agent));
    let args = json!({"about": places[0]});
    let described = ask(&mut host, ToolName::DescribeCorrespondent, &args, t(NOON)).unwrap();
    assert_eq!(described.get("let_through"), None, "{described}");
    // The owner's own act alone, and through the gate.
    let args = json!({"about": person("p1"), "always": false});
    let raw = called("comms", "let_through", &args, true, t(NOON));
    assert!(host.call(&raw, Authority::Auto, t(NOON)).is_none());
    assert!(host.call(&raw, Authority::Confirmed, t(NOON)).is_some());
}
