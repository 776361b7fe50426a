//! One Luau machine: a standard library without effects, read-only globals, limits, and a way to call a script.
//!
//! Built once per worker and reused; everything a script could leave behind is either collected or read-only.

use std::collections::HashMap;
use std::sync::Arc;

use mlua::chunk::ChunkMode;
use mlua::{Function, Lua, LuaOptions, MultiValue, StdLib, Table, Value, VmState};

use super::host::{self, Queries, Services};
use super::limits::{Limits, Spent};
use super::module::Module;
use super::registry::{ENTRIES, Kind, OWNERS};
use super::rewrite::EACH;
use super::{absent, trace};
use crate::verdict::{Fault, FaultKind};

/// The standard functions that scripts keep, by library; the empty name is the global table.
const STANDARD: [(&str, &[&str]); 6] = [
    ("", &["assert", "error", "ipairs", "select", "tonumber", "type", "unpack"]),
    (
        "string",
        &[
            "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "rep", "reverse", "split",
            "sub", "upper",
        ],
    ),
    (
        "table",
        &["clone", "concat", "create", "find", "freeze", "insert", "isfrozen", "pack", "remove", "sort", "unpack"],
    ),
    (
        "math",
        &[
            "abs", "acos", "asin", "atan", "atan2", "ceil", "clamp", "cos", "cosh", "deg", "exp", "floor", "fmod",
            "frexp", "huge", "ldexp", "log", "log10", "max", "min", "modf", "pi", "pow", "rad", "round", "sign", "sin",
            "sinh", "sqrt", "tan", "tanh",
        ],
    ),
    (
        "bit32",
        &[
            "arshift", "band", "bnot", "bor", "btest", "bxor", "extract", "lrotate", "lshift", "replace", "rrotate",
            "rshift",
        ],
    ),
    ("utf8", &["char", "charpattern", "codepoint", "codes", "len", "offset"]),
];

/// Whether scripts have a global of this name.
pub(super) fn is_global(name: &str) -> bool {
    const REPLACED: [&str; 5] = ["next", "pairs", "pcall", "tostring", "xpcall"];
    STANDARD.iter().any(|(library, members)| *library == name || library.is_empty() && members.contains(&name))
        || REPLACED.contains(&name)
        || OWNERS.iter().any(|owner| owner.kind == Kind::Library && owner.name == name)
        || ENTRIES.iter().any(|entry| entry.owner.is_empty() && entry.name == name)
}

/// Modules whose code a machine keeps; a pool has a few hundred.
const KEPT_CHUNKS: usize = 1000;

/// What a call of a script came to.
pub(super) enum Outcome {
    Returned(MultiValue),
    Failed(Fault),
}

pub(super) struct Machine {
    lua: Lua,
    services: Arc<Services>,
    /// Calls a function and presents what it raises.
    run: Function,
    /// The metatable of every script's own environment.
    surroundings: Table,
    /// By the module's address, with the module kept so that the address stays its own.
    chunks: HashMap<usize, (Module, Function)>,
    /// Bytes held after the last collection.
    baseline: usize,
    calls: u64,
    /// Whether the last call allocated over half of its limit, or all of it.
    heavy: bool,
    worn: bool,
}

impl Machine {
    pub fn new(limits: &Limits, queries: &Arc<Queries>) -> mlua::Result<Self> {
        let libraries = StdLib::STRING | StdLib::TABLE | StdLib::MATH | StdLib::BIT | StdLib::UTF8 | StdLib::DEBUG;
        let lua = Lua::new_with(libraries, LuaOptions::default())?;
        let services = Arc::new(Services::new(limits.clone(), Arc::clone(queries)));
        let (run, globals) = prelude(&lua, &services)?;
        globals.set_readonly(true);
        let surroundings = lua.create_table_from([("__index", globals)])?;
        surroundings.set_readonly(true);
        lua.sandbox(true)?;

        let meter = Arc::clone(&services);
        lua.set_interrupt(move |_| meter.gauge.tick().map(|()| VmState::Continue));
        lua.gc_collect()?;
        lua.gc_stop();
        let baseline = lua.used_memory();
        Ok(Self {
            lua,
            services,
            run,
            surroundings,
            chunks: HashMap::new(),
            baseline,
            calls: 0,
            heavy: false,
            worn: false,
        })
    }

    pub fn services(&self) -> &Services {
        &self.services
    }

    /// How many calls this machine has served.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Whether the last call allocated so much that what the machine held before might have mattered.
    pub fn heavy(&self) -> bool {
        self.heavy
    }

    /// Whether the last call ran into the backstop.
    pub fn stopped(&self) -> bool {
        self.services.gauge.spent() == Some(Spent::Wall)
    }

    /// Whether it serves no further output: a call was heavy or stopped, or it holds the code of very many modules.
    pub fn worn(&self) -> bool {
        self.worn || self.chunks.len() > KEPT_CHUNKS
    }

    /// Instantiates the module in an environment of its own and passes its table to `then`, which names a function
    /// and its arguments; calls it, all within one budget. Without a function the table itself is the answer.
    pub fn call(
        &mut self,
        module: &Module,
        then: impl FnOnce(&Lua, &Table) -> mlua::Result<Option<(Function, MultiValue)>>,
    ) -> Outcome {
        let limits = self.services.limits.clone();
        self.tidy(&limits);
        let chunk = match self.chunk(module) {
            Ok(chunk) => chunk,
            Err(error) => return Outcome::Failed(broken(module, &error)),
        };
        let before = self.lua.used_memory();
        self.services.gauge.begin(&limits);
        let outcome = self
            .lua
            .set_memory_limit(before + limits.memory)
            .and_then(|_| self.instantiate_and_call(module, &chunk, then));
        self.services.gauge.end();
        let _ = self.lua.set_memory_limit(0);
        self.calls += 1;

        let used = self.lua.used_memory().saturating_sub(before);
        if let Err(mlua::Error::MemoryError(_)) = outcome {
            self.services.gauge.hit(Spent::Memory);
        }
        let spent = self.services.gauge.spent();
        self.heavy = used > limits.memory / 2 || spent == Some(Spent::Memory);
        self.worn |= self.heavy || spent == Some(Spent::Wall);
        match (spent, outcome) {
            (Some(spent), _) => Outcome::Failed(spent.fault(module.path(), &limits)),
            (None, Ok(outcome)) => outcome,
            (None, Err(error)) => Outcome::Failed(broken(module, &error)),
        }
    }

