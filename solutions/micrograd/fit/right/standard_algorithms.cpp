// Standard algorithms instead of loops.
#include "fit.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

Value activate(const Value& sum) { return tanh(sum); }

Value loss(const std::vector<Value>& outputs, const std::vector<double>& targets) {
    return std::inner_product(outputs.begin(), outputs.end(), targets.begin(), Value(0), std::plus<>(),
                              [](const Value& output, const Value& target) {
                                  const Value error = target - output;
                                  return error * error;
                              });
}

void zero_grad(const std::vector<Value>& parameters) {
    std::for_each(parameters.begin(), parameters.end(), [](const Value& p) { p.zero_grad(); });
}

void update(const std::vector<Value>& parameters, double rate) {
    std::for_each(parameters.begin(), parameters.end(), [rate](const Value& p) { p.set(p.data() - rate * p.grad()); });
}

std::vector<double> fit(const std::vector<double>& start, const Matrix& points, const std::vector<double>& targets,
                        double rate, int steps) {
    std::vector<Value> parameters;
    std::copy(start.begin(), start.end(), std::back_inserter(parameters));
    std::vector<int> rows(std::size_t(points.rows));
    std::iota(rows.begin(), rows.end(), 0);
    for (int step = steps; step != 0; --step) {
        zero_grad(parameters);
        std::vector<Value> outputs;
        std::transform(rows.begin(), rows.end(), std::back_inserter(outputs), [&](int row) {
            const auto first = points.numbers.begin() + 3 * row;
            return network(parameters, std::vector<double>(first, first + 3));
        });
        loss(outputs, targets).backward();
        update(parameters, rate);
    }
    std::vector<double> end;
    std::transform(parameters.begin(), parameters.end(), std::back_inserter(end), [](const Value& p) { return p.data(); });
    return end;
}
