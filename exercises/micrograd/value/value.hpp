#pragma once
// A number that records what it was computed from. You write the functions that are only declared here.
#include <cmath>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

class Value {
public:
    // The node that a Value points to. Copies of a Value are the same number: they point to the same node.
    struct Node {
        double data = 0;                                 // the number
        double grad = 0;                                 // d result / d data, after backward()
        std::vector<std::shared_ptr<Node>> inputs = {};  // what it was computed from; none for a leaf
        std::function<void(Node& self)> hand_on = {};  // adds self.grad's contributions to the gradients of the inputs

        Node() = default;
        Node(const Node&) = delete;
        Node& operator=(const Node&) = delete;
        ~Node();
    };

    // A leaf: an input, a parameter or a constant.
    Value(double data = 0) : node(std::make_shared<Node>()) { node->data = data; }
    // The result of an operation.
    Value(double data, std::vector<std::shared_ptr<Node>> inputs, std::function<void(Node&)> hand_on) : Value(data) {
        node->inputs = std::move(inputs);
        node->hand_on = std::move(hand_on);
    }

    double data() const { return node->data; }
    double grad() const { return node->grad; }

    // Sets the gradient of this number to 0.
    void zero_grad() const;

    // Computes the gradients of everything that this number was computed from. The gradients of leaves accumulate from
    // call to call; the gradients of results belong to the last call alone.
    void backward() const;

    std::shared_ptr<Node> node;
};

Value operator-(const Value& a);
Value operator+(const Value& a, const Value& b);
Value operator-(const Value& a, const Value& b);
Value operator*(const Value& a, const Value& b);
Value operator/(const Value& a, const Value& b);
Value pow(const Value& a, double exponent);  // the exponent is a constant; pow(a, 0) has derivative 0 everywhere
Value exp(const Value& a);
Value tanh(const Value& a);
Value relu(const Value& a);  // max(a, 0); the derivative at 0 is 0; relu of NaN is NaN

// Frees long chains in a loop: if every node freed its inputs recursively, the stack would overflow.
inline Value::Node::~Node() {
    std::vector<std::shared_ptr<Node>> dying = std::move(inputs);
    hand_on = nullptr;
    while (!dying.empty()) {
        const std::shared_ptr<Node> one = std::move(dying.back());
        dying.pop_back();
        if (one.use_count() > 1) continue;
        for (auto& input : one->inputs) dying.push_back(std::move(input));
        one->inputs.clear();
        one->hand_on = nullptr;
    }
}
