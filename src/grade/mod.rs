//! Ops × outputs to a verdict matrix, and a metric's verdict out of it.
//!
//! The unit of work is a task with all its outputs: they are each other's peers. This layer owns the order of
//! effects (cache, plans, sandbox, cache); it knows nothing of labels or splits.

mod answerers;
mod bench;
pub mod budget;
mod keys;
pub mod grader;
pub mod matrix;
pub mod metric;
mod peers;
pub mod progress;

pub use budget::Budget;
pub use grader::{Grader, Trace};
pub use matrix::{Group, Row};
pub use metric::{Depth, Grade, Metric};
pub use progress::{Progress, Silent};
