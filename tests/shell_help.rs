//! What shells and `man` are told of the command: every subcommand and its options, in a form that they can read.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

mod support;

use support::{gradus, stderr, stdout};

const COMMANDS: [&str; 12] =
    ["new", "check", "test", "try", "import", "split", "evolve", "grade", "explain", "cache", "completions", "man"];

fn said(args: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let output = gradus(dir.path(), args);
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output)
}

/// Whether the shell takes the script without running it; nothing where there is no such shell.
fn is_read_by(shell: &str, script: &str) -> Option<bool> {
    let child = Command::new(shell).arg("-n").stdin(Stdio::piped()).stderr(Stdio::inherit()).spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: there is no {shell} here");
        return None;
    };
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    Some(child.wait().unwrap().success())
}

#[test]
fn completion_scripts_know_every_command_and_its_options() {
    for shell in ["bash", "zsh", "fish"] {
        let script = said(&["completions", shell]);
        for word in COMMANDS.into_iter().chain(["every-leaf", "no-cache", "threads", "seeds"]) {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
        assert_ne!(is_read_by(shell, &script), Some(false), "{shell} cannot read it");
    }
    assert_eq!(is_read_by("bash", "if then"), Some(false), "the check can fail");
    let dir = tempfile::tempdir().unwrap();
    let unknown = gradus(dir.path(), &["completions", "csh"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("possible values: bash, elvish, fish, powershell, zsh"));
}

#[test]
fn manual_pages_hold_the_help_of_every_command() {
    let page = said(&["man"]);
    assert!(page.contains(".TH gradus 1") && page.contains("Exit codes: 0 fine"), "{page}");
    assert!(COMMANDS.iter().all(|command| page.contains(&format!("gradus\\-{command}(1)"))), "{page}");

    let dir = tempfile::tempdir().unwrap();
    let made = gradus(dir.path(), &["man", "-o", "man1"]);
    assert_eq!(stdout(&made), "21 pages in man1\n");
    let page = |name: &str| fs::read_to_string(dir.path().join("man1").join(name)).unwrap();
    for command in COMMANDS {
        assert!(page(&format!("gradus-{command}.1")).contains(".SH SYNOPSIS"), "{command}");
    }
    let grade = page("gradus-grade.1");
    for option in ["\\-\\-every\\-leaf", "\\-\\-tasks", "\\-\\-no\\-cache", "Examples:"] {
        assert!(grade.contains(option), "no {option} in {grade}");
    }
    assert!(page("gradus-cache-clear.1").contains("Delete everything"));
}
