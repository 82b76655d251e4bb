// Only sum, product, power, exp and relu have slopes; the other operations are put together from them.
#include "value.hpp"

#include <cmath>
#include <unordered_map>

Value operator+(const Value& a, const Value& b) {
    return {a.data() + b.data(), {a.node, b.node}, [](Value::Node& y) {
                for (const auto& input : y.inputs) input->grad += y.grad;
            }};
}

Value operator*(const Value& a, const Value& b) {
    return {a.data() * b.data(), {a.node, b.node}, [](Value::Node& y) {
                const double first = y.inputs[0]->data, second = y.inputs[1]->data;
                y.inputs[0]->grad += second * y.grad;
                y.inputs[1]->grad += first * y.grad;
            }};
}

Value pow(const Value& a, double exponent) {
    const double slope = exponent == 0 ? 0 : exponent * std::pow(a.data(), exponent - 1);
    return {std::pow(a.data(), exponent), {a.node}, [slope](Value::Node& y) { y.inputs[0]->grad += slope * y.grad; }};
}

Value operator-(const Value& a) { return a * -1; }
Value operator-(const Value& a, const Value& b) { return a + -b; }
Value operator/(const Value& a, const Value& b) { return a * pow(b, -1); }

Value exp(const Value& a) {
    const double y = std::exp(a.data());
    return {y, {a.node}, [y](Value::Node& self) { self.inputs[0]->grad += y * self.grad; }};
}

Value relu(const Value& a) {
    const bool open = !(a.data() <= 0);
    return {open ? a.data() : 0, {a.node}, [open](Value::Node& y) { y.inputs[0]->grad += open * y.grad; }};
}

// By an exponential that is at most 1.
Value tanh(const Value& a) {
    const double side = a.data() < 0 ? -1 : 1;
    const Value power = exp(a * (-2 * side));
    return side * ((1 - power) / (1 + power));
}

void Value::zero_grad() const { node->grad = 0; }

void Value::backward() const {
    std::unordered_map<Node*, int> waiting;
    std::vector<Node*> open{node.get()};
    while (!open.empty()) {
        Node* const one = open.back();
        open.pop_back();
        if (!one->inputs.empty()) one->grad = 0;
        for (const auto& input : one->inputs)
            if (++waiting[input.get()] == 1) open.push_back(input.get());
    }
    node->grad += 1;
    open = {node.get()};
    while (!open.empty()) {
        Node* const one = open.back();
        open.pop_back();
        if (one->hand_on) one->hand_on(*one);
        for (const auto& input : one->inputs)
            if (--waiting[input.get()] == 0) open.push_back(input.get());
    }
}
