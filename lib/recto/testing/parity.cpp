#include <recto/testing/parity.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <recto/autograd/tape.hpp>
#include <recto/base/math.hpp>
#include <recto/core/random.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/clip.hpp>
#include <recto/optim/rmsprop.hpp>
#include <recto/optim/sgd.hpp>

namespace RECTO::testing {
namespace {

constexpr double eps = std::numeric_limits<Real>::epsilon();
constexpr double pointwise = sizeof(Real) == 4 ? 1e-6 : 8 * eps;
const std::pair<Index, Index> sizes[] = {{1, 1},   {1, 7},   {7, 1}, {17, 7}, {7, 17},
                                         {129, 2}, {2, 129}, {0, 3}, {3, 0},  {67, 130}};

/// While a Fresh with `trapped` exists, new memory is full of NaN and surrounded by guards.
class Fresh {
public:
    explicit Fresh(bool trapped) : poisoned_(poison_new_memory(trapped)), guarded_(guard_new_memory(trapped)) {}
    ~Fresh() { poison_new_memory(poisoned_), guard_new_memory(guarded_); }
    Fresh(const Fresh&) = delete;

private:
    bool poisoned_, guarded_;
};

using Sizes = std::vector<std::vector<double>>;  // for each tensor of an outcome, for each number

/// The absolute results of an operation on absolute values of all its inputs: |A||B|.
Sizes of_absolute_values(const Op& op, Index n, Index m, const Change& change) {
    const Change absolute = [&](Real v) { return std::abs(change(v)); };
    Sizes all;
    for (const Tensor& t : outcome(op, inputs(op, n, m, Device::cpu, absolute), absolute).tensors) {
        all.emplace_back();
        if (t.defined())
            for (const Real v : t.values()) all.back().push_back(std::abs(double(v)));
    }
    return all;
}

/// How far every number changes when all inputs and gradients change by their own size, each in its own direction.
/// Rounding is such a change, of size eps: no algorithm can do better than exact results for inputs changed by eps.
Sizes of_changes(const Op& op, Index n, Index m, const Change& change, const Outcome& want) {
    constexpr int rounds = 8;
    constexpr Real step = Real(1) / 1024;
    Sizes all;
    for (const Tensor& t : want.tensors) all.emplace_back(t.defined() ? std::size_t(t.numel()) : 0);
    for (int round = 0; round < rounds; ++round) {
        Generator random(std::uint64_t(100 + round));
        const Change moved = [&](Real v) { return change(v) * (1 + step * (2 * random.next_uniform() - 1)); };
        const Outcome other = outcome(op, inputs(op, n, m, Device::cpu, moved), moved);
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (!want.tensors[k].defined()) continue;
            const auto before = want.tensors[k].values(), after = other.tensors[k].values();
            for (std::size_t i = 0; i < before.size(); ++i) {
                const double d = double(after[i] - before[i]) / double(step);
                all[k][i] += 3 * d * d / rounds;  // the mean square of a uniform direction is a third
            }
        }
    }
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (!want.tensors[k].defined()) continue;
        const auto values = want.tensors[k].values();
        double total = 0, count = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            double& size = all[k][i] = std::max(std::sqrt(all[k][i]), std::abs(double(values[i])));
            if (std::isfinite(size)) total += size, ++count;
        }
        for (double& size : all[k]) size = std::max(size, total / std::max(count, 1.));
    }
    return all;
}

/// Compares number `i` of a tensor; only NaN matches NaN.
void judge(Real got, Real want, double bound, const std::string& which, std::size_t i, Parity& found) {
    const bool same = std::isnan(want) ? std::isnan(got) : got == want;
    const double error = same ? 0 : std::abs(double(got) - double(want));
    const double share = same ? 0 : bound > 0 ? error / bound : infinity;
    if (!same && !(error <= bound) && found.fault.empty())
        found.fault =
            fmt::format("{}, at {}: wanted {}, got {}, allowed to be {:.3g} apart", which, i, want, got, bound);
    if (found.numbers++ > 0 && !(share > found.share)) return;
    found.share = share, found.error = error, found.bound = bound;
    found.setting = fmt::format("{}, at {}", which, i);
}

