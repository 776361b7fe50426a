//! What ties say of outputs without a label, and which label parts them.

use super::*;

fn ties(exprs: &[&str], ops: &[&str]) -> TieSet {
    let names: Vec<String> = ops.iter().map(|op| op.to_string()).collect();
    let none = Matrix::from_fn(&names, 0, |_, _| State::Clean);
    let bound = exprs.iter().map(|text| none.bind(&expr(text)).unwrap()).collect();
    TieSet::new(exprs.len() as u64, Some(1.0), bound, names)
}

#[test]
fn ties_are_told_apart_with_one_readable_expression_each() {
    let matrix = matrix(&[("a", "110?"), ("b", "110?"), ("c", "0100")]);
    let ties = ties(&["(any a b)", "b", "a", "(all a c)", "c"], &["a", "b", "c"]);
    let told = |matrices: &[&Matrix]| -> Vec<(String, usize)> {
        ties.each_behaviour(matrices).into_iter().map(|one| (one.expr.to_string(), one.ties)).collect()
    };
    assert_eq!(told(&[&matrix]), [("a".into(), 3), ("c".into(), 2)]);
    assert_eq!(told(&[&matrix.rows(&[1, 2])]), [("a".into(), 5)]);
    assert_eq!(ties.each_behaviour(&[&matrix])[0].values, [matrix.planes(0).clone()]);
    assert_eq!(ties.disagreements(&matrix).ones().collect::<Vec<_>>(), [0, 3]);
    assert_eq!(ties.disagreements(&matrix.rows(&[1, 2])).count(), 0);
}

#[test]
fn each_label_halves_what_is_left() {
    let columns = [("a", "111?"), ("b", "1011"), ("c", "1001"), ("d", "1010")];
    let matrix = matrix(&columns);
    let ties = ties(&["a", "b", "c", "d", "(any a a)"], &["a", "b", "c", "d"]);
    let labels = ties.next_labels(&matrix, 9);
    // The first item parts nobody. The third: a, b, d against c, the second: a against three, the fourth: b, c against d
    // while a has no opinion. Each leaves three, so the first of them goes first. If it is no fail, b, c, d are left: the
    // third then leaves two of three, b and d, which the fourth parts.
    let row = |item, fail, pass, no_opinion| NextLabel { item, fail, pass, no_opinion };
    assert_eq!(labels, [row(1, 1, 3, 0), row(2, 2, 1, 0), row(3, 1, 1, 0)]);
    assert_eq!(labels.iter().map(NextLabel::worst_case).collect::<Vec<_>>(), [3, 2, 1]);
    assert_eq!(ties.next_labels(&matrix, 1), labels[..1]);
}

#[test]
fn no_label_parts_those_that_say_the_same_or_nothing() {
    let matrix = matrix(&[("a", "1?"), ("b", "1!"), ("c", "10")]);
    assert_eq!(ties(&["a", "b"], &["a", "b", "c"]).next_labels(&matrix, 3), []);
    // Without an opinion a cannot be refuted; c can, but a label that confirms it leaves both.
    assert_eq!(ties(&["a", "c"], &["a", "b", "c"]).next_labels(&matrix, 3), []);
    assert_eq!(ties(&[], &["a"]).next_labels(&matrix, 3), []);
    assert_eq!(ties(&[], &["a"]).disagreements(&matrix).count(), 0);
}
