// Fuzzes the reader of GGUF files: notes, declarations and numbers.
#include <recto/io/gguf.hpp>

#include <vector>

#include "fuzz.hpp"

using namespace recto;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
    fuzz::judge(bytes, count, [&](const std::string& path) {
        const io::GgufFile file(path);
        for (const io::GgufTensor& t : file.tensors) {
            if (t.begin < 0 || t.end < t.begin || t.end > Index(count)) fuzz::broken("numbers outside the file");
            if (t.shape.numel() / t.type.block * t.type.bytes != t.end - t.begin)
                fuzz::broken("numbers and shape disagree");
            if (&file.tensor(t.name) != &t) fuzz::broken("a tensor is not found by its name");
        }
        for (const io::GgufTensor& t : file.tensors) {
            if (Index(io::read_gguf(file, t).values().size()) != t.shape.numel())
                fuzz::broken("numbers and shape disagree");
            if (io::is_blocks(t) && t.shape.dim() > 0 && io::read_gguf_blocks(file, t).nbytes() != t.end - t.begin)
                fuzz::broken("blocks and shape disagree");
        }
    });
    return 0;
}
