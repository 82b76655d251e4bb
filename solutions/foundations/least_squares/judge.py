"""Least squares in exact fractions: the normal equations have no rounding here, for any places."""
from fractions import Fraction
from functools import partial
from math import isfinite, sqrt

from recto.judge.judging import Array, Misconception, array_of, matrix, part

CLOSE = 1e-8        # of the weights: the normal equations lose twice the digits of the problem, but that is easy here
CURVE = 1e-4        # the largest distance of a curve from the best one when the places are years


def powers(x, degree):
    return matrix([[at ** k for k in range(degree + 1)] for at in x])


def polynomial(x, w):
    return [float(sum(Fraction(weight) * Fraction(at) ** k for k, weight in enumerate(w))) for at in x]


def squared_error(x, y, w):
    """The mean squared error of the polynomial, exactly."""
    misses = [Fraction(value) - sum(Fraction(weight) * Fraction(at) ** k for k, weight in enumerate(w))
              for at, value in zip(x, y)]
    return sum(miss * miss for miss in misses) / len(x)


def system(x, y, degree):
    """The normal equations, the right-hand side as the last column."""
    sums = [sum(Fraction(at) ** k for at in x) for k in range(2 * degree + 1)]
    return [[*sums[i:i + degree + 1], sum(Fraction(at) ** i * Fraction(value) for at, value in zip(x, y))]
            for i in range(degree + 1)]


def best_weights(x, y, degree):
    """The weights as fractions."""
    rows = system(x, y, degree)
    for k, pivot in enumerate(rows):
        rows[k] = [entry / pivot[k] for entry in pivot]
        for i, row in enumerate(rows):
            if i != k:
                rows[i] = [mine - row[k] * other for mine, other in zip(row, rows[k])]
    return [row[-1] for row in rows]


def best(x, y, degree):
    return [float(weight) for weight in best_weights(x, y, degree)]


def right_side_stays(x, y, degree):
    """A mistake: elimination that changes only the left sides."""
    rows = system(x, y, degree)
    for k in range(degree + 1):
        for i in range(k + 1, degree + 1):
            factor = rows[i][k] / rows[k][k]
            rows[i][:-1] = [mine - factor * other for mine, other in zip(rows[i][:-1], rows[k][:-1])]
    w = [Fraction(0)] * (degree + 1)
    for k in reversed(range(degree + 1)):
        w[k] = (rows[k][-1] - sum(rows[k][j] * w[j] for j in range(k + 1, degree + 1))) / rows[k][k]
    return [float(weight) for weight in w]


def one_a_place(x, y, degree, order=1):
    """A mistake: of several samples at one place only the last, or the first, counts."""
    samples = dict(zip(x[::order], y[::order]))
    return best(list(samples), list(samples.values()), degree)


def misses(y, f):
    return [mine - theirs for mine, theirs in zip(y, f)]


def mean_square(y, f):
    return sum(miss * miss for miss in misses(y, f)) / len(y)


