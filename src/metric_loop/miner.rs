//! stub
use crate::base::Result;
use crate::metric_loop::author::*;
use crate::pack::Pack;
pub struct Miner;
impl Miner { pub fn of(_pack: &Pack) -> Result<Option<Self>> { Ok(None) } }
impl Author for Miner { fn draft(&self, _: &Wish, _: &mut Bench) -> Result<Result<Draft, String>> { Ok(Err(String::new())) } }
