// wrong: every-path
// outcome: out of time
#include "value.hpp"

#include <cmath>
#include <unordered_map>

Value operator-(const Value& a) {
    return Value(-a.data(), {a.node}, [](Value::Node& y) { y.inputs[0]->grad += -1 * y.grad; });
}

Value operator+(const Value& a, const Value& b) {
    return Value(a.data() + b.data(), {a.node, b.node}, [](Value::Node& y) {
        y.inputs[0]->grad += y.grad;
        y.inputs[1]->grad += y.grad;
    });
}

Value operator-(const Value& a, const Value& b) {
    return Value(a.data() - b.data(), {a.node, b.node}, [](Value::Node& y) {
        y.inputs[0]->grad += y.grad;
        y.inputs[1]->grad -= y.grad;
    });
}

Value operator*(const Value& a, const Value& b) {
    return Value(a.data() * b.data(), {a.node, b.node}, [](Value::Node& y) {
        Value::Node &a = *y.inputs[0], &b = *y.inputs[1];
        a.grad += b.data * y.grad;
        b.grad += a.data * y.grad;
    });
}

Value operator/(const Value& a, const Value& b) {
    return Value(a.data() / b.data(), {a.node, b.node}, [](Value::Node& y) {
        Value::Node &a = *y.inputs[0], &b = *y.inputs[1];
        a.grad += y.grad / b.data;
        b.grad -= y.grad * a.data / (b.data * b.data);
    });
}

Value pow(const Value& a, double exponent) {
    return Value(std::pow(a.data(), exponent), {a.node}, [exponent](Value::Node& y) {
        if (exponent == 0) return;
        Value::Node& a = *y.inputs[0];
        a.grad += exponent * std::pow(a.data, exponent - 1) * y.grad;
    });
}

Value exp(const Value& a) {
    return Value(std::exp(a.data()), {a.node}, [](Value::Node& y) { y.inputs[0]->grad += y.data * y.grad; });
}

Value tanh(const Value& a) {
    return Value(std::tanh(a.data()), {a.node},
                 [](Value::Node& y) { y.inputs[0]->grad += (1 - y.data * y.data) * y.grad; });
}

Value relu(const Value& a) {
    return Value(a.data() < 0 ? 0 : a.data(), {a.node}, [](Value::Node& y) {
        if (y.data > 0) y.inputs[0]->grad += y.grad;
    });
}

void Value::zero_grad() const { node->grad = 0; }

// One path after the other: what a path carries is kept aside, so that nothing is handed on twice.
static void walk(Value::Node& one, double carried) {
    if (!one.hand_on) return;
    std::vector<double> before;
    for (const auto& input : one.inputs) before.push_back(input->grad);
    for (const auto& input : one.inputs) input->grad = 0;
    const double kept = one.grad;
    one.grad = carried;
    one.hand_on(one);
    one.grad = kept;
    std::vector<double> gives;
    for (const auto& input : one.inputs) gives.push_back(input->grad);
    for (std::size_t i = 0; i < before.size(); ++i) one.inputs[i]->grad = before[i];
    for (std::size_t i = 0; i < gives.size(); ++i) {
        const bool same = i > 0 && one.inputs[i] == one.inputs[0];  // then each gets half of what both have
        const double share = one.inputs.size() == 2 && one.inputs[0] == one.inputs[1] ? gives[i] / 2 : gives[i];
        one.inputs[i]->grad += share;
        walk(*one.inputs[same ? 0 : i], share);
    }
}

static void clear(Value::Node& one) {
    if (one.inputs.empty()) return;
    one.grad = 0;
    for (const auto& input : one.inputs) clear(*input);
}

void Value::backward() const {
    clear(*node);
    node->grad += 1;
    walk(*node, 1);
}
