#include <recto/io/parameters.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <set>

#include <recto/core/float_formats.hpp>
#include <recto/io/atomic_file.hpp>
#include <recto/io/safetensors.hpp>

namespace RECTO::io {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors is little-endian");

constexpr const char* own_type = sizeof(Real) == 8 ? "F64" : "F32";
constexpr Index largest_header = 100'000'000;  // what the format allows

/// A regular file, read by place; every message names it and the byte.
class InputFile {
public:
    explicit InputFile(const std::string& path)
        : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        if (file_ < 0) fail(0, std::strerror(errno));
        struct stat found {};
        if (::fstat(file_, &found) != 0 || !S_ISREG(found.st_mode)) {
            ::close(file_);
            fail(0, "wanted a regular file");
        }
        size_ = Index(found.st_size);
    }
    ~InputFile() { ::close(file_); }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    [[noreturn]] void fail(Index place, const std::string& reason) const {
        throw Error(fmt::format("{}: byte {}: {}", path_, place, reason));
    }
    Index size() const { return size_; }

    void read(void* to, Index place, Index bytes) const {
        for (Index done = 0; done < bytes;) {
            const ssize_t n = ::pread(file_, static_cast<char*>(to) + done, std::size_t(bytes - done), place + done);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) fail(place + done, n < 0 ? std::strerror(errno) : "the file ends here");
            done += n;
        }
    }

private:
    std::string path_;
    int file_;
    Index size_ = 0;
};

/// Numbers of another type than Real, a piece at a time.
template <class Stored, class Convert>
void read_converted(const InputFile& file, Index place, Real* to, Index count, const Convert& convert) {
    Stored piece[4096];
    for (Index done = 0; done < count;) {
        const Index n = std::min<Index>(4096, count - done);
        file.read(piece, place + done * Index(sizeof(Stored)), n * Index(sizeof(Stored)));
        for (Index i = 0; i < n; ++i) to[done + i] = Real(convert(piece[i]));
        done += n;
    }
}

Tensor read_tensor(const InputFile& file, const Declared& t, Index place, Device device) {
    Tensor x = empty(t.shape);
    Real* to = x.write();
    if (t.type == own_type)
        file.read(to, place, t.end - t.begin);
    else if (t.type == "F32")
        read_converted<float>(file, place, to, x.size(), [](float v) { return v; });
    else
        read_converted<std::uint16_t>(file, place, to, x.size(),
                                      [&](std::uint16_t v) { return decode(v, t.type == "F16" ? fp16 : bf16); });
    return x.to(device);
}

}  // namespace

void save_parameters(const std::string& path, const NamedTensors& tensors, const Notes& notes) {
    SafetensorsHeader header{{}, notes};
    std::set<std::string_view> names{"__metadata__"};
    Index end = 0;
    for (const NamedTensor& t : tensors) {
        check(is_plain_text(t.name), "save_parameters: wanted names of plain text, got '{}'", t.name);
        check(names.insert(t.name).second, "save_parameters: wanted every name once, got '{}' again", t.name);
        const Index begin = end;
        end += t.tensor.size() * Index(sizeof(Real));
        header.tensors.push_back({t.name, own_type, t.tensor.shape(), begin, end});
    }
    for (const auto& [key, value] : notes)
        check(is_plain_text(key) && is_plain_text(value), "save_parameters: wanted notes of plain text, got '{}'", key);
    const std::string text = write_safetensors(header);
    const std::uint64_t length = text.size();
    AtomicFile file(path);
    file.write({reinterpret_cast<const char*>(&length), sizeof length});
    file.write(text);
    for (const NamedTensor& t : tensors) {
        const std::vector<Real> values = t.tensor.values();
        file.write({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Real)});
    }
    file.commit();
}

ParameterFile read_parameters(const std::string& path, Device device) {
    const InputFile file(path);
    if (file.size() < 8) file.fail(file.size(), "wanted eight bytes of header length, the file ends here");
    std::uint64_t length = 0;
    file.read(&length, 0, 8);
    if (length > std::uint64_t(std::min(largest_header, file.size() - 8)))
        file.fail(0,
                  fmt::format("the header would have {} bytes, the file has {} after this", length, file.size() - 8));
    std::string text(std::size_t(length), '\0');
    file.read(text.data(), 8, Index(length));
    const Index data = 8 + Index(length);

    ParameterFile result;
    SafetensorsHeader header;
    try {
        header = parse_safetensors(text, file.size() - data);
    } catch (const BadFile& bad) {
        file.fail(8 + bad.place, bad.reason);
    }
    for (const Declared& t : header.tensors)
        if (t.type == "F64" && sizeof(Real) == 4)
            file.fail(8 + t.place, fmt::format("'{}' has type F64, which this build would have to round", t.name));
    for (const Declared& t : header.tensors)
        result.tensors.push_back({t.name, read_tensor(file, t, data + t.begin, device)});
    result.notes = std::move(header.notes);
    return result;
}

NamedTensors load_parameters(const std::string& path, Device device) { return read_parameters(path, device).tensors; }

}  // namespace RECTO::io
