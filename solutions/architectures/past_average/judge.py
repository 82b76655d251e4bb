"""The mean of the past in plain Python: by sums, as a product, as a softmax; gradients by steps along the imaginary axis."""
import cmath
from math import exp, fsum, nan

from recto.judge.judging import Array, Misconception, array_of, matrix, part

CLOSE = 1e-12           # sums and quotients of a few numbers of a few units in double precision, in any order
LONG = 1e-9             # 100,000 additions, each with a rounding error of at most 1e-11
STEEP = 1e-10           # gradients: some products of a few units
EQUAL = 1e-6            # the bound of the register for the loop against the product
PLACES = 100_000
STEP = 1e-100           # along the imaginary axis: no difference is formed, so no digit is lost


def as_matrix(rows, shape):
    return Array(shape, [value for row in rows for value in row])


def ratio(one, other):
    return one / other if other else nan


def mean_of_past(x, first=lambda t: 0, last=lambda t: t, divisor=lambda t, places: t + 1):
    """Row t: the sum of the rows first(t) to last(t), divided."""
    rows, places = x.rows(), x.shape[0]
    return as_matrix([[ratio(fsum(column[max(first(t), 0):last(t) + 1]), divisor(t, places)) for column in zip(*rows)]
                      for t in range(places)], x.shape)


def halved(x):
    """The mean of the mean before and the present row."""
    found = []
    for row in x.rows():
        found.append([(a + b) / 2 for a, b in zip(found[-1], row)] if found else row)
    return as_matrix(found, x.shape)


def across(x):
    """Means along each row instead of down each column."""
    return as_matrix([[fsum(row[:c + 1]) / (c + 1) for c in range(len(row))] for row in x.rows()], x.shape)


def mix(weights, x):
    columns = list(zip(*x.rows()))
    return as_matrix([[fsum(a * b for a, b in zip(row, column)) for column in columns] for row in weights.rows()],
                     (weights.shape[0], x.shape[1]))


def transposed(x):
    return as_matrix(list(zip(*x.rows())), x.shape[::-1])


def mean_matrix(places, seen=lambda t, s: s <= t, weight=lambda t, places: 1 / (t + 1)):
    return as_matrix([[weight(t, places) if seen(t, s) else 0.0 for s in range(places)] for t in range(places)], (places, places))


def softmax(row, power=exp):
    powers = [power(score) for score in row]
    whole = sum(powers) if power is cmath.exp else fsum(powers)
    return [one / whole for one in powers]


def weights_of(rows, power=exp):
    """The rows of the masked softmax."""
    return [softmax(row[:t + 1], power) + [0.0] * (len(row) - t - 1) for t, row in enumerate(rows)]


def masked_softmax(scores):
    return as_matrix(weights_of(scores.rows()), scores.shape)


def masked(kept, rows):
    return [[a if kept(t, s) else 0.0 for s, a in enumerate(row)] for t, row in enumerate(rows)]


def softmax_like(change):
    """A masked softmax with a mistake: from the rows of scores to those of weights."""
    return lambda scores: as_matrix(change(scores.rows()), scores.shape)


def zero_scores(rows):
    """The hidden scores count as 0."""
    return [softmax([score if s <= t else 0.0 for s, score in enumerate(row)]) for t, row in enumerate(rows)]


def future(rows):
    return [[0.0] * t + softmax(row[t:]) for t, row in enumerate(rows)]


def without_itself(rows):
    return [(softmax(row[:t]) if t else [nan] * 0) + [0.0] * (len(row) - t) for t, row in enumerate(rows)]


def down_columns(rows):
    columns = [[0.0] * s + softmax(column[s:]) for s, column in enumerate(zip(*rows))]
    return [list(row) for row in zip(*columns)]


def powers(rows):
    return [[exp(score) if s <= t else 0.0 for s, score in enumerate(row)] for t, row in enumerate(rows)]


def shares(rows):
    """The scores divided by their sum, without exponentials."""
    return [[ratio(score, fsum(row[:t + 1])) if s <= t else 0.0 for s, score in enumerate(row)] for t, row in enumerate(rows)]


def loss(scores, x, dy):
    """The sum of dy times y, for complex numbers."""
    total = 0
    for row, slopes in zip(weights_of(scores, cmath.exp), dy):
        total += sum(a * value * slope for a, values in zip(row, x) for value, slope in zip(values, slopes))
    return total


def slopes_of(rows, value):
    """The derivative of value() with respect to each number of these rows."""
    found = []
    for row in rows:
        found.append([])
        for at, number in enumerate(row):
            row[at] = number + STEP * 1j
            found[-1].append((value() / STEP).imag)
            row[at] = number
    return found


