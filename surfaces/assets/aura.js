// Keeps a page current and sends what the owner answers. What is on a card or in a
// drawer is rendered by the server; here are only sentences about the connection.
"use strict";
(() => {
  const surface = document.body.dataset.surface;

  // ---- pairing: the code may come in the address's fragment, which no server sees, and does not stay there.
  async function pair(form) {
    const status = document.getElementById("status");
    const response = await fetch("/pair", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ code: form.elements.code.value, name: form.elements.name.value }),
    }).catch(() => null);
    if (response && response.ok) return location.replace("/");
    const refused = response ? await response.json().catch(() => ({})) : {};
    status.textContent = refused.message || "Not connected. Try again.";
    form.elements.code.select();
  }
  const pairing = document.querySelector("form[data-pair]");
  if (pairing) {
    const agent = navigator.userAgent;
    const name = (list) => list.find((one) => agent.includes(one)) || "";
    const where = name(["Android", "iPhone", "iPad", "Linux", "Mac OS", "Windows"]);
    const browser = name(["Firefox", "Edg", "Chrome", "Safari"]).replace("Edg", "Edge");
    pairing.elements.name.value = [browser || "Browser", where].filter(Boolean).join(" on ");
    pairing.addEventListener("submit", (event) => {
      event.preventDefault();
      pair(pairing);
    });
    const code = location.hash.slice(1);
    if (code) {
      history.replaceState(null, "", location.pathname);
      pairing.elements.code.value = code;
      pair(pairing);
    } else {
      pairing.elements.code.focus();
    }
  }

  if (!surface) return;
  const pageToken = document.querySelector('meta[name="aura-page"]');
  const fragment = { watch: "/fragment/watch", runs: "/fragment" + location.pathname }[surface] || "/fragment/now";
  const status = document.getElementById("status");
  const drawer = document.getElementById("drawer");
  let connection = null;
  let card = null;

  const say = (text) => { if (status.textContent !== text) status.textContent = text; };

  async function ask(path, options) {
    const response = await fetch(path, { credentials: "same-origin", ...options });
    if (response.status === 401) location.assign("/pair");
    return response;
  }

  // ---- countdowns: each element gets its own end once, then is drawn four times a second.
  function arm(root) {
    for (const element of root.querySelectorAll("[data-left-ms]")) {
      element.auraEnd = performance.now() + Number(element.dataset.leftMs);
    }
    draw();
  }

  function draw() {
    for (const element of document.querySelectorAll("[data-left-ms]")) {
      if (element.auraEnd === undefined) continue;
      const left = Math.max(0, element.auraEnd - performance.now());
      const whole = Number(element.dataset.wholeMs) || 1;
      const seconds = element.querySelector("[data-seconds]");
      const shown = String(Math.ceil(left / 1000));
      if (seconds && seconds.textContent !== shown) seconds.textContent = shown;
      const hand = element.querySelector(".hand");
      if (hand) hand.style.strokeDashoffset = String(100 - (100 * left) / whole);
      const bar = element.querySelector(".bar");
      if (bar) bar.style.setProperty("--left", String(left / whole));
      if (left === 0) {
        element.auraEnd = undefined;
        refresh();
      }
    }
  }
  setInterval(draw, 250);

  // ---- fragments: one request at a time; what comes meanwhile asks for one more.
  let busy = false;
  let again = false;
  async function refresh() {
    if (surface === "none") return;
    if (busy) { again = true; return; }
    busy = true;
    try {
      // A hidden page shows nothing: without its stream's number the card does not count as shown.
      const seen = connection !== null && document.visibilityState === "visible";
      const response = await ask(fragment + (seen ? "?c=" + connection : ""));
      if (response.ok) swap(await response.text());
      else lost();
    } catch { lost(); }
    busy = false;
    if (again) { again = false; refresh(); }
  }

  // The stream may have come through while the fragment did not: what it told of is fetched later.
  let retry;
  function lost() {
    say("Not connected. Trying again.");
    clearTimeout(retry);
    retry = setTimeout(refresh, 2000);
  }
  addEventListener("online", () => refresh());

  function swap(text) {
    if (retry) { clearTimeout(retry); retry = undefined; say(""); }
    const fresh = new DOMParser().parseFromString(text, "text/html");
    const focused = document.activeElement && document.activeElement.dataset.act;
    for (const part of fresh.querySelectorAll("[data-region]")) {
      const old = document.getElementById(part.id);
      if (!old || old.innerHTML === part.innerHTML) continue;
      // What the owner is writing is not taken away.
      if ([...old.querySelectorAll("textarea")].some((text) => text.value)) continue;
      old.hidden = part.hidden;
      old.replaceChildren(...part.childNodes);
      arm(old);
    }
    if (focused && document.activeElement === document.body) {
      const same = document.querySelector('#live [data-act="' + focused + '"]');
      if (same) same.focus();
    }
    const holder = document.querySelector("#now [data-card]");
    const current = holder ? holder.dataset.card : null;
    if (current && current !== card && surface === "watch" && navigator.userActivation?.hasBeenActive) {
      navigator.vibrate?.(40);
    }
    card = current;
    if (surface !== "runs") document.title = current ? "\u2022 Aura" : "Aura";
  }

  // ---- the stream: its opening is what "this surface is connected" means.
  function connect() {
    const stream = new EventSource("/events?surface=" + surface);
    stream.addEventListener("hello", (event) => {
      // Of the process that answers now: it may have been restarted under this page.
      [connection, pageToken.content] = event.data.split(" ");
      say("");
      refresh();
    });
    for (const name of ["card", "closed", "tick", "status", "runs"]) stream.addEventListener(name, refresh);
    stream.onerror = () => {
      connection = null;
      say("Not connected. Trying again.");
      if (stream.readyState === EventSource.CLOSED) setTimeout(connect, 3000);
    };
  }
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") refresh();
  });

  // ---- what the owner does.
  async function change(path, body) {
    const response = await ask(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Aura-Page": pageToken.content },
      body: body === undefined ? "" : JSON.stringify(body),
    });
    if (response.ok) { say(""); return true; }
    const refused = await response.json().catch(() => ({}));
    say(refused.message || "That did not work.");
    return false;
  }

  async function look() {
    say("Aura is looking.");
    await change("/v1/tick").catch(() => say("Not connected. Trying again."));
  }

  // ---- quiet for a time, and when not to.
  async function word(path, body, told) {
    const done = await change(path, body).catch(() => { say("Not connected. Trying again."); return false; });
    if (done && told) say(told);
    refresh();
    return done;
  }

  async function rule(form) {
    const what = form.elements.what.value;
    const from = form.elements.from.value;
    const to = form.elements.to.value;
    if (!from !== !to) return say("Hours need a beginning and an end.");
    const days = [...form.querySelectorAll('[name="day"]:checked')].map((day) => Number(day.value));
    const body = { days: days.length === 7 ? [] : days };
    if (!days.length) return say("Choose a day.");
    if (what !== "subject") body.kind = form.dataset.kind;
    if (what !== "kind") body.subject = form.dataset.subject;
    if (from) body.hours = [from + ":00", to + ":00"];
    if (await word("/v1/rules", body, "Not then: the rule stands.") && drawer && drawer.open) drawer.close();
  }

  async function reply(form) {
    const text = form.elements.answer;
    const path = "/v1/workflows/" + form.dataset.reply + "/answer";
    const done = await change(path, { answer: text.value }).catch(() => { say("Not connected. Trying again."); return false; });
    if (done) text.value = "";
    refresh();
  }

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-rule], form[data-reply]");
    if (!form) return;
    event.preventDefault();
    if (form.dataset.reply) reply(form);
    else rule(form);
  });

  async function answer(button) {
    const group = button.closest("[data-card]");
    const buttons = group.querySelectorAll("button");
    for (const each of buttons) each.disabled = true;
    try {
      await change("/v1/cards/" + group.dataset.card + "/answer", {
        act: button.dataset.act,
        surface: group.dataset.surface,
        capability: group.dataset.capability,
      });
    } catch { say("Not connected. Trying again."); }
    for (const each of buttons) each.disabled = false;
    if (drawer && drawer.open) drawer.close();
    refresh();
  }

  async function open(id) {
    const response = await ask("/fragment/trace/" + id);
    if (!response.ok) return say("This decision is not kept any more.");
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    drawer.replaceChildren(...fresh.body.childNodes);
    drawer.showModal();
    drawer.scrollTop = 0;
  }

  document.addEventListener("click", (event) => {
    if (event.target === drawer) return drawer.close();
    const button = event.target.closest("button");
    if (button && button.dataset.act) return void answer(button);
    if (button && "tick" in button.dataset) return void look();
    if (button && button.dataset.pause) return void word("/v1/pause", { for: button.dataset.pause });
    if (button && button.dataset.dismiss) return void word("/v1/workflows/" + button.dataset.dismiss + "/dismiss");
    if (button && button.dataset.revoke) {
      return void word("/v1/devices/" + button.dataset.revoke + "/revoke").then((done) => done && location.reload());
    }
    if (button && button.dataset.unrule) return void word("/v1/rules/" + button.dataset.unrule + "/remove");
    const link = event.target.closest("a[data-drawer]");
    if (link && drawer && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      open(link.dataset.drawer).catch(() => location.assign(link.href));
    }
  });

  arm(document);
  if (surface !== "none") connect();
})();
