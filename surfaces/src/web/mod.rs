//! The local server: pages, event stream and API.
//!
//! What: [`bind`] and [`serve`]. Why: the owner's phone, watch and programs reach Aura through one door on the loopback.
//! Not here: who may come in (`guard`), what a page looks like (`pages`), what is true (the backend).

pub mod access;
mod access_control;
mod account_forms;
mod account_writes;
mod accounts_page;
mod acts_page;
mod agenda_page;
mod agent_rules;
mod ahead_page;
mod answers_page;
mod api;
mod asked_statements;
mod asks_api;
mod assets;
mod away_page;
mod backups_page;
mod body_days_page;
mod buttons;
mod cancelled;
mod card_things;
mod catalogue_page;
mod clash;
mod connection_inbox;
mod connections;
mod console;
mod decline;
mod devices_page;
mod doctor_page;
mod documents;
mod drawer_page;
mod dropped_page;
mod elsewhere;
mod error;
mod events;
mod figure;
mod forget_page;
mod forgotten_notice;
mod guard;
mod health_page;
mod held_time;
mod history_page;
mod home_fields_page;
mod host_directory;
mod hosts;
mod icons;
mod keys_page;
mod known_providers;
mod lately_spent;
mod learned;
mod let_through;
mod limits;
mod locked_page;
mod meeting_page;
mod memory_page;
mod models_page;
mod money_page;
mod month_page;
mod nameless;
mod names;
mod net;
mod next_event;
mod notify_page;
mod openapi;
mod owner;
mod pages;
mod palette;
mod palette_days;
mod palette_find;
mod people_page;
mod periods;
mod person_page;
mod program_door;
mod recent_dismissals;
mod recent_figures;
mod recorded_rows;
mod runs_page;
mod same_person;
mod sections;
mod settings_page;
mod shared_routes;
mod shell;
mod shop_category;
mod sign_in_page;
mod source_look_page;
mod source_remedy;
mod spending_page;
mod standing_acts;
mod state;
mod time_of_day_field;
mod tls;
mod towns_page;
mod undo_change;
mod undone;
mod unfed;
mod usual_spending;
mod visitor;
mod visits;
mod waiting_page;
mod watch_idle;
mod web_push_page;
mod welcome_page;

use access_control::AccessControl;
pub use away_page::{AwayReason, TimeLeft};
use axum::{
    Router,
    extract::DefaultBodyLimit,
    routing::{get, post},
};
pub use catalogue_page::AcceptCatalogue;
pub use connection_inbox::{
    ConnectionInbox, ConnectionSender, ConnectionSource, UnboundInbox, connection_inbox,
};
use connections::StreamRegistry;
pub use elsewhere::elsewhere_answer;
pub use error::{BindError, CODES, WebError};
use events::EventFeed;
pub use events::UiEvents;
use forgotten_notice::ForgottenNotice;
use futures_util::future::OptionFuture;
pub use host_directory::{
    ElsewhereConnection, ElsewhereConnections, HostDirectory, answer_and_close, route_connections,
};
pub use hosts::PageNames;
pub use locked_page::{AwaitedKey, UnlockFolder, UnlockReply};
use net::ConnectionPool;
pub use openapi::API_DOCUMENT;
pub use program_door::{ConnectedProgram, DoorBody, ProgramDoor};
use recent_dismissals::RecentDismissals;
use state::AppState;
pub use state::WebConfig;
use std::{future::Future, io, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};
use surfaces_base::backend::{Backend, last_result::LastResult};
pub use tls::{TlsListener, bind_outside, check_keys};
use tokio::{net::TcpListener, sync::watch};
use toolcall_schema::catalogue::lock::CatalogueDiff;
pub use visits::{VisitGuard, VisitQueue, Visits};

/// Bytes of a posted list of signals.
const SIGNALS_BYTES_MAX: usize = 256 * 1024;

/// Bytes of a body with an answer to a question: each of its own may be escaped as six.
const ANSWER_BODY_BYTES_MAX: usize = 16 * 1024;

