"""Softmax by rows, in the order of the definition, with each row's largest number subtracted."""
from math import exp, inf, log, log10, nan

from recto.judge.judging import Array, Misconception, array_of, matrix, part


def row_softmax(row):
    largest = max(row)
    powers = [exp(x - largest) for x in row]
    return [power / sum(powers) for power in powers]


def softmax(x):
    return Array(x.shape, [power for row in x.rows() for power in row_softmax(row)])


def without_maximum(x):
    powers = [[exp(value) if value < 709 else inf for value in row] for row in x.rows()]
    return matrix([[power / sum(row) for power in row] for row in powers])


def over_all(x):
    largest = max(x.numbers)
    powers = [[exp(value - largest) for value in row] for row in x.rows()]
    whole = sum(map(sum, powers))
    return matrix([[power / whole for power in row] for row in powers])


def over_columns(x):
    columns = [row_softmax(column) for column in zip(*x.rows())]
    return matrix([list(row) for row in zip(*columns)])


def unscaled(x):
    return matrix([[exp(value - max(row)) for value in row] for row in x.rows()])


def common_maximum(x):
    largest = max(x.numbers)
    powers = [[exp(value - largest) for value in row] for row in x.rows()]
    return matrix([[power / sum(row) if sum(row) else float("nan") for power in row] for row in powers])


def from_zero(x):
    powers = [[exp(value - max(0, *row)) for value in row] for row in x.rows()]
    return matrix([[power / sum(row) if sum(row) else float("nan") for power in row] for row in powers])


def first_column(x):
    powers = [[exp(value - row[0]) if value - row[0] < 709 else inf for value in row] for row in x.rows()]
    return matrix([[power / sum(row) for power in row] for row in powers])


def lowered_by(shift):
    """The softmax with shift(row) subtracted, and with the bounds of a double."""
    def powers(row):
        return [nan if value - shift(row) != value - shift(row) else exp(value - shift(row)) if value - shift(row) < 709 else inf
                for value in row]
    return lambda x: matrix([[power / sum(found) if sum(found) else nan for power in found] for found in map(powers, x.rows())])


def with_epsilon(x, got):
    """Whether the sum of the first row contains a power of ten beside the exponentials."""
    row, theirs = x.rows()[0], got.rows()[0]
    ratios = [right / answer for right, answer in zip(row_softmax(row), theirs) if answer > 0]
    if len(ratios) < 2 or max(ratios) - min(ratios) > 1e-14 or not 1e-13 < ratios[0] - 1 < 1:
        return False
    sums = [sum(exp(value - shift) for value in row) for shift in (0, max(row))]
    powers = [log10(whole * (ratios[0] - 1)) for whole in sums]
    return any(abs(power - round(power)) < 1e-3 for power in powers)


misconceptions = [
    Misconception("first-is-not-largest", "softmax", first_column,
                  "the first score of the row was subtracted, which need not be the largest: an exponential overflows if "
                  "another score is larger by 710"),
    Misconception("no-maximum", "softmax", without_maximum,
                  "the largest exponentials overflow to infinity, and infinity over infinity is NaN. First subtract a "
                  "number from the whole row, which leaves the result unchanged"),
    Misconception("over-all", "softmax", over_all,
                  "these numbers sum to one over the whole matrix. Each row is a separate distribution"),
    Misconception("over-columns", "softmax", over_columns,
                  "these numbers sum to one down each column. A row holds the scores of one sample: normalise along the row"),
    Misconception("no-division", "softmax", unscaled, "the exponentials are right, but the division by their sum is missing"),
    Misconception("logarithms", "softmax",
                  lambda x: matrix([[log(power) if power else -inf for power in row] for row in softmax(x).rows()]),
                  "these are the logarithms of the probabilities"),
    Misconception("turned-signs", "softmax", lambda x: softmax(Array(x.shape, [-value for value in x.numbers])),
                  "the largest score got the smallest probability: the sign in the exponent is wrong"),
    Misconception("one-maximum", "softmax", common_maximum,
                  "the maximum was taken over the whole matrix: in a row far below it all exponentials are zero, and zero "
                  "over zero is NaN. Each row needs its own maximum"),
    Misconception("starts-from-zero", "softmax", from_zero,
                  "in a row of large negative scores all exponentials are zero, and zero over zero is NaN: the search for "
                  "the largest score starts from 0 (or from numeric_limits<double>::min(), a tiny positive number), which "
                  "is larger than all of them"),
    Misconception("largest-by-size", "softmax", lowered_by(lambda row: max(map(abs, row))),
                  "the score with the largest absolute value was subtracted. In a row with large negative scores all "
                  "exponentials become zero, and zero over zero is NaN: subtract the largest score"),
    Misconception("subtracts-the-mean", "softmax", lowered_by(lambda row: sum(row) / len(row)),
                  "the mean of the row was subtracted. A score far above the mean still overflows: subtract the largest"),
    Misconception("adds-epsilon", says="a small number was added to the sum of the exponentials, so a row does not sum to one. "
                  "After the largest score is subtracted the sum is at least 1 and needs no guard"),
    Misconception("single-precision", says="only the first six digits are right: your program converts to float somewhere "
                                           "between the doubles"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's softmax is not allowed here: write it yourself"),
]


def compare(student, x, within, about="the probabilities"):
    """One case. An answer that is right to six digits only gets a separate message."""
    expected = softmax(x)
    got = student.ask("softmax", x, gives=array_of(None, None))
    if got.shape == expected.shape:
        apart = [abs(mine - theirs) for mine, theirs in zip(expected.numbers, got.numbers)]
        if within < max(apart, default=0) < 1e-5:
            worst = apart.index(max(apart))
            suspect = "adds-epsilon" if with_epsilon(x, got) else "single-precision"
            student.check(False, about, repr(expected.numbers[worst]), repr(got.numbers[worst]), suspect,
                          f"row {worst // x.shape[1]}, column {worst % x.shape[1]}")
    student.compare(got, expected, within, about=about, function="softmax", arguments=(x,))


@part("ordinary")
def ordinary(student):
    compare(student, matrix([[0.0, 1.0, 2.0]]), 1e-14)
    for rows, cols in [(1, 1), (3, 1), (1, 5), (4, 7), (2, 3), (3, 3)]:
        compare(student, matrix([[student.random.uniform(-3, 3) for _ in range(cols)] for _ in range(rows)]), 1e-14)


@part("large")
def large(student):
    compare(student, matrix([[-800.0, 1.0, 0.0]]), 1e-12)       # before rows of negative numbers alone
    for shift in [800, -800, 1e5, -1e5, 1e300]:
        x = matrix([[shift + student.random.uniform(-3, 3) for _ in range(4)] for _ in range(2)])
        compare(student, x, 1e-12)
    compare(student, matrix([[1000.0, 999.0], [-1000.0, -1001.0]]), 1e-12, "the probabilities of rows that lie far apart")
    compare(student, matrix([[0.0, 3000.0, 1.0, 2.0]]), 1e-12)
    for peak in range(4):       # wherever the largest number stands, it must be found
        compare(student, matrix([[900.0 if col == peak else float(col) for col in range(4)]]), 1e-12)


@part("excluded")
def excluded(student):
    compare(student, matrix([[0.0, -inf, 1.0], [-inf, -inf, 5.0]]), 1e-14, "excluded classes get probability 0")
    compare(student, matrix([[-inf, -800.0, -801.0]]), 1e-12, "excluded classes get probability 0")
    compare(student, Array((0, 3), []), 0, "a matrix without rows")
