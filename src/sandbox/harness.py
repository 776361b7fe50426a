"""The Python side of the sandbox: a zygote that forks one confined process a candidate.

The zygote never holds a candidate's source: each child reads its job from a socket of its own. A child runs hostile
code in the same interpreter as this text, so nothing that it says is trusted by the other side: it can only claim to
have returned a value, and what was expected of it never enters this process.
"""

import collections
import ctypes
import gc
import io
import marshal
import opcode
import os
import resource
import sys
import time
import types

import _socket

# Imported once here, so that a candidate's own import of them costs nothing.
COMMON = "bisect cmath collections collections.abc copy functools heapq itertools math operator re string typing".split()
# What an assert may name without importing it.
LENDABLE = frozenset("math cmath re itertools functools collections operator string statistics fractions decimal".split())

LOADED, VALUE, EXCEPTION, OPAQUE, TOO_LARGE, AGAIN, BROKEN_MODULE, TRUTH = range(8)
MESSAGE_CAP = 2000
PLAIN_DEPTH = 100
FLUSH_SECONDS = 0.001
FLUSH_BYTES = 1 << 16

# ---------------------------------------------------------------- what a module can carry from one call to the next

SCALARS = frozenset({type(None), bool, int, float, complex, str, bytes, type(Ellipsis)})
PLAIN = SCALARS | {tuple, list, dict, set, frozenset}
STORES = {opcode.opmap[name] for name in ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR")}
ATTRIBUTE_STORES = {"STORE_ATTR", "DELETE_ATTR"}
IMPORTS = opcode.opmap["IMPORT_NAME"]
SETS_ATTRIBUTES = frozenset({"setattr", "delattr", "__setattr__", "__dict__"})
SETS_GLOBALS = SETS_ATTRIBUTES | {"globals", "vars", "exec", "eval", "__globals__", "__defaults__"}
# Names of state outside of the module's own namespace: only a fresh process resets it.
REACHES_OUT = frozenset(
    "__builtins__ __import__ builtins chdir ctypes environ filterwarnings gc getcontext importlib localcontext modules "
    "putenv register set_int_max_str_digits setcontext setlocale setprofile setswitchinterval settrace signal "
    "simplefilter".split()
)
REACHES_OUT_OF_SYS = frozenset(("argv", "meta_path", "path", "path_hooks"))
SHARED, PER_CALL, PER_PROCESS = range(3)


def code_objects(code):
    found = [code]
    for each in found:
        found.extend(const for const in each.co_consts if type(const) is types.CodeType)
    return found


def stores_far(code, namespace, name):
    """Whether `code` sets an attribute of something that is neither local nor the candidate's own."""
    import dis

    instructions = list(dis.get_instructions(code))
    imports = any(each.opname == "IMPORT_NAME" for each in instructions)
    for at, instruction in enumerate(instructions):
        if instruction.opname not in ATTRIBUTE_STORES:
            continue
        before = at - 1
        while before > 0 and instructions[before].opname in ("LOAD_ATTR", "CACHE", "EXTENDED_ARG"):
            before -= 1
        source = instructions[before]
        if source.opname.startswith(("LOAD_FAST", "LOAD_DEREF", "BINARY_SUBSCR")):
            if imports:
                return True
        elif source.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            if getattr(namespace.get(source.argval), "__module__", None) != name:
                return True
        else:
            return True
    return False


def is_constant(value):
    kind = type(value)
    if kind in SCALARS:
        return True
    return (kind is tuple or kind is frozenset) and all(map(is_constant, value))


def is_stateless(value, name):
    kind = type(value)
    if kind is types.FunctionType:
        if value.__module__ != name:
            return True
        defaults = (value.__defaults__ or ()) + tuple((value.__kwdefaults__ or {}).values())
        return value.__closure__ is None and not value.__dict__ and is_constant(defaults)
    if kind in (types.ModuleType, types.BuiltinFunctionType):
        return True
    if isinstance(value, type):
        return value.__module__ != name
    return kind.__module__ == "typing" or is_constant(value)


def carriage(code, namespace, prelude, name):
    """How far a call may reach: what the next call must get afresh."""
    codes = code_objects(code)
    names = set()
    operations = set()
    for each in codes:
        names.update(each.co_names)
        operations.update(each.co_code[::2])
    stores = not STORES.isdisjoint(operations)
    if not REACHES_OUT.isdisjoint(names) or ("sys" in names and not REACHES_OUT_OF_SYS.isdisjoint(names)):
        return PER_PROCESS, names
    if stores and any(stores_far(each, namespace, name) for each in codes):
        return PER_PROCESS, names
    if IMPORTS in operations and not SETS_ATTRIBUTES.isdisjoint(names):
        return PER_PROCESS, names
    if stores or not SETS_GLOBALS.isdisjoint(names):
        return PER_CALL, names
    for key, value in namespace.items():
        if key not in prelude and key[:2] != "__" and not is_stateless(value, name):
            return PER_CALL, names
    return SHARED, names


# ---------------------------------------------------------------- plain data


def is_plain(value):
    """marshal also writes buffers (bytearray, array) as if they were bytes: those are not plain."""
    stack = [value]
    while stack:
        each = stack.pop()
        kind = type(each)
        if kind not in PLAIN:
            return False
        if kind is dict:
            stack.extend(each)
            stack.extend(each.values())
        elif kind not in SCALARS:
            stack.extend(each)
    return True


BASES = (dict, list, tuple, set, frozenset, str, bytes, int, float)
COMPARE_AS_DICT = (collections.Counter, collections.OrderedDict)


def plain_of(value, depth=0):
    """The plain value that one of a subclass (defaultdict, namedtuple, IntEnum) is equal to, all the way down. A class
    with an `__eq__` of its own has none: what it is equal to is for it to say, and it is not believed."""
    kind = type(value)
    if kind in SCALARS:
        return value
    base = next(base for base in BASES if base in kind.__mro__)
    if depth > PLAIN_DEPTH or (kind.__eq__ is not base.__eq__ and kind not in COMPARE_AS_DICT):
        raise ValueError
    if base is dict:
        return {plain_of(key, depth + 1): plain_of(item, depth + 1) for key, item in dict.items(value)}
    if base in (str, bytes, int, float):
        return base.__getnewargs__(value)[0]
    return base(plain_of(item, depth + 1) for item in base.__iter__(value))


def describe(error):
    """The type's name and the message of what was raised; never raises itself."""
    try:
        kind = type(error).__name__
        message = str(error)[:MESSAGE_CAP]
        if type(kind) is str and type(message) is str:
            return kind[:200], message
    except BaseException:
        pass
    return "Exception", ""


# ---------------------------------------------------------------- streams


class Sink(io.BufferedIOBase):
    """Keeps the first `cap` bytes and swallows the rest."""

    def __init__(self, cap):
        self.cap = cap
        self.clear()

    def clear(self):
        self.parts = []
        self.room = self.cap

    def writable(self):
        return True

    def write(self, data):
        size = len(data)
        if self.room > 0 and size:
            kept = bytes(data[: self.room])
            self.parts.append(kept)
            self.room -= len(kept)
        return size


class Streams:
    """Standard streams of a call: empty input, bounded output."""

    def __init__(self, cap):
        self.cap = cap
        self.make()

    def make(self):
        self.sink = Sink(self.cap)
        self.out = io.TextIOWrapper(self.sink, encoding="utf-8", newline="\n")
        self.error = io.TextIOWrapper(Sink(0), encoding="utf-8", errors="backslashreplace")
        self.input = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")

    def open(self):
        """Standard streams as new, whatever the last call did to them."""
        if self.out.closed or self.input.closed or self.error.closed:
            self.make()
        sys.stdout, sys.stderr, sys.stdin = self.out, self.error, self.input

    def take(self):
        """What was printed since the last call, as bytes."""
        try:
            self.out.flush()
            if not self.sink.parts:
                return b""
            taken = b"".join(self.sink.parts)
            self.sink.clear()
            return taken
        except BaseException:
            self.make()
            return b""


# ---------------------------------------------------------------- one candidate


class Replies:
    """Length-prefixed frames; buffered for a moment, so that a hundred short calls cost one write."""

    def __init__(self, channel, buffered, cap):
        self.channel = channel
        self.buffered = buffered
        self.cap = cap
        self.pending = bytearray()
        self.flushed = time.perf_counter()

    def add(self, data):
        self.pending += len(data).to_bytes(4, "little")
        self.pending += data
        if not self.buffered or len(self.pending) > FLUSH_BYTES or time.perf_counter() - self.flushed > FLUSH_SECONDS:
            self.flush()

    def record(self, *record):
        self.add(marshal.dumps(record, 2))

    def flush(self):
        write_all(self.channel, self.pending)
        self.pending = bytearray()
        self.flushed = time.perf_counter()

    def dump(self, value, printed, changed):
        try:
            data = marshal.dumps((VALUE, value, printed, changed), 2)
        except ValueError:
            return marshal.dumps((VALUE, plain_of(value), printed, changed), 2)
        if b"s" in data and not is_plain(value):
            raise ValueError
        return data

    def value(self, value, printed, changed):
        try:
            data = self.dump(value, printed, changed)
        except MemoryError:
            data = marshal.dumps((TOO_LARGE, printed, changed), 2)
        except BaseException:
            data = marshal.dumps((OPAQUE, printed, changed), 2)
        if len(data) > self.cap:
            data = marshal.dumps((TOO_LARGE, printed, changed), 2)
        self.add(data)


class Stage:
    """What every candidate needs, made before the fork: a page that no candidate writes to is never copied."""

    name = "candidate"

    def __init__(self, prelude, seed, streams):
        self.prelude = prelude
        self.seed = seed
        self.streams = streams
        self.recursion = sys.getrecursionlimit()
        self.module = self.new_module()

    def new_module(self):
        module = types.ModuleType(self.name)
        module.__dict__.update(self.prelude)
        sys.modules[self.name] = module
        return module

    def take_module(self):
        module, self.module = self.module, None
        return module or self.new_module()

    def reset(self, names):
        """Puts back what a call may change outside of its module without asking for a fresh process."""
        sys.setrecursionlimit(self.recursion)
        if "random" in names:
            random.seed(self.seed)
        self.streams.open()


class Candidate:
    def __init__(self, stage, replies, source):
        self.stage = stage
        self.replies = replies
        self.code = compile(source, "<candidate>", "exec", dont_inherit=True)
        self.reach = None
        self.names = ()
        self.namespace = None

    def load(self):
        """Executes the module in a namespace of its own."""
        self.namespace = namespace = self.stage.take_module().__dict__
        self.stage.reset(self.names)
        exec(self.code, namespace)
        if self.reach is None:
            self.reach, self.names = carriage(self.code, namespace, self.stage.prelude, self.stage.name)
        self.stage.streams.take()
        self.replies.record(LOADED, self.reach)

    def call(self, name, args):
        self.stage.reset(self.names)
        try:
            function = self.namespace[name]
        except KeyError:
            self.replies.record(EXCEPTION, "NameError", "name %r is not defined" % name, b"", False)
            return
        before = None if SCALARS.issuperset(map(type, args)) else marshal.dumps(args, 2)
        try:
            value = function(*args)
        except BaseException as error:
            raised = describe(error)
        else:
            raised = None
        printed = self.stage.streams.take()
        changed = before is not None and self.changed(before, args)
        if raised is None:
            self.replies.value(value, printed, changed)
        else:
            self.replies.record(EXCEPTION, *raised, printed, changed)

    @staticmethod
    def changed(before, args):
        try:
            return marshal.dumps(args, 2) != before and marshal.loads(before) != args
        except BaseException:
            return True

    def run(self, calls):
        self.load()
        for index, (name, args) in enumerate(calls):
            if index and self.reach == PER_PROCESS:
                self.replies.record(AGAIN)
                break
            if index and self.reach == PER_CALL:
                self.load()
            self.call(name, args)


def run_candidate(stage, replies, source, calls):
    stage.streams.open()
    try:
        Candidate(stage, replies, source).run(calls)
    except BaseException as error:
        replies.record(BROKEN_MODULE, *describe(error))


def evaluate(replies, prelude, expression, name, value):
    """The truth of an assert's expression around a value; no candidate is in this process."""
    namespace = dict(prelude)
    namespace[name] = value
    try:
        code = compile(expression, "<assert>", "eval", dont_inherit=True)
        for each in code.co_names:
            if each in LENDABLE and each not in namespace:
                namespace[each] = __import__(each)
        replies.record(TRUTH, bool(eval(code, namespace)))
    except BaseException as error:
        replies.record(EXCEPTION, *describe(error), b"", False)


# ---------------------------------------------------------------- the zygote


def read_all(channel, size):
    data = bytearray()
    while len(data) < size:
        part = os.read(channel, min(size - len(data), 1 << 20))
        if not part:
            os._exit(0)
        data += part
    return data


def write_all(channel, data):
    view = memoryview(data)
    while view:
        view = view[os.write(channel, view) :]


def read_frame(channel):
    size = int.from_bytes(read_all(channel, 4), "little")
    return marshal.loads(read_all(channel, size))


def write_frame(channel, record):
    data = marshal.dumps(record, 2)
    write_all(channel, len(data).to_bytes(4, "little") + data)


class Confinement:
    """Takes the last rights from a child, for good. Raises where the system refuses."""

    def __init__(self, memory, program):
        libc = ctypes.CDLL(None, use_errno=True)
        self.prctl = libc.prctl
        self.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
        self.memory = memory
        self.filter = None
        if program:
            self.program = ctypes.create_string_buffer(program, len(program))
            self.filter = ctypes.create_string_buffer(16)
            self.filter[0:2] = (len(program) // 8).to_bytes(2, sys.byteorder)
            self.filter[8:16] = ctypes.addressof(self.program).to_bytes(8, sys.byteorder)

    def enter(self, cpu_seconds):
        if self.prctl(1, 9, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "cannot tie the process to its parent")
        for limit, value in (
            (resource.RLIMIT_AS, self.memory),
            (resource.RLIMIT_CPU, cpu_seconds),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_NPROC, 0),
            (resource.RLIMIT_NOFILE, 64),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(limit, (value, value))
        if self.filter is not None and self.prctl(22, 2, ctypes.addressof(self.filter), 0, 0):
            raise OSError(ctypes.get_errno(), "cannot filter system calls")


def rehearse(confinement):
    """Confines a child that does nothing, so that a refusal of the system is seen now and not taken for a crash."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            confinement.enter(10)
            answer = b"confined"
        except BaseException as error:
            answer = str(error).encode()
        os.write(writer, answer)
        os._exit(0)
    os.close(writer)
    answer = os.read(reader, 4096)
    os.close(reader)
    os.waitpid(pid, 0)
    if answer != b"confined":
        raise OSError(answer.decode() or "the rehearsal process died")


def child(job, confinement, zygote, stage, cap):
    kind, buffered, cpu_seconds, *rest = read_frame(job)
    confinement.enter(cpu_seconds)
    if os.getppid() != zygote:
        return
    replies = Replies(job, buffered, cap)
    if kind == "run":
        run_candidate(stage, replies, *rest)
    else:
        evaluate(replies, stage.prelude, *rest)
    replies.flush()


def import_random(seed):
    """Seeded from the start, and not anew from the system in every fork."""
    global random
    register, os.register_at_fork = os.register_at_fork, lambda **hooks: None
    try:
        import random
    finally:
        os.register_at_fork = register
    random.seed(seed)


def prepare(prelude_text, seed, stdout_cap):
    for name in COMMON:
        __import__(name)
    import_random(seed)
    prelude = {}
    exec(compile(prelude_text, "<prelude>", "exec", dont_inherit=True), prelude)
    sys.argv = [""]
    sys.path = [each for each in sys.path if each]
    return Stage(prelude, seed, Streams(stdout_cap))


def serve(channel, memory, program, prelude_text, seed, cap, stdout_cap):
    stage = prepare(prelude_text, seed, stdout_cap)
    confinement = Confinement(memory, program)
    rehearse(confinement)
    write_frame(channel, ("ready",))
    control = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, fileno=channel)
    room = _socket.CMSG_SPACE(4)
    zygote = os.getpid()
    gc.collect()
    gc.freeze()
    while True:
        order, attached, _, _ = control.recvmsg(1, room)
        if not order:
            os._exit(0)
        if order == b"?":
            control.sendmsg([b"!"])
            continue
        job = int.from_bytes(attached[0][2][:4], sys.byteorder)
        pid = os.fork()
        if pid == 0:
            try:
                os.close(channel)
                child(job, confinement, zygote, stage, cap)
            finally:
                os._exit(0)
        os.close(job)
        handle = os.pidfd_open(pid)
        control.sendmsg([b"p"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, handle.to_bytes(4, sys.byteorder))])
        os.close(handle)
        while reap():
            pass


def reap():
    """Buries a dead child, if there is one."""
    try:
        return os.waitpid(-1, os.WNOHANG)[0]
    except ChildProcessError:
        return 0


def main():
    channel = os.dup(0)
    os.dup2(1, 0)
    try:
        setup = read_frame(channel)
        serve(channel, *setup)
    except Exception as error:
        write_frame(channel, ("failed", "%s: %s" % describe(error)))


main()
