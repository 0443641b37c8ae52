# What must not work in the sandbox of a program, tried from Python by way of the C library.
# Arguments: a file that is not its own, a folder that is, another process, the level that the kernel is said to enforce.
import ctypes, json, mmap, os, platform, resource, socket, subprocess, sys, threading

other, own, pid, level = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
tried = []


def say(attempt, denied):
    tried.append([attempt, "denied" if denied else "not_denied"])


def call(attempt, *asked):
    """Denied when each of the calls is refused with EPERM or EACCES."""
    denied = True
    for name, *args in asked:
        args = [a.encode() if isinstance(a, str) else a for a in args]
        ctypes.set_errno(0)
        done = getattr(libc, name)(*args)
        denied = denied and done == -1 and ctypes.get_errno() in (1, 13)
    say(attempt, denied)


def work(attempt, *jobs):
    """Denied when each of the jobs is; Landlock says EXDEV of a link that leads into another folder."""
    denied = True
    for job in jobs:
        try:
            job()
            denied = False
        except OSError as error:
            denied = denied and error.errno in (1, 13, 18)
    say(attempt, denied)


def is_open(number):
    try:
        os.fstat(number)
        return True
    except OSError:
        return False


HERE, NOW, word = -100, None, ctypes.c_long
say("inherited", not any(is_open(number) for number in range(3, 64)))

# Files.
mode, folder = os.stat(other).st_mode & 0o7777, os.path.dirname(other)
mine = os.path.join(own, "input")
work("read_other", lambda: open(other))
work("list_other", lambda: os.listdir("/"), lambda: os.listdir(folder))
work("write", lambda: open(os.path.join(folder, "made"), "w"), lambda: os.mkdir(os.path.join(folder, "dir")),
     lambda: os.symlink("x", os.path.join(folder, "link")), lambda: os.link(other, os.path.join(own, "link")),
     lambda: os.rename(other, other))
call("truncate", ("truncate", other, word(os.stat(other).st_size)))
call("change_mode", ("chmod", other, mode), ("fchmodat", HERE, other, mode, 0),
     ("syscall", word(452), word(HERE), other, word(mode), word(0)))
call("change_owner", ("chown", other, -1, -1), ("lchown", other, -1, -1), ("fchownat", HERE, other, -1, -1, 0))
call("change_times", ("utime", other, None), ("utimes", other, None), ("utimensat", HERE, other, None, 0))
name, value = "user.aura-probe", ctypes.c_char_p(b"x")
call("change_attributes", ("setxattr", other, name, value, word(1), 0), ("lsetxattr", other, name, value, word(1), 0),
     ("removexattr", other, name), ("lremovexattr", other, name))
call("watch_names", ("inotify_add_watch", libc.inotify_init(), folder, 0x100))
call("make_device", ("mknod", os.path.join(own, "null"), 0o020600, word(os.makedev(1, 3))),
     ("mknod", os.path.join(own, "disk"), 0o060600, word(os.makedev(7, 0))))
work("read_own", lambda: open(mine).read())
work("write_own", lambda: open(os.path.join(own, "note"), "w").write("x"), lambda: open(mine, "a"))
with open(mine) as file:
    work("change_open_mode", lambda: os.fchmod(file.fileno(), 0o600), lambda: os.utime(file.fileno()))
    work("set_user_id", lambda: os.fchmod(file.fileno(), 0o4700), lambda: os.fchmod(file.fileno(), 0o602))

# Sockets.
tcp = lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM)
unix = lambda kind: socket.socket(socket.AF_UNIX, kind)


def connect():
    try:
        tcp().connect(("127.0.0.1", 9))
    except ConnectionRefusedError:
        pass


def listen():
    one = tcp()
    one.bind(("127.0.0.1", 0))
    one.listen()


def streams():
    one, two = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    one.send(b"x")
    two.recv(1)


def send(address):
    unix(socket.SOCK_DGRAM).sendto(b"x", address)


work("tcp", connect)
work("listen", listen)
work("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).bind(("127.0.0.1", 0)))
work("unix", lambda: unix(socket.SOCK_STREAM).connect("/nobody-listens-here"),
     lambda: unix(socket.SOCK_STREAM).connect("\0nobody-listens-here"))
work("unix_datagram", lambda: send("/nobody-listens-here"), lambda: send("\0nobody-listens-here"))
work("pair_of_streams", streams)
work("pair_of_datagrams", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM),
     lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET))

# Bounds.
work("new_code", lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC))
try:
    mmap.mmap(-1, 2304 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    say("memory_beyond", False)
except (OSError, MemoryError):
    say("memory_beyond", True)
say("tasks_beyond", resource.getrlimit(resource.RLIMIT_NPROC)[0] != resource.RLIM_INFINITY)
say("open_to_others", os.stat(os.path.join(own, "note")).st_mode & 0o077 == 0)

# Messages without a file; 0 is a key of its own.
call("shared_memory", ("shmget", 0, word(4096), 0o600))
call("messages", ("msgget", 0, 0o600))
call("semaphores", ("semget", 0, 1, 0o600))
call("message_queue", ("mq_open", "/aura-probe", 0o100, 0o600, None))

# Other processes.
none = (ctypes.c_ulong * 2)()
mask, param = (ctypes.c_ulong * 16)(*[2**64 - 1] * 16), ctypes.c_int(0)
call("limits", ("prlimit", pid, 7, None, none))
call("affinity", ("sched_setaffinity", pid, word(128), mask))
call("priority", ("setpriority", 0, pid, 0), ("setpriority", 2, os.getuid(), 0))
io_prio = 251 if platform.machine() == "x86_64" else 30
call("io_priority", ("syscall", word(io_prio), word(1), word(pid), word(0)))
param = ctypes.c_int(1)
call("real_time", ("sched_setscheduler", 0, 1, ctypes.byref(param)),
     ("sched_setscheduler", pid, 0, ctypes.byref(ctypes.c_int(0))))
call("signal", ("kill", pid, 0))
call("ptrace", ("ptrace", word(0x4206), word(pid), None, None))
local = (ctypes.c_ulong * 2)(ctypes.addressof(none), 1)
call("vm_read", ("process_vm_readv", pid, local, word(1), local, word(1), word(0)))
work("read_process", lambda: open(f"/proc/{pid}/status"), lambda: open(f"/proc/{pid}/environ"))
work("fork", lambda: subprocess.run(["true"], check=True))
thread = threading.Thread(target=streams)
work("exec", lambda: subprocess.run([sys.executable, "-c", ""], check=True), thread.start)
call("leave_group", ("setsid",), ("setpgid", 0, 0))
kept = [line.split()[1] for line in open("/proc/self/status") if line.startswith(("CapEff", "CapPrm", "CapAmb"))]
say("capabilities", all(int(sets, 16) == 0 for sets in kept))
call("name_space", ("unshare", 0x10000000), ("unshare", 0x20000), ("mount", "x", "/tmp", "tmpfs", word(0), None))

print(json.dumps({"level": level, "tried": tried}))
