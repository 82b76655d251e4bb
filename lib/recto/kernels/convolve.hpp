#pragma once
/// @file
/// The three sums behind convolution, forward and backward. Nothing else computes them.
///
/// `sim` and CUDA multiply matrices as well (convolve_columns.cpp), or, where groups are so thin that there is nothing to
/// multiply, run the definition, one element and one sum at a time. The CPU runs a faster way, chosen by the shape
/// alone. The *direct* ways keep a tile of the answer in registers and read the padded image as it lies, with pixels as
/// the lanes (convolve_direct.cpp) or channels (convolve_channels.cpp, convolve_direct_weights.cpp); *lowered* writes
/// what each output reads into the columns of a matrix and multiplies (convolve_lowered.cpp). The order of additions
/// depends on the shape alone, never on the number of threads.
#include <recto/base/shape.hpp>
#include <recto/device/device.hpp>

namespace RECTO {

/// All extents of a convolution of (batch, groups * in, size) to (batch, groups * out, result); arrays hold height and
/// width. Element `r` of the result reads elements `r * stride - padding + k * dilation` of its input, for k below
/// `kernel`; an undefined bias adds nothing.
struct Convolution {
    Index batch;                                                     ///< samples
    Index groups;                                                    ///< of channels that do not see one another
    Index in;                                                        ///< channels of a group of the input ...
    Index out;                                                       ///< ... and of the result
    Index size[2];                                                   ///< of the input
    Index kernel[2];                                                 ///< of the weights
    Index result[2];                                                 ///< of the result
    Index stride[2];                                                 ///< from one place of the kernel to the next
    Index padding[2];                                                ///< zeros on either side
    Index dilation[2];                                               ///< from one tap of the kernel to the next
    RECTO_HD Index pixels() const { return result[0] * result[1]; }  ///< of one channel of the result
    RECTO_HD Index area() const { return size[0] * size[1]; }        ///< of one channel of the input
    RECTO_HD Index taps() const { return kernel[0] * kernel[1]; }    ///< of one channel of the weights
};

/// y = x * w + bias; `w` is (groups * out, in, kernel), `bias` has groups * out numbers or is null.
void convolve(Device device, const Convolution& c, const Real* x, const Real* w, const Real* bias, Real* y);

/// dx, each element the sum over all results that read it; and the forward pass of a transposed convolution, which
/// adds a `bias` of groups * in numbers, or null.
void convolve_back(Device device, const Convolution& c, const Real* dy, const Real* w, const Real* bias, Real* dx);

/// dw, each element the sum over the batch and all pixels; and, unless it is null, db of groups * out numbers: the same
/// sums of dy alone.
void convolve_weights(Device device, const Convolution& c, const Real* x, const Real* dy, Real* dw, Real* db);

namespace detail {
/// The direct way where it pays; says whether it was taken.
bool convolve_direct(const Convolution& c, const Real* x, const Real* w, const Real* bias, Real* y);
bool convolve_channels(const Convolution& c, const Real* x, const Real* w, const Real* bias, Real* y);
bool convolve_back_direct(const Convolution& c, const Real* dy, const Real* w, const Real* bias, Real* dx);
bool convolve_weights_direct(const Convolution& c, const Real* x, const Real* dy, Real* dw, Real* db);
/// The ways of a GPU through one product for many images; they say whether they were taken.
bool convolve_columns(Device device, const Convolution& c, const Real* x, const Real* w, const Real* bias, Real* y);
bool convolve_back_columns(Device device, const Convolution& c, const Real* dy, const Real* w, const Real* bias,
                           Real* dx);
bool convolve_weights_columns(Device device, const Convolution& c, const Real* x, const Real* dy, Real* dw);
extern Index columns_at_once;  ///< as many numbers of columns as a GPU has room for
/// Is there enough to multiply? Below, the columns would only be written to be read once.
inline bool convolves_by_columns(const Convolution& c) {
    return c.out >= 4 && c.in * c.taps() >= 8 && c.batch > 0 && c.pixels() > 0 && c.area() > 0;
}
/// The way through a matrix product, for all the others.
void convolve_lowered(const Convolution& c, const Real* x, const Real* w, const Real* bias, Real* y);
void convolve_back_lowered(const Convolution& c, const Real* dy, const Real* w, const Real* bias, Real* dx);
void convolve_weights_lowered(const Convolution& c, const Real* x, const Real* dy, Real* dw);
}  // namespace detail

}  // namespace RECTO
