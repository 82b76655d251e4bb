// Function objects with the slopes, and an order from a stack.
#include "value.hpp"

#include <cmath>
#include <stack>
#include <unordered_set>

namespace {

struct Scaled {
    double left, right;
    void operator()(Value::Node& y) const {
        y.inputs[0]->grad += left * y.grad;
        if (y.inputs.size() > 1) y.inputs[1]->grad += right * y.grad;
    }
};

Value unary(const Value& a, double data, double slope) { return Value(data, {a.node}, Scaled{slope, 0}); }
Value binary(const Value& a, const Value& b, double data, double left, double right) {
    return Value(data, {a.node, b.node}, Scaled{left, right});
}

}  // namespace

Value operator-(const Value& a) { return unary(a, -a.data(), -1); }
Value operator+(const Value& a, const Value& b) { return binary(a, b, a.data() + b.data(), 1, 1); }
Value operator-(const Value& a, const Value& b) { return binary(a, b, a.data() - b.data(), 1, -1); }
Value operator*(const Value& a, const Value& b) { return binary(a, b, a.data() * b.data(), b.data(), a.data()); }
Value operator/(const Value& a, const Value& b) {
    const double quotient = a.data() / b.data();
    return binary(a, b, quotient, 1 / b.data(), -quotient / b.data());
}
Value pow(const Value& a, double exponent) {
    if (exponent == 0) return unary(a, 1, 0);
    if (exponent == 1) return unary(a, a.data(), 1);
    if (exponent == 2) return unary(a, a.data() * a.data(), 2 * a.data());
    return unary(a, std::pow(a.data(), exponent), exponent * std::pow(a.data(), exponent - 1));
}
Value exp(const Value& a) { return unary(a, std::exp(a.data()), std::exp(a.data())); }
Value tanh(const Value& a) {
    const double y = std::tanh(a.data());
    return unary(a, y, 1 - y * y);
}
Value relu(const Value& a) {
    if (std::isnan(a.data())) return unary(a, a.data(), 0);
    return unary(a, std::fmax(a.data(), 0.0), a.data() > 0);
}

void Value::zero_grad() const { node->grad = 0; }

void Value::backward() const {
    std::stack<Node*> todo;
    std::unordered_set<Node*> entered, left;
    std::vector<Node*> order;
    todo.push(node.get());
    while (!todo.empty()) {
        Node* const top = todo.top();
        if (!entered.insert(top).second) {
            todo.pop();
            if (left.insert(top).second) order.push_back(top);
            continue;
        }
        for (const auto& input : top->inputs)
            if (!entered.count(input.get())) todo.push(input.get());
    }
    for (Node* each : order)
        if (!each->inputs.empty()) each->grad = 0;
    node->grad += 1;
    for (auto each = order.rbegin(); each != order.rend(); ++each)
        if (!(*each)->inputs.empty()) (*each)->hand_on(**each);
}
