#include <cmath>

#include <recto/emulator/cuda_on_cpu.hpp>

#include "team.hpp"

using namespace recto;

namespace {

struct Softmax {
    const Real* x;
    Real* y;
    Index width;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Real *in = x + row * width, most = team.max(width, [=](Index j) { return in[j]; });
        Real* out = y + row * width;
        team.each(width, [=](Index j) { out[j] = std::exp(in[j] - most); });
        const Real total = team.sum(width, [=](Index j) { return out[j]; });
        team.each(width, [=](Index j) { out[j] /= total; });
    }
};

/// As in device/launch.hpp, where only nvcc sees it.
template <class Kernel>
__global__ void rows(Index n, Kernel kernel) {
    __shared__ Real scratch[team_size];
    for (Index row = blockIdx.x; row < n; row += gridDim.x) kernel(BlockTeam{scratch}, row);
}

}  // namespace

std::vector<Real> softmax_on_emulator(const std::vector<Real>& x, Index n) {
    const kernels::Buffer<Real> in(x, "x"), out(x.size(), "y");
    kernels::launch({2, team_size}, rows<Softmax>, n, Softmax{in.data(), out.data(), Index(x.size()) / n});
    return out.values();
}

std::vector<Real> softmax_on_sim(const std::vector<Real>& x, Index n) {
    std::vector<Real> y(x.size());
    const Softmax kernel{x.data(), y.data(), Index(x.size()) / n};
    for (Index row = 0; row < n; ++row) kernel(SimTeam{}, row);
    return y;
}
