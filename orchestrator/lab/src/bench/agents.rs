//! Figures of the four agents: a tick, and reading.
//!
//! What: each agent's tick on what it has read; notifications judged in batches; large files read slice by slice, with the
//! memory that took, and looked at once more. Why: agents are asked at every tick and read what people have gathered over years.
//! Not here: the whole tick (`bench::tick`), processes (`actors`).

use super::{BenchError, CpuFigures, PER_BATCH, SEED, cpu_ns, figures, files, health};
use agents::{
    comms::judging::{OwnerIdentity, SenderStanding, judge_bytes},
    contract::{Agent, AgentSetup, SourcePaths},
    registry,
};
use aura_runtime::config::HomeConfig;
use serde::Serialize;
use std::{fs, hint::black_box, path::Path, time::Instant};
use toolcall_schema::{
    AgentName, SourceKind, Timestamp,
    ids::{OwnerSeed, SignalId},
    signal::{Signal, SignalKind},
    tick::{IngestArgs, TickArgs, Trigger, TriggerSource, UserState},
};

/// What a tick asks at an instant, with nothing known about the owner.
fn question(wall: Timestamp, home: &HomeConfig) -> TickArgs {
    TickArgs {
        tick: 1,
        trigger: Trigger {
            source: TriggerSource::Interval,
            subject: None,
            at: wall,
            valid_until: wall.plus_min(10),
        },
        user: UserState {
            load_score: None,
            state: toolcall_schema::WellnessState::Unknown,
            in_focus: false,
            in_meeting: false,
            dnd: false,
            active_channel: None,
            brief_due: true,
            zone: home.settings.zone.to_string(),
        },
        rules: Vec::new(),
    }
}

fn built(name: AgentName, setup: AgentSetup) -> Result<Box<dyn Agent>, BenchError> {
    registry::build(name, setup).ok_or(BenchError::NoAnswer)
}

fn look(agent: &mut dyn Agent, at: Timestamp) -> toolcall_schema::tick::IngestResult {
    let args = IngestArgs {
        cursor: 0,
        signal_ids: Vec::new(),
    };
    agent.ingest(&args, at)
}

/// `aura bench agents`: the tick of each agent on the household, notifications by rules and by the classifier, and mails of 8 KB.
///
/// # Errors
/// A household that cannot be read.
pub(crate) fn agents(
    home: &HomeConfig,
    wall: Timestamp,
    count: usize,
) -> Result<Vec<CpuFigures>, BenchError> {
    let seed = OwnerSeed::from_day_seed(SEED);
    let asked = question(wall, home);
    let mut all = Vec::new();
    for name in AgentName::FOUR {
        let mut agent = built(name, home.setup(&seed))?;
        while look(agent.as_mut(), wall).left > 0 {}
        let batches = (0..count.div_ceil(PER_BATCH) + 10).map(|_| {
            let begun = cpu_ns();
            for _ in 0..PER_BATCH {
                black_box(agent.tick(black_box(&asked), wall));
            }
            (cpu_ns() - begun) as f64 / PER_BATCH as f64
        });
        let batches = batches.skip(10).collect();
        all.push(figures(&format!("{name}: tick"), batches, PER_BATCH));
    }
    for (what, texts) in [("by rules", &BY_RULES), ("by the classifier", &BY_CLASSIFIER)] {
        let batches = (0..count.div_ceil(PER_BATCH))
            .map(|round| notifications(&home.setup(&seed), wall, texts, round))
            .collect::<Result<_, _>>()?;
        all.push(figures(
            &format!("comms: a notification {what}, 20 at once"),
            batches,
            AT_ONCE,
        ));
    }
    let batches = (0..count.div_ceil(PER_BATCH))
        .map(|_| mails(black_box(MAIL_TEXTS)))
        .collect::<Result<_, _>>()?;
    all.push(figures(
        "comms: a mail of 8 KB, parsed and judged",
        batches,
        AT_ONCE,
    ));
    Ok(all)
}

/// What is said in the mails that are judged: an answer with a request, news, and a talk.
const MAIL_TEXTS: [&str; 3] = [
    "thank you for the plan of the garden. the beds near the wall get too little light for beans, so i would move them. \
     could you please send me the list of seeds before friday?\r\n\r\n",
    "this month we planted bulbs and covered the figs. the path to the lake is open again, and the library has new hours. \
     our readers wrote about frost, moss and the first snow.\r\n\r\n",
    "we walked around the lake and it rained the whole way. the children found a heron, and my cousin made soup when we \
     came home. it was the best day of the week.\r\n\r\n",
];

