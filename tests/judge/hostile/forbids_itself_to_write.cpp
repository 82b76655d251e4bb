// outcome: crashed
// says: forbidden system call
// A filter of its own over that of the warden.
#include "twice.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <cstddef>

int twice(int x) {
    sock_filter code[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
                          {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_write},
                          {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS},
                          {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    const sock_fprog program{4, code};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    return 2 * x;
}
