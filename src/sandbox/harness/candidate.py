# One candidate: its streams, its namespaces, its calls.

# What an assert may name without importing it.
LENDABLE = frozenset("math cmath re itertools functools collections operator string statistics fractions decimal".split())

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
