// Keeps Aura's look and a copy of each section that was loaded, so that it opens without a connection. The copy is asked
// for apart: the server leaves out names, tokens and the right to answer. What is live is never kept.
"use strict";
const LOOK = "look-" + VERSION;
const PAGES = "pages";
const ASSETS = ["aura.css", "aura.js", "aura.svg", "inter.woff2"].map((name) => "/assets/" + name + "?v=" + VERSION);
const SECTIONS = ["/", "/brief", "/chats", "/money", "/body", "/memory", "/settings"];

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(LOOK).then((look) => look.addAll([...ASSETS, "/offline"])));
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name !== LOOK) await caches.delete(name);
    await self.clients.claim();
  })());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method === "POST" && url.origin === self.location.origin && url.pathname === "/share") return event.respondWith(takeShared(request));
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (url.pathname.startsWith("/assets/")) event.respondWith(look(request));
  else if (request.mode === "navigate") event.respondWith(visit(event, url));
});

async function look(request) {
  return (await caches.match(request, { cacheName: LOOK })) || fetch(request);
}

async function visit(event, url) {
  try {
    const answer = await fetch(event.request);
    if (answer.type === "opaqueredirect" || answer.status === 401) event.waitUntil(caches.delete(PAGES));
    else if (answer.ok && SECTIONS.includes(url.pathname) && !url.search) event.waitUntil(keep(url.pathname));
    return answer;
  } catch {
    return (await caches.match(url.pathname, { cacheName: PAGES })) || caches.match("/offline", { cacheName: LOOK });
  }
}

async function keep(path) {
  const copy = await fetch(path, { headers: { "X-Aura-Keep": "1" }, redirect: "error", cache: "no-store" });
  if (copy.ok) await (await caches.open(PAGES)).put(path, copy);
}

// Files that another app shared. Any page can send some here, so they are held in memory, and go nowhere until the owner has said so on a page.
let shared = [];

async function takeShared(request) {
  const form = await request.formData().catch(() => null);
  shared = form ? form.getAll("files").filter((each) => each instanceof File && each.name).slice(0, 50) : [];
  return Response.redirect("/settings#shared", 303);
}

self.addEventListener("message", (event) => {
  if (event.data === "shared") event.ports[0].postMessage(shared);
  if (event.data === "shared-done") shared = [];
});

// What a push service brings was sealed by Aura for this browser. One that cannot be read is shown all the same: the browser asks for that.
self.addEventListener("push", (event) => {
  let said = {};
  try { said = event.data.json(); } catch { /* without words */ }
  const { title = "Aura", body = "", answer: data = null } = said;
  const icon = "/assets/aura.svg?v=" + VERSION;
  const actions = data ? data.acts.map(({ act, label }) => ({ action: act, title: label })) : [];
  if (data) self.navigator.setAppBadge?.(1).catch(() => {});
  event.waitUntil(self.registration.showNotification(String(title), { body: String(body), icon, tag: "card", data, actions }));
});

// A button does as the page's own does: with a token of a page of this process.
async function send(path, body) {
  const page = await (await fetch("/", { cache: "no-store" })).text();
  const [, token] = /name="aura-page" content="(\w+)"/.exec(page) || [];
  return fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Aura-Page": token },
    body: JSON.stringify(body),
  });
}

// An answer has the right that came with the question.
async function answerCard({ card, trace, capability }, act) {
  const answer = await send("/v1/cards/" + encodeURIComponent(card) + "/answer", { act, surface: "PUSH", capability });
  if (answer.ok && act !== "dismiss") await tellDone(trace).catch(() => {});
  return answer.ok;
}

const tell = (body, more) => self.registration.showNotification("Aura", { body, icon: "/assets/aura.svg?v=" + VERSION, tag: "card", ...more });

// What was done is known when it is done: in place of the question it says so, with the way back.
const LOOKS = 20;
async function tellDone(trace) {
  for (let look = 0; look < LOOKS; look += 1) {
    const told = await fetch("/fragment/acts/" + encodeURIComponent(trace) + "/plain", { cache: "no-store" });
    if (told.ok) {
      const { says, undo } = await told.json();
      if (undo) await tell(says, { data: { undo: trace }, actions: [{ action: "undo", title: undo }] });
      return;
    }
    await new Promise((after) => setTimeout(after, 300));
  }
}

// A sentence comes of it in each case: of what was undone, or why it was not.
async function undoAct({ undo }) {
  const answer = await send("/v1/acts/" + encodeURIComponent(undo) + "/undo", {});
  const { says, message } = await answer.json();
  await tell(says || message, {});
  return true;
}

// Without a button, or where the answer did not come through: the card is on the page Now, with its buttons.
self.addEventListener("notificationclick", (event) => {
  const { action, notification: { data } } = event;
  event.notification.close();
  self.navigator.clearAppBadge?.().catch(() => {});
  event.waitUntil((async () => {
    const act = action && data && (data.undo ? undoAct(data) : answerCard(data, action));
    if (act && (await act.catch(() => false))) return;
    const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    const open = pages.find((page) => new URL(page.url).pathname === "/");
    if (open) await open.focus();
    else await self.clients.openWindow("/");
  })());
});
