//! The agenda on open pages: a day, a week, a month, and from there to an event of next month; tasks beside them; and the palette.
//!
//! What: a calendar and lists of tasks in files, after all agents were restarted; each view fits every screen, and an event that no window holds can be opened. Why: what a page lists has
//! to lead somewhere. Not here: order and hours (`surfaces/tests/pages/agenda.rs`), what overlaps (`agents`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look, look_like},
    driver::{Browser, DESK, PHONE},
    first_day::{click, is_there},
    page::{Page, paired},
    support::{
        meeting_household::{DEMO, MeetingHousehold},
        named_household::restart_agents,
    },
};
use chrono::{Datelike as _, TimeDelta, Utc};
use serde_json::json;

/// The meeting in eight minutes, one that begins within it, three days of a fair from this week's Monday on, a holiday, and ten o'clock on each of the next 100 days.
fn calendar() -> String {
    let at = |minutes| (Utc::now() + TimeDelta::minutes(minutes)).format("%Y%m%dT%H%M%SZ");
    let day = |days| (Utc::now() + TimeDelta::days(days)).format("%Y%m%d");
    let event = |uid: &str, lines: &str| {
        format!("BEGIN:VEVENT\nUID:{uid}\nDTSTAMP:20261101T000000Z\n{lines}\nEND:VEVENT\n")
    };
    let monday = i64::from(Utc::now().weekday().num_days_from_monday());
    let events = [
        event("demo", &format!("DTSTART:{}\nDTEND:{}\n{DEMO}", at(8), at(38))),
        event(
            "call",
            &format!(
                "DTSTART:{}\nDTEND:{}\nSUMMARY:Call the plumber about the boiler in the cellar",
                at(20),
                at(30)
            ),
        ),
        event(
            "fair",
            &format!(
                "DTSTART;VALUE=DATE:{}\nDTEND;VALUE=DATE:{}\nSUMMARY:Trade fair",
                day(-monday),
                day(3 - monday)
            ),
        ),
        event("feast", &format!("DTSTART;VALUE=DATE:{}\nSUMMARY:Diwali", day(1))),
        event(
            "stand-up",
            &format!(
                "DTSTART:{}T100000\nDTEND:{}T101500\nRRULE:FREQ=DAILY;COUNT=100\nSUMMARY:Stand-up",
                day(-20),
                day(-20)
            ),
        ),
    ];
    format!(
        "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n{}END:VCALENDAR\n",
        events.concat()
    )
    .replace('\n', "\r\n")
}

