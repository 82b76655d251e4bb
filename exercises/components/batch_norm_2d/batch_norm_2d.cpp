#include "batch_norm_2d.hpp"

#include <cmath>

#include "not_written.hpp"

Maps forward(BatchNorm& norm, const Maps& x) {
    Maps y(x.batch, x.channels, x.height, x.width);
    (void)norm;
    not_written("forward");
    return y;
}

Convolution fold(const Convolution& conv, const BatchNorm& norm) {
    Convolution both = conv;
    (void)norm;
    not_written("fold");
    return both;
}
