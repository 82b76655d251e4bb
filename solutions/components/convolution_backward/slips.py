"""What students with a misconception answer, and what to say to them."""
from itertools import product
from math import fsum, prod

from recto.judge.judging import WRONG, Array, Misconception

from .products import bias_gradient, by_options, collected, input_gradient, products, weight_gradient


def with_places(gradient, place):
    """A gradient with another rule for the place that tap `a` reads for output `r`: place(r, a, S, P, D)."""
    def answer(x, weight, dy, *options):
        rows, cols = ([[place(r, a, *options) for a in range(weight.shape[axis])] for r in range(dy.shape[axis])]
                      for axis in (2, 3))
        terms = products(x, weight, rows, cols)
        if gradient is input_gradient:
            return collected(x.shape, [(pixel, dy[output] * weight[tap]) for output, tap, pixel in terms])
        return collected(weight.shape, [(tap, dy[output] * x[pixel]) for output, tap, pixel in terms])
    return answer


def with_weights(change):
    """The gradient of the input by changed weights: change(weight, o, c, a, b); None where that has no answer."""
    def answer(x, weight, dy, *options):
        changed = [change(weight, *at) for at in product(*map(range, weight.shape))]
        return None if None in changed else input_gradient(x, Array(weight.shape, changed), dy, *options)
    return answer


def exchanged(t):
    """The first two axes exchanged; None if they differ."""
    if t.shape[0] != t.shape[1]:
        return None
    return Array(t.shape, [t[at[1], at[0], at[2], at[3]] for at in product(*map(range, t.shape))])


def flipped(t):
    """Each kernel turned by half a turn."""
    return Array(t.shape, [t[o, c, t.shape[2] - 1 - a, t.shape[3] - 1 - b] for o, c, a, b in product(*map(range, t.shape))])


def last_terms(gradient):
    """Only the last product of each sum is left."""
    def answer(x, weight, dy, *options):
        terms = products(x, weight, *by_options(x, weight, options))
        if gradient is input_gradient:
            shape, found = x.shape, {pixel: dy[output] * weight[tap] for output, tap, pixel in terms}
        else:
            shape, found = weight.shape, {tap: dy[output] * x[pixel] for output, tap, pixel in terms}
        return Array(shape, [found.get(at, 0.0) for at in product(*map(range, shape))])
    return answer


def images_of(t, first, last):
    """The images from first to the one before last."""
    size = prod(t.shape[1:])
    return Array((last - first, *t.shape[1:]), t.numbers[first * size:last * size])


def one_image(first):
    """The gradient of the weights from one image alone, the first or the last."""
    def answer(x, weight, dy, *options):
        at = 0 if first else x.shape[0] - 1
        return weight_gradient(images_of(x, at, at + 1), weight, images_of(dy, at, at + 1), *options) if x.shape[0] else None
    return answer


def divided(gradient, count):
    """The gradient divided by count(dy)."""
    def answer(*arguments):
        dy = arguments[0] if len(arguments) == 1 else arguments[2]
        found = gradient(*arguments)
        if isinstance(found, list):
            return [number / count(dy) for number in found]
        return Array(found.shape, [number / count(dy) for number in found.numbers])
    return answer


