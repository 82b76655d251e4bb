#include "keepdim.hpp"

#include <stdexcept>

#include "not_written.hpp"

Tensor divide(const Tensor& a, const Tensor& b) {
    Tensor y;
    // Find the common shape, fill the numbers, and delete the next line.
    not_written("divide");
    return y;
}

Tensor row_sums(const Tensor& p, bool keepdim) {
    not_written("row_sums");
    return p;
}

Tensor normalize_rows(const Tensor& p) {
    not_written("normalize_rows");
    return p;
}

Tensor trapped(const Tensor& p) {
    not_written("trapped");
    return p;
}
