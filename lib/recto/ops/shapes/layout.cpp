#include <recto/ops/shapes/layout.hpp>

#include <recto/ops/shapes/views.hpp>

namespace RECTO {

Tensor channels_last(const Tensor& images) {
    check(images.dim() >= 3, "channels_last: wanted (..., channels, height, width), got shape {}", images.shape());
    return contiguous(transpose(transpose(images, -3, -2), -2, -1));
}
Tensor channels_first(const Tensor& images) {
    check(images.dim() >= 3, "channels_first: wanted (..., height, width, channels), got shape {}", images.shape());
    return contiguous(transpose(transpose(images, -2, -1), -3, -2));
}
Tensor time_last(const Tensor& series) {
    check(series.dim() >= 2, "time_last: wanted (..., time, features), got shape {}", series.shape());
    return contiguous(transpose(series));
}
Tensor time_first(const Tensor& series) {
    check(series.dim() >= 2, "time_first: wanted (..., features, time), got shape {}", series.shape());
    return contiguous(transpose(series));
}

}  // namespace RECTO
