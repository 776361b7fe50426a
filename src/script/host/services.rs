//! What the host functions of one machine share: the gauge, the limits, and the output at hand.

use std::sync::{Mutex, MutexGuard};

use super::super::limits::{Gauge, Limits};
use super::super::session::Document;

/// The output that the machine's scripts are about.
pub(in super::super) struct Given {
    pub document: Document,
}

impl Given {
    pub fn new(document: Document) -> Self {
        Self { document }
    }
}

pub(in super::super) struct Services {
    pub gauge: Gauge,
    pub limits: Limits,
    given: Mutex<Option<Given>>,
}

impl Services {
    pub fn new(limits: Limits) -> Self {
        Self { gauge: Gauge::new(), limits, given: Mutex::new(None) }
    }

    /// Turns to another output.
    pub fn open(&self, given: Given) {
        *self.lock() = Some(given);
    }

    /// The document at hand; none while a module is only being checked.
    pub fn document(&self) -> Option<Document> {
        self.lock().as_ref().map(|given| given.document.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Option<Given>> {
        self.given.lock().unwrap_or_else(|broken| broken.into_inner())
    }
}
