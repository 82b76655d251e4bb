// Derivatives as functions, and a queue with the users of every node.
#include "value.hpp"

#include <cmath>
#include <deque>
#include <map>

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

// The users of every node are listed; a node is finished when its list is empty.
void Value::backward() const {
    std::map<Node*, std::vector<Node*>> users;
    std::deque<Node*> queue{node.get()};
    users[node.get()];
    while (!queue.empty()) {
        Node* const first = queue.front();
        queue.pop_front();
        if (first->hand_on) first->grad = 0;
        for (const auto& input : first->inputs) {
            const bool fresh = users.find(input.get()) == users.end();
            users[input.get()].push_back(first);
            if (fresh) queue.push_back(input.get());
        }
    }
    node->grad += 1;
    queue = {node.get()};
    while (!queue.empty()) {
        Node* const first = queue.front();
        queue.pop_front();
        if (first->hand_on) first->hand_on(*first);
        for (const auto& input : first->inputs) {
            users[input.get()].pop_back();
            if (users[input.get()].empty()) queue.push_back(input.get());
        }
    }
}
