//! Audits: measurement that never feeds back.

pub mod locked;
mod openings;
pub mod standing;
