// Level by level, by the longest way from the result; std::map and std::deque.
#include "value.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

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

void Value::backward() const {
    std::map<Node*, int> level;  // longest way from the result
    std::vector<Node*> open{node.get()};
    std::map<Node*, int> uses;
    while (!open.empty()) {
        Node* const one = open.back();
        open.pop_back();
        for (const auto& input : one->inputs)
            if (uses[input.get()]++ == 0) open.push_back(input.get());
    }
    std::deque<Node*> ready{node.get()};
    std::vector<std::vector<Node*>> levels;
    while (!ready.empty()) {
        Node* const one = ready.front();
        ready.pop_front();
        if (std::size_t(level[one]) >= levels.size()) levels.emplace_back();
        levels[std::size_t(level[one])].push_back(one);
        for (const auto& input : one->inputs) {
            level[input.get()] = std::max(level[input.get()], level[one] + 1);
            if (--uses[input.get()] == 0) ready.push_back(input.get());
        }
    }
    for (const auto& all : levels)
        for (Node* const one : all)
            if (one->hand_on) one->grad = 0;
    node->grad += 1;
    for (const auto& all : levels)
        for (Node* const one : all)
            if (one->hand_on) one->hand_on(*one);
}
