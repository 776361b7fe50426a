//! A bare machine with a naive host: the standard library as it comes, tables for verdicts, modules that stay.
//!
//! Guards keep the test finite: an attack that is still running after three times the host's fuel has shown its point.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use mlua::{Function, Lua, LuaString, Table, Value, VmState};

use crate::corpus::{Attack, Bare, Hosted};

/// Safepoints after which a run counts as endless, and when a caught timeout is raised.
const ENDLESS: u64 = 3_000_000;
const TIMEOUT: u64 = 1_000_000;
/// Bytes past which a run counts as growing, and where the guard stops it.
const LARGE: usize = 64 << 20;
const GUARD: usize = 160 << 20;
/// Work without a safepoint that counts as silent, in milliseconds: a lower bound, which a slow machine only raises.
const SILENT_MS: u64 = 20;
/// When the guard stops a run that makes few steps.
const SLOW_MS: u64 = 1_000;

const NAIVE_HOST: &str = "
    local function verdict(word) return function(message, span) return { verdict = word, message = message or word, span = span } end end
    drawback, clean, abstain = verdict('drawback'), verdict('clean'), verdict('abstain')
    function span(first, last) return { first = first, last = last } end
    python = { parse = function(text) return { source = text } end }
    task = { id = 't', examples = { 'assert f() == 1' } }
    artifact = { entry = 'mine', list = { 3, 1, 2 }, node = { source = 'pass', text = function(self) return self.source end } }
";

/// What was seen of one attack.
struct Run {
    /// The last call's words, or its error.
    words: Result<String, String>,
    safepoints: u64,
    longest_silence_ms: u64,
    stopped_slow: bool,
    peak: usize,
}

/// Whether the attack works here.
pub fn works(attack: &Attack) -> Result<(), String> {
    let catches_one = matches!(attack.bare, Bare::Swallows)
        || matches!(attack.hosted, Hosted::Fuel if !matches!(attack.bare, Bare::Endless));
    let run = run(attack, catches_one);
    let shown = match attack.bare {
        Bare::Endless | Bare::Swallows => run.safepoints >= ENDLESS,
        Bare::Silent => run.longest_silence_ms >= SILENT_MS,
        Bare::Slow => run.stopped_slow && run.safepoints < TIMEOUT,
        Bare::Grows => run.peak >= LARGE || matches!(&run.words, Err(words) if words.contains("not enough memory")),
        Bare::Says(expected) => run.words.as_deref() == Ok(expected),
        Bare::Tells(part) => run.words.as_ref().is_ok_and(|words| words.contains(part)),
        Bare::Differs => differs(attack, &run),
    };
    let seen = (run.words, run.safepoints, run.longest_silence_ms, run.peak);
    if shown { Ok(()) } else { Err(format!("does not work on a bare machine: {seen:?}")) }
}

/// Whether another machine says something else; all machines are kept, so that none takes another's place.
fn differs(attack: &Attack, first: &Run) -> bool {
    let mut kept = Vec::new();
    (0..20).any(|size| {
        kept.push(vec![0_u8; 1000 * size]);
        run(attack, false).words != first.words
    })
}

fn run(attack: &Attack, time_out_once: bool) -> Run {
    let lua = Lua::new();
    let safepoints = Arc::new(AtomicU64::new(0));
    let silence = Arc::new(AtomicU64::new(0));
    let slow = Arc::new(AtomicBool::new(false));
    watch(&lua, [&safepoints, &silence], &slow, attack.bare, time_out_once);
    lua.load(NAIVE_HOST).exec().expect("the naive host loads");
    lua.set_memory_limit(GUARD).expect("a limit");

    let mut checks: Vec<Option<Function>> = vec![None; attack.modules.len()];
    let mut words = Err("not called".to_owned());
    for which in attack.calls {
        let outcome = match &checks[*which] {
            Some(check) => call(&lua, check),
            None => load(&lua, attack.modules[*which]).and_then(|check| {
                checks[*which] = Some(check.clone());
                call(&lua, &check)
            }),
        };
        words = outcome.map_err(|error| error.to_string());
    }
    Run {
        words,
        safepoints: safepoints.load(Relaxed),
        longest_silence_ms: silence.load(Relaxed),
        stopped_slow: slow.load(Relaxed),
        peak: lua.used_memory(),
    }
}

fn load(lua: &Lua, (before, body): (&str, &str)) -> mlua::Result<Function> {
    lua.load(format!("{before} return function(task, artifact, seen) {body} end")).eval()
}

fn call(lua: &Lua, check: &Function) -> mlua::Result<String> {
    let globals = lua.globals();
    let answer: Value = check.call((globals.get::<Table>("task")?, globals.get::<Table>("artifact")?))?;
    let words: LuaString =
        lua.load("local answer = ... return tostring(answer.message or answer.verdict)").call(answer)?;
    Ok(words.to_string_lossy())
}

/// Counts safepoints and the time between them; raises one timeout that a script may catch, and stops what is endless.
fn watch(lua: &Lua, counters: [&Arc<AtomicU64>; 2], slow: &Arc<AtomicBool>, bare: Bare, time_out_once: bool) {
    let ([count, longest], slow, start) = (counters.map(Arc::clone), Arc::clone(slow), Instant::now());
    let last = AtomicU64::new(0);
    lua.set_interrupt(move |_| {
        let passed = count.fetch_add(1, Relaxed) + 1;
        if matches!(bare, Bare::Slow | Bare::Silent) {
            let now = start.elapsed().as_millis() as u64;
            longest.fetch_max(now - last.swap(now, Relaxed), Relaxed);
            slow.fetch_or(matches!(bare, Bare::Slow) && now >= SLOW_MS, Relaxed);
        }
        let stop = passed >= ENDLESS || slow.load(Relaxed) || (time_out_once && passed == TIMEOUT);
        if stop { Err(mlua::Error::runtime("timeout")) } else { Ok(VmState::Continue) }
    });
}
