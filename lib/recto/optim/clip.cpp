#include <recto/optim/clip.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

#include <recto/device/launch.hpp>
#include <recto/kernels/scaled_sum.hpp>
#include <recto/optim/fit.hpp>

namespace RECTO::optim {
namespace {

struct SquareTerm {
    const Real* x;
    Real scale;
    RECTO_HD Real operator()(Index i) const { return x[i] * scale * (x[i] * scale); }
};
struct Clear {
    Index* x;
    RECTO_HD void operator()(Index i) const { x[i] = 0; }
};
struct Scale {
    Real* x;
    Real by;
    RECTO_HD void operator()(Index i) const { x[i] *= by; }
};
struct Cut {
    Real* x;
    Real most;
    RECTO_HD void operator()(Index i) const { x[i] = max(-most, min(most, x[i])); }
};

std::vector<Tensor> gradients(const NamedTensors& parameters) {
    std::vector<Tensor> found;
    for (const NamedTensor& p : each_once(parameters))
        if (const Tensor g = p.tensor.grad(); g.defined()) found.push_back(g);
    return found;
}

/// Whether a sum of squares is unusable because squares overflowed or underflowed, as they do long before lengths.
RECTO_HD bool out_of_range(double squares) {
    constexpr double least = double(std::numeric_limits<Real>::min() / std::numeric_limits<Real>::epsilon());
    return squares == double(infinity) || squares < least;
}
/// A scale that brings the largest number of some gradients near 1.
RECTO_HD Real scale_for(double largest) {
    constexpr double most = double(std::numeric_limits<Real>::max());
    return Real(largest * most > 1 ? 1 / largest : most);
}

/// The sum of the squares of scale times the gradients.
double squares(const std::vector<Tensor>& gradients, Real scale) {
    std::vector<Tensor> sums;
    for (const Tensor& g : gradients) sums.push_back(scaled_sum(g.device(), g.numel(), SquareTerm{g.data(), scale}, 1));
    double total = 0;
    for (const Tensor& s : sums) total += double(s.item());
    return total;
}

/// Some gradients, and the sums of their squares.
struct Some {
    static constexpr Index room = 64;
    Index count = 0;
    Real* x[room] = {};
    const Real* squares[room] = {};
    Index n[room] = {};
};

/// The values that the device computes for the length.
struct Found {
    double squares, largest, length;
    Real factor;
};

/// Adds up the squares, in the order of the parameters.
struct AddSquares {
    Some some;
    Found* found;
    RECTO_HD void operator()(Index) const {
        for (Index i = 0; i < some.count; ++i) found->squares += double(some.squares[i][0]);
    }
};

/// Only if the squares are out of range: the largest number ...
struct FindLargest {
    Some some;
    Found* found;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index) const {
        if (!out_of_range(found->squares)) return;
        for (Index i = 0; i < some.count; ++i) {
            const Real* x = some.x[i];
            const double here = double(team.max(some.n[i], [&](Index j) { return abs(x[j]); }));
            team.each(1, [&](Index) {
                if (here > found->largest || here != here) found->largest = here;
            });
        }
    }
};

/// ... and the sum of the squares relative to it.
struct AddShares {
    Some some;
    Found* found;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index) const {
        if (!out_of_range(found->squares) || !(found->largest < double(infinity))) return;
        const Real by = scale_for(found->largest);
        for (Index i = 0; i < some.count; ++i) {
            const SquareTerm share{some.x[i], by};
            const double here = double(team.sum(some.n[i], share));
            team.each(1, [&](Index) { found->length += here; });
        }
    }
};

struct FindFactor {
    Found* found;
    double most;
    RECTO_HD void operator()(Index) const {
        Found& f = *found;
        if (out_of_range(f.squares) && f.largest < double(infinity))
            f.length = sqrt(f.length) / double(scale_for(f.largest));
        else
            f.length = sqrt(f.squares);
        f.factor = f.length > most && f.length < double(infinity) ? Real(most / f.length) : Real(1);
    }
};

struct Shorten {
    Real* x;
    const Found* found;
    RECTO_HD void operator()(Index i) const {
        if (found->factor != 1) x[i] *= found->factor;
    }
};

/// clip_norm() without the host.
Length shorten_on_device(std::vector<Tensor> all, double most) {
    const Device device = all[0].device();
    Integers memory({Index(sizeof(Found) / sizeof(Index))}, device);
    each(device, memory.numel(), Clear{memory.write()});
    auto* const found = reinterpret_cast<Found*>(memory.write());
    std::vector<Tensor> sums;
    std::vector<Some> groups;
    for (Tensor& g : all) {
        check(g.device() == device, "clip_norm: wanted all gradients on one device, got {} and {}", device, g.device());
        sums.push_back(scaled_sum(device, g.numel(), SquareTerm{g.data(), 1}, 1));
        if (groups.empty() || groups.back().count == Some::room) groups.emplace_back();
        Some& some = groups.back();
        some.x[some.count] = g.write(), some.squares[some.count] = sums.back().data(), some.n[some.count] = g.numel();
        ++some.count;
    }
    for (const Some& some : groups) each(device, 1, AddSquares{some, found});
    for (const Some& some : groups) rows(device, 1, 1, FindLargest{some, found});
    for (const Some& some : groups) rows(device, 1, 1, AddShares{some, found});
    each(device, 1, FindFactor{found, most});
    for (Tensor& g : all) each(device, g.numel(), Shorten{g.write(), found});
    return Length(memory);
}

}  // namespace

Length::operator double() const {
    return there_.defined() ? std::bit_cast<double>(there_.values()[offsetof(Found, length) / sizeof(Index)]) : here_;
}

Length clip_norm(const NamedTensors& parameters, double most) {
    check(most >= 0, "clip_norm: wanted a length of at least 0, got {}", most);
    std::vector<Tensor> all = gradients(parameters);
    if (!all.empty() && all[0].device() != Device::cpu) return shorten_on_device(std::move(all), most);
    const double plain = squares(all, 1);
    double norm = std::sqrt(plain);
    if (out_of_range(plain))
        if (const double largest = largest_gradient(parameters); std::isfinite(largest)) {
            const Real by = scale_for(largest);
            norm = std::sqrt(squares(all, by)) / double(by);
        }
    if (norm > most && std::isfinite(norm))
        for (Tensor& g : all) each(g.device(), g.numel(), Scale{g.write(), Real(most / norm)});
    return norm;
}

void clip_value(const NamedTensors& parameters, double most) {
    check(most >= 0, "clip_value: wanted a bound of at least 0, got {}", most);
    for (Tensor& g : gradients(parameters)) each(g.device(), g.numel(), Cut{g.write(), Real(most)});
}

}  // namespace RECTO::optim
