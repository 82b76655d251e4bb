#pragma once
// What a program in the sandbox may not ask of the kernel.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <vector>

// The system calls that are refused: those by which memory is had that counts nowhere, those that make new namespaces
// (inside one everything is permitted again), those that slow the warden down, which runs as the same user, and what
// reaches beyond the sandbox without touching a file. io_setup takes from a number that all users of the machine share.
inline constexpr int refused[] = {SYS_memfd_create,
                                  SYS_memfd_secret,
                                  SYS_shmget,
                                  SYS_shmat,
                                  SYS_msgget,
                                  SYS_semget,
                                  SYS_mq_open,
                                  SYS_vmsplice,
                                  SYS_add_key,
                                  SYS_request_key,
                                  SYS_keyctl,
                                  SYS_unshare,
                                  SYS_setns,
                                  SYS_mount,
                                  SYS_umount2,
                                  SYS_pivot_root,
                                  SYS_fsopen,
                                  SYS_open_tree,
                                  SYS_move_mount,
                                  SYS_bpf,
                                  SYS_perf_event_open,
                                  SYS_userfaultfd,
                                  SYS_io_uring_setup,
                                  SYS_chroot,
                                  SYS_process_madvise,
                                  SYS_setpriority,
                                  SYS_ioprio_set,
                                  SYS_sched_setscheduler,
                                  SYS_sched_setparam,
                                  SYS_sched_setattr,
                                  SYS_sched_setaffinity,
                                  SYS_io_setup};

// What sockets hold is memory that counts nowhere. The driver of a GPU may want some.
inline constexpr int sockets[] = {SYS_socket, SYS_socketpair};
#if defined(__x86_64__)
inline constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
inline constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
#error "the warden knows the system calls of x86-64 and 64-bit Arm"
#endif

// Refuses them from now on, to this process and all that it starts; false if the kernel cannot.
inline bool filter_calls() {
    std::vector<sock_filter> code;
    const auto step = [&](int what, std::uint32_t value, int yes = 0, int no = 0) {
        code.push_back({std::uint16_t(what), std::uint8_t(yes), std::uint8_t(no), value});
    };
    const auto load = [&](std::size_t at) { step(BPF_LD | BPF_W | BPF_ABS, std::uint32_t(at)); };
    const auto answer = [&](std::uint32_t value) { step(BPF_RET | BPF_K, value); };
    const auto argument = [](int number) {  // its lower half; both architectures are little-endian
        return offsetof(seccomp_data, args) + std::size_t(number) * sizeof(std::uint64_t);
    };
    load(offsetof(seccomp_data, arch));
    step(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0);
    answer(SECCOMP_RET_KILL_PROCESS);  // 32-bit calls have other numbers
    load(offsetof(seccomp_data, nr));
    step(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    answer(SECCOMP_RET_KILL_PROCESS);  // so have those of x32
    for (const int call : refused) {
        step(BPF_JMP | BPF_JEQ | BPF_K, std::uint32_t(call), 0, 1);
        answer(SECCOMP_RET_ERRNO | EPERM);
    }
    for (const int call : sockets) {
        if (access("/dev/nvidiactl", F_OK) == 0) break;
        step(BPF_JMP | BPF_JEQ | BPF_K, std::uint32_t(call), 0, 1);
        answer(SECCOMP_RET_ERRNO | EPERM);
    }
    step(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 4);
    load(argument(0));
    step(BPF_JMP | BPF_JEQ | BPF_K, SIGCHLD, 0, 1);
    answer(SECCOMP_RET_ERRNO | EPERM);  // the kernel forgets the processor time of children whose end is ignored
    answer(SECCOMP_RET_ALLOW);
    step(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
    answer(SECCOMP_RET_ERRNO | ENOSYS);  // its flags lie in memory; the C library then takes clone
    step(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
    load(argument(0));
    step(BPF_JMP | BPF_JSET | BPF_K,
         CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP, 0,
         1);
    answer(SECCOMP_RET_ERRNO | EPERM);
    answer(SECCOMP_RET_ALLOW);
    step(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 7);
    load(argument(3));
    step(BPF_JMP | BPF_JSET | BPF_K, MAP_HUGETLB, 2, 0);
    step(BPF_ALU | BPF_AND | BPF_K, MAP_SHARED | MAP_ANONYMOUS);
    step(BPF_JMP | BPF_JEQ | BPF_K, MAP_SHARED | MAP_ANONYMOUS, 0, 1);
    answer(SECCOMP_RET_ERRNO | EPERM);
    answer(SECCOMP_RET_ALLOW);
    answer(SECCOMP_RET_ALLOW);
    step(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 4);
    load(argument(0));
    step(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
    answer(SECCOMP_RET_ERRNO | EPERM);  // the limits of the warden
    answer(SECCOMP_RET_ALLOW);
    step(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 5);
    load(argument(0));
    step(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 3, 0);
    step(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0);
    step(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 0);
    answer(SECCOMP_RET_ERRNO | EAFNOSUPPORT);  // not every kind of socket belongs to a network namespace
    answer(SECCOMP_RET_ALLOW);
    const sock_fprog program{std::uint16_t(code.size()), code.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0;
}
