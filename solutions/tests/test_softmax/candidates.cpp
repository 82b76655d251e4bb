// The candidates of a test for softmax. judge.py says which of these are right and describes them for the student.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "candidates.hpp"

namespace {

using Row = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

double carried = 0;  // what one implementation keeps from call to call

void forget() { carried = 0; }

// Applies f to every row.
template <class F>
Matrix by_rows(const Matrix& x, F f) {
    Matrix y(x.rows, x.cols);
    for (int row = 0; row < x.rows; ++row) {
        Row values(std::size_t(x.cols));
        for (int col = 0; col < x.cols; ++col) values[std::size_t(col)] = x(row, col);
        values = f(values);
        for (int col = 0; col < x.cols; ++col) y(row, col) = values[std::size_t(col)];
    }
    return y;
}

double largest(const Row& x) { return x.empty() ? 0 : *std::max_element(x.begin(), x.end()); }

// exp(x - shift), divided by the sum.
Row shifted(const Row& x, double shift) {
    Row y;
    double sum = 0;
    for (const double value : x) sum += y.emplace_back(std::exp(value - shift));
    for (double& value : y) value /= sum;
    return y;
}

Row plain(const Row& x) { return shifted(x, largest(x)); }

Row from_the_back(const Row& x) {
    Row y(x.rbegin(), x.rend());
    y = shifted(y, largest(y));
    std::reverse(y.begin(), y.end());
    return y;
}

Row long_double(const Row& x) {
    const long double top = largest(x);
    long double sum = 0;
    for (const double value : x) sum += std::exp(value - top);
    Row y;
    for (const double value : x) y.push_back(double(std::exp(value - top) / sum));
    return y;
}

Row ratios(const Row& x) {
    Row y;
    for (const double mine : x) {
        double sum = 0;
        for (const double other : x) sum += other == mine ? 1 : std::exp(other - mine);
        y.push_back(std::isinf(mine) ? 0 : 1 / sum);
    }
    return y;
}

Row in_one_pass(const Row& x, bool careful) {
    double top = careful || x.empty() ? -infinity : x[0], sum = 0;
    for (const double value : x) {
        if (careful && std::isinf(value)) continue;
        if (value > top) {
            sum *= std::exp(top - value);
            top = value;
        }
        sum += std::exp(value - top);
    }
    Row y;
    for (const double value : x) y.push_back(std::exp(value - top) / sum);
    return y;
}

Row streaming(const Row& x) { return in_one_pass(x, true); }

Row careless_streaming(const Row& x) { return in_one_pass(x, false); }

Row through_the_logarithm(const Row& x) {
    const double top = largest(x);
    double sum = 0;
    for (const double value : x) sum += std::exp(value - top);
    Row y;
    for (const double value : x) y.push_back(std::exp(value - top - std::log(sum)));
    return y;
}

Row even_when_nothing_is_left(const Row& x) {
    return std::isinf(largest(x)) ? Row(x.size(), 1 / double(x.size())) : plain(x);
}

Row strict(const Row& x) {
    if (x.empty()) return x;
    for (const double value : x)
        if (std::isnan(value)) throw std::invalid_argument("softmax: a NaN");
    if (std::isinf(largest(x))) throw std::invalid_argument("softmax: a row without a finite number");
    return plain(x);
}

Row rounded(const Row& x) {
    Row y = plain(x);
    for (double& value : y) value = std::round(value * 1e13) / 1e13;
    return y;
}

Row below_the_maximum(const Row& x) { return shifted(x, largest(x) - 3); }

Row no_sum(const Row& x) {
    Row y;
    for (const double value : x) y.push_back(std::exp(value - largest(x)));
    return y;
}

Row negated(const Row& x) {
    Row y;
    for (const double value : x) y.push_back(std::isinf(value) ? value : -value);
    return plain(y);
}

Row one_hot(const Row& x) {
    Row y(x.size(), 0);
    if (!y.empty()) y[std::size_t(std::max_element(x.begin(), x.end()) - x.begin())] = 1;
    return y;
}

Row sorted(const Row& x) {
    Row y = x;
    std::sort(y.begin(), y.end());
    return plain(y);
}

Row without_the_last(const Row& x) {
    double sum = 0;
    const double top = largest(x);
    for (std::size_t col = 0; col + 1 < x.size(); ++col) sum += std::exp(x[col] - top);
    if (x.size() == 1) sum = 1;
    Row y;
    for (const double value : x) y.push_back(std::exp(value - top) / sum);
    return y;
}

Row single_precision(const Row& x) {
    const double top = largest(x);
    float sum = 0;
    for (const double value : x) sum += std::exp(float(value - top));
    Row y;
    for (const double value : x) y.push_back(double(std::exp(float(value - top)) / sum));
    return y;
}

Row by_a_power(const Row& x) {
    const double top = largest(x);
    Row y;
    double sum = 0;
    for (const double value : x) sum += y.emplace_back(std::pow(std::max(0.0, 1 + (value - top) / 65536), 65536));
    for (double& value : y) value /= sum;
    return y;
}

Row guarded(const Row& x) {
    Row y = no_sum(x);
    double sum = 1e-8;
    for (const double value : y) sum += value;
    for (double& value : y) value /= sum;
    return y;
}

Row no_maximum(const Row& x) { return shifted(x, 0); }

Row clamped(const Row& x) {
    Row y = x;
    for (double& value : y) value = std::isinf(value) ? value : std::clamp(value, -700.0, 700.0);
    return plain(y);
}

Row without_nan(const Row& x) {
    Row y = shifted(x, 0);
    for (double& value : y) value = std::isnan(value) ? 0 : value;
    return y;
}

Row from_zero(const Row& x) { return shifted(x, std::max(0.0, largest(x))); }

Row excluded_is_small(const Row& x) {
    Row y = x;
    for (double& value : y) value = std::isinf(value) ? largest(x) - 10 : value;
    return plain(y);
}

Matrix turned(const Matrix& x) {
    Matrix y(x.cols, x.rows);
    for (int row = 0; row < x.rows; ++row)
        for (int col = 0; col < x.cols; ++col) y(col, row) = x(row, col);
    return y;
}

Matrix over_all(const Matrix& x) {
    Matrix y(x.rows, x.cols);
    y.numbers = plain(x.numbers);
    return y;
}

Matrix first_row(const Matrix& x) {
    Matrix y = by_rows(x, plain);
    for (int row = 1; row < x.rows; ++row)
        for (int col = 0; col < x.cols; ++col) y(row, col) = y(0, col);
    return y;
}

// Takes the number of rows for the length of a row.
Matrix for_squares(const Matrix& x) {
    Matrix y(x.rows, x.cols);
    const int count = x.rows * x.cols;
    for (int row = 0; row < x.rows; ++row) {
        Row values;
        for (int col = 0; col < x.cols; ++col) values.push_back(x.numbers[std::size_t((row * x.rows + col) % count)]);
        values = plain(values);
        for (int col = 0; col < x.cols; ++col) y(row, col) = values[std::size_t(col)];
    }
    return y;
}

Matrix one_maximum(const Matrix& x) {
    return by_rows(x, [top = largest(x.numbers)](const Row& row) { return shifted(row, top); });
}

Matrix remembers(const Matrix& x) {
    return by_rows(x, [](const Row& row) {
        Row y = no_sum(row);
        for (const double value : y) carried += value;
        for (double& value : y) value /= carried;
        return y;
    });
}

Matrix swapped_sizes(const Matrix& x) {
    Matrix y = by_rows(x, plain);
    std::swap(y.rows, y.cols);
    return y;
}

Matrix row_too_many(const Matrix& x) {
    Matrix y = by_rows(x, plain);
    ++y.rows;
    y.numbers.resize(std::size_t(y.rows) * std::size_t(y.cols), 0);
    return y;
}

struct Numbered {
    int number;
    Matrix (*softmax)(const Matrix& x);
};

// A candidate that looks at one row at a time.
template <Row (*f)(const Row& x)>
Matrix rows(const Matrix& x) {
    return by_rows(x, f);
}

const Numbered candidates[] = {
    {1, rows<plain>},
    {2, rows<from_the_back>},
    {3, rows<long_double>},
    {4, rows<ratios>},
    {5, rows<streaming>},
    {6, rows<through_the_logarithm>},
    {7, rows<even_when_nothing_is_left>},
    {8, rows<strict>},
    {9, rows<below_the_maximum>},
    {10, rows<rounded>},
    {11, rows<no_sum>},
    {12, [](const Matrix& x) { return turned(by_rows(turned(x), plain)); }},
    {13, over_all},
    {14, rows<negated>},
    {15, rows<one_hot>},
    {16, [](const Matrix& x) { return Matrix(x.rows, x.cols, 1.0 / std::max(1, x.cols)); }},
    {17, rows<sorted>},
    {18, first_row},
    {19, rows<without_the_last>},
    {20, for_squares},
    {21, rows<single_precision>},
    {22, rows<by_a_power>},
    {23, rows<guarded>},
    {24, rows<no_maximum>},
    {25, rows<clamped>},
    {26, rows<without_nan>},
    {27, rows<from_zero>},
    {28, one_maximum},
    {29, rows<excluded_is_small>},
    {30, rows<careless_streaming>},
    {31, [](const Matrix& x) { return x.cols == 1 ? x : by_rows(x, plain); }},
    {32,
     [](const Matrix& x) { return x.rows == 0 ? throw std::invalid_argument("softmax: no rows") : by_rows(x, plain); }},
    {33, [](const Matrix& x) { return x.cols == 0 ? Matrix() : by_rows(x, plain); }},
    {34, swapped_sizes},
    {35, row_too_many},
    {36, remembers},
};

const Numbered& candidate(int number) {
    for (const Numbered& each : candidates)
        if (each.number == number) return each;
    throw std::invalid_argument("softmax: there is no candidate " + std::to_string(number));
}

const Numbered* chosen = nullptr;

Matrix softmax(const Matrix& x) { return chosen->softmax(x); }
const kit::Function softmax_("softmax", softmax);

}  // namespace

void kit::choose(int number) {
    chosen = &candidate(number);
    forget();
}
