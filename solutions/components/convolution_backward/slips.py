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


def of_terms(gradient, change=lambda *term: term, keep=lambda *term: True):
    """A gradient whose products read other numbers: change(output, tap, pixel) gives the three places that are read."""
    def answer(x, weight, dy, *options):
        rows, cols = by_options(x, weight, options)
        found = []
        for term in products(x, weight, rows, cols):
            if not keep(rows, cols, x.shape, *term):
                continue
            output, tap, pixel = change(*term)
            if gradient is input_gradient:
                found.append((term[2], dy[output] * weight[tap]))
            else:
                found.append((term[1], dy[output] * x[pixel]))
        return collected(x.shape if gradient is input_gradient else weight.shape, found)
    return answer


def in_square_kernels(gradient):
    """The same for square kernels; None for others."""
    return lambda x, weight, *rest: gradient(x, weight, *rest) if weight.shape[2] == weight.shape[3] else None


def zeroth(which, *axes):
    """The change of one of the three places by which its numbers along these axes are 0."""
    return lambda *term: tuple(tuple(0 if axis in axes else number for axis, number in enumerate(place)) if at == which else place
                               for at, place in enumerate(term))


def until_outside(inner, also_rows=False):
    """The products that are left if a loop ends at the first pixel outside: the loop over taps, or that over outputs."""
    def keep(rows, cols, shape, output, tap, pixel):
        for axis, places in ((2, rows), (3, cols)):
            if axis == 2 and not also_rows:
                continue
            before = (places[output[axis]][:tap[axis]] if inner == "taps"
                      else [windows[tap[axis]] for windows in places[:output[axis]]])
            if not all(0 <= place < shape[axis] for place in before):
                return False
        return True
    return keep


def begun_with(gradient, which):
    """The gradient is added to one of the arguments."""
    def answer(*arguments):
        found = gradient(*arguments)
        return Array(found.shape, [mine + more for mine, more in zip(found.numbers, arguments[which].numbers)])
    return answer


def exchanged(t):
    """The first two axes exchanged; None if they differ."""
    if t.shape[0] != t.shape[1]:
        return None
    return Array(t.shape, [t[at[1], at[0], at[2], at[3]] for at in product(*map(range, t.shape))])