#[tokio::test]
async fn a_day_a_week_and_a_month_lead_to_their_events() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = MeetingHousehold::new(false, DEMO);
    house.write("home.ics", &calendar());
    let service = house.start();
    MeetingHousehold::event(&service);
    restart_agents(&service);
    service.until("the agenda", |service| {
        let (_, page) = service.request("GET", "/agenda", None);
        page.as_str()?.contains("Loom demo").then_some(())
    });
    let page = paired(&mut browser, DESK, &house.data(), &service).await;

    page.go("/brief").await.unwrap();
    is_there(&page, "#brief").await;
    click(&page, ".tabs a[href=\"/agenda\"]").await;
    page.until(
        "[...document.querySelectorAll('.agenda .clash bdi')].some((e) => e.textContent === 'Loom demo')",
    )
    .await
    .unwrap();
    is_there(&page, ".agenda .leave").await;
    look(&page, &axe, "period", "agenda-day").await;

    // A browser whose clock is in another zone shows the owner's hours and days.
    let hours = "return [...document.querySelectorAll('h2, .agenda .event .when')].map((one) => one.textContent).join();";
    let here = page.run(hours).await.unwrap();
    let zone = |name: &str| json!({ "timezoneId": name });
    page.devtools("Emulation.setTimezoneOverride", zone("Pacific/Kiritimati"))
        .await
        .unwrap();
    page.go("/agenda").await.unwrap();
    is_there(&page, ".agenda .leave").await;
    assert_eq!(page.run(hours).await.unwrap(), here);
    page.devtools("Emulation.setTimezoneOverride", zone(""))
        .await
        .unwrap();

    click(&page, ".periods a[href*=\"view=week\"]").await;
    page.until("document.querySelectorAll('.agenda-week section').length === 7")
        .await
        .unwrap();
    look(&page, &axe, "period", "agenda-week").await;
    // On a desk what overlaps stands side by side, and a quarter of an hour is as high as half of one, two rows of 12 pixels; on a phone it is a list.
    let places = "const of = (name) => [...document.querySelectorAll('.agenda-week .hours li')]\
        .find((one) => one.querySelector('bdi')?.textContent.startsWith(name)).getBoundingClientRect();\
        const [demo, call, short] = ['Loom demo', 'Call the plumber', 'Stand-up'].map(of);\
        return [demo.right <= call.left + 1, call.top >= demo.bottom - 1, Math.abs(short.height - 24) < 1];";
    look_like(&page, DESK, "light").await;
    assert_eq!(page.run(places).await.unwrap(), json!([true, false, true]));
    // What lasts from Monday to Wednesday is one bar over three of the seven days.
    let bar = "const days = [...document.querySelectorAll('.agenda-week section')], link = days[0].querySelector('.long a');\
        const bar = link.closest('li').getBoundingClientRect(), ends = days[2].getBoundingClientRect();\
        return [link.textContent, bar.left < days[1].getBoundingClientRect().left, Math.abs(bar.right - ends.right) < 4,\
        document.elementFromPoint(ends.left + 8, bar.top + 12) === link, getComputedStyle(days[1].querySelector('.goes-on')).opacity];";
    assert_eq!(
        page.run(bar).await.unwrap(),
        json!(["Trade fair", true, true, true, "0"])
    );
    look_like(&page, PHONE, "light").await;
    assert_eq!(page.run(places).await.unwrap(), json!([false, true, false]));
    // On a phone each day's list has it.
    let listed = "return [...document.querySelectorAll('.agenda-week .whole')].filter((day) => day.innerText.includes('Trade fair')).length;";
    assert_eq!(page.run(listed).await.unwrap(), json!(3));

    click(&page, ".periods a[href*=\"view=month\"]").await;
    page.until("document.querySelectorAll('.agenda-month td').length === 42")
        .await
        .unwrap();
    look(&page, &axe, "period", "agenda-month").await;

    // A month on, beyond what Calendar keeps ready.
    click(&page, ".periods .turn a:last-child").await;
    page.until("document.querySelector('.agenda-month td:not(.other) > a')?.href.includes('view=day')")
        .await
        .unwrap();
    page.run("document.querySelectorAll('.agenda-month td:not(.other) > a')[9].click();")
        .await
        .unwrap();
    page.until("document.querySelector('.agenda .event bdi')?.textContent === 'Stand-up'")
        .await
        .unwrap();
    click(&page, ".agenda .event a.what").await;
    page.until("document.querySelector('#meeting-title')?.textContent === 'Stand-up'")
        .await
        .unwrap();
}

