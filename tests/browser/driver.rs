//! Chromium through its `WebDriver`.
//!
//! What: [`Browser`], a chromedriver of our own and the windows it opens, and [`Cdp`], what `WebDriver` has no word for (no
//! network, dark colours). Why: each test starts with a browser that knows nothing and leaves nothing behind. Not here:
//! Aura's pages (`page`).

use crate::{Trouble, trouble};
use fantoccini::{Client, ClientBuilder, wd::WebDriverCompatibleCommand};
use hyper_util::client::legacy::connect::HttpConnector;
use rustix::process::{Pid, Signal, geteuid, kill_process_group};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader},
    os::unix::process::CommandExt as _,
    process::{Child, Command, Stdio},
};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// How large a window is, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    /// Pixels.
    pub(crate) width: u32,
    /// Pixels.
    pub(crate) height: u32,
}

/// A phone.
pub(crate) const PHONE: Size = Size {
    width: 390,
    height: 844,
};

/// A watch.
pub(crate) const WATCH: Size = Size {
    width: 198,
    height: 242,
};

/// The narrowest that must do.
pub(crate) const NARROW: Size = Size {
    width: 320,
    height: 640,
};

/// A desk.
pub(crate) const DESK: Size = Size {
    width: 1280,
    height: 900,
};

/// A tablet held upright.
pub(crate) const TABLET: Size = Size {
    width: 768,
    height: 1024,
};

/// A large screen.
pub(crate) const WIDE: Size = Size {
    width: 1920,
    height: 1080,
};

/// What draws the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    /// Chromium's engine alone: a window of it starts in a fifth of the whole browser's time.
    Engine,
    /// The browser that people have, for what the engine has not: notifications.
    Chromium,
}

/// Where Debian's package puts it.
const ENGINE: &str = "/usr/lib/chromium/chromium-headless-shell";

/// A chromedriver, ended with all its browsers when this goes.
pub(crate) struct Browser {
    program: Program,
    driver: Child,
    port: u16,
    /// Where the windows keep what they know, for as long as they live.
    _profiles: TempDir,
    /// Where windows are talked to: it outlives the runtime of who opens them.
    runtime: Option<Runtime>,
}

impl Browser {
    /// Starts a driver of windows that draw pages.
    ///
    /// # Errors
    /// A sentence with what to install when there is none.
    pub(crate) fn start() -> Result<Self, Trouble> {
        Self::start_with(Program::Engine)
    }

    /// The same with windows that show notifications too.
    ///
    /// # Errors
    /// As above.
    pub(crate) fn start_with_notifications() -> Result<Self, Trouble> {
        Self::start_with(Program::Chromium)
    }

    /// On a port that the system chooses.
    fn start_with(program: Program) -> Result<Self, Trouble> {
        let profiles = TempDir::new().map_err(|error| trouble("a folder for profiles")(&error))?;
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .env("TMPDIR", profiles.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|error| {
                format!("chromedriver could not be started ({error}); run `scripts/deps.sh browser`")
            })?;
        let told = driver.stdout.take().map(BufReader::new);
        let port = told
            .into_iter()
            .flat_map(BufRead::lines)
            .map_while(Result::ok)
            .find_map(|line| {
                let (_, port) = line.split_once("started successfully on port ")?;
                port.trim_end_matches('.').parse().ok()
            });
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let started = Self {
            program,
            runtime: Some(runtime.map_err(|error| trouble("a runtime")(&error))?),
            driver,
            port: port.unwrap_or_default(),
            _profiles: profiles,
        };
        match port {
            Some(_) => Ok(started),
            None => Err("chromedriver did not say its port".to_owned()),
        }
    }

    /// A window of that size in a browser of its own, with no cookie and no cache.
    ///
    /// # Errors
    /// What chromedriver says.
    pub(crate) async fn window(&mut self, size: Size) -> Result<Client, Trouble> {
        let mut arguments = vec![
            "--disable-gpu".to_owned(),
            // The memory of containers for this is often 64 MiB.
            "--disable-dev-shm-usage".to_owned(),
            "--no-first-run".to_owned(),
            "--disable-background-networking".to_owned(),
            "--disable-component-update".to_owned(),
            "--disable-sync".to_owned(),
            "--force-device-scale-factor=1".to_owned(),
            "--hide-scrollbars".to_owned(),
            "--lang=en-US".to_owned(),
        ];
        if geteuid().is_root() {
            // Chromium's own sandbox refuses to work for root, which is what CI is.
            arguments.push("--no-sandbox".to_owned());
        }
        if self.program == Program::Chromium {
            arguments.push("--headless=new".to_owned());
        }
        let mut options = json!({
            "args": arguments,
            "mobileEmulation": { "deviceMetrics": {
                "width": size.width, "height": size.height, "pixelRatio": 1, "touch": false, "mobile": false,
            }},
        });
        if self.program == Program::Engine {
            options["binary"] = ENGINE.into();
        }
        let capabilities = [
            ("goog:chromeOptions".to_owned(), options),
            ("goog:loggingPrefs".to_owned(), json!({ "browser": "ALL" })),
            (
                "timeouts".to_owned(),
                json!({ "script": 30_000, "pageLoad": 30_000 }),
            ),
        ];
        let driver = format!("http://127.0.0.1:{}", self.port);
        let opening = async move {
            ClientBuilder::new(HttpConnector::new())
                .capabilities(capabilities.into_iter().collect())
                .connect(&driver)
                .await
                .map_err(|error| trouble("a window")(&error))
        };
        let runtime = self.runtime.as_ref().ok_or("the browser has ended")?;
        let opened = runtime.spawn(opening).await;
        opened.map_err(|error| trouble("a window")(&error))?
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It and every browser it started are one group.
        let _ = kill_process_group(Pid::from_child(&self.driver), Signal::KILL);
        let _ = self.driver.wait();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A command of the `DevTools` protocol, by chromedriver's own way in.
#[derive(Debug)]
pub(crate) struct Cdp {
    /// Its name.
    pub(crate) command: &'static str,
    /// Its parameters.
    pub(crate) parameters: Value,
}

impl WebDriverCompatibleCommand for Cdp {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!(
            "session/{}/goog/cdp/execute",
            session.unwrap_or_default()
        ))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        let body = json!({ "cmd": self.command, "params": self.parameters });
        (http::Method::POST, Some(body.to_string()))
    }
}

/// What the page's console said, oldest first.
#[derive(Debug)]
pub(crate) struct Console;

impl WebDriverCompatibleCommand for Console {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/se/log", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(json!({ "type": "browser" }).to_string()))
    }
}
