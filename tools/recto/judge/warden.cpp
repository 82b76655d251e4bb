// The first process of a sandbox: sets the limits, runs one program, watches what it uses, and leaves nothing running.
//
//     warden REPORT ANSWERS CPU_SECONDS MEMORY_MB ADDRESS_MB PROCESSES FILE_MB -- PROGRAM WORDS...
//
// REPORT is the file descriptor that gets one line when all is over: `exit N`, `signal N`, `memory 0`, `time 0`,
// `processes 0` or `failed ERRNO` (it could not be started), then CPU milliseconds and the largest resident memory in
// KiB. When the reader closes REPORT, the warden ends everything. ANSWERS is passed to the program as descriptor 3 (-1:
// none). ADDRESS_MB 0 is no limit: AddressSanitizer reserves terabytes, so what counts is the memory that is resident,
// the page tables, and what lies in the sandbox's own /tmp and /dev/shm. In a PID namespace it is process 1, which no
// process inside can end; elsewhere it is the reaper of everything that the program leaves behind.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "calls.hpp"

namespace {

struct Process {
    int parent = 0;
    uid_t user = 0;
    long ticks = 0;  // of the processor, with those of the children that it has waited for
    long threads = 0;
    long resident_kb = 0;
};

// All processes that can be seen, by their number.
std::map<int, Process> processes() {
    std::map<int, Process> found;
    DIR* folder = opendir("/proc");
    if (!folder) return found;
    const long page_kb = sysconf(_SC_PAGESIZE) / 1024;
    while (const dirent* entry = readdir(folder)) {
        const int pid = std::atoi(entry->d_name);
        if (pid <= 0) continue;
        char path[64], text[1024];
        std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        struct stat about {};
        fstat(file, &about);
        const ssize_t got = read(file, text, sizeof text - 1);
        close(file);
        if (got <= 0) continue;
        text[got] = 0;
        const char* after = std::strrchr(text, ')');  // a name may hold anything
        Process process;
        process.user = about.st_uid;
        long ticks[4]{}, pages = 0;
        if (after &&
            std::sscanf(after + 1,
                        " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld %ld %ld %*d %*d %ld %*d %*u %*u %ld",
                        &process.parent, ticks, ticks + 1, ticks + 2, ticks + 3, &process.threads, &pages) == 7) {
            process.ticks = ticks[0] + ticks[1] + ticks[2] + ticks[3];
            process.resident_kb = pages * page_kb;
            found[pid] = process;
        }
    }
    closedir(folder);
    return found;
}

// The numbers of all processes below this one.
std::vector<int> below(const std::map<int, Process>& all, int ancestor) {
    std::vector<int> found;
    for (const auto& [pid, process] : all) {
        int at = pid;
        for (int steps = 0; at != ancestor && at > 0 && steps < 4096; ++steps) {
            const auto parent = all.find(at);
            at = parent == all.end() ? 0 : parent->second.parent;
        }
        if (at == ancestor && pid != ancestor) found.push_back(pid);
    }
    return found;
}

// The page tables of a process: memory of the kernel's, which pages that were only read cost as well.
long tables_kb(int pid) {
    char path[64], text[4096];
    std::snprintf(path, sizeof path, "/proc/%d/status", pid);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    text[std::max<ssize_t>(got, 0)] = 0;
    const char* found = std::strstr(text, "\nVmPTE:");
    return found ? std::atol(found + 7) : 0;
}

// What all of them use together.
struct Use {
    long cpu_ms = 0;
    long threads = 0;
    long memory_kb = 0;
};

// CPU time of what has ended and was waited for.
long reaped_ms() {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
           (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
}

// Files in a folder that is memory, with what the kernel keeps for each.
long files_kb(const char* folder) {
    struct statvfs disk {};
    if (statvfs(folder, &disk)) return 0;
    return long((disk.f_blocks - disk.f_bfree) * disk.f_frsize / 1024 + (disk.f_files - disk.f_ffree) * 4);
}

Use used(bool alone) {
    Use sum;
    sum.cpu_ms = reaped_ms();
    const auto all = processes();
    const long tick_ms = 1000 / sysconf(_SC_CLK_TCK);
    for (const int pid : below(all, getpid())) {
        sum.cpu_ms += all.at(pid).ticks * tick_ms;
        sum.threads += all.at(pid).threads;
        sum.memory_kb += all.at(pid).resident_kb + tables_kb(pid);
    }
    if (alone) sum.memory_kb += files_kb("/tmp") + files_kb("/dev/shm");
    return sum;
}

// Threads that this user runs already: where there is no namespace of users, they count against the limit too.
long threads_of_user() {
    long sum = 0;
    for (const auto& [pid, process] : processes()) sum += process.user == getuid() ? process.threads : 0;
    return sum;
}

void limit(__rlimit_resource resource, rlim_t soft, rlim_t hard) {
    const rlimit both{soft, hard};
    setrlimit(resource, &both);
}
void limit(__rlimit_resource resource, rlim_t value) { limit(resource, value, value); }

// Ends all processes below this one and waits for them.
void kill_all(bool alone) {
    for (int round = 0; round < 5000; ++round) {
        if (alone) {
            kill(-1, SIGKILL);  // everything else in this namespace, at once
        } else {
            for (const int pid : below(processes(), getpid())) kill(pid, SIGKILL);
        }
        pid_t ended = 0;
        while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
        }
        if (ended < 0 && errno == ECHILD) return;
        usleep(500);
    }
}

// Lets a program whose time is over print where it is (exercises/kit/driver.cpp); it need not, and is ended all the same.
void ask_where(pid_t program, pollfd ended) {
    kill(program, SIGXCPU);
    poll(&ended, 1, 100);
}

volatile sig_atomic_t stopped = 0;
void stop(int) { stopped = 1; }

// The program itself, with its limits set; does not return.
[[noreturn]] void run(char** words, int answers, int failure, bool alone, long threads_already) {
    for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsid();
    if (answers >= 0 && answers != 3) {
        dup2(answers, 3);
        close(answers);
    }
    if (const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); score >= 0) {
        (void)!write(score, "1000", 4);  // when the machine runs out of memory, this is what has to go
        close(score);
    }
    const rlim_t cpu = rlim_t(std::atol(words[3])), address = rlim_t(std::atol(words[5])) << 20;
    const rlim_t at_most = rlim_t(std::atol(words[6]));
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, cpu + 1, cpu + 2);  // the warden looks at the sum of all; this stands behind it
    limit(RLIMIT_NPROC, alone ? at_most + 1 : at_most + rlim_t(threads_already) + 500);
    limit(RLIMIT_FSIZE, rlim_t(std::atol(words[7])) << 20);
    limit(RLIMIT_NOFILE, 64);
    limit(RLIMIT_STACK, 8 << 20);
    limit(RLIMIT_MEMLOCK, 0);
    limit(RLIMIT_SIGPENDING, 1024);
    limit(RLIMIT_MSGQUEUE, 0);
    if (address) limit(RLIMIT_AS, address);
    if (filter_calls() || !alone) execv(words[9], words + 9);
    const unsigned char why = static_cast<unsigned char>(errno);
    (void)!write(failure, &why, 1);
    _exit(127);
}

}  // namespace

