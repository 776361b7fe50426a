//! A run survives anything: it is killed at every edge and at any moment, stopped, resumed with other things, given a
//! full disk or damaged files; and the sealed labels have no part in what it decides.
//!
//! All of it is about the command, on a small pool in which ops are really born, promoted and retired.

#[path = "../support/mod.rs"]
mod support;
mod bad_input;
mod evolving;
mod killed;
mod sealed;
mod under_options;
