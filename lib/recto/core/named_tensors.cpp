#include <recto/core/named_tensors.hpp>

#include <algorithm>

namespace RECTO {

bool same_tensor(const Tensor& a, const Tensor& b) {
    return a.defined() && b.defined() && a.node() == b.node() && a.data() == b.data() && a.shape() == b.shape() &&
           a.strides() == b.strides();
}

NamedTensors each_once(const NamedTensors& tensors) {
    NamedTensors found;
    for (const NamedTensor& t : tensors)
        if (std::ranges::none_of(found, [&](const NamedTensor& old) { return same_tensor(old.tensor, t.tensor); }))
            found.push_back(t);
    return found;
}

}  // namespace RECTO
