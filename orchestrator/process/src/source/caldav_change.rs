//! CalDAV: writing.
//!
//! What: [`make_change`]: an event of ours put or removed, and the owner's answer in somebody's event. Why: every request names the version it
//! changes (RFC 4791, 5.3.2; RFC 9110, 13.1), so nothing newer is written over, and asked for once more it finds itself done. Not here: HTTP
//! (`http`), an event's text (`event_edit`).

use super::{
    event_edit::{DeclinedInvitation, is_same_event},
    http::{HttpSession, ServerAnswer, ServerRequest},
    server_change::{ChangeOutcome, ServerChange},
    wire::{LookFailure, MARK_MAX, PART_BYTES_MAX},
};
use http::{StatusCode, header};
use toolcall_schema::delivery::ChangeRefusal;

/// Has an event of one version written: as it was seen, and once more when somebody was faster.
const TRIES: u32 = 2;

const DECLINED: &str = "DECLINED";

/// Tells who started this process that something may be changed from here on.
pub(super) type TellChanging<'a> = &'a mut dyn FnMut() -> Result<(), LookFailure>;

/// An object as it is there.
struct FoundObject {
    version: Option<String>,
    text: String,
}

/// Why there is no outcome yet, or which.
enum ChangeStop {
    Failed(LookFailure),
    Refused(ChangeRefusal),
}

impl From<LookFailure> for ChangeStop {
    fn from(failure: LookFailure) -> Self {
        Self::Failed(failure)
    }
}

impl From<ChangeRefusal> for ChangeStop {
    fn from(refusal: ChangeRefusal) -> Self {
        Self::Refused(refusal)
    }
}

/// Makes a change, or finds it made.
///
/// # Errors
/// [`LookFailure`]: no outcome is known.
pub(super) async fn make_change(
    change: &ServerChange,
    session: &mut HttpSession<'_>,
    changing: TellChanging<'_>,
) -> Result<ChangeOutcome, LookFailure> {
    let mut writer = EventWriter { session, changing };
    let made = match change {
        ServerChange::PutEvent {
            path,
            text,
            is_repeat,
        } => writer.put(path, text, *is_repeat).await,
        ServerChange::RemoveEvent { path, text, version } => {
            writer.remove(path, text, version.as_deref()).await
        }
        ServerChange::Decline { path, reply, seen } => writer.decline(path, reply, seen).await,
        ServerChange::TakeBackDecline { path, reply, part } => {
            writer.take_back_decline(path, reply, part).await
        }
    };
    match made {
        Ok(outcome) => Ok(outcome),
        Err(ChangeStop::Refused(refusal)) => Ok(ChangeOutcome::Refused(refusal)),
        Err(ChangeStop::Failed(failure)) => Err(failure),
    }
}

fn outcome_done(version: Option<String>, part_before: Option<String>) -> ChangeOutcome {
    ChangeOutcome::Done { version, part_before }
}

struct EventWriter<'a, 'b> {
    session: &'a mut HttpSession<'b>,
    changing: TellChanging<'a>,
}

impl EventWriter<'_, '_> {
    /// The object at a path; `None`: there is none.
    async fn get(&mut self, path: &str) -> Result<Option<FoundObject>, ChangeStop> {
        let answer = self
            .session
            .ask(&ServerRequest {
                method: "GET",
                path,
                headers: &[("Accept", "text/calendar")],
                body: "",
            })
            .await?;
        if matches!(answer.status, StatusCode::NOT_FOUND | StatusCode::GONE) {
            return Ok(None);
        }
        let answer = answer.good()?;
        if answer.body.len() > PART_BYTES_MAX {
            return Err(LookFailure::TooLarge.into());
        }
        let version = version_of(&answer);
        // What is no text would not come back as it was.
        let text = String::from_utf8(answer.body).map_err(|_| ChangeRefusal::Unsafe)?;
        Ok(Some(FoundObject { version, text }))
    }

    /// Writes or removes one version. `None`: another is there.
    async fn write(
        &mut self,
        method: &str,
        path: &str,
        condition: (&str, &str),
        text: &str,
    ) -> Result<Option<ServerAnswer>, ChangeStop> {
        self.session.open_anew().await?;
        (self.changing)()?;
        let mut headers = vec![condition];
        if !text.is_empty() {
            headers.push(("Content-Type", "text/calendar; charset=utf-8"));
        }
        let answer = self
            .session
            .ask_once(&ServerRequest {
                method,
                path,
                headers: &headers,
                body: text,
            })
            .await?;
        let status = answer.status;
        if status == StatusCode::PRECONDITION_FAILED {
            return Ok(None);
        }
        if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS {
            return Err(ChangeRefusal::Status(status.as_u16()).into());
        }
        Ok(Some(answer.good()?))
    }

