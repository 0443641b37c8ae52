//! A page of hosts and shards, for whoever runs them.
//!
//! What: [`serve_hosts_page`], which answers on the loopback what `aura-hosts status` prints, without any owner's name. Why: whether all hosts live and
//! have their share is seen at a glance. Not here: owners' own pages (`surfaces`), what is true of hosts (`aura_hosts::living_hosts`).

use crate::host_command::HostsView;
use aura_runtime::control::{ControlReply, ControlRequest, OwnerState, ask_holder};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::{collections::BTreeMap, io, path::PathBuf, sync::Arc, time::Duration};
use surfaces_base::{
    language::{Language, say, text},
    locale,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::spawn_blocking,
    time::{sleep, timeout},
};

/// How long a request may take to come.
const REQUEST: Duration = Duration::from_secs(5);
const REQUEST_BYTES_MAX: usize = 8 << 10;
/// So many are answered at once: each asks the log.
const ANSWERED_MAX: usize = 4;
/// How long it rests when no connection can be accepted.
const AGAIN: Duration = Duration::from_millis(100);

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}\
table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{text-align:left;padding:.35rem .75rem .35rem 0;border-bottom:1px solid #ccc}\
td.number,th.number{text-align:right;padding-right:0}p.wrong{border-left:4px solid #b00020;padding-left:.75rem}\
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}th,td{border-color:#444}}";

/// What the page is made of.
pub(crate) struct HostsPage {
    /// Blocks until the log has answered; `None`: it does not.
    pub(crate) look: Box<dyn Fn() -> Option<HostsView> + Send + Sync>,
    /// Where this host is asked for its owners.
    pub(crate) host_folder: PathBuf,
    /// This process among the hosts.
    pub(crate) process: u32,
    pub(crate) now: fn() -> String,
}

/// Answers until it is dropped.
pub(crate) async fn serve_hosts_page(listener: TcpListener, page: Arc<HostsPage>) {
    let answered = Arc::new(Semaphore::new(ANSWERED_MAX));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(AGAIN).await;
            continue;
        };
        let Ok(slot) = Arc::clone(&answered).acquire_owned().await else {
            return;
        };
        let page = Arc::clone(&page);
        drop(tokio::spawn(async move {
            if let Err(error) = answer(stream, page).await {
                tracing::debug!(kind = %error.kind(), "a request for the page of hosts broke");
            }
            drop(slot);
        }));
    }
}

async fn answer(mut stream: TcpStream, page: Arc<HostsPage>) -> io::Result<()> {
    let head = timeout(REQUEST, read_head(&mut stream)).await??;
    let response = match PageRequest::parse(&head) {
        Ok(request) => {
            let language = request.language;
            spawn_blocking(move || locale::speaking(language, || page.response()))
                .await
                .map_err(io::Error::other)?
        }
        Err(status) => response(status, "text/plain; charset=utf-8", status),
    };
    stream.write_all(response.as_bytes()).await?;
    stream.shutdown().await
}

async fn read_head(stream: &mut TcpStream) -> io::Result<String> {
    let mut head = Vec::with_capacity(1024);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let is_over = head.len() >= REQUEST_BYTES_MAX || stream.read_buf(&mut head).await? == 0;
        if is_over {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    String::from_utf8(head).map_err(io::Error::other)
}

struct PageRequest {
    language: Language,
}

impl PageRequest {
    /// A request for the page under a name of this machine; `Err`: the status that it is answered with. Another name is another site's that has its
    /// visitors' browsers ask here.
    fn parse(head: &str) -> Result<Self, &'static str> {
        let (line, headers) = head.split_once("\r\n").unwrap_or((head, ""));
        let header = |wanted: &str| {
            let mut found = headers.split("\r\n").filter_map(|line| line.split_once(':'));
            let found = found.find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.map(|(_, value)| value.trim())
        };
        let host = header("host").unwrap_or_default();
        let port = host
            .rsplit_once(':')
            .filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
        let name = port.map_or(host, |(name, _)| name);
        if !["127.0.0.1", "localhost", "[::1]"].contains(&name) {
            return Err("421 Misdirected Request");
        }
        let mut words = line.split(' ');
        match (words.next(), words.next()) {
            (Some("GET"), Some("/")) => {}
            (Some("GET"), _) => return Err("404 Not Found"),
            (_, _) => return Err("405 Method Not Allowed"),
        }
        let language = header("accept-language").and_then(Language::of_accept_language);
        Ok(Self {
            language: language.unwrap_or_default(),
        })
    }
}

fn response(status: &str, content_type: &str, body: &str) -> String {
    let bytes = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {bytes}\r\ncache-control: no-store\r\n\
         x-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\nx-frame-options: DENY\r\n\
         content-security-policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'\r\nconnection: close\r\n\r\n{body}"
    )
}

/// A time as hosts say it, without its seconds; what is none as it stands.
fn shown_minute(time: &str) -> String {
    match (time.get(..10), time.get(10..11), time.get(11..16)) {
        (Some(day), Some("T"), Some(minute)) => format!("{day} {minute} UTC"),
        (_, _, _) => time.chars().take(64).collect(),
    }
}

fn state_word(state: OwnerState) -> &'static str {
    match state {
        OwnerState::Starting => text("cli-owner-state-starting"),
        OwnerState::Serving => text("cli-owner-state-serving"),
        OwnerState::Parked => text("cli-owner-state-parked"),
        OwnerState::Locked => text("cli-owner-state-locked"),
        OwnerState::Paused => text("cli-owner-state-paused"),
        OwnerState::Stopped => text("cli-owner-state-stopped"),
        OwnerState::Failed => text("cli-owner-state-failed"),
        OwnerState::Elsewhere => text("cli-owner-state-elsewhere"),
    }
}

