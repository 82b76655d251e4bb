#include <recto/optim/parameters.hpp>

namespace RECTO::optim {

void check_parameters(const NamedTensors& parameters, const char* who) {
    check(!parameters.empty(), "{}: wanted at least one parameter, got none", who);
    for (const NamedTensor& p : parameters) {
        check(p.tensor.wants_grad(), "{}: wanted parameters that want a gradient, got '{}', which does not", who,
              p.name);
        check(p.tensor.is_dense(), "{}: wanted parameters without gaps, got '{}', a view", who, p.name);
    }
}

}  // namespace RECTO::optim
