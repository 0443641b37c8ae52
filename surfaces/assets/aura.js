// Keeps a page current and sends what the owner answers. What is on a card or in a
// drawer is rendered by the server; the few sentences said here come with the page.
"use strict";
(() => {
  const surface = document.body.dataset.surface;
  const word = (name) => document.getElementById("words").content.querySelector('[data-word="' + name + '"]').textContent;

  // Why something was refused is a fragment, for programs too; on a page it is a sentence.
  const asSentence = (why) => why && why[0].toUpperCase() + why.slice(1).replace(/[^.!?]$/, "$&.");

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
    status.textContent = asSentence(refused.message) || word("again");
    form.elements.code.select();
  }
  const pairing = document.querySelector("form[data-pair]");
  if (pairing) {
    const agent = navigator.userAgent;
    const name = (list) => list.find((one) => agent.includes(one)) || "";
    const where = name(["Android", "iPhone", "iPad", "Linux", "Mac", "Windows"]);
    const browser = name(["Firefox", "Edg", "Chrome", "Safari"]).replace("Edg", "Edge");
    pairing.elements.name.value = [browser || word("browser"), where].filter(Boolean).join(" · ");
    pairing.addEventListener("submit", (event) => {
      event.preventDefault();
      pair(pairing);
    });
    const pairByAddress = () => {
      const code = location.hash.slice(1);
      if (!code) return pairing.elements.code.focus();
      history.replaceState(null, "", location.pathname);
      pairing.elements.code.value = code;
      pair(pairing);
    };
    // The address with the code may be opened in a tab that shows this page already: that loads nothing.
    addEventListener("hashchange", pairByAddress);
    pairByAddress();
  }

  if (!surface) return;
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("/sw.js").catch(() => {});
  // A copy that the browser kept has no token: it may change nothing.
  const pageToken = document.querySelector('meta[name="aura-page"]');
  // A section is read anew as a whole page; only its regions are taken.
  const fragment = document.querySelector("[data-fragment]")?.dataset.fragment || {
    phone: "/fragment/now", watch: "/fragment/watch", runs: "/fragment" + location.pathname,
  }[surface] || location.pathname;
  const status = document.getElementById("status");
  const drawer = document.getElementById("drawer");
  let connection = null;
  let awaited = null;
  let looking = null;
  let card = cardOn(document);

  // ---- what is said and what was just done: on a phone a bar above the sections, in reach of the thumb, until it is closed or ten seconds have passed.
  const bar = status && pageToken && document.querySelector(".tabs") ? noticeBar() : null;
  function noticeBar() {
    const made = document.createElement("div");
    made.className = "notice";
    made.setAttribute("role", "region");
    made.setAttribute("aria-label", word("notice"));
    const close = document.createElement("button");
    close.type = "button";
    close.className = "plain";
    close.dataset.closeNotice = "";
    close.textContent = word("close");
    close.addEventListener("click", () => say(""));
    status.before(made);
    made.append(status, close);
    // Whoever reads or reaches for it has time.
    for (const event of ["focusin", "pointerenter"]) made.addEventListener(event, () => clearTimeout(fades));
    for (const event of ["focusout", "pointerleave"]) made.addEventListener(event, fade);
    return made;
  }
  let fades;
  function fade() {
    clearTimeout(fades);
    // Without a connection it stands until there is one.
    if (!bar || cut) return;
    // What can be taken back stays as long again.
    fades = setTimeout(() => say(""), bar.querySelector("[data-undo-act]") ? 20_000 : 10_000);
  }
  const show = (text) => {
    if (status.textContent !== text) status.textContent = text;
    bar?.querySelector("[data-undo-act]")?.remove();
    fade();
  };
  let lastSaid = "";
  const say = (text) => show(lastSaid = text);
  // What did not work stands until it is closed.
  const warn = (text) => {
    say(text);
    clearTimeout(fades);
  };

  // What was changed is drawn anew in its place, so that nothing jumps.
  const drawAnew = (done) => done && refresh(true);

  // A page that goes leaves it to the next one to tell what was done.
  let leaves = false;
  function reload(done) {
    if (!done) return;
    leaves = true;
    location.reload();
  }

  // What is said once the page was loaded anew.
  const SAID = "aura-said";

  // What the owner did, with the way back, as the server says it; the page may be loaded anew meanwhile.
  const DONE = "aura-done";
  // otherwise: what is said where the server says nothing of it.
  async function tellDone(id, said, otherwise) {
    if (!bar || !id) return void (otherwise && say(otherwise));
    try { sessionStorage.setItem(DONE, id); } catch { /* it is told on this page alone */ }
    const response = await ask("/fragment/acts/" + id).catch(() => null);
    if (!response || leaves) return;
    try { sessionStorage.removeItem(DONE); } catch { /* nothing was kept */ }
    if (!response.ok) return void (otherwise && say(otherwise));
    const part = new DOMParser().parseFromString(await response.text(), "text/html");
    say(said || part.querySelector("p").textContent);
    const undo = part.querySelector("[data-undo-act]");
    if (!undo) return;
    status.after(undo);
    fade();
  }

  function cardOn(root) {
    const holder = root.querySelector("#now [data-card]");
    return holder ? holder.dataset.card : null;
  }

  // ---- without a connection nothing can be answered; the page says as of when it is.
  const ANSWERS = "[data-act], [data-pause], [data-unrule], [data-mute], [data-unmute], [data-put-off], [data-done-with], [data-write-reply], [data-not-waiting], form[data-draft] [type=submit], [data-undo-act], form[data-naming] button, form[data-sorting] button, [data-correct], [data-let-through], [data-same], [data-usual], [data-keep-free], [data-decline], [data-teach], [data-unlearn], [data-sender], [data-paid], [data-tick], [data-dismiss], form[data-rule] button, form[data-reply] button, form[data-post] button, form[data-says] button, form[data-download] button, form[data-settings] button, [data-push-on], [data-push-off], [data-undo], [data-preview], [data-forget], [data-pausing], [data-account], [data-answer-csv], [data-show-columns], [data-answer-places], [data-again], [data-desktop]";
  let cut = false;
  let isLostTold = false;
  let lostSoon;
  function tellLost() {
    isLostTold = true;
    const asOf = document.body.dataset.asOf;
    show(asOf ? word("offline").replace("{}", asOf) : word("lost"));
  }
  function offline(atOnce) {
    cut = true;
    for (const each of document.querySelectorAll(ANSWERS)) each.disabled = true;
    if (atOnce || isLostTold) return tellLost();
    // A new start is over in a moment, and who ordered one was told that: neither is worth a fright.
    lostSoon ??= setTimeout(tellLost, lastSaid === word("taking") ? 10000 : 1500);
  }
  function online() {
    cut = isLostTold = false;
    clearTimeout(lostSoon);
    lostSoon = undefined;
    for (const each of document.querySelectorAll(ANSWERS)) each.disabled = false;
    // What came of the owner's last act, which the gap may have hidden at once.
    say(lastSaid === word("taking") ? word("saved") : lastSaid);
  }

  async function ask(path, options) {
    const response = await fetch(path, { credentials: "same-origin", ...options });
    if (response.status === 401) location.assign("/pair");
    return response;
  }

  // ---- countdowns: each element gets its own end once, then is drawn four times a second.
  let drawing;
  function arm(root) {
    for (const element of root.querySelectorAll("[data-left-ms]")) {
      element.auraEnd = performance.now() + Number(element.dataset.leftMs);
    }
    drawing ??= setInterval(draw, 250);
    draw();
  }

  function draw() {
    let runs = false;
    for (const element of document.querySelectorAll("[data-left-ms]")) {
      if (element.auraEnd === undefined) continue;
      runs = true;
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
    if (!runs) {
      // A page on which nothing runs out wakes nobody.
      clearInterval(drawing);
      drawing = undefined;
    }
  }

  // While something is held down nothing is drawn anew: a button that is gone when it is let go was pressed for nothing.
  let down = false;
  const waiting = [];
  const letGo = () => down && new Promise((done) => waiting.push(done));
  addEventListener("pointerdown", () => { down = true; }, true);
  for (const end of ["pointerup", "pointercancel"]) {
    // The click comes after it.
    addEventListener(end, () => setTimeout(() => {
      down = false;
      for (const done of waiting.splice(0)) done();
    }), true);
  }

  // ---- fragments: one request at a time; what comes meanwhile asks for one more.
  let busy = false;
  let again = false;
  let soon;
  // The newest of them, once it was drawn.
  let query;
  async function refresh(must) {
    // A page without a stream looks only while something on it goes on, or when something on it was changed.
    if (must !== true && surface === "none" && !document.querySelector("[data-again-ms]")) return;
    if (busy) { again = must === true || again || 1; return; }
    busy = true;
    let done;
    query = new Promise((drawn) => { done = drawn; });
    try {
      // A hidden page shows nothing: without its stream's number the card does not count as shown.
      const seen = connection !== null && document.visibilityState === "visible";
      const response = await ask(fragment + (seen ? (fragment.includes("?") ? "&c=" : "?c=") + connection : ""));
      const text = await response.text();
      await letGo();
      if (response.ok) swap(text);
      else lost();
    } catch { lost(); }
    busy = false;
    done();
    if (again) { must = again; again = false; refresh(must); }
  }

  // Where the focus goes when what was tapped is replaced by what came of it.
  let focusNext = null;
  function focusWhenThere(selector) {
    focusNext = selector;
    setTimeout(() => { focusNext = null; }, 3000);
  }

  // A chat that can be muted stands in a list of its own, too.
  const placeOf = (button) => (button.closest("#mute-here") ? "#mute-here " : "");

  // What a region says, apart from what runs by itself: so that the same card is not announced twice.
  function still(region) {
    const copy = region.cloneNode(true);
    for (const each of copy.querySelectorAll("[data-left-ms], [data-clock], [data-shop] > form")) each.remove();
    for (const each of copy.querySelectorAll("[aria-busy]")) each.removeAttribute("aria-busy");
    // Where a finger has moved it to.
    for (const each of copy.querySelectorAll("article[style]")) each.removeAttribute("style");
    for (const each of copy.querySelectorAll("[disabled]")) each.disabled = false;
    // What the owner opened is as it was: else a look for news would empty the fields in it.
    for (const each of copy.querySelectorAll("details[open]")) each.open = false;
    // What the owner had shown beyond the first rows stays while those say the same.
    for (const each of copy.querySelectorAll("[data-grows]")) each.replaceChildren();
    for (const each of copy.querySelectorAll("[data-look], [data-part]")) {
      each.removeAttribute("data-done");
      each.replaceChildren();
    }
    return copy.innerHTML;
  }

  // The stream may have come through while the fragment did not: what it told of is fetched later.
  let retry;
  function lost() {
    offline();
    clearTimeout(retry);
    retry = setTimeout(refresh, 2000);
  }
  addEventListener("online", () => refresh());

  // A page that shows what goes on by itself is read anew until it is over.
  function lookAgain() {
    clearTimeout(soon);
    const wait = document.querySelector("[data-again-ms]");
    if (wait) soon = setTimeout(refresh, Number(wait.dataset.againMs));
  }

  // What was kept back because no page was open, or was never looked for, is looked for once, as soon as this page counts as open.
  let hasLooked;
  function lookFirst() {
    if (hasLooked || connection === null || !document.querySelector("[data-look-first]")) return;
    hasLooked = true;
    look();
  }

  // How what has the focus is found again when its region was read anew.
  function sameAs(element) {
    const { act, doneWith, as } = element ? element.dataset : {};
    if (act) return '#live [data-act="' + act + '"]';
    if (doneWith) return '[data-done-with="' + doneWith + '"][data-as="' + as + '"]';
    return element && element.id === "waits-title" ? "#waits-title" : null;
  }

  // A code that is to be typed elsewhere stays until that is over.
  function keepCodes(fresh) {
    for (const place of fresh.querySelectorAll("[data-underway]")) {
      const shown = document.getElementById(place.id)?.childNodes ?? [];
      if (shown.length) place.closest("details").open = true;
      place.replaceChildren(...shown);
    }
  }

  // What is being looked at: what the pointer is on or has the focus, else what stands first on the screen; on a page that was not scrolled, where its head
  // stands first, what is in the middle of it.
  function lookedAt() {
    const live = document.getElementById("live");
    const isSeen = (each) => {
      const { top, bottom } = each.getBoundingClientRect();
      return bottom > top && bottom > 0 && top < innerHeight;
    };
    const pointed = [...live.querySelectorAll(":hover")].pop()?.closest("button,a,summary,input,select,label,li,[data-region]");
    const held = [pointed, document.activeElement].find((each) => each && each !== live && live.contains(each) && isSeen(each));
    if (held) return held;
    const middle = scrollY === 0 && document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest("li,h2,p,[data-region]");
    // A card that grows is looked at from its head.
    if (scrollY === 0) return middle && live.contains(middle) && !middle.closest("#now") ? middle : undefined;
    return [...live.querySelectorAll("[data-region],li,h2,p")].find((each) => isSeen(each) && each.getBoundingClientRect().top >= 0);
  }

  // What comes or goes above what is being looked at does not move it. Its part may be drawn anew: there it is what says the same.
  function keepInPlace(changes) {
    const one = lookedAt();
    const top = (each) => each.getBoundingClientRect().top;
    const alike = (within) => [...within.querySelectorAll(one.tagName)]
      .filter((each) => each.textContent === one.textContent && each.getAttribute("aria-label") === one.getAttribute("aria-label"));
    // The parts around it, from within, each with where it stood.
    const parts = [];
    for (let part = one?.closest("[id]"); part && part.id !== "live"; part = part.parentElement.closest("[id]")) parts.push([part, top(part)]);
    const oneTop = one && top(one);
    const place = parts.length && alike(parts[0][0]).indexOf(one);
    changes();
    if (!parts.length) return;
    const [now, before] = parts.map(([part, before]) => [part.isConnected ? part : document.getElementById(part.id), before]).find(([part]) => part && !part.hidden) || [];
    if (!now) return;
    const same = one.isConnected ? one : now.id === parts[0][0].id && alike(now)[place];
    const moved = same ? top(same) - oneTop : top(now) - before;
    if (Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: "instant" });
  }

  function swap(text) {
    const fresh = new DOMParser().parseFromString(text, "text/html");
    // A card that comes is to be seen.
    const comes = cardOn(fresh);
    if (comes && comes !== card) drawParts(fresh);
    else keepInPlace(() => drawParts(fresh));
    lookInto();
    fillParts();
    lookAgain();
    lookFirst();
    if (surface !== "phone" && surface !== "watch") return;
    const current = cardOn(document);
    if (current && current !== card && surface === "watch" && navigator.userActivation?.hasBeenActive) {
      navigator.vibrate?.(40);
    }
    card = current;
    document.title = current ? "\u2022 Aura" : "Aura";
  }

  // The parts of a page that are drawn anew.
  function drawParts(fresh) {
    clearTimeout(retry);
    // Only now: an answer to what this process has not shown would be refused.
    if (cut && pageToken) online();
    const focused = sameAs(document.activeElement);
    if (fresh.body.dataset.asOf) document.body.dataset.asOf = fresh.body.dataset.asOf;
    for (const part of fresh.querySelectorAll("[data-region]")) {
      const old = document.getElementById(part.id);
      if (!old || "held" in old.dataset) continue;
      // Whether it goes on is said by the region itself.
      if (part.dataset.againMs) old.dataset.againMs = part.dataset.againMs;
      else delete old.dataset.againMs;
      if (still(old) === still(part)) {
        const left = part.querySelectorAll("[data-left-ms]");
        old.querySelectorAll("[data-left-ms]").forEach((each, n) => {
          if (left[n]) each.dataset.leftMs = left[n].dataset.leftMs;
        });
        arm(old);
        continue;
      }
      // What the owner is writing or choosing is not taken away.
      if ([...old.querySelectorAll("textarea")].some((text) => text.value !== text.defaultValue)) continue;
      if (old.querySelector("form[data-rule]")?.contains(document.activeElement)) continue;
      if ([...old.querySelectorAll("form[data-settings]")].some(isEdited)) continue;
      if ([...old.querySelectorAll('input[type="password"]')].some((field) => field.value)) continue;
      // What was answered meanwhile is not asked any more, whatever is chosen there.
      const isAsked = flagsOf(old).length <= flagsOf(part).length;
      if (isAsked && old.querySelector("[data-csv] :checked")) continue;
      if (old.querySelector("[data-folder-title], details[open] [data-column], [data-places] select:focus, [data-mark], #dropped > li, [data-shared]:not([hidden]), [data-travel]:not([hidden])")) continue;
      if (askedOf(old) !== askedOf(part)) forgetLooks();
      old.hidden = part.hidden;
      const opened = new Map([...old.querySelectorAll("details")].map((each, n) => [each.id || n, each.open]));
      keepCodes(part);
      old.replaceChildren(...part.childNodes);
      old.querySelectorAll("details").forEach((each, n) => { each.open = opened.get(each.id || n) ?? each.open; });
      arm(old);
    }
    if (focused && document.activeElement === document.body) document.querySelector(focused)?.focus({ preventScroll: true });
    const next = focusNext && document.querySelector(focusNext);
    if (next) {
      next.focus({ preventScroll: true });
      focusNext = null;
    }
  }

  // ---- the stream: its opening is what "this surface is connected" means.
  function connect() {
    const stream = new EventSource("/events?surface=" + surface);
    stream.addEventListener("hello", (event) => {
      if (!pageToken) return location.reload();
      // Of the process that answers now: it may have been restarted under this page.
      let resumed;
      [connection, pageToken.content, resumed] = event.data.split(" ");
      // Else "anew" follows: one opening is one look, and counts as one.
      if (resumed) refresh();
    });
    // The first thing that a page hears, and all that it hears after a gap.
    stream.addEventListener("anew", () => { settle(); refresh(); });
    // The card that comes, ahead of all else. An answer that is on its way may be older, and take it away again.
    stream.addEventListener("now", async (event) => {
      await letGo();
      if (!busy) swap(event.data);
    });
    for (const name of ["card", "closed", "status", "runs"]) stream.addEventListener(name, refresh);
    stream.addEventListener("trial", () => {
      if (surface !== "watch") return;
      say(word("trial"));
      if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(40);
    });
    stream.addEventListener("card", () => sayLooked(""));
    stream.addEventListener("tick", (event) => {
      if (event.data === awaited) settle();
      sayLooked(word("looked"));
      refresh();
    });
    stream.onerror = () => {
      connection = null;
      offline();
      if (stream.readyState === EventSource.CLOSED) {
        setTimeout(connect, 3000);
        // The service is there and refuses: what it says to a look leads a device that was shut out away from what it shows.
        refresh();
      }
    };
  }
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") refresh();
  });

  // ---- what the owner does.
  async function change(path, body) {
    try {
      const response = await send(path, body);
      if (response.ok) { say(""); return response; }
      const refused = await response.json().catch(() => ({}));
      warn(asSentence(refused.message) || word("failed"));
      if (refused.there) return refused;
    } catch { say(""); offline(true); }
    return null;
  }

  // A file on its way: fetch does not tell how far it is.
  function carry(path, headers, file, way) {
    return new Promise((done, fail) => {
      const request = new XMLHttpRequest();
      way.stop = () => request.abort();
      request.upload.onprogress = (event) => way.sent(event.loaded);
      request.onload = () => {
        if (request.status === 401) location.assign("/pair");
        const wait = request.getResponseHeader("Retry-After");
        done(new Response(request.responseText, { status: request.status, headers: wait ? { "Retry-After": wait } : {} }));
      };
      request.onerror = () => fail(new Error("cut"));
      request.onabort = () => fail(new Error("stopped"));
      request.open("POST", path);
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.send(file);
    });
  }

  // While Aura takes settings up it says for how long; what the owner did is not lost by that.
  async function send(path, body, file, way) {
    for (let tries = 0; ; tries += 1) {
      const kind = file
        ? { "Content-Type": "application/octet-stream", "X-Aura-Name": encodeURIComponent(file.name) }
        : { "Content-Type": "application/json" };
      const headers = { ...kind, "X-Aura-Page": pageToken.content };
      const response = await (file
        ? carry(path, headers, file, way)
        : ask(path, { method: "POST", headers, body: body === undefined ? "" : JSON.stringify(body) }));
      const wait = Number(response.headers.get("Retry-After"));
      response.askedAs = headers["X-Aura-Page"];
      if (tries === 8) return response;
      // The page is from before a start of Aura that it has not heard of.
      if (response.status === 403 && (await newToken(response.askedAs))) continue;
      if (response.status !== 503 || !wait) return response;
      await new Promise((done) => setTimeout(done, Math.min(wait, 3) * 1000));
    }
  }

  // Whether there is another token than the one that was sent: the stream may have brought it meanwhile.
  async function newToken(sent) {
    if (pageToken.content !== sent) return true;
    let page = null;
    // It may be starting again just now.
    for (let tries = 0; tries < 8; tries += 1) {
      page = await fetch(location.pathname, { cache: "no-store" }).catch(() => null);
      if (page && page.status !== 503) break;
      await new Promise((done) => setTimeout(done, 400));
    }
    const fresh = page && page.ok && new DOMParser().parseFromString(await page.text(), "text/html");
    const token = fresh && fresh.querySelector('meta[name="aura-page"]');
    if (!token || token.content === sent) return false;
    pageToken.content = token.content;
    return true;
  }

  // ---- settings: only what was edited is sent, with the hash of what was shown.
  const inputs = (form) => [...form.elements].filter((field) => field.matches("input") || field.matches("select"));
  const isEdited = (form) => inputs(form).some((field) =>
    field.type === "checkbox" || field.type === "radio"
      ? field.checked !== field.defaultChecked
      : field.value !== (field.defaultValue ?? field.dataset.was ?? field.value));

  // A time of day as people write it (7:30, 07.30, 730, 7:30 pm), as the server reads it.
  function timeOf(field) {
    const [, hour, minute = "00", half] = field.value.trim().toLowerCase().match(/^(\d{1,2}?)(?:[:.]?(\d{2}))?\s*(?:([ap])\.?m\.?)?$/) || [];
    if (hour === undefined) return field.value.trim();
    const whole = half ? (Number(hour) % 12) + (half === "p" ? 12 : 0) : Number(hour);
    return String(whole).padStart(2, "0") + ":" + minute;
  }

  // An amount may be written as half the world does: 1200,50.
  // "1.234,56" and "1,234.56": of two signs the last stands before the decimals, and one that comes again only groups.
  function decimal(field) {
    const text = field.value.replace(/[\s'\u2019]/g, "");
    const signs = text.match(/[.,]/g) || [];
    const last = signs.at(-1);
    if (!last) return text;
    if (signs.length > 1 && signs.every((sign) => sign === last)) return text.replaceAll(last, "");
    const at = text.lastIndexOf(last);
    return text.slice(0, at).replace(/[.,]/g, "") + "." + text.slice(at + 1);
  }

  // As the server writes it; null: not edited.
  function valueOf(field) {
    if (field.dataset.as === "spans") {
      const times = [...field.querySelectorAll("input")];
      if (times.every((time) => time.value === time.defaultValue)) return null;
      return [...field.querySelectorAll("[data-span]")]
        .map((span) => [...span.querySelectorAll("input")].map(timeOf))
        .filter((span) => span.some(Boolean));
    }
    if (field.dataset.as === "balance") {
      const { amount, currency } = field.form.elements;
      if (!amount.value || [amount, currency].every((each) => each.value === each.defaultValue)) return null;
      return { amount: decimal(amount), currency: currency.value.toUpperCase() };
    }
    if (field.dataset.as === "choices") {
      // Boxes, and perhaps a field for one that is not listed.
      const boxes = [...field.querySelectorAll("input")];
      if (boxes.every((box) => box.checked === box.defaultChecked && box.value === box.defaultValue)) return null;
      return boxes.filter((box) => (box.type === "text" ? box.value : box.checked)).map((box) => box.value).join(", ");
    }
    if (field.value === (field.defaultValue ?? field.dataset.was)) return null;
    if ("time" in field.dataset) return timeOf(field);
    if (field.dataset.as === "number") return Number(field.value);
    if (field.dataset.as === "hours") return Math.round(Number(field.value) * 60);
    if (field.dataset.as === "list") return field.value.split(",").map((one) => one.trim()).filter(Boolean);
    return field.inputMode === "decimal" ? decimal(field) : field.value;
  }

  function settingsOf(form) {
    const body = {};
    for (const field of form.querySelectorAll("[data-as]")) {
      const value = valueOf(field);
      const name = field.dataset.as === "balance" ? "balance" : field.dataset.name || field.name;
      if (value === null) continue;
      if (field.dataset.as === "more" || field.dataset.as === "choices") body.more = { ...body.more, [name]: value };
      else body[name] = value;
    }
    if (!("allows" in form.dataset)) return body;
    const allow = [...form.querySelectorAll("[data-allow]:checked:enabled")]
      .map((tick) => ({ list: tick.dataset.allow, path: tick.dataset.path }));
    if (allow.length) body.allow = allow;
    return body;
  }

  const shownAs = (value) => Array.isArray(value)
    ? value.map((one) => (Array.isArray(one) ? one.join(" \u2013 ") : one)).join(", ") || "\u2013"
    : value && typeof value === "object" ? value.amount + " " + value.currency : String(value ?? "\u2013");

  // What a field, or several that are one value, said when the page was drawn.
  function wasShown(form, name) {
    const was = (field) => field.defaultValue;
    const { amount, currency } = form.elements;
    if (name === "balance") return shownAs(was(amount) ? { amount: was(amount), currency: was(currency) } : null);
    const group = form.querySelector('[data-name="' + name + '"]');
    if (!group) return form.querySelector('[name="' + name + '"]')?.defaultValue;
    return shownAs([...group.querySelectorAll("[data-span]")].map((span) => [...span.querySelectorAll("input")].map(was)).filter((span) => span.some(Boolean)));
  }

  // Both versions side by side: what the owner entered stays in its field.
  function sideBySide(form, refused) {
    for (const place of form.querySelectorAll("[data-there]")) {
      const name = place.dataset.there;
      const hours = name === "sleep_target_min" ? refused.there[name] / 60 : refused.there[name];
      place.textContent = wasShown(form, name) === shownAs(hours) ? "" : word("there").replace("{}", shownAs(hours));
    }
    shownNow(refused.shown);
  }

  // Which text of the file the page is about; what the page changed itself was not changed elsewhere.
  function shownNow(hash) {
    for (const each of document.querySelectorAll("[data-shown], [data-undo]")) {
      if ("shown" in each.dataset) each.dataset.shown = hash;
      if ("undo" in each.dataset) each.dataset.undo = hash;
    }
  }

  // The token of a process that ends to take settings up: its pages still say what was.
  let ending = null;

  async function putSettings(path, body, form) {
    const done = await change(path, body);
    if (!done) return false;
    if (done.there) {
      if (form) sideBySide(form, done);
      return false;
    }
    const { restarts, waits, shown, says } = await done.json();
    if (shown) shownNow(shown);
    if (restarts) ending = done.askedAs;
    say(restarts ? word("taking") : waits ? word("saved-waits") : says || word("saved"));
    forgetLooks();
    document.getElementById("picker")?.querySelector("[data-folder-title]")?.remove();
    document.getElementById("dropped")?.replaceChildren();
    if (form) {
      for (const field of inputs(form)) {
        if (field.closest("[data-as=choices]") && field.type === "text") field.value = field.defaultValue;
        else if (field.closest("[data-as=choices]")) field.defaultChecked = field.checked;
        else if (field.type === "checkbox") field.checked = false;
        else if ("was" in field.dataset) field.dataset.was = field.value;
        else if ("defaultValue" in field) field.defaultValue = field.value;
      }
    }
    return true;
  }

  // Quiet hours that begin and do not end, or end and do not begin: the empty field has the focus.
  function isHalfSpan(form) {
    const spans = [...form.querySelectorAll("[data-span]")].map((span) => [...span.querySelectorAll("input")]);
    const half = spans.find((times) => times.some((time) => time.value) && times.some((time) => !time.value));
    if (!half) return false;
    const missing = half.find((time) => !time.value);
    missing.setAttribute("aria-invalid", "true");
    missing.focus();
    warn(word("hours"));
    return true;
  }
  document.addEventListener("input", (event) => {
    for (const time of event.target.closest("[data-span]")?.querySelectorAll("[aria-invalid]") ?? []) time.removeAttribute("aria-invalid");
  });

  // What saving would change in the file; nothing is saved.
  async function previewSettings(form, { preview: into, path }) {
    if (!form.reportValidity() || isHalfSpan(form)) return;
    if (path) say(word("looking"));
    const response = await change(path || "/form/settings/preview", { ...settingsOf(form), shown: form.dataset.shown });
    if (!response || !response.text) return;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    document.getElementById(into).replaceChildren(...fresh.body.childNodes);
  }

  async function saveSettings(form) {
    if (isHalfSpan(form)) return;
    const body = settingsOf(form);
    if (!Object.keys(body).length) {
      if (form.dataset.onward) return onward(form.dataset);
      return say(word("allows" in form.dataset ? "tick" : "same"));
    }
    body.shown = form.dataset.shown;
    if (!(await putSettings("/form/settings", body, form))) return;
    if (form.dataset.onward) return onward(form.dataset);
    loadAnew();
  }

  // A page without a stream of its own is loaded anew once Aura answers; what is asked for last is shown.
  let loads = 0;
  async function loadAnew() {
    if (surface !== "none") return refresh();
    loads += 1;
    const mine = loads;
    for (let tries = 0; ; tries += 1) {
      await new Promise((done) => setTimeout(done, 400));
      const response = await fetch(location.pathname, { cache: "no-store" }).catch(() => null);
      if (!response || !response.ok) continue;
      const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
      await letGo();
      if (mine !== loads) return;
      const token = fresh.querySelector('meta[name="aura-page"]')?.content;
      if (token && token === ending && tries < 75) continue;
      if (token) pageToken.content = token;
      const live = document.getElementById("live");
      const news = fresh.getElementById("live");
      if (live && news) {
        keepCodes(news);
        keepInPlace(() => live.replaceChildren(...news.childNodes));
      }
      lookInto();
      lookAgain();
      if (cut) online();
      return;
    }
  }

  // ---- what a source holds: asked for when the page stands, two at a time.
  const looked = new Map();
  const asking = new Set();
  const lookKey = (place) => place.dataset.look + " " + place.dataset.path;
  let looksBegun = 0;

  // By which text of the file sources are read, and what is asked of them: what is known of them counts until one of both is another.
  const flagsOf = (region) => [...region.querySelectorAll(".flag")].filter((each) => !each.closest("[data-look]"));
  const askedOf = (region) => [...region.querySelectorAll("[data-shown]")].map((each) => each.dataset.shown)
    .concat(flagsOf(region).map((each) => each.textContent))
    .join();
  function forgetLooks() {
    looked.clear();
    looksBegun += 1;
  }

  function isFilled(place) {
    const text = looked.get(lookKey(place));
    if (text === undefined) return false;
    place.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
    place.dataset.done = "";
    const tick = place.closest("li")?.querySelector("[data-allow]");
    // What is asked is answered first: until then none of it would be read.
    if (tick) tick.disabled = Boolean(place.querySelector("[data-csv]"));
    return true;
  }

  function lookEnded() {
    const said = document.createElement("p");
    said.className = "note";
    said.textContent = word("look-ended");
    return said.outerHTML;
  }

  async function lookInto() {
    if (!pageToken || asking.size > 1) return;
    const places = [...document.querySelectorAll("[data-look]:not([data-done])")];
    const place = places.filter((each) => !isFilled(each)).find((each) => !asking.has(lookKey(each)));
    if (!place) return;
    const key = lookKey(place);
    asking.add(key);
    lookInto();
    const begun = looksBegun;
    const body = { list: place.dataset.look, path: place.dataset.path };
    const response = await send("/form/sources/look", body).catch(() => null);
    const holds = response && response.ok ? await response.text() : lookEnded();
    // What changed meanwhile is looked at once more.
    if (begun === looksBegun) looked.set(key, holds);
    asking.delete(key);
    lookInto();
  }

  // ---- a part that takes longer than its page: its place stands there at once.
  async function fillParts() {
    for (const place of document.querySelectorAll("[data-part]:not([data-done])")) {
      place.dataset.done = "";
      const response = await ask(place.dataset.part).catch(() => null);
      const text = response && response.ok ? await response.text().catch(() => "") : "";
      place.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
      place.removeAttribute("aria-busy");
    }
  }

  async function openFolder(below) {
    const response = await change("/form/sources/folder", { below });
    if (!response) return;
    const picker = document.getElementById("picker");
    picker.replaceChildren(...new DOMParser().parseFromString(await response.text(), "text/html").body.childNodes);
    picker.querySelector("[data-folder-title]")?.focus();
    lookInto();
  }

  // ---- which column of a statement is which: what she chose is shown before it is kept.
  const columnsOf = (place) => {
    const fields = [...place.querySelectorAll("[data-column]")];
    return Object.fromEntries(fields.map((field) => [field.dataset.column, field.value || null]));
  };

  async function showColumns(button) {
    const place = button.closest("[data-look]");
    const { look: list, path } = place.dataset;
    const response = await change("/form/sources/look", { list, path, columns: columnsOf(place) });
    if (!response) return;
    looked.set(lookKey(place), await response.text());
    isFilled(place);
    place.querySelector("[data-column]")?.focus();
  }

  async function answerCsv(button) {
    const box = button.closest("[data-csv]");
    const answer = { path: box.dataset.csv };
    if ("chosen" in box.dataset) answer.columns = columnsOf(box.closest("[data-look]"));
    for (const field of box.querySelectorAll("[data-ask]")) {
      const said = field.matches("input") ? field.value.trim().toUpperCase() : field.querySelector(":checked")?.value;
      if (!said) return say(word("answer"));
      answer[field.dataset.ask] = field.matches("input") ? said : said === "true";
    }
    const around = button.closest("[data-shown]");
    // What she has ticked beside it is allowed with it, not lost.
    const body = around.matches("form") ? settingsOf(around) : {};
    body.shown = around.dataset.shown;
    body.csv = [answer];
    if (!("read" in box.dataset)) body.allow = [...(body.allow || []), { list: "finance", path: answer.path }];
    if (!(await putSettings("/form/settings", body))) return;
    // What was answered keeps nothing from being drawn anew.
    const place = box.closest("[data-look]");
    place?.replaceChildren();
    if (place) delete place.dataset.done;
    loadAnew();
  }

  // ---- how far places of the calendar are: only what was changed is sent, and the page stays as it is.
  async function answerPlaces(box) {
    const places = [...box.querySelectorAll("[data-place]")]
      .filter((field) => field.value !== field.dataset.was)
      .map((field) => ({ place: field.dataset.place, minutes: field.value === "" ? null : Number(field.value) }));
    if (!places.length) return say(word("same"));
    const { shown } = box.closest("[data-shown]").dataset;
    if (!(await putSettings("/form/settings", { shown, places }))) return;
    for (const look of document.querySelectorAll('[data-look="calendar"]')) delete look.dataset.done;
    lookInto();
  }

  // ---- files that are dropped or chosen: Aura holds them in memory until they are read.
  const sizeOf = (bytes) => (bytes < 1e6 ? Math.ceil(bytes / 1e3) + " kB" : (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0) + " MB");
  const filled = (text, ...values) => values.reduce((said, value) => said.replace("{}", () => value), text);
  let travelling = false;

  // Shows one on its way; each quarter is also said.
  function wayOf(file) {
    const box = document.querySelector("[data-travel]");
    const bar = box.querySelector("progress");
    let quarter = 0;
    const way = {
      gone: 0,
      stop() {},
      sent(bytes) {
        way.gone = Math.min(bytes, file.size);
        const text = filled(word("drop-sent"), sizeOf(way.gone), sizeOf(file.size));
        bar.max = file.size || 1;
        bar.value = way.gone;
        bar.setAttribute("aria-valuetext", text);
        box.querySelector("[data-travel-sent]").textContent = text;
        const now = Math.floor((4 * way.gone) / (file.size || 1));
        if (now > quarter && now < 4) say(filled(word("drop-way"), file.name, text));
        quarter = now;
      },
      over() {
        const hadFocus = box.contains(document.activeElement);
        box.hidden = true;
        if (hadFocus) document.querySelector("[data-drop-input]").focus();
      },
    };
    box.querySelector("[data-travel-name]").textContent = file.name;
    box.querySelector("[data-travel-cancel]").onclick = () => way.stop();
    way.sent(0);
    box.hidden = false;
    return way;
  }

  async function takeFiles(files) {
    const zone = document.querySelector("[data-drops]");
    if (travelling) return say(word("drop-busy"));
    if (files.length > 50) return say(word("drop-many"));
    travelling = true;
    for (const file of files) {
      const said = await takeFile(zone, file);
      say(said);
      if (said) break;
    }
    travelling = false;
  }

  // What is to be said where it was not taken; else nothing.
  async function takeFile(zone, file) {
    if (file.size > Number(zone.dataset.bytesMax)) return filled(word("drop-large"), file.name);
    say(filled(word("drop-taking"), file.name));
    const way = wayOf(file);
    const response = await send("/form/sources/drop", undefined, file, way).catch((error) => error);
    way.over();
    if (response instanceof Error) {
      if (response.message === "stopped") return filled(word("drop-stopped"), file.name);
      return filled(word("drop-cut"), file.name, filled(word("drop-sent"), sizeOf(way.gone), sizeOf(file.size)));
    }
    if (!response.ok) return (await response.json().catch(() => ({}))).message || word("failed");
    const into = document.getElementById("dropped");
    into.append(...new DOMParser().parseFromString(await response.text(), "text/html").body.childNodes);
    const tick = into.lastElementChild.querySelector("[data-allow]");
    if (tick) {
      tick.checked = true;
      into.closest("form").querySelector(":scope > .buttons").hidden = false;
    }
    lookInto();
    return "";
  }
  const isOfFiles = (event) => document.querySelector("[data-drops]") && [...event.dataTransfer.types].includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!isOfFiles(event)) return;
    event.preventDefault();
    document.querySelector("[data-drops]").dataset.over = "";
  });
  document.addEventListener("dragleave", (event) => {
    const zone = document.querySelector("[data-drops]");
    if (zone && !event.relatedTarget) delete zone.dataset.over;
  });
  document.addEventListener("drop", (event) => {
    if (!isOfFiles(event)) return;
    event.preventDefault();
    delete document.querySelector("[data-drops]").dataset.over;
    const items = [...event.dataTransfer.items].filter((item) => item.kind === "file");
    if (items.some((item) => item.webkitGetAsEntry?.()?.isDirectory)) return say(word("drop-folder"));
    takeFiles([...event.dataTransfer.files]);
  });

  // ---- notifications of this browser: it asks its owner after the button, never by itself.
  const bytesOf = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));

  async function ownSubscription() {
    const worker = await navigator.serviceWorker?.getRegistration();
    return worker?.pushManager?.getSubscription();
  }

  // The browser's subscription under Aura's key; one under another key is of no use and goes.
  async function askPushService(key) {
    const gaveUp = new Promise((_, fail) => setTimeout(fail, 15000));
    const { pushManager } = await Promise.race([navigator.serviceWorker.ready, gaveUp]);
    const old = await pushManager.getSubscription();
    if (old && new Uint8Array(old.options.applicationServerKey).join() !== key.join()) await old.unsubscribe();
    return Promise.race([pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }), gaveUp]);
  }

  async function turnPushOn(button) {
    if (!("PushManager" in window && "Notification" in window && navigator.serviceWorker)) return say(word("push-none"));
    if ((await Notification.requestPermission()) !== "granted") return say(word("push-denied"));
    say(word("push-asking"));
    button.disabled = true;
    const subscription = await askPushService(bytesOf(button.dataset.pushOn)).catch(() => null);
    button.disabled = false;
    if (!subscription) return say(word("push-failed"));
    const { endpoint, keys } = subscription.toJSON();
    if (!(await change("/form/push", { endpoint, p256dh: keys.p256dh, auth: keys.auth }))) return;
    say(word("push-on"));
    loadAnew();
  }

  async function turnPushOff(button) {
    if (!(await change("/form/push/remove", { id: button.dataset.pushOff }))) return;
    if ("here" in button.dataset) await (await ownSubscription().catch(() => null))?.unsubscribe().catch(() => {});
    loadAnew();
  }

  // ---- the welcome: how far its owner is stands in Aura, so that it goes on there.
  async function onward(data) {
    const next = Number(data.welcome || data.next);
    if (await change("/form/welcome", next ? { next } : {})) location.assign(data.onward);
  }

  // What came of it is a card, or said once it is over.
  // It may be over before the answer to the question comes.
  async function look() {
    // A question that waits comes first.
    const asks = document.querySelector("#now [data-act=confirm]");
    const mine = { says: word(asks ? "looking-after" : "looking"), isOver: false };
    looking = mine;
    say(mine.says);
    if (!(await change("/v1/tick"))) return void (mine.isOver = true);
    say(mine.says);
    // A look that has to wait, because a card was just shown, is not told of for longer.
    setTimeout(() => { if (looking === mine) sayLooked(""); }, 8000);
  }

  function sayLooked(says) {
    if (!looking || looking.isOver) return;
    Object.assign(looking, { says, isOver: true });
    say(says);
  }

  // ---- quiet for a time, and when not to.
  async function told(path, body, done) {
    const changed = await change(path, body);
    // Noted before whoever asked loads the page anew. What was done is said once, in its own sentence.
    if (changed) tellDone(await actOf(changed), undefined, done);
    refresh();
    return changed;
  }

  // The act that was done: its trace, where it has one.
  const actOf = async (response) => response.headers.get("X-Aura-Act") ?? response.clone().json().then((made) => made.trace_id, () => null);

  // ---- a message about money: the owner taps where its amount stands, and who was paid or paid.
  const markedAs = (message, what) => {
    const words = [...message.querySelectorAll("[data-word-at]")];
    return words.filter((each) => each.dataset.mark === what).map((each) => words.indexOf(each));
  };

  function mark(button) {
    const message = button.closest("[data-question]");
    const words = [...message.querySelectorAll("[data-word-at]")];
    const set = (at, what) => {
      if (what) words[at].dataset.mark = what;
      else delete words[at].dataset.mark;
      words[at].setAttribute("aria-pressed", String(Boolean(what)));
    };
    const at = words.indexOf(button);
    const [amount, payee] = [markedAs(message, "amount"), markedAs(message, "payee")];
    if (button.dataset.mark === "amount") set(at, "");
    else if (button.dataset.mark === "payee") payee.forEach((each) => set(each, ""));
    else if ("amount" in button.dataset && !amount.length) set(at, "amount");
    else {
      // A name is all words from the first to the last that was tapped; the amount is no part of it.
      const [from, to] = [Math.min(at, ...payee), Math.max(at, ...payee)];
      const apart = amount.some((each) => each > from && each < to);
      if (apart) payee.forEach((each) => set(each, ""));
      for (let each = apart ? at : from; each <= (apart ? at : to); each += 1) set(each, "payee");
    }
    say("");
    for (const shown of message.querySelectorAll("[data-marked]")) {
      const said = markedAs(message, shown.dataset.marked).map((each) => words[each].textContent.trim()).join(" ");
      shown.textContent = said || shown.dataset.none;
    }
  }

  function paid(button) {
    const message = button.closest("[data-question]");
    const range = (what) => {
      const at = markedAs(message, what);
      return at.length ? { from: at[0], to: at[at.length - 1] + 1 } : undefined;
    };
    const amount = range("amount");
    const direction = button.dataset.paid;
    if (direction !== "none" && !amount) return say(word("mark-amount"));
    const payments = direction === "none" ? [] : [{ direction, amount, payee: range("payee") }];
    const path = "/v1/questions/" + message.dataset.question + "/answer";
    return told(path, { payments }).then(reload);
  }

  // What the form asks for; a sentence's name when it is not complete.
  function asked(form) {
    const { what, kind, from, to } = form.elements;
    if (!from.value !== !to.value || !from.validity.valid || !to.validity.valid) return "hours";
    const days = [...form.querySelectorAll('[name="day"]:checked')].map((day) => Number(day.value));
    if (!days.length) return "days";
    const body = { days: days.length === 7 ? [] : days };
    if (kind) { if (kind.value) body.kind = kind.value; }
    else if (what.value !== "subject") body.kind = form.dataset.kind;
    if (what && what.value !== "kind") body.subject = form.dataset.subject;
    if (from.value) body.hours = [timeOf(from) + ":00", timeOf(to) + ":00"];
    return body;
  }

  // What is missing is said beside its field, which is marked and has the focus.
  function refuse(form, why) {
    const fields = why === "hours" ? [form.elements.from, form.elements.to].filter((field) => !field.value || !field.validity.valid) : form.querySelectorAll('[name="day"]');
    for (const field of fields) field.setAttribute("aria-invalid", "true");
    form.querySelector('[data-wrong="' + why + '"]').textContent = word(why);
    fields[0].focus();
  }
  document.addEventListener("input", (event) => {
    const form = event.target.closest("form[data-rule]");
    if (form) acceptAll(form);
    else if (event.target.validity?.valid) event.target.removeAttribute("aria-invalid");
  });
  function acceptAll(form) {
    for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
    for (const place of form.querySelectorAll("[data-wrong]")) place.textContent = "";
  }

  async function rule(form) {
    const body = asked(form);
    acceptAll(form);
    if (typeof body === "string") return refuse(form, body);
    const made = await change("/v1/rules", body);
    if (!made) return refresh();
    say(word("stands"));
    tellDone(made.headers.get("X-Aura-Act"), word("stands"));
    // It is kept: what stands around it may be drawn anew.
    form.reset();
    if (form.contains(document.activeElement)) document.activeElement.blur();
    if (drawer && drawer.open) drawer.close();
    refresh();
  }

  // What the rule would have changed, before it is made.
  async function tried(form) {
    const body = asked(form);
    const output = form.querySelector("[data-tried]");
    const response = typeof body === "string" ? null : await ask("/v1/rules/preview", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Aura-Page": pageToken.content },
      body: JSON.stringify(body),
    }).catch(() => null);
    const says = response && response.ok ? (await response.json()).says : "";
    if (output.textContent !== says) output.textContent = says;
  }

  async function reply(form) {
    const text = form.elements.answer;
    if (await told("/v1/workflows/" + form.dataset.reply + "/answer", { answer: text.value })) text.value = "";
  }

  // What really came of an answer: said by the decision itself, once it is over.
  async function settle() {
    const trace = awaited;
    if (!trace) return;
    const response = await ask("/fragment/trace/" + trace + "/outcome").catch(() => null);
    if (!response || !response.ok || awaited !== trace) return;
    awaited = null;
    const said = await response.text();
    say(said);
    tellDone(trace, said);
  }

  let slideTimer;
  document.addEventListener("change", async (event) => {
    const form = event.target.closest("form[data-rule]");
    if (form) tried(form);
    // A slider asks once it rests.
    const slid = event.target.closest("form.otherwise");
    if (slid) {
      clearTimeout(slideTimer);
      slideTimer = setTimeout(() => slid.requestSubmit(), 300);
    }
    // Amounts stand in one column or in two.
    const column = event.target.dataset.column;
    const others = { amount: ["money_out", "money_in"], money_out: ["amount"], money_in: ["amount"] }[column];
    if (others && event.target.value) {
      for (const other of others) event.target.closest("details").querySelector("[data-column=" + other + "]").value = "";
    }
    if ("dropInput" in event.target.dataset) {
      const files = [...event.target.files];
      event.target.value = "";
      return takeFiles(files);
    }
    const file = event.target.dataset.text && event.target.files[0];
    if (file) document.getElementById(event.target.dataset.text).value = await file.text();
  });

  // ---- what the operator asks: nothing is changed by it, and the server renders the answer.
  async function post(form) {
    // The page may be read anew while the answer comes.
    const place = () => document.getElementById(form.dataset.into);
    const hadFocus = place()?.contains(document.activeElement);
    place()?.setAttribute("aria-busy", "true");
    const response = await change(form.dataset.post, Object.fromEntries(new FormData(form)));
    const into = place();
    into?.removeAttribute("aria-busy");
    if (!response || !into) return;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    into.replaceChildren(...fresh.body.childNodes);
    arm(into);
    lookInto();
    // What was found is not there any more.
    if (form.dataset.post === "/form/forget") document.getElementById("found")?.replaceChildren();
    // What was pressed is gone: whoever uses a keyboard is where they were.
    if (hadFocus) into.querySelector("button")?.focus({ preventScroll: true });
    into.scrollIntoView({ block: "nearest" });
    // What was typed has been taken: it must not keep the page from going on.
    if (into.querySelector("[data-again-ms]")) form.reset();
    if ("anew" in form.dataset) refresh(true);
    lookAgain();
  }

  // A form whose answer is a sentence: what it changed is drawn anew.
  async function tell(form) {
    say(word("looking"));
    const response = await change(form.dataset.says, Object.fromEntries(new FormData(form)));
    if (!response) return;
    const says = await response.text();
    form.reset();
    say(says);
    loadAnew();
  }

  // ---- an account on a server: fields are filled in by a tap, and what a look found is added as it stands in them.
  function fillIn(button) {
    const { form } = button;
    for (const [name, value] of Object.entries(JSON.parse(button.dataset.fill))) {
      const field = form.elements[name];
      if (field.type === "checkbox") field.checked = value;
      else if (name !== "user" || !field.value) field.value = value;
      field.closest("details:not([id])")?.setAttribute("open", "");
    }
    post(form);
  }

  async function addAccount(button) {
    const { form } = button;
    if (!form.reportValidity()) return;
    button.disabled = true;
    const done = await putSettings("/form/accounts/add", Object.fromEntries(new FormData(form)));
    button.disabled = false;
    if (!done) return;
    form.reset();
    document.getElementById(form.dataset.into).replaceChildren();
    form.closest("details").open = false;
    focusWhenThere("#accounts-title");
    loadAnew();
  }

  // How hard a passphrase is to guess, while it is typed.
  async function rate(field) {
    const passphrase = field.value;
    const says = await send(field.dataset.strength, { passphrase }).catch(() => null);
    const said = says && says.ok ? await says.text() : "";
    if (field.value === passphrase) field.form.querySelector("[data-strength-says]").textContent = said;
  }
  let rating;
  document.addEventListener("input", (event) => {
    if (!event.target.dataset.strength) return;
    clearTimeout(rating);
    rating = setTimeout(rate, 300, event.target);
  });

  // What was found is of what stood there.
  document.addEventListener("input", (event) => {
    const form = event.target.closest("form[data-account-form]");
    if (form && event.target.name !== "name") document.getElementById(form.dataset.into).replaceChildren();
  });

  // ---- a file for the owner: whole, or not at all.
  async function download(form) {
    say(word("copying"));
    const response = await change(form.dataset.download, Object.fromEntries(new FormData(form)));
    if (!response) return;
    const file = await response.blob().catch(() => null);
    if (!file) return say(word("failed"));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = form.dataset.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    say(word("copied"));
  }

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-rule], form[data-reply], form[data-post], form[data-says], form[data-download], form[data-settings], form[data-naming], form[data-sorting], form[data-draft]");
    if (!form) return;
    event.preventDefault();
    if (form.dataset.draft) return void saveDraft(form);
    if (form.dataset.naming) {
      const name = form.elements.name.value;
      return void change("/v1/things/" + form.dataset.naming + "/name", { name }).then((done) => {
        if (done) try { sessionStorage.setItem(SAID, word("saved")); } catch { /* it is seen on the page */ }
        reload(done);
      });
    }
    if (form.dataset.sorting) {
      return void told("/v1/shops/" + form.dataset.sorting + "/category", { category: form.elements.category.value }).then(reload);
    }
    if ("settings" in form.dataset) saveSettings(form);
    else if (form.dataset.post) post(form);
    else if (form.dataset.says) tell(form);
    else if (form.dataset.download) download(form);
    else if (form.dataset.reply) reply(form);
    else rule(form);
  });

  // ---- a draft: saved if it still says what was shown, copied and handed to a mail program as it stands in the field.
  async function saveDraft(form) {
    const { text } = form.elements;
    const sent = text.value;
    const response = await change((form.dataset.draft.startsWith("ev_") ? "/v1/events/" : "/v1/messages/") + form.dataset.draft + "/draft", { text: sent, shown: form.dataset.shown });
    const kept = response && (await response.json().catch(() => null));
    if (kept) {
      form.dataset.shown = kept.shown;
      text.defaultValue = sent;
      form.querySelector("[data-there]").value = "";
      for (const link of form.querySelectorAll("a[data-mail]")) freshMail(link);
      return say(word("saved"));
    }
    // What the owner wrote stays; what is there now stands below it.
    const page = await ask(location.pathname).catch(() => null);
    const fresh = page && page.ok && new DOMParser().parseFromString(await page.text(), "text/html");
    const there = fresh && fresh.querySelector('form[data-draft="' + form.dataset.draft + '"]');
    if (!there || there.dataset.shown === form.dataset.shown) return;
    form.dataset.shown = there.dataset.shown;
    form.querySelector("[data-there]").value = word("there").replace("{}", () => there.elements.text.value);
  }

  async function copyDraft(button) {
    const { text } = button.form.elements;
    try {
      await navigator.clipboard.writeText(text.value);
      say(word("draft-copied"));
    } catch {
      text.focus();
      text.select();
      say(word("draft-select"));
    }
  }

  // As the server makes the link, with what stands in the field; one that some systems would cut has no text in it.
  function freshMail(link) {
    const text = link.closest("form").elements.text.value.replace(/\r?\n/g, "\r\n");
    const coded = encodeURIComponent(text).replace(/[!'()*]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
    const without = link.dataset.mail;
    const whole = without + (without.includes("?") ? "&" : "?") + "body=" + coded;
    link.href = whole.length > 2000 ? without : whole;
  }

  // The next one is at hand for whoever uses a keyboard.
  // The rows below move up under the finger: the second of two taps is not meant for the next of them.
  let moved = -Infinity;
  async function dealtWith(path, row, tap) {
    if (row.ariaBusy === "true" || tap.detail > 0 && performance.now() - moved < 400) return;
    row.ariaBusy = "true";
    const place = [...row.parentElement.children].indexOf(row);
    const done = await change(path);
    row.ariaBusy = null;
    if (!done) return;
    actOf(done).then((act) => tellDone(act));
    row.remove();
    if (tap.detail > 0) moved = performance.now();
    await refresh();
    const rows = document.querySelectorAll("#waits .rows > li");
    const next = rows[Math.min(place, rows.length - 1)]?.querySelector(":scope > .row-buttons [data-done-with]");
    (next || document.getElementById("waits-title"))?.focus();
  }

  async function answer(button) {
    const group = button.closest(".answers");
    const buttons = group.querySelectorAll("button");
    for (const each of buttons) each.disabled = true;
    const act = button.dataset.act;
    // What the stream brought counts as shown once it was asked for.
    await query;
    const taken = await change("/v1/cards/" + group.dataset.card + "/answer", {
      act, surface: group.dataset.surface, capability: group.dataset.capability,
    });
    if (connection !== null) for (const each of buttons) each.disabled = false;
    if (drawer && drawer.open) drawer.close();
    const later = taken && act.startsWith("later_") && (await taken.json().catch(() => null));
    if (later && later.says) say(later.says);
    else if (taken && act === "useful") say(word("thanks"));
    else if (taken && group.dataset.capability) {
      say(word("sent"));
      awaited = group.dataset.trace;
      settle();
    }
    refresh();
  }

  // ---- the tools of another build: once they are accepted, the machine starts behind the same address.
  async function accept(button) {
    button.disabled = true;
    if (!(await change("/v1/catalogue/accept"))) {
      button.disabled = false;
      return;
    }
    say(word("starting"));
    const started = async () => {
      const healthy = await fetch("/healthz", { cache: "no-store" }).catch(() => null);
      if (healthy && healthy.ok) location.assign("/");
      else setTimeout(started, 300);
    };
    started();
  }

  async function open(id) {
    // The drawer opens at once; what stands in it comes.
    drawer.replaceChildren();
    drawer.setAttribute("aria-busy", "true");
    drawer.showModal();
    const response = await ask("/fragment/trace/" + id).catch(() => null);
    const text = response && response.ok ? await response.text() : "";
    drawer.removeAttribute("aria-busy");
    if (!drawer.open) return;
    if (!text) {
      drawer.close();
      if (!response) throw new Error("cut");
      return say(word("gone"));
    }
    drawer.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
    drawer.querySelector("button")?.focus();
    drawer.scrollTop = 0;
    for (const form of drawer.querySelectorAll("form[data-rule]")) tried(form);
  }

  // ---- the record itself, when it is asked for.
  // The form that says what a shop counts as: thousands of rows have one, a page one of them.
  document.addEventListener("toggle", ({ target }) => {
    const { shop, category } = target.dataset;
    if (!shop || target.querySelector("form")) return;
    const form = document.getElementById("sort-shop").content.firstElementChild.cloneNode(true);
    form.dataset.sorting = shop;
    form.elements.category.value = category;
    const button = form.querySelector("button");
    button.ariaLabel = button.ariaLabel.replace("{}", () => target.closest("li").querySelector("bdi").textContent);
    target.append(form);
  }, true);
  document.addEventListener("toggle", async (event) => {
    const details = event.target;
    if (!details.open || !details.dataset.json) return;
    const place = details.querySelector("pre");
    const response = await ask("/v1/traces/" + details.dataset.json).catch(() => null);
    place.textContent = response && response.ok ? JSON.stringify(await response.json(), null, 2) : word("gone");
  }, true);

  document.addEventListener("click", (event) => {
    if (event.target === drawer) return drawer.close();
    const button = event.target.closest("button");
    if (button && button.dataset.act) return void answer(button);
    if (button && "accept" in button.dataset) return void accept(button);
    if (button && "tick" in button.dataset) return void look();
    if (button && button.dataset.pause) return void told("/v1/pause", { for: button.dataset.pause });
    if (button && button.dataset.dismiss) return void told("/v1/workflows/" + button.dataset.dismiss + "/dismiss");
    if (button && button.dataset.revoke) {
      return void told("/v1/devices/" + button.dataset.revoke + "/revoke").then(reload);
    }
    if (button && button.dataset.shows) {
      return void change(button.dataset.shows, {}).then(async (response) => {
        if (!response) return;
        const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
        document.getElementById(button.dataset.into).replaceChildren(...fresh.body.childNodes);
      });
    }
    if (button && "tickAll" in button.dataset) {
      for (const box of button.form.querySelectorAll("[data-allow]:enabled")) box.checked = true;
      return;
    }
    if (button && "folder" in button.dataset) return void openFolder(button.dataset.folder);
    if (button && "print" in button.dataset) return window.print();
    if (button && "again" in button.dataset) {
      return void change("/form/sources/again", button.dataset.again ? { list: button.dataset.again } : {}).then((done) => done && refresh().then(() => say(word("again-read"))));
    }
    if (button && button.dataset.desktop) {
      const body = { [button.dataset.desktop]: button.dataset.on === "true" };
      return void change("/form/desktop", body).then((done) => done && loadAnew());
    }
    if (button && button.dataset.hold) return void hold(button);
    if (button && "answerPlaces" in button.dataset) return void answerPlaces(button.closest("[data-places]"));
    if (button && button.dataset.pushOn) return void turnPushOn(button);
    if (button && button.dataset.pushOff) return void turnPushOff(button);
    if (button && "answerCsv" in button.dataset) return void answerCsv(button);
    if (button && "showColumns" in button.dataset) return void showColumns(button);
    if (button && "welcome" in button.dataset) return void onward(button.dataset);
    if (button && button.dataset.preview) return void previewSettings(button.form, button.dataset);
    if (button && button.dataset.undo) {
      return void putSettings("/form/settings/undo", { shown: button.dataset.undo, which: button.dataset.which ?? "last" }).then((done) => done && loadAnew());
    }
    if (button && button.dataset.forget) {
      const { forget: list, path, shown } = button.dataset;
      return void putSettings("/form/settings", { shown, remove: [{ list, path }] }).then((done) => done && loadAnew());
    }
    if (button && button.dataset.pausing) {
      const { pausing, list, path, shown } = button.dataset;
      return void putSettings("/form/settings", { shown, [pausing]: [{ list, path }] }).then((done) => done && loadAnew());
    }
    if (button && button.dataset.fill) return void fillIn(button);
    if (button && "accountAdd" in button.dataset) return void addAccount(button);
    if (button && button.dataset.account) {
      const { account: name, keepFree, shown } = button.dataset;
      const act = keepFree === undefined ? button.dataset.accountAct : { keep_free: keepFree };
      return void putSettings("/form/settings", { shown, accounts: [{ name, act }] }).then((done) => done && loadAnew());
    }
    if (button && button.dataset.unrule) return void told("/v1/rules/" + button.dataset.unrule + "/remove");
    if (button && button.dataset.mute) {
      focusWhenThere(placeOf(button) + '[data-unmute="' + button.dataset.mute + '"]');
      return void told("/v1/mutes/" + button.dataset.mute, { for: button.dataset.for }).then(drawAnew);
    }
    if (button && button.dataset.unmute) {
      focusWhenThere(placeOf(button) + '[data-mute="' + button.dataset.unmute + '"]');
      return void told("/v1/mutes/" + button.dataset.unmute + "/end").then(drawAnew);
    }
    if (button && button.dataset.putOff) return void dealtWith("/v1/messages/" + button.dataset.putOff + "/put-off", button.closest("li"), event);
    if (button && button.dataset.notWaiting) {
      return void told("/v1/messages/" + button.dataset.notWaiting + "/not-for-me").then(reload);
    }
    if (button && button.dataset.doneWith) {
      return void dealtWith("/v1/messages/" + button.dataset.doneWith + "/" + button.dataset.as, button.closest("li"), event);
    }
    if (button && button.dataset.writeReply) {
      button.disabled = true;
      focusWhenThere('form[data-draft="' + button.dataset.writeReply + '"] textarea');
      // Who was found by a name stands on a part that is not read anew by itself.
      const shown = document.getElementById("waiting-found") ? reload : drawAnew;
      return void told("/v1/messages/" + button.dataset.writeReply + "/draft-reply").then((done) => {
        if (!done) button.disabled = false;
        shown(done);
      });
    }
    if (button && "copy" in button.dataset) return void copyDraft(button);
    const mail = event.target.closest("a[data-mail]");
    if (mail) return freshMail(mail);
    if (button && button.dataset.undoAct) {
      button.disabled = true;
      focusWhenThere("#meant-" + button.dataset.undoAct + " summary");
      // An agent that hangs is started again, and asked once more: that takes seconds.
      const slow = setTimeout(() => say(word("undoing")), 700);
      return void change("/v1/acts/" + button.dataset.undoAct + "/undo").then(async (response) => {
        clearTimeout(slow);
        const said = response && (await response.json().catch(() => null));
        // What was written into a draft that is discarded keeps nothing on the page.
        if (said && said.says) button.closest("form[data-draft]")?.remove();
        if (said && drawer && drawer.contains(button)) drawer.close();
        await (surface === "none" ? loadAnew() : refresh());
        if (said && said.says) say(said.named ?? said.says);
        else button.disabled = false;
      });
    }
    if (button && "notNow" in button.dataset) {
      const details = button.closest("details");
      details.open = false;
      return details.querySelector("summary").focus();
    }
    // What dismissing a card meant: a rule, under which stands the way back.
    if (button && button.dataset.teach) {
      button.disabled = true;
      focusWhenThere('[data-undo-act="' + button.dataset.about + '"]');
      return void told("/v1/rules", JSON.parse(button.dataset.teach), word("saved")).then((done) => {
        if (!done) button.disabled = false;
      });
    }
    if (button && button.dataset.correct) {
      return void told("/v1/learned/" + button.dataset.correct + "/correct", { class: button.dataset.class }).then(drawAnew);
    }
    if (button && button.dataset.letThrough) {
      const { letThrough, always } = button.dataset;
      return void told("/v1/let-through/" + letThrough, { always: always === "true" }).then(drawAnew);
    }
    if (button && button.dataset.same) {
      const { same, other, is } = button.dataset;
      return void told("/v1/people/" + same + "/same", { other, same: is === "true" }).then(reload);
    }
    if (button && button.dataset.keepFree) {
      const { keepFree: start, minutes } = button.dataset;
      return void told("/v1/holds", { start, minutes: Number(minutes), held: true }).then(reload);
    }
    if (button && button.dataset.decline) {
      const { decline, reason } = button.dataset;
      return void told("/v1/events/" + decline + "/decline", { reason }).then(reload);
    }
    if (button && button.dataset.usual) {
      const { usual, day, is } = button.dataset;
      return void told("/v1/spending/" + usual + "/usual", { day, usual: is === "true" }).then(reload);
    }
    if (button && button.dataset.unlearn) {
      const about = button.dataset.unlearn === "all" ? "" : button.dataset.unlearn + "/";
      return void told("/v1/learned/" + about + "reset").then(reload);
    }
    if (button && button.dataset.sender) {
      const { sender, standing } = button.dataset;
      return void told("/v1/senders/" + sender + "/judge", { standing }).then(reload);
    }
    if (button && button.dataset.wordAt) return void mark(button);
    if (button && button.dataset.paid) return void paid(button);
    const link = event.target.closest("a[data-drawer]");
    if (link && drawer && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      open(link.dataset.drawer).catch(() => location.assign(link.href));
    }
  });

  // A box of a picture that stands for an event.
  document.addEventListener("click", (event) => {
    const box = event.target.closest("rect[data-goes]");
    if (box) location.assign(box.dataset.goes);
  });

  // A list that follows what happens, held by who reads it.
  function hold(button) {
    const held = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(held));
    const list = document.getElementById(button.dataset.hold);
    if (held) return void (list.dataset.held = "");
    delete list.dataset.held;
    refresh();
  }

  // Filters of the console under names of the operator's. The addresses hold names of ours, ids and dates only.
  const filters = document.querySelector("[data-filters]");
  function keepFilters() {
    const key = "aura-filters";
    const list = filters.querySelector("ul");
    const read = () => {
      try {
        const kept = JSON.parse(localStorage.getItem(key));
        return Array.isArray(kept) ? kept.filter((each) => each && typeof each.name === "string" && /^\?[\w=&:.-]*$/.test(each.query)) : [];
      } catch { return []; }
    };
    function write(kept) {
      try { localStorage.setItem(key, JSON.stringify(kept.slice(-50))); } catch { say(word("again")); }
      draw();
    }
    function draw() {
      list.replaceChildren(...read().map(({ name, query }) => {
        const line = document.createElement("li");
        const link = line.appendChild(document.createElement("a"));
        link.href = location.pathname + query;
        link.textContent = name;
        const remove = line.appendChild(document.createElement("button"));
        remove.type = "button";
        remove.className = "side";
        remove.textContent = list.dataset.remove;
        remove.setAttribute("aria-label", list.dataset.remove + " " + name);
        remove.addEventListener("click", () => { write(read().filter((each) => each.name !== name)); filters.querySelector("input").focus(); });
        return line;
      }));
    }
    filters.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      const field = event.target.querySelector("input");
      const name = field.value.trim();
      if (!name) return;
      const set = [...new URLSearchParams(location.search)].filter(([part, value]) => value && part !== "before");
      const query = "?" + set.map((each) => each.join("=")).join("&");
      write([...read().filter((each) => each.name !== name), { name, query }]);
      field.value = "";
    });
    filters.hidden = false;
    draw();
  }
  if (filters) keepFilters();
  document.querySelector(".ops nav>[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });

  // An address that names a field of the settings leads to it, also where it is folded away.
  function focusNamed() {
    const named = document.getElementById(location.hash.slice(1));
    if (!named || !named.closest("form[data-settings]")) return;
    const group = named.closest("details");
    if (group) group.open = true;
    (named.matches("input,select") ? named : named.querySelector("input,select"))?.focus();
    named.scrollIntoView({ block: "center" });
  }
  addEventListener("hashchange", focusNamed);

  // A field that is refused is seen.
  document.addEventListener("invalid", (event) => {
    const group = event.target.closest("details");
    if (group) group.open = true;
    event.target.setAttribute("aria-invalid", "true");
  }, true);

  // ---- the palette: one field for pages, people, chats, days and what is done most.
  const palette = document.getElementById("palette");
  function goTo() {
    const field = palette.querySelector("input");
    const list = palette.querySelector("ul");
    const nothing = palette.querySelector(".none");
    const fixed = [...list.children];
    let waits, question = 0, enters = false;
    const shown = () => [...list.children].filter((each) => !each.hidden);
    function choose(at) {
      const all = shown();
      const place = (at + all.length) % (all.length || 1);
      all.forEach((each, n) => {
        each.id = "palette-" + n;
        each.setAttribute("aria-selected", String(n === place));
      });
      if (all[place]) field.setAttribute("aria-activedescendant", all[place].id);
      else field.removeAttribute("aria-activedescendant");
      all[place]?.scrollIntoView({ block: "nearest" });
      nothing.hidden = all.length > 0;
    }
    const chosen = () => shown().findIndex((each) => each.getAttribute("aria-selected") === "true");
    const option = (address, text, note) => {
      const each = document.createElement("li");
      each.setAttribute("role", "option");
      each.dataset.go = address;
      each.textContent = text;
      if (note) each.append(" ", note);
      return each;
    };
    function filter() {
      const text = field.value.trim().toLowerCase();
      // By its name, else by other words for it.
      const parts = text.split(/\s+/), also = [];
      for (const each of fixed) {
        const isNamed = parts.every((part) => each.textContent.toLowerCase().includes(part));
        const isMeant = parts.every((part) => (" " + each.dataset.words).includes(" " + part));
        each.hidden = !isNamed && !isMeant;
        if (!isNamed) also.push(each);
      }
      list.replaceChildren(...fixed.filter((each) => !also.includes(each)), ...also);
      enters = false;
      choose(0);
      clearTimeout(waits);
      const mine = question += 1;
      // "mute" and the beginning of a name.
      const verb = list.dataset.verb + " ";
      const isMute = text.startsWith(verb);
      const name = isMute ? text.slice(verb.length) : text;
      waits = name.length > 1 ? setTimeout(() => named(name, isMute, mine), 150) : 0;
    }
    // What is found, and with each chat its quiet.
    function ways(link, isMute) {
      const address = link.getAttribute("href");
      const name = link.textContent;
      const way = option(address, name, link.nextElementSibling);
      if (!address.startsWith("/people/ch_")) return isMute ? [] : [way];
      const mute = option("", list.dataset.quiets.replace("{}", () => name));
      mute.dataset.quiets = address.slice("/people/".length);
      return isMute ? [mute] : [way, mute];
    }
    async function named(name, isMute, mine) {
      const response = await send("/form/palette/find", { name, chats: isMute }).catch(() => null);
      const answer = response?.ok && await response.text();
      if (mine !== question) return;
      waits = 0;
      const links = [...new DOMParser().parseFromString(answer || "", "text/html").querySelectorAll("a")];
      const [days, others] = [true, false].map((isDay) => links.filter((link) => "first" in link.dataset === isDay));
      list.append(...others.flatMap((link) => ways(link, isMute)));
      // A day that was typed is what was meant.
      list.prepend(...days.flatMap((link) => ways(link, isMute)));
      choose(days.length ? 0 : Math.max(0, chosen()));
      if (enters) take(shown()[chosen()]);
    }
    function take(each) {
      if (!each) return;
      if (each.dataset.go) return location.assign(each.dataset.go);
      if (each.dataset.fills) {
        field.value = each.dataset.fills + " ";
        filter();
        return field.focus();
      }
      palette.close();
      // Which of them it was: elsewhere nothing on the page shows it.
      const says = word("saved") + " " + each.textContent.trim();
      if ("keys" in each.dataset) return document.getElementById("keys")?.showModal();
      if (each.dataset.quiets) return void told("/v1/mutes/" + each.dataset.quiets, { for: "8h" }, says);
      if (each.dataset.quiet) return void told("/v1/pause", { for: each.dataset.quiet }, says);
      look();
    }
    field.addEventListener("input", filter);
    field.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) choose(chosen() + step);
      // Whoever types fast is answered first.
      else if (event.key === "Enter" && waits && !shown().length) enters = true;
      else if (event.key === "Enter") take(shown()[chosen()]);
      // A field for searching would only be emptied.
      else if (event.key === "Escape") palette.close();
      else return;
      event.preventDefault();
    });
    list.addEventListener("click", (event) => take(event.target.closest("li")));
    // Outside of it.
    palette.addEventListener("click", (event) => { if (event.target === palette) palette.close(); });
    return () => {
      field.value = "";
      filter();
      palette.showModal();
    };
  }
  if (palette && pageToken) {
    const openPalette = goTo();
    document.addEventListener("click", (event) => { if (event.target.closest("[data-palette]")) openPalette(); });
    document.addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (palette.open) palette.close();
      else openPalette();
    });
  }

  arm(document);
  try {
    tellDone(sessionStorage.getItem(DONE));
    const said = sessionStorage.getItem(SAID);
    sessionStorage.removeItem(SAID);
    if (said) say(said);
  } catch { /* nothing is kept */ }
  lookInto();
  fillParts();
  focusNamed();
  for (const form of document.querySelectorAll("main form[data-rule]")) if (form.dataset.kind) tried(form);
  if (surface !== "none") connect();
  else lookAgain();
})();
