# Attacks that reach beyond their process. `f(folder, port, pid)` gets a folder with a file `secret`, a TCP port that
# somebody listens on and a process of the same user, and returns "done" where it got through.

#: read_secret - reads a file
def f(folder, port, pid):
    return "done" if open(folder + "/secret").read() else ""

#: read_system - reads the list of users
def f(folder, port, pid):
    return "done" if open("/etc/passwd").read() else ""

#: list_folder - lists a folder
import os
def f(folder, port, pid):
    return "done" if "secret" in os.listdir(folder) else ""

#: write_file - makes a file
def f(folder, port, pid):
    with open(folder + "/new", "w") as file:
        file.write("x")
    return "done"

#: append_file - adds to a file
def f(folder, port, pid):
    with open(folder + "/secret", "a") as file:
        file.write("x")
    return "done"

#: truncate_file - empties a file
import os
def f(folder, port, pid):
    os.truncate(folder + "/secret", 0)
    return "done"

#: remove_file - removes a file
import os
def f(folder, port, pid):
    os.unlink(folder + "/secret")
    return "done"

#: rename_file - renames a file
import os
def f(folder, port, pid):
    os.rename(folder + "/secret", folder + "/moved")
    return "done"

#: make_folder - makes a folder
import os
def f(folder, port, pid):
    os.mkdir(folder + "/sub")
    return "done"

#: make_link - makes a symbolic link
import os
def f(folder, port, pid):
    os.symlink("/etc", folder + "/link")
    return "done"

#: make_pipe - makes a named pipe
import os
def f(folder, port, pid):
    os.mkfifo(folder + "/pipe")
    return "done"

#: change_mode - changes a file's mode
import os
def f(folder, port, pid):
    os.chmod(folder + "/secret", 0o777)
    return "done"

#: change_times - changes a file's times
import os
def f(folder, port, pid):
    os.utime(folder + "/secret", (0, 0))
    return "done"

#: extended_attribute - hangs an attribute on a file
import os
def f(folder, port, pid):
    os.setxattr(folder + "/secret", "user.mark", b"x")
    return "done"

#: temporary_file - writes to the system's temporary folder
import tempfile
def f(folder, port, pid):
    with tempfile.TemporaryFile() as file:
        file.write(b"x")
        file.flush()
    return "done"

#: make_socket - makes a socket in a folder
import socket
def f(folder, port, pid):
    socket.socket(socket.AF_UNIX).bind(folder + "/socket")
    return "done"

#: native_open - opens for writing by a raw system call
import ctypes, os
def f(folder, port, pid):
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.open((folder + "/native").encode(), os.O_WRONLY | os.O_CREAT, 0o600)
    return "done" if descriptor >= 0 else ""

#: memory_file - makes a file in memory
import os
def f(folder, port, pid):
    descriptor = os.memfd_create("m")
    os.write(descriptor, b"x")
    return "done"

#: own_memory_file - opens its own memory for writing
def f(folder, port, pid):
    with open("/proc/self/mem", "r+b"):
        return "done"

#: other_process_environment - reads another process' environment
def f(folder, port, pid):
    with open("/proc/%d/environ" % pid, "rb") as file:
        file.read()
    return "done"

#: tcp_connect - reaches a listener
import socket
def f(folder, port, pid):
    socket.create_connection(("127.0.0.1", port), 2).close()
    return "done"

#: udp_send - sends a datagram
import socket
def f(folder, port, pid):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port))
    return "done"

#: tcp_listen - opens a port
import socket
def f(folder, port, pid):
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    return "done"

#: unix_socket - makes an abstract socket that others may reach
import os, socket
def f(folder, port, pid):
    server = socket.socket(socket.AF_UNIX)
    server.bind("\0gradus-attack-%d" % os.getpid())
    server.listen()
    return "done"

#: netlink - asks the kernel about the network
import socket
def f(folder, port, pid):
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    return "done"

#: socket_pair - makes a private channel
import socket
def f(folder, port, pid):
    socket.socketpair()
    return "done"

#: fork - makes a process; a bomb is this in a loop
import os
def f(folder, port, pid):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "done"

#: native_fork - makes a process by a raw system call
import ctypes, os
def f(folder, port, pid):
    libc = ctypes.CDLL(None, use_errno=True)
    child = libc.fork()
    if child == 0:
        os._exit(0)
    if child < 0:
        return ""
    os.waitpid(child, 0)
    return "done"

#: subprocess - runs a program
import subprocess
def f(folder, port, pid):
    return "done" if subprocess.run(["/bin/echo", "x"], capture_output=True).stdout else ""