misconceptions = [
    Misconception("no-constant", "design",
                  lambda x, degree: matrix([[at ** (k + 1) for k in range(degree + 1)] for at in x]),
                  "the first column holds x. Before it comes the power 0, a column of ones: without it every curve goes "
                  "through the origin"),
    Misconception("descending", "design",
                  lambda x, degree: matrix([[at ** (degree - k) for k in range(degree + 1)] for at in x]),
                  "the powers are in reverse order. Column k is the power k, so the ones come first"),
    Misconception("too-few-powers", "design", lambda x, degree: matrix([[at ** k for k in range(degree)] for at in x]),
                  "a polynomial of degree 2 has three powers, 0, 1 and 2: count them again"),
    Misconception("transposed", "design", lambda x, degree: matrix([[at ** k for at in x] for k in range(degree + 1)]),
                  "a sample is a row here, and a power is a column"),
    Misconception("backwards", "predict", lambda x, w: polynomial(x, w[::-1]),
                  "these are the values if the first weight belongs to the highest power. Here w[0] is the constant"),
    Misconception("constant-left-out", "predict", lambda x, w: polynomial(x, w[1:]),
                  "the constant w[0] is missing, and each other weight belongs to the power below its own: Horner's rule ends with "
                  "w[0]"),
    Misconception("not-a-mean", "mean_squared_error", lambda y, f: len(y) * mean_square(y, f),
                  "this is the sum of the squares. A mean also divides by their number"),
    Misconception("one-less", "mean_squared_error", lambda y, f: len(y) * mean_square(y, f) / (len(y) - 1),
                  "the sum was divided by one less than the number of samples. A mean divides by their number"),
    Misconception("root", "mean_squared_error", lambda y, f: sqrt(mean_square(y, f)),
                  "this is the square root of the mean squared error"),
    Misconception("halved", "mean_squared_error", lambda y, f: mean_square(y, f) / 2,
                  "this is half of it. Some books put a factor of one half before the sum to simplify the gradient; the "
                  "mean has no such factor"),
    Misconception("absolute", "mean_squared_error", lambda y, f: sum(map(abs, misses(y, f))) / len(y),
                  "this is the mean of the absolute differences: they have to be squared"),
    Misconception("differences-cancel", "mean_squared_error", lambda y, f: (sum(misses(y, f)) / len(y)) ** 2,
                  "this is the square of the mean difference, in which plus and minus cancel. Square each "
                  "difference, then take the mean"),
    Misconception("right-side-stays", "fit", right_side_stays,
                  "an equation has two sides. When you subtract a multiple of an equation from another, include the "
                  "right-hand sides"),
    Misconception("first-samples", "fit", lambda x, y, degree: best(x[:degree + 1], y[:degree + 1], degree),
                  "this curve goes through the first samples exactly and ignores all others. With more samples than "
                  "weights no curve meets all of them: find the curve with the smallest sum of squares"),
    Misconception("misses-the-last", "fit", lambda x, y, degree: best(x[:-1], y[:-1], degree),
                  "this is the best curve for all samples but the last one: check where the loop over the samples ends"),
    *(Misconception("one-sample-a-place", "fit", partial(one_a_place, order=order),
                    "several samples have the same place here, and only one of them was counted. Each sample counts")
      for order in (1, -1)),
    Misconception("highest-first", "fit", lambda x, y, degree: best(x, y, degree)[::-1],
                  "the weights are right, but in reverse order: w[0] is the constant"),
    Misconception("swapped", "fit", lambda x, y, degree: best(y, x, degree),
                  "this curve gives x from y: x and y are swapped"),
    Misconception("penalty", says="the gradient at these weights is a multiple of the weights: a number was added to the "
                                  "diagonal of the equations. This is ridge regression, which has another minimum"),
    Misconception("not-the-minimum", "fit", outcome="wrong answer", matches="^the weights",
                  says="another set of weights has a smaller error. At the minimum the gradient is zero, which is exactly "
                       "the normal equations; gradient descent only comes near. Solve them by hand for the example of the "
                       "statement, and compare your program's numbers after each step"),
    Misconception("normal-equations", says="in exact arithmetic this would be right. But with x near 2000 the columns 1, "
                                           "x, x^2, ... are nearly parallel, and the product of the design matrix with "
                                           "itself squares the condition number: all 16 digits are lost. Avoid the "
                                           "product, or centre and scale the places before you fit"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's least squares is not allowed here: write it yourself"),
]


@part("design")
def design(student):
    about = "the design matrix"
    for x, degree in [([0.0, 1.0, 2.0], 1), ([2.0, -3.0], 3), ([5.0], 0), ([0.5, 0.0, -1.5, 4.0], 2), ([], 2)]:
        student.expect("design", floats_of(x), degree, gives=shaped(x, degree), relative=1e-14, about=about)
    for _ in range(4):
        x = [student.random.uniform(-3, 3) for _ in range(student.random.randint(1, 7))]
        degree = student.random.randint(1, 5)
        student.expect("design", x, degree, gives=shaped(x, degree), relative=1e-14, about=about)


def floats_of(x):
    """A list of doubles that may be empty."""
    return Array((len(x),), list(x))


def shaped(x, degree):
    """The design matrix, with the right shape even without samples."""
    return powers(x, degree) if x else Array((0, degree + 1), [])


@part("predict")
def predict(student):
    for x, w in [([0.0, 1.0, 2.0], [7 / 6, 0.5]), ([2.0], [1.0, 10.0, 100.0]), ([3.0, -1.0], [4.0]), ([], [1.0, 2.0])]:
        student.expect("predict", floats_of(x), w, gives=floats_of(polynomial(x, w)), within=1e-11, about="the values")
    for _ in range(5):
        x = [student.random.uniform(-3, 3) for _ in range(student.random.randint(1, 6))]
        w = [student.random.uniform(-2, 2) for _ in range(student.random.randint(1, 6))]
        student.expect("predict", x, w, gives=polynomial(x, w), within=1e-11, about="the values")


@part("error")
def error(student):
    about = "the mean squared error"
    y, f = [1.0, 2.0, 2.0], [7 / 6, 10 / 6, 13 / 6]
    student.expect("mean_squared_error", y, f, gives=mean_square(y, f), within=1e-15, about=about)
    student.expect("mean_squared_error", [3.0], [5.0], gives=4.0, about=about)
    student.expect("mean_squared_error", [1.0, -1.0, 0.0], [1.0, -1.0, 0.0], gives=0.0, about=about)
    for count in (2, 5, 40):
        y, f = ([student.random.gauss(0, 2) for _ in range(count)] for _ in range(2))
        student.expect("mean_squared_error", y, f, gives=mean_square(y, f), relative=1e-13, about=about)


def places(student, count):
    """Places between -1 and 1, never two close together."""
    return [-1 + 2 * (i + 0.5 + student.random.uniform(-0.3, 0.3)) / count for i in range(count)]


def try_fit(student, x, y, degree):
    """One case of the base part."""
    expected = best(x, y, degree)
    w = student.ask("fit", x, y, degree, gives=array_of(None))
    if len(w.numbers) == degree + 1 and all(map(isfinite, w.numbers)):
        weights, spots = ([Fraction(number) for number in numbers] for numbers in (w.numbers, x))
        rest = [Fraction(value) - sum(v * at ** k for k, v in enumerate(weights)) for value, at in zip(y, spots)]
        gradient = [sum(r * at ** k for r, at in zip(rest, spots)) for k in range(degree + 1)]
        ratio = sum(g * v for g, v in zip(gradient, weights)) / (sum(v * v for v in weights) or 1)
        astray = max(abs(g - ratio * v) for g, v in zip(gradient, weights))     # from the direction of the weights
        apart = max(abs(a - b) for a, b in zip(expected, w.numbers))
        parallel = degree > 0 and ratio > 0 and astray <= max(map(abs, gradient)) / 10000
        student.check(apart <= CLOSE or not parallel, "the weights, from w[0] on",
                      ", ".join(f"{v:.8g}" for v in expected), ", ".join(f"{v:.8g}" for v in w.numbers), "penalty")
    student.compare(w, expected, CLOSE, about="the weights, from w[0] on", function="fit", arguments=(x, y, degree))


@part("fit")
def fit(student):
    try_fit(student, [0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 2.0, 4.0], 1)
    try_fit(student, [0.0, 1.0, 2.0], [1.0, 2.0, 2.0], 1)
    try_fit(student, [0.0, 1.0, 2.0, 3.0], [4.0, 1.0, 3.0, 2.0], 0)
    try_fit(student, [-1.0, 0.0, 1.0], [2.0, 0.0, 4.0], 2)              # a parabola through three points
    try_fit(student, [0.0, 0.0, 1.0, 1.0, 1.0], [1.0, 3.0, 2.0, 5.0, 8.0], 1)     # several samples at one place
    for count, degree in [(8, 1), (12, 2), (9, 3), (30, 4), (5, 4)]:
        x = places(student, count)
        w = [student.random.uniform(-2, 2) for _ in range(degree + 1)]
        y = [value + student.random.gauss(0, 0.1) for value in polynomial(x, w)]
        try_fit(student, x, y, degree)
    x = places(student, 10)
    student.random.shuffle(x)                                           # samples come in any order
    try_fit(student, x, [student.random.uniform(-1, 1) for _ in x], 2)


@part("far_from_zero")
def far_from_zero(student):
    for first in (1991, 1990, 1985):
        x = [float(first + i) for i in range(30)]
        y = [14 + 0.8 * t + 0.5 * t ** 2 - 0.3 * t ** 3 + student.random.gauss(0, 0.1) for t in
             ((at - first - 14.5) / 14.5 for at in x)]
        # The weights are large and cancel almost completely: a second answer may differ by 1e-4 of them.
        w = student.ask("fit", x, y, 3, gives=array_of(None), relative=1e-4)
        lowest = squared_error(x, y, best_weights(x, y, 3))
        about, want = "the mean squared error of the curve with these weights", f"{float(lowest):.8f}"
        if not (len(w.numbers) == 4 and all(map(isfinite, w.numbers))):
            student.check(False, about, want, f"weights that give none: {w.numbers}", "normal-equations")
        reached = squared_error(x, y, w.numbers)
        # The error minus the lowest error is the mean square distance between the two curves.
        student.check(reached - lowest <= CURVE ** 2, about, f"{want}, at most {float(lowest) + CURVE ** 2:.8f}",
                      f"{float(min(reached, Fraction(10) ** 300)):.8g}", "normal-equations")