/// Nanoseconds for each of a batch of mails of 8 KB, from bytes to what is said of them.
fn mails(texts: [&str; 3]) -> Result<f64, BenchError> {
    let mails: Vec<Vec<u8>> = (0..AT_ONCE)
        .zip(texts.iter().cycle())
        .map(|(n, text)| {
            let head = format!(
                "Received: from mail.example.org (mail.example.org [192.0.2.7]) by mx.example.net with ESMTPS id q{n}; \
                 Tue, 03 Nov 2026 09:01:05 +0000\r\nFrom: Person {n} <person{n}@example.org>\r\nTo: Asha <asha@example.net>\r\n\
                 Subject: the garden\r\nDate: Tue, 03 Nov 2026 09:01:00 +0000\r\nMessage-ID: <bench{n}@example.org>\r\n\
                 Content-Type: text/plain; charset=utf-8\r\n\r\n"
            );
            let body = text.repeat(MAIL_BYTES.saturating_sub(head.len()).div_ceil(text.len()));
            let mut mail = (head + &body).into_bytes();
            mail.truncate(MAIL_BYTES);
            mail
        })
        .collect();
    let (names, addresses) = (["asha".to_owned()], ["asha@example.net".to_owned()]);
    let owner = OwnerIdentity {
        names: &names,
        addresses: &addresses,
    };
    let begun = cpu_ns();
    let judged = mails
        .iter()
        .filter(|mail| black_box(judge_bytes(black_box(mail), &owner, &SenderStanding::default())).is_some())
        .count();
    let ns = (cpu_ns() - begun) as f64 / AT_ONCE as f64;
    if judged == AT_ONCE {
        Ok(ns)
    } else {
        Err(BenchError::NoAnswer)
    }
}

/// Bytes of a mail that is judged, its head included.
const MAIL_BYTES: usize = 8192;

/// Notifications or mails in one batch.
const AT_ONCE: usize = 20;

/// Messages that a rule recognises.
const BY_RULES: [&str; 5] = [
    "ok",
    "win a prize now, limited offer https://example.com/claim",
    "notice: the lift is out of order",
    "@kavin please send the report by 5 pm",
    "can you call the plumber tomorrow?",
];

/// Messages that none does.
const BY_CLASSIFIER: [&str; 5] = [
    "the bus was late again and it rained the whole way home",
    "we had mangoes from the market, they were the best this year",
    "my cousin got the job she had talked about all summer",
    "the match last night went on until almost midnight",
    "found the old photos of the house by the lake",
];

/// Nanoseconds for each of a batch of notifications, handed over and read.
fn notifications(
    setup: &AgentSetup,
    wall: Timestamp,
    texts: &[&str; 5],
    round: usize,
) -> Result<f64, BenchError> {
    let only = AgentSetup {
        sources: SourcePaths::default(),
        ..setup.clone()
    };
    let mut agent = built(AgentName::Comms, only)?;
    let signals: Vec<Signal> = (0..AT_ONCE)
        .zip(texts.iter().cycle())
        .filter_map(|(n, text)| {
            Some(Signal {
                id: SignalId::parse(&format!("bench-{round}-{n}")).ok()?,
                at: wall,
                source: "bench".to_owned(),
                kind: SignalKind::Notification,
                payload: serde_json::json!({
                    "app": "org.example.chat", "channel": format!("group {}", n % 4),
                    "sender": format!("Person {}", n % 7), "text": text,
                }),
            })
        })
        .collect();
    let begun = cpu_ns();
    agent.accept(signals);
    let read = look(agent.as_mut(), wall);
    let ns = (cpu_ns() - begun) as f64 / AT_ONCE as f64;
    if usize::try_from(read.read).ok() == Some(AT_ONCE) {
        Ok(ns)
    } else {
        Err(BenchError::NoAnswer)
    }
}

/// What reading one source cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ImportFigures {
    /// What was read.
    pub what: &'static str,
    /// Its bytes.
    pub bytes: u64,
    /// Items that were kept, and skipped.
    pub items: (u64, u64),
    /// Ingests it took.
    pub slices: u64,
    /// Megabytes (10⁶) a second of CPU time.
    pub mb_per_cpu_second: f64,
    /// The same by the clock on the wall.
    pub mb_per_second: f64,
    /// Milliseconds of the longest ingest.
    pub longest_ms: f64,
    /// KiB by which the greatest memory of the process grew.
    pub grown_kib: Option<u64>,
    /// Milliseconds of a second look at what did not change.
    pub again_ms: f64,
}

