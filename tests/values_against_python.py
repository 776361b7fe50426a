"""Python's own view of values and literals, for values_against_python.rs: cases on stdin, answers on stdout."""
import json, marshal, random, sys, warnings
def plain(v):
    if isinstance(v, (list, tuple)): return all(map(plain, v))
    if isinstance(v, (set, frozenset)): return len(v) < 2 and all(map(plain, v))
    if isinstance(v, dict): return all(plain(k) and plain(x) for k, x in v.items())
    return True
answers = []
for case in json.load(sys.stdin):
    a, b = eval(case["text"]), eval(case["other"])
    back = marshal.loads(bytes.fromhex(case["hex"]))
    answers.append({"repr": repr(a), "hex": marshal.dumps(a, 2).hex(), "back": repr(back), "ordered": plain(a), "equal": bool(a == b)})
r = random.Random(7)
def text(depth=0):
    kind = r.randrange(18 if depth < 4 else 11)
    if kind == 0: return r.choice(["None", "True", "False", "..."])
    if kind == 1: return str(r.randrange(-10, 10))
    if kind == 2: return r.choice(["0x", "0X"]) + "%x" % r.getrandbits(r.randrange(1, 90))
    if kind == 3: return f"{r.getrandbits(40):_}"
    if kind == 4: return repr(r.choice([1, -1]) * r.random() * 10 ** r.randrange(-30, 30))
    if kind == 5: return r.choice(["1.", ".5e-7", "1e16", "123456789012345678.0", "1E5", "0.1e1_0", "-0.0", "- - 1e-5"])
    if kind == 6: return r.choice(["1j", "2.5J", "1+2j", "-1-2j", "1.5 - 0.5j", "-3j"])
    if kind in (7, 8):
        body = "".join(r.choice(["a", "é", "日", "😀", r"\n", r"\t", r"\\", r"\'", r"\x41", r"\101", r"\u00e9", r"\ud800", r"\U0001F600", "#", " ", "\u200b"]) for _ in range(r.randrange(6)))
        return r.choice(["'%s'", '"%s"', "'''%s'''", '"""%s"""', "u'%s'", "'%s' 'b'"]) % body
    if kind == 9: return r.choice([r"b'a\x00\xff'", r"rb'\n'", r"r'\d+\''", r"B'' b'\101'", "b'''\n'''"])
    if kind == 10: return "(" + r.choice(["1", "'x'", "None"]) + r.choice(["", ","]) + ")"
    items = [text(depth + 1) for _ in range(r.randrange(4))]
    tail = r.choice(["", ", ", ",\n # note\n "]) if items else ""
    joined = r.choice([", ", ",", " ,\n  "]).join(items) + tail
    if kind < 14: return "[" + joined + "]"
    if kind < 16: return "(" + joined + ")"
    if kind == 16: return "{" + ", ".join(f"{i!r}: {x}" for i, x in enumerate(items)) + "}"
    return r.choice(["{1}", "{'a'}", "{2, 2.0, 2}", "set()"])
def case(t):
    """What Python reads, or that it reads nothing."""
    try: v = eval(t, {})
    except Exception: return {"text": t, "refused": True}
    return {"text": t, "refused": False, "repr": repr(v), "hex": marshal.dumps(v, 2).hex()}
def damaged(t):
    at = r.randrange(len(t))
    return t[:at] + r.choice(["", "", "'", "1", ",", "(", "]", "\\", "_", "e"]) + t[at + 1:]
warnings.simplefilter("ignore")
texts = [text() for _ in range(1500)]
answer = {"answers": answers, "literals": [case(t) for t in texts], "damaged": [case(damaged(t)) for t in texts]}
json.dump(answer, sys.stdout)
