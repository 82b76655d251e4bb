#include <recto/classic/regions.hpp>

#include <algorithm>
#include <cmath>

#include <recto/linalg/products.hpp>

namespace RECTO::classic {
namespace {

/// A layer's input on one piece: each number is affine in the coordinates, base + s along[0] + t along[1]. Column 0 is
/// the base, followed by one column per coordinate.
using Affine = Matrix;

void check_network(const ReluNetwork& network, std::size_t inputs, const char* who) {
    for (const ReluLayer& layer : network) {
        check(layer.weight.cols == Index(inputs), "{}: a layer of {} inputs cannot read {} numbers", who,
              layer.weight.cols, inputs);
        check(Index(layer.bias.size()) == layer.weight.rows, "{}: {} units want as many biases, got {}", who,
              layer.weight.rows, layer.bias.size());
        inputs = layer.bias.size();
    }
}

Affine columns(std::initializer_list<std::span<const double>> parts, const char* who) {
    const std::size_t n = parts.begin()->size();
    Affine a(Index(n), Index(parts.size()));
    Index j = 0;
    for (const auto part : parts) {
        check(part.size() == n, "{}: wanted points and directions of {} numbers, got {}", who, n, part.size());
        for (std::size_t i = 0; i < n; ++i) a(Index(i), j) = part[i];
        ++j;
    }
    return a;
}

/// The layer's pre-activations.
Affine sums(const ReluLayer& layer, const Affine& in) {
    Affine out = linalg::matmul(layer.weight, in);
    for (Index i = 0; i < out.rows; ++i) out(i, 0) += layer.bias[std::size_t(i)];
    return out;
}

/// The layer's outputs on a piece where no unit switches; `at` is any point inside it.
Affine rectified(Affine a, std::initializer_list<double> at) {
    for (Index i = 0; i < a.rows; ++i) {
        double value = a(i, 0);
        Index j = 1;
        for (const double x : at) value += x * a(i, j++);
        if (value <= 0) std::fill_n(a.row(i), a.cols, 0.0);
    }
    return a;
}

struct LinePiece {
    double low, high;
    Affine in;
};
struct PlanePiece {
    Polygon corners;
    Affine in;
};

std::array<double, 2> middle(const Polygon& p) {
    std::array<double, 2> m{};
    for (const auto& c : p) m[0] += c[0] / double(p.size()), m[1] += c[1] / double(p.size());
    return m;
}

/// The part of a convex polygon where sign * (base + s x + t y) >= 0.
Polygon cut(const Polygon& p, const double* line, double sign) {
    const auto side = [&](const std::array<double, 2>& c) {
        return sign * (line[0] + line[1] * c[0] + line[2] * c[1]);
    };
    Polygon out;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const auto &a = p[i], &b = p[(i + 1) % p.size()];
        const double da = side(a), db = side(b);
        if (da >= 0) out.push_back(a);
        if ((da > 0 && db < 0) || (da < 0 && db > 0)) {
            const double at = da / (da - db);
            out.push_back({a[0] + at * (b[0] - a[0]), a[1] + at * (b[1] - a[1])});
        }
    }
    return out;
}

}  // namespace

ReluNetwork random_relu_network(Index inputs, Index width, Index depth, Generator& random) {
    check(inputs >= 1 && width >= 1 && depth >= 1, "random_relu_network: wanted sizes of at least 1, got {}, {} and {}",
          inputs, width, depth);
    ReluNetwork network;
    for (Index layer = 0; layer < depth; ++layer) {
        ReluLayer next{Matrix(width, layer == 0 ? inputs : width), Vector(std::size_t(width), 0.0)};
        for (double& w : next.weight.values) w = std::sqrt(2 / double(next.weight.cols)) * random.next_normal();
        for (double& b : next.bias) b = (layer == 0 ? 1 : 0.1) * random.next_normal();
        network.push_back(std::move(next));
    }
    return network;
}

std::vector<double> bends_on_line(const ReluNetwork& network, std::span<const double> start,
                                  std::span<const double> direction, double low, double high) {
    check(low < high, "bends_on_line: wanted low below high, got {} and {}", low, high);
    check_network(network, start.size(), "bends_on_line");
    std::vector<LinePiece> pieces{{low, high, columns({start, direction}, "bends_on_line")}};
    for (const ReluLayer& layer : network) {
        std::vector<LinePiece> finer;
        for (const LinePiece& piece : pieces) {
            const Affine a = sums(layer, piece.in);
            std::vector<double> ends{piece.low, piece.high};
            for (Index i = 0; i < a.rows; ++i)
                if (const double zero = -a(i, 0) / a(i, 1); zero > piece.low && zero < piece.high) ends.push_back(zero);
            std::ranges::sort(ends);
            ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
            for (std::size_t k = 0; k + 1 < ends.size(); ++k)
                finer.push_back({ends[k], ends[k + 1], rectified(a, {(ends[k] + ends[k + 1]) / 2})});
        }
        pieces = std::move(finer);
    }
    std::vector<double> bends;
    for (std::size_t k = 1; k < pieces.size(); ++k) bends.push_back(pieces[k].low);
    return bends;
}

std::vector<Polygon> pieces_on_plane(const ReluNetwork& network, std::span<const double> start,
                                     std::span<const double> u, std::span<const double> v, double low, double high) {
    check(low < high, "pieces_on_plane: wanted low below high, got {} and {}", low, high);
    check_network(network, start.size(), "pieces_on_plane");
    const Polygon square = {{low, low}, {high, low}, {high, high}, {low, high}};
    const double sliver = 1e-12 * area(square);
    std::vector<PlanePiece> pieces{{square, columns({start, u, v}, "pieces_on_plane")}};
    for (const ReluLayer& layer : network) {
        std::vector<PlanePiece> finer;
        for (const PlanePiece& piece : pieces) {
            const Affine a = sums(layer, piece.in);
            std::vector<Polygon> parts{piece.corners};
            for (Index i = 0; i < a.rows; ++i) {
                std::vector<Polygon> halves;
                for (Polygon& part : parts) {
                    Polygon above = cut(part, a.row(i), 1), below = cut(part, a.row(i), -1);
                    if (area(above) <= sliver || area(below) <= sliver)
                        halves.push_back(std::move(part));
                    else
                        halves.push_back(std::move(above)), halves.push_back(std::move(below));
                }
                parts = std::move(halves);
            }
            for (Polygon& part : parts) {
                const auto [s, t] = middle(part);
                finer.push_back({std::move(part), rectified(a, {s, t})});
            }
        }
        pieces = std::move(finer);
    }
    std::vector<Polygon> polygons;
    for (PlanePiece& piece : pieces) polygons.push_back(std::move(piece.corners));
    return polygons;
}

double area(const Polygon& p) {
    double twice = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const auto &a = p[i], &b = p[(i + 1) % p.size()];
        twice += a[0] * b[1] - a[1] * b[0];
    }
    return std::abs(twice) / 2;
}

}  // namespace RECTO::classic
