"""The answers of slips, from the values v of the forward pass and the incoming gradients d. Here the rules are written as a
hurried student writes them.
"""
from math import exp, tanh

WITHIN, RELATIVE = 1e-6, 1e-9       # of every comparison


def each(function, *matrices):
    """Element by element; a matrix of one row or one column is repeated."""
    rows, cols = max(len(m) for m in matrices), max(len(m[0]) for m in matrices)
    return [[function(*(m[i if len(m) > 1 else 0][j if len(m[0]) > 1 else 0] for m in matrices)) for j in range(cols)]
            for i in range(rows)]


def down(a):
    return [[sum(column) for column in zip(*a)]]


def across(a):
    return [[sum(row)] for row in a]


def flip(a):
    return [list(column) for column in zip(*a)]


def outer(inputs, gradient):
    """The gradient of weights: the inputs transposed, times the gradient of the outputs."""
    return [[sum(x * g for x, g in zip(column, back)) for back in zip(*gradient)] for column in zip(*inputs)]


def times(a, b):
    return each(lambda x, y: x * y, a, b)


def scaled_by(factor, a):
    return [[factor * x for x in row] for row in a]


def one_hot(net, on, off=0.0):
    return [[on if k == target else off for k in range(len(net.values["logs"][0]))] for target in net.targets]


def repeated(a, rows):
    """A matrix of one row, as often as that."""
    return [list(a[0]) for _ in range(rows)]


def last_write(net, d, keep=lambda place: True):
    """Rows of the table where the last letter overwrites those before; only places that are kept."""
    table = [[0.0] * len(row) for row in net.values["table"]]
    letters = [letter for context in net.contexts for letter in context]
    length = len(net.contexts[0])
    for i, letter in enumerate(letters):
        if keep(i % length):
            table[letter] = list(d["embedded"][i])
    return table


def averaged_table(net, d):
    letters = [letter for context in net.contexts for letter in context]
    return [[x / max(1, letters.count(letter)) for x in row] for letter, row in enumerate(net.due("table", d))]


def spread(net, d):
    return each(lambda x, y: x + y, d["lowered"], d["largest"])


def largest_turned(net, d):
    """The way through the largest logit, with its sign turned."""
    best = [[float(x == max(row)) for x in row] for row in net.values["logits"]]
    return each(lambda x, hot, y: x - hot * y, d["lowered"], best, d["largest"])


def by_place(net, d):
    """The pieces of the joined rows, all first places before all second ones."""
    width = len(net.values["table"][0])
    length = len(net.contexts[0])
    return [row[t * width:(t + 1) * width] for t in range(length) for row in d["joined"]]


