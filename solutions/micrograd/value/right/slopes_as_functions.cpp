// Slopes as functions, and a stack with the number of inputs that were looked at.
#include "value.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace {

// An operation of one operand: `slope` takes the operand and the result.
template <class F>
Value one(const Value& a, double data, F slope) {
    return Value(data, {a.node}, [slope](Value::Node& y) { y.inputs[0]->grad += y.grad * slope(y.inputs[0]->data, y.data); });
}

// An operation of two: `slopes` takes both.
template <class F>
Value two(const Value& a, const Value& b, double data, F slopes) {
    return Value(data, {a.node, b.node}, [slopes](Value::Node& y) {
        const auto [left, right] = slopes(y.inputs[0]->data, y.inputs[1]->data);
        y.inputs[0]->grad += left * y.grad;
        y.inputs[1]->grad += right * y.grad;
    });
}

}  // namespace

Value operator-(const Value& a) { return one(a, -a.data(), [](double, double) { return -1.0; }); }
Value operator+(const Value& a, const Value& b) {
    return two(a, b, a.data() + b.data(), [](double, double) { return std::pair(1.0, 1.0); });
}
Value operator-(const Value& a, const Value& b) {
    return two(a, b, a.data() - b.data(), [](double, double) { return std::pair(1.0, -1.0); });
}
Value operator*(const Value& a, const Value& b) {
    return two(a, b, a.data() * b.data(), [](double x, double y) { return std::pair(y, x); });
}
Value operator/(const Value& a, const Value& b) {
    return two(a, b, a.data() / b.data(), [](double x, double y) { return std::pair(1 / y, -x / (y * y)); });
}
Value pow(const Value& a, double exponent) {
    return one(a, std::pow(a.data(), exponent),
               [exponent](double x, double) { return exponent == 0 ? 0 : exponent * std::pow(x, exponent - 1); });
}
Value exp(const Value& a) {
    return one(a, std::exp(a.data()), [](double, double y) { return y; });
}
Value tanh(const Value& a) {
    return one(a, std::tanh(a.data()), [](double, double y) { return (1 - y) * (1 + y); });
}
Value relu(const Value& a) {
    return one(a, a.data() <= 0 ? 0 : a.data(), [](double x, double) { return x > 0 ? 1.0 : 0.0; });
}

void Value::zero_grad() const { node->grad = 0; }

// A stack of nodes with the number of inputs that were looked at: a node is listed when all its inputs are.
void Value::backward() const {
    std::vector<std::pair<Node*, std::size_t>> stack{{node.get(), 0}};
    std::set<Node*> seen{node.get()};
    std::vector<Node*> order;
    while (!stack.empty()) {
        auto& [top, next] = stack.back();
        if (next < top->inputs.size()) {
            Node* const input = top->inputs[next++].get();
            if (seen.insert(input).second) stack.emplace_back(input, 0);
        } else {
            order.push_back(top);
            stack.pop_back();
        }
    }
    for (Node* each : order)
        if (each->hand_on) each->grad = 0;
    node->grad += 1;
    std::for_each(order.rbegin(), order.rend(), [](Node* each) {
        if (each->hand_on) each->hand_on(*each);
    });
}
