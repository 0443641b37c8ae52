//! Words of what leaves the screen: notifications.
//!
//! What: the heading of a push. Why: beside the other words. Not here: its line, which is the watch's, and what the earbud says
//! (`kinds`).

use crate::language::Text;

/// The heading of a notification.
pub const PUSH_TITLE: Text = Text("voice-push-title");
