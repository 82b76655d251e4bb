// wrong: takes-the-answer
// outcome: did not compile
#include <recto/autograd/value.hpp>

#include "value.hpp"

Value operator-(const Value& a) {
    const recto::Value x = a.data();
    const recto::Value y = -x;
    y.backward();
    return Value(y.data(), {a.node}, [slope = x.grad()](Value::Node& y) { y.inputs[0]->grad += slope * y.grad; });
}