SLIPS = {
    "logs": [
        ("integer-division", lambda net, v, d: one_hot(net, 0.0)),
        ("every-class", lambda net, v, d: one_hot(net, -1 / len(v["logs"]), -1 / len(v["logs"]))),
        ("mean-of-everything", lambda net, v, d: one_hot(net, -1 / len(v["logs"]) / len(v["logs"][0]))),
        ("no-mean", lambda net, v, d: one_hot(net, -1.0)),
        ("wrong-sign", lambda net, v, d: one_hot(net, 1 / len(v["logs"])))],
    "probabilities": [
        ("log-passed-by", lambda net, v, d: d["logs"]),
        ("log-multiplied", lambda net, v, d: times(d["logs"], v["probabilities"]))],
    "inverse_sum": [
        ("no-sum-over-row", lambda net, v, d: times(d["probabilities"], v["powers"]))],
    "sum": [
        ("reciprocal-sign", lambda net, v, d: each(lambda g, r: g * r * r, d["inverse_sum"], v["inverse_sum"])),
        ("reciprocal-once", lambda net, v, d: each(lambda g, r: -g * r, d["inverse_sum"], v["inverse_sum"])),
        ("reciprocal-logarithm", lambda net, v, d: times(d["inverse_sum"], v["inverse_sum"]))],
    "powers": [
        ("powers-one-way", lambda net, v, d: times(d["probabilities"], v["inverse_sum"])),
        ("powers-other-way", lambda net, v, d: each(lambda g, x: g, d["sum"], v["powers"]))],
    "lowered": [
        ("exp-passed-by", lambda net, v, d: d["powers"]),
        ("exp-of-exp", lambda net, v, d: each(lambda g, x: g * exp(x), d["powers"], v["powers"]))],
    "largest": [
        ("largest-constant", lambda net, v, d: scaled_by(0.0, v["largest"])),
        ("largest-not-summed", lambda net, v, d: scaled_by(-1, d["lowered"])),
        ("largest-sign", lambda net, v, d: across(d["lowered"]))],
    "logits": [
        ("logits-one-way", lambda net, v, d: d["lowered"]),
        ("largest-spread", lambda net, v, d: spread(net, d)),
        ("largest-turned", lambda net, v, d: largest_turned(net, d))],
    "scaled": [
        ("tanh-not-squared", lambda net, v, d: each(lambda g, h: g * (1 - h), d["hidden"], v["hidden"])),
        ("tanh-of-tanh", lambda net, v, d: each(lambda g, h: g * (1 - tanh(h) ** 2), d["hidden"], v["hidden"])),
        ("tanh-before", lambda net, v, d: each(lambda g, x: g * (1 - x * x), d["hidden"], v["scaled"]))],
    "gain": [
        ("gain-not-summed", lambda net, v, d: times(d["scaled"], v["normalised"])),
        ("gain-of-scaled", lambda net, v, d: down(times(d["scaled"], v["scaled"])))],
    "offset": [
        ("offset-through-gain", lambda net, v, d: down(times(d["scaled"], v["gain"])))],
    "weights2": [
        ("before-the-tanh", lambda net, v, d: outer(v["scaled"], d["logits"]))],
    "normalised": [
        ("gain-forgotten", lambda net, v, d: d["scaled"])],
    "inverse": [
        ("inverse-not-summed", lambda net, v, d: times(d["normalised"], v["centred"])),
        ("inverse-of-normalised", lambda net, v, d: down(times(d["normalised"], v["normalised"])))],
    "variance": [
        ("root-forgotten", lambda net, v, d: each(lambda g, s: -g * s ** 4, d["inverse"], v["inverse"])),
        ("root-once", lambda net, v, d: each(lambda g, s: -0.5 * g * s, d["inverse"], v["inverse"])),
        ("root-without-half", lambda net, v, d: each(lambda g, s: -g * s ** 3, d["inverse"], v["inverse"])),
        ("epsilon-forgotten", lambda net, v, d: each(lambda g, x: -0.5 * g * x ** -1.5, d["inverse"], v["variance"])),
        ("root-sign", lambda net, v, d: each(lambda g, s: 0.5 * g * s ** 3, d["inverse"], v["inverse"]))],
    "squared": [
        ("bessel", lambda net, v, d: scaled_by(1 / (len(v["squared"]) - 1), repeated(d["variance"], len(v["squared"])))),
        ("variance-no-mean", lambda net, v, d: repeated(d["variance"], len(v["squared"]))),
        ("squared-one-row", lambda net, v, d: scaled_by(1 / len(v["squared"]), d["variance"]))],
    "centred": [
        ("deviation-constant", lambda net, v, d: times(d["normalised"], v["inverse"])),
        ("centred-other-way", lambda net, v, d: each(lambda g, x: 2 * g * x, d["squared"], v["centred"])),
        ("two-forgotten", lambda net, v, d: each(lambda g, s, q, x: g * s + q * x, d["normalised"], v["inverse"],
                                                 d["squared"], v["centred"]))],
    "mean": [
        ("mean-sign", lambda net, v, d: down(d["centred"])),
        ("mean-of-gradients", lambda net, v, d: scaled_by(-1 / len(d["centred"]), down(d["centred"]))),
        ("mean-not-summed", lambda net, v, d: scaled_by(-1, d["centred"]))],
    "linear": [
        ("mean-constant", lambda net, v, d: d["centred"]),
        ("mean-not-shared", lambda net, v, d: each(lambda g, m: g + m, d["centred"], d["mean"]))],
    "embedded": [
        ("by-place", lambda net, v, d: by_place(net, d))],
    "table": [
        ("overwritten", lambda net, v, d: last_write(net, d)),
        ("last-place-alone", lambda net, v, d: last_write(net, d, lambda place: place == len(net.contexts[0]) - 1)),
        ("averaged", lambda net, v, d: averaged_table(net, d))],
}
SUMMED = ["gain", "offset", "bias1", "bias2", "inverse", "mean"]    # one row for the whole batch