/// Water the plants in a calendar, three lines of todo.txt, one task of Taskwarrior; with a title of 300 letters and one from right to left.
fn write_tasks(house: &MeetingHousehold) {
    let day = |days: i64, form: &str| (Utc::now() + TimeDelta::days(days)).format(form).to_string();
    let todo = format!(
        "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\nX-WR-CALNAME:Household\nBEGIN:VTODO\nUID:plants\nDTSTAMP:20261101T000000Z\n\
         DUE;VALUE=DATE:{}\nRRULE:FREQ=DAILY\nPRIORITY:1\nSUMMARY:Water the plants\nEND:VTODO\nEND:VCALENDAR\n",
        day(0, "%Y%m%d")
    );
    house.write("tasks.ics", &todo.replace('\n', "\r\n"));
    let long = "Sort the photographs ".repeat(15);
    let lines = [
        format!("(A) Pay the rent due:{} +home", day(-3, "%Y-%m-%d")),
        format!("x {} Buy stamps @town", day(0, "%Y-%m-%d")),
        format!("{long} @evening"),
        "\u{5d0}\u{5e1}\u{5ea}\u{5e8} <b>".to_owned(),
    ];
    house.write("todo.txt", &lines.join("\n"));
    let at = (Utc::now() + TimeDelta::minutes(25)).timestamp();
    house.write(
        "pending.data",
        &format!(
            "[description:\"Call the school\" due:\"{at}\" project:\"Family\" status:\"pending\" uuid:\"00000000-0000-4000-8000-000000000001\"]\n"
        ),
    );
    let file = house.data().with_file_name("home.toml");
    let home = std::fs::read_to_string(file).unwrap().replace(
        "calendar = [\"home.ics\"]",
        "calendar = [\"home.ics\", \"tasks.ics\", \"todo.txt\", \"pending.data\"]",
    );
    house.write("home.toml", &home);
}

#[tokio::test]
async fn tasks_of_three_programs_stand_beside_the_events_of_the_day() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = MeetingHousehold::new(false, DEMO);
    write_tasks(&house);
    let service = house.start();
    MeetingHousehold::event(&service);
    restart_agents(&service);
    service.until("the tasks", |service| {
        let (_, page) = service.request("GET", "/agenda", None);
        page.as_str()?.contains("Pay the rent").then_some(())
    });
    let page = paired(&mut browser, DESK, &house.data(), &service).await;

    page.go("/agenda").await.unwrap();
    is_there(&page, ".agenda .task").await;
    let titles = page
        .run("return [...document.querySelectorAll('ol.agenda .task .what')].map((e) => e.textContent).sort();")
        .await
        .unwrap();
    assert_eq!(
        titles,
        serde_json::json!([
            "Buy stamps",
            "Call the school",
            "Pay the rent",
            "Water the plants"
        ])
    );
    let struck = page
        .run("return [...document.querySelectorAll('ol.agenda s')].map((e) => e.textContent);")
        .await
        .unwrap();
    assert_eq!(struck, serde_json::json!(["Buy stamps"]));
    let notes = "[...document.querySelectorAll('ol.agenda .task')].map((e) => e.textContent)";
    for says in [
        "Family · Taskwarrior",
        "home · todo.txt · was due",
        "Household · calendar · important · repeats",
    ] {
        page.until(&format!("{notes}.some((text) => text.includes('{says}'))"))
            .await
            .unwrap();
    }
    page.until("/day: .*events, 1 journey, 2 tasks due, 1 overdue task/.test(document.querySelector('.day-load').textContent)")
        .await
        .unwrap();
    click(&page, ".some-time summary").await;
    page.until("document.querySelectorAll('.some-time[open] li').length === 2")
        .await
        .unwrap();
    look(&page, &axe, "period", "agenda-tasks-day").await;

    click(&page, ".periods a[href*=\"view=week\"]").await;
    page.until("document.querySelector('.agenda-week .today .more a')?.textContent === '3 tasks, 1 done'")
        .await
        .unwrap();
    look(&page, &axe, "period", "agenda-tasks-week").await;
    click(&page, ".periods a[href*=\"view=month\"]").await;
    page.until("document.querySelector('.agenda-month .today')?.textContent.includes('3 tasks, 1 done')")
        .await
        .unwrap();
    look(&page, &axe, "period", "agenda-tasks-month").await;

    page.go("/brief").await.unwrap();
    page.until("document.querySelectorAll('#due .rows li').length === 3")
        .await
        .unwrap();
    look(&page, &axe, "due", "brief-tasks").await;
}

