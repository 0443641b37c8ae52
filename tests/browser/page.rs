//! One open page of Aura, and what an owner does with it.
//!
//! What: [`Page`]: opening, seeing a card, tapping, asking the page's own script to send something. Why: tests say what an
//! owner does, not how a browser is told to. Not here: browsers (`driver`).

use crate::{
    Trouble,
    driver::{Browser, Cdp, Console, Size},
    support::Service,
    trouble,
};
use aura_runtime::control::{self, ControlReply, ControlRequest};
use fantoccini::{
    Client, Locator,
    actions::{InputSource, KeyAction, KeyActions},
};
use serde_json::{Value, json};
use std::{
    path::Path,
    time::{Duration, Instant},
};
use surfaces_base::devices::DeviceScope;
use toolcall_schema::ids::CardId;

/// A page in a window of its own.
pub(crate) struct Page {
    /// The window.
    pub(crate) window: Client,
    base: String,
}

/// What came back for an answer to a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The status of HTTP.
    pub(crate) status: u64,
    /// `accepted`, or the code of the refusal.
    pub(crate) word: String,
}

/// Waits in the page until an expression is true; the browser calls back when something changed. Gives whether it ever was.
const UNTIL: &str = "
    const [check, done] = [new Function('return (' + arguments[0] + ')'), arguments[arguments.length - 1]];
    const look = () => { try { return !!check(); } catch { return false; } };
    if (look()) return done(true);
    const watcher = new MutationObserver(() => { if (look()) end(true); });
    const timer = setTimeout(() => end(look()), arguments[1]);
    const again = setInterval(() => { if (look()) end(true); }, 50);
    function end(value) { watcher.disconnect(); clearTimeout(timer); clearInterval(again); done(value); }
    watcher.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });";

/// Keeps what comes back for answers that the page's own script sends.
const OVERHEAR: &str = "
    if (window.overheard) return;
    window.overheard = [];
    const real = window.fetch;
    window.fetch = async (...given) => {
      const response = await real(...given);
      if (String(given[0]).endsWith('/answer')) {
        const body = await response.clone().json().catch(() => ({}));
        window.overheard.push([response.status, body.code || body.reply || '']);
      }
      return response;
    };";

/// Sends something as the page's own script would.
const SEND: &str = "
    const done = arguments[arguments.length - 1];
    const token = document.querySelector('meta[name=\"aura-page\"]');
    const headers = { 'Content-Type': 'application/json' };
    if (token) headers['X-Aura-Page'] = token.content;
    fetch(arguments[0], { method: 'POST', credentials: 'same-origin', headers, body: arguments[1] })
      .then(async (response) => done([response.status, await response.json().catch(() => ({}))]))
      .catch((error) => done([0, { code: String(error) }]));";

/// The longest that a page may take for anything: milliseconds.
const PATIENCE_MS: u32 = 20_000;

/// A window of that size that was just paired with a service, as its owner does it: the address with the code is opened.
pub(crate) async fn paired(browser: &mut Browser, size: Size, data: &Path, service: &Service) -> Page {
    let (page, code) = invited(browser, size, data, service).await;
    page.go(&format!("/pair#{code}")).await.unwrap();
    page.until_paired().await;
    page
}

/// A window of that size that is not paired yet, and a code for it.
pub(crate) async fn invited(
    browser: &mut Browser,
    size: Size,
    data: &Path,
    service: &Service,
) -> (Page, String) {
    let (scope, name) = (DeviceScope::Owner, None);
    let reply = control::ask(data, &ControlRequest::Pair { scope, name }).unwrap();
    let Some(ControlReply::Invitation(invitation)) = reply else {
        panic!("no code: {reply:?}");
    };
    let address = url::Url::parse(invitation.address.text()).unwrap();
    assert_eq!(address.port(), Some(service.port));
    let base = address.origin().ascii_serialization();
    let page = Page::open(browser, size, &base).await.unwrap();
    (page, address.fragment().unwrap().to_owned())
}

/// Waits until what has that id says this.
pub(crate) async fn says(page: &Page, id: &str, text: &str) {
    page.until(&format!(
        "document.getElementById('{id}')?.textContent.includes({text:?})"
    ))
    .await
    .unwrap();
}

