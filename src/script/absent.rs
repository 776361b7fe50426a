//! What to say when a script reaches for a name that it does not have.

use super::registry::ENTRIES;

/// One sentence: what is missing, and what to do instead where there is something.
pub(super) fn reason(name: &str) -> String {
    let instead = match name {
        "print" | "warn" | "io" => "scripts do not print: return drawback(message)",
        "os" => "scripts have no clock and no system: a verdict depends on its input alone",
        "math.random" | "math.randomseed" => {
            "verdicts may not depend on chance: use mutations(task, n) for varied inputs"
        }
        "require" | "loadstring" | "load" | "loadfile" | "dofile" | "package" => {
            "a script is one file, and loads nothing"
        }
        "debug" | "getfenv" | "setfenv" | "collectgarbage" | "gcinfo" | "newproxy" | "_G" | "string.dump" => {
            "scripts do not look into the machine that runs them"
        }
        "setmetatable" | "getmetatable" | "rawget" | "rawset" | "rawequal" | "rawlen" => {
            "scripts have plain tables only"
        }
        "coroutine" => "scripts run in one piece: use a loop or a function",
        "table.foreach" | "table.foreachi" => "use pairs or ipairs",
        "table.move" => "use a loop",
        _ => return undefined(name),
    };
    format!("`{name}` is not available: {instead}")
}

/// Names the host function that was probably meant.
fn undefined(name: &str) -> String {
    let names = ENTRIES.iter().filter(|entry| matches!(entry.owner, "" | "python" | "text")).map(|entry| {
        if entry.owner.is_empty() { entry.name.to_owned() } else { format!("{}.{}", entry.owner, entry.name) }
    });
    let near = names.map(|known| (strsim::damerau_levenshtein(name, &known), known)).min();
    match near {
        Some((1..=2, known)) if name.len() > 3 => format!("`{name}` is not defined; did you mean `{known}`?"),
        _ => format!("`{name}` is not defined"),
    }
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn a_missing_name_gets_a_reason_a_neighbour_or_neither() {
        assert!(reason("print").ends_with("return drawback(message)"));
        assert_eq!(reason("drawbak"), "`drawbak` is not defined; did you mean `drawback`?");
        assert_eq!(reason("text.sentence"), "`text.sentence` is not defined; did you mean `text.sentences`?");
        assert_eq!(reason("x"), "`x` is not defined");
        assert_eq!(reason("shared"), "`shared` is not defined");
    }
}
