// The GPU in a build without CUDA: missing() returns the reason, every other function throws it as an Error.
#include <recto/device/cuda/graph.hpp>
#include <recto/device/cuda/memory.hpp>

namespace RECTO::cuda {
namespace {

[[noreturn]] void refuse_without_cuda() {
    const std::string_view reason = missing();
    refuse("device cuda: {}", fmt::make_format_args(reason));
}

}  // namespace

std::string_view missing() { return "this build has no CUDA; configure with -DRECTO_CUDA=ON where nvcc is installed"; }

void* allocate(std::size_t) { refuse_without_cuda(); }
void release(void*) { refuse_without_cuda(); }
std::size_t left() { refuse_without_cuda(); }
void read(void*, const void*, std::size_t) { refuse_without_cuda(); }
void copy(void*, bool, const void*, bool, std::size_t) { refuse_without_cuda(); }
void fill(void*, int, std::size_t) { refuse_without_cuda(); }
void synchronize() { refuse_without_cuda(); }
Fault* fault() { refuse_without_cuda(); }
void raise_if_failed(const char*) { refuse_without_cuda(); }

Graph::~Graph() = default;
void Graph::begin() { refuse_without_cuda(); }
void Graph::abandon() {}
void Graph::end() { refuse_without_cuda(); }
void Graph::launch() const { refuse_without_cuda(); }

}  // namespace RECTO::cuda
