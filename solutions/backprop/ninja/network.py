"""The network of the exercise as a list of operations on matrices, and every gradient of it, from numbers with a record.

The contribution of an operation to the gradient of an input comes from running the operation on numbers that record their
inputs; this file holds no formula of the backward pass. A gradient is the sum of the contributions of all operations that
use the matrix.
"""
from math import exp, log, tanh

from recto.judge.judging import matrix


class Number:
    """A number, what it was made from, and how much it changes with that."""

    def __init__(self, value, tape, *parents):
        self.value, self.tape, self.parents, self.gradient = value, tape, parents, 0.0
        tape.append(self)

    def __add__(self, other):
        return Number(self.value + other.value, self.tape, (self, 1.0), (other, 1.0))

    def __sub__(self, other):
        return Number(self.value - other.value, self.tape, (self, 1.0), (other, -1.0))

    def __mul__(self, other):
        return Number(self.value * other.value, self.tape, (self, other.value), (other, self.value))

    def times(self, factor):
        return Number(self.value * factor, self.tape, (self, factor))

    def power(self, exponent, more=0.0):
        base = self.value + more
        return Number(base ** exponent, self.tape, (self, exponent * base ** (exponent - 1)))


def through(numbers, function, slope):
    """Each number through a function, where the slope is found from argument and result."""
    return [[Number(y, x.tape, (x, slope(x.value, y))) for x in row for y in [function(x.value)]] for row in numbers]


def total(numbers):
    result = numbers[0]
    for number in numbers[1:]:
        result = result + number
    return result


# The operations, forwards. Every argument is a list of rows of Numbers.

def columns(a):
    return [list(column) for column in zip(*a)]


def product(a, b):
    return [[total([x * y for x, y in zip(row, column)]) for column in columns(b)] for row in a]


def plus_row(a, row):
    return [[x + y for x, y in zip(line, row[0])] for line in a]


def column_means(a):
    return [[total(column).times(1 / len(a)) for column in columns(a)]]


def operations(contexts, targets):
    """(what comes out, what goes in, how) in the order of the way forwards."""
    n, length = len(contexts), len(contexts[0])
    return [
        ("embedded", ["table"], lambda table: [table[letter] for context in contexts for letter in context]),
        ("joined", ["embedded"], lambda e: [sum(e[i * length:(i + 1) * length], []) for i in range(n)]),
        ("linear", ["joined", "weights1", "bias1"], lambda x, w, b: plus_row(product(x, w), b)),
        ("mean", ["linear"], column_means),
        ("centred", ["linear", "mean"], lambda a, m: [[x - y for x, y in zip(row, m[0])] for row in a]),
        ("squared", ["centred"], lambda a: [[x * x for x in row] for row in a]),
        ("variance", ["squared"], column_means),
        ("inverse", ["variance"], lambda v: [[x.power(-0.5, 1e-5) for x in v[0]]]),
        ("normalised", ["centred", "inverse"], lambda a, s: [[x * y for x, y in zip(row, s[0])] for row in a]),
        ("scaled", ["normalised", "gain", "offset"],
         lambda a, g, b: plus_row([[x * y for x, y in zip(row, g[0])] for row in a], b)),
        ("hidden", ["scaled"], lambda a: through(a, tanh, lambda x, y: 1 - y * y)),
        ("logits", ["hidden", "weights2", "bias2"], lambda x, w, b: plus_row(product(x, w), b)),
        ("largest", ["logits"], lambda a: [[max(row, key=lambda x: x.value).times(1)] for row in a]),
        ("lowered", ["logits", "largest"], lambda a, m: [[x - y[0] for x in row] for row, y in zip(a, m)]),
        ("powers", ["lowered"], lambda a: through(a, exp, lambda x, y: y)),
        ("sum", ["powers"], lambda a: [[total(row)] for row in a]),
        ("inverse_sum", ["sum"], lambda a: [[row[0].power(-1.0)] for row in a]),
        ("probabilities", ["powers", "inverse_sum"], lambda a, s: [[x * y[0] for x in row] for row, y in zip(a, s)]),
        ("logs", ["probabilities"], lambda a: through(a, log, lambda x, y: 1 / x)),
        ("loss", ["logs"], lambda a: [[total([row[target] for row, target in zip(a, targets)]).times(-1 / n)]]),
    ]


PARAMETERS = ["table", "weights1", "bias1", "gain", "offset", "weights2", "bias2"]
STEPS = {   # the function: what comes in, what it fills
    "through_loss": (None, ["logs", "probabilities"]),
    "through_division": ("probabilities", ["inverse_sum", "sum", "powers"]),
    "through_exponential": ("powers", ["lowered", "largest", "logits"]),
    "through_output": ("logits", ["hidden", "weights2", "bias2"]),
    "through_tanh": ("hidden", ["scaled", "gain", "offset", "normalised"]),
    "through_deviation": ("normalised", ["inverse", "variance", "squared", "centred"]),
    "through_mean": ("centred", ["mean", "linear"]),
    "through_input": ("linear", ["joined", "weights1", "bias1"]),
    "through_table": ("joined", ["embedded", "table"]),
}


class Network:
    """One model with one batch: its values forwards, and what each gradient must be."""

    def __init__(self, contexts, targets, model):
        self.contexts, self.targets, self.model = contexts, targets, model
        self.operations = operations(contexts, targets)
        self.values = dict(model)
        for result, inputs, how in self.operations:
            self.values[result] = plain(how(*(fresh(self.values[name], []) for name in inputs)))

    def arguments(self):
        """What is sent for it."""
        letters = [letter for context in self.contexts for letter in context]
        return [letters, self.targets, *(matrix(self.model[name]) for name in PARAMETERS)]

    def due(self, name, d):
        """The gradient of a matrix, from the gradients d of what is made from it."""
        sums = [[0.0] * len(row) for row in self.values[name]]
        for result, inputs, how in self.operations:
            if name in inputs:
                tape = []
                leaves = {each: fresh(self.values[each], tape) for each in inputs}
                for row, back in zip(how(*leaves.values()), [[1.0]] if result == "loss" else d[result]):
                    for number, gradient in zip(row, back):
                        number.gradient += gradient
                for number in reversed(tape):
                    for parent, slope in number.parents:
                        parent.gradient += slope * number.gradient
                sums = [[x + leaf.gradient for x, leaf in zip(*rows)] for rows in zip(sums, leaves[name])]
        return sums

    def all_due(self):
        """Every gradient of the whole network."""
        d = {}
        for _, names in STEPS.values():
            for name in names:
                d[name] = self.due(name, d)
        return d


def fresh(rows, tape):
    return [[Number(x, tape) for x in row] for row in rows]


def plain(rows):
    return [[number.value for number in row] for row in rows]
