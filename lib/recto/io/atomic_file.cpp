#include <fcntl.h>
#include <recto/io/atomic_file.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace RECTO::io {
namespace {

/// The target of a chain of links, so that rename replaces the file instead of the link.
std::string resolved(const std::string& path) {
    char* real = ::realpath(path.c_str(), nullptr);
    if (!real) return path;  // it does not exist yet; an invalid directory is reported when the file is opened
    std::string end = real;
    std::free(real);
    return end;
}

std::string folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// Whether this is `.NAME.PID-NUMBER.tmp`, the pattern of temporary files for NAME.
bool is_temporary_of(std::string_view name, std::string_view file) {
    const std::string start = fmt::format(".{}.", name);
    if (!file.starts_with(start) || !file.ends_with(".tmp") || file.size() < start.size() + 4) return false;
    file = file.substr(start.size(), file.size() - start.size() - 4);
    const auto dash = file.find('-');
    return dash != file.npos && dash > 0 && dash + 1 < file.size() && file.find_first_not_of("0123456789") == dash &&
           file.find_first_not_of("0123456789", dash + 1) == file.npos;
}

/// Removes temporary files of writers of the same file that were killed. A running writer holds a lock on its temporary
/// file, which ends with the process; its process number proves nothing, since it may run in another container.
/// Failures are ignored: the file itself is saved.
void remove_leftovers(const std::string& folder, std::string_view name) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
        if (!is_temporary_of(name, entry.path().filename().native())) continue;
        const int left = ::open(entry.path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (left < 0) continue;
        if (::flock(left, LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
        ::close(left);
    }
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(resolved(path)) {
    static std::atomic<int> number = 0;
    struct stat old {};
    const bool replaces = ::stat(path_.c_str(), &old) == 0;
    check(!replaces || S_ISREG(old.st_mode), "write {}: wanted a regular file, it is something else", path_);

    // In the same directory, because rename is atomic only within a file system; hidden, with a name that no other
    // program and no other writer of this program uses.
    const auto slash = path_.rfind('/') + 1;  // npos + 1 is 0
    while (file_ < 0) {
        temporary_ = fmt::format("{}.{}.{}-{}.tmp", path_.substr(0, slash), path_.substr(slash), ::getpid(), number++);
        file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);  // the umask applies
        if (file_ < 0 && errno == EEXIST) continue;  // left by a killed process with the same number
        if (file_ < 0) fail("create a file here");
        // The lock tells others that this file is in use. A process that mistook it for a leftover holds the lock, or
        // has removed the file: in both cases we take another name.
        struct stat made {};
        const bool taken = ::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!taken && ::fstat(file_, &made) == 0 && made.st_nlink > 0) break;
        ::close(file_);
        file_ = -1;
    }
    if (replaces && ::fchmod(file_, old.st_mode & 07777) != 0) fail("keep the permissions");
}

AtomicFile::~AtomicFile() {
    if (file_ >= 0) ::close(file_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(const char* step) {
    const char* reason = std::strerror(errno);
    if (file_ >= 0) ::close(file_);
    if (file_ >= 0) ::unlink(temporary_.c_str());  // a constructor that throws has no destructor
    file_ = -1;
    temporary_.clear();
    refuse("write {}: cannot {}: {}", fmt::make_format_args(path_, step, reason));
}

void AtomicFile::write(std::string_view bytes) {
    check(file_ >= 0, "write {}: wanted an open file, it is already committed", path_);
    while (!bytes.empty()) {
        const ssize_t n = ::write(file_, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) fail("write");
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

void AtomicFile::commit() {
    check(file_ >= 0, "write {}: wanted an open file, it is already committed", path_);
    if (::fsync(file_) != 0) fail("flush");
    // Keeps the lock after the checked close, until the file has its name.
    const int lock = ::fcntl(file_, F_DUPFD_CLOEXEC, 0);
    const int closed = ::close(file_);
    file_ = -1;
    if (closed != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
        const int reason = errno;
        ::unlink(temporary_.c_str());
        ::close(lock);
        errno = reason;
        fail(closed != 0 ? "close" : "rename");
    }
    temporary_.clear();
    ::close(lock);
    // The new name is durable only once the directory is. Some file systems cannot flush a directory (EINVAL), which we
    // ignore: the bytes are complete in either case.
    const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    const bool flushed = ::fsync(folder) == 0 || errno == EINVAL;
    ::close(folder);
    if (!flushed) fail("flush the directory");
    remove_leftovers(folder_of(path_), path_.substr(path_.rfind('/') + 1));
}

void write_file(const std::string& path, std::string_view bytes) {
    AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

void make_directories(const std::string& path) {
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
        const std::string part = path.substr(0, end);
        const bool made = part.empty() || ::mkdir(part.c_str(), 0777) == 0 || errno == EEXIST;
        const char* reason = std::strerror(errno);
        check(made, "directory {}: cannot make it: {}", part, reason);
        if (end == std::string::npos) break;
    }
    struct stat found {};
    check(::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode), "directory {}: it is a file", path);
}

}  // namespace RECTO::io
