//! What one call of a candidate may use.

use serde::{Deserialize, Serialize};

/// Limits of a sandbox. All are part of what an observation depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// CPU time of one call, and of executing the module before it. A call that exceeds it is run again at four times
    /// as much before it counts as a timeout.
    pub call_cpu_ms: u32,
    /// Time that a call may sleep or be blocked, waiting for a CPU not counted. Beyond it, it is a timeout.
    pub idle_ms: u32,
    /// Address space of the process, the interpreter included.
    pub memory_mb: u32,
    /// Size of what a call may return, marshalled; beyond it the call counts as killed.
    pub output_bytes: u32,
    /// What of a call's standard output is kept; the rest is swallowed.
    pub stdout_bytes: u32,
    /// After so many timeouts of one subject the rest of its probes stays unanswered.
    pub timeouts: u8,
    /// Wall time without a sign of life, in multiples of `call_cpu_ms`, after which the machine is held to be
    /// overloaded: an error, never an observation.
    pub patience: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            call_cpu_ms: 1000,
            idle_ms: 3000,
            memory_mb: 1024,
            output_bytes: 8 << 20,
            stdout_bytes: 64 << 10,
            timeouts: 2,
            patience: 120,
        }
    }
}
