//! What is said of sensors of Home Assistant.
//!
//! What: the form that adds one. Why: a home says much, and only how long its owner slept is read. Not here: other accounts (`account_forms`,
//! `accounts`).

use crate::language::Text;

/// The form, and what it is for.
pub const ACCOUNT_BY_SENSOR: Text = Text("home-assistant-form");
pub const ACCOUNT_BY_SENSOR_MEANS: Text = Text("home-assistant-form-means");
/// Its fields.
pub const ACCOUNT_SENSOR: Text = Text("home-assistant-sensor");
pub const ACCOUNT_HOME_TOKEN: Text = Text("home-assistant-token");
pub const ACCOUNT_HOME_TOKEN_MEANS: Text = Text("home-assistant-token-means");