    async fn put(&mut self, path: &str, text: &str, is_repeat: bool) -> Result<ChangeOutcome, ChangeStop> {
        if is_repeat && let Some(there) = self.get(path).await? {
            return ours(there, text);
        }
        let answer = self.write("PUT", path, ("If-None-Match", "*"), text).await?;
        if let Some(version) = answer.as_ref().and_then(version_of) {
            return Ok(outcome_done(Some(version), None));
        }
        // Something is there, or the server keeps it in another form than it was sent.
        match self.get(path).await? {
            Some(there) => ours(there, text),
            None => Err(ChangeRefusal::Changed.into()),
        }
    }

    async fn remove(
        &mut self,
        path: &str,
        text: &str,
        version: Option<&str>,
    ) -> Result<ChangeOutcome, ChangeStop> {
        let version = if let Some(version) = version {
            version.to_owned()
        } else {
            let Some(there) = self.get(path).await? else {
                return Ok(outcome_done(None, None));
            };
            if !is_same_event(&there.text, text)? {
                return Err(ChangeRefusal::Changed.into());
            }
            there.version.ok_or(ChangeRefusal::Unsafe)?
        };
        match self.write("DELETE", path, ("If-Match", &version), "").await {
            Ok(Some(_)) | Err(ChangeStop::Refused(ChangeRefusal::Status(404 | 410))) => {
                Ok(outcome_done(None, None))
            }
            // Some servers say so of what is gone as well.
            Ok(None) if self.get(path).await?.is_none() => Ok(outcome_done(None, None)),
            Ok(None) => Err(ChangeRefusal::Changed.into()),
            Err(stop) => Err(stop),
        }
    }

    async fn decline(&mut self, path: &str, reply: &str, seen: &str) -> Result<ChangeOutcome, ChangeStop> {
        let invitation = DeclinedInvitation::from_reply(reply)?;
        let seen = invitation.find(seen)?;
        for _ in 0..TRIES {
            let there = self.get(path).await?.ok_or(ChangeRefusal::Gone)?;
            let now = invitation.find(&there.text)?;
            let before = Some(seen.part.clone());
            if now.part == DECLINED {
                return Ok(outcome_done(there.version, before));
            }
            if !now.is_as(&seen) {
                return Err(ChangeRefusal::Changed.into());
            }
            let text = now.answered(DECLINED)?;
            let version = there.version.as_deref().ok_or(ChangeRefusal::Unsafe)?;
            if let Some(answer) = self.write("PUT", path, ("If-Match", version), &text).await? {
                return Ok(outcome_done(version_of(&answer), before));
            }
        }
        Err(ChangeRefusal::Changed.into())
    }

    async fn take_back_decline(
        &mut self,
        path: &str,
        reply: &str,
        part: &str,
    ) -> Result<ChangeOutcome, ChangeStop> {
        let invitation = DeclinedInvitation::from_reply(reply)?;
        for _ in 0..TRIES {
            // With the event its answer is gone.
            let Some(there) = self.get(path).await? else {
                return Ok(outcome_done(None, None));
            };
            let now = invitation.find(&there.text)?;
            if now.part == part {
                return Ok(outcome_done(there.version, None));
            }
            if now.part != DECLINED {
                return Err(ChangeRefusal::Changed.into());
            }
            let text = now.answered(part)?;
            let version = there.version.as_deref().ok_or(ChangeRefusal::Unsafe)?;
            if let Some(answer) = self.write("PUT", path, ("If-Match", version), &text).await? {
                return Ok(outcome_done(version_of(&answer), None));
            }
        }
        Err(ChangeRefusal::Changed.into())
    }
}

/// What is there, when it is what was put.
fn ours(there: FoundObject, text: &str) -> Result<ChangeOutcome, ChangeStop> {
    if is_same_event(&there.text, text)? {
        Ok(outcome_done(there.version, None))
    } else {
        Err(ChangeRefusal::Changed.into())
    }
}

fn version_of(answer: &ServerAnswer) -> Option<String> {
    let version = answer.header(header::ETAG)?;
    (version.len() <= MARK_MAX).then(|| version.to_owned())
}
