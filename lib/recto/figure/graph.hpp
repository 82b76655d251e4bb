#pragma once
/// @file
/// The diagram of a computation with scalars: values and gradients on its nodes.
#include <string>
#include <utility>
#include <vector>

#include <recto/autograd/value.hpp>
#include <recto/figure/diagram.hpp>

namespace RECTO::figure {

/// Names of some values in a diagram.
using ValueNames = std::vector<std::pair<std::string, Value>>;

/// The diagram of a computation, one node for each step of steps(y): leaves in boxes, operations in round boxes, each
/// with its name or operation, its value and, after backward(), its gradient; every arrow has the local derivative, d
/// result / d input. It has a default description; describe() replaces it.
/// @param name   its name in the book, and the name of its file
/// @param names  names of values; those that are not part of `y` are ignored
Diagram value_diagram(std::string name, const Value& y, const ValueNames& names = {});

}  // namespace RECTO::figure
