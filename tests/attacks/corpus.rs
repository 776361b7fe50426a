//! Attacks of scripts on their host: what each does on a bare machine, and what must come of it here.

/// What an attack achieves on a bare machine.
#[derive(Debug, Clone, Copy)]
pub enum Bare {
    /// Runs on past three times the host's fuel.
    Endless,
    /// Catches a timeout and runs on.
    Swallows,
    /// Works for a long time without a single safepoint.
    Silent,
    /// Works for a long time between safepoints, without end.
    Slow,
    /// Takes more than four times the host's memory.
    Grows,
    /// The last call says exactly this.
    Says(&'static str),
    /// The last call's words contain this.
    Tells(&'static str),
    /// Two machines disagree.
    Differs,
}

/// What must come of the last call in the host.
#[derive(Debug, Clone, Copy)]
pub enum Hosted {
    Fuel,
    Memory,
    /// Ends by the backstop, as an infrastructure fault.
    Backstop,
    /// An error of the script whose message contains this.
    Error(&'static str),
    Malformed,
    Clean,
    Says(&'static str),
    /// The script is not even loaded; the refusal contains this.
    Refused(&'static str),
}

/// One attack: modules as (what stands before `check`, the body of `check`), called in order, each as often as it is
/// named in `calls`.
pub struct Attack {
    pub name: &'static str,
    pub modules: &'static [(&'static str, &'static str)],
    pub calls: &'static [usize],
    pub bare: Bare,
    pub hosted: Hosted,
}

const fn attack(
    name: &'static str,
    modules: &'static [(&'static str, &'static str)],
    bare: Bare,
    hosted: Hosted,
) -> Attack {
    let calls: &[usize] = if modules.len() == 1 { &[0] } else { &[0, 1] };
    Attack { name, modules, calls, bare, hosted }
}

const LEAK: &str = "return drawback(artifact.entry)";
const ABSENT: &str = "is not available";

use Bare::*;
use Hosted::{Backstop, Clean, Error, Fuel, Malformed, Memory, Refused};

pub const ATTACKS: &[Attack] = &[
    // Time, at safepoints.
    attack("while true", &[("", "while true do end")], Endless, Fuel),
    attack("repeat until false", &[("", "repeat until false")], Endless, Fuel),
    attack("a numeric loop without end", &[("", "for i = 1, 1e18 do end")], Endless, Fuel),
    attack("an iterator without end", &[("", "for _ in function() return 1 end do end")], Endless, Fuel),
    attack("a body that never ends", &[("while true do end", "return clean()")], Endless, Refused("used up its")),
    attack(
        "doubly recursive",
        &[("", "local function f(n) return n < 2 and n or f(n - 1) + f(n - 2) end f(60)")],
        Endless,
        Fuel,
    ),
    attack("recursion through pcall", &[("", "local function f() pcall(f) f() end f()")], Endless, Fuel),
    attack(
        "a table that grows while it is iterated",
        &[("", "local t = { 1 } for i in ipairs(t) do t[i + 1] = i end")],
        Endless,
        Fuel,
    ),
    attack(
        "a comparator without end",
        &[("", "table.sort({ 2, 1, 3 }, function() while true do end end)")],
        Endless,
        Fuel,
    ),
    attack("a handler without end", &[("", "xpcall(error, function() while true do end end, 'x')")], Endless, Fuel),
    attack("a replacement without end", &[("", "('x'):gsub('x', function() while true do end end)")], Endless, Fuel),
    attack(
        "a coroutine without end",
        &[("", "coroutine.wrap(function() while true do end end)()")],
        Endless,
        Error(ABSENT),
    ),
    attack(
        "an error whose words never end",
        &[("", "error(setmetatable({}, { __tostring = function() while true do end end }))")],
        Endless,
        Error(ABSENT),
    ),
    attack(
        "an index without end",
        &[("", "return setmetatable({}, { __index = function() while true do end end }).x")],
        Endless,
        Error(ABSENT),
    ),
    attack(
        "an ordering without end",
        &[(
            "",
            "local m = { __lt = function() while true do end end } return setmetatable({}, m) < setmetatable({}, m)",
        )],
        Endless,
        Error(ABSENT),
    ),
    // Time, in pattern matching.
    attack("stars upon stars", &[("", "('a'):rep(40):find(('a*'):rep(20) .. 'b')")], Endless, Fuel),
    attack("lazy upon lazy", &[("", "('x'):rep(3000):match('(.-)(.-)(.-)(.-)y')")], Endless, Fuel),
    attack("a lazy replacement", &[("", "('a'):rep(5000):gsub('.-.-.-b', '')")], Endless, Fuel),
    attack("a lazy iterator", &[("", "for _ in ('a'):rep(5000):gmatch('.-.-.-b') do end")], Endless, Fuel),
    // Time, where a timeout is caught.
    attack("pcall around a loop", &[("", "while true do pcall(function() while true do end end) end")], Swallows, Fuel),
    attack(
        "xpcall around a loop",
        &[("", "while true do xpcall(function() while true do end end, function() end) end")],
        Swallows,
        Fuel,
    ),
    attack(
        "pcall in a replacement",
        &[("", "while true do ('ab'):gsub('.', function() pcall(function() while true do end end) end) end")],
        Swallows,
        Fuel,
    ),
    attack(
        "pcall in a comparator",
        &[(
            "",
            "while true do table.sort({ 2, 1 }, function(a, b) pcall(function() while true do end end) return a < b end) end",
        )],
        Swallows,
        Fuel,
    ),
    attack(
        "resume around a loop",
        &[("", "while true do coroutine.resume(coroutine.create(function() while true do end end)) end")],
        Swallows,
        Error(ABSENT),
    ),
    attack(
        "a caught timeout and a verdict",
        &[("", "pcall(function() while true do end end) return clean()")],
        Says("clean"),
        Fuel,
    ),
    // Time, without safepoints.
    attack(
        "a plain search",
        &[("", "local s = ('a'):rep(600000) s:find(('a'):rep(300000) .. 'b', 1, true) return clean()")],
        Silent,
        Clean,
    ),
    attack(
        "a search without pattern characters",
        &[("", "local s = ('a'):rep(600000) s:find(('a'):rep(300000) .. 'b') return clean()")],
        Silent,
        Clean,
    ),
    attack(
        "a split",
        &[("", "local s = ('a'):rep(600000) string.split(s, ('a'):rep(300000) .. 'b') return clean()")],
        Silent,
        Clean,
    ),
    attack("a move of nothing", &[("", "table.move({}, 1, 3e7, -4e7, {}) return clean()")], Silent, Error(ABSENT)),
    attack("long steps", &[("", "local s = ('x'):rep(4e6) while true do utf8.len(s) end")], Slow, Backstop),
    attack(
        "shifts of a long list",
        &[(
            "",
            "local t = {} for i = 1, 4e5 do t[i] = i end while true do table.insert(t, 1, 0) table.remove(t, 1) end",
        )],
        Slow,
        Backstop,
    ),
    // Memory.
    attack("a repetition", &[("", "return drawback(tostring(#('x'):rep(9e7)))")], Grows, Memory),
    attack("doubling", &[("", "local s = 'x' for _ = 1, 40 do s = s .. s end")], Grows, Memory),
    attack("a list", &[("", "local t = {} for i = 1, 1e9 do t[i] = { i } end")], Grows, Memory),
    attack("a list of known size", &[("", "return drawback(tostring(#table.create(6e6, 1)))")], Grows, Memory),
    attack("strings", &[("", "local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end")], Grows, Memory),
    attack("closures", &[("", "local t = {} for i = 1, 1e9 do t[i] = function() return i end end")], Grows, Memory),
    attack("a replacement of everything", &[("", "return (('a'):rep(1e5):gsub('a', ('b'):rep(2000)))")], Grows, Memory),
    attack(
        "a concatenation",
        &[("", "local t = table.create(200, ('x'):rep(1e6)) return table.concat(t)")],
        Grows,
        Memory,
    ),
    attack(
        "a format",
        &[("", "local s = ('x'):rep(1e6) return string.format(('%s'):rep(150), table.unpack(table.create(150, s)))")],
        Grows,
        Memory,
    ),
    attack("nested tables", &[("", "local t = {} while true do t = { t } end")], Grows, Memory),
    attack("keys", &[("", "local t = {} for i = 1, 1e9 do t['k' .. i] = true end")], Grows, Memory),
    attack(
        "a buffer",
        &[("", "buffer.create(2 ^ 27) return drawback('made')")],
        Grows,
        Error("`buffer` is not defined"),
    ),
    attack("running out of memory for ever", &[("", "while true do pcall(string.rep, 'x', 1e9) end")], Endless, Memory),
    attack(
        "running out of memory and a verdict",
        &[("", "pcall(string.rep, 'x', 1e9) return clean()")],
        Says("clean"),
        Memory,
    ),
    attack("garbage", &[("", "local s = ('x'):rep(1e6) while true do s = s:upper():lower() end")], Slow, Memory),
    // Leaks between ops and outputs.
    attack(
        "a global",
        &[("", "shared = 'owned' return clean()"), ("", "return drawback(shared)")],
        Says("owned"),
        Error("`shared` is not defined"),
    ),
    attack(
        "a host function replaced",
        &[
            ("", "local real = drawback drawback = function() return real('owned') end return clean()"),
            ("", "return drawback('mine')"),
        ],
        Says("owned"),
        Hosted::Says("mine"),
    ),
    attack(
        "a library function replaced",
        &[
            ("", "string.upper = function() return 'owned' end return clean()"),
            ("", "return drawback(('mine'):upper())"),
        ],
        Says("owned"),
        Hosted::Says("MINE"),
    ),
    attack(
        "a library constant replaced",
        &[("", "math.pi = 'owned' return clean()"), ("", "return drawback(tostring(math.pi):sub(1, 4))")],
        Says("owne"),
        Hosted::Says("3.14"),
    ),
    attack(
        "a library removed",
        &[
            ("", "for name in pairs(table) do table[name] = nil end return clean()"),
            ("", "return drawback(table.concat and 'there' or 'gone')"),
        ],
        Says("gone"),
        Hosted::Says("there"),
    ),
    attack(
        "the metatable of strings",
        &[
            ("", "getmetatable('').__index = function() return function() return 'owned' end end return clean()"),
            ("", "return drawback(('mine'):upper())"),
        ],
        Says("owned"),
        Hosted::Says("MINE"),
    ),
    attack(
        "the artifact",
        &[("", "artifact.entry = 'owned' return clean()"), ("", LEAK)],
        Says("owned"),
        Hosted::Says("mine"),
    ),
    attack(
        "the artifact, raw",
        &[("", "rawset(artifact, 'entry', 'owned') return clean()"), ("", LEAK)],
        Says("owned"),
        Hosted::Says("mine"),
    ),
    attack(
        "the artifact, caught",
        &[("", "pcall(function() artifact.entry = 'owned' end) return clean()"), ("", LEAK)],
        Says("owned"),
        Hosted::Says("mine"),
    ),
    attack(
        "a list in the artifact",
        &[
            ("", "table.insert(artifact.list, 1, 'owned') return clean()"),
            ("", "return drawback(tostring(artifact.list[1]))"),
        ],
        Says("owned"),
        Hosted::Says("3"),
    ),
    attack(
        "a list in the artifact, sorted",
        &[("", "table.sort(artifact.list) return clean()"), ("", "return drawback(table.concat(artifact.list, ' '))")],
        Says("1 2 3"),
        Hosted::Says("3 1 2"),
    ),
    attack(
        "a handle",
        &[
            ("", "artifact.node.text = function() return 'owned' end return clean()"),
            ("", "return drawback(artifact.node:text())"),
        ],
        Says("owned"),
        Hosted::Says("pass"),
    ),
    attack(
        "a handle's metatable",
        &[
            ("", "(getmetatable(artifact.node) or artifact.node).text = function() return 'owned' end return clean()"),
            ("", "return drawback(artifact.node:text())"),
        ],
        Says("owned"),
        Hosted::Says("pass"),
    ),
    attack(
        "the task",
        &[("", "task.id = 'owned' return clean()"), ("", "return drawback(task.id)")],
        Says("owned"),
        Hosted::Says("t"),
    ),
    attack(
        "a list in the task",
        &[("", "task.examples[1] = 'owned' return clean()"), ("", "return drawback(task.examples[1])")],
        Says("owned"),
        Hosted::Says("assert f() == 1"),
    ),
    attack(
        "the globals of another level",
        &[("", "getfenv(0).shared = 'owned' return clean()"), ("", "return drawback(shared)")],
        Says("owned"),
        Error("`shared` is not defined"),
    ),
    attack(
        "another function's globals",
        &[
            ("", "setfenv(drawback, { tostring = 1 }) _G.shared = 'owned' return clean()"),
            ("", "return drawback(shared)"),
        ],
        Says("owned"),
        Error("`shared` is not defined"),
    ),
    Attack {
        name: "a module's own state",
        modules: &[("local n = 0", "n = n + 1 return drawback(tostring(n))")],
        calls: &[0, 0, 0],
        bare: Says("3"),
        hosted: Hosted::Says("1"),
    },
    Attack {
        name: "a memory of past outputs",
        modules: &[("local past = {}", "table.insert(past, 'x') return drawback(table.concat(past))")],
        calls: &[0, 0],
        bare: Says("xx"),
        hosted: Hosted::Says("x"),
    },
    // Chance, clocks, addresses, order.
    attack("chance", &[("", "return drawback(tostring(math.random()))")], Differs, Error(ABSENT)),
    attack(
        "the clock",
        &[("", "return drawback(type(os.time()) .. type(os.clock()))")],
        Says("numbernumber"),
        Error(ABSENT),
    ),
    attack("the collector", &[("", "return drawback(type(collectgarbage('count')))")], Says("number"), Error(ABSENT)),
    attack("the heap's size", &[("", "return drawback(type(gcinfo()))")], Says("number"), Error(ABSENT)),
    attack("a table's address", &[("", "return drawback(tostring({}))")], Tells("0x"), Hosted::Says("table")),
    attack(
        "a function's address",
        &[("", "return drawback(tostring(function() end))")],
        Tells("0x"),
        Hosted::Says("function"),
    ),
    attack(
        "a host function's address",
        &[("", "return drawback(tostring(drawback))")],
        Tells("0x"),
        Hosted::Says("function"),
    ),
    attack(
        "an address in a starred format",
        &[("", "return drawback(('%*'):format(drawback))")],
        Tells("0x"),
        Hosted::Says("function"),
    ),
    attack(
        "an address in a starred format of a table",
        &[("", "return drawback(('%*'):format({}))")],
        Tells("0x"),
        Hosted::Says("table"),
    ),
    attack(
        "an address in an interpolation",
        &[("", "return drawback(`{ {} }`)")],
        Tells("0x"),
        Refused("not plain Lua"),
    ),
    attack(
        "the order of tables",
        &[(
            "",
            "local t, s = {}, {} for i = 1, 64 do t[{}] = i end for _, i in pairs(t) do s[#s + 1] = i end return drawback(table.concat(s, ' '))",
        )],
        Differs,
        Error("no fixed order"),
    ),
    attack(
        "the order of functions, without pairs",
        &[(
            "",
            "local t, s = {}, {} for i = 1, 64 do t[function() return i end] = i end for _, i in t do s[#s + 1] = i end return drawback(table.concat(s, ' '))",
        )],
        Differs,
        Error("no fixed order"),
    ),
    attack(
        "the order of tables, by next",
        &[(
            "",
            "local t, s = {}, {} for i = 1, 64 do t[{}] = i end local k, i = next(t) while k do s[#s + 1] = i k, i = next(t, k) end return drawback(table.concat(s, ' '))",
        )],
        Differs,
        Error("no fixed order"),
    ),
    // Ways out.
    attack("printing", &[("", "return drawback(type(print))")], Says("function"), Error(ABSENT)),
    attack("loading text", &[("", "return drawback(loadstring('return \"owned\"')())")], Says("owned"), Error(ABSENT)),
    attack("loading files", &[("", "return drawback(type(require))")], Says("function"), Error(ABSENT)),
    attack("the stack", &[("", "return drawback(tostring(debug.info(1, 'l')))")], Says("1"), Error(ABSENT)),
    attack("a proxy", &[("", "return drawback(type(newproxy(true)))")], Says("userdata"), Error(ABSENT)),
    // Forgery and floods.
    attack(
        "a table for a verdict",
        &[("", "return { verdict = 'drawback', message = 'forged' }")],
        Says("forged"),
        Malformed,
    ),
    attack(
        "a place outside of the text",
        &[("", "return drawback('far', span(1, 1e9))")],
        Tells("far"),
        Error("is not within the output's"),
    ),
    attack(
        "a place that is a table",
        &[("", "return drawback('far', { first = 1, last = 1e9 })")],
        Tells("far"),
        Error("expects a span or a node"),
    ),
    attack(
        "a place in another text",
        &[("", "return drawback('other', python.parse('x = 1'))")],
        Tells("other"),
        Error("in another text"),
    ),
    attack(
        "another self",
        &[("", "return drawback(artifact.node.text({ source = 'owned' }))")],
        Says("owned"),
        Error("x.lua:1:"),
    ),
    attack(
        "a message that is no text",
        &[("", "return drawback('\\27[2J\\255')")],
        Tells("\u{1b}["),
        Hosted::Says(" [2J\u{fffd}"),
    ),
    attack("an empty message", &[("", "return drawback('  ')")], Says("  "), Error("got an empty one")),
];
