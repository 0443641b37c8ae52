//! Words about devices.
//!
//! What: the sentences of `/pair` and `/devices`. Why: they stand with all the others. Not here: the sentences of refusals (`web::error`).

use crate::devices::DeviceScope;

/// The title of the pairing page in the browser's list.
pub const PAIR_TITLE_PAGE: &str = "Aura: pair this device";
/// Its heading.
pub const PAIR_TITLE: &str = "Pair this device";
/// Where a code comes from.
pub const PAIR_HOW: &str = "Type the code that Aura shows: where it was started, or in the browser on its own computer, under Settings, Devices.";
/// The field for the code.
pub const PAIR_CODE: &str = "Code";
/// The field for the name.
pub const PAIR_NAME: &str = "What you call this device";
/// The button.
pub const PAIR_DO: &str = "Pair";
/// How long a code is good.
pub const PAIR_ONCE: &str = "A code works once, within ten minutes. Five wrong tries end it.";
/// Without the script.
pub const PAIR_SCRIPT: &str = "Pairing needs this page's own script.";

/// The title of the list of devices in the browser's list.
pub const DEVICES_TITLE_PAGE: &str = "Aura: devices";
/// Its heading.
pub const DEVICES_TITLE: &str = "Devices";
/// What they are.
pub const DEVICES_HOW: &str = "Each browser and program that may come in.";
/// Shows a code for another device.
pub const DEVICES_ADD: &str = "Show a code for another device";
/// How it is used.
pub const DEVICES_CODE: &str =
    "On the other device, open Aura's address and type this code. It works once, within ten minutes:";
/// Where one can be had.
pub const DEVICES_ADD_NOT_HERE: &str = "A code for another device is shown only in the browser that Aura itself has opened on its computer, within half an hour. \
    Start Aura once more there, and come back to this page.";
/// The device that shows the list.
pub const DEVICE_THIS: &str = "this one";
/// A moment follows.
pub const DEVICE_PAIRED: &str = "Paired";
/// A day follows.
pub const DEVICE_SEEN: &str = "last seen on";
/// The button that shuts a device out.
pub const DEVICE_REVOKE: &str = "Revoke";

/// What a device may do.
pub fn scope(scope: DeviceScope) -> &'static str {
    match scope {
        DeviceScope::SignalsWrite => "sends signals only",
        DeviceScope::Operator => "looks, changes nothing",
        DeviceScope::Owner => "yours: everything",
    }
}