/// Replaces some normal numbers by 0, infinity or NaN; their digits decide which.
Real odd(Real v) {
    const long at = std::lround(1e4 * std::abs(double(v))) % 97;
    return at == 10 ? not_a_number : at == 31 ? infinity : at == 52 ? -infinity : at % 24 == 3 ? 0 : v;
}

/// One operation at one size.
void compare_at(const Op& op, Index n, Index m, const Change& change, const std::string& what, Device device,
                Parity& found) {
    const Outcome want = outcome(op, inputs(op, n, m, Device::cpu, change), change);
    std::vector<std::vector<Real>> got;
    std::string refusal;
    {
        const Fresh trapped(true);
        const Outcome there = outcome(op, inputs(op, n, m, device, change), change);
        refusal = there.refusal;
        try {  // a GPU refuses a value when its results are read
            for (const Tensor& t : there.tensors) got.push_back(t.defined() ? t.values() : std::vector<Real>{});
        } catch (const Error& error) {
            if (refusal.empty()) refusal = error.what();
        }
    }
    const std::string size = fmt::format("n = {}, m = {}, {}", n, m, what);
    if (refusal != want.refusal)
        found.fault = fmt::format("{}: it says '{}', the cpu '{}'", size, refusal, want.refusal);
    if (!want.refusal.empty() || !refusal.empty()) return;
    Sizes scale;
    if (op.near.rule == Nearness::sums) scale = of_absolute_values(op, n, m, change);
    if (op.near.rule == Nearness::chain) scale = of_changes(op, n, m, change, want);
    const double factor = 4 * eps * std::sqrt(double(longest_sum(op.near.terms, n, m)));
    for (std::size_t k = 0; k < want.tensors.size(); ++k) {
        const std::vector<Real> wanted = want.tensors[k].defined() ? want.tensors[k].values() : std::vector<Real>{};
        const std::string which = k < want.results ? fmt::format("{}, result {}", size, k)
                                                   : fmt::format("{}, gradient {}", size, k - want.results);
        if (got[k].size() != wanted.size()) {
            found.fault = fmt::format("{}: wanted {} numbers, got {}", which, wanted.size(), got[k].size());
            return;
        }
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            double bound = 0;
            if (op.near.rule == Nearness::pointwise)
                bound = std::max(pointwise * std::abs(double(wanted[i])), op.near.absolute);
            else if (!scale.empty())
                bound = factor * (std::isfinite(scale[k][i]) ? scale[k][i] : std::abs(double(wanted[i])));
            judge(got[k][i], wanted[i], bound, which, i, found);
        }
    }
}

/// Compares bits.
void same(const std::vector<Real>& got, const std::vector<Real>& want, const std::string& setting, Parity& found) {
    if (got.size() != want.size())
        found.fault = fmt::format("{}: wanted {} numbers, got {}", setting, want.size(), got.size());
    for (std::size_t i = 0; i < std::min(got.size(), want.size()); ++i) judge(got[i], want[i], 0, setting, i, found);
}

/// Runs a comparison; an Error, for example while numbers are copied back, counts as a difference.
template <class Run>
Parity tried(const char* name, Run&& run) {
    Parity found{.name = name};
    try {
        run(found);
    } catch (const Error& error) {
        found.fault = error.what();
    }
    return found;
}

}  // namespace

Parity compare(const Op& op, Device device) {
    const Fresh plain(false);
    const std::size_t before = overwritten_guards();
    Parity found = tried(op.name, [&](Parity& so_far) {
        for (const auto& [n, m] : sizes) {
            compare_at(
                op, n, m, [](Real v) { return v; }, "normal numbers", device, so_far);
            if (!op.near.finite) compare_at(op, n, m, odd, "some 0, infinite, NaN", device, so_far);
        }
    });
    if (overwritten_guards() != before && found.fault.empty())
        found.fault = fmt::format("it wrote beyond {} of its buffers", overwritten_guards() - before);
    return found;
}

Parity identity(Device device, Product product) {
    return tried("identity", [&](Parity& found) {
        for (const Index n : {1, 7, 64, 129, 300}) {
            const Tensor a = Generator(std::uint64_t(n)).normal({n, n});
            Tensor one = zeros({n, n});
            for (Index i = 0; i < n; ++i) one.write()[i * n + i] = 1;
            const Tensor there = a.to(device), unit = one.to(device);
            same(product(there, unit).values(), a.values(), fmt::format("{} x {}, on the right", n, n), found);
            same(product(unit, there).values(), a.values(), fmt::format("{} x {}, on the left", n, n), found);
        }
    });
}