def without_remainder(x, weight, dy, stride, padding, dilation):
    """Each pixel asks which output read it, and rounds the quotient."""
    found = []
    for n, c, row, col in product(*map(range, x.shape)):
        total = []
        for o, a, b in product(range(weight.shape[0]), range(weight.shape[2]), range(weight.shape[3])):
            up, left = row + padding - a * dilation, col + padding - b * dilation
            if up >= 0 and left >= 0 and up // stride < dy.shape[2] and left // stride < dy.shape[3]:
                total.append(dy[n, o, up // stride, left // stride] * weight[o, c, a, b])
        found.append(fsum(total))
    return Array(x.shape, found)


def times_pixel(x, weight, dy, *options):
    """The product of all three numbers: the pixel is left in its own derivative."""
    terms = products(x, weight, *by_options(x, weight, options))
    return collected(x.shape, [(pixel, dy[output] * weight[tap] * x[pixel]) for output, tap, pixel in terms])


def padded_shape(x, weight, dy, stride, padding, dilation):
    return (*x.shape[:2], *(size + 2 * padding for size in x.shape[2:]))


def shape_from_outputs(x, weight, dy, stride, padding, dilation):
    return (*x.shape[:2], *((count - 1) * stride - 2 * padding + dilation * (kernel - 1) + 1
                            for count, kernel in zip(dy.shape[2:], weight.shape[2:])))


def shape_of_correlation(x, weight, dy, stride, padding, dilation):
    return (*weight.shape[:2], *((size + 2 * padding - stride * (count - 1) - 1) // dilation + 1
                                 for size, count in zip(x.shape[2:], dy.shape[2:])))


def per_image(dy):
    """A sum for each image instead of each filter."""
    if dy.shape[0] != dy.shape[1]:
        return None
    return bias_gradient(exchanged(dy))


def last_number(dy):
    """The last number of each filter; None without images."""
    images, filters, rows, cols = dy.shape
    return [dy[images - 1, o, rows - 1, cols - 1] for o in range(filters)] if images else None


def pixels_alone(x, weight, dy, *options):
    """The gradient of the weights with ones instead of dy."""
    return weight_gradient(x, weight, Array(dy.shape, [1.0] * len(dy.numbers)), *options)


SHAPES = {"input_gradient": {"of-the-padded-input": padded_shape, "size-from-the-outputs": shape_from_outputs},
          "weight_gradient": {"size-of-the-correlation": shape_of_correlation}}
OUTSIDE = "there is no element"
RULES = [   # of places: a name, the rule, what to say
    ("padding-moves-right", lambda r, a, s, p, d: r * s + p + a * d,
     "the padding was added to the row and column. The forward pass begins its windows at -padding, and the gradient "
     "has the same index: row = r * stride - padding + a * dilation"),
    ("padding-forgotten", lambda r, a, s, p, d: r * s + a * d,
     "the padding is missing: output (r, s) read the window that begins at row r * stride - padding"),
    ("padding-times-stride", lambda r, a, s, p, d: (r - p) * s + a * d,
     "the padding was multiplied by the stride: output r read the window that begins at r * stride - padding"),
    ("stride-forgotten", lambda r, a, s, p, d: r - p + a * d,
     "the stride is missing: the windows of neighbouring outputs lie `stride` pixels apart"),
    ("dilation-forgotten", lambda r, a, s, p, d: r * s - p + a,
     "the dilation is missing: tap a met the pixel a * dilation places after the beginning of the window"),
    ("stride-and-dilation-exchanged", lambda r, a, s, p, d: r * d - p + a * s,
     "stride and dilation are exchanged: the stride multiplies the number of the output, the dilation that of the tap"),
]
misconceptions = [
    Misconception("bias-mean", "bias_gradient", divided(bias_gradient, lambda dy: prod(dy.shape) / dy.shape[1]),
                  "this is the mean over images and places. The bias is added to every output once, and the contributions "
                  "add up"),
    Misconception("bias-mean-of-images", "bias_gradient", divided(bias_gradient, lambda dy: dy.shape[0]),
                  "the sum was divided by the number of images. If the loss is a mean, dy contains this factor already"),
    Misconception("bias-first-image", "bias_gradient", lambda dy: bias_gradient(images_of(dy, 0, 1)) if dy.shape[0] else None,
                  "only the first image was added: the bias of a filter serves all images"),
    Misconception("bias-last-number", "bias_gradient", last_number,
                  "only the last number of dy is left, as if each replaced the sum instead of being added"),
    Misconception("bias-one-place", "bias_gradient",
                  lambda dy: [fsum(dy[n, o, 0, 0] for n in range(dy.shape[0])) for o in range(dy.shape[1])],
                  "only the first place of each image was added: the bias is used at every place"),
    Misconception("bias-counts", "bias_gradient", lambda dy: [prod(dy.shape) / dy.shape[1]] * dy.shape[1],
                  "this counts the outputs: the derivative of y with respect to the bias is 1, and the chain rule "
                  "multiplies it by dy"),
    Misconception("bias-of-images", "bias_gradient", per_image,
                  "there is one bias for each filter: dy is (images, filters, rows, columns)"),
    Misconception("weight-mean-of-images", "weight_gradient", divided(weight_gradient, lambda dy: dy.shape[0]),
                  "the sum was divided by the number of images. If the loss is a mean, dy contains this factor already"),
    Misconception("weight-mean", "weight_gradient", divided(weight_gradient, lambda dy: prod(dy.shape) / dy.shape[1]),
                  "the sum was divided by the number of outputs: every use of a weight adds to its gradient"),
    Misconception("weight-last-product", "weight_gradient", last_terms(weight_gradient),
                  "only the last product is left, as if each replaced the sum instead of being added"),
    Misconception("weight-last-image", "weight_gradient", one_image(False),
                  "only the last image is left: all images use the same weights, and their contributions add up"),
    Misconception("weight-first-image", "weight_gradient", one_image(True),
                  "only the first image was added: x(n, ...) and dy(n, ...) need n"),
    Misconception("weight-flipped", "weight_gradient", lambda *a: flipped(weight_gradient(*a)),
                  "the gradient is turned by half a turn: tap (a, b) met pixel (r + a, s + b), so dw(a, b) multiplies "
                  "this pixel by dy(r, s)"),
    Misconception("weight-axes", "weight_gradient", lambda *a: exchanged(weight_gradient(*a)),
                  "filters and channels are exchanged: dw(o, c, ...) multiplies dy(n, o, ...) by x(n, c, ...)"),
    Misconception("weight-ignores-dy", "weight_gradient", pixels_alone,
                  "these are the sums of the pixels alone: the chain rule multiplies each by dy"),
    *(Misconception(f"weight-{name}", "weight_gradient", with_places(weight_gradient, rule), says) for name, rule, says in RULES),
    Misconception("input-not-turned", "input_gradient", with_weights(lambda w, *at: flipped(w)[at]),
                  "dy met the kernel in the forward order. If output r reads pixel r + a, then pixel p contributed to "
                  "output p - a: the kernel is passed in the opposite direction"),
    Misconception("input-last-product", "input_gradient", last_terms(input_gradient),
                  "only the last product is left. Windows overlap: a pixel has a contribution from every window that "
                  "reads it, and they add up"),
    Misconception("input-axes", "input_gradient",
                  with_weights(lambda w, o, c, a, b: w[c, o, a, b] if w.shape[0] == w.shape[1] else None),
                  "filters and channels of the weights are exchanged: output channel o and input channel c are joined by "
                  "weight(o, c, ...)"),
    Misconception("input-own-channel", "input_gradient",
                  with_weights(lambda w, o, c, a, b: w[o, c, a, b] * (o == c)),
                  "each channel got the gradient of the filter of its own number alone. Every filter reads every channel, "
                  "so a channel adds the contributions of all filters"),
    Misconception("input-mean-of-images", "input_gradient", divided(input_gradient, lambda dy: dy.shape[0]),
                  "the sum was divided by the number of images: a pixel belongs to one image, and nothing is averaged"),
    Misconception("input-times-pixel", "input_gradient", times_pixel,
                  "the pixel is left in its own derivative: the derivative of weight * pixel with respect to the "
                  "pixel is the weight"),
    Misconception("input-without-remainder", "input_gradient", without_remainder,
                  "with a stride, not every tap of every window falls on a pixel: output r read pixel p with tap a only "
                  "if p + padding - a * dilation is a multiple of the stride. Here the quotient was rounded instead"),
    *(Misconception(f"input-{name}", "input_gradient", with_places(input_gradient, rule), says) for name, rule, says in RULES),
    Misconception("of-the-padded-input", says="this is the gradient of the padded image. The padding consists of "
                                              "constants: cut it off"),
    Misconception("size-from-the-outputs", says="the size was computed from that of dy. With a stride, inputs of several "
                                                "sizes give the same output size: take the shape of x. Pixels that no "
                                                "window reads have gradient 0"),
    Misconception("size-of-the-correlation", says="a correlation of x with dy yields more numbers than there are taps if "
                                                  "the stride leaves rows or columns unread: take the shape of weight"),
    Misconception("another-shape", says="a gradient has the shape of what it belongs to: that of x, of weight, or one "
                                        "number for each filter"),
    Misconception("single-precision", says="only the first digits are right: a float stands somewhere between the doubles"),
    Misconception("touches-the-padding", outcome=WRONG, matches=OUTSIDE, when=lambda *a: len(a) > 4 and a[4] > 0,
                  says="a tap in the padding met no pixel: it read a constant zero, and has neither a gradient to give "
                       "nor to receive"),
    Misconception("wrong-axes", outcome=WRONG, matches=OUTSIDE,
                  says="an index is outside. Compare the four numbers with the shape that stands behind them: x is "
                       "(images, channels, rows, columns), weight is (filters, channels, kernel rows, kernel columns), dy "
                       "is (images, filters, output rows, output columns)"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's tape is not allowed here: write the gradients by hand"),
]
