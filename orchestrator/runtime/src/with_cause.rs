//! An error with its cause, in one line.
//!
//! What: [`with_cause`]. Why: pages and the terminal tell who knows the program the same. Not here: codes and remedies.

use std::error::Error;

/// The error, and what caused it.
pub fn with_cause(error: &dyn Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