    fn instantiate_and_call(
        &self,
        module: &Module,
        chunk: &Function,
        then: impl FnOnce(&Lua, &Table) -> mlua::Result<Option<(Function, MultiValue)>>,
    ) -> mlua::Result<Outcome> {
        let environment = self.lua.create_table()?;
        environment.set_metatable(Some(self.surroundings.clone()))?;
        chunk.set_environment(environment)?;
        let values = match self.run(module, chunk, MultiValue::new())? {
            Outcome::Returned(values) => values,
            failed => return Ok(failed),
        };
        let Some(Value::Table(table)) = values.front() else {
            let fault = Fault::new(FaultKind::Malformed, format!("{}: does not return a table", module.path()));
            return Ok(Outcome::Failed(fault));
        };
        match then(&self.lua, table)? {
            Some((function, arguments)) => self.run(module, &function, arguments),
            None => Ok(Outcome::Returned(values)),
        }
    }

    fn run(&self, module: &Module, function: &Function, mut arguments: MultiValue) -> mlua::Result<Outcome> {
        arguments.push_front(Value::Function(function.clone()));
        let mut values: MultiValue = self.run.call(arguments)?;
        match values.pop_front() {
            Some(Value::Boolean(true)) => Ok(Outcome::Returned(values)),
            _ => {
                let raised = values.pop_front().unwrap_or(Value::Nil);
                if raised.as_string().is_some_and(|words| words.as_bytes() == b"not enough memory") {
                    self.services.gauge.hit(Spent::Memory);
                }
                Ok(Outcome::Failed(trace::fault(module.path(), &raised)))
            }
        }
    }

    /// The module's code, loaded once from the host's own bytecode; running it makes an instance.
    fn chunk(&mut self, module: &Module) -> mlua::Result<Function> {
        if let Some((_, chunk)) = self.chunks.get(&module.address()) {
            return Ok(chunk.clone());
        }
        let chunk = self
            .lua
            .load(module.bytecode())
            .set_name(format!("={}", module.path()))
            .set_mode(ChunkMode::Binary)
            .into_function()?;
        self.chunks.insert(module.address(), (module.clone(), chunk.clone()));
        Ok(chunk)
    }

    /// Collects what earlier calls left once it is worth it, and keeps the collector still otherwise.
    fn tidy(&mut self, limits: &Limits) {
        let left = self.lua.used_memory().saturating_sub(self.baseline) + self.services.held();
        if left > limits.memory / 4 {
            let _ = self.lua.gc_collect();
            self.baseline = self.lua.used_memory();
            self.services.released();
        }
        self.lua.gc_stop();
    }
}

/// A failure that is the host's, not the script's.
fn broken(module: &Module, error: &mlua::Error) -> Fault {
    Fault::new(FaultKind::Infrastructure, format!("{}: {}", module.path(), trace::words(error)))
}

/// Runs the host's Lua over the standard library and adds the host's functions; gives the runner and the table of
/// global names, in which a name that is not there is an error.
fn prelude(lua: &Lua, services: &Arc<Services>) -> mlua::Result<(Function, Table)> {
    let standard = lua.globals();
    let native = lua.create_table()?;
    native.set("each", EACH)?;
    native.set("standard", &standard)?;
    native.set("words", lua.create_function(|_, raised: Value| Ok(raised.as_error().map(trace::words)))?)?;
    native.set("absent", lua.create_function(|_, name: String| Ok(absent::reason(&name)))?)?;
    let meter = Arc::clone(services);
    let out_of_memory = move |_: &Lua, ()| {
        meter.gauge.hit(Spent::Memory);
        meter.gauge.spend(0)
    };
    native.set("out_of_memory", lua.create_function(out_of_memory)?)?;
    host::strings::install(lua, &native, services)?;
    let libraries = lua.create_table()?;
    for (library, members) in STANDARD.iter().filter(|(library, _)| !library.is_empty()) {
        libraries.set(*library, lua.create_table_from(members.iter().map(|member| (*member, true)))?)?;
    }
    native.set("libraries", libraries)?;

    let made: Table = lua.load(include_str!("prelude.lua")).set_name("=host").call(native)?;
    let globals: Table = made.get("globals")?;
    for (library, members) in STANDARD {
        if library.is_empty() {
            for name in members {
                globals.set(*name, standard.get::<Value>(*name)?)?;
            }
        } else {
            globals.set(library, standard.get::<Table>(library)?)?;
        }
    }
    host::install(lua, &globals, services)?;
    let absent_from: Function = made.get("absent_from")?;
    for library in OWNERS.iter().filter(|owner| owner.kind == Kind::Library) {
        let table: Table = globals.raw_get(library.name)?;
        table.set_metatable(Some(absent_from.call(format!("{}.", library.name))?))?;
        table.set_readonly(true);
    }
    globals.set_metatable(Some(absent_from.call("")?))?;
    Ok((made.get("run")?, globals))
}
