# How far a module's calls reach: whether one execution serves them all, or each needs its own, or a process of its own.

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
