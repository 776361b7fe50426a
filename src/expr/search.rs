//! x
pub struct Candidate; pub struct Found; pub struct Lanes; pub trait Scorer{} pub struct Shape; pub fn search(){}