Parity draws(Device device) {
    return tried("draws", [&](Parity& found) {
        Generator here(7), there(7);
        for (const Index n : {1, 3, 128, 1000}) {
            const auto both = [&](auto&& draw, const char* what) {
                same(draw(there, device), draw(here, Device::cpu), fmt::format("{} {}", n, what), found);
            };
            both([&](Generator& g, Device d) { return g.uniform({n}, -1, 2, d).values(); }, "uniform numbers");
            both([&](Generator& g, Device d) { return g.normal({n}, 1, 2, d).values(); }, "normal numbers");
            both([&](Generator& g, Device d) { return Results(g.integers({n}, -5, 1000, d)).all[0].values(); },
                 "integers");
        }
    });
}

Parity copies(Device device) {
    return tried("copies", [&](Parity& found) {
        for (const Index n : {1, 2, 31, 32, 33, 1000, 4097}) {
            const Tensor a = Generator(std::uint64_t(n)).normal({n});
            same(clone(a.to(device)).to(Device::cpu).values(), a.values(), fmt::format("{} numbers", n), found);
        }
    });
}

Parity steps(Device device) {
    return tried("steps", [&](Parity& found) {
        constexpr int count = 5;
        constexpr double rate = 0.1;
        const Tensor start = Generator(1).normal({1000});
        const auto trained = [&](auto make, Device where) {
            const Tensor w = clone(start.to(where)).requires_grad_();
            auto optimiser = make(NamedTensors{{"w", w}});
            for (int step = 0; step < count; ++step) {
                optimiser.zero_grad();
                const Tensor slope = Generator(std::uint64_t(10 + step)).normal({1000}).to(where);
                record("given", Tensor(Shape{}, {0}, where), {w}, [&](const Tensor&) {
                    return Grads{slope};
                }).backward();
                optim::clip_norm(optimiser.parameters(), 20);
                optimiser.step();
            }
            return w.values();
        };
        const auto both = [&](const char* what, auto make) {
            const std::vector<Real> got = trained(make, device), want = trained(make, Device::cpu),
                                    first = start.values();
            for (std::size_t i = 0; i < want.size(); ++i) {
                const double terms = std::abs(double(first[i])) + std::abs(double(want[i])) + count * rate;
                judge(got[i], want[i], 4 * eps * std::sqrt(double(count)) * terms, what, i, found);
            }
        };
        both("sgd", [&](NamedTensors w) { return optim::Sgd(w, {.lr = rate, .momentum = 0.9, .weight_decay = 0.01}); });
        both("nesterov",
             [&](NamedTensors w) { return optim::Sgd(w, {.lr = rate, .momentum = 0.9, .nesterov = true}); });
        both("rmsprop", [&](NamedTensors w) { return optim::RmsProp(w, {.lr = rate}); });
        both("adam", [&](NamedTensors w) { return optim::Adam(w, {.lr = rate}); });
        both("adamw", [&](NamedTensors w) { return optim::AdamW(w, {.lr = rate, .weight_decay = 0.1}); });
    });
}

std::vector<std::string> parity_names() {
    std::vector<std::string> names;
    for (const Op& op : every_op())
        if (names.empty() || names.back() != op.name) names.emplace_back(op.name);
    names.insert(names.end(), {"identity", "draws", "copies", "steps"});
    return names;
}

Parity parity(const std::string& name, Device device) {
    require(device);
    if (name == "identity") return identity(device, matmul);
    if (name == "draws") return draws(device);
    if (name == "copies") return copies(device);
    if (name == "steps") return steps(device);
    Parity worst;
    for (const Op& op : every_op()) {
        if (op.name != name) continue;
        Parity found = compare(op, device);
        found.numbers += worst.numbers;
        if (worst.numbers == 0 || (worst.fault.empty() && (found.share > worst.share || !found.fault.empty())))
            worst = found;
        worst.numbers = found.numbers;
    }
    check(!worst.name.empty(), "parity: there is no operation {}", name);
    return worst;
}

}  // namespace RECTO::testing