/// Waits until the page says this somewhere.
pub(crate) async fn shows(page: &Page, text: &str) {
    page.until(&format!("document.body.innerText.includes({text:?})"))
        .await
        .unwrap();
}

impl Page {
    /// Waits for the first page that a paired browser sees. The page goes there by itself; a script that waits in it would end with it.
    pub(crate) async fn until_paired(&self) {
        let live = self.window.wait().for_element(Locator::Css("#live")).await;
        assert!(live.is_ok(), "{}", self.text().await.unwrap());
    }

    /// A window of that size; `base` is where Aura is, without a path.
    ///
    /// # Errors
    /// What chromedriver says.
    pub(crate) async fn open(browser: &mut Browser, size: Size, base: &str) -> Result<Self, Trouble> {
        Ok(Self {
            window: browser.window(size).await?,
            base: base.to_owned(),
        })
    }

    /// Aura is elsewhere from now on.
    pub(crate) fn moved(&mut self, base: &str) {
        base.clone_into(&mut self.base);
    }

    /// Goes to a path.
    ///
    /// # Errors
    /// What chromedriver says.
    pub(crate) async fn go(&self, path: &str) -> Result<(), Trouble> {
        let gone = self.window.goto(&format!("{}{path}", self.base)).await;
        gone.map_err(|error| trouble("going to a page")(&error))
    }

    /// Runs a script, which returns a value.
    ///
    /// # Errors
    /// What chromedriver says.
    pub(crate) async fn run(&self, script: &str) -> Result<Value, Trouble> {
        let ran = self.window.execute(script, vec![]).await;
        ran.map_err(|error| trouble("a script")(&error))
    }

    /// Waits until the typeface is there: until then what is measured may still move.
    ///
    /// # Errors
    /// What chromedriver says.
    pub(crate) async fn until_typeface(&self) -> Result<(), Trouble> {
        let ready =
            "const done = arguments[arguments.length - 1]; document.fonts.ready.then(() => done(true));";
        self.run_async(ready, vec![]).await.map(drop)
    }

    /// Runs a script that calls its last argument back with a value.
    ///
    /// # Errors
    /// What chromedriver says.
    pub(crate) async fn run_async(&self, script: &str, arguments: Vec<Value>) -> Result<Value, Trouble> {
        let ran = self.window.execute_async(script, arguments).await;
        ran.map_err(|error| format!("a script that calls back: {error}: {script}"))
    }

    /// Waits until this expression is true in the page.
    ///
    /// # Errors
    /// A sentence with the expression and what the page shows, when it never is.
    pub(crate) async fn until(&self, expression: &str) -> Result<(), Trouble> {
        let begun = Instant::now();
        let patience = Duration::from_millis(u64::from(PATIENCE_MS));
        loop {
            let arguments = vec![json!(expression), json!(PATIENCE_MS)];
            match self.run_async(UNTIL, arguments).await {
                Ok(Value::Bool(true)) => return Ok(()),
                Ok(_) => break,
                // Where the page is loaded anew the script ends with it, long before its time: the next page is waited in.
                Err(trouble) if trouble.contains("script timeout") && begun.elapsed() < patience => {}
                Err(trouble) => return Err(trouble),
            }
        }
        Err(format!(
            "never true: {expression}\nthe page: {}",
            self.text().await?
        ))
    }

    /// Waits until this card stands on the page.
    ///
    /// # Errors
    /// A sentence when it never does.
    pub(crate) async fn until_card(&self, card: &CardId) -> Result<(), Trouble> {
        self.until(&format!("document.querySelector('#now [data-card=\"{card}\"]')"))
            .await
    }

