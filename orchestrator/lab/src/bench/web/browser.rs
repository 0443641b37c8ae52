//! Debian's chromium, driven.
//!
//! What: [`BrowserSession`], one session of chromedriver (commands as JSON over HTTP), and the few things that are asked of a page. Why: a card
//! counts when it stands in a page. Not here: what is measured (`web`), claims about pages (the browser tests).

use super::{BenchError, WAIT, http::agent};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    io::{self, BufRead as _, BufReader},
    process::{Child, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use ureq::Agent;

/// How often a page is asked whether it has noted something.
const LOOK: Duration = Duration::from_millis(20);

/// A driver with an open session. Both end with this.
pub(crate) struct BrowserSession {
    driver: Child,
    agent: Agent,
    session: String,
    name: String,
}

/// So long the browser is left alone while a card comes: a question of the driver's runs where the page draws.
const LEFT_ALONE: Duration = Duration::from_millis(250);

/// When the card stood in the page, and all else; milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct CardTimings {
    /// The card was in the page.
    pub card_ms: f64,
    /// The last byte of the fragment that was asked for because of it was there.
    pub whole_ms: f64,
    /// The addresses of everything that the page asked for.
    pub requests: Vec<String>,
}

/// Notes when the first card is in the page.
const OBSERVE: &str = "
    const look = () => {
      if (window.auraCard || !document.querySelector('#now [data-card]')) return;
      window.auraCard = performance.timeOrigin + performance.now();
    };
    new MutationObserver(look).observe(document.getElementById('live'), { childList: true, subtree: true });
    look();
    return !window.auraCard;";

/// What was noted; `null` until then.
const NOTED: &str = "
    if (!window.auraCard) return null;
    const entries = performance.getEntriesByType('resource');
    const origin = performance.timeOrigin;
    // What was asked after it, or an answer that brought it.
    const next = entries.find((entry) => entry.name.includes('/fragment/now') && origin + entry.responseEnd >= window.auraCard - 20);
    if (!next) return null;
    return { card_ms: window.auraCard, whole_ms: origin + next.responseEnd,
             requests: entries.map((entry) => entry.name) };";

/// Milliseconds from the navigation to the first paint; `null` until then.
const PAINTED: &str = "
    const paint = performance.getEntriesByType('paint').find((entry) => entry.name === 'first-paint');
    return paint ? paint.startTime : null;";

/// Notes how long each click takes until something is painted.
const WATCH_CLICKS: &str = "
    window.auraClicks = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.interactionId) window.auraClicks.push(entry.duration);
    }).observe({ type: 'event', durationThreshold: 16 });
    return !!document.querySelector(arguments[0]);";

/// Calls back when two frames were painted and what was noted of them was told.
const CLICKED: &str = "
    const done = arguments[arguments.length - 1];
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() =>
      done(window.auraClicks ? window.auraClicks.reduce((most, each) => Math.max(most, each), 16) : null), 200)));";

impl BrowserSession {
    /// Clicks on the first of these as a person does: milliseconds until something was painted, at least 16; `None`: there is none to click on, or it leads away.
    ///
    /// # Errors
    /// As the driver says.
    pub(crate) fn click(&self, selector: &str) -> Result<Option<f64>, BenchError> {
        let watch = json!({ "script": WATCH_CLICKS, "args": [selector] });
        if self.call("/execute/sync", &watch)? != true {
            return Ok(None);
        }
        let found = self.call("/element", &json!({ "using": "css selector", "value": selector }))?;
        // The one key of it is a word of the protocol's.
        let id = found
            .as_object()
            .and_then(|found| found.values().next()?.as_str());
        let Some(id) = id else { return Ok(None) };
        if self.call(&format!("/element/{id}/click"), &json!({})).is_err() {
            // It is covered, or folded away.
            return Ok(None);
        }
        let clicked = json!({ "script": CLICKED, "args": [] });
        Ok(self.call("/execute/async", &clicked)?.as_f64())
    }