int main(int count, char** words) {
    if (count < 10) return 2;
    const int report = std::atoi(words[1]), answers = std::atoi(words[2]);
    const long cpu_ms = std::atol(words[3]) * 1000, memory_kb = std::atol(words[4]) * 1024,
               threads = std::atol(words[6]);
    const bool alone = getpid() == 1;  // in a namespace of processes
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_DUMPABLE, 0);  // what it holds is closed to the processes inside
    if (!alone) {               // process 1 must not hear signals: those inside could send them
        struct sigaction action {};
        action.sa_handler = stop;
        sigaction(SIGTERM, &action, nullptr);
        sigaction(SIGINT, &action, nullptr);
        sigaction(SIGHUP, &action, nullptr);
    }
    fcntl(report, F_SETFD, FD_CLOEXEC);
    const long threads_already = alone ? 0 : threads_of_user();

    int failure[2];  // stays silent when the program begins
    if (pipe2(failure, O_CLOEXEC | O_NONBLOCK)) return 2;
    const pid_t child = fork();
    if (child == 0) run(words, answers, failure[1], alone, threads_already);
    close(failure[1]);
    if (answers >= 0) close(answers);  // when the program has ended, no process holds it open
    pollfd events[] = {{report, 0, 0}, {child > 0 ? int(syscall(SYS_pidfd_open, child, 0)) : -1, POLLIN, 0}};
    const char* end = "exit";
    int code = 127;
    Use now, most;
    for (int wait = 1; child > 0; wait = std::min(2 * wait, alone ? 10 : 30)) {
        int status = 0;
        pid_t ended = 0;
        bool over = false;
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
            if (ended == child) {
                over = true;
                end = WIFSIGNALED(status) ? "signal" : "exit";
                code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
            }
        if (over) break;
        now = used(alone);
        most.memory_kb = std::max(most.memory_kb, now.memory_kb);
        code = 0;
        if (now.memory_kb > memory_kb) {
            end = "memory";
            break;
        }
        if (now.cpu_ms >= cpu_ms) {
            end = "time";
            ask_where(child, events[1]);
            break;
        }
        if (now.threads > threads) {
            end = "processes";
            break;
        }
        if (poll(events, 2, wait) > 0 && (events[0].revents & (POLLERR | POLLHUP))) {  // the reader has closed the report
            ask_where(child, events[1]);
            break;
        }
        if (stopped) break;
    }
    kill_all(alone);
    rusage reaped{};
    getrusage(RUSAGE_CHILDREN, &reaped);
    const long spent_ms = reaped_ms();
    if (std::strcmp(end, "signal") == 0 && (code == SIGXCPU || code == SIGKILL) && spent_ms >= cpu_ms)
        end = "time", code = 0;
    if (unsigned char why = 0; read(failure[0], &why, 1) == 1) end = "failed", code = why;
    std::signal(SIGPIPE, SIG_IGN);
    dprintf(report, "%s %d %ld %ld\n", end, code, spent_ms, std::max(most.memory_kb, reaped.ru_maxrss));
    return 0;
}
