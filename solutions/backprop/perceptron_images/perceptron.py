"""A perceptron in plain Python.

Gradients come from steps into the imaginary direction: f(x + ih) has the derivative of f times h as its imaginary part,
without any difference of numbers that are nearly equal, so h may be 1e-30 and the error is rounding.
"""
import cmath
from math import tanh

NAMES = ("weights1", "bias1", "weights2", "bias2")


def affine(x, w, bias):
    """x w + bias, of complex numbers too."""
    columns = list(zip(*w))
    return [[sum(a * b for a, b in zip(row, column)) + shift for column, shift in zip(columns, bias[0])] for row in x]


def forward(w1, b1, w2, b2, x, squash=tanh):
    """What is hidden, and the outputs; `squash` is another tanh for complex numbers."""
    hidden = [[squash(s) for s in row] for row in affine(x, w1, b1)]
    return hidden, affine(hidden, w2, b2)


def squared_error(outputs, labels):
    """The mean over the images of the sum over the classes."""
    return sum((o - (k == label)) ** 2 for row, label in zip(outputs, labels) for k, o in enumerate(row)) / len(labels)


def gradients(f, x, labels):
    """The derivative with respect to every number of the perceptron."""
    found = []
    for which, variable in enumerate(f):
        rows = [list(row) for row in variable]
        changed = [*f[:which], rows, *f[which + 1:]]
        slopes = []
        for row in rows:
            slopes.append([])
            for j, value in enumerate(row):
                row[j] = value + 1e-30j
                slopes[-1].append(squared_error(forward(*changed, x, cmath.tanh)[1], labels).imag / 1e-30)
                row[j] = value
        found.append(slopes)
    return found


def formula(f, x, hidden, outputs, labels, factor=2.0, slope=lambda h: 1 - h * h, bias=sum, keep=lambda rows: rows):
    """The gradients by the rules, with a place for every slip. `keep` chooses which images count."""
    w1, b1, w2, b2 = f
    d_outputs = [[factor * (o - (k == label)) / len(labels) for k, o in enumerate(row)] for row, label in zip(outputs, labels)]
    d_hidden = [[sum(g * w for g, w in zip(row, weights)) * slope(h) for weights, h in zip(w2, hs)]
                for row, hs in zip(d_outputs, hidden)]
    x, hidden, d_outputs, d_hidden = map(keep, (x, hidden, d_outputs, d_hidden))

    def weights(inputs, back):
        return [[sum(a * b for a, b in zip(column, gradient)) for gradient in zip(*back)] for column in zip(*inputs)]
    return (weights(x, d_hidden), [[bias(column) for column in zip(*d_hidden)]],
            weights(hidden, d_outputs), [[bias(column) for column in zip(*d_outputs)]])


def moved(f, d, rate):
    """The perceptron after a step against the gradients."""
    return [[[a - rate * b for a, b in zip(*rows)] for rows in zip(x, dx)] for x, dx in zip(f, d)]


def predicted(outputs):
    """The column of the largest output of every row."""
    return [max(range(len(row)), key=row.__getitem__) for row in outputs]


def lists(arrays):
    """The rows of what a student's program was asked or answered."""
    return [array.rows() for array in arrays]
