// outcome: passed
// says: ^$
// Memory, descriptors, environment, limits and priority of process 1 are closed.
#include "twice.hpp"

#include <fcntl.h>
#include <dirent.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>
#include <initializer_list>

int twice(int x) {
    char byte = 0;
    iovec here{&byte, 1}, there{&byte, 1};
    bool had = ptrace(PTRACE_SEIZE, 1, nullptr, nullptr) == 0 || process_vm_readv(1, &here, 1, &there, 1, 0) > 0;
    for (const char* path : {"/proc/1/mem", "/proc/1/environ", "/proc/1/root/tmp", "/proc/1/cwd/x", "/proc/1/maps"})
        had = had || open(path, O_RDONLY) >= 0;
    had = had || opendir("/proc/1/fd") != nullptr;
    const rlimit none{0, 0};
    had = had || prlimit(1, RLIMIT_NOFILE, &none, nullptr) == 0 || prlimit(1, RLIMIT_CPU, &none, nullptr) == 0;
    const sched_param idle{};
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    had = had || setpriority(PRIO_PROCESS, 1, 19) == 0 || sched_setscheduler(1, SCHED_IDLE, &idle) == 0;
    had = had || sched_setaffinity(1, sizeof first, &first) == 0;
    return had ? 0 : 2 * x;
}
