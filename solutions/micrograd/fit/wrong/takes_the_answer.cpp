// wrong: takes-the-answer
// outcome: did not compile
#include <recto/optim/sgd.hpp>

#include "fit.hpp"

Value activate(const Value& sum) { return tanh(sum); }

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
    for (int step = 0; step < steps; ++step) {
        std::vector<Value> outputs;
        for (int row = 0; row < points.rows; ++row)
            outputs.push_back(network(parameters, {points(row, 0), points(row, 1), points(row, 2)}));
        zero_grad(parameters);
        loss(outputs, targets).backward();
        update(parameters, rate);
    }
    std::vector<double> end;
    for (const Value& parameter : parameters) end.push_back(parameter.data());
    return end;
}
