#include <recto/io/input_file.hpp>

#include <fcntl.h>
#include <recto/io/plain_text.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace RECTO::io {
namespace {

std::string_view kind_of(mode_t mode) {
    return S_ISDIR(mode) ? "a directory" : S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

/// Whether the text begins with these letters, in upper or lower case.
bool begins(std::string_view text, std::string_view letters) {
    const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 'a' - 'A') : c; };
    return text.size() >= letters.size() &&
           std::ranges::equal(text.substr(0, letters.size()), letters, {}, small, small);
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
    struct stat found {};
    // Opening a device may have side effects, so the path is checked first. The open file is checked again, since the
    // path may have been replaced in between. O_NONBLOCK: opening a pipe would block until a process writes to it.
    if (::stat(path_.c_str(), &found) == 0 && !S_ISREG(found.st_mode))
        fail(0, fmt::format("wanted a regular file, this is {}", kind_of(found.st_mode)));
    file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file_ < 0) fail(0, fmt::format("cannot be opened ({})", std::strerror(errno)));
    if (::fstat(file_, &found) != 0 || !S_ISREG(found.st_mode)) {
        ::close(file_);
        fail(0, "wanted a regular file");
    }
    size_ = Index(found.st_size);
}

InputFile::~InputFile() { ::close(file_); }

void InputFile::read(void* to, Index place, Index bytes) const {
    for (Index done = 0; done < bytes;) {
        const ssize_t n = ::pread(file_, static_cast<char*>(to) + done, std::size_t(bytes - done), place + done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(place + done, fmt::format("cannot be read ({})", std::strerror(errno)));
        if (n == 0) fail(place + done, fmt::format("the file ends here, {} bytes too early", bytes - done));
        done += n;
    }
}

void InputFile::expect_unchanged() const {
    struct stat found {};
    if (::fstat(file_, &found) != 0 || found.st_size != size_)
        fail(std::min<Index>(size_, found.st_size), "the file changed its length while it was read");
}

void InputFile::expect_memory(Index bytes, Index place) const {
    const Index pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
    if (pages > 0 && bytes / page >= pages)
        fail(place, fmt::format("{} bytes are declared, more than this machine has", bytes));
}

void InputFile::fail(Index place, std::string_view reason) const {
    throw Error(fmt::format("{}: byte {}: {}", escaped(path_), place, reason));
}

std::string_view known_kind(std::string_view start) {
    if (start.starts_with("\x1f\x8b")) return "gzip data";
    if (start.starts_with("version https://git-lfs")) return "a Git LFS pointer, which 'git lfs pull' replaces";
    if (start.size() > 1 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5)
        return "a pickle, a program of Python's rather than data";
    if (start.starts_with("PK\x03\x04"))
        return start.find(".pkl") != start.npos ? "a zip archive of torch.save, with a pickle inside" : "a zip archive";
    if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
    start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
    for (const char* tag : {"<!doctype html", "<html", "<head", "<body"})
        if (begins(start, tag)) return "an HTML page";
    return begins(start, "<?xml") ? "an XML page" : "";
}

}  // namespace RECTO::io
