#pragma once
/// @file
/// The diagram of a computation with single numbers: values and gradients on its nodes.
#include <string>
#include <utility>
#include <vector>

#include <recto/autograd/value.hpp>
#include <recto/figure/diagram.hpp>

namespace RECTO::figure {

/// What a diagram calls some of its numbers.
using ValueNames = std::vector<std::pair<std::string, Value>>;

/// How a number was computed, one node for each step of steps(y): leaves in boxes, operations in round ones, each with
/// its name or operation, its value and, after backward(), its gradient; on each arrow the slope of the step, d result /
/// d input. It describes itself; a call of describe() says it better.
/// @param name   its name in the book and of its file
/// @param names  what numbers are called; those that are not part of it are left out
Diagram value_diagram(std::string name, const Value& y, const ValueNames& names = {});

}  // namespace RECTO::figure