def anywhere(net, name, d, got, expected):
    """Slips that are possible with every gradient."""
    n = len(net.targets)
    if name in SUMMED and n > 1:
        yield f"{name}-mean", scaled_by(1 / n, expected)
    yield "transposed", flip(expected)
    yield "divided-by-n-again", scaled_by(1 / n, expected)
    yield "n-times", scaled_by(n, expected)
    yield "opposite", scaled_by(-1, expected)
    yield "zeros", scaled_by(0.0, expected)
    yield "whole-network", net.all_due()[name]


def no_sum(name, got, net):
    """Whether it has a row for every sample instead of one row for the whole batch."""
    return name in SUMMED and len(net.targets) > 1 and got.shape == (len(net.targets), len(net.values[name][0]))


def near(got, expected):
    """Whether both are the same up to rounding."""
    if got.shape != (len(expected), len(expected[0])):
        return False
    return all(abs(x - y) <= WITHIN + RELATIVE * abs(y) for x, y in zip(got.numbers, sum(expected, [])))


def suspect(net, name, d, got, expected):
    """The slip that gives this answer, or nothing."""
    slips = SLIPS.get(name, [])
    if name in ("bias1", "bias2", "offset", "gain") and no_sum(name, got, net):
        return "bias-not-summed" if name != "gain" else "gain-not-summed"
    for slip, how in slips:
        try:
            theirs = how(net, net.values, d)
        except ZeroDivisionError:
            continue
        if near(got, theirs):
            return slip
    for slip, theirs in anywhere(net, name, d, got, expected):
        if near(got, theirs) and not slip.endswith("-mean"):
            return slip
        if near(got, theirs):
            return "bias-mean" if slip in ("bias1-mean", "bias2-mean", "offset-mean") else "divided-by-n-again"
    return ""


def probabilities(logits):
    """The softmax without a quotient that could overflow: one over the sum of exp(x_j - x_i)."""
    return [[1 / sum(exp(min(700.0, y - x)) for y in row) for x in row] for row in logits]


def fused_slips(logits, targets):
    """The answers of slips in fused_softmax."""
    p, n = probabilities(logits), len(targets)
    hot = [[float(k == target) for k in range(len(row))] for row, target in zip(p, targets)]
    yield "one-hot-forgotten", scaled_by(1 / n, p)
    yield "one-hot-not-divided", each(lambda x, y: x / n - y, p, hot)
    yield "fused-no-mean", each(lambda x, y: x - y, p, hot)
    yield "fused-sign", each(lambda x, y: (y - x) / n, p, hot)
    yield "target-alone", each(lambda x, y: (x - y) * y / n, p, hot)


def norm_slips(net, d_scaled):
    """The answers of slips in fused_norm."""
    v, n = net.values, len(d_scaled)
    front = each(lambda g, s: g * s, v["gain"], v["inverse"])
    sums = repeated(down(d_scaled), n)
    along = repeated(down(times(d_scaled, v["normalised"])), n)
    exact = each(lambda f, g, a, z, b: f * (g - (a + z * b) / n), front, d_scaled, sums, v["normalised"], along)
    yield "statistics-constant", times(front, d_scaled)
    yield "mean-alone", each(lambda f, g, a: f * (g - a / n), front, d_scaled, sums)
    yield "variance-alone", each(lambda f, g, z, b: f * (g - z * b / n), front, d_scaled, v["normalised"], along)
    if n > 1:
        yield "fused-bessel", each(lambda f, g, a, z, b: f * (g - a / n - z * b / (n - 1)), front, d_scaled, sums,
                                   v["normalised"], along)
    yield "fused-gain-forgotten", each(lambda x, g: x / g, exact, v["gain"])
    yield "fused-n-times", scaled_by(n, exact)
    yield "sums-not-divided", each(lambda f, g, a, z, b: f * (g - a - z * b), front, d_scaled, sums, v["normalised"], along)
