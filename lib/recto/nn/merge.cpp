#include <recto/nn/merge.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>

#include <recto/autograd/tape.hpp>
#include <recto/ops/elementwise/binary.hpp>

namespace RECTO::nn {
namespace {

using Both = Tensor (*)(const Tensor& a, const Tensor& b, double scale);

/// f of the tensors of equal names.
NamedTensors paired(const char* op, const NamedTensors& a, const NamedTensors& b, double scale, Both f) {
    const NoGrad only_numbers;
    std::map<std::string_view, const Tensor*> second;
    for (const NamedTensor& t : b) second[t.name] = &t.tensor;
    check(second.size() == b.size() && a.size() == b.size(),
          "{}: wanted two lists of the same names, got {} tensors and {} with {} names", op, a.size(), b.size(),
          second.size());
    NamedTensors result;
    for (const NamedTensor& t : a) {
        const auto found = second.find(t.name);
        check(found != second.end(), "{}: wanted a tensor '{}' in both lists, got it in one", op, t.name);
        check(found->second->shape() == t.tensor.shape(), "{}: wanted one shape for '{}', got {} and {}", op, t.name,
              t.tensor.shape(), found->second->shape());
        result.push_back({t.name, f(t.tensor, *found->second, scale)});
    }
    return result;
}

NamedTensors mapped(const NamedTensors& list, const std::function<Real(Real)>& f) {
    NamedTensors result;
    for (const NamedTensor& t : list) {
        std::vector<Real> numbers = t.tensor.values();
        for (Real& v : numbers) v = f(v);
        result.push_back({t.name, Tensor(t.tensor.shape(), numbers).to(t.tensor.device())});
    }
    return result;
}

Index numbers_of(const NamedTensors& list) {
    Index total = 0;
    for (const NamedTensor& t : list) total += t.tensor.numel();
    return total;
}

}  // namespace

NamedTensors difference(const NamedTensors& a, const NamedTensors& b) {
    return paired("difference", a, b, 1, [](const Tensor& x, const Tensor& y, double) { return x - y; });
}

NamedTensors plus(const NamedTensors& a, const NamedTensors& b, double scale) {
    return paired("plus", a, b, scale, [](const Tensor& x, const Tensor& y, double by) { return x + by * y; });
}

NamedTensors trimmed(const NamedTensors& residual, double kept) {
    check(kept >= 0 && kept <= 1, "trimmed: wanted a share from 0 to 1, got {}", kept);
    const Index all = numbers_of(residual), survivors = Index(std::round(kept * double(all)));
    std::vector<Real> sizes;
    sizes.reserve(std::size_t(all));
    for (const NamedTensor& t : residual)
        for (const Real v : t.tensor.values()) {
            check(!std::isnan(v), "trimmed: wanted numbers, got a NaN in '{}'", t.name);
            sizes.push_back(std::abs(v));
        }
    if (survivors == 0) return mapped(residual, [](Real) { return Real(0); });
    const auto last = sizes.begin() + (survivors - 1);
    std::nth_element(sizes.begin(), last, sizes.end(), std::greater<>());
    const Real least = *last;
    // Of several numbers of just this size, the first ones survive.
    Index equal = survivors - std::count_if(sizes.begin(), sizes.end(), [&](Real v) { return v > least; });
    return mapped(residual, [&](Real v) {
        const Real size = std::abs(v);
        return size > least || (size == least && equal-- > 0) ? v : Real(0);
    });
}

NamedTensors ties(const std::vector<NamedTensors>& residuals, double kept) {
    check(!residuals.empty(), "ties: wanted at least one residual, got none");
    std::vector<NamedTensors> large;
    for (const NamedTensors& one : residuals) {
        // In the order of the first, and refused if the names differ.
        const NamedTensors ordered =
            paired("ties", residuals[0], one, 1, [](const Tensor&, const Tensor& x, double) { return x; });
        large.push_back(trimmed(ordered, kept));
    }
    NamedTensors merged;
    for (std::size_t k = 0; k < large[0].size(); ++k) {
        std::vector<std::vector<Real>> all;
        for (const NamedTensors& one : large) all.push_back(one[k].tensor.values());
        std::vector<Real> numbers(all[0].size());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            double sum = 0, agreeing = 0, count = 0;
            for (const std::vector<Real>& one : all) sum += double(one[i]);
            for (const std::vector<Real>& one : all)
                if (double(one[i]) * sum > 0) agreeing += double(one[i]), ++count;
            numbers[i] = count > 0 ? Real(agreeing / count) : Real(0);
        }
        const Tensor& first = large[0][k].tensor;
        merged.push_back({large[0][k].name, Tensor(first.shape(), numbers).to(first.device())});
    }
    return merged;
}

NamedTensors dare(const NamedTensors& residual, double dropped, Generator& random) {
    check(dropped >= 0 && dropped < 1, "dare: wanted a probability from 0 to less than 1, got {}", dropped);
    NamedTensors result;
    for (const NamedTensor& t : residual) {
        std::vector<Real> numbers = t.tensor.values();
        const std::vector<Real> draws = random.uniform({t.tensor.numel()}).values();
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = double(draws[i]) < dropped ? Real(0) : Real(double(numbers[i]) / (1 - dropped));
        result.push_back({t.name, Tensor(t.tensor.shape(), numbers).to(t.tensor.device())});
    }
    return result;
}

}  // namespace RECTO::nn
