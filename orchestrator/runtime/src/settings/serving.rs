//! Settings that are changed, one after another.
//!
//! What: [`serve_settings`], which has the service take a change up: by a reload where only the machine is concerned, else by a start of the machine in
//! the same process; another policy is put into force in the same queue. Why: two pages that change at once change one after the other. Not here: what a
//! change does to the file (`settings`).

use super::{KeptOverStarts, SettingsEditor, SettingsRequest, make, place_of};
use crate::{
    control::{ControlHandler as _, ControlReply, ControlRequest, OfflineJob, OfflineWork, ProgressSender},
    control_handler::ServiceControlHandler,
    dropped_files::DroppedFiles,
    home_file::write_whole,
};
use orchestrator_machine::policy::Policy;
use std::{fs, io, path::Path, time::Duration};
use surfaces::backend::{
    console::{PolicyChange, PolicyReply},
    settings::HomeChangeReply,
};
use tokio::sync::mpsc;

/// When a start of the machine is asked for again that had no room.
const AGAIN: Duration = Duration::from_secs(5);

/// Makes changes until it is dropped.
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
        kept: KeptOverStarts {
            totals,
            dropped,
            key_wish: _,
        },
        key_failed: _,
    } = editor;
    // What the machine before this one was told to read.
    dropped.queue_unfinished();
    begin_dropped(&handler, &dropped);
    while let Some(request) = requests.recv().await {
        let (work, may_add, reply) = match request {
            SettingsRequest::Change { work, may_add, reply } => (work, may_add, reply),
            SettingsRequest::ReadAgain => {
                begin_reading(handler.clone());
                continue;
            }
            SettingsRequest::ReadDropped => {
                begin_dropped(&handler, &dropped);
                continue;
            }
            SettingsRequest::PutPolicy { change, reply } => {
                // Who asked may have gone.
                let _ = reply.send(put_policy(&handler, &change).await);
                continue;
            }
            SettingsRequest::ChangeKey(change) => {
                make_room(&handler).await;
                let _ = offline.send(OfflineJob::unasked(OfflineWork::KeyChange(*change)));
                continue;
            }
        };
        let (made, changed) = {
            let (file, key) = (file.clone(), key.clone());
            let make = move || make(&file, key.as_ref(), &work, may_add);
            let made = tokio::task::spawn_blocking(make).await;
            made.unwrap_or_else(|_| (HomeChangeReply::Refused("it failed".to_owned()), None))
        };
        let (Some(changed), HomeChangeReply::Taken { shown, .. }) = (changed, &made) else {
            let _ = reply.send(made);
            continue;
        };
        let shown = shown.clone();
        tracing::info!("the owner changed the settings on a page");
        let restarts = changed.needs_restart();
        if !restarts {
            reload(&handler).await;
        }
        let _ = reply.send(HomeChangeReply::Taken { restarts, shown });
        if restarts {
            if let Ok(look) = handler.backend.look().await {
                for (agent, read) in &look.health.reading {
                    totals.raise(*agent, read.items);
                }
            }
            make_room(&handler).await;
            // The service may be ending.
            let _ = offline.send(OfflineJob::unasked(OfflineWork::Settings));
        }
    }
}

/// Has the dropped files read that may be, and removes them.
fn begin_dropped(handler: &ServiceControlHandler, dropped: &DroppedFiles) {
    let files = dropped.begin();
    if files.is_empty() {
        return;
    }
    let (handler, dropped) = (handler.clone(), dropped.clone());
    let request = ControlRequest::Import {
        more: files.clone(),
        again: false,
    };
    actix::spawn(async move {
        let reply = handler.answer(request, &ProgressSender::default()).await;
        let is_read = matches!(reply, ControlReply::Imported(_));
        if !is_read {
            tracing::error!("dropped files could not be read");
        }
        drop(tokio::task::spawn_blocking(move || {
            dropped.finish(&files, is_read);
        }));
    });
}

/// Years are read beside everything else; the pages say how far it is.
fn begin_reading(handler: ServiceControlHandler) {
    let request = ControlRequest::Import {
        more: Vec::new(),
        again: true,
    };
    actix::spawn(async move {
        let reply = handler.answer(request, &ProgressSender::default()).await;
        if !matches!(reply, ControlReply::Imported(_)) {
            tracing::error!("the sources could not be read once more");
        }
    });
}

/// Writes the policy's file and has it taken up. Where that cannot be, what stood there before stands there again.
async fn put_policy(handler: &ServiceControlHandler, change: &PolicyChange) -> PolicyReply {
    if let Err(error) = Policy::parse(&change.policy) {
        return PolicyReply::Bad(error.findings().cloned().collect());
    }
    let Ok(look) = handler.backend.look().await else {
        return PolicyReply::Failed("Aura is busy".to_owned());
    };
    if look.env.policy.hash() != change.shown {
        return PolicyReply::Changed;
    }
    let file = handler.files.policy_file();
    let written = {
        let (file, text) = (file.clone(), change.policy.clone());
        tokio::task::spawn_blocking(move || replace_policy(&file, &text)).await
    };
    let before = match written {
        Ok(Ok(before)) => before,
        Ok(Err(error)) => {
            return PolicyReply::Failed(format!("the file could not be written ({})", error.kind()));
        }
        Err(_) => return PolicyReply::Failed("it was interrupted".to_owned()),
    };
    let why = match handler.reload().await {
        Ok(ControlReply::Reloaded(_)) => {
            tracing::info!("the owner put another policy into force on a page");
            return PolicyReply::Taken {
                file: place_of(&file),
            };
        }
        Ok(ControlReply::Config(why) | ControlReply::Busy(why) | ControlReply::Error(why)) => why,
        Ok(_) => "the service answered something else".to_owned(),
        Err(error) => error.to_string(),
    };
    let restored = tokio::task::spawn_blocking(move || match before {
        Some(text) => replace_policy(&file, &text).map(drop),
        None => fs::remove_file(&file),
    });
    if !matches!(restored.await, Ok(Ok(()))) {
        tracing::error!("the policy that could not be taken up stays in its file");
    }
    PolicyReply::Failed(why)
}

/// What stood in the file before, if there was one; it is kept beside it.
fn replace_policy(file: &Path, text: &str) -> io::Result<Option<String>> {
    let before = match fs::read_to_string(file) {
        Ok(before) => Some(before),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    // Where a link leads, so that the link stays one.
    let real = if before.is_some() {
        fs::canonicalize(file)?
    } else {
        file.to_owned()
    };
    if let Some(before) = &before {
        let mut kept = real.clone().into_os_string();
        kept.push(".previous");
        write_whole(Path::new(&kept), before)?;
    }
    write_whole(&real, text)?;
    Ok(before)
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