/// `aura bench import`: files of `bytes` and of an eighth of it, and a Maildir of `mails`, made in `dir`.
///
/// # Errors
/// A disk that says no.
pub(crate) fn import(
    home: &HomeConfig,
    (bytes, mails): (u64, u64),
    dir: &Path,
) -> Result<Vec<ImportFigures>, BenchError> {
    const FILE_SEED: u64 = 8;
    let mut all = Vec::new();
    for size in [bytes / 8, bytes] {
        let path = dir.join("archive.mbox");
        files::mbox(&path, size, files::ARCHIVE, FILE_SEED)?;
        all.push(read(
            "mbox of years",
            SourceKind::Mail,
            AgentName::Comms,
            &path,
            (home, AFTERWARDS_MS),
        )?);
        fs::remove_file(&path)?;
        let path = dir.join("main.journal");
        files::journal(&path, size / 8, FILE_SEED)?;
        all.push(read(
            "hledger journal",
            SourceKind::Finance,
            AgentName::Finance,
            &path,
            (home, AFTERWARDS_MS),
        )?);
        fs::remove_file(&path)?;
        let path = dir.join("export.xml");
        health::export(&path, size, FILE_SEED)?;
        all.push(read(
            "Apple Health export",
            SourceKind::Wellness,
            AgentName::Wellness,
            &path,
            (home, AFTERWARDS_MS),
        )?);
        fs::remove_file(&path)?;
    }
    // All of one second, the last of the window: each is read and judged in full.
    let path = dir.join("today.mbox");
    files::mbox(&path, bytes / 8, (files::ARCHIVE.0, 0), FILE_SEED)?;
    all.push(read(
        "mbox of today",
        SourceKind::Mail,
        AgentName::Comms,
        &path,
        (home, TODAY_MS),
    )?);
    fs::remove_file(&path)?;
    let path = dir.join("Maildir");
    files::maildir(&path, mails, FILE_SEED)?;
    all.push(read(
        "Maildir",
        SourceKind::Mail,
        AgentName::Comms,
        &path,
        (home, AFTERWARDS_MS),
    )?);
    Ok(all)
}

/// After the last item of any archive that is made here, milliseconds since 1970.
const AFTERWARDS_MS: i64 = 2_208_988_800_000;
/// An hour after the mails of today.
const TODAY_MS: i64 = 1_609_462_800_000;

fn read(
    what: &'static str,
    kind: SourceKind,
    name: AgentName,
    path: &Path,
    (home, at_ms): (&HomeConfig, i64),
) -> Result<ImportFigures, BenchError> {
    let at = Timestamp::from_ms(at_ms);
    let mut setup = home.setup(&OwnerSeed::from_day_seed(SEED));
    setup.sources = SourcePaths::default();
    setup.sources.list_mut(kind).push(path.to_owned());
    let mut agent = built(name, setup)?;
    let before = peak_kib_from_now();
    let (cpu, wall) = (cpu_ns(), Instant::now());
    let (mut slices, mut longest, mut taken, mut kept, mut skipped) = (0, 0.0_f64, 0, 0, 0);
    loop {
        let begun = Instant::now();
        let read = look(agent.as_mut(), at);
        longest = longest.max(begun.elapsed().as_secs_f64() * 1000.0);
        slices += 1;
        taken += read.taken;
        kept += u64::from(read.read);
        skipped += u64::from(read.skipped);
        if read.left == 0 {
            break;
        }
        if read.taken == 0 {
            return Err(BenchError::NoAnswer);
        }
    }
    let cpu = (cpu_ns() - cpu) as f64 / 1e9;
    let wall = wall.elapsed().as_secs_f64();
    let grown_kib = before.and_then(|before| Some(peak_kib()?.saturating_sub(before)));
    let begun = Instant::now();
    look(agent.as_mut(), at);
    let again_ms = begun.elapsed().as_secs_f64() * 1000.0;
    let mb = taken as f64 / 1e6;
    Ok(ImportFigures {
        what,
        bytes: taken,
        items: (kept, skipped),
        slices,
        mb_per_cpu_second: mb / cpu,
        mb_per_second: mb / wall,
        longest_ms: longest,
        grown_kib,
        again_ms,
    })
}

/// The greatest resident memory of this process in KiB since it was last reset.
fn peak_kib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

/// Resets it to what is resident now.
fn peak_kib_from_now() -> Option<u64> {
    fs::write("/proc/self/clear_refs", "5").ok()?;
    peak_kib()
}
