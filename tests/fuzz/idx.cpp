// Fuzzes the reader of IDX files, plain and compressed.
#include <recto/data/idx.hpp>

#include "fuzz.hpp"

using namespace recto;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
    fuzz::judge(bytes, count, [&](const std::string& path) {
        const data::Idx idx = data::read_idx(path);
        const Index n = idx.shape.numel();
        if (idx.bytes().size() != std::size_t(n) * data::bytes_of(idx.type)) fuzz::broken("bytes and shape disagree");
        if (bytes[0] == 0 && count != 4 + 4 * std::size_t(idx.shape.dim()) + idx.bytes().size())
            fuzz::broken("a file of another length was accepted");
        double sum = 0;
        for (Index i = 0; i < n; ++i) sum += idx.number(i);  // every byte is there
        if (data::tensor_of(idx).shape() != idx.shape) fuzz::broken("tensor and shape disagree");
    });
    return 0;
}
