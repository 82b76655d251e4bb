// One function for all operations: a template makes the node from the number and its slopes.
#include "value.hpp"

#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

template <std::size_t N>
static Value make(double data, const std::array<Value, N>& from, const std::array<double, N>& slopes) {
    std::vector<std::shared_ptr<Value::Node>> inputs;
    for (const Value& value : from) inputs.push_back(value.node);
    return Value(data, inputs, [slopes](Value::Node& y) {
        for (std::size_t i = 0; i < N; ++i) y.inputs[i]->grad = std::fma(slopes[i], y.grad, y.inputs[i]->grad);
    });
}

Value operator-(const Value& a) { return make<1>(-a.data(), {a}, {-1}); }
Value operator+(const Value& a, const Value& b) { return make<2>(a.data() + b.data(), {a, b}, {1, 1}); }
Value operator-(const Value& a, const Value& b) { return make<2>(a.data() - b.data(), {a, b}, {1, -1}); }
Value operator*(const Value& a, const Value& b) { return make<2>(a.data() * b.data(), {a, b}, {b.data(), a.data()}); }
Value operator/(const Value& a, const Value& b) {
    const double y = a.data() / b.data();
    return make<2>(y, {a, b}, {1 / b.data(), -y / b.data()});
}
Value pow(const Value& a, double e) {
    return make<1>(std::pow(a.data(), e), {a}, {e == 0 ? 0.0 : e * std::pow(a.data(), e - 1)});
}
Value exp(const Value& a) { return make<1>(std::exp(a.data()), {a}, {std::exp(a.data())}); }
Value tanh(const Value& a) {
    return make<1>(std::tanh(a.data()), {a}, {1 / std::cosh(a.data()) / std::cosh(a.data())});
}
Value relu(const Value& a) {
    const double x = a.data();
    return make<1>(x <= 0 ? 0 : x, {a}, {double(x > 0)});
}

void Value::zero_grad() const { node->grad = 0; }

// Breadth first, twice: once to count, once to hand on.
void Value::backward() const {
    std::unordered_map<const Node*, std::size_t> uses;
    std::vector<Node*> all{node.get()};
    std::unordered_set<Node*> met{node.get()};
    for (std::size_t i = 0; i < all.size(); ++i)
        for (const auto& input : all[i]->inputs) {
            ++uses[input.get()];
            if (met.insert(input.get()).second) all.push_back(input.get());
        }
    for (Node* one : all)
        if (!one->inputs.empty()) one->grad = 0;
    node->grad += 1;
    std::vector<Node*> ready{node.get()};
    for (std::size_t i = 0; i < ready.size(); ++i) {
        Node* one = ready[i];
        if (one->hand_on) one->hand_on(*one);
        for (const auto& input : one->inputs)
            if (--uses[input.get()] == 0) ready.push_back(input.get());
    }
}
