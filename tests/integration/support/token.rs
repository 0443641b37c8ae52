//! A token for tests that ask a running service.
//!
//! What: [`owner_token`], as `aura device add` gets one. Why: one way in for all tests. Not here: any claim.

use aura_runtime::control::{self, ControlReply, ControlRequest};
use std::path::Path;
use surfaces::devices::{DeviceName, DeviceScope};

/// A new token of the owner's for the service that runs on a folder.
pub(crate) fn owner_token(data: &Path) -> String {
    let request = ControlRequest::DeviceAdd {
        name: DeviceName::parse("Tests").unwrap(),
        scope: DeviceScope::Owner,
        asks: None,
    };
    let reply = control::ask(data, &request).unwrap();
    let Some(ControlReply::DeviceAdded { token, .. }) = reply else {
        panic!("no token: {reply:?}");
    };
    token.text().to_owned()
}
