#pragma once
/// @file
/// The tape for single numbers, in the manner of Karpathy's micrograd: all of backpropagation on one page.
///
///     Value a = -4, b = 2;
///     Value c = a * b + pow(b, 3);
///     c.backward();   // a.grad() is dc/da, b.grad() is dc/db
#include <cstdint>
#include <utility>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO {

/// One number of a computation, for those who draw or count it.
struct ValueStep {
    /// What it was computed from.
    struct Input {
        std::size_t step;  ///< its place in the list
        double slope;      ///< d this / d input
    };
    const char* name;           ///< the operation, or `leaf`
    const void* id;             ///< the same as that of its Value
    double data;                ///< the number
    double grad;                ///< what backward() left
    std::vector<Input> inputs;  ///< none, one or two
};

/// A number that remembers what it was computed from. Always double, as numbers are in micrograd. Copies are the
/// same number. Values that hang together belong to one thread.
class Value {
public:
    Value(double data = 0);  ///< A leaf: an input, a parameter or a constant.

    double data() const { return node_->data; }  ///< The number.
    double grad() const { return node_->grad; }  ///< What backward() left: d result / d this.

    /// Changes a parameter; what was computed from it before stays as it was. @throws Error unless it is a leaf
    void set(double data);
    void zero_grad() const { node_->grad = 0; }  ///< Forgets the gradient.
    const void* id() const { return node_; }     ///< Which number this is: copies have the same.

    /// Sets the gradient of everything this was computed from. Those of leaves add up from call to call.
    void backward() const;

    Value(const Value& other) : node_(other.node_) { ++node_->uses; }              ///< The same number.
    Value(Value&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}  ///< The same number.
    Value& operator=(Value other) noexcept {
        return std::swap(node_, other.node_), *this;
    }  ///< Becomes another number.
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
    friend Value relu(const Value& a);                       ///< max(a, 0); NaN stays, the slope at 0 is taken as 0.

    /// Everything that `y` was computed from and `y` itself, each once, inputs before results.
    friend std::vector<ValueStep> steps(const Value& y);

    Value& operator+=(const Value& b) { return *this = *this + b; }  ///< Becomes a new number, the sum.
    Value& operator-=(const Value& b) { return *this = *this - b; }  ///< Becomes a new number, the difference.
    Value& operator*=(const Value& b) { return *this = *this * b; }  ///< Becomes a new number, the product.
    Value& operator/=(const Value& b) { return *this = *this / b; }  ///< Becomes a new number, the quotient.

private:
    /// One step of a computation. All operations have at most two inputs, and what their rules need is known at once:
    /// the slopes. So the backward pass is one multiplication for each input, whatever the operation was.
    struct Node {
        double data, grad;
        Node* input[2];         // null where there is none
        double slope[2];        // d data / d input
        Node* next;             // links nodes that wait: to be visited, to be destroyed, to be used again
        std::uint32_t uses;     // by Values and by nodes computed from this one
        std::uint32_t waiting;  // during backward(): uses that have not handed their gradient on yet
        const char* name;
    };
    static Node* make(const char* name, double data, Node* a, double slope_a, Node* b, double slope_b);
    static void bury(Node* node);
    explicit Value(Node* node) : node_(node) {}

    Node* node_;
};

}  // namespace RECTO
