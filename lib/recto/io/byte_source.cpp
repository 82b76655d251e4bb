#include <recto/io/byte_source.hpp>

#include <zlib.h>

#include <algorithm>
#include <array>

namespace RECTO::io {

/// zlib's state, and a buffer for compressed bytes.
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
const std::string& noted(const std::string& path) {
    note_read(path);
    return path;
}
}  // namespace

void note_read(const std::string& path) {
    if (std::ranges::find(opened(), path) == opened().end()) opened().push_back(path);
}

const std::vector<std::string>& files_read() { return opened(); }

ByteSource::ByteSource(const std::string& path) : file_(noted(path)), length_(std::size_t(file_.size())) {
    std::array<std::uint8_t, 2> start{};
    if (length_ >= 2) file_.read(start.data(), 0, 2);
    if (start[0] != 0x1f || start[1] != 0x8b) return;
    inflater_ = std::make_unique<Inflater>();
    if (inflateInit2(&inflater_->z, 15 + 16) != Z_OK) file_.fail(0, "zlib does not start");
}

ByteSource::~ByteSource() = default;

bool ByteSource::fill() {
    z_stream& z = inflater_->z;
    z.next_in = inflater_->window.data();
    z.avail_in = uInt(std::min(inflater_->window.size(), length_ - place_));
    file_.read(z.next_in, Index(place_), z.avail_in);
    place_ += z.avail_in;
    return z.avail_in > 0;
}

/// Up to `count` bytes of content; fewer only if the compressed data end correctly.
std::size_t ByteSource::inflate_into(std::uint8_t* to, std::size_t count) {
    z_stream& z = inflater_->z;
    std::size_t done = 0;
    while (done < count && !inflater_->ended) {
        if (z.avail_in == 0 && !fill()) file_.fail(Index(length_), "the gzip data are damaged: they end too early");
        z.next_out = to + done;
        z.avail_out = uInt(std::min<std::size_t>(count - done, 1u << 30));
        const uInt room = z.avail_out;
        const int code = inflate(&z, Z_NO_FLUSH);
        done += room - z.avail_out;
        if (code == Z_STREAM_END)
            inflater_->ended = true;
        else if (code != Z_OK)
            file_.fail(Index(z.total_in),
                       fmt::format("the gzip data are damaged ({})", z.msg ? z.msg : "zlib gives up"));
        // A compressed stream may be endless without content; gzip's output is never much longer than its content.
        if (z.total_in > 2 * z.total_out + (1u << 20))
            file_.fail(Index(z.total_in), fmt::format("the gzip data are damaged: {} bytes of them hold only {}",
                                                      z.total_in, z.total_out));
    }
    return done;
}

std::size_t ByteSource::read_some(std::uint8_t* to, std::size_t count) {
    std::size_t got = 0;
    if (inflater_) {
        got = inflate_into(to, count);
    } else {
        got = std::min(count, length_ - place_);
        file_.read(to, Index(place_), Index(got));
        place_ += got;
    }
    offset_ += got;
    return got;
}

void ByteSource::read(std::uint8_t* to, std::size_t count) {
    const std::size_t got = read_some(to, count);
    if (got < count) fail(offset_, fmt::format("the file ends here, {} bytes too early", count - got));
}

void ByteSource::expect_size(std::size_t size) const {
    if (inflater_) {
        if (size / 1032 > length_)
            file_.fail(Index(length_),
                       fmt::format("{} bytes of gzip data cannot hold the {} that are declared", length_, size));
        if (size > (64u << 20) && size / 100 > length_)
            file_.fail(0, fmt::format("{} bytes of gzip data that become {} are a bomb; unpack them first if they "
                                      "are to be believed",
                                      length_, size));
    } else if (length_ < size) {
        fail(length_, fmt::format("the file ends here, {} bytes too early", size - length_));
    } else if (length_ > size) {
        fail(size, fmt::format("{} bytes follow after the end of what is declared", length_ - size));
    }
}

void ByteSource::expect_end() {
    std::uint8_t more;
    const std::size_t end = offset_;
    if (read_some(&more, 1) > 0) fail(end, "more bytes follow after the end of what is declared");
    if (inflater_ && (inflater_->z.avail_in > 0 || fill()))
        file_.fail(Index(inflater_->z.total_in), "more bytes follow after the end of the gzip data");
    file_.expect_unchanged();
}

void ByteSource::fail(std::size_t offset, std::string_view reason) const {
    file_.fail(Index(offset),
               inflater_ ? fmt::format("{} (counted after decompression)", reason) : std::string(reason));
}

std::string read_text(const std::string& path, Index most) {
    ByteSource source(path);
    std::string text;
    std::uint8_t some[1 << 14];
    for (;;) {
        const std::size_t got = source.read_some(some, sizeof some);
        if (text.size() + got > std::size_t(most))
            source.fail(std::size_t(most), fmt::format("wanted at most {} bytes", most));
        text.append(reinterpret_cast<const char*>(some), got);
        if (got < sizeof some) break;
    }
    source.expect_end();
    return text;
}

}  // namespace RECTO::io
