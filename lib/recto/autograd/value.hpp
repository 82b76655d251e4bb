#pragma once
/// @file
/// A tape for scalars, after Karpathy's micrograd: all of backpropagation on one page.
///
///     Value a = -4, b = 2;
///     Value c = a * b + pow(b, 3);
///     c.backward();   // a.grad() is dc/da, b.grad() is dc/db
#include <cstdint>
#include <utility>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO {

/// One scalar of a computation, for code that draws or counts the steps.
struct ValueStep {
    /// An input of this step.
    struct Input {
        std::size_t step;  ///< the input's index in the list
        double slope;      ///< the local derivative, d this / d input
    };
    const char* name;           ///< the operation, or `leaf`
    const void* id;             ///< the id() of its Value
    double data;                ///< the number
    double grad;                ///< the gradient that backward() left
    std::vector<Input> inputs;  ///< none, one or two
};

/// A scalar that records what it was computed from. Always double, as in micrograd. Copies refer to the same node.
/// Values of one computation belong to one thread.
class Value {
public:
    Value(double data = 0);  ///< A leaf: an input, a parameter or a constant.

    double data() const { return node_->data; }  ///< The number.
    double grad() const { return node_->grad; }  ///< The gradient that backward() left: d result / d this.

    /// Changes a parameter; values already computed from it keep their data. @throws Error unless it is a leaf
    void set(double data);
    void zero_grad() const { node_->grad = 0; }  ///< Sets the gradient to 0.
    const void* id() const { return node_; }     ///< Identifies the node: copies have the same id.

    /// The backward pass: sets the gradients of all values that this one was computed from. Gradients of leaves
    /// accumulate from call to call.
    void backward() const;

    Value(const Value& other) : node_(other.node_) { ++node_->uses; }              ///< The same node.
    Value(Value&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}  ///< The same node.
    Value& operator=(Value other) noexcept {
        return std::swap(node_, other.node_), *this;
    }  ///< Refers to another node.
    ~Value() {
        if (node_ && --node_->uses == 0) bury(node_);
    }

    friend Value operator+(const Value& a, const Value& b);  ///< a + b.
    friend Value operator-(const Value& a, const Value& b);  ///< a - b.
    friend Value operator*(const Value& a, const Value& b);  ///< a b.
    friend Value operator/(const Value& a, const Value& b);  ///< a / b.
    friend Value operator-(const Value& a);                  ///< -a.
    friend Value pow(const Value& a, double exponent);       ///< a to a constant power.
    friend Value exp(const Value& a);                        ///< e to the a.
    friend Value log(const Value& a);                        ///< Natural logarithm; -inf at 0, NaN below.
    friend Value tanh(const Value& a);                       ///< Hyperbolic tangent.
    friend Value relu(const Value& a);                       ///< max(a, 0); NaN stays NaN; the derivative at 0 is 0.

    /// All values that `y` was computed from and `y` itself, each once, inputs before results.
    friend std::vector<ValueStep> steps(const Value& y);

    Value& operator+=(const Value& b) { return *this = *this + b; }  ///< Becomes a new node, the sum.
    Value& operator-=(const Value& b) { return *this = *this - b; }  ///< Becomes a new node, the difference.
    Value& operator*=(const Value& b) { return *this = *this * b; }  ///< Becomes a new node, the product.
    Value& operator/=(const Value& b) { return *this = *this / b; }  ///< Becomes a new node, the quotient.

private:
    /// One step of a computation. All operations have at most two inputs, and the forward pass already knows their
    /// local derivatives. So the backward pass is one multiplication for each input, for every operation.
    struct Node {
        double data, grad;
        Node* input[2];         // null where an input is missing
        double slope[2];        // d data / d input
        Node* next;             // links nodes that wait to be visited, destroyed or reused
        std::uint32_t uses;     // by Values and by nodes computed from this one
        std::uint32_t waiting;  // during backward(): uses that have not passed their gradient on yet
        const char* name;
    };
    static Node* make(const char* name, double data, Node* a, double slope_a, Node* b, double slope_b);
    static void bury(Node* node);
    explicit Value(Node* node) : node_(node) {}

    Node* node_;
};

}  // namespace RECTO
