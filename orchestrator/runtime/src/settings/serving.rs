//! Settings that are changed, one after another.
//!
//! What: [`serve_settings`], which has the service take a change up: by a reload where only the machine is concerned, else by a start of the machine in
//! the same process. Why: two pages that change at once change one after the other. Not here: what a change does to the file (`settings`).

use super::{HomeFileChanged, KeptOverStarts, SettingsEditor, SettingsRequest, make};
use crate::{
    changed_settings::changed_settings,
    control::{ControlHandler as _, ControlReply, ControlRequest, OfflineJob, OfflineWork, ProgressSender},
    control_handler::ServiceControlHandler,
    dropped_files::DroppedFiles,
    policy_edit::put_policy,
};
use std::{sync::Arc, time::Duration};
use surfaces_base::{
    backend::{UiEventKind, settings::HomeChangeReply},
    language::text,
    locale,
};
use tokio::sync::{mpsc, oneshot};
use toolcall_schema::AgentName;

/// When a start of the machine is asked for again that had no room.
const AGAIN: Duration = Duration::from_secs(5);

/// Makes changes until one of them needs the machine to end: then those that wait are made too, and no other is taken in.
pub(crate) async fn serve_settings(
    editor: SettingsEditor,
    mut requests: mpsc::Receiver<SettingsRequest>,
    handler: ServiceControlHandler,
    offline: mpsc::UnboundedSender<OfflineJob>,
) {
    let SettingsEditor {
        file,
        key,
        work: _,
        looks: _,
        kept:
            KeptOverStarts {
                totals,
                dropped,
                accounts: _,
                renewals: _,
                key_wish: _,
            },
        key_failed: _,
    } = editor;
    // What the machine before this one was told to read.
    dropped.queue_unfinished();
    begin_dropped(&handler, &dropped);
    // What the machine ends for, once all is done that was asked for.
    let mut ends_for = None;
    loop {
        let request = tokio::select! {
            biased;
            request = requests.recv() => request,
            // Others change the file while a question is open.
            () = make_room(&handler), if ends_for.is_some() && !requests.is_closed() => {
                requests.close();
                continue;
            }
        };
        let Some(request) = request else { break };
        match request {
            SettingsRequest::Change {
                work,
                may_add,
                reader,
                reply,
            } => {
                let (file, key) = (file.clone(), key.clone());
                let make = move || locale::speaking(reader, || make(&file, key.as_ref(), &work, may_add));
                let made = tokio::task::spawn_blocking(make).await;
                let made = made.unwrap_or_else(|_| {
                    let why = locale::speaking(reader, || text("control-settings-failed"));
                    (HomeChangeReply::Refused(why.to_owned()), None)
                });
                if apply_change(made, &handler, reply).await {
                    ends_for.get_or_insert(OfflineWork::Settings);
                }
            }
            SettingsRequest::PutPolicy { wish, reply } => {
                let _ = reply.send(put_policy(&handler, wish).await);
            }
            SettingsRequest::ReadAgain(only) => begin_reading(handler.clone(), only),
            SettingsRequest::ReadDropped => begin_dropped(&handler, &dropped),
            SettingsRequest::LetGoOfEarlier(at) => {
                let file = file.clone();
                let gone = tokio::task::spawn_blocking(move || file.let_go_of_earlier(at)).await;
                if let Ok(Err(error)) = gone {
                    tracing::warn!(%error, "what stood in the settings before could not be let go of");
                }
            }
            // The machine starts with the settings as they are then.
            SettingsRequest::ChangeKey(change) => ends_for = Some(OfflineWork::KeyChange(*change)),
        }
    }
    let Some(work) = ends_for else { return };
    if let Ok(look) = handler.backend.look().await {
        for (agent, read) in &look.health.reading {
            totals.raise(*agent, (read.items, read.holds));
        }
    }
    // The service may be ending.
    let _ = offline.send(OfflineJob::unasked(work));
}

/// Applies a change that was written, and tells who asked for it. True: only a restart of the machine applies it.
async fn apply_change(
    (made, changed): (HomeChangeReply, Option<HomeFileChanged>),
    handler: &ServiceControlHandler,
    reply: oneshot::Sender<HomeChangeReply>,
) -> bool {
    let (Some(changed), HomeChangeReply::Taken { shown, .. }) = (changed, &made) else {
        let _ = reply.send(made);
        return false;
    };
    let shown = shown.clone();
    tracing::info!("the owner changed the settings on a page");
    let ids = changed_settings(&changed);
    handler.backend.record_settings(ids).await;
    // Other pages that are open show what they say now.
    handler.backend.live.tell(UiEventKind::Status);
    let restarts = changed.needs_restart();
    if !restarts {
        reload(handler).await;
    }
    let _ = reply.send(HomeChangeReply::Taken { restarts, shown });
    restarts
}

/// Has the dropped files read that may be, and removes them.
fn begin_dropped(handler: &ServiceControlHandler, dropped: &DroppedFiles) {
    let files = dropped.begin();
    if files.is_empty() {
        return;
    }
    let (handler, dropped) = (handler.clone(), dropped.clone());
    let live = Arc::clone(&handler.backend.live);
    let request = ControlRequest::Import {
        more: files.clone(),
        again: false,
        only: None,
    };
    actix::spawn(async move {
        let reply = handler.answer(request, &ProgressSender::default()).await;
        let is_read = matches!(reply, ControlReply::Imported(_));
        if !is_read {
            tracing::error!("dropped files could not be read");
        }
        drop(tokio::task::spawn_blocking(move || {
            dropped.finish(&files, is_read);
            live.tell(UiEventKind::Status);
        }));
    });
}

/// Years are read beside everything else; the pages say how far it is.
fn begin_reading(handler: ServiceControlHandler, only: Option<AgentName>) {
    let request = ControlRequest::Import {
        more: Vec::new(),
        again: true,
        only,
    };
    actix::spawn(async move {
        let reply = handler.answer(request, &ProgressSender::default()).await;
        if !matches!(reply, ControlReply::Imported(_)) {
            tracing::error!("the sources could not be read once more");
        }
    });
}

async fn reload(handler: &ServiceControlHandler) {
    let reloaded = handler.reload().await;
    if !matches!(reloaded, Ok(ControlReply::Reloaded(_))) {
        // They are in the file; the next start takes them up.
        tracing::error!("changed settings could not be taken up now");
    }
}

async fn make_room(handler: &ServiceControlHandler) {
    while handler
        .removing
        .make_room(&ProgressSender::default())
        .await
        .is_err()
    {
        tokio::time::sleep(AGAIN).await;
    }
}
