// tanh from exponentials, the loss as a tree, and new Values in each step.
#include "fit.hpp"

// tanh from exponentials whose arguments are never positive, so that none overflows.
Value activate(const Value& sum) {
    const bool negative = sum.data() < 0;
    const Value shrunk = exp(negative ? 2 * sum : -2 * sum);
    const Value bent = (1 - shrunk) / (1 + shrunk);
    return negative ? -bent : bent;
}

// output squared - 2 output target + target squared, pair by pair of a tree.
static Value part(const std::vector<Value>& outputs, const std::vector<double>& targets, std::size_t first, std::size_t last) {
    if (first == last) return 0;
    if (last - first == 1) return (outputs[first] - targets[first]) * (outputs[first] - targets[first]);
    const std::size_t middle = first + (last - first) / 2;
    return part(outputs, targets, first, middle) + part(outputs, targets, middle, last);
}

Value loss(const std::vector<Value>& outputs, const std::vector<double>& targets) {
    return part(outputs, targets, 0, outputs.size());
}

void zero_grad(const std::vector<Value>& parameters) {
    for (auto p = parameters.begin(); p != parameters.end(); ++p) p->zero_grad();
}

void update(const std::vector<Value>& parameters, double rate) {
    for (const Value p : parameters) {  // a copy of a Value is the same number
        const double step = rate * p.grad();
        p.set(p.data() - step);
    }
}

std::vector<double> fit(const std::vector<double>& start, const Matrix& points, const std::vector<double>& targets,
                        double rate, int steps) {
    std::vector<double> now = start;
    for (int step = 0; step < steps; ++step) {
        const std::vector<Value> parameters(now.begin(), now.end());
        std::vector<Value> outputs;
        for (int row = 0; row < points.rows; ++row) {
            std::vector<double> x;
            for (int col = 0; col < points.cols; ++col) x.push_back(points(row, col));
            outputs.push_back(network(parameters, x));
        }
        loss(outputs, targets).backward();
        update(parameters, rate);
        for (std::size_t i = 0; i < now.size(); ++i) now[i] = parameters[i].data();
    }
    return now;
}