/// Bytes of changed settings: 64 sources with long paths.
const SETTINGS_BYTES_MAX: usize = 128 * 1024;

/// Bytes of a browser's subscription: an address that is too long is told that it is.
const SUBSCRIPTION_BYTES_MAX: usize = 16 * 1024;

/// How long open requests may take after `stop`, before they are dropped.
const DRAIN: Duration = Duration::from_secs(3);

/// Listens on a loopback address.
///
/// # Errors
/// [`BindError`]: WEB-001 for another address, WEB-002 when the port is taken (or not ours to take).
pub async fn bind(address: SocketAddr) -> Result<TcpListener, BindError> {
    if !address.ip().is_loopback() {
        return Err(BindError::NotLoopback { address });
    }
    net::listen(address).await
}

/// Serves pages and API until `stop` is done; then ends the event streams and waits at most 3 s for open requests.
///
/// # Errors
/// `InvalidInput` with WEB-001 when the listener is not on the loopback; otherwise what the system says.
pub async fn serve(
    connections: impl Into<ConnectionSource>,
    config: WebConfig,
    backend: Arc<dyn Backend>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let connections = connections.into();
    let address = loopback(&connections)?;
    let (stopping, stopped) = watch::channel(false);
    let app = Arc::new(AppState {
        backend,
        door: AccessControl::new(&config, address, access::ROUTES),
        connections: StreamRegistry::default(),
        dismissals: RecentDismissals::default(),
        figures: recent_figures::RecentFigures::default(),
        forgotten: ForgottenNotice::default(),
        ahead: LastResult::default(),
        lately: LastResult::default(),
        feed: EventFeed::new(visitor::process_name(config.nonce)),
        health_posts: tokio::sync::Semaphore::new(health_page::POSTS_MAX),
        mcp: config.mcp.clone(),
        stopping: stopped.clone(),
    });
    // Listened to before the first page comes.
    let events = app.backend.events();
    let serving = listen_until(
        connections,
        config.outside,
        router(Arc::clone(&app)),
        (stopping, stopped),
        stop,
    );
    tokio::select! {
        served = serving => served,
        () = app.feed.follow(events) => Ok(()),
        () = app.figures.follow(app.backend.as_ref()) => Ok(()),
    }
}

/// Serves the page on which the owner accepts a changed catalogue, until `stop` is done: no other page, and no machine behind it.
///
/// # Errors
/// As [`serve`].
pub async fn serve_changed_catalogue(
    connections: impl Into<ConnectionSource>,
    config: WebConfig,
    diff: &CatalogueDiff,
    accept: Arc<dyn AcceptCatalogue>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let connections = connections.into();
    let address = loopback(&connections)?;
    let latch = watch::channel(false);
    let door = AccessControl::new(&config, address, access::ACCEPTING_ROUTES);
    let router = catalogue_page::router(&door, diff, accept);
    listen_until(connections, config.outside, router, latch, stop).await
}

/// Answers everything but `/healthz` with 503, why and for how long, until `stop` is done: the machine is away.
///
/// # Errors
/// As [`serve`].
pub async fn serve_away(
    connections: impl Into<ConnectionSource>,
    outside: Option<TlsListener>,
    names: PageNames,
    (why, left): (AwayReason, TimeLeft),
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let connections = connections.into();
    let hosts = hosts::HostPolicy::new(loopback(&connections)?, &names);
    let router = away_page::router(hosts, why, left);
    listen_until(connections, outside, router, watch::channel(false), stop).await
}

/// Serves the page on which an owner unlocks her data folder, until `stop` is done: no machine is behind it.
///
/// # Errors
/// As [`serve`].
pub async fn serve_locked(
    connections: impl Into<ConnectionSource>,
    outside: Option<TlsListener>,
    names: PageNames,
    unlock: Arc<dyn UnlockFolder>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let connections = connections.into();
    let hosts = hosts::HostPolicy::new(loopback(&connections)?, &names);
    let router = locked_page::router(hosts, unlock);
    listen_until(connections, outside, router, watch::channel(false), stop).await
}

