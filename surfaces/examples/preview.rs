//! Shows the pages with a made-up morning, without the rest of Aura.
//!
//! What: the real server over a backend that only holds values. Why: to look at the pages while changing them. Not here:
//! anything real; nothing is decided, kept or sent. Run it with `cargo run -p surfaces --example preview -- brief`
//! (or `mute`, `spend`, `quiet`, `welcome`) and open the printed address.

#![expect(clippy::print_stdout, reason = "an example prints its address")]

#[path = "../tests/pages/accounts_double.rs"]
mod accounts_double;
#[path = "../tests/pages/acts_double.rs"]
#[expect(clippy::unwrap_used, reason = "what it reads stands there")]
mod acts_double;
#[path = "../tests/pages/asks_double.rs"]
#[expect(clippy::unwrap_used, reason = "what it reads stands there")]
mod asks_double;
#[path = "../tests/pages/backups_double.rs"]
mod backups_double;
#[path = "../tests/pages/doctor_double.rs"]
mod doctor_double;
#[path = "../tests/pages/drafts_double.rs"]
mod drafts_double;
#[path = "../tests/pages/forgetting_double.rs"]
mod forgetting_double;
#[path = "../tests/pages/keys_double.rs"]
mod keys_double;
#[path = "../tests/pages/memory_double.rs"]
mod memory_double;
#[path = "../tests/pages/models_double.rs"]
mod models_double;
#[path = "../tests/pages/morning.rs"]
#[expect(dead_code, reason = "the tests read more of it")]
mod morning;
#[path = "../tests/pages/notify_double.rs"]
mod notify_double;
#[path = "../tests/pages/owner_double.rs"]
mod owner_double;
#[path = "../tests/pages/people_double.rs"]
mod people_double;
#[path = "../tests/pages/settings_double.rs"]
mod settings_double;
#[path = "../tests/pages/web_push_double.rs"]
mod web_push_double;

use std::sync::Arc;
use surfaces_base::devices::DeviceScope;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = std::env::args().nth(1).unwrap_or_else(|| "brief".to_owned());
    let port = std::env::args().nth(2).map_or(Ok(7787), |port| port.parse())?;
    let listener = surfaces::bind(([127, 0, 0, 1], port).into()).await?;
    let address = listener.local_addr()?;
    let backend = Arc::new(morning::Double::of_scene(&scene));
    if scene == "welcome"
        && let Ok(mut home) = backend.home.lock()
    {
        *home = Some(settings_double::home());
    }
    let config = morning::config();
    let code = config.devices.open(DeviceScope::Owner, None)?;
    println!("http://{}:{}/pair#{}", morning::NAME, address.port(), code.text());
    surfaces::serve(listener, config, backend, std::future::pending()).await?;
    Ok(())
}
