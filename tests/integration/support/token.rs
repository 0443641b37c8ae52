//! Tokens for tests that ask a running service.
//!
//! What: [`owner_token`] and [`program_token`], as `aura device add` gets them. Why: one way in for all tests. Not here: any claim.

use aura_runtime::control::{self, ControlReply, ControlRequest};
use std::path::Path;
use surfaces_base::devices::{AskGrant, DeviceName, DeviceScope};
use toolcall_schema::ToolName;

/// A new token of the owner's for the service that runs on a folder.
pub(crate) fn owner_token(data: &Path) -> String {
    token_of(data, "Tests", DeviceScope::Owner, None)
}

/// The token of a new device that may ask for these tools.
pub(crate) fn program_token(data: &Path, name: &str, tools: impl IntoIterator<Item = ToolName>) -> String {
    token_of(data, name, DeviceScope::Ask, Some(AskGrant::of_tools(tools)))
}

fn token_of(data: &Path, name: &str, scope: DeviceScope, asks: Option<AskGrant>) -> String {
    let request = ControlRequest::DeviceAdd {
        name: DeviceName::parse(name).unwrap(),
        scope,
        asks,
    };
    let reply = control::ask(data, &request).unwrap();
    let Some(ControlReply::DeviceAdded { token, .. }) = reply else {
        panic!("no token: {reply:?}");
    };
    token.text().to_owned()
}
