#include <recto/io/parameters.hpp>

#include <algorithm>
#include <bit>
#include <set>

#include <recto/base/float_formats.hpp>
#include <recto/io/atomic_file.hpp>
#include <recto/io/read_converted.hpp>
#include <recto/io/safetensors.hpp>
#include <recto/io/utf8.hpp>

namespace RECTO::io {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors is little-endian");

constexpr const char* own_type = sizeof(Real) == 8 ? "F64" : "F32";

Tensor read_tensor(const SafetensorsFile& source, const Declared& t, Device device) {
    Tensor x;
    try {
        x = empty(t.shape);
    } catch (const Error& error) {
        source.fail(t, error.what());
    }
    Real* to = x.write();
    const InputFile& file = source.file();
    const Index place = source.data() + t.begin;
    if (t.type == own_type)
        file.read(to, place, t.end - t.begin);
    else if (t.type == "F32")
        read_converted<float>(file, place, to, x.numel(), [](float v) { return v; });
    else
        read_converted<std::uint16_t>(file, place, to, x.numel(),
                                      [&](std::uint16_t v) { return decode(v, t.type == "F16" ? fp16 : bf16); });
    return x.to(device);
}

/// Rejects numbers that this build cannot represent exactly, before any of them are read.
void expect_readable(const SafetensorsFile& source) {
    Index bytes = 0, total = 0;
    for (const Declared& t : source.header.tensors) {
        if (t.type == "F64" && sizeof(Real) == 4) source.fail(t, "has type F64, which this build would have to round");
        if (t.type != "F64" && t.type != "F32" && t.type != "F16" && t.type != "BF16")
            source.fail(t, fmt::format("has type {}, wanted F64, F32, F16 or BF16", t.type));
        if (__builtin_mul_overflow(t.shape.numel(), Index(sizeof(Real)), &bytes) ||
            __builtin_add_overflow(total, bytes, &total))
            source.fail(t, "is too large");
        source.file().expect_memory(total, 8 + t.place);
    }
}

}  // namespace

void save_parameters(const std::string& path, const NamedTensors& tensors, const Notes& notes) {
    SafetensorsHeader header{{}, notes};
    std::set<std::string_view> names{"__metadata__"};
    Index end = 0;
    for (const NamedTensor& t : tensors) {
        check(is_utf8(t.name) && t.name.size() <= Scanner::longest_key,
              "save_parameters: wanted names in UTF-8 of at most {} bytes, got '{}'", Scanner::longest_key,
              escaped(t.name));
        check(names.insert(t.name).second, "save_parameters: wanted every name once, got '{}' again", escaped(t.name));
        const Index begin = end;
        end += t.tensor.numel() * Index(sizeof(Real));
        header.tensors.push_back({t.name, own_type, t.tensor.shape(), begin, end});
    }
    for (const auto& [key, value] : notes)
        check(is_utf8(key) && is_utf8(value) && key.size() <= Scanner::longest_key,
              "save_parameters: wanted notes in UTF-8, got '{}'", escaped(key));
    const std::string text = write_safetensors(header);
    const std::uint64_t length = text.size();
    AtomicFile file(path);
    file.write({reinterpret_cast<const char*>(&length), sizeof length});
    file.write(text);
    for (const NamedTensor& t : tensors) {
        const Tensor here = dense(t.tensor.to(Device::cpu));  // no copy: a model may occupy half of the memory
        file.write({reinterpret_cast<const char*>(here.host()), std::size_t(here.numel()) * sizeof(Real)});
    }
    file.commit();
}

ParameterFile read_parameters(const std::string& path, Device device) {
    SafetensorsFile source(path);
    expect_readable(source);
    ParameterFile result;
    result.tensors.reserve(source.header.tensors.size());
    for (const Declared& t : source.header.tensors) result.tensors.push_back({t.name, read_tensor(source, t, device)});
    source.file().expect_unchanged();
    result.notes = std::move(source.header.notes);
    return result;
}

NamedTensors load_parameters(const std::string& path, Device device) { return read_parameters(path, device).tensors; }

}  // namespace RECTO::io
