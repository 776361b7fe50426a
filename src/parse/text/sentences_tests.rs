//! Where sentences end, and where they only seem to.

use super::*;
use proptest::prelude::*;

fn split(text: &str) -> Vec<&str> {
    sentences(text).iter().map(|span| span.of(text)).collect()
}

#[test]
fn sentences_end_where_a_reader_ends_them() {
    let cases: &[(&str, &[&str])] = &[
        ("", &[]),
        ("  \n ", &[]),
        ("One. Two! Three? Four", &["One.", "Two!", "Three?", "Four"]),
        ("What?! Really... Yes.", &["What?!", "Really...", "Yes."]),
        ("Dr. Smith met Mrs. Jones. They spoke.", &["Dr. Smith met Mrs. Jones.", "They spoke."]),
        ("It costs 3.50 or so. Cheap.", &["It costs 3.50 or so.", "Cheap."]),
        ("See e.g. Smith. Or i.e. nothing.", &["See e.g. Smith.", "Or i.e. nothing."]),
        ("He lives in the U.S. and works.", &["He lives in the U.S. and works."]),
        ("He lives in the U.S. She does not.", &["He lives in the U.S.", "She does not."]),
        (
            "J. R. Tolkien wrote it. So did I. Then we stopped.",
            &["J. R. Tolkien wrote it.", "So did I.", "Then we stopped."],
        ),
        (
            "Apples, pears etc. are fruit. Beans etc. Stones are not.",
            &["Apples, pears etc. are fruit.", "Beans etc.", "Stones are not."],
        ),
        ("Shown by Doe et al. [3] in 2020. It held.", &["Shown by Doe et al. [3] in 2020.", "It held."]),
        ("It rose.[1][2] It fell. [3] It stayed [4, 5].", &["It rose.[1][2]", "It fell. [3]", "It stayed [4, 5]."]),
        (
            "Tagged [E001]. \"Quoted.\" (In brackets.) Done.",
            &["Tagged [E001].", "\"Quoted.\"", "(In brackets.)", "Done."],
        ),
        ("\"Stop!\" he said. “Why?” she asked.", &["\"Stop!\" he said.", "“Why?” she asked."]),
        ("See fig. 3 and no. 7. The rest is clear.", &["See fig. 3 and no. 7.", "The rest is clear."]),
        ("Is it true? No. Never.", &["Is it true?", "No.", "Never."]),
        ("Visit example.com. Use v1.2.3 of it.", &["Visit example.com.", "Use v1.2.3 of it."]),
        ("a soft\nwrap goes on. And\nhere too", &["a soft\nwrap goes on.", "And\nhere too"]),
        ("A paragraph\n\nAnother one", &["A paragraph", "Another one"]),
        ("# Title\nText. More.", &["# Title", "Text.", "More."]),
        (
            "Intro:\n- first thing\n- second. Thing\n1. Third",
            &["Intro:", "- first thing", "- second.", "Thing", "1. Third"],
        ),
        ("これは文です。次の文！最後", &["これは文です。", "次の文！", "最後"]),
        ("Это фраза. Вот другая.", &["Это фраза.", "Вот другая."]),
        ("C'est vrai… Non. «Oui.» Fin.", &["C'est vrai…", "Non.", "«Oui.»", "Fin."]),
        ("Grew 5%. [A link](x) follows.", &["Grew 5%.", "[A link](x) follows."]),
    ];
    for (text, expected) in cases {
        assert_eq!(split(text), *expected, "{text}");
    }
}

#[test]
fn long_runs_of_marks_are_no_trouble() {
    assert_eq!(split(&". [".repeat(20_000)).len(), 20_001);
    assert_eq!(split(&".".repeat(100_000)).len(), 1);
    assert_eq!(split(&"[1]".repeat(30_000)).len(), 1);
}

proptest! {
    #[test]
    fn sentences_are_ordered_and_hold_all_but_blanks(text in "[A-Za-z .!?\\[\\]1\"\n#-]{0,60}|\\PC{0,40}") {
        let spans = sentences(&text);
        let mut end = 0;
        for span in &spans {
            prop_assert!(span.start as usize >= end && span.end > span.start);
            prop_assert!(text[end..span.start as usize].trim().is_empty());
            end = span.end as usize;
        }
        prop_assert!(text[end..].trim().is_empty());
    }
}
