#include <recto/classic/fourier.hpp>

#include <bit>
#include <cmath>
#include <numbers>

#include <recto/base/check.hpp>
#include <recto/core/integers.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::classic {

using std::numbers::pi;

namespace {

bool power_of_two(Index n) { return n >= 1 && std::has_single_bit(std::size_t(n)); }

// The factors e^(-pi i k / done) for k < done, one for each frequency of the smaller transforms.
Complex factors(Index done, Device device) {
    std::vector<Real> re, im;
    for (Index k = 0; k < done; ++k) {
        const double angle = -pi * double(k) / double(done);
        re.push_back(Real(std::cos(angle))), im.push_back(Real(std::sin(angle)));
    }
    return {Tensor({done, 1, 1}, re, device), Tensor({done, 1, 1}, im, device)};
}

// The transform along the first axis of (N, rows).
Complex transform(const Complex& x) {
    const Index n = x.re.size(0), rows = x.re.size(1);
    Tensor re = reshape(x.re, {1, n, rows}), im = reshape(x.im, {1, n, rows});
    for (Index done = 1; done < n; done *= 2) {
        // (done, n / done, rows): column j holds the transform of the `done` numbers j, j + n / done, ...
        const Index half = n / done / 2;
        const Complex turn = factors(done, x.re.device());
        const Tensor even_re = slice(re, 1, 0, half), even_im = slice(im, 1, 0, half);
        const Tensor odd_re = slice(re, 1, half, 2 * half), odd_im = slice(im, 1, half, 2 * half);
        const Tensor turned_re = odd_re * turn.re - odd_im * turn.im;
        const Tensor turned_im = odd_re * turn.im + odd_im * turn.re;
        re = concat({even_re + turned_re, even_re - turned_re});
        im = concat({even_im + turned_im, even_im - turned_im});
    }
    return {reshape(re, {n, rows}), reshape(im, {n, rows})};
}

// (..., N) to (N, rows), and the last axis.
Tensor columns(const Tensor& x) {
    check(x.dim() >= 1 && power_of_two(x.size(-1)), "fourier: wanted rows of a power of two, got shape {}", x.shape());
    return transpose(reshape(x, {x.numel() / x.size(-1), x.size(-1)}));
}

Shape with_last(const Tensor& x, Index last) {
    std::vector<Index> extents;
    for (int axis = 0; axis + 1 < x.dim(); ++axis) extents.push_back(x.size(axis));
    extents.push_back(last);
    return Shape(extents);
}

}  // namespace

Complex fourier(const Complex& x) {
    check(x.re.shape() == x.im.shape(), "fourier: wanted real and imaginary parts of one shape, got {} and {}",
          x.re.shape(), x.im.shape());
    const Complex y = transform({columns(x.re), columns(x.im)});
    return {reshape(transpose(y.re), x.re.shape()), reshape(transpose(y.im), x.re.shape())};
}

Complex fourier(const Tensor& x) { return fourier({x, zeros(x.shape(), x.device())}); }

Tensor power_spectrum(const Tensor& x) {
    const Tensor all = columns(x);
    const Index n = all.size(0), rows = all.size(1), kept = n / 2 + 1, pairs = rows / 2;
    const auto size = [](const Tensor& re, const Tensor& im) { return square(re) + square(im); };
    Tensor power;
    if (rows % 2 == 1) {
        const Complex y = transform({all, zeros(all.shape(), all.device())});
        power = size(slice(y.re, 0, 0, kept), slice(y.im, 0, 0, kept));
    } else {  // two real rows are one complex row: Z_k and the conjugate of Z_(n - k) are sum and difference of theirs
        const Complex z = transform({slice(all, 1, 0, pairs), slice(all, 1, pairs, rows)});
        const auto backwards = [&](const Tensor& part) {
            return n == 1 ? part : concat({slice(part, 0, 0, 1), flip(slice(part, 0, n / 2, n), {0})});
        };
        const Tensor re = slice(z.re, 0, 0, kept), im = slice(z.im, 0, 0, kept);
        const Tensor back_re = backwards(z.re), back_im = backwards(z.im);
        power = concat({size(re + back_re, im - back_im), size(re - back_re, im + back_im)}, 1) / 4;
    }
    return reshape(transpose(power), with_last(x, kept));
}

double mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double hertz(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

Tensor hann_window(Index length, Device device) {
    check(length >= 1, "hann_window: wanted a length of at least 1, got {}", length);
    std::vector<Real> window;
    for (Index n = 0; n < length; ++n) {
        const double s = std::sin(pi * double(n) / double(length));
        window.push_back(Real(s * s));
    }
    return Tensor({length}, window, device);
}

Spectrogram::Spectrogram(const SpectrogramOptions& o, Device device) : options(o) {
    check(power_of_two(o.window) && o.window >= 2, "Spectrogram: wanted a window of a power of two, got {}", o.window);
    check(o.hop >= 1 && o.bands >= 1 && o.rate > 0,
          "Spectrogram: wanted a hop, bands and a rate above 0, got {}, {} and {}", o.hop, o.bands, o.rate);
    std::vector<Real> softly = hann_window(o.window).values();
    double squares = 0;
    for (const Real w : softly) squares += double(w) * double(w);
    for (Real& w : softly) w = Real(double(w) / std::sqrt(squares));
    window = Tensor({o.window}, softly, device);

    const double step = mel(o.rate / 2) / double(o.bands + 1);
    for (Index d = 1; d <= o.bands; ++d) centres.push_back(hertz(step * double(d)));
    const Index bins = o.window / 2 + 1;
    std::vector<Real> weights(std::size_t(bins * o.bands), Real(0));
    for (Index d = 0; d < o.bands; ++d) {
        const double foot = hertz(step * double(d)), top = centres[std::size_t(d)], end = hertz(step * double(d + 2));
        bool any = false;
        for (Index k = 0; k < bins; ++k) {
            const double f = double(k) * o.rate / double(o.window);
            const double weight = f <= top ? (f - foot) / (top - foot) : (end - f) / (end - top);
            if (weight <= 0) continue;
            weights[std::size_t(k * o.bands + d)] = Real(weight), any = true;
        }
        check(any, "Spectrogram: wanted a frequency in every band, got none in band {} of {}; take a longer window", d,
              o.bands);
    }
    filters = Tensor({bins, o.bands}, weights, device);
}

Index Spectrogram::frames(Index samples) const {
    check(samples >= options.window, "Spectrogram: wanted at least the {} samples of a frame, got {}", options.window,
          samples);
    return (samples - options.window) / options.hop + 1;
}

Tensor Spectrogram::cut(const Tensor& sound) const {
    check(sound.dim() == 2, "Spectrogram: wanted sounds of shape (batch, samples), got shape {}", sound.shape());
    const Index T = frames(sound.size(1)), N = options.window;
    std::vector<Index> places;
    for (Index t = 0; t < T; ++t)
        for (Index n = 0; n < N; ++n) places.push_back(t * options.hop + n);
    const Tensor taken = index_rows(transpose(sound), Integers({T, N}, places).to(sound.device()));
    return permute(taken, {2, 0, 1});
}

Tensor Spectrogram::operator()(const Tensor& sound) const {
    return matmul(power_spectrum(cut(sound) * window), filters);
}

}  // namespace RECTO::classic
