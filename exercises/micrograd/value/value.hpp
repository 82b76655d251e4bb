#pragma once
// A number that remembers what it was computed from. You write what is only declared here.
#include <cmath>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

class Value {
public:
    // What a Value points to. Copies of a Value are the same number: they point to the same node.
    struct Node {
        double data = 0;                                 // the number
        double grad = 0;                                 // d result / d data, after backward()
        std::vector<std::shared_ptr<Node>> inputs = {};  // what it was computed from; none for a leaf
        std::function<void(Node& self)> hand_on = {};  // adds to the gradients of the inputs what self.grad gives them

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

    // Forgets the gradient of this number.
    void zero_grad() const;

    // Sets the gradients of everything that this number was computed from. Those of leaves add up from call to call;
    // those of results are about the last call alone.
    void backward() const;

    std::shared_ptr<Node> node;
};

Value operator-(const Value& a);
Value operator+(const Value& a, const Value& b);
Value operator-(const Value& a, const Value& b);
Value operator*(const Value& a, const Value& b);
Value operator/(const Value& a, const Value& b);
Value pow(const Value& a, double exponent);  // the exponent is a constant; pow(a, 0) has slope 0 everywhere
Value exp(const Value& a);
Value tanh(const Value& a);
Value relu(const Value& a);  // max(a, 0); the slope at 0 is 0; of no number it gives no number

// Takes long chains apart in a loop: if every node freed its inputs by itself, the stack would overflow.
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
