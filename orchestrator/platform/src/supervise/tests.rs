//! Each way in which actix loses a panicking actor, survived.

use super::*;
use actix::{ActorFutureExt as _, AsyncContext as _, Handler, Message, ResponseActFuture, ResponseFuture};
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

/// Where a [`Do`] panics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Panics {
    Nowhere,
    InHandler,
    InFuture,
    InActorFuture,
    InMap,
    InTimer,
    InSpawned,
}

#[derive(Message)]
#[rtype(result = "u32")]
struct Do(Panics);

/// Counts what it did since it was built; `armed` counts its timers since the test began.
struct Counter {
    done: u32,
    armed: Arc<AtomicU32>,
}

impl Actor for Counter {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        self.armed.fetch_add(1, Ordering::SeqCst);
        ctx.run_later(Duration::from_hours(1), |_, _| {});
    }
}

impl Supervised for Counter {
    fn restarting(&mut self, _ctx: &mut Self::Context) {
        self.done = 0;
    }
}

impl Handler<Do> for Counter {
    type Result = ResponseActFuture<Self, u32>;

    fn handle(&mut self, Do(panics): Do, ctx: &mut Self::Context) -> Self::Result {
        let is = move |place| assert!(panics != place, "asked to panic");
        is(Panics::InHandler);
        self.done += 1;
        let done = self.done;
        if panics == Panics::InTimer {
            ctx.run_later(Duration::ZERO, move |_, _| is(Panics::InTimer));
        }
        if panics == Panics::InSpawned {
            ctx.spawn(actix::fut::wrap_future(async move { is(Panics::InSpawned) }));
        }
        let work = async move {
            is(Panics::InFuture);
            done
        };
        let work = actix::fut::wrap_future::<_, Self>(work).map(move |done, _, _| {
            is(Panics::InActorFuture);
            done
        });
        Box::pin(work.map(move |done, _, _| {
            is(Panics::InMap);
            done
        }))
    }
}

/// A question whose future panics outside the actor.
#[derive(Message)]
#[rtype(result = "u32")]
struct Aside;

impl Handler<Aside> for Counter {
    type Result = ResponseFuture<u32>;

    fn handle(&mut self, _: Aside, _ctx: &mut Self::Context) -> Self::Result {
        Box::pin(async { unreachable!("asked to panic") })
    }
}

fn counter() -> (Counter, Arc<AtomicU32>) {
    let armed = Arc::new(AtomicU32::new(0));
    let counter = Counter {
        done: 0,
        armed: armed.clone(),
    };
    (counter, armed)
}

#[actix::test]
async fn a_panic_anywhere_in_an_actor_is_survived_at_the_same_address_with_its_timers_armed_again() {
    for panics in [
        Panics::InHandler,
        Panics::InFuture,
        Panics::InActorFuture,
        Panics::InMap,
        Panics::InTimer,
        Panics::InSpawned,
    ] {
        let (actor, armed) = counter();
        let addr = start(actor, "counter", SupervisedRole::Surfaces, || unreachable!());
        assert_eq!(addr.send(Do(Panics::Nowhere)).await.unwrap(), 1);
        // Who asked may be told or not by an actor whose timer panics; the others cost the answer.
        let told = addr.send(Do(panics)).await.is_ok();
        assert!(
            !told || matches!(panics, Panics::InTimer | Panics::InSpawned),
            "{panics:?}"
        );
        let again = loop {
            // What was asked while the old life ended is lost with it; the address lives.
            if let Ok(done) = addr.send(Do(Panics::Nowhere)).await
                && armed.load(Ordering::SeqCst) == 2
            {
                break done;
            }
        };
        assert!(again < 3, "{panics:?}: a fresh state, not {again}");
    }
}

#[actix::test]
async fn what_was_queued_behind_a_panic_is_handled_with_a_fresh_state() {
    let (actor, _) = counter();
    let addr = start(actor, "counter", SupervisedRole::Surfaces, || unreachable!());
    assert_eq!(addr.send(Do(Panics::Nowhere)).await.unwrap(), 1);
    let (crashed, queued) = tokio::join!(addr.send(Do(Panics::InHandler)), addr.send(Do(Panics::Nowhere)));
    assert!(crashed.is_err(), "only the failing caller is told");
    assert_eq!(queued.unwrap(), 1);
}

#[actix::test]
async fn a_panic_in_an_answers_own_future_is_told_to_who_asked() {
    let (actor, _) = counter();
    let addr = start(actor, "counter", SupervisedRole::Surfaces, || unreachable!());
    assert!(addr.send(Aside).await.is_err());
    assert!(addr.send(Do(Panics::Nowhere)).await.is_ok());
}

#[actix::test]
async fn past_its_limit_an_actor_escalates_once() {
    let escalated = Arc::new(AtomicU32::new(0));
    let count = escalated.clone();
    let (actor, _) = counter();
    let addr = start(actor, "counter", SupervisedRole::Orchestrator, move || {
        count.fetch_add(1, Ordering::SeqCst);
    });
    assert!(addr.send(Do(Panics::InHandler)).await.is_err());
    assert!(addr.send(Do(Panics::Nowhere)).await.is_err());
    assert_eq!(escalated.load(Ordering::SeqCst), 1);
}

/// Each trap that no supervisor can survive is one that the code does not step into.
#[test]
fn the_code_steps_into_none_of_the_traps_that_end_the_process_or_lose_a_worker() {
    fn sources(dir: &std::path::Path, out: &mut Vec<String>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, out);
            } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
                out.push(std::fs::read_to_string(path).unwrap());
            }
        }
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts = Vec::new();
    for name in ["platform", "process", "workflow", "runtime", "days", "cli", "lab"] {
        sources(&root.join(format!("orchestrator/{name}/src")), &mut texts);
    }
    for name in ["", "base", "calendar", "comms", "finance", "wellness"] {
        sources(&root.join("agents").join(name).join("src"), &mut texts);
    }
    assert!(texts.len() > 250, "the sources are found");
    for (trap, why) in [
        ("fn stopped(", "while a panic unwinds it aborts the process"),
        (
            "SyncArbiter::",
            "a panic loses its worker for good, and its queue has no end",
        ),
        (".do_send(", "it takes no notice of the mailbox's bound"),
    ] {
        assert!(!texts.iter().any(|text| text.contains(trap)), "{trap}: {why}");
    }
    // With `panic = "abort"` nothing of this file would hold.
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    assert!(!manifest.contains("panic = \"abort\""));
    const { assert!(cfg!(panic = "unwind")) };
    let clippy = std::fs::read_to_string(root.join("clippy.toml")).unwrap();
    assert!(clippy.contains("actix::Addr::do_send") && clippy.contains("actix::Recipient::do_send"));
}

#[derive(Message)]
#[rtype(result = "()")]
struct Wait;

struct Narrow;

impl Actor for Narrow {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(2);
    }
}

impl Supervised for Narrow {}

impl Handler<Wait> for Narrow {
    type Result = ();

    fn handle(&mut self, _: Wait, _ctx: &mut Self::Context) {}
}

#[actix::test]
async fn a_full_mailbox_refuses_what_is_sent_by_our_way_of_sending() {
    let addr = start(Narrow, "narrow", SupervisedRole::Surfaces, || unreachable!());
    // Started, so that its capacity is set.
    addr.send(Wait).await.unwrap();
    let taken = (0..100)
        .take_while(|_| crate::mailbox::send(&addr, "narrow", Wait).is_ok())
        .count();
    assert!(
        (1..10).contains(&taken),
        "{taken} were taken of 2 and the sender's own place"
    );
}
