//! `gradus new`: a folder with a pack that loads, runs and passes its own tests, for its author to change.

use std::path::{Path, PathBuf};

use crate::base::file::{NewFolder, WRITABLE};
use crate::base::{Error, Result};
use crate::pack::manifest::is_name;

/// Start a pack: a folder with a manifest, a root, one op and its test
#[derive(clap::Args)]
#[command(after_help = "Example:\n  gradus new mine\n  gradus check mine\n  gradus test mine")]
pub struct Args {
    /// The pack's folder; its last part is the pack's name
    dir: PathBuf,
    /// What the outputs are written in
    #[arg(long, value_enum, default_value = "python")]
    artifact: Artifact,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Artifact {
    Python,
    Text,
}

/// The files of a new pack, by path; `NAME` stands for the pack's name.
const PYTHON: [(&str, &str); 4] = [
    ("pack.toml", include_str!("scaffold/python/pack.toml")),
    ("root.lua", include_str!("scaffold/python/root.lua")),
    ("seeds/says_nothing.lua", include_str!("scaffold/python/says_nothing.lua")),
    ("cases/says_nothing.md", include_str!("scaffold/python/says_nothing.md")),
];
const TEXT: [(&str, &str); 4] = [
    ("pack.toml", include_str!("scaffold/text/pack.toml")),
    ("root.lua", include_str!("scaffold/text/root.lua")),
    ("seeds/too_short.lua", include_str!("scaffold/text/too_short.lua")),
    ("cases/too_short.md", include_str!("scaffold/text/too_short.md")),
];

pub fn run(args: &Args) -> Result<u8> {
    let name = args.dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !is_name(&name) {
        return Err(Error::usage(format!("`{name}` is not a pack's name"))
            .at(&args.dir, None)
            .help("Lower-case letters, digits and underscores, a letter first"));
    }
    if args.dir.exists() {
        return Err(Error::failure("exists already").at(&args.dir, None).help("Choose another folder"));
    }
    let files = match args.artifact {
        Artifact::Python => PYTHON,
        Artifact::Text => TEXT,
    };
    let folder = NewFolder::beside(&args.dir)?;
    for (file, text) in files {
        write(&folder.path().join(file), &text.replace("NAME", &name), &args.dir.join(file))?;
    }
    folder.keep(&args.dir)?;
    for (file, _) in files {
        say!("{}\n", args.dir.join(file).display());
    }
    say!("\nNext: gradus check {0} and gradus test {0}\n", args.dir.display());
    Ok(0)
}

/// Writes a file of the new folder; `named` is what it will be called.
fn write(path: &Path, text: &str, named: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|error| Error::io(named, "write this file", &error).help(WRITABLE))
}
