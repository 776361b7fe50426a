//! What unlabelled outputs say of an expression, before labels are asked (METHOD section 12).

use crate::expr::Expr;
use crate::metric_loop::sight::Sight;
use crate::pack::Pack;

pub fn gains(_pack: &Pack, _kept: &Expr, _sight: &Sight, _ops: &[&str]) -> (Vec<(String, f64)>, f64) {
    (Vec::new(), 0.0)
}

pub fn estimated(_sight: &Sight) -> Option<Expr> {
    None
}
