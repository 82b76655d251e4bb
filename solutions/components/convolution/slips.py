"""What students with a misconception answer, and what to say to them."""
from itertools import accumulate, product
from math import ceil, prod

from recto.judge.judging import WRONG, Array, Misconception

from .sliding import convolution, output_size, places, refuses, rest, slide, zero_outside


def with_pixels(pixel):
    """The convolution with another rule for the pixels around the image."""
    return lambda x, weight, bias, *options: slide(
        x, weight, bias, *(places(size, kernel, *options) for size, kernel in zip(x.shape[2:], weight.shape[2:])), pixel)


def with_places(place):
    """The convolution with another rule for the place that tap `a` reads for output `r`: place(r, a, kernel, S, P, D)."""
    def answer(x, weight, bias, *options):
        rows, cols = ([[place(r, a, kernel, *options) for a in range(kernel)] for r in range(output_size(size, kernel, *options))]
                      for size, kernel in zip(x.shape[2:], weight.shape[2:]))
        return slide(x, weight, bias, rows, cols)
    return answer


def with_weights(change):
    """The convolution with changed weights: change(weight, o, c, a, b) is the number used at this place."""
    return lambda x, weight, bias, *options: convolution(
        x, Array(weight.shape, [change(weight, *at) for at in product(*map(range, weight.shape))]), bias, *options)


def with_bias(times):
    """The convolution with the bias added times(weight) times."""
    return lambda x, weight, bias, *options: convolution(x, weight, [times(weight) * b for b in bias], *options)


def flipped(weight, o, c, a, b):
    return weight[o, c, weight.shape[2] - 1 - a, weight.shape[3] - 1 - b]


def turned(x, weight, bias, *options):
    """Rows and columns of the kernel exchanged; only square kernels have an answer."""
    if weight.shape[2] != weight.shape[3]:
        return None
    return with_weights(lambda w, o, c, a, b: w[o, c, b, a])(x, weight, bias, *options)


def axes_exchanged(x, weight, bias, *options):
    """The weights read as (channels, filters, ...)."""
    if weight.shape[0] != weight.shape[1]:
        return None
    return with_weights(lambda w, o, c, a, b: w[c, o, a, b])(x, weight, bias, *options)


def own_channel(x, weight, bias, *options):
    """Every filter reads the channel of its own number."""
    if weight.shape[0] > weight.shape[1]:
        return None
    return with_weights(lambda w, o, c, a, b: w[o, c, a, b] * (o == c))(x, weight, bias, *options)


def neighbouring_row(x, n, c, row, col):
    """Only the place in memory is checked: beyond the end of a row the next row begins."""
    flat = ((n * x.shape[1] + c) * x.shape[2] + row) * x.shape[3] + col
    return x.numbers[flat] if 0 <= flat < len(x.numbers) else 0.0


def edge(x, n, c, row, col):
    """The nearest pixel of the image."""
    return x[n, c, min(max(row, 0), x.shape[2] - 1), min(max(col, 0), x.shape[3] - 1)]


def round_the_corner(x, n, c, row, col):
    """The image repeated in all directions."""
    return x[n, c, row % x.shape[2], col % x.shape[3]]


def mirror(x, n, c, row, col):
    """The image reflected at its border, the outermost pixels repeated."""
    def inside(place, size):
        place %= 2 * size
        return min(place, 2 * size - 1 - place)
    return x[n, c, inside(row, x.shape[2]), inside(col, x.shape[3])]


def first_image(x, weight, bias, *options):
    """Every output comes from the first image."""
    if not x.shape[0]:
        return None
    return with_pixels(lambda x, n, c, row, col: zero_outside(x, 0, c, row, col))(x, weight, bias, *options)


def first_channel(x, weight, bias, *options):
    """Every tap reads the first channel of the image."""
    return with_pixels(lambda x, n, c, row, col: zero_outside(x, n, 0, row, col))(x, weight, bias, *options)


