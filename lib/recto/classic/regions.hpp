#pragma once
/// @file
/// The linear pieces of a network of rectifiers, counted exactly: without a grid, without sampling.
#include <array>

#include <recto/core/random.hpp>
#include <recto/linalg/matrix.hpp>

namespace RECTO::classic {

using linalg::Matrix;
using linalg::Vector;

/// A layer of rectifiers: max(0, weight x + bias).
struct ReluLayer {
    Matrix weight;  ///< (units, inputs)
    Vector bias;    ///< one per unit
};

/// Successive layers of rectifiers; a linear layer after them adds no pieces and is left out.
using ReluNetwork = std::vector<ReluLayer>;

/// `depth` layers of `width` units as initialised: weights normal with variance 2 / inputs (He et al., 2015), biases
/// normal with standard deviation 1 in the first layer and 0.1 in the others.
ReluNetwork random_relu_network(Index inputs, Index width, Index depth, Generator& random);

/// The kinks of the network along the line start + t direction, for t strictly between low and high, ascending: the
/// positions at which some unit switches. There is one linear piece more than there are kinks.
/// @throws Error when the sizes do not fit or low is not below high
std::vector<double> bends_on_line(const ReluNetwork& network, std::span<const double> start,
                                  std::span<const double> direction, double low, double high);

/// The corners of a convex piece, in the coordinates of the plane, in order around it.
using Polygon = std::vector<std::array<double, 2>>;

/// The linear pieces on the part of the plane start + s u + t v where s and t are between low and high: they tile that
/// square. Pieces smaller than a 10^-12th of the square are dropped.
/// @throws Error when the sizes do not fit or low is not below high
std::vector<Polygon> pieces_on_plane(const ReluNetwork& network, std::span<const double> start,
                                     std::span<const double> u, std::span<const double> v, double low, double high);

/// The area of a polygon.
double area(const Polygon& polygon);

}  // namespace RECTO::classic
