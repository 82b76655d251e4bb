// Files of a page in a browser lie in its memory. Nothing else reads them while they are written, so they need no temporary name.
#include <recto/io/atomic_file.hpp>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace RECTO::io {

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file_ < 0) fail("create it");
}

AtomicFile::~AtomicFile() {
    if (file_ >= 0) ::close(file_);
}

void AtomicFile::fail(const char* step) {
    const char* reason = std::strerror(errno);
    refuse("write {}: cannot {}: {}", fmt::make_format_args(path_, step, reason));
}

void AtomicFile::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(file_, bytes.data(), bytes.size());
        if (count <= 0) fail("write to it");
        bytes.remove_prefix(std::size_t(count));
    }
}

void AtomicFile::commit() { ::close(std::exchange(file_, -1)); }

void write_file(const std::string& path, std::string_view bytes) {
    AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

void make_directories(const std::string&) {}  // a path is only a name here

}  // namespace RECTO::io
