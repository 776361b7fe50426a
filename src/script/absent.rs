//! What to say when a script reaches for a name that it does not have.

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
        _ => return format!("`{name}` is not defined"),
    };
    format!("`{name}` is not available: {instead}")
}
