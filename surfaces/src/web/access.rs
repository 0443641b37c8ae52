//! Which route asks for which scope.
//!
//! What: [`ROUTES`], every route of the server, once. Why: one table says who may do what, and a route that is not in it is there for
//! nobody. Not here: who somebody is (`guard`), what a scope covers ([`DeviceScope::covers`]).

use surfaces_base::devices::DeviceScope;

/// Who may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteAccess {
    /// Anybody: it says nothing about the owner.
    Open,
    /// A device with that scope.
    Needs(DeviceScope),
    /// A device with one of these scopes, and no other: the owner's own is not among them unless it is named.
    AnyOf(&'static [DeviceScope]),
}

use DeviceScope::{Ask, Operator, Owner, SignalsWrite};
use RouteAccess::{AnyOf, Needs, Open};

impl RouteAccess {
    /// Whether a device of that scope may come.
    pub fn admits(self, scope: DeviceScope) -> bool {
        match self {
            Self::Open => true,
            Self::Needs(needed) => scope.covers(needed),
            Self::AnyOf(scopes) => scopes.contains(&scope),
        }
    }
}

/// One route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouteRule {
    /// `GET` (and `HEAD`), `POST` or `DELETE`.
    pub method: &'static str,
    /// Its path, with `{id}` for a part that changes.
    pub path: &'static str,
    /// Who may come.
    pub access: RouteAccess,
}

const fn get(path: &'static str, access: RouteAccess) -> RouteRule {
    RouteRule {
        method: "GET",
        path,
        access,
    }
}

const fn post(path: &'static str, access: RouteAccess) -> RouteRule {
    RouteRule {
        method: "POST",
        path,
        access,
    }
}

/// Programs that ask, and operators, who read traces.
const PROGRAMS: RouteAccess = AnyOf(&[Ask, Operator]);

