// The first process of a sandbox: sets the limits, runs one program, watches its memory, and leaves nothing running.
//
//     warden REPORT ANSWERS CPU_SECONDS MEMORY_MB ADDRESS_MB PROCESSES FILE_MB -- PROGRAM WORDS...
//
// REPORT is the file descriptor that gets one line when all is over: `exit N`, `signal N` or `memory`, then CPU
// milliseconds and the largest resident memory in KiB. ANSWERS is handed to the program as descriptor 3 (-1: none).
// ADDRESS_MB 0 is no limit: AddressSanitizer reserves terabytes, so what counts is the memory that is resident.
// In a PID namespace it is process 1, which nobody inside can end; elsewhere it is the reaper of all that the program
// leaves behind.
#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

namespace {

struct Process {
    int parent = 0;
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
        const ssize_t got = read(file, text, sizeof text - 1);
        close(file);
        if (got <= 0) continue;
        text[got] = 0;
        const char* after = std::strrchr(text, ')');  // a name may hold anything
        Process process;
        char state = 0;
        long pages = 0;
        if (after && std::sscanf(after + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u %*u %ld",
                                 &state, &process.parent, &pages) == 3) {
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

void limit(__rlimit_resource resource, rlim_t value) {
    const rlimit both{value, value};
    setrlimit(resource, &both);
}

void kill_all() {
    for (int round = 0; round < 1000; ++round) {
        const auto rest = below(processes(), getpid());
        if (rest.empty()) return;
        for (const int pid : rest) kill(pid, SIGKILL);
        while (waitpid(-1, nullptr, WNOHANG) > 0) {}
        usleep(500);
    }
}

void stop(int) {
    kill_all();
    _exit(1);
}

}  // namespace

int main(int count, char** words) {
    if (count < 10) return 2;
    const int report = std::atoi(words[1]), answers = std::atoi(words[2]);
    const rlim_t cpu = rlim_t(std::atol(words[3])), address = rlim_t(std::atol(words[5])) << 20;
    const long memory_kb = std::atol(words[4]) * 1024;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_DUMPABLE, 0);  // what it holds is closed to the processes inside
    std::signal(SIGTERM, stop);
    std::signal(SIGINT, stop);
    fcntl(report, F_SETFD, FD_CLOEXEC);

    const pid_t child = fork();
    if (child == 0) {
        std::signal(SIGTERM, SIG_DFL);
        std::signal(SIGINT, SIG_DFL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setsid();
        if (answers >= 0 && answers != 3) {
            dup2(answers, 3);
            close(answers);
        }
        limit(RLIMIT_CORE, 0);
        const rlimit seconds{cpu, cpu + 1};  // SIGXCPU first: where both are equal the program is only killed
        setrlimit(RLIMIT_CPU, &seconds);
        limit(RLIMIT_NPROC, rlim_t(std::atol(words[6])));
        limit(RLIMIT_FSIZE, rlim_t(std::atol(words[7])) << 20);
        limit(RLIMIT_NOFILE, 64);
        limit(RLIMIT_STACK, 8 << 20);
        if (address) limit(RLIMIT_AS, address);
        execv(words[9], words + 9);
        _exit(127);
    }
    const char* end = "exit";
    int code = 127;
    long peak_kb = 0;
    rusage used{};
    for (useconds_t wait = 500; child > 0;) {
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
        const auto all = processes();
        long resident_kb = 0;
        for (const int pid : below(all, getpid())) resident_kb += all.at(pid).resident_kb;
        peak_kb = std::max(peak_kb, resident_kb);
        if (resident_kb > memory_kb) {
            end = "memory";
            code = 0;
            break;
        }
        usleep(wait);
        wait = std::min<useconds_t>(2 * wait, 10000);
    }
    kill_all();
    getrusage(RUSAGE_CHILDREN, &used);
    const long cpu_ms = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
                        (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
    dprintf(report, "%s %d %ld %ld\n", end, code, cpu_ms, std::max(peak_kb, used.ru_maxrss));
    return 0;
}
