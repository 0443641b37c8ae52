//! The site of the documents, out of a folder.
//!
//! What: the file that an address names, with its kind. Why: a browser that is confined (snap, flatpak) may not open files below `/usr/share/doc`, but may
//! open an address of this computer. Not here: which folder, and for how long (`aura docs`); anything of the owner's: these pages are everybody's.

use super::guard;
use axum::{
    Router,
    extract::State,
    http::{HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
    routing::get,
};
use percent_encoding::percent_decode_str;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// What a page of mdBook may do: its own scripts and styles stand in the page, and nothing comes from elsewhere.
const POLICY: &str = "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// Every file of the folder.
pub(super) fn router(folder: PathBuf) -> Router {
    Router::new()
        .fallback(get(document))
        .with_state(Arc::<Path>::from(folder))
}

async fn document(State(folder): State<Arc<Path>>, address: Uri) -> Response {
    let found = match file_of(&folder, address.path()) {
        // The pages are on a disk of this computer; the index of the search is some megabytes.
        Some(path) => tokio::task::spawn_blocking(move || Some((kind(&path), fs::read(&path).ok()?)))
            .await
            .ok()
            .flatten(),
        None => None,
    };
    let answer = found.map_or_else(
        || (StatusCode::NOT_FOUND, "There is no such page.\n").into_response(),
        |(kind, bytes)| ([(header::CONTENT_TYPE, kind)], bytes).into_response(),
    );
    let mut answer = guard::with_security_headers(answer);
    let policy = HeaderValue::from_static(POLICY);
    answer
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, policy);
    answer
}

/// The file that an address means; `None`: a name that leads out of the folder.
fn file_of(folder: &Path, address: &str) -> Option<PathBuf> {
    let address = percent_decode_str(address).decode_utf8().ok()?;
    let mut file = folder.to_owned();
    for part in address.split('/').filter(|part| !part.is_empty()) {
        if part.starts_with('.') || part.contains('\0') {
            return None;
        }
        file.push(part);
    }
    Some(if file.is_dir() {
        file.join("index.html")
    } else {
        file
    })
}

fn kind(file: &Path) -> &'static str {
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_leads_out_of_the_folder() {
        let folder = Path::new("/nowhere/html");
        for (address, file) in [
            ("/keys.html", Some("/nowhere/html/keys.html")),
            (
                "//errors//STORE-004.html",
                Some("/nowhere/html/errors/STORE-004.html"),
            ),
            (
                "/reference/tools/comms.mute_channel.html",
                Some("/nowhere/html/reference/tools/comms.mute_channel.html"),
            ),
            ("/../secret", None),
            ("/errors/%2e%2e/%2e%2e/secret", None),
            ("/errors/..%2f..%2fsecret", None),
            ("/.hidden", None),
            ("/%00", None),
            ("/%ff", None),
        ] {
            assert_eq!(
                file_of(folder, address).as_deref(),
                file.map(Path::new),
                "{address}"
            );
        }
    }
}
