"""Attention place by place in plain Python and double precision; gradients by steps along the imaginary axis."""
import cmath
from math import exp, inf, nan, sqrt

from recto.judge.judging import ARRAY, Array, Misconception, part

# Rounding in single precision, 6e-8 relative: of a weight, whose score is a sum of products; of an output of about one; of outputs
# that pass a second product; of gradients, which are sums over all places.
WEIGHTS, HEAD, HEADS, STEEP = 2e-6, 1e-6, 5e-6, 2e-5
STEP = 1e-100
NAMES = ("query", "key", "value", "output", "x")


def nested(array):
    """Rows of a matrix; a list of such rows for each sequence of a batch."""
    if len(array.shape) == 2:
        return array.rows()
    _, time, width = array.shape
    rows = [array.numbers[at:at + width] for at in range(0, len(array.numbers), width)]
    return [rows[at:at + time] for at in range(0, len(rows), time)]


def flat(batch, width):
    """An array (batch, time, width) of single precision."""
    return Array((len(batch), len(batch[0]), width), [value for rows in batch for row in rows for value in row], "F")


def product(a, b):
    columns = list(zip(*b))
    return [[sum(one * other for one, other in zip(row, column)) for column in columns] for row in a]


def ratio(one, other):
    return one / other if other and abs(other) != inf else nan


def softmax(row, power=exp):
    top = max(value.real for value in row) if row else 0.0
    powers = [power(value - top) for value in row]
    return [one / sum(powers) for one in powers]


def masked(row, t, sees):
    return [value if sees(t, s) else 0.0 for s, value in enumerate(row)]


def first_mask(row, t, sees, power):
    """A softmax over the places that are seen."""
    seen = [s for s in range(len(row)) if sees(t, s)]
    found = [0.0] * len(row)
    for s, one in zip(seen, softmax([row[s] for s in seen], power)):
        found[s] = one
    return found if seen else [nan] * len(row)


def sees(t, s):
    return s <= t


def weights_of(rows, query, key, power=exp, divisor=lambda width, size, time: sqrt(size), sees=sees, normal=first_mask, swap=False):
    """The weights of one sequence."""
    q, k = product(rows, query), product(rows, key)
    if swap:
        q, k = k, q
    by = divisor(len(query), len(query[0]), len(rows))
    scores = [[sum(a * b for a, b in zip(one, other)) / by for other in k] for one in q]
    return [normal(row, t, sees, power) for t, row in enumerate(scores)]


def head_weights(x, query, key, **ways):
    batch = nested(x)
    return flat([weights_of(rows, nested(query), nested(key), **ways) for rows in batch], x.shape[1])


def head(x, query, key, value, **ways):
    batch = nested(x)
    return flat([product(weights_of(rows, nested(query), nested(key), **ways), product(rows, nested(value))) for rows in batch],
                value.shape[1])


def attended(heads, query, key, value, output, rows, power=exp, own=lambda matrix, h, heads: None, divisor=None, joined=None,
             final=True, chosen=lambda h, heads: h):
    """The outputs of the heads for one sequence."""
    width = len(rows[0])
    size = width // heads
    found = []
    for h in range(heads):
        cut = [own(matrix, chosen(h, heads), heads) or [row[chosen(h, heads) * size:(chosen(h, heads) + 1) * size] for row in matrix]
               for matrix in (query, key, value)]
        weights = weights_of(rows, cut[0], cut[1], power, divisor or (lambda width, size, time: sqrt(size)))
        found.append(product(weights, product(rows, cut[2])))
    side = [(joined or (lambda parts: sum(parts, [])))([part_[t] for part_ in found]) for t in range(len(rows))]
    return product(side, output) if final else side


def attention(heads, query, key, value, output, x, **ways):
    four = list(map(nested, (query, key, value, output)))
    return flat([attended(heads, *four, rows, **ways) for rows in nested(x)], x.shape[2])


