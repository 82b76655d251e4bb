#include <recto/data/byte_source.hpp>

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace RECTO::data {

/// What zlib knows, and a window onto the compressed bytes.
struct ByteSource::Inflater {
    z_stream z{};
    bool ended = false;
    std::array<std::uint8_t, 65536> window;
    ~Inflater() { inflateEnd(&z); }
};

namespace {
std::vector<std::string>& opened() {
    static std::vector<std::string> paths;
    return paths;
}
}  // namespace

const std::vector<std::string>& files_read() { return opened(); }

ByteSource::ByteSource(std::string path) : path_(std::move(path)) {
    if (std::ranges::find(opened(), path_) == opened().end()) opened().push_back(path_);
    std::error_code none;
    const auto status = std::filesystem::status(path_, none);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        complain(0, "this is not a regular file");
    file_ = std::fopen(path_.c_str(), "rb");
    if (!file_) complain(0, fmt::format("cannot be opened ({})", std::strerror(errno)));
    length_ = std::size_t(std::filesystem::file_size(path_, none));
    std::array<std::uint8_t, 2> start{};
    const bool compressed = std::fread(start.data(), 1, 2, file_) == 2 && start[0] == 0x1f && start[1] == 0x8b;
    std::rewind(file_);
    if (!compressed) return;
    inflater_ = std::make_unique<Inflater>();
    if (inflateInit2(&inflater_->z, 15 + 16) != Z_OK) complain(0, "zlib does not start");
}

ByteSource::~ByteSource() {
    if (file_) std::fclose(file_);
}

bool ByteSource::fill() {
    z_stream& z = inflater_->z;
    z.next_in = inflater_->window.data();
    z.avail_in = uInt(std::fread(inflater_->window.data(), 1, inflater_->window.size(), file_));
    return z.avail_in > 0;
}

/// Up to `count` bytes of content; fewer only when the compressed data end as they should.
std::size_t ByteSource::inflate_into(std::uint8_t* to, std::size_t count) {
    z_stream& z = inflater_->z;
    std::size_t done = 0;
    while (done < count && !inflater_->ended) {
        if (z.avail_in == 0 && !fill()) complain(length_, "the compressed data end too early");
        z.next_out = to + done;
        z.avail_out = uInt(std::min<std::size_t>(count - done, 1u << 30));
        const uInt room = z.avail_out;
        const int code = inflate(&z, Z_NO_FLUSH);
        done += room - z.avail_out;
        if (code == Z_STREAM_END)
            inflater_->ended = true;
        else if (code != Z_OK)
            complain(z.total_in, fmt::format("the compressed data are damaged ({})", z.msg ? z.msg : "zlib gives up"));
    }
    return done;
}

void ByteSource::read(std::uint8_t* to, std::size_t count) {
    const std::size_t got = inflater_ ? inflate_into(to, count) : std::fread(to, 1, count, file_);
    offset_ += got;
    if (got < count) fail(offset_, fmt::format("the file ends here, {} bytes too early", count - got));
}

void ByteSource::expect_size(std::size_t size) const {
    if (inflater_) {
        if (size / 1032 > length_)
            complain(length_, fmt::format("{} compressed bytes cannot hold the {} that are declared", length_, size));
    } else if (length_ < size) {
        fail(length_, fmt::format("the file ends here, {} bytes too early", size - length_));
    } else if (length_ > size) {
        fail(size, fmt::format("{} bytes follow after the end of what is declared", length_ - size));
    }
}

void ByteSource::expect_end() {
    std::uint8_t more;
    if (!inflater_) {
        if (std::fread(&more, 1, 1, file_) > 0) fail(offset_, "more bytes follow after the end of what is declared");
        return;
    }
    if (inflate_into(&more, 1) > 0) fail(offset_, "more bytes follow after the end of what is declared");
    if (inflater_->z.avail_in > 0 || fill())
        complain(inflater_->z.total_in, "more bytes follow after the end of the compressed data");
}

void ByteSource::fail(std::size_t offset, std::string_view reason) const {
    complain(offset, inflater_ ? fmt::format("{} (counted after decompression)", reason) : std::string(reason));
}
void ByteSource::complain(std::size_t offset, std::string_view reason) const {
    throw Error(fmt::format("{}, byte offset {}: {}", path_, offset, reason));
}

}  // namespace RECTO::data
