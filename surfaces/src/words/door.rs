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

/// The part of the page about health data.
pub const HEALTH_TITLE: &str = "Sleep from an iPhone";
/// What it needs.
pub const HEALTH_HOW: &str = "The app Health Auto Export, on your iPhone, can send your nights here by itself. It gets a token of its own, which may send and see nothing.";
/// The button.
pub const HEALTH_CONNECT: &str = "Connect Health Auto Export";
/// Where the button is.
pub const HEALTH_NOT_HERE: &str =
    "You can connect it in the browser that Aura itself has opened on its computer, within half an hour.";
/// The name of the app in the list of devices.
pub const HEALTH_DEVICE: &str = "Health Auto Export";
/// Nothing but this computer reaches Aura.
pub const HEALTH_UNREACHABLE: &str = "Your phone does not reach this computer yet: Aura answers on this computer alone. It needs a name in your network first; then connect once more.";
/// Above the picture.
pub const HEALTH_SCAN: &str =
    "Point your iPhone's camera at this picture. The app opens with everything filled in.";
/// What the picture is.
pub const HEALTH_PICTURE: &str = "Picture for the iPhone's camera, with the address and the token";
/// Above what is entered by hand, below the picture and without it.
pub const HEALTH_BY_HAND: &str =
    "Or enter it by hand, in the app under Automations, New automation, REST API:";
pub const HEALTH_ENTER: &str = "In the app, choose Automations, New automation, REST API, and enter:";
/// What is entered.
pub const HEALTH_ADDRESS: &str = "URL";
pub const HEALTH_HEADER: &str = "Header, key";
pub const HEALTH_VALUE: &str = "Header, value";
pub const HEALTH_FORMAT: &str = "Export format";
pub const HEALTH_METRICS: &str = "Health metrics";
/// The token is kept as a hash.
pub const HEALTH_ONCE: &str = "The token is shown this once. If it is lost, revoke the device above and connect anew. Only sleep is used.";

/// What a device may do.
pub fn scope(scope: DeviceScope) -> &'static str {
    match scope {
        DeviceScope::SignalsWrite => "sends signals only",
        DeviceScope::Operator => "looks, changes nothing",
        DeviceScope::Owner => "yours: everything",
    }
}
