#include <recto/optim/parameters.hpp>

#include <cmath>
#include <functional>
#include <iterator>
#include <map>

namespace RECTO::optim {

NamedTensors trainable(NamedTensors parameters, const char* who) {
    check(!parameters.empty(), "{}: wanted at least one parameter, got none", who);
    std::map<const Real*, const NamedTensor*> by_address;
    parameters = each_once(parameters);
    for (const NamedTensor& p : parameters) {
        check(p.tensor.requires_grad(), "{}: wanted parameters that want a gradient, got '{}', which does not", who,
              p.name);
        check(p.tensor.is_contiguous(), "{}: wanted parameters without gaps, got '{}', a view", who, p.name);
        if (p.tensor.numel() == 0) continue;
        const auto [at, is_new] = by_address.emplace(p.tensor.data(), &p);
        const auto overlap = [&](const NamedTensor& a, const NamedTensor& b) {
            check(a.tensor.data() + a.tensor.numel() <= b.tensor.data(),
                  "{}: wanted parameters that share no numbers, got '{}' and '{}', which do", who, a.name, b.name);
        };
        if (!is_new) overlap(*at->second, p);
        if (at != by_address.begin()) overlap(*std::prev(at)->second, p);
        if (std::next(at) != by_address.end()) overlap(p, *std::next(at)->second);
    }
    return parameters;
}

void check_not_negative(double value, const char* what, const char* who) {
    check(value >= 0 && std::isfinite(value), "{}: wanted {} of at least 0 and finite, got {}", who, what, value);
}
void check_rate(double rate, const char* who) { check_not_negative(rate, "a learning rate", who); }
void check_share(double share, const char* what, const char* who) {
    check(share >= 0 && share < 1, "{}: wanted {} from 0 to below 1, got {}", who, what, share);
}

}  // namespace RECTO::optim
