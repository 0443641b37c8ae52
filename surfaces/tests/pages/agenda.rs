//! The agenda: a day by its hours, a week, a month, and what is no agenda.

use crate::{
    client::{Server, server},
    morning::ts,
    people_double::{ALONE, MEETING},
    sections::kept,
    settings_double::{home, source},
};
use surfaces_base::backend::settings::{SourceState, SourceView};

use toolcall_schema::{SourceKind, catalogue::shared::ThingId};

async fn page(server: &Server, query: &str) -> String {
    server.get(&format!("/agenda{query}")).await.body
}

fn asked(server: &Server, question: &str) -> bool {
    server.double.log.borrow().iter().any(|line| line == question)
}

/// The text of the page's lines, in their order, without markup.
fn lines(page: &str) -> Vec<String> {
    lines_behind(page, "<main")
}

/// The same of the list behind that piece of markup.
fn lines_behind(page: &str, piece: &str) -> Vec<String> {
    let behind = page.split_once(piece).unwrap().1;
    let list = behind.split_once("<ol class=\"agenda\">").unwrap().1;
    let list = list.split_once("</ol>").unwrap().0;
    list.split("<li ").skip(1).map(text).collect()
}

fn text(markup: &str) -> String {
    let inner = markup
        .split('<')
        .map(|part| part.split_once('>').map_or("", |(_, text)| text));
    let inner: Vec<&str> = inner.map(str::trim).filter(|text| !text.is_empty()).collect();
    // The first piece is the rest of the line's own tag.
    inner.join(" ")
}

#[tokio::test]
async fn a_day_stands_in_the_order_of_its_hours() {
    let server = server("agenda-day").await;
    // What the owner calls it stands before what Calendar says.
    *server.double.labels.lock().unwrap() = [(MEETING.to_owned(), "Loom <demo>".to_owned())]
        .into_iter()
        .collect();
    server.double.view.lock().unwrap().looks_again = ts("2026-11-03T05:10:00Z");
    let shown = page(&server, "").await;
    assert!(asked(&server, "agenda 2026-11-03 1"));
    assert!(shown.contains("Tuesday 3 November 2026"), "{shown}");
    let lines = lines(&shown);
    let place = |says: &str| {
        let found = lines.iter().position(|line| line.contains(says));
        found.unwrap_or_else(|| unreachable!("{says}: {lines:#?}"))
    };
    let order = [
        place("Diwali"),
        place("Leave for Loom &lt;demo&gt;"),
        place("09:00 to 10:00 Loom &lt;demo&gt; Studio &lt;4&gt; overlaps another · with 14 others"),
        place("09:30 to 10:30 An event without a title overlaps another · not answered yet · not certain"),
        place("10:30 to 12:00 Free"),
        place("10:40 I look again"),
        place("22:00 to 24:00 Night shift"),
    ];
    assert!(order.is_sorted(), "{order:?}: {lines:#?}");
    assert_eq!(
        lines.iter().filter(|line| line.ends_with("Now")).count(),
        1,
        "{lines:#?}"
    );
    for link in [MEETING, ALONE] {
        assert!(shown.contains(&format!("href=\"/calendar/{link}\"")), "{shown}");
    }
    assert!(!shown.contains("<demo>") && !shown.contains("<4>"), "{shown}");
}

