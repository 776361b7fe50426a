//! Finds the Python interpreter, and what it must be able to read to work.
//!
//! It is asked once, unconfined and without site packages, by a fixed text; no candidate is near.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::Missing;

/// A Python interpreter that the sandbox can use.
#[derive(Debug, Clone)]
pub(super) struct Interpreter {
    /// The binary itself: no shim, no link.
    pub executable: PathBuf,
    /// Implementation and version, such as `cpython 3.11.2`.
    pub version: String,
    /// The folders that it reads: its standard library, and the shared libraries that it has loaded.
    pub folders: Vec<PathBuf>,
}

const OLDEST: (u32, u32) = (3, 9);
const INSTALL: &str = "Install Python 3.9 or newer with its whole standard library (Debian and Ubuntu: apt install \
                       python3), or name another in the settings";

/// Prints NUL-separated fields: executable, implementation, version, then folders. Importing what the harness imports
/// maps every shared library that it needs.
const QUESTION: &str = "
import sys, os, ctypes, random, _socket, resource, math, marshal, dis, dataclasses, typing, decimal
found = {os.path.dirname(os.path.realpath(line.split()[-1])) for line in open('/proc/self/maps') if '.so' in line}
found.update(os.path.realpath(each) for each in sys.path if each and os.path.isdir(each))
version = '%d.%d.%d' % sys.version_info[:3]
fields = [os.path.realpath(sys.executable), sys.implementation.name, version, *sorted(found)]
sys.stdout.buffer.write(b'\\0'.join(os.fsencode(each) for each in fields))
";

impl Interpreter {
    /// Asks `python`, or else the first `python3` on the path.
    pub fn find(python: Option<&Path>) -> Result<Self, Missing> {
        let named = python.unwrap_or(Path::new("python3"));
        let mut question = Command::new(named);
        question.args(["-I", "-S", "-B", "-c", QUESTION]).stdin(Stdio::null());
        let output = question.output().map_err(|error| match error.kind() {
            ErrorKind::NotFound if python.is_none() => Missing::new("there is no `python3` on the path").help(INSTALL),
            _ => Missing::new(format!("cannot run {}: {error}", named.display())).help(INSTALL),
        })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.lines().last().unwrap_or("it said nothing").to_owned();
            return Err(Missing::new(format!("{} does not work as a Python interpreter: {said}", named.display()))
                .help(INSTALL));
        }
        Self::from_answer(&output.stdout).ok_or_else(|| {
            let named = named.display();
            Missing::new(format!("{named} is not CPython {}.{} or newer", OLDEST.0, OLDEST.1)).help(INSTALL)
        })
    }

    /// All that a confined interpreter may read, the binary included.
    pub(super) fn readable(&self) -> Vec<PathBuf> {
        let common = COMMON.iter().map(PathBuf::from);
        common.chain(self.folders.iter().cloned()).chain([self.executable.clone()]).collect()
    }

    fn from_answer(answer: &[u8]) -> Option<Self> {
        let mut fields = answer.split(|byte| *byte == 0);
        let executable = path(fields.next()?);
        let implementation = std::str::from_utf8(fields.next()?).ok()?;
        let version = std::str::from_utf8(fields.next()?).ok()?;
        let mut numbers = version.split('.').map(str::parse::<u32>);
        let release = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        let fits = implementation == "cpython" && release >= OLDEST;
        let version = format!("{implementation} {version}");
        fits.then(|| Self { executable, version, folders: fields.map(path).collect() })
    }
}

/// Read by every program: where the loader and the clock look.
const COMMON: [&str; 6] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo"];

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_and_an_old_or_strange_one_is_not() {
        let found = Interpreter::from_answer(b"/usr/bin/python3.11\x00cpython\x003.11.2\x00/lib\x00/usr/lib").unwrap();
        assert_eq!(found.executable, Path::new("/usr/bin/python3.11"));
        assert_eq!(found.version, "cpython 3.11.2");
        assert_eq!(found.folders, [Path::new("/lib"), Path::new("/usr/lib")]);
        assert!(Interpreter::from_answer(b"/p\x00cpython\x003.8.18").is_none());
        assert!(Interpreter::from_answer(b"/p\x00pypy\x003.10.1").is_none());
        assert!(Interpreter::from_answer(b"").is_none());
    }

    #[test]
    fn what_is_not_an_interpreter_is_named() {
        let missing = Interpreter::find(Some(Path::new("/bin/false"))).unwrap_err();
        assert!(missing.to_string().contains("/bin/false does not work as a Python interpreter"), "{missing}");
        let missing = Interpreter::find(Some(Path::new("/no/such/python3"))).unwrap_err();
        assert!(missing.to_string().contains("cannot run /no/such/python3"), "{missing}");
    }
}
