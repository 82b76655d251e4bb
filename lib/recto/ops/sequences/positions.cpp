#include <recto/ops/sequences/positions.hpp>

#include <cmath>
#include <vector>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

/// One row: rotates the pairs of every head by the angles of its position, forwards or back.
struct Rotate {
    const Real *x, *table;
    Real* y;
    Index time, width, head, first;
    Index step, apart;  // distance between pairs, and between the two numbers of a pair
    Real direction;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index half = head / 2, s = step, other = apart;
        const Real *cos = table + (first + row % time) * head, *sin = cos + half;
        const Real sign = direction;
        for (Index from = row * width; from < (row + 1) * width; from += head) {
            const Real* in = x + from;
            Real* out = y + from;
            team.each(half, [&](Index i) {
                const Real a = in[i * s], b = in[i * s + other], turn = sign * sin[i];
                out[i * s] = a * cos[i] - b * turn;
                out[i * s + other] = a * turn + b * cos[i];
            });
        }
    }
};

/// The angle of position t in column i of `half`: in double, since distant positions need the precision.
double angle(Index t, Index i, double half, double base) { return double(t) * std::pow(base, -double(i) / half); }

}  // namespace

Tensor sinusoidal_positions(Index length, Index width, Device device, Index first) {
    check(length >= 0 && width >= 0, "sinusoidal_positions: wanted sizes of at least 0, got {} and {}", length, width);
    const Shape shape{length, width};
    std::vector<Real> values;
    values.reserve(std::size_t(shape.numel()));
    for (Index t = first; t < first + length; ++t)
        for (Index j = 0; j < width; ++j) {
            const double a = angle(t, j / 2, double(width) / 2, 10000);
            values.push_back(Real(j % 2 ? std::cos(a) : std::sin(a)));
        }
    return Tensor(shape, values, device);
}

Tensor rotary_table(Index length, Index width, double base, Device device) {
    check(length >= 0 && width >= 0 && width % 2 == 0,
          "rotary_table: wanted a length of at least 0 and an even width, got {} and {}", length, width);
    check(base > 0 && std::isfinite(base), "rotary_table: wanted a positive base, got {}", base);
    const Shape shape{length, width};
    std::vector<Real> values;
    values.reserve(std::size_t(shape.numel()));
    for (Index t = 0; t < length; ++t)
        for (const bool sines : {false, true})
            for (Index i = 0; i < width / 2; ++i) {
                const double a = angle(t, i, double(width) / 2, base);
                values.push_back(Real(sines ? std::sin(a) : std::cos(a)));
            }
    return Tensor(shape, values, device);
}

Tensor rotary(const Tensor& x, const Tensor& table, Index first, RotaryPairs pairs) {
    check(x.dim() >= 2, "rotary: wanted (..., time, width), got shape {}", x.shape());
    check(table.dim() == 2 && table.size(1) % 2 == 0 && !table.requires_grad(),
          "rotary: wanted a table from rotary_table(), got shape {}", table.shape());
    const Index time = x.size(-2), width = x.size(-1), head = table.size(1);
    check(head == 0 ? width == 0 : width % head == 0, "rotary: a table for heads of {} wants a multiple, got shape {}",
          head, x.shape());
    check(first >= 0 && first <= table.size(0) && time <= table.size(0) - first,
          "rotary: a table of shape {} wants positions from 0 to below {}, got {} from {} for shape {}", table.shape(),
          table.size(0), time, first, x.shape());
    check(x.device() == table.device(), "rotary: wanted both on one device, got {} and {}", x.device(), table.device());

    const Tensor angles = dense(table);
    const auto turn = [t = angles, time, width, head, first, pairs](const Tensor& from, Real direction) {
        Tensor y = empty_like(from);
        const bool halves = pairs == RotaryPairs::halves;
        rows(from.device(), width ? from.numel() / width : 0, width,
             Rotate{from.data(), t.data(), y.write(), time, width, head, first, halves ? 1 : 2, halves ? head / 2 : 1,
                    direction});
        return y;
    };
    return record("rotary", turn(dense(x), 1), {x, table}, [turn, table = Saved(angles)](const Tensor& dy) {
        table.check();
        return Grads{turn(dense(dy), -1), Tensor()};
    });
}

}  // namespace RECTO
