//! The one door to the time of day.
//!
//! Times are for people (a log of openings, a table of timings) and never part of a result that is compared.

use std::time::SystemTime;

/// Now, to the second, in UTC: `2026-01-31T12:00:00Z`.
pub fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