def gradients(scores, x, dy):
    rows, values, slopes = ([list(row) for row in one.rows()] for one in (scores, x, dy))
    return (as_matrix(slopes_of(rows, lambda: loss(rows, values, slopes)), scores.shape),
            as_matrix(slopes_of(values, lambda: loss(rows, values, slopes)), x.shape))


def by_formula(scores, x, dy, minus=lambda row, slopes: fsum(a * d for a, d in zip(row, slopes)), weighted=True, turned=True,
               through=True):
    """The gradients with a mistake: `minus` is what is subtracted from a row of the weights' gradient."""
    weights = weights_of(scores.rows())
    found = []
    for t, (row, dy_row) in enumerate(zip(weights, dy.rows())):
        slopes = [fsum(a * b for a, b in zip(dy_row, values)) if s <= t else 0.0 for s, values in enumerate(x.rows())]
        left = minus(row, slopes)
        found.append([(a if weighted else 1.0) * (d - left) if through else d for a, d in zip(row, slopes)])
    a = as_matrix(weights, scores.shape)
    return as_matrix(found, scores.shape), mix(transposed(a) if turned else a, dy)


misconceptions = [
    # the mean
    Misconception("whole-sequence", "mean_of_past", lambda x: mean_of_past(x, last=lambda t: x.shape[0] - 1,
                                                                           divisor=lambda t, places: places),
                  "every row is the mean of the whole sequence: place 0 already reads the last row. Row t may use the rows 0 to t"),
    Misconception("without-itself", "mean_of_past", lambda x: mean_of_past(x, last=lambda t: t - 1, divisor=lambda t, places: t),
                  "row t is the mean of the rows before it. A place sees itself too; without this, place 0 has nothing to average"),
    Misconception("divided-by-all", "mean_of_past", lambda x: mean_of_past(x, divisor=lambda t, places: places),
                  "the sums are right, but each was divided by the number of all places. Row t adds up t + 1 rows"),
    Misconception("divided-by-t", "mean_of_past", lambda x: mean_of_past(x, divisor=lambda t, places: max(t, 1)),
                  "the sums were divided by t. Places count from 0, so row t adds up t + 1 rows"),
    Misconception("not-divided", "mean_of_past", lambda x: mean_of_past(x, divisor=lambda t, places: 1),
                  "these are the sums of the past. Divide row t by the number of its rows, t + 1"),
    Misconception("from-the-end", "mean_of_past", lambda x: mean_of_past(x, first=lambda t: t, last=lambda t: x.shape[0] - 1,
                                                                         divisor=lambda t, places: places - t),
                  "row t is the mean of the rows t to the last, which is the future. The past are the rows 0 to t"),
    Misconception("two-rows", "mean_of_past", lambda x: mean_of_past(x, first=lambda t: t - 1,
                                                                     divisor=lambda t, places: min(t, 1) + 1),
                  "row t is the mean of row t and the row before it. The past goes back to row 0"),
    Misconception("halved", "mean_of_past", halved,
                  "each row is the mean of the mean before it and of the new row, which gives the newest row a weight of one half. "
                  "In a mean of t + 1 rows it has the weight 1/(t + 1)"),
    Misconception("across", "mean_of_past", across,
                  "the means run along each row. A row is the vector at one place: average down the columns, each one on its own"),
    Misconception("quadratic", part="long", outcome="out of time",
                  says="the whole past is added up again for each row: 5,000,000,000 additions for 100,000 rows. The sum for row t is "
                       "the sum for row t - 1 plus row t, so keep it"),
    # the matrix
    Misconception("weights-transposed", "mix", lambda a, x: mix(transposed(a), x) if a.shape[0] == a.shape[1] else None,
                  "the matrix of weights was transposed: row t of the result uses row t of the weights"),
    Misconception("only-the-past", "mix", lambda a, x: mix(as_matrix(masked(lambda t, s: s <= t, a.rows()), a.shape), x),
                  "the weights above the diagonal were left out. mix is the product for any weights: the mask lies in the weights"),
    Misconception("upper-triangle", "mean_matrix", lambda places: transposed(mean_matrix(places)),
                  "the matrix is transposed: its zeros are below the diagonal. Row t belongs to place t, which sees the columns 0 to t"),
    Misconception("future-triangle", "mean_matrix", lambda places: mean_matrix(places, lambda t, s: s >= t,
                                                                               lambda t, places: 1 / (places - t)),
                  "row t has its weights in the columns t to the last: every place sees the future"),
    Misconception("ones", "mean_matrix", lambda places: mean_matrix(places, weight=lambda t, places: 1.0),
                  "the weights of the past are 1, so the product is a sum. For a mean each row adds up to 1"),
    Misconception("equal-rows", "mean_matrix", lambda places: mean_matrix(places, weight=lambda t, places: 1 / places),
                  "all weights are 1/places. Row t has t + 1 weights that add up to 1"),
    Misconception("no-mask", "mean_matrix", lambda places: mean_matrix(places, lambda t, s: True, lambda t, places: 1 / places),
                  "the matrix has no zeros, so its product is the mean of the whole sequence. Row t has zeros behind column t"),
    Misconception("integer-division", "mean_matrix", lambda places: mean_matrix(places, weight=lambda t, places: float(1 // (t + 1))),
                  "only the first weight is not 0: in C++, 1 / (t + 1) of two integers is an integer. Divide 1.0"),
    # the softmax
    Misconception("mask-afterwards", "masked_softmax",
                  softmax_like(lambda rows: masked(lambda t, s: s <= t, [softmax(row) for row in rows])),
                  "the softmax ran over all scores, and the hidden weights became 0 afterwards. The rows then add up to less than 1, "
                  "and the hidden scores still have an influence. Mask first"),
    Misconception("zero-scores", "masked_softmax", softmax_like(zero_scores),
                  "the hidden scores were set to 0, but the exponential of 0 is 1: a hidden place still has a weight. Leave it out of the "
                  "sum, or set its score to minus infinity"),
    Misconception("zero-scores-masked", "masked_softmax",
                  softmax_like(lambda rows: masked(lambda t, s: s <= t, zero_scores(rows))),
                  "each hidden score counts as 0, and so adds 1 to the sum of the exponentials: the weights of a row add up to less "
                  "than 1. A hidden place is no part of the sum"),
    Misconception("mask-too-weak",
                  says="a hidden weight is tiny, but it is not 0: a finite number was subtracted from the hidden scores, and scores that "
                       "are low enough would feel it. Leave the hidden places out, or give them the score minus infinity"),
    Misconception("no-softmax-mask", "masked_softmax", softmax_like(lambda rows: [softmax(row) for row in rows]),
                  "every place sees all scores: the mask is missing. Row t ends with column t"),
    Misconception("future-softmax", "masked_softmax", softmax_like(future),
                  "row t is a softmax over the columns t to the last: these are the future"),
    Misconception("down-columns", "masked_softmax", softmax_like(down_columns),
                  "the columns add up to 1. The softmax runs along each row: a row holds the weights of one place"),
    Misconception("no-sum", "masked_softmax", softmax_like(powers),
                  "these are the exponentials. Divide them by their sum over the row"),
    Misconception("no-exponential", "masked_softmax", softmax_like(shares),
                  "the scores themselves were divided by their sum. The softmax divides their exponentials, which are positive"),
    Misconception("one-sum", "masked_softmax",
                  softmax_like(lambda rows: [[a / fsum(sum(powers(rows), [])) for a in row] for row in powers(rows)]),
                  "all exponentials were divided by the sum over the whole matrix. Each row has a sum of its own"),
    # the gradients
    Misconception("no-transpose", "gradients", lambda *a: by_formula(*a, turned=False),
                  "the gradient of the scores is right. That of x is A dy here, and it is the transposed A times dy: row s of x "
                  "reached all places t that see s, so it gets a gradient from each of them"),
    Misconception("diagonal-softmax", "gradients", lambda *a: by_formula(*a, minus=lambda row, slopes: 0.0),
                  "the gradient of the scores lacks a term. A score also raises the sum that divides the others of its row: subtract the "
                  "mean of the row's gradient, taken with the weights"),
    Misconception("plain-mean", "gradients",
                  lambda *a: by_formula(*a, minus=lambda row, slopes: fsum(slopes) / max(1, sum(one > 0 for one in row))),
                  "the mean that is subtracted is that of equal weights. The mean must be taken with the weights of the row"),
    Misconception("sum-of-slopes", "gradients", lambda *a: by_formula(*a, minus=lambda row, slopes: fsum(slopes)),
                  "the sum of the row's gradient was subtracted, without the weights. Subtract the sum of weight times gradient"),
    Misconception("weight-forgotten", "gradients", lambda *a: by_formula(*a, weighted=False),
                  "the last factor is missing: the gradient of a score is its weight times (gradient - mean). Without the weight even the "
                  "hidden scores get a gradient"),
    Misconception("softmax-skipped", "gradients", lambda *a: by_formula(*a, through=False),
                  "this is the gradient of the weights. The gradient still has to pass through the softmax to the scores"),
    Misconception("takes-the-library", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's operations are not allowed here: a few loops are all that you need"),
]


def some(student, rows, cols, size=3.0):
    return as_matrix([[round(student.random.uniform(-size, size), 2) for _ in range(cols)] for _ in range(rows)], (rows, cols))


HAND = matrix([[2.0], [4.0], [9.0]])
SCORES = matrix([[5.0, 1.0, -2.0], [0.0, 1.0986122886681098, 7.0], [1.0, 2.0, 0.5]])
SIZES = [(2, 1), (3, 2), (4, 3), (1, 4), (6, 2), (20, 5), (0, 3)]


@part("mean")
def judge_mean(student):
    student.expect("mean_of_past", HAND, gives=mean_of_past(HAND), within=CLOSE, about="the means of the statement")
    for places, width in SIZES:
        x = some(student, places, width)
        student.expect("mean_of_past", x, gives=mean_of_past(x), within=CLOSE, about="the means of the past")


@part("long")
def judge_long(student):
    numbers = [round(student.random.uniform(-3, 3), 2) for _ in range(PLACES)]
    x = Array((PLACES, 1), numbers)
    got = student.ask("mean_of_past", x, gives=array_of(PLACES, 1), again=False)
    places = sorted({0, 1, PLACES - 1, *(student.random.randrange(PLACES) for _ in range(30))})
    for t in places:
        expected = fsum(numbers[:t + 1]) / (t + 1)
        student.check(abs(got.numbers[t] - expected) <= LONG, f"the means of {PLACES:,} rows", f"{expected:.12g}",
                      f"{got.numbers[t]:.12g}", where=f"row {t}")


@part("matrix")
def judge_matrix(student):
    for rows, inner, width in [(2, 2, 1), (2, 2, 2), (3, 3, 2), (2, 3, 4), (5, 4, 3), (0, 0, 2)]:
        weights, x = some(student, rows, inner), some(student, inner, width)
        student.expect("mix", weights, x, gives=mix(weights, x), within=CLOSE * 30, about="the product of weights and rows")
    for places in (3, 2, 1, 5, 12, 0):
        student.expect("mean_matrix", places, gives=mean_matrix(places), within=CLOSE, about="the matrix of the mean")
    largest = 0.0
    for places, width in [(3, 1), (8, 3), (64, 4)]:
        x = some(student, places, width)
        loop = student.ask("mean_of_past", x, gives=array_of(places, width), within=CLOSE)
        weights = student.ask("mean_matrix", places, gives=array_of(places, places), within=CLOSE)
        product = student.ask("mix", weights, x, gives=array_of(places, width), within=CLOSE)
        for at, (one, other) in enumerate(zip(loop.numbers, product.numbers)):
            largest = max(largest, abs(one - other))
            student.check(abs(one - other) <= EQUAL, "mix(mean_matrix(places), x) equals mean_of_past(x)", f"{one:.10g}",
                          f"{other:.10g}", where=f"row {at // width}, column {at % width}")
    student.measured = largest


@part("softmax")
def judge_softmax(student):
    student.expect("masked_softmax", SCORES, gives=masked_softmax(SCORES), within=CLOSE, about="the weights of the statement's row")
    for places, size in [(2, 2), (3, 2), (4, 1), (1, 3), (6, 5), (3, 50), (12, 3), (0, 1)]:
        scores = some(student, places, places, size)
        student.expect("masked_softmax", scores, gives=masked_softmax(scores), within=CLOSE, about="the weights")
    for places in (3, 5):
        zeros = Array((places, places), [0.0] * places ** 2)
        student.expect("masked_softmax", zeros, gives=mean_matrix(places), within=CLOSE, about="the weights of equal scores")
    scores = some(student, 6, 6)
    got = student.ask("masked_softmax", scores, gives=array_of(6, 6), within=CLOSE)
    for t in range(6):
        for s in range(t + 1, 6):
            student.check(got[t, s] == 0, "a hidden weight is exactly 0", "0", f"{got[t, s]:.3g}", "mask-too-weak",
                          f"row {t}, column {s}")


@part("gradient")
def judge_gradient(student):
    slopes = matrix([[0.0], [1.0], [0.0]])
    student.expect("gradients", SCORES, HAND, slopes, gives=gradients(SCORES, HAND, slopes), within=STEEP,
                   about="the gradients of the statement: of the scores, then of x")
    for places, width in [(2, 1), (3, 2), (4, 3), (1, 2), (6, 2), (0, 2)]:
        scores, x, dy = some(student, places, places), some(student, places, width), some(student, places, width)
        student.expect("gradients", scores, x, dy, gives=gradients(scores, x, dy), within=STEEP,
                       about="the gradients: of the scores, then of x")