    /// Taps a button of a card as a person does, and gives what came back; nothing when there is no such button.
    ///
    /// # Errors
    /// What chromedriver says, or a sentence when nothing came back.
    pub(crate) async fn tap(&self, card: &CardId, act: &str) -> Result<Option<Answer>, Trouble> {
        let selector = format!("#live .answers[data-card=\"{card}\"] button[data-act=\"{act}\"]:enabled");
        self.run(OVERHEAR).await?;
        if act.starts_with("later_") {
            // They stand behind one word.
            let open =
                "for (const later of document.querySelectorAll('#live details.later')) later.open = true;";
            self.run(open).await?;
        }
        // A finger scrolls to what it is about to tap.
        let reach = format!("document.querySelector({selector:?})?.scrollIntoView({{ block: 'center' }});");
        self.run(&reach).await?;
        let before = self.run("return window.overheard.length;").await?;
        loop {
            let found = self.window.find_all(Locator::Css(&selector)).await;
            let found = found.map_err(|error| trouble("looking for a button")(&error))?;
            let Some(button) = found.first() else {
                return Ok(None);
            };
            match button.click().await {
                Ok(()) => break,
                // The page drew its card anew in between: a finger would hit the new one.
                Err(error) if error.is_stale_element_reference() => {}
                Err(error) => return Err(trouble("a tap")(&error)),
            }
        }
        if let Err(silence) = self.until(&format!("window.overheard.length > {before}")).await {
            // The card went between the look and the finger, which hit what stood there then.
            let left = self.window.find_all(Locator::Css(&selector)).await;
            let left = left.map_err(|error| trouble("looking for a button")(&error))?;
            return if left.is_empty() { Ok(None) } else { Err(silence) };
        }
        let heard = self.run("return window.overheard.at(-1);").await?;
        Ok(Some(Answer {
            status: heard.get(0).and_then(Value::as_u64).unwrap_or_default(),
            word: heard
                .get(1)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
        }))
    }

    /// Sends an answer that no button of the page would send.
    ///
    /// # Errors
    /// What chromedriver says.
    pub(crate) async fn send(&self, path: &str, body: &Value) -> Result<Answer, Trouble> {
        let arguments = vec![json!(path), json!(body.to_string())];
        let back = self.run_async(SEND, arguments).await?;
        let body = back.get(1);
        let word = |name: &str| body.and_then(|body| body.get(name)).and_then(Value::as_str);
        Ok(Answer {
            status: back.get(0).and_then(Value::as_u64).unwrap_or_default(),
            word: word("code")
                .or_else(|| word("reply"))
                .unwrap_or_default()
                .to_owned(),
        })
    }

    /// Presses keys where the focus is; `U+E004` is Tab, `U+E007` Enter.
    ///
    /// # Errors
    /// What chromedriver says.
    pub(crate) async fn keys(&self, keys: &str) -> Result<(), Trouble> {
        let mut pressed = KeyActions::new("keyboard".to_owned());
        for value in keys.chars() {
            pressed = pressed
                .then(KeyAction::Down { value })
                .then(KeyAction::Up { value });
        }
        let pressed = self.window.perform_actions(pressed).await;
        pressed.map_err(|error| trouble("keys")(&error))
    }

    /// What stands on the page.
    ///
    /// # Errors
    /// What chromedriver says.
    pub(crate) async fn text(&self) -> Result<String, Trouble> {
        let text = self.run("return document.body.innerText;").await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Asks the browser for what `WebDriver` has no word for.
    ///
    /// # Errors
    /// What chromedriver says.
    pub(crate) async fn devtools(&self, command: &'static str, parameters: Value) -> Result<Value, Trouble> {
        let asked = self.window.issue_cmd(Cdp { command, parameters }).await;
        asked.map_err(|error| trouble(command)(&error))
    }

    /// Cuts this window off the network, or connects it again.
    ///
    /// # Errors
    /// What chromedriver says.
    pub(crate) async fn offline(&self, offline: bool) -> Result<(), Trouble> {
        self.devtools("Network.enable", json!({})).await?;
        let how =
            json!({ "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
        self.devtools("Network.emulateNetworkConditions", how).await?;
        Ok(())
    }

    /// What the console of the page complained of since it was asked last: one line each.
    ///
    /// # Errors
    /// What chromedriver says.
    pub(crate) async fn console(&self) -> Result<Vec<String>, Trouble> {
        let said = self.window.issue_cmd(Console).await;
        let said = said.map_err(|error| trouble("the console")(&error))?;
        // What the browser does because we asked for it is told as INFO.
        let lines = said
            .as_array()
            .into_iter()
            .flatten()
            .filter(|entry| entry["level"] != "INFO");
        let line = |entry: &Value| entry.get("message").and_then(Value::as_str).map(str::to_owned);
        Ok(lines.filter_map(line).collect())
    }
}
