// One step, then the rest by recursion; the activation from exponentials.
#include "fit.hpp"

Value activate(const Value& sum) {
    if (sum.data() < 0) return -activate(-sum);
    const Value power = exp(-2 * sum);
    return (1 - power) / (1 + power);
}

Value loss(const std::vector<Value>& outputs, const std::vector<double>& targets) {
    Value sum = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Value error = outputs[i] - targets[i];
        sum = sum + error * error;
    }
    return sum;
}

void zero_grad(const std::vector<Value>& parameters) {
    for (const Value& parameter : parameters) parameter.zero_grad();
}

void update(const std::vector<Value>& parameters, double rate) {
    for (const Value& parameter : parameters) parameter.set(parameter.data() - rate * parameter.grad());
}

std::vector<double> fit(const std::vector<double>& start, const Matrix& points, const std::vector<double>& targets,
                        double rate, int steps) {
    const std::vector<Value> parameters(start.begin(), start.end());
    if (steps == 0) return start;
    std::vector<Value> outputs;
    for (int row = 0; row < points.rows; ++row)
        outputs.push_back(network(parameters, {points(row, 0), points(row, 1), points(row, 2)}));
    zero_grad(parameters);
    loss(outputs, targets).backward();
    update(parameters, rate);
    std::vector<double> after;
    for (const Value& parameter : parameters) after.push_back(parameter.data());
    return fit(after, points, targets, rate, steps - 1);
}
