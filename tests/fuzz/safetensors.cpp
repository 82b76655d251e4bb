// Fuzzes the reader of safetensors files: header and numbers.
#include <recto/io/parameters.hpp>

#include <algorithm>

#include <recto/io/safetensors.hpp>

#include "fuzz.hpp"

using namespace recto;

namespace {

bool same(const io::SafetensorsHeader& a, const io::SafetensorsHeader& b) {
    return a.notes == b.notes && std::ranges::equal(a.tensors, b.tensors, [](const auto& x, const auto& y) {
               return x.name == y.name && x.type == y.type && x.shape == y.shape && x.begin == y.begin &&
                      x.end == y.end;
           });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
    fuzz::judge(bytes, count, [&](const std::string& path) {
        const io::SafetensorsFile file(path);
        Index reached = 0;
        for (const io::Declared& t : file.header.tensors) {
            if (t.begin != reached) fuzz::broken("a gap or an overlap was accepted");
            reached = t.end;
        }
        if (file.data() + reached != Index(count)) fuzz::broken("a file of another length was accepted");
        try {  // what was read can be written, and reads the same
            const std::string text = io::write_safetensors(file.header);
            if (!same(io::parse_safetensors(text, reached), file.header))
                fuzz::broken("written and read it is another");
        } catch (const io::BadFile& bad) {
            fuzz::broken("our own header is refused: " + bad.reason);
        }
        for (const auto& [name, tensor] : io::load_parameters(path))
            if (Index(tensor.values().size()) != tensor.numel()) fuzz::broken("numbers and shape disagree");
    });
    return 0;
}
