#include <recto/autograd/value.hpp>

#include <cmath>
#include <unordered_map>

#include <recto/base/check.hpp>

namespace RECTO {
namespace {

// Nodes are reused: every training step creates and drops the same few hundred. `spare` has no constructor, so
// accessing it costs nothing; `at_end` is only touched when new memory is allocated.
thread_local void* spare = nullptr;
thread_local bool ended = false;

}  // namespace

Value::Node* Value::make(const char* name, double data, Node* a, double slope_a, Node* b, double slope_b) {
    Node* node = static_cast<Node*>(spare);
    if (node) {
        spare = node->next;
    } else {
        struct AtEnd {  // frees the nodes when the thread ends
            ~AtEnd() {
                for (ended = true; spare;) {
                    Node* dead = static_cast<Node*>(spare);
                    spare = dead->next;
                    delete dead;
                }
            }
        };
        thread_local AtEnd at_end;
        static_cast<void>(at_end);
        node = new Node;
    }
    *node = {data, 0, {a, b}, {slope_a, slope_b}, nullptr, 1, 0, name};
    if (a) ++a->uses;
    if (b) ++b->uses;
    return node;
}

// A long chain would overflow the stack if every node destroyed its inputs itself.
void Value::bury(Node* node) {
    node->next = nullptr;
    for (Node* dead = node; dead;) {
        Node* one = std::exchange(dead, dead->next);
        for (Node* input : one->input)
            if (input && --input->uses == 0) input->next = std::exchange(dead, input);
        if (ended) {
            delete one;
        } else {
            one->next = static_cast<Node*>(spare);
            spare = one;
        }
    }
}

// A node may pass its gradient on only after all nodes computed from it have passed theirs on: topological order.
void Value::backward() const {
    const auto push = [](Node*& top, Node* node) { node->next = std::exchange(top, node); };
    const auto pop = [](Node*& top) { return std::exchange(top, top->next); };
    Node* open = nullptr;
    push(open, node_);
    while (open) {  // first count how often each node is used in this computation
        Node* node = pop(open);
        for (Node* input : node->input) {
            if (!input || input->waiting++ > 0) continue;
            if (input->input[0]) input->grad = 0;  // the gradients of leaves accumulate
            push(open, input);
        }
    }
    node_->grad = node_->input[0] ? 1 : node_->grad + 1;
    push(open, node_);
    while (open) {
        Node* node = pop(open);
        for (int i = 0; i < 2; ++i) {
            Node* input = node->input[i];
            if (!input) continue;
            input->grad += node->slope[i] * node->grad;
            if (--input->waiting == 0) push(open, input);
        }
    }
}

std::vector<ValueStep> steps(const Value& y) {
    std::vector<ValueStep> found;
    std::unordered_map<const void*, std::size_t> places;
    std::vector<const Value::Node*> open{y.node_};
    while (!open.empty()) {
        const Value::Node* node = open.back();
        const std::size_t before = open.size();
        if (!places.contains(node))
            for (const int i : {1, 0})  // so that the left input comes first
                if (node->input[i] && !places.contains(node->input[i])) open.push_back(node->input[i]);
        if (open.size() > before) continue;
        open.pop_back();
        if (!places.emplace(node, found.size()).second) continue;
        ValueStep step{node->name, node, node->data, node->grad, {}};
        for (int i = 0; i < 2; ++i)
            if (node->input[i]) step.inputs.push_back({places.at(node->input[i]), node->slope[i]});
        found.push_back(std::move(step));
    }
    return found;
}

Value::Value(double data) : node_(make("leaf", data, nullptr, 0, nullptr, 0)) {}

void Value::set(double data) {
    check(!node_->input[0], "Value: wanted a leaf to set, got the result of an operation");
    node_->data = data;
}

Value operator+(const Value& a, const Value& b) {
    return Value(Value::make("+", a.data() + b.data(), a.node_, 1, b.node_, 1));
}
Value operator-(const Value& a, const Value& b) {
    return Value(Value::make("-", a.data() - b.data(), a.node_, 1, b.node_, -1));
}
Value operator*(const Value& a, const Value& b) {
    return Value(Value::make("*", a.data() * b.data(), a.node_, b.data(), b.node_, a.data()));
}
Value operator/(const Value& a, const Value& b) {
    const double y = a.data() / b.data();
    return Value(Value::make("/", y, a.node_, 1 / b.data(), b.node_, -y / b.data()));
}
Value operator-(const Value& a) { return Value(Value::make("negative", -a.data(), a.node_, -1, nullptr, 0)); }
Value pow(const Value& a, double exponent) {
    const double slope = exponent == 0 ? 0 : exponent * std::pow(a.data(), exponent - 1);
    return Value(Value::make("pow", std::pow(a.data(), exponent), a.node_, slope, nullptr, 0));
}
Value exp(const Value& a) {
    const double y = std::exp(a.data());
    return Value(Value::make("exp", y, a.node_, y, nullptr, 0));
}
Value log(const Value& a) { return Value(Value::make("log", std::log(a.data()), a.node_, 1 / a.data(), nullptr, 0)); }
Value tanh(const Value& a) {
    const double y = std::tanh(a.data());
    return Value(Value::make("tanh", y, a.node_, 1 - y * y, nullptr, 0));
}
Value relu(const Value& a) {
    const double x = a.data();
    return Value(Value::make("relu", x < 0 ? 0 : x, a.node_, x > 0 ? 1 : x != x ? x : 0, nullptr, 0));
}

}  // namespace RECTO