#[tokio::test]
async fn tasks_stand_beside_the_events_overdue_due_done_and_some_time() {
    let server = server("agenda-tasks").await;
    let shown = page(&server, "").await;
    // 9:00 to 10:30 and 22:00 to 24:00 are 3 h 30 min; the way is 22 min; two overlap, three tasks are open; from 22:00 on is quiet.
    assert!(
        shown.contains("A busy day: 3 h 30 min of events, 1 journey, 2 tasks due, 1 overdue task, 2 events that overlap, 2 h in your quiet hours."),
        "{shown}"
    );
    let beside = lines_behind(&shown, "id=\"tasks\"");
    for line in [
        "overdue Renew the &lt;passport&gt; Papers · Taskwarrior · was due Sun 1 Nov",
        "due Water the plants Home · balcony · calendar · important · repeats",
        "done Buy stamps todo.txt",
    ] {
        assert!(beside.iter().any(|one| one == line), "{line}: {beside:#?}");
    }
    // What has an hour stands among the events.
    let lines = lines(&shown);
    let call = lines
        .iter()
        .position(|line| line.starts_with("09:30 Call the school"));
    let loom = lines.iter().position(|line| line.contains("Leave for"));
    assert!(loom < call && call.is_some(), "{lines:#?}");
    assert!(
        shown.contains("<s class=\"what\"><bdi>Buy stamps</bdi></s>"),
        "{shown}"
    );
    let fold = shown.split_once("<details class=\"some-time\">").unwrap().1;
    assert!(
        fold.contains("Some time (2)")
            && fold.contains("Learn to juggle")
            && fold.contains("A task without a title"),
        "{fold}"
    );
    assert!(
        shown.contains("Tick a task off in the program it comes from"),
        "{shown}"
    );
    assert!(!shown.contains("<passport>"), "{shown}");
    // Another day has its own tasks alone, and no fold.
    let friday = page(&server, "?day=2026-11-06").await;
    assert!(
        friday.contains("Book the train") && friday.contains("A light day: 1 task due."),
        "{friday}"
    );
    assert!(
        !friday.contains("some-time") && !friday.contains("passport"),
        "{friday}"
    );
    let month = page(&server, "?view=month&day=2026-11-03").await;
    assert!(month.contains("Tue 3 Nov, 4 events, 3 tasks, 1 done"), "{month}");
    // What is overdue stands on today alone.
    assert!(month.contains("Sun 1 Nov, 0 events<"), "{month}");
    let brief = server.get("/brief").await.body;
    assert!(
        brief.contains("To do today") && brief.contains("Renew the &lt;passport&gt;"),
        "{brief}"
    );
    assert!(
        !brief.contains("Buy stamps") && !brief.contains("juggle"),
        "{brief}"
    );
}

#[tokio::test]
async fn the_next_day_holds_the_end_of_the_night_the_brief_and_no_line_of_now() {
    let server = server("agenda-next").await;
    let shown = page(&server, "?view=day&day=2026-11-04").await;
    // The brief of that morning is the next.
    assert_eq!(
        lines(&shown),
        ["00:00 to 02:00 Night shift", "07:30 Your morning brief"]
    );
}

#[tokio::test]
async fn a_week_begins_on_monday_and_a_month_has_six_weeks() {
    let server = server("agenda-week").await;
    let week = page(&server, "?view=week&day=2026-11-03").await;
    assert!(asked(&server, "agenda 2026-11-02 7"));
    assert!(week.contains("Mon 2 Nov to Sun 8 Nov"), "{week}");
    assert_eq!(
        week.matches("Nothing.").count(),
        4,
        "all but Tuesday, Wednesday and Friday: {week}"
    );
    assert!(!week.contains("Leave for") && !week.contains(">Free<"), "{week}");
    // The night at work runs over midnight, so it stretches the sheet on neither side: it begins at eight, a row is a quarter of an hour, so nine o'clock is the fifth. What
    // lies behind its last hour stands below. It is 07:45, before the sheet begins.
    for place in [
        "<ol class=\"hour-names\" aria-hidden=\"true\"><li class=\"r1\">08:00</li><li class=\"r5\">09:00</li>",
        "<li class=\"event clash r5 h4 lane-1-3\"><span class=\"when\">09:00 to 10:00</span>",
        "<li class=\"event clash r7 h4 lane-2-3\"><span class=\"when\">09:30 to 10:30</span>",
        "<li class=\"task r7 h2 lane-3-3\"><span class=\"when\">09:30</span>",
        "<div class=\"rest\"><ol class=\"agenda whole\"><li class=\"event outside\"><span class=\"when\">22:00 to 24:00</span>",
    ] {
        assert!(week.contains(place), "{place}: {week}");
    }
    assert_eq!(week.matches("class=\"line").count(), 0, "now is not on the sheet");
    let style = server.get("/assets/aura.css").await.body;
    for rule in [".r1{--r:1}", ".r96{--r:96}", ".h96{--h:96}"] {
        assert!(style.contains(rule), "{rule}");
    }

    let month = page(&server, "?view=month&day=2026-11-03").await;
    assert!(asked(&server, "agenda 2026-10-26 42"));
    assert!(
        month.contains("November 2026") && month.contains("Tue 3 Nov</span>, 4 events")
            || month.contains("Tue 3 Nov, 4 events"),
        "{month}"
    );
    assert!(month.contains("and 1 more"), "four, three of them named: {month}");
    assert_eq!(month.matches("<td").count(), 42);
    for link in [
        "view=month&amp;day=2026-10-03",
        "view=month&amp;day=2026-12-03",
        "view=day&amp;day=2026-11-30",
    ] {
        assert!(month.contains(link), "{link}: {month}");
    }
}

