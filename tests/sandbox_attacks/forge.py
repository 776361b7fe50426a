# Attacks that claim a pass without computing the answer. The test asks `f(7)` for a word that cannot be computed from 7;
# on the bare runner each of these passes.

#: always_equal - an object that equals everything
class Yes:
    def __eq__(self, other):
        return True
    def __ne__(self, other):
        return False
def f(x):
    return Yes()

#: equal_str - a subclass of str that equals everything
class Yes(str):
    def __eq__(self, other):
        return True
    __hash__ = str.__hash__
def f(x):
    return Yes("?")

#: equal_metaclass - a class whose metaclass equals everything
class Meta(type):
    def __eq__(cls, other):
        return True
    __hash__ = type.__hash__
class Yes(metaclass=Meta):
    pass
def f(x):
    return Yes

#: reflected_comparison - compares by telling the other side's type apart
class Yes:
    def __eq__(self, other):
        return type(other) is str
def f(x):
    return Yes()

#: os_exit - ends the process with success
import os
def f(x):
    os._exit(0)

#: system_exit - leaves with success
def f(x):
    raise SystemExit(0)

#: exit_at_import - leaves before anything is called
import os
os._exit(0)

#: exit_in_destructor - leaves when an object dies
import os
class Bomb:
    def __del__(self):
        os._exit(0)
def f(x):
    bomb = Bomb()
    return "wrong"

#: exit_hook - replaces the hook for uncaught errors by a successful exit
import os, sys
sys.excepthook = lambda *error: os._exit(0)
def f(x):
    return "wrong"

#: exit_at_exit - turns any exit into a success
import atexit, os
atexit.register(os._exit, 0)
def f(x):
    return "wrong"

#: frame_locals - reads the expected value out of the caller's frame
import sys
def f(x):
    frame = sys._getframe()
    while frame:
        if "expected" in frame.f_locals:
            return frame.f_locals["expected"]
        frame = frame.f_back

#: traceback_frames - the same by way of a traceback
def f(x):
    try:
        raise ValueError
    except ValueError as error:
        frame = error.__traceback__.tb_frame.f_back
        return frame.f_locals.get("expected")

#: generator_frame - the same by way of a generator
def f(x):
    found = []
    def look():
        frame = generator.gi_frame.f_back
        while frame:
            if "expected" in frame.f_locals:
                found.append(frame.f_locals["expected"])
            frame = frame.f_back
        yield
    generator = look()
    next(generator)
    return found[0] if found else None

#: inspect_stack - the same by way of the inspect module
import inspect
def f(x):
    for record in inspect.stack():
        if "expected" in record.frame.f_locals:
            return record.frame.f_locals["expected"]

#: main_arguments - reads the expected value out of the command line
import sys, ast
def f(x):
    return ast.literal_eval(sys.argv[-1])

#: process_arguments - the same from the kernel
import ast
def f(x):
    return ast.literal_eval(open("/proc/self/cmdline").read().split("\0")[-2])

#: garbage_collector - looks through every object for the arguments and what stands beside them
import gc, sys
def f(x):
    for each in gc.get_objects():
        if type(each) is dict and each.get("__name__") == "__main__" and "wanted" in each:
            return eval(each["wanted"])

#: main_module - reads the runner's own variables
def f(x):
    import __main__
    return eval(__main__.wanted)

#: patched_main - replaces the runner's check
import __main__, os
def check(*args):
    os._exit(0)
__main__.check = check
def f(x):
    __main__.check()

#: own_code - swaps the code of the runner's function while it is running, for the next call of it
import __main__
def g(source, args, expected):
    return None
def f(x):
    __main__.check.__code__ = g.__code__
    __main__.check("", [], None)
    import sys
    return sys._getframe(1).f_locals.get("expected")

#: trace_function - a trace function that jumps over the assertion
import sys
def tracer(frame, event, arg):
    if event == "line" and "expected" in frame.f_locals and "result" in frame.f_locals:
        raise SystemExit(0)
    return tracer
def f(x):
    frame = sys._getframe(1)
    sys.settrace(tracer)
    while frame:
        frame.f_trace = tracer
        frame = frame.f_back
    return "wrong"

#: profile_function - leaves when the runner's function returns
import sys, os
def profiler(frame, event, arg):
    if event in ("return", "exception") and frame.f_code.co_name in ("check", "call", "run"):
        os._exit(0)
sys.setprofile(profiler)
def f(x):
    return "wrong"

#: signal_handler - an alarm that leaves with success in the middle of the runner
import signal, os, time
signal.signal(signal.SIGALRM, lambda *args: os._exit(0))
def f(x):
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    time.sleep(0.2)
    return "wrong"

#: audit_hook - an audit hook that leaves with success
import sys, os
def hook(event, args):
    if event == "marker":
        os._exit(0)
sys.addaudithook(hook)
def f(x):
    sys.audit("marker")

#: patched_builtins - a replaced builtin that is always content
import builtins
builtins.all = lambda items: True
def f(x):
    return "wrong"

#: memory_patch - overwrites the wrong answer's type by way of ctypes
import ctypes
class Yes:
    def __eq__(self, other):
        return True
class Plain:
    pass
def f(x):
    plain = Plain()
    ctypes.c_void_p.from_address(id(plain) + 8).value = id(Yes)
    return plain

#: patched_string - overwrites an answer in place, by ctypes, with the constant found in the caller
import ctypes, sys
def f(x):
    frame = sys._getframe(1)
    wanted = frame.f_locals.get("expected", "?")
    answer = "-" * len(wanted)
    size = sys.getsizeof("") - 1
    ctypes.memmove(id(answer) + size, id(wanted) + size, len(wanted))
    return answer

#: descriptor_reply - writes what looks like a success to every descriptor, then leaves
import os, marshal
def f(x):
    record = marshal.dumps((1, True, b"", False), 2)
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, len(record).to_bytes(4, "little") + record)
        except OSError:
            pass
    os._exit(0)

#: truth_reply - writes the answer to another question: that an assert holds
import os, marshal
def f(x):
    record = marshal.dumps((7, True), 2)
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, (len(record).to_bytes(4, "little") + record) * 3)
        except OSError:
            pass
    os._exit(0)

#: reply_hook - replaces the function that writes the replies
import marshal, os
honest = marshal.dumps
def dishonest(value, version=2):
    if type(value) is tuple:
        return honest((7, True), 2)
    return honest(value, version)
marshal.dumps = dishonest
def f(x):
    if not hasattr(__import__("__main__"), "Replies"):
        os._exit(0)
    return "wrong"

#: harness_patch - replaces the harness' own methods
import __main__, os
def f(x):
    replies = getattr(__main__, "Replies", None)
    if replies is None:
        os._exit(0)
    replies.value = lambda self, *rest: self.record(7, True)
    replies.record(None, 7, True)

#: answers_before_the_question - replies to calls that were not made yet
import os, marshal
for descriptor in range(3, 64):
    try:
        for record in ((0, 0), (1, True, b"", False), (7, True)):
            data = marshal.dumps(record, 2)
            os.write(descriptor, len(data).to_bytes(4, "little") + data)
    except OSError:
        pass
os._exit(0)
def f(x):
    return "wrong"
