# The zygote: prepares what all candidates share, forks one process for each, and takes its rights away.

# Imported once here, so that a candidate's own import of them costs nothing.
COMMON = "bisect cmath collections collections.abc copy functools heapq itertools math operator re string typing".split()


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
