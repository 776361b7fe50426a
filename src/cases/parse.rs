//! From Markdown to cases.
//!
//! A heading of the second level starts a case. Fenced blocks are named by their second word: `task` (for the whole
//! file before the first case, or for one case), `output`, `peer`, `seen OP`. List items are expectations; all else is
//! prose.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};
use serde_json::Value;

use crate::base::{Error, Result};
use crate::cases::expectation::Expectation;
use crate::cases::seen;
use crate::observe::Seen;

/// An output, and what ops must say of it.
#[derive(Debug, Clone)]
pub struct Case {
    /// The file, as errors name it.
    pub path: String,
    /// 1-based line of the heading.
    pub line: usize,
    pub title: String,
    pub task: Value,
    pub output: String,
    /// Other outputs of the task.
    pub peers: Vec<String>,
    /// Observations given to an op in place of runs.
    pub seen: Vec<(String, Vec<Arc<Seen>>)>,
    pub expectations: Vec<Expectation>,
}

/// Reads every `*.md` of a folder, by name; none where the folder does not exist.
pub fn load(folder: &Path) -> Result<Vec<Case>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let unreadable = |error| Error::io(folder, "list this folder", &error);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).map_err(|error| Error::io(&path, "read these cases", &error))?;
        cases.extend(parse(&text, &path.display().to_string())?);
    }
    Ok(cases)
}

/// Parses one file.
pub fn parse(text: &str, path: &str) -> Result<Vec<Case>> {
    let mut reader = Reader { text, path, task: None, cases: Vec::new(), draft: None };
    let mut events = Parser::new(text).into_offset_iter();
    while let Some((event, range)) = events.next() {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }) => reader.start(range)?,
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let mut body = String::new();
                for (event, _) in events.by_ref() {
                    match event {
                        Event::Text(piece) => body += &piece,
                        Event::End(TagEnd::CodeBlock) => break,
                        _ => {}
                    }
                }
                reader.block(&info, body, range)?;
            }
            Event::Start(Tag::Item) => reader.item(range)?,
            _ => {}
        }
    }
    reader.finish()?;
    Ok(reader.cases)
}

struct Reader<'t> {
    text: &'t str,
    path: &'t str,
    task: Option<Value>,
    cases: Vec<Case>,
    draft: Option<Draft>,
}

/// A case that is being read.
struct Draft {
    line: usize,
    title: String,
    task: Option<Value>,
    output: Option<String>,
    peers: Vec<String>,
    seen: Vec<(String, Vec<Arc<Seen>>)>,
    expectations: Vec<Expectation>,
}

impl Reader<'_> {
    fn line(&self, at: usize) -> usize {
        self.text[..at].matches('\n').count() + 1
    }

    fn error(&self, line: usize, message: impl Into<String>) -> Error {
        Error::failure(message).at(self.path, Some(line))
    }

    fn start(&mut self, range: Range<usize>) -> Result<()> {
        self.finish()?;
        let title = self.text[range.clone()].trim().trim_start_matches('#').trim().to_string();
        let line = self.line(range.start);
        self.draft = Some(Draft {
            line,
            title,
            task: None,
            output: None,
            peers: Vec::new(),
            seen: Vec::new(),
            expectations: Vec::new(),
        });
        Ok(())
    }

    fn block(&mut self, info: &str, body: String, range: Range<usize>) -> Result<()> {
        let line = self.line(range.start);
        let mut words = info.split_whitespace().skip(1);
        let (name, argument) = (words.next(), words.next());
        match (name, argument, &mut self.draft) {
            (None, _, _) => Ok(()),
            (Some("task"), None, draft) => {
                let task = serde_json::from_str(&body).map_err(|error| {
                    let at = line + error.line();
                    Error::failure(format!("this task is not JSON: {error}")).at(self.path, Some(at))
                })?;
                *draft.as_mut().map_or(&mut self.task, |draft| &mut draft.task) = Some(task);
                Ok(())
            }
            (Some("output"), None, Some(draft)) if draft.output.is_none() => {
                draft.output = Some(body);
                Ok(())
            }
            (Some("output"), None, Some(_)) => {
                Err(self.error(line, "a second output in one case").help("Start another case with a `##` heading"))
            }
            (Some("peer"), None, Some(draft)) => {
                draft.peers.push(body);
                Ok(())
            }
            (Some("seen"), Some(op), Some(draft)) => match seen::parse(&body) {
                Ok(seen) => {
                    draft.seen.push((op.to_string(), seen));
                    Ok(())
                }
                Err(error) => Err(self.error(line, format!("these observations cannot be read: {error}"))),
            },
            _ => Err(self
                .error(line, format!("a block named `{info}` has no place here"))
                .help("Blocks are named task, output, peer or `seen OP`; all but task belong below a `##` heading")),
        }
    }

    fn item(&mut self, range: Range<usize>) -> Result<()> {
        let line = self.line(range.start);
        let text = self.text[range].trim_start_matches(['-', '*', '+']).trim();
        let Some(draft) = &mut self.draft else { return Ok(()) };
        match Expectation::parse(text, line) {
            Ok(expectation) => {
                draft.expectations.push(expectation);
                Ok(())
            }
            Err(error) => Err(self.error(line, error)),
        }
    }

    fn finish(&mut self) -> Result<()> {
        let Some(draft) = self.draft.take() else { return Ok(()) };
        let missing = |what: &str| self.error(draft.line, format!("the case \"{}\" has no {what}", draft.title));
        let task = draft.task.or_else(|| self.task.clone()).ok_or_else(|| missing("task"))?;
        let output = draft.output.ok_or_else(|| missing("output"))?;
        if draft.expectations.is_empty() {
            return Err(missing("expectation").help("Add a line such as - `op` clean"));
        }
        self.cases.push(Case {
            path: self.path.to_string(),
            line: draft.line,
            title: draft.title,
            task,
            output,
            peers: draft.peers,
            seen: draft.seen,
            expectations: draft.expectations,
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# an op\n\n```json task\n{\"id\": \"t\"}\n```\n\n## fires: here\n\n```python output\nprint(1)\n```\n\n```json seen a\n[]\n```\n\n- `a` drawback at `print`\n- `root` clean\n";

    #[test]
    fn a_case_has_task_output_observations_and_expectations() {
        let cases = parse(FILE, "cases/a.md").unwrap();
        assert_eq!(cases.len(), 1);
        let case = &cases[0];
        assert_eq!((case.line, case.title.as_str(), case.output.as_str()), (7, "fires: here", "print(1)\n"));
        assert_eq!(case.task["id"], "t");
        assert_eq!(case.seen[0].0, "a");
        assert_eq!(
            case.expectations.iter().map(|e| (e.line, e.op.as_str())).collect::<Vec<_>>(),
            [(17, "a"), (18, "root")]
        );
    }

    #[test]
    fn what_is_missing_is_named_with_its_line() {
        let error = |text: &str| parse(text, "cases/a.md").unwrap_err().to_string();
        assert!(
            error(&FILE.replace("python output", "python"))
                .starts_with("cases/a.md:7: the case \"fires: here\" has no output")
        );
        assert!(error(&FILE.replace("`a` drawback", "a drawback")).starts_with("cases/a.md:17: expected"));
        assert!(error(&FILE.replace("{\"id\"", "{id")).starts_with("cases/a.md:4: this task is not JSON"));
    }
}
