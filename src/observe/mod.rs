//! What script, sandbox, warehouse and models share: requests, observations, Python values, input mutation.
//!
//! Pure data and pure functions; nothing here runs a candidate.

pub mod assertion;
pub mod compare;
mod lex;
pub mod literal;
pub mod marshal;
pub mod mutate;
pub mod observation;
pub mod repr;
pub mod request;
pub mod rows;
#[cfg(test)]
mod sample;
mod strings;
pub mod value;

pub use observation::{Observation, Raised, Seen, Status};
pub use request::{On, Request};
pub use rows::Rows;
pub use value::Value;
