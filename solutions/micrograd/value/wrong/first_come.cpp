// wrong: first-come
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

static void walk(Value::Node& one, std::vector<Value::Node*>& seen) {
    for (Value::Node* other : seen)
        if (other == &one) return;
    seen.push_back(&one);
    if (one.hand_on) one.hand_on(one);
    for (const auto& input : one.inputs) walk(*input, seen);
}

static void clear(Value::Node& one) {
    if (one.inputs.empty()) return;
    one.grad = 0;
    for (const auto& input : one.inputs) clear(*input);
}

void Value::backward() const {
    clear(*node);
    node->grad += 1;
    std::vector<Node*> seen;
    walk(*node, seen);
}
