"""A chain of blocks in plain Python: its answers, its gradients by steps along the imaginary axis, and the rules of the backward pass
with a place for every slip."""
import cmath
from math import exp, sqrt

STEP = 1e-30
EPSILON = 1e-5


def product(a, b):
    columns = list(zip(*b))
    return [[sum(one * other for one, other in zip(row, column)) for column in columns] for row in a]


def turned(a):
    return [list(column) for column in zip(*a)]


def plus(a, b):
    return [[one + other for one, other in zip(row, line)] for row, line in zip(a, b)]


def relu(a):
    return [[value if value.real > 0 else 0.0 for value in row] for row in a]


def mean(values):
    return sum(values) / len(values)


def spread(values, less=0):
    """The variance; `less` is taken from the number of values."""
    middle = mean(values)
    return sum((value - middle) ** 2 for value in values) / max(1, len(values) - less)


def normalised_column(column, root=sqrt, less=0, divisor=None):
    middle, variance = mean(column), spread(column, less)
    below = divisor(variance) if divisor else root(variance + EPSILON)
    return [(value - middle) / below for value in column]


def normalise(z, by_rows=False, **ways):
    if by_rows:
        return [normalised_column(row, **ways) for row in z]
    return turned([normalised_column(column, **ways) for column in turned(z)])


def normalise_backward(z, dy, centre=True, project=True, scale=True, less=0):
    """By the rule; each of its three steps can be left out."""
    found = []
    for column, slopes in zip(turned(z), turned(dy)):
        y = normalised_column(column)
        first = mean(slopes) if centre else 0.0
        second = mean([a * b for a, b in zip(slopes, y)]) if project else 0.0
        below = sqrt(spread(column, less) + EPSILON) if scale else 1.0
        found.append([(slope - first - one * second) / below for slope, one in zip(slopes, y)])
    return turned(found)


def blocks_of(stacked, m):
    return [stacked[at:at + m] for at in range(0, len(stacked), m)]


def forward(skips, normalised, enter, stacked, leave, x, norm=normalise, before=relu, after=lambda f: f, around=lambda h: h):
    """The signals, and the scores."""
    signals = [product(x, enter)]
    for weights in blocks_of(stacked, len(stacked[0])):
        h = signals[-1]
        f = product(before(h), weights)
        f = after(norm(f) if normalised else f)
        signals.append(plus(f, around(h)) if skips else f)
    return signals, product(signals[-1], leave)


def loss(scores, labels):
    """The mean cross-entropy, of complex scores too."""
    total = 0
    for row, label in zip(scores, labels):
        top = max(value.real for value in row)
        total += cmath.log(sum(cmath.exp(value - top) for value in row)) + top - row[label]
    return total / len(labels)


def steep(rows, value):
    """The derivatives of value() with respect to the numbers in these rows."""
    found = []
    for row in rows:
        found.append([])
        for j, number in enumerate(row):
            row[j] = number + STEP * 1j
            found[-1].append(value().imag / STEP)
            row[j] = number
    return found


def complex_normalise(z):
    return normalise(z, root=cmath.sqrt)


def gradients(skips, normalised, enter, stacked, leave, x, labels):
    rows = [list(row) for row in stacked]
    return steep(rows, lambda: loss(forward(skips, normalised, enter, rows, leave, x, complex_normalise)[1], labels))


def normalise_gradient(z, dy):
    rows = [list(row) for row in z]
    return steep(rows, lambda: sum(a * b for line, other in zip(complex_normalise(rows), dy) for a, b in zip(line, other)))


def by_rules(skips, normalised, enter, stacked, leave, x, labels, times=lambda n: 1 / n, norm=normalise_backward, mask=lambda h: h,
             path=True, around=True, read=relu, back=turned, found_as=lambda g: g, target=1.0):
    """The gradients by the rules; each argument after the labels is a place for a slip."""
    signals, scores = forward(skips, normalised, enter, stacked, leave, x)
    dh = []
    for row, label in zip(scores, labels):
        powers = [exp(value - max(row)) for value in row]
        dh.append([(one / sum(powers) - target * (k == label)) * times(len(labels)) for k, one in enumerate(powers)])
    dh = product(dh, turned(leave))
    found = []
    for weights, h in reversed(list(zip(blocks_of(stacked, len(stacked[0])), signals))):
        z = product(relu(h), weights)
        dz = norm(z, dh) if normalised else dh
        found = found_as(product(turned(read(h)), dz)) + found
        before = [[value if one > 0 else 0.0 for value, one in zip(row, line)]
                  for row, line in zip(product(dz, back(weights)), mask(h))]
        if not path:
            before = [[0.0] * len(row) for row in before]
        dh = plus(before, dh) if skips and around else before
    return found


def pixels(images, count):
    """The numbers of images that are stored one byte a pixel, as the driver reads them; a matrix as it is."""
    if not isinstance(images, (bytes, bytearray)):
        return images.rows()
    return [[(byte / 255 - 0.286) / 0.353 for byte in images[at:at + count]] for at in range(0, len(images), count)]


WAYS = ((0, 0), (0, 1), (1, 0), (1, 1))


def norm_of(rows):
    return sqrt(sum(value * value for row in rows for value in row))


def table(enter, stacked, leave, x, labels, ways=WAYS, size=norm_of):
    m = len(stacked[0])
    return [[size(one) for one in blocks_of(by_rules(*kind, enter, stacked, leave, x, labels), m)] for kind in ways]