/// Every route. One that is missing here is answered with WEB-008, whoever asks.
pub const ROUTES: &[RouteRule] = &[
    // Pages.
    get("/", Needs(Owner)),
    get("/watch", Needs(Owner)),
    get("/trace/{id}", Needs(Operator)),
    get("/brief", Needs(Owner)),
    get("/chats", Needs(Owner)),
    get("/money", Needs(Owner)),
    get("/money/spending", Needs(Owner)),
    get("/money/ahead", Needs(Owner)),
    get("/body", Needs(Owner)),
    get("/body/days", Needs(Owner)),
    get("/history", Needs(Owner)),
    get("/history/days", Needs(Owner)),
    get("/chats/waiting", Needs(Owner)),
    get("/people", Needs(Owner)),
    get("/people/{id}", Needs(Owner)),
    get("/agenda", Needs(Owner)),
    get("/mail/{message}", Needs(Owner)),
    get("/calendar/{id}", Needs(Owner)),
    get("/calendar/{id}/decline.ics", Needs(Owner)),
    get("/month", Needs(Owner)),
    get("/memory", Needs(Owner)),
    get("/settings", Needs(Owner)),
    get("/offline", Open),
    get("/sw.js", Open),
    get("/manifest.webmanifest", Open),
    get("/ops", Needs(Operator)),
    get("/ops/quarantine", Needs(Operator)),
    get("/ops/traces", Needs(Operator)),
    get("/ops/traces/{id}", Needs(Operator)),
    get("/ops/traces/{id}/replay", Needs(Operator)),
    get("/ops/compare", Needs(Operator)),
    get("/ops/machine", Needs(Operator)),
    get("/ops/policy", Needs(Operator)),
    get("/ops/what-if", Needs(Operator)),
    get("/ops/ledger", Needs(Operator)),
    get("/quarantine", Needs(Operator)),
    get("/workflows", Needs(Owner)),
    get("/workflows/{id}", Needs(Owner)),
    get("/devices", Needs(Owner)),
    get("/welcome", Needs(Owner)),
    get("/welcome/{screen}", Needs(Owner)),
    post("/form/settings", Needs(Owner)),
    post("/form/settings/preview", Needs(Owner)),
    post("/form/month/try", Needs(Owner)),
    post("/form/month/kind", Needs(Owner)),
    post("/form/settings/undo", Needs(Owner)),
    post("/form/accounts/look", Needs(Owner)),
    post("/form/accounts/add", Needs(Owner)),
    post("/form/accounts/login", Needs(Owner)),
    post("/form/accounts/test", Needs(Owner)),
    post("/form/accounts/sign-in", Needs(Owner)),
    post("/form/devices/code", Needs(Owner)),
    post("/form/devices/health", Needs(Owner)),
    post("/form/devices/health-connect", Needs(Owner)),
    post("/form/devices/asks", Needs(Owner)),
    post("/form/sources/again", Needs(Owner)),
    post("/form/desktop", Needs(Owner)),
    post("/form/key", Needs(Owner)),
    post("/form/key/proof", Needs(Owner)),
    post("/form/key/sheet", Needs(Owner)),
    post("/form/key/strength", Needs(Owner)),
    post("/form/sources/look", Needs(Owner)),
    post("/form/towns/find", Needs(Owner)),
    post("/form/sources/folder", Needs(Owner)),
    post("/form/sources/path", Needs(Owner)),
    post("/form/sources/drop", Needs(Owner)),
    post("/form/welcome", Needs(Owner)),
    post("/form/forget", Needs(Owner)),
    post("/form/forget/count", Needs(Owner)),
    post("/form/forget/undo", Needs(Owner)),
    get("/doctor", Needs(Owner)),
    post("/form/doctor", Needs(Owner)),
    post("/form/backup", Needs(Owner)),
    post("/form/backup/try", Needs(Owner)),
    post("/form/backup/end", Needs(Owner)),
    post("/form/model", Needs(Owner)),
    post("/form/notify/try", Needs(Owner)),
    post("/form/push", Needs(Owner)),
    post("/form/push/remove", Needs(Owner)),
    post("/form/history/find", Needs(Owner)),
    post("/form/waiting/find", Needs(Owner)),
    post("/form/spending/more", Needs(Owner)),
    post("/form/people/find", Needs(Owner)),
    post("/form/palette/find", Needs(Owner)),
    post("/form/body/tag", Needs(Owner)),
    post("/form/people/{person}/same", Needs(Owner)),
    post("/form/memory/find", Needs(Owner)),
    post("/form/memory/copy", Needs(Owner)),
    post("/form/memory/copy/preview", Needs(Owner)),
    post("/form/memory/clock", Needs(Owner)),
    get("/pair", Open),
    post("/pair", Open),
    // A browser comes back from a provider: what it brings is good with a state that was given out here, once.
    get("/signed-in", Open),
    get("/assets/{name}", Open),
    // What the script fetches.
    get("/fragment/now", Needs(Owner)),
    get("/fragment/agenda/due", Needs(Owner)),
    get("/fragment/money/ahead", Needs(Owner)),
    get("/fragment/watch", Needs(Owner)),
    get("/fragment/acts/{id}", Needs(Owner)),
    get("/fragment/acts/{id}/plain", Needs(Owner)),
    get("/fragment/trace/{id}", Needs(Operator)),
    get("/fragment/trace/{id}/outcome", Needs(Operator)),
    get("/fragment/workflows", Needs(Owner)),
    get("/fragment/workflows/{id}", Needs(Owner)),
    post("/fragment/trace/{id}/again", Needs(Operator)),
    post("/fragment/ops/quarantine/replay", Needs(Operator)),
    post("/fragment/ops/what-if", Needs(Operator)),
    post("/fragment/ops/policy", Needs(Owner)),
    // A stream that counts as a surface of the owner's asks for the owner besides (`events`).
    get("/events", Needs(Operator)),
    // Programs.
    get("/healthz", Open),
    get("/readyz", Open),
    get("/metrics", Needs(Operator)),
    get("/v1/openapi.json", Open),
    get("/v1/now", Needs(Owner)),
    get("/v1/ledger", Needs(Owner)),
    get("/v1/traces", Needs(Operator)),
    get("/v1/traces/{id}", Needs(Operator)),
    get("/v1/workflows", Needs(Owner)),
    post("/v1/tick", Needs(Owner)),
    post("/v1/pause", Needs(Owner)),
    post("/v1/rules", Needs(Owner)),
    post("/v1/rules/preview", Needs(Owner)),
    post("/v1/rules/{name}/remove", Needs(Owner)),
    post("/v1/mutes/{about}", Needs(Owner)),
    post("/v1/mutes/{about}/end", Needs(Owner)),
    post("/v1/messages/{message}/put-off", Needs(Owner)),
    post("/v1/messages/{message}/done", Needs(Owner)),
    post("/v1/messages/{message}/not-for-me", Needs(Owner)),
    post("/v1/messages/{message}/draft-reply", Needs(Owner)),
    post("/v1/messages/{message}/draft", Needs(Owner)),
    post("/v1/acts/{id}/undo", Needs(Owner)),
    post("/v1/things/{thing}/name", Needs(Owner)),
    post("/v1/learned/{about}/correct", Needs(Owner)),
    post("/v1/learned/{about}/reset", Needs(Owner)),
    post("/v1/learned/reset", Needs(Owner)),
    post("/v1/let-through/{about}", Needs(Owner)),
    post("/v1/people/{person}/same", Needs(Owner)),
    post("/v1/spending/{category}/usual", Needs(Owner)),
    post("/v1/shops/{shop}/category", Needs(Owner)),
    post("/v1/holds", Needs(Owner)),
    post("/v1/events/{event}/decline", Needs(Owner)),
    post("/v1/events/{event}/draft", Needs(Owner)),
    post("/v1/senders/{sender}/judge", Needs(Owner)),
    post("/v1/questions/{message}/answer", Needs(Owner)),
    post("/v1/cards/{card_id}/answer", Needs(Owner)),
    post("/v1/workflows/{id}/answer", Needs(Owner)),
    post("/v1/workflows/{id}/dismiss", Needs(Owner)),
    // Other people's programs: they propose, the owner decides.
    get("/v1/askable", Needs(Ask)),
    get("/v1/askable/chats", Needs(Ask)),
    post("/v1/asks", Needs(Ask)),
    get("/v1/asks/{id}", Needs(Ask)),
    post("/v1/asks/{id}/cancel", Needs(Ask)),
    post("/v1/reads", Needs(Ask)),
    post("/v1/signals", Needs(SignalsWrite)),
    post("/v1/health-auto-export", Needs(SignalsWrite)),
    post("/v1/health-connect", Needs(SignalsWrite)),
    post("/v1/devices/{id}/revoke", Needs(Owner)),
    // The Model Context Protocol: all is posted; the other two were of sessions, and are told that there are none.
    post("/mcp", PROGRAMS),
    get("/mcp", PROGRAMS),
    RouteRule {
        method: "DELETE",
        path: "/mcp",
        access: PROGRAMS,
    },
];

/// The routes while a changed catalogue waits for the owner.
pub const ACCEPTING_ROUTES: &[RouteRule] = &[
    get("/offline", Open),
    get("/sw.js", Open),
    get("/manifest.webmanifest", Open),
    get("/pair", Open),
    post("/pair", Open),
    get("/assets/{name}", Open),
    get("/healthz", Open),
    get("/readyz", Open),
    post("/v1/catalogue/accept", Needs(Owner)),
    // The page. Who sends signals is told to come again, not that there is no such route.
    get("/", Needs(Operator)),
    get("/{*path}", Needs(Operator)),
    post("/{*path}", Needs(SignalsWrite)),
];

/// The access that a route requires; `None`: no such route.
pub(super) fn access_of(routes: &[RouteRule], method: &str, path: &str) -> Option<RouteAccess> {
    let method = if method == "HEAD" { "GET" } else { method };
    let found = routes
        .iter()
        .find(|route| route.method == method && route.path == path);
    found.map(|route| route.access)
}