    /// Starts driver and browser; `None` where the driver is not installed.
    ///
    /// # Errors
    /// A driver or a browser that does not come up.
    pub(crate) fn start() -> Result<Option<Self>, BenchError> {
        let started = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut driver = match started {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let port = driver.stdout.take().and_then(port);
        // From here on the driver ends with this.
        let mut browser = Self {
            driver,
            agent: agent(),
            session: format!("http://127.0.0.1:{}/session", port.ok_or(BenchError::NoAnswer)?),
            name: String::new(),
        };
        let options =
            json!({ "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=390,844"] });
        let wanted = json!({ "capabilities": { "alwaysMatch": { "goog:chromeOptions": options } } });
        let opened = browser.call("", &wanted)?;
        let id = opened["sessionId"].as_str().ok_or(BenchError::NoAnswer)?;
        browser.session = format!("{}/{id}", browser.session);
        let of = |name: &str| {
            opened["capabilities"][name]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        browser.name = format!("{} {}", of("browserName"), of("browserVersion"));
        // A first visit, each time.
        let cold = json!({ "cmd": "Network.setCacheDisabled", "params": { "cacheDisabled": true } });
        browser.call(
            "/goog/cdp/execute",
            &json!({ "cmd": "Network.enable", "params": {} }),
        )?;
        browser.call("/goog/cdp/execute", &cold)?;
        Ok(Some(browser))
    }

    /// Its name and version.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Signs in with a device's token, as pairing would.
    ///
    /// # Errors
    /// As the driver says.
    pub(crate) fn sign_in(&self, page: &str, token: &str) -> Result<(), BenchError> {
        let (_, port) = page
            .trim_end_matches('/')
            .rsplit_once(':')
            .ok_or(BenchError::NoAnswer)?;
        self.call("/url", &json!({ "url": format!("{page}pair") }))?;
        let cookie =
            json!({ "name": format!("aura_{port}"), "value": token, "httpOnly": true, "sameSite": "Strict" });
        self.call("/cookie", &json!({ "cookie": cookie })).map(drop)
    }

    /// Opens an address; milliseconds to its first paint.
    ///
    /// # Errors
    /// As the driver says, or none in time.
    pub(crate) fn first_paint(&self, address: &str) -> Result<f64, BenchError> {
        self.call("/url", &json!({ "url": address }))?;
        self.until(PAINTED)?.as_f64().ok_or(BenchError::NoAnswer)
    }

    /// From now on the page notes when a card is in it.
    ///
    /// # Errors
    /// As the driver says, or there is one already.
    pub(crate) fn wait_for_card(&self) -> Result<(), BenchError> {
        let none = self.script(OBSERVE)?;
        if none == true {
            Ok(())
        } else {
            Err(BenchError::NoAnswer)
        }
    }

    /// When the card was there.
    ///
    /// # Errors
    /// As the driver says, or none in time.
    pub(crate) fn card(&self) -> Result<CardTimings, BenchError> {
        thread::sleep(LEFT_ALONE);
        serde_json::from_value(self.until(NOTED)?).map_err(|_| BenchError::NoAnswer)
    }

    /// Leaves the page, so that its stream ends before its service.
    ///
    /// # Errors
    /// As the driver says.
    pub(crate) fn leave(&self) -> Result<(), BenchError> {
        self.call("/url", &json!({ "url": "about:blank" })).map(drop)
    }

    fn script(&self, script: &str) -> Result<Value, BenchError> {
        self.call("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Asks until the answer is not `null`.
    fn until(&self, script: &str) -> Result<Value, BenchError> {
        let end = Instant::now() + WAIT;
        while Instant::now() < end {
            let answer = self.script(script)?;
            if !answer.is_null() {
                return Ok(answer);
            }
            // What is measured is noted by the page itself.
            thread::sleep(LOOK);
        }
        Err(BenchError::NoAnswer)
    }

    /// One command: its value.
    fn call(&self, command: &str, body: &Value) -> Result<Value, BenchError> {
        let request = self.agent.post(format!("{}{command}", self.session));
        let mut reply = request
            .header("content-type", "application/json")
            .send(body.to_string())?;
        let text = reply.body_mut().read_to_string()?;
        if !reply.status().is_success() {
            tracing::error!(command, "chromedriver refused a command");
            return Err(BenchError::NoAnswer);
        }
        let mut value: Value = serde_json::from_str(&text).map_err(|_| BenchError::NoAnswer)?;
        Ok(value["value"].take())
    }
}

impl Drop for BrowserSession {
    fn drop(&mut self) {
        // The session's end closes the browser; the driver may have ended already.
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The port that the driver names when it listens; before, it repeats that it was given 0.
fn port(out: ChildStdout) -> Option<u16> {
    let lines = BufReader::new(out).lines().map_while(Result::ok);
    let ports =
        |line: String| -> Option<u16> { line.rsplit_once("on port ")?.1.trim_end_matches('.').parse().ok() };
    lines.filter_map(ports).find(|port| *port != 0)
}
