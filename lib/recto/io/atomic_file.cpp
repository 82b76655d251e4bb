#include <fcntl.h>
#include <recto/io/atomic_file.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace RECTO::io {
namespace {

/// Where a chain of links ends, so that rename replaces the file and not the link to it.
std::string resolved(const std::string& path) {
    char* real = ::realpath(path.c_str(), nullptr);
    if (!real) return path;  // not there yet; a wrong directory is reported when it is opened
    std::string end = real;
    std::free(real);
    return end;
}

std::string folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(resolved(path)) {
    static std::atomic<int> number = 0;
    struct stat old {};
    const bool replaces = ::stat(path_.c_str(), &old) == 0;
    check(!replaces || S_ISREG(old.st_mode), "write {}: wanted a regular file, it is something else", path_);

    // Beside the target, because rename is atomic only inside one file system; hidden, and with a name
    // that no second program and no second writer of this one has.
    const auto slash = path_.rfind('/') + 1;  // npos + 1 is 0
    temporary_ = fmt::format("{}.{}.{}-{}.tmp", path_.substr(0, slash), path_.substr(slash), ::getpid(), number++);
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);  // the umask applies
    if (file_ < 0) fail("create a file here");
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
    const int closed = ::close(file_);
    file_ = -1;
    if (closed != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
        const int reason = errno;
        ::unlink(temporary_.c_str());
        errno = reason;
        fail(closed != 0 ? "close" : "rename");
    }
    temporary_.clear();
    // The new name is durable only once the directory is. Some file systems refuse to flush one
    // (EINVAL); there is nothing better to do then, and the bytes are complete in either case.
    const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    const bool flushed = ::fsync(folder) == 0 || errno == EINVAL;
    ::close(folder);
    if (!flushed) fail("flush the directory");
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