#[tokio::test]
async fn without_a_calendar_it_says_so_and_what_is_no_day_is_refused() {
    let server = server("agenda-none").await;
    let none = page(&server, "?day=1999-01-01").await;
    let unread = "I cannot read your calendar now.";
    assert!(
        none.contains(unread) && none.contains("href=\"/settings#sources\""),
        "{none}"
    );
    // In a demo nobody can choose one.
    *server.double.shown_home.lock().unwrap() = Some(home());
    let demo = page(&server, "?day=1999-01-01").await;
    assert!(
        demo.contains("I read no events yet.") && !demo.contains(unread),
        "{demo}"
    );
    *server.double.shown_home.lock().unwrap() = None;
    // Where she chose no calendar, what would fill the page; one that is allowed may be busy.
    *server.double.home.lock().unwrap() = Some(home());
    let unfed = page(&server, "?day=1999-01-01").await;
    assert!(
        unfed.contains("Choose what I may read") && !unfed.contains(unread),
        "{unfed}"
    );
    let calendar = SourceView {
        source: source(SourceKind::Calendar, "/home/kavin/.calendars"),
        place: "~/.calendars".to_owned(),
        state: SourceState::There,
    };
    let mut allowed = home();
    allowed.sources.push(calendar);
    *server.double.home.lock().unwrap() = Some(allowed);
    let busy = page(&server, "?day=1999-01-01").await;
    assert!(
        busy.contains(unread) && !busy.contains("Choose what I may read"),
        "{busy}"
    );
    // As the script asks once its stream is open.
    assert_eq!(
        server.get("/agenda?view=day&day=2026-11-03&c=7").await.status,
        200
    );
    for query in [
        "?day=tomorrow",
        "?view=year",
        "?day=9999-12-31",
        "?day=2026-02-30",
    ] {
        assert_eq!(
            server.get(&format!("/agenda{query}")).await.status,
            400,
            "{query}"
        );
    }
}

/// A quiet page says what comes next, and is read anew when it is time to leave: 08:23, 22 minutes after 08:01.
#[tokio::test]
async fn a_quiet_page_says_what_comes_next() {
    let server = server("quiet").await;
    *server.double.labels.lock().unwrap() = std::iter::empty::<(String, String)>().collect();
    let page = server.get("/fragment/now").await.body;
    for part in [
        "Next, at 09:00: <a href=\"/calendar/",
        "<bdi>Loom &lt;demo&gt;</bdi></a><br>Leave at 08:23.",
        r#"data-again-ms="1320000""#,
        // What follows on that day, and who waits.
        "Later today</h2><ul class=\"rows\"><li><p class=\"head\"><a class=\"what\" href=\"/calendar/",
        "<bdi>An event without a title</bdi></a><span class=\"value\">09:30 to 10:30</span>",
        "<bdi>Night shift</bdi></a><span class=\"value\">22:00 to ",
        "<a href=\"/agenda\">Agenda</a>",
        // Who waits is no quiet: the title counts them, their list does not.
        "<h2>4 messages wait for your answer</h2>",
        "id=\"waits-title\" tabindex=\"-1\">Of the last 14 days, who waits longest first:</p>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(
        !page.contains("All quiet") && !page.contains("answer:</p>"),
        "{page}"
    );
    // Those who wait, and what the day's list is about, are named in one question.
    let named = server.double.named.lock().unwrap().clone();
    let asked = named.iter().filter(|ids| {
        ids.iter()
            .any(|id| matches!(id, ThingId::Item(_) | ThingId::Channel(_)))
    });
    assert_eq!(asked.count(), 1, "{named:?}");
    // Titles are kept on no disk.
    let kept = kept(&server, "/").await.body;
    for from_outside in ["Loom", "Night shift", "waits-title"] {
        assert!(!kept.contains(from_outside), "{from_outside}: {kept}");
    }
}

#[tokio::test]
async fn when_it_could_speak_again_is_said_until_then() {
    let server = server("quiet").await;
    let says = "I could speak again at 08:15, 30 minutes after the last card.";
    let before = server.get("/fragment/now").await.body;
    assert!(before.contains(says), "{before}");
    server.double.view.lock().unwrap().at = ts("2026-11-03T02:45:00Z");
    let after = server.get("/fragment/now").await.body;
    assert!(!after.contains("I could speak"), "{after}");
}
