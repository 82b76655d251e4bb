#include <recto/optim/data_parallel.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <span>
#include <vector>

#include <recto/autograd/tape.hpp>
#include <recto/data/sha256.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>

namespace RECTO::optim {
namespace {

using Print = std::array<char, 64>;  // zeros for a file that is not there

Print print_of(const std::string& path) {
    Print print{};
    if (!std::filesystem::exists(path)) return print;
    std::ifstream file(path, std::ios::binary);
    data::Sha256 sum;
    std::vector<char> piece(1 << 20);
    do {
        file.read(piece.data(), std::ssize(piece));
        sum.add({reinterpret_cast<const std::uint8_t*>(piece.data()), std::size_t(file.gcount())});
    } while (file);
    std::ranges::copy(sum.hex(), print.begin());
    return print;
}

}  // namespace

Share share_of(Index count, int rank, int size) {
    check(count >= size, "data parallel: wanted at least one example for each of {} ranks, got a batch of {}", size,
          count);
    const Index even = count / size, longer = count % size;  // the first `longer` shares have one more
    const Index begin = rank * even + std::min<Index>(rank, longer);
    return {begin, begin + even + (rank < longer)};
}

void add_up_gradients(Ranks& ranks, const NamedTensors& parameters, Index bucket) {
    check(bucket >= Index(sizeof(Real)), "data parallel: wanted a bucket of at least {} bytes, got {}", sizeof(Real),
          bucket);
    if (ranks.size() == 1) return;
    // All numbers of all gradients, in the order of the parameters, and how many ranks have this gradient.
    std::vector<Real> numbers;
    for (const NamedTensor& p : parameters) {
        const Tensor gradient = p.tensor.grad();
        numbers.push_back(gradient.defined() ? 1 : 0);
        if (gradient.defined()) {
            const std::vector<Real> values = gradient.values();
            numbers.insert(numbers.end(), values.begin(), values.end());
        } else {
            numbers.resize(numbers.size() + std::size_t(p.tensor.numel()));
        }
    }
    const std::span<Real> all(numbers);
    const std::size_t length = std::size_t(bucket) / sizeof(Real);
    for (std::size_t begin = 0; begin < all.size(); begin += length)
        add_up(ranks, all.subspan(begin, std::min(length, all.size() - begin)));

    std::size_t at = 0;
    for (const NamedTensor& p : parameters) {
        const bool any = numbers[at++] > 0;
        const auto count = std::size_t(p.tensor.numel());
        p.tensor.zero_grad();
        // The derivative of the sum of p times its numbers is these numbers.
        if (any) sum(mul(p.tensor, Tensor(p.tensor.shape(), all.subspan(at, count), p.tensor.device()))).backward();
        at += count;
    }
}

void broadcast(Ranks& ranks, const NamedTensors& tensors) {
    if (ranks.size() == 1) return;
    for (const NamedTensor& t : tensors) {
        std::vector<Real> numbers = t.tensor.values();
        const auto bytes = std::as_writable_bytes(std::span(numbers));
        for (std::size_t begin = 0; begin < bytes.size(); begin += std::size_t(bucket_bytes))
            ranks.broadcast(bytes.subspan(begin, std::min(std::size_t(bucket_bytes), bytes.size() - begin)));
        if (ranks.rank() > 0) Tensor(t.tensor).copy_(Tensor(t.tensor.shape(), numbers, t.tensor.device()));
    }
}

Tensor sum_over_ranks(Ranks& ranks, const Tensor& x) {
    check_defined("sum_over_ranks", x);
    std::vector<Real> numbers = x.values();
    add_up(ranks, numbers);
    return record("sum_over_ranks", Tensor(x.shape(), numbers, x.device()), {x},
                  [](const Tensor& dy) { return Grads{dy}; });
}

bool same_file(Ranks& ranks, const std::string& path) {
    const Print mine = print_of(path);
    std::vector<Print> prints(std::size_t(ranks.size()));
    ranks.gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(prints)));
    for (std::size_t r = 0; r < prints.size(); ++r)
        check(prints[r] == prints[0],
              "data parallel: rank {} sees another file {} than rank 0; all ranks must share one file system", r, path);
    return mine != Print{};
}

}  // namespace RECTO::optim
