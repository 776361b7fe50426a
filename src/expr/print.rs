//! The one way to print an expression. It parses back to itself; in files and journals an expression is its text.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::tree::Expr;

impl<L: fmt::Display> fmt::Display for Expr<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, children: &[Self]| {
            children.iter().try_for_each(|child| write!(f, " {child}"))?;
            f.write_str(")")
        };
        match self {
            Expr::Op(leaf) => write!(f, "{leaf}"),
            Expr::Not(child) => write!(f, "(not {child})"),
            Expr::Any(children) => {
                f.write_str("(any")?;
                list(f, children)
            }
            Expr::All(children) => {
                f.write_str("(all")?;
                list(f, children)
            }
            Expr::Vote(least, children) => {
                write!(f, "(vote {least}")?;
                list(f, children)
            }
            Expr::Weighted(threshold, children) => {
                write!(f, "(weighted {threshold}")?;
                children.iter().try_for_each(|(weight, child)| write!(f, " ({weight} {child})"))?;
                f.write_str(")")
            }
        }
    }
}

impl Serialize for Expr {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Expr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_printed_in_one_way() {
        let expr: Expr =
            " ( any\n a(all b c ) (not d)(vote 2 a b)\t(weighted 1.50 (1 a) (0.250 (not b))) ) ".parse().unwrap();
        assert_eq!(expr.to_string(), "(any a (all b c) (not d) (vote 2 a b) (weighted 1.5 (1 a) (0.25 (not b))))");
        assert_eq!(serde_json::to_string(&expr).unwrap(), format!("\"{expr}\""));
        assert_eq!(serde_json::from_str::<Expr>(&format!("\"{expr}\"")).unwrap(), expr);
    }
}