/// Serves the site of the documents out of its folder, to everybody on this computer, until `stop` is done.
///
/// # Errors
/// As [`serve`].
pub async fn serve_documents(
    listener: TcpListener,
    folder: PathBuf,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let connections = listener.into();
    loopback(&connections)?;
    listen_until(
        connections,
        None,
        documents::router(folder),
        watch::channel(false),
        stop,
    )
    .await
}

/// The address on the loopback from which connections come.
fn loopback(connections: &ConnectionSource) -> io::Result<SocketAddr> {
    let address = connections.address()?;
    if address.ip().is_loopback() {
        return Ok(address);
    }
    let error = BindError::NotLoopback { address };
    Err(io::Error::new(io::ErrorKind::InvalidInput, error))
}

/// Takes connections in on both listeners until `stop` is done, and drops those that are still open 3 s later.
async fn listen_until(
    connections: ConnectionSource,
    outside: Option<TlsListener>,
    router: Router,
    (stopping, stopped): (watch::Sender<bool>, watch::Receiver<bool>),
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut drained = stopped.clone();
    let deadline = async move {
        let _ = drained.wait_for(|stop| *stop).await;
        tokio::time::sleep(DRAIN).await;
    };
    let seats = Arc::new(ConnectionPool::default());
    let outside = outside
        .map(|TlsListener { listener, acceptor }| -> io::Result<_> {
            let (router, seats, stopped) = (router.clone(), seats.clone(), stopped.clone());
            let listener = TcpListener::from_std(listener)?;
            Ok(net::accept(
                listener.into(),
                Some(acceptor),
                router,
                seats,
                stopped,
            ))
        })
        .transpose()?;
    let inside = net::accept(connections, None, router, seats, stopped);
    let told = async move {
        stop.await;
        let _ = stopping.send(true);
        std::future::pending::<()>().await;
    };
    tokio::select! {
        ((), _) = async { tokio::join!(inside, OptionFuture::from(outside)) } => {}
        () = told => {}
        () = deadline => {}
    }
    Ok(())
}