def turned(t):
    """Rows and columns of each kernel exchanged."""
    return Array(t.shape, [t[o, c, b, a] for o, c, a, b in product(*map(range, t.shape))])


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
OUTPUT, TAP, PIXEL = range(3)           # the places of a product
RULES = [   # of places: a name, the rule, what to say
    ("padding-moves-right", lambda r, a, s, p, d: r * s + p + a * d,
     "the padding was added to the row and column. The forward pass begins its windows at -padding, and the gradient "
     "has the same index: row = i * stride - padding + a * dilation"),
    ("padding-forgotten", lambda r, a, s, p, d: r * s + a * d,
     "the padding is missing: output (i, j) read the window that begins at row i * stride - padding"),
    ("padding-times-stride", lambda r, a, s, p, d: (r - p) * s + a * d,
     "the padding was multiplied by the stride: output i read the window that begins at i * stride - padding"),
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
                  "the gradient is turned by half a turn: tap (a, b) met pixel (i + a, j + b), so dw(a, b) multiplies "
                  "this pixel by dy(i, j)"),
    Misconception("weight-axes", "weight_gradient", lambda *a: exchanged(weight_gradient(*a)),
                  "filters and channels are exchanged: dw(o, c, ...) multiplies dy(n, o, ...) by x(n, c, ...)"),
    Misconception("weight-ignores-dy", "weight_gradient", pixels_alone,
                  "these are the sums of the pixels alone: the chain rule multiplies each by dy"),
    Misconception("weight-pixels-of-first-image", "weight_gradient", of_terms(weight_gradient, zeroth(PIXEL, 0)),
                  "dy(n, ...) met the pixels of image 0 for every n: it belongs with x(n, ...)"),
    Misconception("weight-first-channel", "weight_gradient", of_terms(weight_gradient, zeroth(PIXEL, 1)),
                  "every kernel met the pixels of channel 0: dw(o, c, ...) needs x(n, c, ...)"),
    Misconception("weight-first-filter", "weight_gradient", of_terms(weight_gradient, zeroth(OUTPUT, 1)),
                  "every filter got the gradient of filter 0: dw(o, ...) needs dy(n, o, ...)"),
    Misconception("weight-turned", "weight_gradient", in_square_kernels(lambda *a: turned(weight_gradient(*a))),
                  "rows and columns of the kernel are exchanged in the result: dw(o, c, a, b) has its row a before its column b"),
    Misconception("weight-begins-with-weight", "weight_gradient", begun_with(weight_gradient, 1),
                  "the weights themselves are in the sum: begin with a tensor of zeros in the shape of weight, not with a copy"),
    *(Misconception("weight-stops-at-the-border", "weight_gradient", of_terms(weight_gradient, keep=until_outside(*how)),
                    "the first pixel outside ended a whole loop (break), and products behind it are missing: skip this one alone "
                    "(continue)")
      for how in (("taps",), ("outputs",), ("taps", True), ("outputs", True))),
    *(Misconception(f"weight-{name}", "weight_gradient", with_places(weight_gradient, rule), says) for name, rule, says in RULES),
    Misconception("input-not-turned", "input_gradient", with_weights(lambda w, *at: flipped(w)[at]),
                  "dy met the kernel in the forward order. If output i reads pixel i + a, then pixel p contributed to "
                  "output p - a: the kernel is passed in the opposite direction"),
    Misconception("input-last-product", "input_gradient", last_terms(input_gradient),
                  "only the last product is left. Windows overlap: a pixel has a contribution from every window that "
                  "reads it, and they add up"),
    Misconception("input-axes", "input_gradient",
                  with_weights(lambda w, o, c, a, b: w[c, o, a, b] if w.shape[0] == w.shape[1] else None),
                  "filters and channels of the weights are exchanged: output channel o and input channel c are joined by "
                  "weight(o, c, ...)"),
    Misconception("input-turned", "input_gradient",
                  in_square_kernels(of_terms(input_gradient, lambda output, tap, pixel: (output, (*tap[:2], tap[3], tap[2]), pixel))),
                  "rows and columns of the kernel are exchanged: weight(o, c, a, b) has its row a before its column b"),
    Misconception("input-first-kernel", "input_gradient", of_terms(input_gradient, zeroth(TAP, 1)),
                  "every channel got its gradient through the kernel of channel 0: dx(n, c, ...) needs weight(o, c, a, b)"),
    Misconception("input-first-weights", "input_gradient", of_terms(input_gradient, zeroth(TAP, 0)),
                  "the gradients of all filters went back through the weights of filter 0: dy(n, o, ...) belongs with "
                  "weight(o, c, a, b)"),
    Misconception("input-first-filter", "input_gradient", of_terms(input_gradient, zeroth(OUTPUT, 1)),
                  "the gradient of filter 0 went back through the weights of all filters: weight(o, ...) belongs with dy(n, o, ...)"),
    Misconception("input-first-image", "input_gradient", of_terms(input_gradient, zeroth(OUTPUT, 0)),
                  "every image got the gradient of image 0: dx(n, ...) needs dy(n, ...)"),
    Misconception("input-begins-with-x", "input_gradient", begun_with(input_gradient, 0),
                  "the pixels themselves are in the sum: begin with a tensor of zeros in the shape of x, not with a copy of x"),
    *(Misconception("input-stops-at-the-border", "input_gradient", of_terms(input_gradient, keep=until_outside(*how)),
                    "the first tap outside the image ended a whole loop (break), and taps behind it may lie inside: skip this one "
                    "alone (continue)")
      for how in (("taps",), ("outputs",), ("taps", True), ("outputs", True))),
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
                  "with a stride, not every tap of every window falls on a pixel: output i read pixel p with tap a only "
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
