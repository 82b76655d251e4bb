#pragma once
// A number that records what it was computed from. This class is finished: use it as it is.
//
//     const Value a = 2, b = -3;
//     const Value c = a * b + tanh(a);
//     c.backward();   // a.grad() is dc/da, b.grad() is dc/db
//
// A copy of a Value is the same number: a change of the copy changes the original.
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

class Value {
public:
    Value(double data = 0) : node_(std::make_shared<Node>()) { node_->data = data; }  // a leaf of its own

    double data() const { return node_->data; }
    double grad() const { return node_->grad; }
    void set(double data) const { node_->data = data; }  // earlier results keep their numbers
    void zero_grad() const { node_->grad = 0; }

    // Computes the gradients of everything this was computed from. Gradients of leaves accumulate from call to call.
    void backward() const {
        std::vector<Node*> open{node_.get()};
        while (!open.empty()) {
            Node* const one = open.back();
            open.pop_back();
            if (!one->inputs.empty()) one->grad = 0;
            for (const auto& [input, slope] : one->inputs)
                if (input->waiting++ == 0) open.push_back(input.get());
        }
        node_->grad += 1;
        open = {node_.get()};
        while (!open.empty()) {
            Node* const one = open.back();
            open.pop_back();
            for (const auto& [input, slope] : one->inputs) {
                input->grad += slope * one->grad;
                if (--input->waiting == 0) open.push_back(input.get());
            }
        }
    }

    friend Value operator+(const Value& a, const Value& b) { return Value(a.data() + b.data(), {{a, 1}, {b, 1}}); }
    friend Value operator-(const Value& a, const Value& b) { return Value(a.data() - b.data(), {{a, 1}, {b, -1}}); }
    friend Value operator*(const Value& a, const Value& b) {
        return Value(a.data() * b.data(), {{a, b.data()}, {b, a.data()}});
    }
    friend Value operator/(const Value& a, const Value& b) { return a * pow(b, -1); }
    friend Value operator-(const Value& a) { return Value(-a.data(), {{a, -1}}); }
    friend Value pow(const Value& a, double exponent) {
        const double slope = exponent == 0 ? 0 : exponent * std::pow(a.data(), exponent - 1);
        return Value(std::pow(a.data(), exponent), {{a, slope}});
    }
    friend Value exp(const Value& a) { return Value(std::exp(a.data()), {{a, std::exp(a.data())}}); }
    friend Value tanh(const Value& a) {
        const double y = std::tanh(a.data());
        return Value(y, {{a, 1 - y * y}});
    }
    friend Value relu(const Value& a) { return Value(a.data() < 0 ? 0 : a.data(), {{a, a.data() > 0 ? 1 : 0}}); }

private:
    struct Node {
        double data = 0, grad = 0;
        std::vector<std::pair<std::shared_ptr<Node>, double>> inputs = {};  // each with the local derivative
        int waiting = 0;  // in backward(): the number of results that have not passed their gradient on yet
    };
    Value(double data, std::vector<std::pair<Value, double>> inputs) : Value(data) {
        for (const auto& [value, slope] : inputs) node_->inputs.emplace_back(value.node_, slope);
    }
    std::shared_ptr<Node> node_;
};
