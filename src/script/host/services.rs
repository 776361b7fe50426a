//! What the host functions of one machine share: the gauge, the limits, compiled queries, and the output at hand.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};

use super::super::limits::{Gauge, Limits};
use super::super::session::Document;
use super::error;
use crate::base::Id;
use crate::parse::python::Query;

pub(in super::super) struct Services {
    pub gauge: Gauge,
    pub limits: Limits,
    queries: Arc<Queries>,
    document: Mutex<Option<Document>>,
    /// Bytes outside of the machine that its values keep alive, estimated.
    held: AtomicUsize,
}

/// Bytes that a parsed text takes for each of its own: arena and live tree.
const TREE_BYTES: usize = 64;

impl Services {
    pub fn new(limits: Limits, queries: Arc<Queries>) -> Self {
        Self { gauge: Gauge::new(), limits, queries, document: Mutex::new(None), held: AtomicUsize::new(0) }
    }

    /// Turns to another output.
    pub fn open(&self, document: Document) {
        self.hold_tree(document.text.len());
        *lock(&self.document) = Some(document);
    }

    /// Takes note of a tree over so many bytes of text, which lives until the machine collects its handles.
    pub fn hold_tree(&self, bytes: usize) {
        self.held.fetch_add(TREE_BYTES * bytes, Relaxed);
    }

    /// Bytes outside of the machine that it may still keep alive.
    pub fn held(&self) -> usize {
        self.held.load(Relaxed)
    }

    /// The machine has collected what nobody holds.
    pub fn released(&self) {
        self.held.store(0, Relaxed);
    }

    /// The document at hand; none while a module is only being checked.
    pub fn document(&self) -> Option<Document> {
        lock(&self.document).clone()
    }

    /// The compiled query. A call pays for each of its patterns once, whether or not it was compiled before.
    pub fn query(&self, pattern: &str) -> mlua::Result<Arc<Query>> {
        self.gauge.spend_once(Id::of("query", [pattern.as_bytes()]), FUEL_PER_QUERY)?;
        self.queries.get(pattern)
    }
}

/// What compiling a query costs: about a millisecond of safepoints.
const FUEL_PER_QUERY: u64 = 10_000;
/// Compiled queries kept; a pack has a few dozen.
const KEPT_QUERIES: usize = 256;

/// Compiled queries of one worker, kept when its machine is replaced.
#[derive(Default)]
pub(in super::super) struct Queries(Mutex<HashMap<String, Arc<Query>>>);

impl Queries {
    fn get(&self, pattern: &str) -> mlua::Result<Arc<Query>> {
        let mut known = lock(&self.0);
        if let Some(query) = known.get(pattern) {
            return Ok(Arc::clone(query));
        }
        let query = Arc::new(Query::new(pattern).map_err(|refused| error(refused.to_string()))?);
        if known.len() >= KEPT_QUERIES {
            known.clear();
        }
        known.insert(pattern.to_owned(), Arc::clone(&query));
        Ok(query)
    }
}

/// A lock whose holder cannot have left anything half-done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|broken| broken.into_inner())
}
