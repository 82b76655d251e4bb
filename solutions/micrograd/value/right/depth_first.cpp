// A depth-first walk with a stack of its own; the order is gone through from its end.
#include "value.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

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
    struct Step {
        Node* one;
        std::size_t next;  // the input to go to
    };
    std::vector<Node*> order;
    std::unordered_set<Node*> seen{node.get()};
    for (std::vector<Step> path{{node.get(), 0}}; !path.empty();) {
        Step& step = path.back();
        if (step.next < step.one->inputs.size()) {
            Node* const input = step.one->inputs[step.next++].get();
            if (seen.insert(input).second) path.push_back({input, 0});
        } else {
            order.push_back(step.one);
            path.pop_back();
        }
    }
    for (Node* const one : order)
        if (!one->inputs.empty()) one->grad = 0;
    node->grad += 1;
    for (auto one = order.rbegin(); one != order.rend(); ++one)
        if ((*one)->hand_on) (*one)->hand_on(**one);
}