/// Types into the palette's field.
async fn type_in(page: &Page, text: &str) {
    let script = format!(
        "const field = document.querySelector('#palette input'); field.value = '{text}'; \
         field.dispatchEvent(new Event('input', {{ bubbles: true }}));"
    );
    page.run(&script).await.unwrap();
}

async fn press(page: &Page, key: &str, control: bool) {
    let script = format!(
        "(document.activeElement || document.body).dispatchEvent(new KeyboardEvent('keydown', \
         {{ key: '{key}', ctrlKey: {control}, bubbles: true, cancelable: true }}));"
    );
    page.run(&script).await.unwrap();
}

#[tokio::test]
async fn one_field_leads_to_a_page_a_day_and_a_person() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = MeetingHousehold::new(false, DEMO);
    let service = house.start();
    let event = MeetingHousehold::event(&service);
    MeetingHousehold::page(&service, &event, "<bdi>Asha Rao</bdi></a>");
    restart_agents(&service);
    let page = paired(&mut browser, DESK, &house.data(), &service).await;
    is_there(&page, "#now").await;

    let first = "document.querySelector('#palette li:not([hidden])')";
    press(&page, "k", true).await;
    page.until("document.querySelector('#palette').open")
        .await
        .unwrap();
    type_in(&page, "asha").await;
    page.until(&format!("{first}?.textContent.includes('Asha Rao')"))
        .await
        .unwrap();
    look(&page, &axe, "palette", "palette").await;
    press(&page, "Enter", false).await;
    page.until("document.querySelector('#who-title')?.textContent === 'Asha Rao'")
        .await
        .unwrap();

    // The meeting of the household by its title: what was opened first leads to the event's page.
    press(&page, "k", true).await;
    type_in(&page, "loom").await;
    page.until(&format!("{first}?.textContent.includes('Event')"))
        .await
        .unwrap();
    press(&page, "Enter", false).await;
    page.until("location.pathname.startsWith('/calendar/') && document.readyState === 'complete'")
        .await
        .unwrap();

    press(&page, "k", true).await;
    type_in(&page, "2026-12-03").await;
    page.until(&format!(
        "{first}?.dataset.go === '/agenda?view=day&day=2026-12-03'"
    ))
    .await
    .unwrap();
    // Which day that is, the owner's zone and clock say (`palette_days`); pages by other words, in either language.
    for (typed, goes) in [
        ("tomorrow", "/agenda?view=day&day="),
        ("friday", "/agenda?view=day&day="),
        ("nächste Woche", "/agenda?view=week&day="),
        ("Dezember 2026", "/agenda?view=month&day=2026-12-01"),
        ("budget", "/money/ahead#budgets"),
        ("Sprache", "/settings#about-you"),
        ("quarantine", "/ops/quarantine"),
        ("export", "/memory#copy"),
        ("backup", "/settings#backup"),
        ("devices", "/devices"),
    ] {
        type_in(&page, typed).await;
        page.until(&format!("{first}?.dataset.go?.startsWith('{goes}')"))
            .await
            .unwrap();
    }
    // The beginning of a day's name comes after what it is a part of.
    type_in(&page, "mon").await;
    page.until(&format!(
        "{first}?.dataset.go === '/money' && !!document.querySelector('#palette [data-go^=\"/agenda?view=day\"]')"
    ))
    .await
    .unwrap();
    type_in(&page, "nobody of that name").await;
    page.until("!document.querySelector('#palette .none').hidden")
        .await
        .unwrap();
    type_in(&page, "spending").await;
    press(&page, "Enter", false).await;
    page.until("location.pathname === '/money/spending'")
        .await
        .unwrap();
    is_there(&page, "#period").await;
    look(&page, &axe, "period", "spending-month").await;

    page.go("/").await.unwrap();
    is_there(&page, "#now").await;
    click(&page, "button[data-palette]").await;
    type_in(&page, "two hours").await;
    press(&page, "Enter", false).await;
    page.until("!!document.querySelector('[data-pause=\"off\"]')")
        .await
        .unwrap();
}
