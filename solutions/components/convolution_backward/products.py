"""The right gradients: from the list of all products of the forward pass, and from central differences of the loss."""
from collections import defaultdict
from itertools import product
from math import fsum

from recto.judge.judging import Array

STEP = 0.5          # of a central difference: the loss is linear in every single number, so no step is too large


def places(size, kernel, stride, padding, dilation):
    """For each window along one axis the places that its taps read; those outside the input are padding."""
    firsts = range(-padding, size + padding - dilation * (kernel - 1), stride)
    return [[first + dilation * tap for tap in range(kernel)] for first in firsts]


def by_options(x, weight, options):
    """The places of the windows along both axes."""
    return [places(x.shape[axis], weight.shape[axis], *options) for axis in (2, 3)]


def products(x, weight, rows, cols):
    """(output, weight, pixel) of every product of the forward pass, each as an index."""
    found = []
    for n, o, r, s in product(range(x.shape[0]), range(weight.shape[0]), range(len(rows)), range(len(cols))):
        for c, (a, row), (b, col) in product(range(x.shape[1]), enumerate(rows[r]), enumerate(cols[s])):
            if 0 <= row < x.shape[2] and 0 <= col < x.shape[3]:
                found.append(((n, o, r, s), (o, c, a, b), (n, c, row, col)))
    return found


def collected(shape, terms):
    """The sums of the terms (index, number) that have the same index."""
    sums = defaultdict(list)
    for at, number in terms:
        sums[at].append(number)
    return Array(shape, [fsum(sums[at]) for at in product(*map(range, shape))])


def input_gradient(x, weight, dy, *options):
    terms = products(x, weight, *by_options(x, weight, options))
    return collected(x.shape, [(pixel, dy[output] * weight[tap]) for output, tap, pixel in terms])


def weight_gradient(x, weight, dy, *options):
    terms = products(x, weight, *by_options(x, weight, options))
    return collected(weight.shape, [(tap, dy[output] * x[pixel]) for output, tap, pixel in terms])


def bias_gradient(dy):
    images, filters, rows, cols = map(range, dy.shape)
    return [fsum(dy[n, o, r, s] for n, r, s in product(images, rows, cols)) for o in filters]


# The second way to the right answers: the loss, and how it changes.

def loss(x, weight, bias, dy, options):
    """The sum of dy times the convolution, from a copy of each image with its padding written out."""
    stride, padding, dilation = options
    framed = {(n, c, row + padding, col + padding): x[n, c, row, col] for n, c, row, col in product(*map(range, x.shape))}
    total = []
    for n, o, r, s in product(*map(range, dy.shape)):
        y = [bias[o]]
        for c, a, b in product(*map(range, weight.shape[1:])):
            y.append(weight[o, c, a, b] * framed.get((n, c, r * stride + a * dilation, s * stride + b * dilation), 0))
        total.append(dy[n, o, r, s] * fsum(y))
    return fsum(total)


def differences(function, numbers):
    """The central difference of a function of numbers with respect to each of them."""
    found = []
    for at, number in enumerate(numbers):
        higher, lower = ([*numbers[:at], number + step, *numbers[at + 1:]] for step in (STEP, -STEP))
        found.append((function(higher) - function(lower)) / (2 * STEP))
    return found
