"""The right answers, window by window: for each output the lists of the rows and columns that its taps read."""
from itertools import product
from math import fsum

from recto.judge.judging import Array


def places(size, kernel, stride, padding, dilation):
    """For each window along one axis the places that its taps read; those outside the input are padding."""
    firsts = range(-padding, size + padding - dilation * (kernel - 1), stride)
    return [[first + dilation * tap for tap in range(kernel)] for first in firsts]


def output_size(size, kernel, stride, padding, dilation):
    return len(places(size, kernel, stride, padding, dilation))


def zero_outside(x, n, c, row, col):
    """A pixel of the image, or a zero around it."""
    return x[n, c, row, col] if 0 <= row < x.shape[2] and 0 <= col < x.shape[3] else 0.0


def slide(x, weight, bias, rows, cols, pixel=zero_outside):
    """The sum over channels and taps for each output; `rows` and `cols` are the places that are read."""
    shape = (x.shape[0], weight.shape[0], len(rows), len(cols))
    return Array(shape, [bias[o] + fsum(weight[o, c, a, b] * pixel(x, n, c, row, col)
                                        for c in range(x.shape[1])
                                        for a, row in enumerate(rows[r]) for b, col in enumerate(cols[s]))
                         for n, o, r, s in product(*map(range, shape))])


def convolution(x, weight, bias, *options):
    rows, cols = (places(size, kernel, *options) for size, kernel in zip(x.shape[2:], weight.shape[2:]))
    return slide(x, weight, bias, rows, cols)


def rest(size, kernel, stride, padding, dilation):
    """The places that are left beside the first window."""
    return size + 2 * padding - dilation * (kernel - 1) - 1


def refuses(size, kernel, *options):
    return int(output_size(size, kernel, *options) == 0)
