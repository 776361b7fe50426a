//! Audits: measurement that never feeds back.

pub mod flips;
pub mod locked;
mod openings;
pub mod standing;
