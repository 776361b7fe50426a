//! From whatever a script raised to words for a person: file, line, and the script's own message.
//!
//! No frames of the host, no prefixes of the binding, no control characters, no unbounded text.

use mlua::Value;

use crate::verdict::{Fault, FaultKind};

/// The longest fault message, in bytes: a path, a line and a sentence.
const FAULT_BYTES: usize = 600;

/// The fault of a script that raised `raised`.
pub(super) fn fault(path: &str, raised: &Value) -> Fault {
    let words = match raised {
        Value::String(words) => clean(&words.as_bytes(), FAULT_BYTES),
        Value::Error(error) => words(error),
        other => format!("raised {} in place of a message", with_article(other.type_name())),
    };
    let message = if words.starts_with(path) { words } else { format!("{path}: {words}") };
    Fault::new(FaultKind::Error, message)
}

/// The words of a host function's error, without the binding's dressing.
pub(super) fn words(error: &mlua::Error) -> String {
    use mlua::Error::*;
    match error {
        CallbackError { cause, .. } | WithContext { cause, .. } => words(cause),
        RuntimeError(message) => clean(message.as_bytes(), FAULT_BYTES),
        BadArgument { pos, cause, .. } => format!("argument {pos}: {}", words(cause)),
        FromLuaConversionError { from, to, .. } => format!("expected {}, got {}", readable(to), with_article(from)),
        UserDataTypeMismatch => "a method is called on a value of another type".to_owned(),
        StackError => "too many values".to_owned(),
        other => clean(other.to_string().lines().next().unwrap_or_default().as_bytes(), FAULT_BYTES),
    }
}

/// Text that is safe to show and store: valid UTF-8, no control characters, at most `cap` bytes.
pub(super) fn clean(bytes: &[u8], cap: usize) -> String {
    let mut text = String::new();
    for chunk in bytes[..bytes.len().min(cap + 4)].utf8_chunks() {
        let shown = chunk.valid().chars().map(|symbol| if symbol.is_control() { ' ' } else { symbol });
        text.extend(shown);
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    if text.len() > cap {
        text.truncate(text.floor_char_boundary(cap.saturating_sub('…'.len_utf8())));
        text.push('…');
    }
    text
}

/// `a table`, `an error`, `nil`.
pub(super) fn with_article(kind: &str) -> String {
    match kind {
        "nil" => "nothing".to_owned(),
        "userdata" => "a host value".to_owned(),
        "integer" => "a number".to_owned(),
        _ if kind.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

/// A Rust type as a script's author calls it.
fn readable(rust: &str) -> &str {
    match rust {
        "LuaString" | "String" | "string" | "&str" => "a string",
        "Table" | "table" => "a table",
        "usize" | "u32" | "u64" | "i64" | "f64" | "integer" | "number" => "a number",
        "bool" | "boolean" => "a boolean",
        "userdata" => "a host value",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_text_has_no_controls_no_bad_bytes_and_an_end() {
        assert_eq!(clean(b"a\x1b[31m\nb\xff\xc3", 100), "a [31m b\u{fffd}\u{fffd}");
        assert_eq!(clean("ééééé".as_bytes(), 8), "éé…");
        assert_eq!(clean("ééééé".as_bytes(), 10), "ééééé");
    }

    #[test]
    fn an_error_keeps_the_scripts_own_place_or_gets_the_path() {
        let lua = mlua::Lua::new();
        let raised = |text: &str| Value::String(lua.create_string(text).expect("short"));
        assert_eq!(fault("a.lua", &raised("a.lua:3: no")).message, "a.lua:3: no");
        assert_eq!(fault("a.lua", &raised("no")).message, "a.lua: no");
        let table = Value::Table(lua.create_table().expect("empty"));
        assert_eq!(fault("a.lua", &table).message, "a.lua: raised a table in place of a message");
    }
}
