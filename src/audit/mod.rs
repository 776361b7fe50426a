//! (being built)

pub mod agreement;
