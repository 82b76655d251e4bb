#include "fit.hpp"

#include "not_written.hpp"

Value activate(const Value& sum) {
    not_written("activate");
    return sum;
}

Value loss(const std::vector<Value>& outputs, const std::vector<double>& targets) {
    not_written("loss");
    return 0;
}

void zero_grad(const std::vector<Value>& parameters) { not_written("zero_grad"); }

void update(const std::vector<Value>& parameters, double rate) { not_written("update"); }

std::vector<double> fit(const std::vector<double>& start, const Matrix& points, const std::vector<double>& targets,
                        double rate, int steps) {
    const std::vector<Value> parameters(start.begin(), start.end());  // a Value of its own for each number
    not_written("fit");
    return start;
}
