//! Pages hear at once when an agent's process failed and when the next one is ready.
//!
//! What: one task beside the service. Why: nobody may be told that an agent is down which answers, because nothing else happened since. Not here:
//! keeping processes (`aura_process`), what is said (`surfaces`).

use super::ServiceBackend;
use std::sync::Arc;
use surfaces_base::backend::UiEventKind;
use tokio::sync::watch;

impl ServiceBackend {
    /// Tells pages of each change until told to stop.
    pub(crate) fn tell_pages_of_agents(&self, mut stopped: watch::Receiver<bool>) {
        let (registry, live) = (self.registry.clone(), Arc::clone(&self.live));
        drop(actix::spawn(async move {
            let (mut reports, mut told) = (registry.watch(), registry.failed());
            loop {
                tokio::select! {
                    changed = reports.changed() => if changed.is_err() { return },
                    // The sender lives as long as the service.
                    _ = stopped.wait_for(|stop| *stop) => return,
                }
                let failed = registry.failed();
                if failed != told {
                    told = failed;
                    live.tell(UiEventKind::Status);
                }
            }
        }));
    }
}
