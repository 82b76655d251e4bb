#include <recto/optim/fit.hpp>

#include <cmath>

namespace RECTO::optim {

double largest_gradient(const NamedTensors& parameters) {
    double most = 0;
    for (const NamedTensor& p : parameters) {
        const Tensor gradient = p.tensor.grad();
        if (!gradient.defined()) continue;
        for (const Real g : gradient.values()) most = std::abs(double(g)) <= most ? most : std::abs(double(g));
        if (std::isnan(most)) return most;
    }
    return most;
}

}  // namespace RECTO::optim
