/* What must not work in the sandbox of a program, tried by a static program that makes each system call itself.
   Arguments: a file that is not its own, a folder that is, another process, the level that the kernel is said to enforce. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int first = 1;

static void say(const char *attempt, int denied) {
    printf("%s[\"%s\",\"%s\"]", first ? "" : ",", attempt, denied ? "denied" : "not_denied");
    first = 0;
}

/* Whether a call was refused because it may not be. */
static int no(long done) { return done == -1 && (errno == EPERM || errno == EACCES); }

static void *nothing(void *given) { return given; }

int main(int count, char **args) {
    if (count != 5) return 2;
    const char *other = args[1], *level = args[4];
    int pid = atoi(args[3]), fd, open_before = 0;
    char own[4096], made[4096], folder[4096], proc[64];
    struct stat seen;
    for (fd = 3; fd < 64; fd++) open_before |= fcntl(fd, F_GETFD) != -1;
    snprintf(own, sizeof own, "%s/input", args[2]);
    snprintf(made, sizeof made, "%s/made", args[2]);
    snprintf(folder, sizeof folder, "%s", other);
    *strrchr(folder, '/') = 0;
    snprintf(proc, sizeof proc, "/proc/%d/status", pid);
    stat(other, &seen);
    printf("{\"level\":\"%s\",\"tried\":[", level);
    say("inherited", !open_before);

    say("read_other", no(syscall(SYS_openat, AT_FDCWD, other, O_RDONLY)));
    say("list_other", no(syscall(SYS_openat, AT_FDCWD, folder, O_RDONLY | O_DIRECTORY)));
    say("read_process", no(syscall(SYS_openat, AT_FDCWD, proc, O_RDONLY)));
    say("write", no(syscall(SYS_mkdirat, AT_FDCWD, strcat(folder, "/made"), 0700)) & no(syscall(SYS_openat, AT_FDCWD, folder, O_CREAT | O_WRONLY, 0600)));
    *strrchr(folder, '/') = 0;
    say("truncate", no(syscall(SYS_truncate, other, seen.st_size)));
    int denied = no(syscall(SYS_fchmodat, AT_FDCWD, other, seen.st_mode & 07777)) & no(syscall(452, AT_FDCWD, other, seen.st_mode & 07777, 0));
#ifdef SYS_chmod
    denied &= no(syscall(SYS_chmod, other, seen.st_mode & 07777));
#endif
    say("change_mode", denied);
    denied = no(syscall(SYS_fchownat, AT_FDCWD, other, -1, -1, 0));
    int path = syscall(SYS_openat, AT_FDCWD, other, O_PATH);
    denied &= no(syscall(SYS_fchownat, path, "", -1, -1, AT_EMPTY_PATH));
#ifdef SYS_chown
    denied &= no(syscall(SYS_chown, other, -1, -1)) & no(syscall(SYS_lchown, other, -1, -1));
#endif
    say("change_owner", denied);
    denied = no(syscall(SYS_utimensat, AT_FDCWD, other, NULL, 0)) & no(syscall(SYS_utimensat, path, "", NULL, AT_EMPTY_PATH));
#ifdef SYS_utime
    denied &= no(syscall(SYS_utime, other, NULL)) & no(syscall(SYS_utimes, other, NULL)) & no(syscall(SYS_futimesat, AT_FDCWD, other, NULL));
#endif
    say("change_times", denied);
    struct { unsigned long value; unsigned size, flags; } given = {(unsigned long)"x", 1, 0};
    say("change_attributes", no(syscall(SYS_setxattr, other, "user.aura-probe", "x", 1, 0)) & no(syscall(SYS_lsetxattr, other, "user.aura-probe", "x", 1, 0))
        & no(syscall(SYS_removexattr, other, "user.aura-probe")) & no(syscall(463, AT_FDCWD, other, 0, "user.aura-probe", &given, sizeof given)));
    say("watch_names", no(syscall(SYS_inotify_add_watch, syscall(SYS_inotify_init1, 0), folder, 0x100)));
    say("make_device", no(syscall(SYS_mknodat, AT_FDCWD, made, S_IFCHR | 0600, makedev(1, 3))) & no(syscall(SYS_mknodat, AT_FDCWD, made, S_IFBLK | 0600, makedev(7, 0))));
    fd = syscall(SYS_openat, AT_FDCWD, own, O_RDONLY);
    say("read_own", no(fd));
    say("write_own", no(syscall(SYS_openat, AT_FDCWD, own, O_WRONLY | O_APPEND)));
    say("change_open_mode", no(syscall(SYS_fchmod, fd, 0600)) | no(syscall(SYS_utimensat, fd, NULL, NULL, 0)));
    say("set_user_id", no(syscall(SYS_fchmod, fd, 04700)) & no(syscall(SYS_fchmod, fd, 0602)));

    say("new_code", no((long)mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)));
    say("memory_beyond", mmap(NULL, 2304UL << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    struct rlimit most;
    getrlimit(RLIMIT_NPROC, &most);
    say("tasks_beyond", most.rlim_cur != RLIM_INFINITY);
    fstat(syscall(SYS_openat, AT_FDCWD, strcat(made, "-open"), O_CREAT | O_WRONLY, 0666), &seen);
    *strrchr(made, '-') = 0;
    say("open_to_others", (seen.st_mode & 077) == 0);

    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "/nobody-listens-here"};
    int socket_ = syscall(SYS_socket, AF_INET, SOCK_STREAM, 0), pair[2];
    say("tcp", no(socket_) || no(syscall(SYS_connect, socket_, &to, sizeof to)));
    to.sin_port = 0;
    socket_ = syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
    say("listen", no(socket_) || no(syscall(SYS_bind, socket_, &to, sizeof to)));
    say("udp", no(syscall(SYS_socket, AF_INET, SOCK_DGRAM, 0)));
    /* The upper half of an argument is nothing to the kernel. */
    denied = no(syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0)) & no(syscall(SYS_socket, 0x100000000L | AF_UNIX, SOCK_STREAM, 0)) & no(syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET, 0))
        & no(syscall(SYS_socket, AF_NETLINK, SOCK_RAW, 15)) & no(syscall(SYS_socket, 38 /* AF_ALG */, SOCK_SEQPACKET, 0)) & no(syscall(SYS_socket, 40 /* AF_VSOCK */, SOCK_STREAM, 0));
    say("unix", denied);
    socket_ = syscall(SYS_socket, AF_UNIX, SOCK_DGRAM, 0);
    say("unix_datagram", no(socket_) || no(syscall(SYS_sendto, socket_, "x", 1, 0, &at, sizeof at)));
    denied = no(syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
    say("pair_of_streams", denied);
    if (!denied) {
        /* It has no other address, and gets none. */
        if (syscall(SYS_connect, pair[0], &at, sizeof at) == 0 || syscall(SYS_sendto, pair[0], "x", 1, 0, &at, sizeof at) == 1) say("unix", 0);
    }
    say("pair_of_datagrams", no(syscall(SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, pair)) & no(syscall(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair))
        & no(syscall(SYS_socketpair, AF_UNIX, SOCK_RAW, 0, pair)));

    say("shared_memory", no(syscall(SYS_shmget, 0, 4096, 0600)));
    say("messages", no(syscall(SYS_msgget, 0, 0600)));
    say("semaphores", no(syscall(SYS_semget, 0, 1, 0600)));
    say("message_queue", no(syscall(SYS_mq_open, "aura-probe", O_CREAT, 0600, NULL)));

    unsigned long none[16] = {0}, all[16];
    struct sched_param usual = {0}, real = {1};
    struct { unsigned size, policy; unsigned long flags; int nice; unsigned priority; unsigned long rest[3]; } fifo = {48, 1, 0, 0, 1, {0}};
    memset(all, 0xff, sizeof all);
    say("limits", no(syscall(SYS_prlimit64, pid, RLIMIT_NOFILE, NULL, none)));
    say("affinity", no(syscall(SYS_sched_setaffinity, pid, sizeof all, all)));
    say("priority", no(syscall(SYS_setpriority, PRIO_PROCESS, pid, 0)) & no(syscall(SYS_setpriority, PRIO_USER, 0, 0)) & no(syscall(SYS_setpriority, PRIO_PGRP, 0, 0)));
    say("io_priority", no(syscall(SYS_ioprio_set, 1, pid, 0)) & no(syscall(SYS_ioprio_set, 3, 0, 0)));
    say("real_time", no(syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &real)) & no(syscall(SYS_sched_setscheduler, 0, SCHED_RR | SCHED_RESET_ON_FORK, &real))
        & no(syscall(SYS_sched_setscheduler, pid, SCHED_OTHER, &usual)) & no(syscall(SYS_sched_setparam, pid, &usual)) & no(syscall(SYS_sched_setattr, 0, &fifo, 0)));
    say("signal", no(syscall(SYS_kill, pid, 0)));
    say("ptrace", no(syscall(SYS_ptrace, 0x4206, pid, NULL, NULL)));
    struct iovec local = {none, 1}, remote = {(void *)8, 1};
    say("vm_read", no(syscall(SYS_process_vm_readv, pid, &local, 1, &remote, 1, 0)));
    fflush(stdout);
    int child = fork(), status = 0;
    if (child == 0) _exit(execl("/bin/true", "true", NULL) == -1 ? 1 : 0);
    say("fork", no(child));
    waitpid(child, &status, 0);
    pthread_t thread;
    say("exec", !WIFEXITED(status) || WEXITSTATUS(status) != 0 || pthread_create(&thread, NULL, nothing, NULL) != 0);
    say("leave_group", no(syscall(SYS_setpgid, 0, 0)) & no(syscall(SYS_setsid)));
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[2] = {{0}};
    say("capabilities", syscall(SYS_capget, &head, sets) == 0 && (sets[0].permitted | sets[0].effective | sets[0].inheritable | sets[1].permitted | sets[1].effective) == 0);
    say("name_space", no(syscall(SYS_unshare, CLONE_NEWUSER)) & no(syscall(SYS_unshare, CLONE_NEWNS)) & no(syscall(SYS_setns, fd, 0)));
    printf("]}\n");
    return 0;
}
