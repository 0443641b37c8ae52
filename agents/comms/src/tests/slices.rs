//! Mail in slices, after a restart, and while it still grows.

use super::{super::intent::Intent, *};
use std::{collections::BTreeMap, path::Path};
use toolcall_schema::tick::source_key;

/// A mail that wants something, with a body of a megabyte.
fn large(id: usize, date: &str) -> String {
    let line = format!("{}\n", "x".repeat(1023));
    format!(
        "From: bo@example.net\nMessage-ID: <{id}@x>\nDate: {date}\n\nplease send the key\n{}\n",
        line.repeat(1024)
    )
}

const MORNING: &str = "Tue, 3 Nov 2026 10:00:00 +0000";

fn of(source: &Path) -> CommsAgent {
    let mut setup = setup();
    setup.sources.mail = vec![source.to_owned()];
    CommsAgent::new(setup)
}

/// What an ingest read, and whether it left something.
fn step(agent: &mut CommsAgent) -> (u32, bool) {
    let answer = ingest(agent, t(NOON));
    assert_eq!(answer.skipped, 0);
    (answer.read, answer.left > 0)
}

fn actionable(agent: &CommsAgent) -> usize {
    agent.window().waiting(t(NOON)).count()
}

#[test]
fn an_mbox_larger_than_a_slice_is_gone_on_with_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("Inbox.mbox");
    // Each is a little more than a MiB, so a slice of 4 MiB is full with the 4th.
    let mails: Vec<String> = (0..20)
        .map(|id| format!("From - \n{}", large(id, MORNING)))
        .collect();
    let behind = mails[4..].concat().len() as u64;
    let mails = mails.concat();
    std::fs::write(&path, &mails).unwrap();
    let mut agent = of(dir.path());
    let first = ingest(&mut agent, t(NOON));
    assert_eq!(first.read, 4);
    assert_eq!(first.left, behind);
    let text = first.agent_state.to_string();
    for word in ["example", "From", "xxxx", "Inbox"] {
        assert!(!text.contains(word), "{word}");
    }
    // What a restart leaves is the state; nothing is read twice.
    let mut next = of(dir.path());
    next.restore(&first.agent_state).unwrap();
    for _ in 0..3 {
        assert_eq!(step(&mut next), (4, true));
    }
    assert_eq!(step(&mut next), (4, false));
    assert_eq!(step(&mut next), (0, false));
    assert_eq!(actionable(&next), 20);
    // Another file under the same name is read from its begin.
    std::fs::write(&path, mails.replace("@x>", "@y>")).unwrap();
    let mut other = of(dir.path());
    other.restore(&first.agent_state).unwrap();
    assert_eq!(step(&mut other), (4, true));
    // A state that knows nothing of mailboxes reads everything again, and knows it.
    std::fs::write(&path, &mails).unwrap();
    let mut older = first.agent_state;
    older.as_object_mut().unwrap().remove("mailboxes");
    let mut before = of(dir.path());
    before.restore(&older).unwrap();
    assert_eq!((step(&mut before), step(&mut before)), ((0, true), (4, true)));
}

#[test]
fn a_mail_of_the_far_future_holds_up_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let far = large(99, "Mon, 18 Jan 2038 10:00:00 +0000");
    let mails: Vec<String> = std::iter::once(far)
        .chain((0..20).map(|id| large(id, MORNING)))
        .map(|mail| format!("From - \n{mail}"))
        .collect();
    std::fs::write(dir.path().join("Inbox.mbox"), mails.concat()).unwrap();
    let mut agent = of(dir.path());
    assert_eq!(step(&mut agent), (3, true));
    for _ in 0..4 {
        assert_eq!(step(&mut agent), (4, true));
    }
    assert_eq!(step(&mut agent), (1, false));
    assert_eq!(step(&mut agent), (0, false));
}

