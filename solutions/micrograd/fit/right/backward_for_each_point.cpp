// Goes backward for each point by itself and steps once.
#include "fit.hpp"

Value activate(const Value& sum) { return tanh(sum); }

Value loss(const std::vector<Value>& outputs, const std::vector<double>& targets) {
    Value whole;
    auto target = targets.begin();
    for (const Value& output : outputs) whole = pow(output - *target++, 2) + whole;
    return whole;
}

void zero_grad(const std::vector<Value>& parameters) {
    for (std::size_t i = parameters.size(); i-- > 0;) parameters[i].zero_grad();
}

void update(const std::vector<Value>& parameters, double rate) {
    for (const Value& p : parameters) p.set(p.data() + p.grad() * -rate);
}

// The gradients of the points add up by themselves: each point goes backward alone, and the step comes after the last.
std::vector<double> fit(const std::vector<double>& start, const Matrix& points, const std::vector<double>& targets,
                        double rate, int steps) {
    std::vector<Value> parameters(start.begin(), start.end());
    while (steps-- > 0) {
        for (int n = points.rows - 1; n >= 0; --n) {
            const Value output = network(parameters, {points(n, 0), points(n, 1), points(n, 2)});
            loss({output}, {targets[std::size_t(n)]}).backward();
        }
        update(parameters, rate);
        zero_grad(parameters);
    }
    std::vector<double> end(parameters.size());
    for (std::size_t i = 0; i < end.size(); ++i) end[i] = parameters[i].data();
    return end;
}
