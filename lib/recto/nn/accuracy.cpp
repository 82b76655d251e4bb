#include <recto/nn/accuracy.hpp>

#include <cmath>

#include <recto/autograd/tape.hpp>
#include <recto/base/check.hpp>
#include <recto/ops/reductions/reduce.hpp>

namespace RECTO::nn {

namespace {

struct Count {
    Index right = 0, all = 0;
};
Count count(const Tensor& scores, const Integers& labels) {
    check(scores.dim() >= 1, "accuracy: wanted scores with at least one axis, got shape {}", scores.shape());
    const Shape samples = scores.shape().without(-1);
    check(labels.shape() == samples, "accuracy: scores of shape {} want labels of shape {}, got {}", scores.shape(),
          samples, labels.shape());
    check(scores.device() == labels.device(), "accuracy: wanted scores and labels on one device, got {} and {}",
          scores.device(), labels.device());
    check(labels.numel() > 0, "accuracy: wanted at least one sample, got scores of shape {}", scores.shape());
    check_labels(labels, scores.size(-1), "accuracy");
    const NoGrad only_asking;
    const std::vector<Index> said = argmax(scores).values(), truth = labels.values();
    const std::vector<Real> largest = max(scores, {-1}).values();
    Count n;
    for (; n.all < labels.numel(); ++n.all) {
        const auto i = std::size_t(n.all);
        n.right += said[i] == truth[i] && !std::isnan(largest[i]);
    }
    return n;
}

}  // namespace

double accuracy(const Tensor& scores, const Integers& labels) {
    const Count n = count(scores, labels);
    return double(n.right) / double(n.all);
}

double error_rate(const Tensor& scores, const Integers& labels) {
    const Count n = count(scores, labels);
    return double(n.all - n.right) / double(n.all);
}

}  // namespace RECTO::nn