def gradients(heads, *arrays):
    """The derivatives of the sum of dy times the attention, with respect to the four matrices and x."""
    *four, batch, slopes = [nested(array) for array in arrays]

    def value(rows, dy, four):
        y = attended(heads, *four, rows, power=cmath.exp)
        return sum(a * b for one, other in zip(y, dy) for a, b in zip(one, other))
    found = []
    for which, rows in enumerate(four):
        found.append(Array(arrays[which].shape, [
            derivative(row, at, lambda: sum(value(sequence, dy, four) for sequence, dy in zip(batch, slopes)))
            for row in rows for at in range(len(row))], "F"))
    found.append(Array(arrays[4].shape, [derivative(row, at, lambda: value(sequence, dy, four))
                                         for sequence, dy in zip(batch, slopes) for row in sequence for at in range(len(row))], "F"))
    return tuple(found)


def derivative(row, at, value):
    """With respect to one number of a row."""
    before = row[at]
    row[at] = before + STEP * 1j
    found = (value() / STEP).imag
    row[at] = before
    return found


def interleaved(matrix, h, heads):
    """The columns h, h + heads, ..."""
    return [row[h::heads] for row in matrix]


def long_sequence(x):
    """All sequences of the batch as one."""
    batch, time, width = x.shape
    return Array((1, batch * time, width), x.numbers, "F")


def restored(found, x):
    """An output for such a sequence, cut into the sequences of the batch."""
    return Array((*x.shape[:2], found.shape[2]), found.numbers, "F")


def both(name, says, change=None, **ways):
    """One mistake in the weights, as it shows in the weights and in the output."""
    return [Misconception(name, "head_weights", lambda x, q, k: head_weights(x, q, k, **ways), says),
            Misconception(name, "head", lambda x, q, k, v: head(x, q, k, v, **ways), says)]


def all_then_mask(row, t, sees, power):
    """Softmax first, mask afterwards."""
    return masked(softmax(row, power), t, sees)


def scores_to_zero(row, t, sees, power):
    """Hidden scores of 0 take part."""
    return softmax(masked(row, t, sees), power)


def no_softmax(row, t, sees, power):
    return masked(row, t, sees)


def over_queries(rows, query, key):
    """A softmax down each column, over the places that see its key."""
    q, k = product(rows, query), product(rows, key)
    scores = [[sum(a * b for a, b in zip(one, other)) / sqrt(len(query[0])) for other in k] for one in q]
    columns = [first_mask(list(column), s, lambda s, t: t >= s, exp) for s, column in enumerate(zip(*scores))]
    return [list(row) for row in zip(*columns)]


def root_after(rows, query, key):
    return [[a / sqrt(len(query[0])) for a in row] for row in weights_of(rows, query, key, divisor=lambda *_: 1)]


def changed(name, says, change):
    """The same for a function that gives the rows of weights of one sequence."""
    def rows_of(x, q, k):
        return [change(rows, nested(q), nested(k)) for rows in nested(x)]
    return [Misconception(name, "head_weights", lambda x, q, k: flat(rows_of(x, q, k), x.shape[1]), says),
            Misconception(name, "head", lambda x, q, k, v: flat(
                [product(weights, product(rows, nested(v))) for weights, rows in zip(rows_of(x, q, k), nested(x))], v.shape[1]), says)]


def values_of(make):
    """An output whose values are made in another way."""
    def give(x, query, key, value):
        made = [product(weights_of(rows, nested(query), nested(key)), make(rows, nested(query), nested(key), nested(value)))
                for rows in nested(x)]
        return flat(made, len(made[0][0]))
    return give


def weights_turned(x, query, key, value):
    """Transposed weights times the values."""
    return flat([product([list(row) for row in zip(*weights_of(rows, nested(query), nested(key)))], product(rows, nested(value)))
                 for rows in nested(x)], value.shape[1])


