//! Databases asked by untrusted queries: what is refused, what copies keep, what is a fault, and a pack of such ops.

mod answers;
mod copies;
mod faults;
mod hostile;
mod pack;
mod shop;
