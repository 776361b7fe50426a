//! The file rules of a zygote: it reads its library and nothing else, and changes nothing at all.

use std::os::fd::OwnedFd;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope,
};

/// The rights that the newest kernel known here can take away; an older one takes away what it knows.
const NEWEST: ABI = ABI::V7;

/// A ruleset that lets `folders` and `executable` be read and executed. `None` where the kernel has no landlock.
pub(super) fn ruleset(executable: &Path, folders: &[impl AsRef<Path>]) -> Result<Option<OwnedFd>, RulesetError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    let file = AccessFs::ReadFile | AccessFs::Execute;
    let folder = file | AccessFs::ReadDir;
    let mut allow = |path: &Path, rights: BitFlags<AccessFs>| -> Result<(), RulesetError> {
        // A folder that is not there needs no rule.
        if let Ok(opened) = PathFd::new(path) {
            (&mut ruleset).add_rule(PathBeneath::new(opened, rights))?;
        }
        Ok(())
    };
    allow(executable, file)?;
    for path in folders {
        allow(path.as_ref(), folder)?;
    }
    Ok(ruleset.into())
}
