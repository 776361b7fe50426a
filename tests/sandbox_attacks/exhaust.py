# Attacks that never end, or end the process: on the bare runner each is ended by a limit, a signal or the test's patience.

#: spin - loops
def f(x):
    while True:
        pass

#: spin_at_import - loops before anything is called
while True:
    pass

#: spin_in_handler - loops and swallows every interruption
def f(x):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass

#: long_sum - loops in C
def f(x):
    return sum(range(10 ** 12))

#: endless_iterator - consumes an endless iterator in C
import collections, itertools
def f(x):
    collections.deque(itertools.count(), maxlen=0)

#: endless_membership - searches an endless iterator in C
import itertools
def f(x):
    return -1 in itertools.count()

#: great_power - one arithmetic operation that takes for ever
def f(x):
    return 7 ** (7 ** 11)

#: great_factorial - the same in the math module
import math
def f(x):
    return math.factorial(10 ** 8)

#: catastrophic_pattern - a regular expression without end
import re
def f(x):
    return re.match(r"(a*)*b", "a" * 40)

#: repeated_sort - a comparison that never ends
class Slow:
    def __lt__(self, other):
        while True:
            pass
def f(x):
    return sorted([Slow(), Slow()])

#: endless_message - an error whose message never ends
class Talk(Exception):
    def __str__(self):
        while True:
            pass
def f(x):
    error = Talk()
    str(error)
    raise error

#: endless_index - an index that never ends
class Index:
    def __index__(self):
        while True:
            pass
def f(x):
    return [1, 2, 3][Index()]

#: endless_destructor - a destructor that never ends
class Bomb:
    def __del__(self):
        while True:
            pass
def f(x):
    bomb = Bomb()

#: sleep - sleeps
import time
def f(x):
    time.sleep(10 ** 6)

#: sleep_at_import - sleeps before anything is called
import time
time.sleep(10 ** 6)

#: short_sleeps - sleeps in short pieces
import time
def f(x):
    while True:
        time.sleep(0.05)

#: deadlock - waits for a lock that it holds
import threading
def f(x):
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()

#: wait_for_signal - waits for a signal that does not come
import signal
def f(x):
    signal.pause()

#: wait_for_nothing - selects on nothing
import select
def f(x):
    select.select([], [], [])

#: deaf - ignores every signal that can be ignored
import signal
def f(x):
    for number in range(1, 32):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        pass

#: flood - prints without end
def f(x):
    while True:
        print("x" * 1000)

#: flood_errors - the same to standard error
import sys
def f(x):
    while True:
        sys.stderr.write("x" * 1000)

#: flood_descriptors - writes to every descriptor without end
import os
def f(x):
    while True:
        for descriptor in range(1, 16):
            try:
                os.write(descriptor, b"x" * 1000)
            except OSError:
                pass

#: great_frame - announces a frame of four gigabytes and never sends it
import os, time
def f(x):
    for descriptor in range(3, 16):
        try:
            os.write(descriptor, b"\xff\xff\xff\xff")
        except OSError:
            pass
    time.sleep(10 ** 6)

#: endless_marks - tells again and again that it is about to begin
import marshal, os
def f(x):
    mark = marshal.dumps((0, 0), 2)
    mark = len(mark).to_bytes(4, "little") + mark
    while True:
        for descriptor in range(3, 16):
            try:
                os.write(descriptor, mark)
            except OSError:
                pass

#: crash - reads an address that is not there
import ctypes
def f(x):
    ctypes.string_at(0)

#: crash_stack - runs out of stack in C
import sys
def f(x):
    sys.setrecursionlimit(10 ** 9)
    class Deep:
        def __repr__(self):
            return repr([self])
    return repr(Deep())

#: crash_write - writes to an address that is not there
import ctypes
def f(x):
    ctypes.memset(0, 1, 16)

#: abort - aborts
import os
def f(x):
    os.abort()

#: close_everything - closes every descriptor, then loops
import os
def f(x):
    os.closerange(0, 64)
    while True:
        pass

#: kill_parent - ends the process that started it, then loops
import os, signal
def f(x):
    try:
        os.kill(os.getppid(), 0 if x == 0 and not hasattr(__import__("__main__"), "Replies") else signal.SIGKILL)
    except OSError:
        pass
    while True:
        pass
