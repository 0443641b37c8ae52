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

// What a push service brings was sealed by Aura for this browser. One that cannot be read is shown all the same: the browser asks for that.
self.addEventListener("push", (event) => {
  let said = {};
  try { said = event.data.json(); } catch { /* without words */ }
  const { title = "Aura", body = "" } = said;
  const icon = "/assets/aura.svg?v=" + VERSION;
  event.waitUntil(self.registration.showNotification(String(title), { body: String(body), icon, tag: "card" }));
});

// The card is on the page Now, with its buttons.
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil((async () => {
    const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    const open = pages.find((page) => new URL(page.url).pathname === "/");
    if (open) await open.focus();
    else await self.clients.openWindow("/");
  })());
});
