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

LOADED, VALUE, EXCEPTION, OPAQUE, TOO_LARGE, AGAIN, BROKEN_MODULE, TRUTH = range(8)
MESSAGE_CAP = 2000
PLAIN_DEPTH = 100
FLUSH_SECONDS = 0.001
FLUSH_BYTES = 1 << 16

SCALARS = frozenset({type(None), bool, int, float, complex, str, bytes, type(Ellipsis)})
PLAIN = SCALARS | {tuple, list, dict, set, frozenset}


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
