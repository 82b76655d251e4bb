#include <recto/book/apart.hpp>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include <recto/base/check.hpp>
#include <recto/device/threads.hpp>
#include <recto/io/byte_source.hpp>

namespace RECTO::book {
namespace {

constexpr char numbers = 'n', complaint = 'c';

/// A child process and its output so far: a letter; then the files it read and its numbers, or an error message.
struct Child {
    Index piece;
    pid_t process;
    int pipe;
    std::string said = {};
};

void say(int pipe, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(pipe, bytes.data(), bytes.size());
        if (written < 0) ::_exit(1);
        bytes.remove_prefix(std::size_t(written));
    }
}

[[noreturn]] void live(int pipe, pid_t parent, Index piece, const std::function<std::vector<double>(Index)>& work) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // the parent ended before prctl() took effect
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    try {
        set_threads(1);
        const std::vector<double> found = work(piece);
        say(pipe, std::string(1, numbers));
        for (const std::string& path : io::files_read()) say(pipe, {path.c_str(), path.size() + 1});
        say(pipe, {"", 1});  // no path is empty: the numbers follow
        say(pipe, {reinterpret_cast<const char*>(found.data()), found.size() * sizeof(double)});
        ::_exit(0);
    } catch (const std::exception& error) {
        say(pipe, complaint + std::string(error.what()));
    } catch (...) {
        say(pipe, complaint + std::string("it threw something that is not an exception"));
    }
    ::_exit(1);
}

Child begin(Index piece, const std::function<std::vector<double>(Index)>& work) {
    int ends[2];
    check(::pipe(ends) == 0, "apart: cannot make a pipe: {}", std::strerror(errno));
    std::fflush(nullptr);  // buffered output would be printed by the child as well
    const pid_t parent = ::getpid(), process = ::fork();
    if (process == 0) {
        ::close(ends[0]);
        live(ends[1], parent, piece, work);
    }
    ::close(ends[1]);
    if (process < 0) ::close(ends[0]);
    check(process > 0, "apart: cannot start a process: {}", std::strerror(errno));
    return {piece, process, ends[0]};
}

std::vector<double> end(Child& child) {
    ::close(child.pipe);
    int status = 0;
    ::waitpid(std::exchange(child.process, 0), &status, 0);
    const bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !child.said.empty() && child.said[0] == numbers;
    if (!well) {
        check(!(child.said.size() > 1 && child.said[0] == complaint), "{}",
              child.said.substr(std::min<std::size_t>(child.said.size(), 1)));
        check(!WIFSIGNALED(status), "apart: piece {} was stopped by signal {}", child.piece, WTERMSIG(status));
        check(false, "apart: piece {} ended with status {}", child.piece, WEXITSTATUS(status));
    }
    std::string_view rest = std::string_view(child.said).substr(1);
    for (std::string_view path; !(path = rest.substr(0, rest.find('\0'))).empty(); rest.remove_prefix(path.size() + 1))
        io::note_read(std::string(path));
    rest.remove_prefix(1);
    std::vector<double> found(rest.size() / sizeof(double));
    if (!found.empty()) std::memcpy(found.data(), rest.data(), rest.size());
    return found;
}

/// Reads the available bytes; false at the end.
bool listen(Child& child) {
    char bytes[4096];
    const ssize_t got = ::read(child.pipe, bytes, sizeof bytes);
    if (got > 0) child.said.append(bytes, std::size_t(got));
    return got > 0 || (got < 0 && errno == EINTR);
}

/// The running children; their destructor kills them on an early return or an exception.
struct Family {
    std::vector<Child> children;
    ~Family() {
        for (const Child& child : children)
            if (child.process > 0) {
                ::kill(child.process, SIGKILL);
                ::waitpid(child.process, nullptr, 0);
                ::close(child.pipe);
            }
    }
};

}  // namespace

void each_apart(Index count, int at_once, const std::function<std::vector<double>(Index)>& work,
                const std::function<void(Index, const std::vector<double>&)>& done) {
    check(at_once >= 1, "apart: wanted at least one process at once, got {}", at_once);
    Family family;
    auto& children = family.children;
    for (Index next = 0; next < count || !children.empty();) {
        while (next < count && std::ssize(children) < at_once) children.push_back(begin(next++, work));
        std::vector<pollfd> pipes;
        for (const Child& child : children) pipes.push_back({child.pipe, POLLIN, 0});
        if (::poll(pipes.data(), pipes.size(), -1) < 0) continue;  // a signal
        for (std::size_t i = pipes.size(); i-- > 0;) {
            if (!pipes[i].revents || listen(children[i])) continue;
            const Index piece = children[i].piece;
            const std::vector<double> found = end(children[i]);
            children.erase(children.begin() + std::ptrdiff_t(i));
            done(piece, found);
        }
    }
}

}  // namespace RECTO::book
