"""Softmax by rows, in the order of the definition, with each row's largest number subtracted."""
from math import exp, inf

from judge.judging import Misconception, matrix, part


def row_softmax(row):
    largest = max(row)
    powers = [exp(x - largest) for x in row]
    return [power / sum(powers) for power in powers]


def softmax(x):
    return matrix([row_softmax(row) for row in x.rows()])


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


misconceptions = [
    Misconception("no-maximum", "softmax", without_maximum,
                  "the largest exponentials overflow to infinity, and infinity over infinity is no number. Subtract "
                  "something from the whole row first: the result stays what it is"),
    Misconception("over-all", "softmax", over_all,
                  "these numbers sum to one over the whole matrix. Each row is a distribution of its own"),
    Misconception("over-columns", "softmax", over_columns,
                  "these numbers sum to one down each column. A row holds the scores of one sample: normalise along the row"),
    Misconception("no-division", "softmax", unscaled, "the exponentials are right, but nothing divides them by their sum"),
    Misconception("one-maximum", "softmax", common_maximum,
                  "the maximum was taken over the whole matrix: in a row that lies far below it all exponentials are "
                  "zero, and zero over zero is no number. Each row needs its own"),
    Misconception("starts-from-zero", "softmax", from_zero,
                  "in a row of large negative numbers all exponentials are zero, and zero over zero is no number: the "
                  "search for the largest number starts from 0, which is larger than any of them"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's own softmax is what you are asked to write"),
]


@part("ordinary")
def ordinary(student):
    student.expect("softmax", matrix([[0, 1, 2]]), gives=softmax(matrix([[0, 1, 2]])), within=1e-14, about="the probabilities")
    for rows, cols in [(1, 1), (3, 1), (1, 5), (4, 7), (2, 3), (3, 3)]:
        x = matrix([[student.random.uniform(-3, 3) for _ in range(cols)] for _ in range(rows)])
        student.expect("softmax", x, gives=softmax(x), within=1e-14, about="the probabilities")


@part("large")
def large(student):
    for shift in [800, -800, 1e5, -1e5, 1e300]:
        x = matrix([[shift + student.random.uniform(-3, 3) for _ in range(4)] for _ in range(2)])
        student.expect("softmax", x, gives=softmax(x), within=1e-12, about="the probabilities")
    x = matrix([[1000.0, 999.0], [-1000.0, -1001.0]])
    student.expect("softmax", x, gives=softmax(x), within=1e-12, about="the probabilities of rows that lie far apart")


@part("excluded")
def excluded(student):
    x = matrix([[0.0, -inf, 1.0], [-inf, -inf, 5.0]])
    student.expect("softmax", x, gives=softmax(x), within=1e-14, about="excluded entries get probability 0")
