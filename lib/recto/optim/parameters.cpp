#include <recto/optim/parameters.hpp>

#include <cmath>

namespace RECTO::optim {

void check_parameters(const NamedTensors& parameters, const char* who) {
    check(!parameters.empty(), "{}: wanted at least one parameter, got none", who);
    for (const NamedTensor& p : parameters) {
        check(p.tensor.wants_grad(), "{}: wanted parameters that want a gradient, got '{}', which does not", who,
              p.name);
        check(p.tensor.is_dense(), "{}: wanted parameters without gaps, got '{}', a view", who, p.name);
    }
}

void check_not_negative(double value, const char* what, const char* who) {
    check(value >= 0 && std::isfinite(value), "{}: wanted {} of at least 0 and finite, got {}", who, what, value);
}
void check_rate(double rate, const char* who) { check_not_negative(rate, "a rate", who); }
void check_share(double share, const char* what, const char* who) {
    check(share >= 0 && share < 1, "{}: wanted {} from 0 to below 1, got {}", who, what, share);
}

}  // namespace RECTO::optim
