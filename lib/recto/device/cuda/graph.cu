#include <cuda_runtime.h>

#include <recto/device/cuda/check.hpp>
#include <recto/device/cuda/graph.hpp>
#include <recto/device/cuda/stream.hpp>

namespace RECTO::cuda {

Graph::~Graph() {
    if (!ready_) return;
    cudaStreamSynchronize(stream());  // it may be running
    cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(ready_));
}

// Relaxed mode: the cache may still have to allocate a block, which is no work for the stream.
void Graph::begin() { check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeRelaxed), "capture"); }

void Graph::abandon() {
    cudaGraph_t recorded = nullptr;
    cudaStreamEndCapture(stream(), &recorded);
    if (recorded) cudaGraphDestroy(recorded);
    cudaGetLastError();
}

void Graph::end() {
    cudaGraph_t recorded = nullptr;
    check(cudaStreamEndCapture(stream(), &recorded), "capture");
    cudaGraphExec_t ready = nullptr;
    const cudaError_t code = cudaGraphInstantiate(&ready, recorded, 0);
    cudaGraphDestroy(recorded);
    check(code, "capture");
    ready_ = ready;
}

void Graph::launch() const { check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(ready_), stream()), "replay"); }

}  // namespace RECTO::cuda
