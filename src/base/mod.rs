//! What every layer stands on: errors with exit codes, content ids, spans, the doors to randomness and to the time of day.
//!
//! Nothing here knows what an op or a task is, and nothing here does I/O beyond reading the clock.

pub mod clock;
pub mod error;
pub mod file;
pub mod id;
pub mod rng;
pub mod span;

pub use error::{Error, Kind, Result};
pub use id::Id;
pub use span::Span;