misconceptions = [
    *both("no-root", "the products of queries and keys were not divided by the root of the size of a query",
          divisor=lambda width, size, time: 1),
    *both("by-the-size", "the products of queries and keys were divided by the size. Divide by its square root",
          divisor=lambda width, size, time: size),
    *both("root-of-the-width", "the products were divided by the root of the width of x. A query has `size` numbers, the columns of "
                               "`query`: divide by the root of these", divisor=lambda width, size, time: sqrt(width)),
    *both("root-of-the-time", "the products were divided by the root of the number of places. Divide by the root of the size of a "
                              "query", divisor=lambda width, size, time: sqrt(time)),
    *changed("root-afterwards", "the weights were divided by the root, after the softmax: they no longer add up to 1. Divide the scores",
             root_after),
    *both("no-mask", "every place reads the whole sequence: the mask is missing", sees=lambda t, s: True),
    *both("future", "the mask is turned round: place t reads the places t to the last, and must read 0 to t", sees=lambda t, s: s >= t),
    *both("not-itself", "a place does not read itself here. Place t sees the places 0 to t; otherwise place 0 sees nothing",
          sees=lambda t, s: s < t),
    *both("mask-afterwards", "the softmax ran over all places, and the hidden weights became 0 afterwards: a row no longer adds up to 1. "
                             "Mask the scores, before the softmax", normal=all_then_mask),
    *both("zero-scores", "the scores were multiplied by the mask. A hidden score is then 0, whose exponential is 1: the place still has a "
                         "weight. Use minus infinity", normal=scores_to_zero),
    *both("no-softmax", "these are the masked scores. A softmax turns them into weights that add up to 1", normal=no_softmax),
    *changed("over-queries", "the columns add up to 1. The softmax runs along each row, over the places that one place reads",
             over_queries),
    *both("swapped", "queries and keys were exchanged: row t must hold the query of place t times the keys of all places", swap=True),
    *changed("keys-alone", "the query matrix was used for the keys too: `key` has no influence",
             lambda rows, query, key: weights_of(rows, query, query)),
    Misconception("weights-turned", "head", weights_turned,
                  "the matrix of weights was transposed before the product with the values: row t holds what place t reads"),
    Misconception("value-skipped", "head", values_of(lambda rows, query, key, value: rows),
                  "x itself was averaged. Average the values, x times the value matrix"),
    Misconception("keys-averaged", "head", values_of(lambda rows, query, key, value: product(rows, key)),
                  "the keys were averaged. Keys decide how much is read; what is read are the values, x times the value matrix"),
    Misconception("root-of-all-heads", "attention",
                  lambda *a: attention(*a, divisor=lambda width, size, time: sqrt(width)) if a[0] > 1 else None,
                  "each head divided its scores by the root of the whole width. The queries of a head have width / heads numbers"),
    Misconception("one-head", "attention", lambda *a: attention(1, *a[1:]) if a[0] > 1 else None,
                  "all columns formed one large head. Cut the three matrices: each head has a softmax of its own"),
    Misconception("first-head-only", "attention", lambda *a: attention(*a, chosen=lambda h, heads: 0) if a[0] > 1 else None,
                  "every head used the columns of head 0. Head h begins at column h times the size"),
    Misconception("interleaved", "attention", lambda *a: attention(*a, own=interleaved) if a[0] > 1 else None,
                  "head h used every so-many-th column. Its columns are neighbours: h times the size and those that follow"),
    Misconception("heads-backwards", "attention",
                  lambda *a: attention(*a, joined=lambda parts: sum(parts[::-1], [])) if a[0] > 1 else None,
                  "the outputs of the heads stand in reverse order: head 0 comes first"),
    Misconception("by-the-feature", "attention",
                  lambda *a: attention(*a, joined=lambda parts: [value for group in zip(*parts) for value in group]) if a[0] > 1 else None,
                  "the outputs of the heads are interleaved number by number: all numbers of head 0 come first, then those of head 1"),
    Misconception("no-output", "attention", lambda *a: attention(*a, final=False),
                  "the product with the output matrix is missing"),
    Misconception("cut-tape", part="gradient",
                  says="no gradient arrived there. Copying numbers out by hand, values() or detach() cut the tape: use the operations "
                       "of the library all the way from x and the matrices to the result"),
    Misconception("across-the-batch", "head",
                  lambda x, q, k, v: restored(head(long_sequence(x), q, k, v), x) if x.shape[0] > 1 else None,
                  "the batch was read as one long sequence: a place reads the sequences before its own. Each sequence is on its own. "
                  "Keep the axis of the batch, and matmul treats its matrices one by one"),
    Misconception("across-the-batch", "attention",
                  lambda *a: restored(attention(*a[:5], long_sequence(a[5])), a[5]) if a[5].shape[0] > 1 else None,
                  "the batch was read as one long sequence: a place reads the sequences before its own. Each sequence is on its own. "
                  "Keep the axis of the batch, and matmul treats its matrices one by one"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's ready attention is not allowed here: build it from the listed operations"),
]


def some(student, *shape, size=1.0):
    """Numbers that single precision holds exactly."""
    count = 1
    for extent in shape:
        count *= extent
    return Array(shape, [round(student.random.uniform(-size, size) * 64) / 64 for _ in range(count)], "F")


X = Array((1, 2, 2), [1.0, 0.0, 1.0, 2.0], "F")
QUERY, KEY, VALUE = (Array((2, 1), numbers, "F") for numbers in ([0.0, 1.0], [0.0, 0.5], [3.0, 1.0]))
SIZES = [(1, 2, 2, 3), (1, 3, 3, 2), (2, 3, 2, 4), (3, 1, 2, 2), (1, 7, 4, 3), (2, 4, 3, 1), (1, 3, 4, 8)]    # batch, time, width, size


@part("weights")
def judge_weights(student):
    x, query, key = some(student, 1, 3, 2), some(student, 2, 5), some(student, 2, 5)      # each mask and each root differs
    student.expect("head_weights", x, query, key, gives=head_weights(x, query, key), within=WEIGHTS, about="the weights")
    student.expect("head_weights", X, QUERY, KEY, gives=head_weights(X, QUERY, KEY), within=WEIGHTS,
                   about="the weights of the statement's example")
    for batch, time, width, size in SIZES:
        x, query, key = some(student, batch, time, width), some(student, width, size), some(student, width, size)
        student.expect("head_weights", x, query, key, gives=head_weights(x, query, key), within=WEIGHTS, about="the weights")
    x, query, key = some(student, 2, 3, 2), some(student, 2, 2), some(student, 2, 2)
    x.numbers[:6] = [0.5, -1.0, 1.0, 0.25, -0.75, 1.0]
    query.numbers[:], key.numbers[:] = [4.0, 1.0, -2.0, 3.0], [3.0, -2.0, 1.0, 4.0]
    student.expect("head_weights", x, query, key, gives=head_weights(x, query, key), within=WEIGHTS * 20,
                   about="the weights for larger scores")


@part("head")
def judge_head(student):
    student.expect("head", X, QUERY, KEY, VALUE, gives=head(X, QUERY, KEY, VALUE), within=2e-6,
                   about="the outputs of the statement's example")
    largest = 0.0
    for batch, time, width, size in [(1, 2, 2, 2), (1, 3, 2, 2), (2, 3, 3, 2), (1, 5, 3, 3), (3, 1, 2, 3), (1, 6, 4, 1), (2, 4, 4, 4)]:
        x = some(student, batch, time, width)
        query, key, value = (some(student, width, size, size=0.75) for _ in range(3))
        right = head(x, query, key, value)
        got = student.expect("head", x, query, key, value, gives=right, within=HEAD, about="the outputs of the head")
        if got.shape == right.shape:
            largest = max(largest, *(abs(one - other) for one, other in zip(got.numbers, right.numbers)))
    student.measured = largest


@part("heads")
def judge_heads(student):
    for heads, size, batch, time in [(1, 2, 1, 2), (2, 1, 1, 3), (2, 2, 1, 3), (3, 1, 2, 2), (2, 3, 2, 4), (3, 2, 1, 5), (4, 2, 2, 3),
                                     (1, 5, 1, 4), (1, 1, 2, 1)]:
        width = heads * size
        four = [some(student, width, width) for _ in range(4)]
        x = some(student, batch, time, width)
        student.expect("attention", heads, *four, x, gives=attention(heads, *four, x), within=HEADS, about="the output of all heads")


@part("gradient")
def judge_gradient(student):
    for heads, size, batch, time in [(1, 1, 1, 2), (1, 2, 1, 3), (2, 1, 2, 2), (2, 2, 1, 3)]:
        width = heads * size
        arrays = [*(some(student, width, width) for _ in range(4)), some(student, batch, time, width), some(student, batch, time, width)]
        right = gradients(heads, *arrays)
        got = student.ask("gradients", heads, *arrays, gives=(ARRAY,) * len(NAMES), within=STEEP)
        for name, mine, theirs in zip(NAMES, right, got, strict=True):
            student.check(theirs.shape == mine.shape, f"the gradient of {name}", f"shape {' x '.join(map(str, mine.shape))}",
                          "none", "cut-tape")
            student.compare(theirs, mine, STEEP, 0, f"the gradient of {name}", "gradients", (heads, *arrays))
