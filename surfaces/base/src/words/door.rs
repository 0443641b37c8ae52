//! Words about devices.
//!
//! What: the sentences of `/pair` and `/devices`. Why: they stand with all the others. Not here: the sentences of refusals (`web::error`).

use crate::devices::DeviceScope;
use crate::language::{Text, say, text};

/// The title of the pairing page in the browser's list.
pub const PAIR_TITLE_PAGE: Text = Text("door-pair-title-page");
/// Its heading.
pub const PAIR_TITLE: Text = Text("door-pair-title");
/// Where a code comes from.
pub const PAIR_HOW: Text = Text("door-pair-how");
/// The field for the code.
pub const PAIR_CODE: Text = Text("door-pair-code");
/// The field for the name.
pub const PAIR_NAME: Text = Text("door-pair-name");
/// The button.
pub const PAIR_DO: Text = Text("door-pair-do");
/// How long a code is good.
pub const PAIR_ONCE: Text = Text("door-pair-once");
/// Without the script.
pub const PAIR_SCRIPT: Text = Text("door-pair-script");

/// Its heading.
pub const DEVICES_TITLE: Text = Text("door-devices-title");
/// What they are.
pub const DEVICES_HOW: Text = Text("door-devices-how");
/// Shows a code for another device.
pub const DEVICES_ADD: Text = Text("door-devices-add");
/// How it is used.
pub const DEVICES_CODE: Text = Text("door-devices-code");
/// Where one can be had.
pub const DEVICES_ADD_NOT_HERE: Text = Text("door-devices-add-not-here");
/// The device that shows the list.
pub const DEVICE_THIS: Text = Text("door-device-this");
/// The button that shuts a device out.
pub const DEVICE_REVOKE: Text = Text("door-device-revoke");
pub const DEVICE_REVOKE_SAYS: Text = Text("door-device-revoke-says");
pub const DEVICE_REVOKE_THIS: Text = Text("door-device-revoke-this");
pub const DEVICE_REVOKE_DO: Text = Text("door-device-revoke-do");

/// Since when a device is paired, and on which day it was seen last.
pub fn device_paired(at: &str, seen: &str) -> String {
    say!("door-device-paired", at, seen)
}

/// The part of the page about health data.
pub const HEALTH_TITLE: Text = Text("door-health-title");
/// What it needs.
pub const HEALTH_HOW: Text = Text("door-health-how");
/// The button.
pub const HEALTH_CONNECT: Text = Text("door-health-connect");
pub const HEALTH_CONNECT_ANDROID: Text = Text("door-health-connect-android");
/// Where the button is.
pub const HEALTH_NOT_HERE: Text = Text("door-health-not-here");
/// The names of the apps in the list of devices.
pub const HEALTH_DEVICE: Text = Text("door-health-device");
pub const HEALTH_DEVICE_ANDROID: Text = Text("door-health-device-android");
/// Nothing but this computer reaches Aura.
pub const HEALTH_UNREACHABLE: Text = Text("door-health-unreachable");
/// Above the picture.
pub const HEALTH_SCAN: Text = Text("door-health-scan");
/// What the picture is.
pub const HEALTH_PICTURE: Text = Text("door-health-picture");
/// Above what is entered by hand, below the picture and without it.
pub const HEALTH_BY_HAND: Text = Text("door-health-by-hand");
pub const HEALTH_ENTER: Text = Text("door-health-enter");
pub const HEALTH_ENTER_ANDROID: Text = Text("door-health-enter-android");
/// What is entered.
pub const HEALTH_ADDRESS: Text = Text("door-health-address");
pub const HEALTH_HEADER: Text = Text("door-health-header");
pub const HEALTH_VALUE: Text = Text("door-health-value");
pub const HEALTH_FORMAT: Text = Text("door-health-format");
pub const HEALTH_METRICS: Text = Text("door-health-metrics");
/// The token is kept as a hash.
pub const HEALTH_ONCE: Text = Text("door-health-once");

/// What a device may do.
pub fn scope(scope: DeviceScope) -> &'static str {
    match scope {
        DeviceScope::SignalsWrite => text("door-scope-sends-signals-only"),
        DeviceScope::Ask => text("asks-scope"),
        DeviceScope::Operator => text("door-scope-looks-changes-nothing"),
        DeviceScope::Owner => text("door-scope-yours-everything"),
    }
}
