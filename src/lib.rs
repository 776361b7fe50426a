//! gradus: an embeddable scripting host for packs of small Lua detectors, and the loops that evolve a grader out of them.
//!
//! A *pack* is one task family: a root check, detectors (*ops*) written in Lua, and an expression over them. Scripts are
//! pure; the kernel has the effects. To grade outputs with a pack's own metric:
//!
//! ```no_run
//! use gradus::grade::Metric;
//! use gradus::pack::Pack;
//! use serde_json::json;
//!
//! # fn main() -> gradus::base::Result<()> {
//! let metric = Metric::new(Pack::load("packs/code")?, "(any crashes_on_example fails_example)")?;
//! let task = json!({"id": "double", "prompt": "Double a number.", "entry_point": "double",
//!                   "examples": ["assert double(2) == 4"]});
//! let outputs = ["def double(x):\n    return 2 * x\n", "def double(x):\n    return x * x * x\n"];
//! for grade in metric.grade(&task, &outputs)? {
//!     println!("{:?} {:?}", grade.outcome, grade.leaves);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The same without a sandbox, with a static op:
//!
//! ```
//! use gradus::expr::Outcome;
//! use gradus::grade::Metric;
//! use gradus::pack::Pack;
//!
//! # fn main() -> gradus::base::Result<()> {
//! let pack = Pack::load(concat!(env!("CARGO_MANIFEST_DIR"), "/packs/code"))?;
//! let metric = Metric::new(pack, "prints_not_returns")?;
//! let task = serde_json::json!({"id": "t", "entry_point": "double", "examples": ["assert double(2) == 4"]});
//! let grades = metric.grade(&task, &["def double(x):\n    print(2 * x)\n", "def double(x):\n    return 2 * x\n"])?;
//! assert_eq!(grades.iter().map(|grade| grade.outcome).collect::<Vec<_>>(), [Outcome::Fail, Outcome::Pass]);
//! # Ok(())
//! # }
//! ```
//!
//! The modules below stand in reading order; each imports only modules above it (`tests/tidy.rs` holds the ranks).
//! Below [`cli`] there is no global state, and nothing prints or reads the environment.

pub mod base;
pub mod verdict;
pub mod observe;
pub mod parse;
pub mod expr;
pub mod stats;
pub mod script;
pub mod sandbox;
pub mod warehouse;
pub mod store;
pub mod dataset;
pub mod journal;
pub mod pack;
pub mod grade;
pub mod agreement;
pub mod objective;
pub mod cases;
pub mod audit;
pub mod metric_loop;
pub mod cli;
