//! What one op may cost: the pack's limits, lowered to what grader, sandbox and script host each need.

use crate::pack::Manifest;
use crate::script;

/// What one op may cost, and what candidates are run with.
#[derive(Debug, Clone)]
pub struct Budget {
    pub observations: usize,
    pub peers: usize,
    pub timeouts: u8,
    pub call_cpu_ms: u32,
    pub memory_mb: u32,
    pub prelude: String,
    /// What the scripts themselves may use.
    pub script: script::Limits,
}

impl Budget {
    /// The limits of the pack's ops.
    pub fn of_ops(manifest: &Manifest) -> Self {
        let limits = &manifest.limits;
        Self {
            observations: limits.observations,
            peers: limits.peers,
            timeouts: limits.timeouts,
            call_cpu_ms: limits.call_cpu_ms,
            memory_mb: limits.memory_mb,
            prelude: limits.prelude.clone(),
            script: script::Limits::default(),
        }
    }

    /// The limits of the pack's anchor, whose hidden tests may be many and slow.
    pub fn of_anchor(manifest: &Manifest) -> Self {
        let limits = &manifest.limits;
        Self {
            observations: usize::MAX,
            call_cpu_ms: limits.anchor_cpu_ms,
            script: script::Limits::of_anchor(),
            ..Self::of_ops(manifest)
        }
    }
}
