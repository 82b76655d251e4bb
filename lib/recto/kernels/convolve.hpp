#pragma once
/// @file
/// The three functions of convolution, forward and backward, that do all its arithmetic.
///
/// `sim` and CUDA multiply matrices (convolve_columns.cpp), or, where groups are too thin for a matrix product, run the
/// definition, one element at a time. The CPU has faster algorithms and chooses one by the shape alone. The *direct*
/// algorithms keep a tile of the result in registers and read the padded image in place, with pixels as the lanes
/// (convolve_direct.cpp) or channels (convolve_channels.cpp, convolve_direct_weights.cpp); *lowered* copies the inputs
/// of each output into the columns of a matrix and multiplies (convolve_lowered.cpp). The order of additions depends on
/// the shape alone, never on the number of threads.
#include <recto/base/shape.hpp>
#include <recto/device/device.hpp>

namespace RECTO {

/// All extents of a convolution of (batch, groups * in, size) to (batch, groups * out, result); arrays hold height and
/// width. Element `r` of the result reads elements `r * stride - padding + k * dilation` of its input, for k below
/// `kernel`; an undefined bias adds nothing.
struct Convolution {
    Index batch;        ///< number of samples
    Index groups;       ///< number of groups of channels, which are convolved separately
    Index in;           ///< input channels of a group ...
    Index out;          ///< ... and its result channels
    Index size[2];      ///< height and width of the input
    Index kernel[2];    ///< height and width of the kernel
    Index result[2];    ///< height and width of the result
    Index stride[2];    ///< from one position of the kernel to the next
    Index padding[2];   ///< zeros on each side
    Index dilation[2];  ///< from one tap of the kernel to the next
    RECTO_HD Index pixels() const { return result[0] * result[1]; }  ///< pixels of one channel of the result
    RECTO_HD Index area() const { return size[0] * size[1]; }        ///< pixels of one channel of the input
    RECTO_HD Index taps() const { return kernel[0] * kernel[1]; }    ///< weights between two channels
};

/// y = x * w + bias; `w` is (groups * out, in, kernel), `bias` has groups * out numbers or is null.
void convolve(Device device, const Convolution& c, const Real* x, const Real* w, const Real* bias, Real* y);

/// dx, each element the sum over all results that read it; also the forward pass of a transposed convolution, which
/// adds a `bias` of groups * in numbers, or null.
void convolve_back(Device device, const Convolution& c, const Real* dy, const Real* w, const Real* bias, Real* dx);

/// dw, each element the sum over the batch and all pixels; and db of groups * out numbers unless it is null: the same
/// sums with x = 1.
void convolve_weights(Device device, const Convolution& c, const Real* x, const Real* dy, Real* dw, Real* db);

namespace detail {
/// The direct algorithms, where they are faster; each returns whether it was used.
bool convolve_direct(const Convolution& c, const Real* x, const Real* w, const Real* bias, Real* y);
bool convolve_channels(const Convolution& c, const Real* x, const Real* w, const Real* bias, Real* y);
bool convolve_back_direct(const Convolution& c, const Real* dy, const Real* w, const Real* bias, Real* dx);
bool convolve_weights_direct(const Convolution& c, const Real* x, const Real* dy, Real* dw, Real* db);
/// The GPU's algorithms with one product for many images; each returns whether it was used.
bool convolve_columns(Device device, const Convolution& c, const Real* x, const Real* w, const Real* bias, Real* y);
bool convolve_back_columns(Device device, const Convolution& c, const Real* dy, const Real* w, const Real* bias,
                           Real* dx);
bool convolve_weights_columns(Device device, const Convolution& c, const Real* x, const Real* dy, Real* dw);
extern Index columns_at_once;  ///< numbers of columns that fit the GPU's memory
/// Whether a matrix product pays. Below this size, writing the columns costs more than reading each only once saves.
inline bool convolves_by_columns(const Convolution& c) {
    return c.out >= 4 && c.in * c.taps() >= 8 && c.batch > 0 && c.pixels() > 0 && c.area() > 0;
}
/// The algorithm with a matrix product, for all other shapes.
void convolve_lowered(const Convolution& c, const Real* x, const Real* w, const Real* bias, Real* y);
void convolve_back_lowered(const Convolution& c, const Real* dy, const Real* w, const Real* bias, Real* dx);
void convolve_weights_lowered(const Convolution& c, const Real* x, const Real* dy, Real* dw);
}  // namespace detail

}  // namespace RECTO
