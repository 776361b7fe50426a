//! PX and F against values from a second implementation, with plain loops over items, in another language.

use super::*;

/// Six ops on ten labels and thirty outputs of eight tasks, with abstentions, faults, and outputs below the root.
fn thirty() -> Split {
    use Strength::{Evidence, Proof, Smell};
    let mut split = Split::new(
        "1111100000",
        &[
            ("boundary", Evidence, "?100?00010", "010000?000!0001?000?0000?00000"),
            ("crash", Proof, "000?000000", "00000000000010000!000000000000"),
            ("example", Proof, "1110100000", "!00?1010000000000000000!?????0"),
            ("peers", Evidence, "0101??00?0", "000?0010100000?000001001001100"),
            ("style", Smell, "0000100000", "0001100000?1000010000000000100"),
            ("text", Smell, "0!00000000", "1001??1!0010000000?100?0100000"),
        ],
    );
    split.dev_root = bits("0000100000");
    split.train_root = bits("000100000000000001000000000000");
    let sizes = [4, 1, 6, 3, 5, 2, 6, 3];
    split.tasks = sizes.iter().enumerate().flat_map(|(task, &size)| std::iter::repeat_n(task, size)).collect();
    split
}

fn gains(split: &Split, seed: &str) -> Vec<(String, f64)> {
    let ground = split.ground();
    let ops: Vec<Expr> = ground.active().into_iter().map(|column| ground.op(column)).collect();
    let found = extend(&ground, &expr(seed), &ops).unwrap();
    found.into_iter().map(|extension| (extension.op.to_string(), extension.gain)).collect()
}

fn assert_gains(found: Vec<(String, f64)>, expected: &[(&str, f64)]) {
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, expected.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for ((name, gain), (_, wanted)) in found.iter().zip(expected) {
        assert!((gain - wanted).abs() < 1e-12, "{name}: {gain} is not {wanted}");
    }
}

#[test]
fn px_equals_the_second_implementation() {
    let mut split = thirty();
    assert_gains(
        gains(&split, "example"),
        &[
            ("style", 0.0913733550372218),
            ("crash", -0.017496211691742123),
            ("boundary", -0.043008990982190166),
            ("peers", -0.055357705744305714),
            ("text", -0.059109452883367275),
        ],
    );
    assert_gains(
        gains(&split, "peers"),
        &[
            ("crash", -0.020689483938989107),
            ("example", -0.037690197941993714),
            ("boundary", -0.04567063552766863),
            ("text", -0.07628373377876671),
            ("style", -0.09119041831962196),
        ],
    );
    split.fail_share = Some(0.2);
    assert_gains(
        gains(&split, "(any crash example)"),
        &[
            ("style", -0.04240661074093318),
            ("boundary", -0.042993925745853596),
            ("text", -0.08294108470293178),
            ("peers", -0.09252460420344792),
        ],
    );
}

#[test]
fn a_screened_fail_share_counts_up_to_the_configured_one() {
    let split = thirty();
    let screened = Split { fail_share: Some(0.7), ..split.clone() };
    assert_eq!(gains(&split, "example"), gains(&screened, "example"));
}

#[test]
fn the_grid_is_close_to_the_integral() {
    // The second implementation with 200,000 points.
    let found = gains(&thirty(), "(any crash example)");
    let exact = [0.04182641255789149, -0.04540710209515932, -0.0750774634275162, -0.07560078723208563];
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["style", "boundary", "text", "peers"]);
    assert!(found.iter().zip(exact).all(|((_, gain), exact)| (gain - exact).abs() < 1e-4));
}

#[test]
fn a_seed_is_extended_by_the_best_op_if_it_gains_enough() {
    let mut split = thirty();
    let extended = |split: &Split, seed: &str| extended(&split.ground(), &expr(seed)).unwrap().to_string();
    assert_eq!(extended(&split, "example"), "(any example style)");
    assert_eq!(extended(&split, "(any crash example)"), "(any crash example)");
    split.selection.extend.needed = 0.04;
    assert_eq!(extended(&split, "(any crash example)"), "(any crash example style)");
    split.pool[4].active = false;
    assert_eq!(extended(&split, "(any crash example)"), "(any crash example)");
}

#[test]
fn suspicions_equal_the_second_implementation() {
    let split = thirty();
    let expected = [0.16527560049862539, 0.30804032718984176, 0.11549048353936565, 0.23986791806807445];
    let found = suspicions(&split.ground());
    assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12));
}

#[test]
fn f_equals_the_second_implementation() {
    let split = thirty();
    let ground = split.ground();
    let picked = no_seed(&ground).unwrap();
    assert_eq!((picked.expr.to_string().as_str(), picked.ties.size()), ("(any crash example peers)", 1));
    assert!((picked.value - 0.8408304658755974).abs() < 1e-12);
    let worth = Worth::new(&ground);
    for (text, value) in
        [("(any example peers)", 0.8286328102884887), ("(any boundary example peers)", 0.7848412212312224)]
    {
        assert!((worth.value(&ground, &expr(text)).unwrap() - value).abs() < 1e-12);
    }
}
