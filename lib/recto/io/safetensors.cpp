#include <recto/io/safetensors.hpp>

#include <algorithm>
#include <cstring>
#include <tuple>

#include <recto/io/json_string.hpp>

namespace RECTO::io {
namespace {

constexpr Index largest_header = Index(16) << 20;

/// One tensor: `{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}`, members in any order.
Declared declaration(Scanner& scan, const std::string& name) {
    Declared tensor{name, {}, {}, 0, 0, scan.place()};
    std::string type;
    std::vector<Index> extents, offsets;
    int members = 0;
    scan.object([&](const std::string& key) {
        ++members;
        if (key == "dtype")
            type = scan.string();
        else if (key == "shape" || key == "data_offsets")
            scan.list('[', ']', [&] {
                std::vector<Index>& into = key == "shape" ? extents : offsets;
                if (into.size() == 64) scan.fail(fmt::format("'{}' has too many axes", escaped(name)));
                into.push_back(scan.number());
            });
        else
            scan.fail(fmt::format("'{}' has an unknown member '{}'", escaped(name), escaped(key)));
    });
    if (members != 3) scan.fail(fmt::format("'{}' wants dtype, shape and data_offsets", escaped(name)));
    const auto fail = [&](const std::string& reason) {
        throw BadFile{tensor.place, fmt::format("'{}' {}", escaped(name), reason)};
    };
    const auto known = std::ranges::find(stored_types, type, &StoredType::name);
    if (known == stored_types.end())
        fail(fmt::format("has type '{}', which is unknown here", escaped(type.substr(0, 32))));
    tensor.type = known->name;
    const Index size = known->bytes;
    if (offsets.size() != 2) fail("wants two data_offsets");
    tensor.begin = offsets[0], tensor.end = offsets[1];
    if (tensor.begin > tensor.end) fail("ends before it begins");
    try {
        tensor.shape = Shape(extents);
    } catch (const Error& error) {
        fail(fmt::format("has an impossible shape: {}", error.what()));
    }
    Index bytes = 0;
    if (__builtin_mul_overflow(tensor.shape.numel(), size, &bytes) || bytes != tensor.end - tensor.begin)
        fail(fmt::format("has shape {} of {}, which does not take {} bytes", tensor.shape, tensor.type,
                         tensor.end - tensor.begin));
    return tensor;
}

}  // namespace

SafetensorsHeader parse_safetensors(std::string_view text, Index data_bytes) {
    Scanner scan(text);
    SafetensorsHeader header;
    if (!text.starts_with('{')) scan.fail("wanted '{'");
    scan.object([&](const std::string& name) {
        if (name == "__metadata__")
            scan.object([&](const std::string& key) { header.notes[key] = scan.string(); });
        else
            header.tensors.push_back(declaration(scan, name));
    });
    scan.want_end();
    std::ranges::sort(header.tensors, {}, [](const Declared& t) { return std::tuple(t.begin, t.end, t.place); });
    Index reached = 0;
    for (const Declared& t : header.tensors) {
        if (t.begin != reached || t.end > data_bytes)
            throw BadFile{t.place, fmt::format("'{}' has bytes {} to {}, {}", escaped(t.name), t.begin, t.end,
                                               t.begin < reached   ? "which overlap those of another tensor"
                                               : t.begin > reached ? "which leave a gap"
                                                                   : fmt::format("the file has {}", data_bytes))};
        reached = t.end;
    }
    if (reached != data_bytes)
        throw BadFile{scan.place() + reached, fmt::format("{} bytes follow the last tensor", data_bytes - reached)};
    return header;
}

std::string write_safetensors(const SafetensorsHeader& header) {
    std::vector<std::string> members, notes;
    for (const auto& [key, value] : header.notes)
        notes.push_back(fmt::format("{}:{}", json_string(key), json_string(value)));
    if (!notes.empty()) members.push_back(fmt::format("\"__metadata__\":{{{}}}", fmt::join(notes, ",")));
    for (const Declared& t : header.tensors)
        members.push_back(fmt::format("{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                                      json_string(t.name), t.type, fmt::join(t.shape, ","), t.begin, t.end));
    std::string text = fmt::format("{{{}}}", fmt::join(members, ","));
    text.resize((text.size() + 7) / 8 * 8, ' ');
    check(Index(text.size()) <= largest_header && std::max(members.size(), notes.size()) <= Scanner::most_members,
          "write_safetensors: wanted at most {} names and {} bytes of header, got {} and {}", Scanner::most_members,
          largest_header, std::max(members.size(), notes.size()), text.size());
    return text;
}

SafetensorsFile::SafetensorsFile(const std::string& path) : file_(path) {
    const Index size = file_.size();
    char start[256];
    file_.read(start, 0, std::min<Index>(size, sizeof start));
    const auto call_by_name = [&] {
        const std::string_view kind = known_kind({start, std::size_t(std::min<Index>(size, sizeof start))});
        if (!kind.empty()) file_.fail(0, fmt::format("this is {}, not a safetensors file", kind));
    };
    std::uint64_t length = 0;
    if (size >= 8) std::memcpy(&length, start, sizeof length);
    if (size < 9 || length > std::uint64_t(largest_header) || start[8] != '{') call_by_name();
    if (size < 8) file_.fail(size, "wanted eight bytes of header length, the file ends here");
    if (length > std::uint64_t(std::min(largest_header, size - 8)))
        file_.fail(0, fmt::format("the header would have {} bytes, {}", length,
                                  length > std::uint64_t(size - 8)
                                      ? fmt::format("the file has {} after this", size - 8)
                                      : fmt::format("more than the {} allowed here", largest_header)));
    std::string text(std::size_t(length), '\0');
    file_.read(text.data(), 8, Index(length));
    data_ = 8 + Index(length);
    try {
        header = parse_safetensors(text, size - data_);
    } catch (const BadFile& bad) {
        file_.fail(8 + bad.place, bad.reason);
    }
}

void SafetensorsFile::fail(const Declared& tensor, std::string_view reason) const {
    file_.fail(8 + tensor.place, fmt::format("'{}' {}", escaped(tensor.name), reason));
}

}  // namespace RECTO::io
