//! What is answered where another host serves an owner.
//!
//! What: [`elsewhere_answer`], the whole of it: a page that loads again by itself for a person, JSON for a program. Why: nothing of her is open here, so
//! nobody but the browser says in which language. Not here: which host that is, and handing connections over to it (`aura-hosts`).

use maud::{DOCTYPE, html};
use serde_json::json;
use surfaces_base::{
    language::{Language, say, text},
    locale,
};

/// What the beginning of a request says of who asks.
struct RequestHead<'a>(&'a str);

impl<'a> RequestHead<'a> {
    fn header(&self, name: &str) -> Option<&'a str> {
        let lines = self.0.lines().skip(1).take_while(|line| !line.is_empty());
        let mut headers = lines.filter_map(|line| line.split_once(':'));
        let found = headers.find(|(there, _)| there.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim())
    }

    fn wants_page(&self) -> bool {
        self.0.starts_with("GET ")
            && self
                .header("accept")
                .is_some_and(|kinds| kinds.contains("text/html"))
    }
}

/// An answer to a request that begins so. `host`: which host serves her, where it cannot be asked for her from here; absent: one will in a moment.
pub fn elsewhere_answer(begun: &[u8], host: Option<&str>) -> String {
    let begun = String::from_utf8_lossy(begun);
    let head = RequestHead(&begun);
    let asked = head
        .header("accept-language")
        .and_then(Language::of_accept_language);
    locale::speaking(asked.unwrap_or_default(), || answer(&head, host))
}

fn answer(head: &RequestHead<'_>, host: Option<&str>) -> String {
    let (status, again, message) = match host {
        Some(host) => {
            // Another host said it.
            let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
            let host: String = host.chars().filter(is_plain).take(64).collect();
            let message = say!("refusal-elsewhere-host", host = host.as_str());
            ("421 Misdirected Request", "", message)
        }
        None => (
            "503 Service Unavailable",
            // What the owner did on a page is sent again after that; a page is loaded again.
            "retry-after: 2\r\nrefresh: 2\r\n",
            text("refusal-elsewhere-again").to_owned(),
        ),
    };
    let (kind, body) = if head.wants_page() {
        let page = html! {
            (DOCTYPE)
            meta charset="utf-8";
            meta name="viewport" content="width=device-width";
            title { "Aura" }
            p { (message) }
            p { "WEB-032" }
        };
        ("text/html; charset=utf-8", page.into_string())
    } else {
        let body = json!({ "code": "WEB-032", "message": message });
        ("application/json", body.to_string())
    };
    let bytes = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {bytes}\r\n{again}\
         cache-control: no-store\r\nx-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\n\
         content-security-policy: default-src 'none'\r\nconnection: close\r\n\r\n{body}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_gets_a_page_that_loads_again_and_a_program_what_it_can_read() {
        const PAGE: &str = "GET / HTTP/1.1\r\nHost: asha.test\r\nACCEPT: text/html,*/*\r\n";
        let german = format!("{PAGE}Accept-Language: de-DE,de;q=0.9\r\n\r\n");
        let program = "POST /v1/mutes HTTP/1.1\r\nAccept: text/html\r\n\r\n";
        let host = "desk\r\nset-cookie: a=b\r\n\r\n<script>.example";
        for (begun, host, status, kind, said) in [
            (PAGE, None, "503", "text/html", "loads again by itself"),
            (&german, None, "503", "text/html", "lädt gleich von selbst neu"),
            (program, None, "503", "application/json", "\"code\":\"WEB-032\""),
            (
                program,
                Some(host),
                "421",
                "application/json",
                "deskset-cookieabscript.example",
            ),
            ("\u{1}", None, "503", "application/json", "WEB-032"),
        ] {
            let answer = elsewhere_answer(begun.as_bytes(), host);
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
            assert!(head.contains(&format!("content-type: {kind}")), "{head}");
            let length = format!("content-length: {}\r\n", body.len());
            assert!(head.contains(&length), "{head}");
            assert_eq!(head.contains("refresh: 2"), host.is_none(), "{head}");
            assert!(body.contains(said) && body.contains("WEB-032"), "{body}");
        }
    }
}
