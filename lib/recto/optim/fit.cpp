#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>

namespace RECTO::optim {

double largest_gradient(const NamedTensors& parameters) {
    double most = 0;
    for (const NamedTensor& p : parameters) {
        const Tensor gradient = p.tensor.grad();
        if (!gradient.defined()) continue;
        for (const Real g : gradient.values()) {
            if (std::isnan(g)) return double(g);
            most = std::max(most, std::abs(double(g)));
        }
    }
    return most;
}

}  // namespace RECTO::optim