/// Every route, behind the guard.
fn router(app: Arc<AppState>) -> Router {
    let door = Arc::clone(&app.door);
    let routes = Router::new()
        .route("/", get(pages::phone))
        .route("/watch", get(pages::watch))
        .route("/trace/{id}", get(pages::trace))
        .route("/brief", get(sections::brief))
        .route("/chats", get(sections::chats))
        .route("/money", get(sections::money))
        .route("/money/spending", get(spending_page::spending))
        .route("/money/ahead", get(ahead_page::ahead))
        .route("/body", get(sections::body))
        .route("/body/days", get(body_days_page::days))
        .route("/history", get(acts_page::history))
        .route("/history/days", get(history_page::history))
        .route("/chats/waiting", get(waiting_page::everybody))
        .route("/people", get(people_page::people))
        .route("/people/{id}", get(person_page::person))
        .route("/agenda", get(agenda_page::agenda))
        .route("/calendar/{id}", get(meeting_page::event))
        .route("/calendar/{id}/decline.ics", get(decline::file))
        .route("/month", get(month_page::month))
        .route("/memory", get(sections::memory))
        .route("/settings", get(sections::settings))
        .route("/workflows", get(runs_page::runs))
        .route("/workflows/{id}", get(runs_page::run))
        .route("/devices", get(devices_page::devices))
        .route("/welcome", get(welcome_page::welcome))
        .route("/welcome/{screen}", get(welcome_page::screen))
        .route(
            "/form/settings",
            post(settings_page::save).layer(DefaultBodyLimit::max(SETTINGS_BYTES_MAX)),
        )
        .route(
            "/form/settings/preview",
            post(home_fields_page::preview).layer(DefaultBodyLimit::max(SETTINGS_BYTES_MAX)),
        )
        .route("/form/month/try", post(month_page::try_change))
        .route("/form/month/kind", post(month_page::try_kind))
        .route("/form/settings/undo", post(settings_page::undo))
        .route("/form/accounts/look", post(account_forms::look))
        .route("/form/accounts/add", post(account_forms::add))
        .route("/form/accounts/login", post(account_forms::set_login))
        .route("/form/accounts/test", post(account_forms::test))
        .route("/form/accounts/sign-in", post(sign_in_page::begin))
        .route("/signed-in", get(sign_in_page::returned))
        .route("/form/devices/code", post(devices_page::show_code))
        .route("/form/devices/health", post(health_page::connect))
        .route("/form/devices/health-connect", post(health_page::connect_android))
        .route("/form/devices/asks", post(devices_page::tick_grant))
        .route("/form/sources/again", post(settings_page::read_again))
        .route("/form/desktop", post(settings_page::change_desktop))
        .route("/form/key", post(keys_page::move_it))
        .route("/form/key/proof", post(keys_page::prove))
        .route("/form/key/sheet", post(keys_page::make_sheet))
        .route("/form/key/strength", post(keys_page::strength))
        .route("/form/sources/look", post(source_look_page::look))
        .route("/form/towns/find", post(towns_page::find))
        .route("/form/sources/folder", post(source_look_page::folder))
        .route("/form/sources/path", post(source_look_page::named_path))
        .route(
            "/form/sources/drop",
            post(dropped_page::take).layer(DefaultBodyLimit::disable()),
        )
        .route("/form/welcome", post(welcome_page::note))
        .route("/form/forget", post(forget_page::forget))
        .route("/form/forget/count", post(forget_page::count))
        .route("/form/forget/undo", post(forget_page::undo))
        .route("/doctor", get(doctor_page::doctor))
        .route("/form/doctor", post(doctor_page::look))
        .route("/form/backup", post(backups_page::make))
        .route("/form/backup/try", post(backups_page::try_it))
        .route("/form/backup/end", post(backups_page::end))
        .route("/form/model", post(models_page::act))
        .route("/form/notify/try", post(notify_page::try_channel))
        .route(
            "/form/push",
            post(web_push_page::subscribe).layer(DefaultBodyLimit::max(SUBSCRIPTION_BYTES_MAX)),
        )
        .route("/form/push/remove", post(web_push_page::unsubscribe))
        .route("/form/history/find", post(history_page::find))
        .route("/form/waiting/find", post(waiting_page::find))
        .route("/form/spending/more", post(spending_page::more))
        .route("/form/people/find", post(people_page::find))
        .route("/form/palette/find", post(palette_find::find))
        .route("/form/body/tag", post(body_days_page::tag))
        .route("/form/people/{person}/same", post(same_person::find))
        .route("/form/memory/find", post(memory_page::find))
        .route("/form/memory/copy", post(memory_page::copy))
        .route("/form/memory/copy/preview", post(memory_page::preview_copy))
        .route("/form/memory/clock", post(memory_page::confirm_clock))
        .route("/fragment/now", get(pages::now_part))
        .route("/fragment/agenda/due", get(agenda_page::due_part))
        .route(ahead_page::NEXT_PATH, get(ahead_page::next_part))
        .route("/fragment/watch", get(pages::watch_part))
        .route("/fragment/acts/{id}", get(acts_page::act_part))
        .route("/fragment/acts/{id}/plain", get(acts_page::plain_part))
        .route("/fragment/trace/{id}", get(pages::trace_part))
        .route("/fragment/trace/{id}/outcome", get(pages::outcome_part))
        .route("/fragment/trace/{id}/again", post(drawer_page::decide_again))
        .route("/fragment/workflows", get(runs_page::runs_part))
        .route("/fragment/workflows/{id}", get(runs_page::run_part))
        .route("/events", get(events::events))
        .route("/healthz", get(api::healthz))
        .route("/readyz", get(api::readyz))
        .route("/metrics", get(api::metrics))
        .route("/v1/now", get(api::now))
        .route("/v1/ledger", get(api::ledger))
        .route("/v1/traces", get(api::traces))
        .route("/v1/traces/{id}", get(api::trace))
        .route("/v1/tick", post(api::tick))
        .route("/v1/pause", post(owner::pause))
        .route("/v1/rules", post(owner::add_rule))
        .route("/v1/rules/preview", post(owner::preview))
        .route("/v1/rules/{name}/remove", post(owner::remove_rule))
        .route("/v1/mutes/{about}", post(owner::mute))
        .route("/v1/mutes/{about}/end", post(owner::end_mute))
        .route("/v1/messages/{message}/put-off", post(owner::put_off))
        .route("/mail/{message}", get(answers_page::open_mail))
        .route("/v1/messages/{message}/done", post(answers_page::mark_done))
        .route(
            "/v1/messages/{message}/not-for-me",
            post(answers_page::not_for_me),
        )
        .route(
            "/v1/messages/{message}/draft-reply",
            post(answers_page::draft_reply),
        )
        .route(
            "/v1/messages/{message}/draft",
            post(answers_page::edit).layer(DefaultBodyLimit::max(answers_page::EDIT_BYTES_MAX)),
        )
        .route("/v1/acts/{id}/undo", post(undone::undo))
        .route("/v1/things/{thing}/name", post(names::name_thing))
        .route("/v1/learned/{about}/correct", post(learned::correct))
        .route("/v1/learned/{about}/reset", post(learned::reset))
        .route("/v1/learned/reset", post(learned::reset_all))
        .route("/v1/let-through/{about}", post(let_through::set))
        .route("/v1/people/{person}/same", post(same_person::set))
        .route("/v1/spending/{category}/usual", post(usual_spending::set))
        .route("/v1/shops/{shop}/category", post(shop_category::set))
        .route("/v1/holds", post(held_time::set))
        .route("/v1/events/{event}/decline", post(decline::decline))
        .route(
            "/v1/events/{event}/draft",
            post(decline::edit).layer(DefaultBodyLimit::max(answers_page::EDIT_BYTES_MAX)),
        )
        .route("/v1/senders/{sender}/judge", post(money_page::judge))
        .route("/v1/questions/{message}/answer", post(money_page::answer))
        .route("/v1/cards/{card_id}/answer", post(api::answer))
        .route("/v1/devices/{id}/revoke", post(devices_page::revoke))
        .route("/v1/openapi.json", get(openapi::document))
        .route("/v1/workflows", get(runs_page::list))
        .route(
            "/v1/workflows/{id}/answer",
            post(runs_page::answer).layer(DefaultBodyLimit::max(ANSWER_BODY_BYTES_MAX)),
        )
        .route("/v1/workflows/{id}/dismiss", post(runs_page::dismiss))
        .route("/v1/askable", get(asks_api::askable))
        .route("/v1/askable/chats", get(asks_api::chats))
        .route("/v1/asks", post(asks_api::ask))
        .route("/v1/asks/{id}", get(asks_api::state))
        .route("/v1/asks/{id}/cancel", post(asks_api::cancel))
        .route("/v1/reads", post(asks_api::read))
        .route(
            "/v1/signals",
            post(api::signals).layer(DefaultBodyLimit::max(SIGNALS_BYTES_MAX)),
        )
        .route(
            "/mcp",
            post(program_door::serve)
                .get(program_door::serve)
                .delete(program_door::serve)
                .layer(DefaultBodyLimit::max(program_door::DOOR_BYTES_MAX)),
        )
        .route(
            health_page::ROUTE,
            post(health_page::take).layer(DefaultBodyLimit::max(health_page::POST_BYTES_MAX)),
        )
        .route(
            health_page::ANDROID_ROUTE,
            post(health_page::take_android).layer(DefaultBodyLimit::max(health_page::POST_BYTES_MAX)),
        )
        .merge(console::routes())
        .fallback(guard::not_found)
        .method_not_allowed_fallback(guard::not_found)
        .with_state(app);
    shared_routes::guarded(&door, routes)
}