#[test]
fn files_that_have_no_room_are_read_by_the_next_ingest() {
    let dir = tempfile::tempdir().unwrap();
    for id in 0..20 {
        std::fs::write(dir.path().join(format!("{id:02}.eml")), large(id, MORNING)).unwrap();
    }
    let mut agent = of(dir.path());
    // A head of 16 KiB and a little more than a MiB each: 3 are below 4 MiB, 4 are not.
    for _ in 0..4 {
        assert_eq!(step(&mut agent), (4, true));
    }
    assert_eq!(step(&mut agent), (4, false));
    assert_eq!(step(&mut agent), (0, false));
}

/// A post waits for the slice under way, so a slice of short mails ends by their number: 200, 200, 100.
#[test]
fn a_slice_ends_with_so_many_judged_mails() {
    let short =
        |id| format!("From: bo@example.net\nMessage-ID: <{id}@x>\nDate: {MORNING}\n\nplease send the key\n");
    let many: Vec<String> = (0..500).map(|id| format!("From - \n{}\n", short(id))).collect();
    let (one, each) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(one.path().join("Inbox.mbox"), many.concat()).unwrap();
    for id in 0..500 {
        std::fs::write(each.path().join(format!("{id:03}.eml")), short(id)).unwrap();
    }
    for dir in [one, each] {
        let mut agent = of(dir.path());
        let steps: Vec<(u32, bool)> = (0..4).map(|_| step(&mut agent)).collect();
        assert_eq!(steps, [(200, true), (200, true), (100, false), (0, false)]);
    }
}

#[test]
fn a_mail_that_has_grown_is_judged_again_and_is_one_mail() {
    let dir = tempfile::tempdir().unwrap();
    for (name, before) in [("a.eml", ""), ("b.mbox", "From - \n")] {
        for id in ["Message-ID: <grows@x>\n", ""] {
            let path = dir.path().join(name);
            let head = format!("{before}From: bo@example.net\n{id}Date: {MORNING}\n\n");
            std::fs::write(&path, format!("{head}ok\n")).unwrap();
            let mut agent = of(&path);
            assert_eq!(step(&mut agent), (1, false));
            assert_eq!(actionable(&agent), 0);
            std::fs::write(&path, format!("{head}ok\nplease send the key today\n")).unwrap();
            assert_eq!(step(&mut agent), (0, false), "{name} {id}");
            assert_eq!(actionable(&agent), 1, "{name} {id}");
            assert_eq!(agent.window().items().len(), 1, "{name} {id}");
        }
    }
}

#[test]
fn an_unchanged_maildir_is_not_walked_and_a_changed_one_is() {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["cur", "new", "tmp"] {
        std::fs::create_dir(dir.path().join(folder)).unwrap();
    }
    let put = |name: &str, date: &str| {
        let mail =
            format!("From: bo@example.net\nMessage-ID: <{name}@x>\nDate: {date}\n\nplease send the key\n");
        std::fs::write(dir.path().join("cur").join(name), mail).unwrap();
    };
    // A century on, so that the folders have long settled.
    let at = t("2126-11-05T12:00:00Z");
    let date = "Tue, 5 Nov 2126 10:00:00 +0000";
    put("1.h:2,S", date);
    let mut agent = of(dir.path());
    assert_eq!(ingest(&mut agent, at).read, 1);
    let times = || {
        let folder = std::fs::File::open(dir.path().join("cur")).unwrap();
        let time = folder.metadata().unwrap().modified().unwrap();
        (folder, time)
    };
    // Behind its back: the folder looks as it was, so nobody walks it.
    let (folder, before) = times();
    put("2.h:2,S", date);
    folder.set_modified(before).unwrap();
    assert_eq!(ingest(&mut agent, at).read, 0);
    // It changed: the two that are new are read.
    put("3.h:2,S", date);
    folder
        .set_modified(before + std::time::Duration::from_secs(1))
        .unwrap();
    assert_eq!(ingest(&mut agent, at).read, 2);
    assert_eq!(ingest(&mut agent, at).read, 0);
}