impl HostsPage {
    fn response(&self) -> String {
        let page = self.draw().into_string();
        response("200 OK", "text/html; charset=utf-8", &page)
    }

    /// How many owners of this machine are in each state.
    fn owners(&self) -> BTreeMap<&'static str, u32> {
        let mut counts = BTreeMap::new();
        let asked = ask_holder(&self.host_folder, &ControlRequest::Owners { again: None });
        if let Ok(Some(ControlReply::Owners(owners))) = asked {
            for owner in owners {
                *counts.entry(state_word(owner.state)).or_insert(0) += 1;
            }
        }
        counts
    }

    fn draw(&self) -> Markup {
        let view = (self.look)();
        html! {
            (DOCTYPE)
            html lang=(locale::current().language.tag()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta http-equiv="refresh" content="10";
                    title { (text("hosts-page-title")) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    h1 { (text("hosts-page-heading")) }
                    @match &view {
                        Some(view) => (self.draw_hosts(view)),
                        None => p.wrong { (text("hosts-page-away")) },
                    }
                    (self.draw_owners())
                    p { (say!("hosts-page-as-of", at = shown_minute(&(self.now)()))) }
                }
            }
        }
    }

    fn draw_hosts(&self, view: &HostsView) -> Markup {
        let mut counts: Vec<u16> = view.hosts.iter().map(|host| host.shards).collect();
        counts.dedup();
        html! {
            @if view.hosts.is_empty() {
                p.wrong { (text("hosts-page-nobody")) }
            } @else {
                p { (text("hosts-page-lives")) }
                table {
                    thead { tr {
                        th { (text("hosts-page-host")) }
                        th { (text("hosts-page-process")) }
                        th { (text("hosts-page-since")) }
                        th { (text("hosts-page-address")) }
                        th.number { (text("hosts-page-shards")) }
                    } }
                    tbody { @for host in &view.hosts { tr {
                        td { (host.host) @if host.process == self.process { " (" (text("hosts-page-this")) ")" } }
                        td { (host.process) }
                        td { (shown_minute(&host.since)) }
                        td { (host.address.as_deref().unwrap_or(text("hosts-page-no-address"))) }
                        td.number { (host.held.len()) }
                    } } }
                }
                @if counts.len() > 1 { p.wrong { (text("hosts-page-alike")) } }
                @let shards = counts.iter().max().copied().unwrap_or_default();
                p {
                    (text("hosts-page-taken")) ": "
                    (say!("hosts-page-of", taken = view.taken.to_string(), shards = shards.to_string()))
                }
            }
        }
    }

    fn draw_owners(&self) -> Markup {
        html! {
            h2 { (text("hosts-page-owners")) }
            table {
                thead { tr {
                    th { (text("hosts-page-state")) }
                    th.number { (text("hosts-page-count")) }
                } }
                tbody { @for (state, count) in self.owners() { tr {
                    td { (state) }
                    td.number { (count) }
                } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aura_hosts::HostRecord;

    fn page(view: Option<Vec<HostRecord>>) -> HostsPage {
        HostsPage {
            look: Box::new(move || {
                let hosts = view.clone()?;
                Some(HostsView { taken: 16, hosts })
            }),
            host_folder: PathBuf::from("/nonexistent"),
            process: 7,
            now: || "2026-11-30T22:00:00.000Z".to_owned(),
        }
    }

    fn host(name: &str, process: u32) -> HostRecord {
        HostRecord {
            host: name.to_owned(),
            process,
            since: "2026-11-30T14:02:11.000Z".to_owned(),
            address: None,
            shards: 16,
            held: (0..8).collect(),
            owners: Vec::new(),
        }
    }

    #[test]
    fn page_says_who_lives_in_the_readers_language_and_shows_names_as_text() {
        let drawn = page(Some(vec![host("desk<script>", 7), host("attic", 8)]));
        let english = locale::speaking(Language::English, || drawn.response());
        assert!(
            english.contains("desk&lt;script&gt; (this host)") && english.contains("16 of 16"),
            "{english}"
        );
        assert!(!english.contains("<script") && english.contains("2026-11-30 14:02 UTC"));
        let german = locale::speaking(Language::German, || drawn.response());
        assert!(
            german.contains("lang=\"de\"") && german.contains("16 von 16"),
            "{german}"
        );
        let away = locale::speaking(Language::English, || page(None).response());
        assert!(away.contains("The log does not answer"));
        let mut other = host("attic", 8);
        other.shards = 8;
        let unlike = page(Some(vec![host("desk", 7), other]));
        assert!(locale::speaking(Language::English, || unlike.response()).contains("--shards"));
    }

    #[test]
    fn only_this_machines_names_are_answered() {
        let ask =
            |line: &str, host: &str| PageRequest::parse(&format!("{line}\r\nHost: {host}\r\n\r\n")).err();
        for host in ["127.0.0.1:9000", "localhost", "[::1]:9000"] {
            assert_eq!(ask("GET / HTTP/1.1", host), None, "{host}");
        }
        for host in ["aura.example", "127.0.0.1.example:9000", "", "asha.localhost"] {
            assert_eq!(
                ask("GET / HTTP/1.1", host),
                Some("421 Misdirected Request"),
                "{host}"
            );
        }
        assert_eq!(ask("GET /x HTTP/1.1", "localhost"), Some("404 Not Found"));
        assert_eq!(
            ask("POST / HTTP/1.1", "localhost"),
            Some("405 Method Not Allowed")
        );
        let german = PageRequest::parse(
            "GET / HTTP/1.1\r\nhost: localhost\r\nAccept-Language: de-AT,en;q=0.5\r\n\r\n",
        );
        assert_eq!(german.ok().unwrap().language, Language::German);
    }
}