def whole_numbers(x, weight, bias, *options):
    """The sum is an int, which loses its fraction after every product."""
    shape = convolution(x, weight, bias, *options).shape
    rows, cols = (places(size, kernel, *options) for size, kernel in zip(x.shape[2:], weight.shape[2:]))

    def one(n, o, r, s):
        total = int(bias[o])
        for c, (a, row), (b, col) in product(range(x.shape[1]), enumerate(rows[r]), enumerate(cols[s])):
            total = int(total + weight[o, c, a, b] * zero_outside(x, n, c, row, col))
        return float(total)
    return Array(shape, [one(*at) for at in product(*map(range, shape))])


def running_sum(x, weight, bias, *options):
    """The sum is never set back."""
    plain = convolution(x, weight, [0.0] * len(bias), *options)
    shape = plain.shape
    return Array(shape, [total + bias[flat // (shape[2] * shape[3]) % shape[1]]
                         for flat, total in enumerate(accumulate(plain.numbers))])


def last_product(x, weight, bias, *options):
    """Only the product of the last tap of the last channel is left."""
    last = tuple(size - 1 for size in weight.shape[1:])
    return with_weights(lambda w, o, *at: w[(o, *at)] * (at == last))(x, weight, [0.0] * len(bias), *options)


def stops_at_the_border(x, weight, bias, *options):
    """The loop over the columns ends at the first tap outside."""
    rows, cols = (places(size, kernel, *options) for size, kernel in zip(x.shape[2:], weight.shape[2:]))
    return slide(x, weight, bias, rows, [[] if window[0] < 0 else window for window in cols])


def axis_of_one_stride(only):
    """The stride moves the window along one axis only; the output has the right size."""
    def answer(x, weight, bias, stride, padding, dilation):
        rows, cols = ([[r * (stride if axis == only else 1) - padding + a * dilation for a in range(kernel)]
                       for r in range(output_size(size, kernel, stride, padding, dilation))]
                      for axis, (size, kernel) in enumerate(zip(x.shape[2:], weight.shape[2:])))
        return slide(x, weight, bias, rows, cols)
    return answer


def size_with(left, round_=lambda quotient: quotient.__floor__(), more=1):
    """The number of windows by a wrong formula; None where it is negative."""
    def answer(size, kernel, stride, padding, dilation):
        count = round_(left(size, kernel, padding, dilation) / stride) + more
        return count if count >= 0 else None
    return answer


def refuses_images(x, weight, bias, *options):
    """Whether the kernel does not fit along one of the axes."""
    return any(refuses(size, kernel, *options) for size, kernel in zip(x.shape[2:], weight.shape[2:]))


def right_rest(size, kernel, padding, dilation):
    return size + 2 * padding - dilation * (kernel - 1) - 1


OUTSIDE = "there is no element"
misconceptions = [
    Misconception("rounds-up", "output_size", size_with(right_rest, ceil),
                  "the quotient is rounded up: the last window does not fit completely. Round down, as integer division "
                  "does"),
    Misconception("no-first-window", "output_size", size_with(right_rest, more=0),
                  "the first window is missing: (what is left) / stride counts the steps, and there is one window more "
                  "than steps"),
    Misconception("padding-once", "output_size", size_with(lambda t, k, p, d: t + p - d * (k - 1) - 1),
                  "the padding is added once, but there are zeros on both sides of the input"),
    Misconception("no-padding-in-size", "output_size", size_with(lambda t, k, p, d: t - d * (k - 1) - 1),
                  "the padding is missing: the windows slide over the padded input, which has size + 2 padding places"),
    Misconception("span-of-dilation", "output_size", size_with(lambda t, k, p, d: t + 2 * p - d * k),
                  "a window spans dilation * (kernel - 1) + 1 places: between its K taps are K - 1 steps, not K"),
    Misconception("dilation-counts-gaps", "output_size", size_with(lambda t, k, p, d: t + 2 * p - (d + 1) * (k - 1) - 1),
                  "the dilation is the distance from one tap to the next, so a dilation of 1 leaves no gap"),
    Misconception("no-dilation-in-size", "output_size", size_with(lambda t, k, p, d: t + 2 * p - k),
                  "the dilation is missing: it spreads the taps, so a window spans dilation * (kernel - 1) + 1 places"),
    Misconception("divides-before-it-subtracts", "output_size",
                  lambda t, k, s, p, d: (t + 2 * p) // s - d * (k - 1) if (t + 2 * p) // s >= d * (k - 1) else None,
                  "the size was divided by the stride before the window was subtracted: the stride spreads the beginnings of "
                  "the windows, the window itself stays as wide as it is"),
    Misconception("refuses-what-fits", "output_size", outcome=WRONG, matches="threw an exception",
                  says="this kernel fits: its window spans dilation * (kernel - 1) + 1 places, and the padded input has "
                       "size + 2 padding places"),
    Misconception("truncated-quotient", "output_size_refuses", lambda *a: int(rest(*a) <= -a[2]),
                  "a kernel that is too large by less than a stride is accepted: C++ rounds a negative quotient towards "
                  "zero, so -1 / 2 + 1 is 1. Test whether the window fits before you divide"),
    Misconception("refuses-padded", "output_size_refuses", lambda t, k, s, p, d: int(d * (k - 1) + 1 > t),
                  "a kernel that fits into the padded input is refused: compare with size + 2 padding"),
    Misconception("refuses-without-dilation", "output_size_refuses", lambda t, k, s, p, d: int(k > t + 2 * p),
                  "the dilated window was not measured: it spans dilation * (kernel - 1) + 1 places"),
    Misconception("never-refuses", "output_size_refuses", lambda *a: 0,
                  "the kernel is larger than the padded input. No window fits, and std::invalid_argument is due"),
    *(Misconception("another-exception", function, outcome=WRONG, matches=rf"threw an exception: (?!.*{OUTSIDE})",
                    when=lambda *a, size=size: size(*a),
                    says="the kernel does not fit, and an exception of another type was thrown. The caller expects "
                         "std::invalid_argument: its type counts, its text is yours")
      for function, size in (("output_size_refuses", refuses), ("convolution_refuses", refuses_images))),
    Misconception("flips-the-kernel", "convolution", with_weights(flipped),
                  "the kernel was flipped: tap (a, b) meets pixel (i + a, j + b) of the window, in the same order"),
    Misconception("turns-the-kernel", "convolution", turned,
                  "rows and columns of the kernel are exchanged: weight(o, c, a, b) has its row a before its column b"),
    Misconception("no-bias", "convolution", with_bias(lambda w: 0), "the bias of the filter is missing"),
    Misconception("bias-of-first-filter", "convolution", lambda x, w, b, *o: convolution(x, w, b[:1] * len(b), *o),
                  "every filter got the bias of filter 0: filter o has bias[o]"),
    Misconception("bias-for-each-channel", "convolution", with_bias(lambda w: w.shape[1]),
                  "the bias was added once for every channel: it belongs to the filter, outside the sum over channels"),
    Misconception("bias-for-each-tap", "convolution", with_bias(lambda w: prod(w.shape[1:])),
                  "the bias was added once for every tap: it belongs to the filter, outside all three sums"),
    Misconception("last-product", "convolution", last_product,
                  "only the last product is left, as if each product replaced the sum instead of being added"),
    Misconception("running-sum", "convolution", running_sum,
                  "each output contains all outputs before it: set the sum back for every output"),
    Misconception("mean-of-window", "convolution",
                  lambda x, w, b, *o: with_weights(lambda w, *at: w[at] / prod(w.shape[1:]))(x, w, b, *o),
                  "the sum was divided by the number of taps: a convolution adds, the weights carry the scale"),
    Misconception("own-channel-alone", "convolution", own_channel,
                  "every filter read only the channel of its own number. Each filter has a kernel for every channel, and "
                  "adds them"),
    Misconception("first-kernel-alone", "convolution", with_weights(lambda w, o, c, a, b: w[o, 0, a, b]),
                  "all channels met the kernel of channel 0: a filter has a kernel for each channel, weight(o, c, a, b)"),
    Misconception("first-filter-alone", "convolution", with_weights(lambda w, o, c, a, b: w[0, c, a, b]),
                  "every output channel has the weights of filter 0: filter o has weight(o, c, a, b)"),
    Misconception("first-channel-alone", "convolution", first_channel,
                  "every kernel read channel 0 of the image: x(n, c, ...) needs c"),
    Misconception("whole-numbers", "convolution", whole_numbers,
                  "the sum was kept in an int, which drops the fraction after every product: add up in a double"),
    Misconception("axes-exchanged", "convolution", axes_exchanged,
                  "the weights were read as (channels, filters, ...): the filter comes first, weight(o, c, a, b)"),
    Misconception("first-image-alone", "convolution", first_image,
                  "every output comes from the first image: x(n, ...) needs n"),
    Misconception("padding-moves-right", "convolution", with_places(lambda r, a, k, s, p, d: r * s + p + a * d),
                  "the padding was added to the row and column: the first window begins at -padding, before the image"),
    Misconception("padding-forgotten", "convolution", with_places(lambda r, a, k, s, p, d: r * s + a * d),
                  "the output has room for the padding, but the first window begins at pixel 0: it begins at -padding"),
    Misconception("padding-times-stride", "convolution", with_places(lambda r, a, k, s, p, d: (r - p) * s + a * d),
                  "the padding was multiplied by the stride: output i begins at i * stride - padding"),
    Misconception("centred-window", "convolution", with_places(lambda r, a, k, s, p, d: r * s + (a - k // 2) * d),
                  "the window was centred on its output, which is right for one padding only: output i begins at "
                  "i * stride - padding"),
    Misconception("repeats-the-edge", "convolution", with_pixels(edge),
                  "outside the image the nearest pixel was read: the padding is zero"),
    Misconception("wraps-around", "convolution", with_pixels(round_the_corner),
                  "outside the image the opposite side was read: the padding is zero"),
    Misconception("mirrors", "convolution", with_pixels(mirror),
                  "outside the image its mirror image was read: the padding is zero"),
    Misconception("reads-the-neighbouring-row", "convolution", with_pixels(neighbouring_row),
                  "beyond the end of a row the next row (or the next channel) was read. Test the row and the column, each "
                  "against its own size: the place in memory does not show that a column is outside"),
    Misconception("stops-at-the-border", "convolution", stops_at_the_border,
                  "the first column outside the image ended the loop over the taps (break). The taps after it may lie "
                  "inside: skip this tap alone (continue)"),
    Misconception("stride-forgotten", "convolution", with_places(lambda r, a, k, s, p, d: r - p + a * d),
                  "the output has the right size, but its windows are neighbours: output i begins at i * stride - padding"),
    Misconception("stride-of-rows-alone", "convolution", axis_of_one_stride(0),
                  "the stride moves the rows, and must move the columns too"),
    Misconception("stride-of-columns-alone", "convolution", axis_of_one_stride(1),
                  "the stride moves the columns, and must move the rows too"),
    Misconception("dilation-forgotten", "convolution", with_places(lambda r, a, k, s, p, d: r * s - p + a),
                  "the taps are neighbours: tap a lies a * dilation places after the beginning of its window"),
    Misconception("stride-and-dilation-exchanged", "convolution", with_places(lambda r, a, k, s, p, d: r * d - p + a * s),
                  "stride and dilation are exchanged: the stride multiplies the number of the output, the dilation that "
                  "of the tap"),
    Misconception("dilates-everything", "convolution", with_places(lambda r, a, k, s, p, d: (r * s + a) * d - p),
                  "the dilation also moved the windows: it multiplies the number of the tap only"),
    Misconception("reads-outside", "convolution", outcome=WRONG, matches=OUTSIDE, when=lambda *a: a[4] > 0,
                  says="a tap in the padding was read from the image. Where row or column is outside of x, the tap adds "
                       "nothing"),
    Misconception("wrong-axes", "convolution", outcome=WRONG, matches=OUTSIDE,
                  says="an index is outside. Compare the four numbers with the shape that stands behind them: x is (images, "
                       "channels, rows, columns), weight is (filters, channels, kernel rows, kernel columns), and the result "
                       "is (images, filters, output rows, output columns)"),
    Misconception("another-shape", says="the output has as many images as x and as many channels as there are filters; "
                                        "output_size gives its rows and its columns. Look at the part `sizes` first"),
    Misconception("single-precision", says="only the first digits are right: a float stands somewhere between the doubles"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's conv2d is not allowed here: write it yourself"),
]