#[test]
fn names_that_are_given_later_judge_what_is_still_in_files() {
    let dir = tempfile::tempdir().unwrap();
    let mail = |id: u8, from: &str, to: &str, text: &str| {
        let mail = format!("From: {from}\nTo: {to}\nMessage-ID: <{id}@x>\nDate: {MORNING}\n\n{text}\n");
        std::fs::write(dir.path().join(format!("{id}.eml")), mail).unwrap();
    };
    let (all, other, own) = (
        "team@example.net, bo@example.net, kavin@example.org, eve@example.net",
        "bo@example.net",
        "kavin@example.org",
    );
    mail(1, other, all, "Kavin, can you send me the key today?");
    mail(2, other, all, "Eve, can you send me the key today?");
    mail(3, own, other, "could you send me the key today?");
    let chats = dir.path().join("chats.jsonl");
    let said = serde_json::json!({"id": "n-1", "source": "phone", "kind": "notification", "at": "2026-11-03T10:00:00Z",
        "payload": {"app": "org.example.chat", "channel": "Team", "sender": "Bo", "text": "@kavin please send the key today"}});
    std::fs::write(&chats, format!("{said}\n")).unwrap();
    let of = |is_named: bool| {
        let mut setup = setup();
        (setup.owner.addresses, setup.owner.names) = if is_named {
            (vec![own.to_owned()], vec!["Kavin".to_owned()])
        } else {
            (vec![], vec![])
        };
        setup.sources.mail = vec![dir.path().to_owned()];
        setup.sources.notifications = vec![chats.clone()];
        CommsAgent::new(setup)
    };
    let judged = |agent: &CommsAgent| -> Vec<(ItemId, Intent, bool)> {
        let items = agent.window().items().iter();
        items
            .map(|item| (item.item_id.clone(), item.intent, item.mention))
            .collect()
    };
    let (mut nameless, mut named) = (of(false), of(true));
    let (before, meant) = (ingest(&mut nameless, t(NOON)), ingest(&mut named, t(NOON)));
    assert_eq!((before.read, meant.read), (4, 3));
    assert_ne!(judged(&nameless), judged(&named));

    let mut later = of(true);
    later.restore(&before.agent_state).unwrap();
    let again = ingest(&mut later, t(NOON));
    assert_eq!(again.read, 0, "none is new");
    assert_eq!(judged(&later), judged(&named));
    assert_eq!(again.holds, Some(3));
    // Once is enough.
    let mut same = of(true);
    same.restore(&again.agent_state).unwrap();
    same.names.clear();
    ingest(&mut same, t(NOON));
    assert_eq!(judged(&same), judged(&named));
}

#[test]
fn what_is_left_is_said_of_each_source() {
    let dir = tempfile::tempdir().unwrap();
    let mails: Vec<String> = (0..10)
        .map(|id| format!("From - \n{}", large(id, MORNING)))
        .collect();
    let (first, second) = (dir.path().join("a.mbox"), dir.path().join("b.mbox"));
    std::fs::write(&first, mails[..5].concat()).unwrap();
    std::fs::write(&second, mails[5..].concat()).unwrap();
    let mut setup = setup();
    setup.sources.mail = vec![first.clone(), second.clone()];
    let mut agent = CommsAgent::new(setup);
    let mut rests = || -> BTreeMap<String, u64> {
        let answer = ingest(&mut agent, t(NOON));
        let left = answer.rests.into_iter().map(|rest| (rest.source, rest.left));
        left.collect()
    };
    // A slice is full with the 4th mail; each ends before the next begins.
    let (of_first, of_second) = (mails[4].len() as u64, mails[5..].concat().len() as u64);
    assert_eq!(
        rests(),
        BTreeMap::from([(source_key(&first), of_first), (source_key(&second), of_second)])
    );
    let behind = mails[8..].concat().len() as u64;
    assert_eq!(rests(), BTreeMap::from([(source_key(&second), behind)]));
    assert_eq!(rests(), BTreeMap::new());
}
