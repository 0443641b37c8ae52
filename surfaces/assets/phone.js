// What fingers and keys do beside the page's buttons: a card is swiped, the page is pulled, a key leads somewhere. Each presses a button of the page, so that
// nothing is done here that no button does. Besides: the badge, installing, files that another app shared, the watch's clock.
"use strict";
(() => {
  const { surface } = document.body.dataset;
  if (!surface) return;
  const word = (name) => document.getElementById("words").content.querySelector('[data-word="' + name + '"]').textContent;
  const find = (selector) => document.querySelector(selector);

  // ---- what letting go would do is said above the finger.
  const hint = document.createElement("p");
  hint.className = "hint";
  hint.hidden = true;
  hint.setAttribute("aria-hidden", "true");
  function tell(text, armed, x, y) {
    if (!hint.isConnected) document.body.append(hint);
    hint.textContent = text;
    hint.hidden = false;
    if (armed && !("armed" in hint.dataset) && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(10);
    if (armed) hint.dataset.armed = "";
    else delete hint.dataset.armed;
    const half = hint.offsetWidth / 2;
    hint.style.left = Math.min(Math.max(x - half, 8), Math.max(8, innerWidth - 2 * half - 8)) + "px";
    hint.style.top = Math.max(8, y - hint.offsetHeight - 32) + "px";
  }

  // ---- a finger on the page Now: across the card it answers, down from the top it looks.
  const FROM = 12;
  const PULLED = 96;
  const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
  const farEnough = (card) => Math.min(160, card.offsetWidth * 0.35);
  // To the right what the card is for, to the left away with it.
  const buttonTo = (card, dx) => card.querySelector(dx > 0
    ? '.answers > :is([data-act="confirm"], [data-act="useful"])'
    : '.answers > [data-act="dismiss"]');
  let gesture = null;

  function end() {
    const { card } = gesture || {};
    gesture = null;
    hint.hidden = true;
    delete hint.dataset.armed;
    card?.removeAttribute("style");
  }

  function begin(event) {
    if (gesture) return end();
    if (event.touches.length !== 1 || find("dialog[open]") || event.target.closest("input,textarea,select")) return;
    const { clientX: x, clientY: y } = event.touches[0];
    gesture = { x, y, dx: 0, dy: 0, kind: null, card: event.target.closest("#now article.card"), isTop: scrollY <= 0 };
  }

  function kindOf({ dx, dy, card, isTop }) {
    if (card && Math.abs(dx) > 1.5 * Math.abs(dy)) return buttonTo(card, dx) ? "swipe" : "none";
    return isTop && dy > Math.abs(dx) && find("[data-tick]") ? "pull" : "none";
  }

  function move(event) {
    if (!gesture) return;
    if (event.touches.length !== 1) return end();
    const { clientX: x, clientY: y } = event.touches[0];
    Object.assign(gesture, { dx: x - gesture.x, dy: y - gesture.y });
    if (!gesture.kind) {
      if (Math.hypot(gesture.dx, gesture.dy) < FROM) return;
      gesture.kind = kindOf(gesture);
    }
    const { kind, card, dx, dy } = gesture;
    if (kind === "none") return end();
    if (event.cancelable) event.preventDefault();
    if (kind === "pull") return tell(word(dy > PULLED ? "pull-go" : "pull"), dy > PULLED, innerWidth / 2, Math.min(Math.max(dy, 0), PULLED) + 96);
    const button = buttonTo(card, dx);
    if (!card.isConnected || !button) return end();
    gesture.button = button;
    if (!isCalm()) card.style.transform = "translateX(" + dx + "px)";
    tell(button.textContent, isFar(gesture), x, y);
  }

  const isFar = ({ card, dx }) => Math.abs(dx) > farEnough(card);

  function release() {
    if (!gesture) return;
    const { kind, card, button, dx, dy } = gesture;
    const pressed = kind === "pull" && dy > PULLED ? find("[data-tick]") : kind === "swipe" && isFar(gesture) ? button : null;
    // Only the card on which the finger came down is answered: one that came meanwhile has not been read.
    const answers = Boolean(pressed && pressed.isConnected && !pressed.disabled);
    if (card && !isCalm() && kind === "swipe") {
      const from = { transform: "translateX(" + dx + "px)" };
      const to = answers ? { transform: "translateX(" + Math.sign(dx) * 110 + "%)", opacity: 0 } : { transform: "none" };
      card.animate([from, to], { duration: answers ? 240 : 120, easing: "ease-out" });
    }
    end();
    if (answers) pressed.click();
  }

  if (surface === "phone") {
    const live = document.getElementById("live");
    live.addEventListener("touchstart", begin, { passive: true });
    live.addEventListener("touchmove", move, { passive: false });
    live.addEventListener("touchend", release);
    live.addEventListener("touchcancel", end);
    addEventListener("keydown", (event) => { if (event.key === "Escape") end(); });
  }

  // ---- the badge: a question that waits.
  let badge = null;
  function mark() {
    const open = find("#now .answers[data-capability]") ? 1 : 0;
    if (open === badge || !navigator.setAppBadge) return;
    badge = open;
    (open ? navigator.setAppBadge(open) : navigator.clearAppBadge()).catch(() => {});
  }
  if (surface === "phone") {
    new MutationObserver(mark).observe(document.getElementById("live"), { childList: true, subtree: true });
    mark();
  }

  // ---- installing: offered quietly, where the browser has it.
  const install = find("[data-install]");
  let offer = null;
  const offered = (event) => {
    offer = event;
    if (install) install.closest(".install").hidden = !event;
  };
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    offered(event);
  });
  addEventListener("appinstalled", () => offered(null));
  install?.addEventListener("click", () => {
    const taken = offer;
    offered(null);
    taken?.prompt();
  });

  // ---- files that another app shared: they stay in the service worker's memory until the owner has said what becomes of them.
  const shared = find("[data-shared]");
  const asked = (worker) => new Promise((done) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = (event) => done(event.data);
    worker.postMessage("shared", [channel.port2]);
  });
  async function showShared() {
    const worker = navigator.serviceWorker?.controller;
    const files = worker && shared ? await asked(worker) : [];
    const isNew = location.hash === "#shared";
    // It is told of once, not whenever the page is loaded.
    if (isNew) history.replaceState(null, "", location.pathname);
    if (!files.length) {
      // The worker may have ended before the page was there, and nothing is taken where nothing can be added.
      if (isNew) find(".status").textContent = word("shared-lost");
      return;
    }
    const list = shared.querySelector("ul");
    list.replaceChildren(...files.map((file) => {
      const row = document.createElement("li");
      row.appendChild(document.createElement("bdi")).textContent = file.name;
      return row;
    }));
    shared.hidden = false;
    shared.querySelector("h3").focus();
    shared.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      shared.hidden = true;
      worker.postMessage("shared-done");
      if (!("sharedTake" in button.dataset)) return;
      // From here on as if they had been chosen.
      const input = find("[data-drop-input]");
      const chosen = new DataTransfer();
      for (const file of files) chosen.items.add(file);
      input.files = chosen.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
      input.focus();
    });
  }
  showShared();

  // ---- single keys, unless their owner turned them off: who speaks to a computer sends letters nobody meant.
  const sheet = document.getElementById("keys");
  const OFF = "aura-keys-off";
  const areOff = () => { try { return localStorage.getItem(OFF) !== null; } catch { return false; } };
  // From row to row, and in each to the first thing that can be opened or pressed.
  const TARGETS = "a[href],button:enabled,summary";
  const isSeen = (each) => each.checkVisibility({ opacityProperty: true });
  const target = (row) => [...row.querySelectorAll(TARGETS)].find(isSeen);
  function step(by) {
    const rows = [...document.querySelectorAll("main :is(li,tbody>tr)")].filter((row) => !row.parentElement.closest("li,tr") && isSeen(row) && target(row));
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const row = at < 0 ? rows.at(by > 0 ? 0 : -1) : rows[at + by];
    if (!row) return;
    target(row).focus();
    row.scrollIntoView({ block: "nearest" });
  }
  function press(key) {
    const place = document.querySelectorAll(".tabs > a:not(.below)")[Number(key) - 1];
    if (place) return location.assign(place.href);
    if (key === "?") return sheet.showModal();
    if (key === "/") return document.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true, bubbles: true }));
    if (key === "l") return find("[data-tick]")?.click();
    if (key === "j") return step(1);
    if (key === "k") return step(-1);
    if (key === "u") return find(".notice [data-undo-act]:enabled")?.click();
    if (key === "a") return find("#now .answers [data-act]:enabled")?.focus();
    return false;
  }
  if (sheet) {
    const box = sheet.querySelector("[data-keys-on]");
    box.checked = !areOff();
    box.addEventListener("change", () => {
      try {
        if (box.checked) localStorage.removeItem(OFF);
        else localStorage.setItem(OFF, "");
      } catch { /* for this page only */ }
    });
    addEventListener("keydown", (event) => {
      const { key, target, ctrlKey, metaKey, altKey, isComposing, repeat } = event;
      if (ctrlKey || metaKey || altKey || isComposing || repeat && key !== "j" && key !== "k" || !box.checked || find("dialog[open]")) return;
      // A field of a dialog that was just closed has the keys until the page is drawn next.
      if (target.closest?.("input,textarea,select,[contenteditable]")?.checkVisibility()) return;
      if (press(key) !== false) event.preventDefault();
    });
  }

  // ---- the watch's clock, in its owner's zone and not the browser's.
  function tick() {
    for (const each of document.querySelectorAll("[data-clock]")) {
      // The browser's own clock may be wrong: from Aura's on it is counted.
      each.auraAhead ??= Number(each.dataset.at) - Date.now();
      const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: each.dataset.clock };
      let now = each.textContent;
      try { now = new Intl.DateTimeFormat("en-GB", time).format(Date.now() + each.auraAhead); } catch { /* a zone that the browser does not know */ }
      if (each.textContent !== now) each.textContent = now;
    }
  }
  if (surface === "watch") setInterval(tick, 1000);
})();