#: shell - runs a shell
import os
def f(folder, port, pid):
    return "done" if os.system("true") == 0 else ""

#: spawn - runs a program by posix_spawn
import os
def f(folder, port, pid):
    child = os.posix_spawn("/bin/true", ["true"], {})
    return "done" if os.waitpid(child, 0)[1] == 0 else ""

#: exec - becomes another program
import os
def f(folder, port, pid):
    os.execv("/bin/sh", ["sh", "-c", "echo x > '%s/executed'" % folder])

#: thread - starts a thread
import threading
def f(folder, port, pid):
    done = []
    thread = threading.Thread(target=lambda: done.append(1))
    thread.start()
    thread.join()
    return "done" if done else ""

#: kill_other - ends another process
import os, signal
def f(folder, port, pid):
    os.kill(pid, 0)
    os.kill(pid, signal.SIGKILL)
    return "done"

#: kill_parent - sends its parent a signal
import os, signal
def f(folder, port, pid):
    os.kill(os.getppid(), 0)
    return "done"

#: kill_group - sends its whole group a signal
import os, signal
def f(folder, port, pid):
    os.killpg(os.getpgrp(), 0)
    return "done"

#: native_kill - sends a signal by a raw system call
import ctypes
def f(folder, port, pid):
    return "done" if ctypes.CDLL(None).kill(pid, 0) == 0 else ""

#: process_handle - takes a handle on another process
import os
def f(folder, port, pid):
    os.pidfd_open(pid)
    return "done"

#: signal_by_descriptor - lets the kernel send a signal for it
import fcntl, os
def f(folder, port, pid):
    for descriptor in range(0, 64):
        try:
            fcntl.fcntl(descriptor, fcntl.F_SETOWN, pid)
            return "done"
        except OSError:
            pass

#: priority - changes another process' priority
import os
def f(folder, port, pid):
    os.setpriority(os.PRIO_PROCESS, pid, 5)
    return "done"

#: trace - asks to be traced
import ctypes
def f(folder, port, pid):
    libc = ctypes.CDLL(None, use_errno=True)
    return "done" if libc.ptrace(0, 0, 0, 0) == 0 else ""

#: read_memory - reads a process' memory by a system call
import ctypes, os
class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
def f(folder, port, pid):
    libc = ctypes.CDLL(None, use_errno=True)
    here, there = ctypes.create_string_buffer(8), ctypes.create_string_buffer(b"content")
    to, source = Part(ctypes.addressof(here), 8), Part(ctypes.addressof(there), 8)
    read = libc.process_vm_readv(os.getpid(), ctypes.byref(to), 1, ctypes.byref(source), 1, 0)
    return "done" if read == 8 else ""

#: shared_memory - takes memory that others can reach
import ctypes
def f(folder, port, pid):
    return "done" if ctypes.CDLL(None, use_errno=True).shmget(0, 4096, 0o1600) >= 0 else ""

#: message_queue - makes a system-wide queue
import ctypes
def f(folder, port, pid):
    libc = ctypes.CDLL(None, use_errno=True)
    queue = libc.msgget(0, 0o1600)
    if queue < 0:
        return ""
    libc.msgctl(queue, 0, None)
    return "done"

#: new_name - takes another process name
import ctypes
def f(folder, port, pid):
    return "done" if ctypes.CDLL(None).prctl(15, b"somebody", 0, 0, 0) == 0 else ""

#: raise_limits - changes its own limits
import resource
def f(folder, port, pid):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft - 1, hard))
    return "done"

#: lie_about_parent - asks to outlive its parent
import ctypes
def f(folder, port, pid):
    return "done" if ctypes.CDLL(None).prctl(1, 0, 0, 0, 0) == 0 else ""

#: much_memory - takes more memory than the limit
def f(folder, port, pid):
    block = bytearray(600 << 20)
    return "done" if len(block) else ""

#: many_descriptors - takes a hundred descriptors
import os
def f(folder, port, pid):
    taken = [os.dup(1) for _ in range(100)]
    for each in taken:
        os.close(each)
    return "done"

#: leave_folder - climbs out by way of its working folder
import os
def f(folder, port, pid):
    os.chdir(folder)
    return "done" if open("secret").read() else ""

#: kernel_queue - sets up an io_uring
import ctypes
def f(folder, port, pid):
    libc = ctypes.CDLL(None, use_errno=True)
    parameters = ctypes.create_string_buffer(120)
    libc.syscall(425, 1, parameters)
    return "done" if ctypes.get_errno() != 1 else ""
