//! How the grader says how far it is, and hears that it should stop.

/// Hears how far the work is.
pub trait Progress: Sync {
    /// `done` of `total` outputs have all their verdicts.
    fn outputs(&self, done: usize, total: usize);
    /// Whether a person asked to stop.
    fn stopped(&self) -> bool {
        false
    }
}

/// Says nothing, never stops.
pub struct Silent;

impl Progress for Silent {
    fn outputs(&self, _done: usize, _total: usize) {}
}
