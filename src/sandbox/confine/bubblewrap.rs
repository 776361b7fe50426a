//! The view of the system that bubblewrap gives a zygote: its library, read-only, and nothing else.

use std::ffi::OsString;
use std::path::Path;

const FLAGS: &[&str] = &[
    "--unshare-user",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--cap-drop",
    "ALL",
    "--die-with-parent",
    "--new-session",
    "--clearenv",
];

/// The arguments before the program to run.
pub(super) fn arguments(readable: &[impl AsRef<Path>], environment: &[(&str, &str)]) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = FLAGS.iter().map(OsString::from).collect();
    for path in readable.iter().map(AsRef::as_ref) {
        // The loader is named through links such as /lib64, so links stay links.
        if path.exists() {
            arguments.extend(["--ro-bind".into(), path.into(), path.into()]);
        }
    }
    for (name, value) in environment {
        arguments.extend(["--setenv", name, value].map(OsString::from));
    }
    arguments.extend(["--remount-ro", "/", "--chdir", "/"].map(OsString::from));
    arguments
}
