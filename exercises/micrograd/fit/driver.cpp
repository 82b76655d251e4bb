#include "driver.hpp"
#include "fit.hpp"

#include <stdexcept>

Value network(const std::vector<Value>& parameters, const std::vector<double>& x) {
    if (parameters.size() != 41 || x.size() != 3)
        throw std::invalid_argument("network: takes 41 parameters and 3 inputs");
    std::vector<Value> y(x.begin(), x.end());
    auto parameter = parameters.begin();
    for (const int outputs : {4, 4, 1}) {
        std::vector<Value> next;
        for (int i = 0; i < outputs; ++i) {
            Value sum = 0;
            for (const Value& input : y) sum = sum + *parameter++ * input;
            next.push_back(activate(sum + *parameter++));
        }
        y = next;
    }
    return y[0];
}

namespace {

std::vector<Value> values(const std::vector<double>& numbers) { return {numbers.begin(), numbers.end()}; }

// Parameters that have these gradients.
std::vector<Value> with_gradients(const std::vector<double>& numbers, const std::vector<double>& gradients) {
    const auto parameters = values(numbers);
    Value sum;
    for (std::size_t i = 0; i < parameters.size(); ++i) sum = sum + parameters[i] * gradients[i];
    sum.backward();
    return parameters;
}

std::pair<double, double> activation(double sum) {
    const Value x = sum;
    const Value y = activate(x);
    y.backward();
    return {y.data(), x.grad()};
}

std::pair<double, std::vector<double>> loss_of(const std::vector<double>& outputs, const std::vector<double>& targets) {
    const auto y = values(outputs);
    const Value sum = loss(y, targets);
    sum.backward();
    std::vector<double> gradients;
    for (const Value& output : y) gradients.push_back(output.grad());
    return {sum.data(), gradients};
}

std::vector<double> zeroed(const std::vector<double>& numbers, const std::vector<double>& gradients) {
    const auto parameters = with_gradients(numbers, gradients);
    zero_grad(parameters);
    std::vector<double> left;
    for (const Value& parameter : parameters) left.push_back(parameter.grad());
    return left;
}

std::vector<double> updated(const std::vector<double>& numbers, const std::vector<double>& gradients, double rate) {
    const auto parameters = with_gradients(numbers, gradients);
    update(parameters, rate);
    std::vector<double> after;
    for (const Value& parameter : parameters) after.push_back(parameter.data());
    return after;
}

const kit::Function activation_("activate", activation), loss_("loss", loss_of), zeroed_("zero_grad", zeroed),
    updated_("update", updated), fit_("fit", fit);

}  // namespace
