"""Broadcasting by the rules, as a walk over all places of the result."""
from itertools import product
from math import prod

from recto.judge.judging import Array, Misconception, floats, part

NEAR = 1e-5         # of each number: sums of some thirty floats in any order


def padded(shape, axes, left=True):
    """The shape with axes of size 1 where it has none."""
    ones = (1,) * (axes - len(shape))
    return ones + tuple(shape) if left else tuple(shape) + ones


def number(x, shape, place):
    """The number of x, seen in this shape, that stands at this place of the result."""
    flat = 0
    for size, at in zip(shape, place):
        flat = flat * size + (0 if size == 1 else at)
    return x.numbers[flat]


def divide(a, b, left=True):
    """None where the shapes do not fit."""
    axes = max(len(a.shape), len(b.shape))
    mine, other = padded(a.shape, axes, left), padded(b.shape, axes, left)
    if any(m != o and 1 not in (m, o) for m, o in zip(mine, other)):
        return None
    shape = tuple(o if m == 1 else m for m, o in zip(mine, other))
    places = product(*map(range, shape))
    return floats([number(a, mine, place) / number(b, other, place) for place in places], shape)


def flip(x):
    """The matrix with rows and columns exchanged."""
    rows, cols = x.shape
    return floats([x[row, col] for col in range(cols) for row in range(rows)], (cols, rows))


def row_sums(p, keepdim):
    return floats([sum(row) for row in p.rows()], (p.shape[0], 1) if keepdim else (p.shape[0],))


def column_sums(p, keepdim):
    sums = [sum(row) for row in flip(p).rows()]
    return floats(sums, (1, len(sums)) if keepdim else (len(sums),))


def normalize_rows(p):
    return divide(p, row_sums(p, True))


def trapped(p):
    return divide(p, row_sums(p, False))


def wrapped(a, b):
    if not b.numbers:
        return None
    return floats([x / b.numbers[flat % len(b.numbers)] for flat, x in enumerate(a.numbers)], a.shape)


def unstretched(a, b):
    """The places of the result that a has without being stretched."""
    whole = divide(a, b)
    if whole is None or len(a.shape) < len(b.shape):
        return None
    return floats([whole[place] for place in product(*map(range, a.shape))] if whole.numbers else [], a.shape)


def multiples(a, b):
    """Do the shapes fit for somebody who repeats an axis as often as it takes?"""
    axes = max(len(a.shape), len(b.shape))
    return all(0 in pair and max(pair) < 2 or 0 not in pair and max(pair) % min(pair) == 0
               for pair in zip(padded(a.shape, axes), padded(b.shape, axes)))


misconceptions = [
    Misconception("multiplies", "divide", lambda a, b: divide(a, floats([1 / number for number in b.numbers], b.shape)),
                  "this is a * b: divide"),
    Misconception("swapped", "divide", lambda a, b: divide(b, a), "this is b / a"),
    Misconception("left-aligned", "divide", lambda a, b: divide(a, b, left=False),
                  "the shapes were lined up at the left. They are lined up at the right: the last axis of one meets "
                  "the last axis of the other"),
    Misconception("stretches-b-only", "divide", unstretched,
                  "the result has the shape of a. An axis of size 1 in a is stretched as well, to the size that b "
                  "has there"),
    Misconception("wraps-around", "divide", wrapped,
                  "the numbers of b were used over and over, in the order of memory. That fits when b lacks axes on "
                  "the left and goes wrong when one of its own axes has size 1: find the place in b axis by axis"),
    Misconception("equal-axes", "divide", outcome="wrong answer", matches="threw an exception",
                  says="these shapes fit, and the program refuses them. Shapes may have different numbers of axes: "
                  "those that are missing on the left count as size 1"),
    Misconception("reads-beyond", "divide", outcome="crashed", matches="vector|asan|heap|index",
                  when=lambda a, b: 0 in (*a.shape, *b.shape),
                  says="a number was read that is not there. Print the common shape for this call: an axis of size 0 "
                  "that meets one of size 1 gives size 0, so the larger of the two is not always right"),
    Misconception("indexes-what-is-not-there", "divide", outcome="crashed", matches="vector|asan|heap|index",
                  when=lambda a, b: 0 not in (*a.shape, *b.shape),
                  says="the place in a or in b lies beyond its numbers. Along an axis of size 1, and along one that is missing, "
                  "its index is always 0"),
    Misconception("repeats-multiples", "divide_refuses", lambda a, b: int(not multiples(a, b)),
                  "one size is a multiple of the other here, and the shorter axis was repeated. Only an axis of size 1 is "
                  "stretched: refuse these shapes"),
    Misconception("never-refuses", "divide_refuses", lambda a, b: 0,
                  "these shapes do not fit: lined up at the right, two sizes meet that differ, and neither of them "
                  "is 1. divide gave a result all the same"),
    Misconception("another-exception", "divide_refuses", outcome="wrong answer", matches="threw an exception",
                  says="divide does refuse these shapes, but the promise is to throw std::invalid_argument: whoever "
                  "calls it catches that"),
    Misconception("sums-of-columns", "row_sums", column_sums,
                  "these are the sums down the columns. A row sum goes along the row, over the columns"),
    Misconception("mean-of-rows", "row_sums",
                  lambda p, keepdim: floats([s / p.shape[1] for s in row_sums(p, keepdim).numbers], row_sums(p, keepdim).shape),
                  "these are the means of the rows. Their sums are asked for"),
    Misconception("never-keeps", "row_sums", lambda p, keepdim: row_sums(p, False),
                  "the numbers are right and the shape is not: with keepdim the summed axis stays, with size 1"),
    Misconception("axis-in-front", "row_sums",
                  lambda p, keepdim: floats(row_sums(p, False).numbers, (1, p.shape[0]) if keepdim else (p.shape[0],)),
                  "the numbers are right and the shape is not: the axis that was summed keeps its place with size 1, so the "
                  "sums of the rows form a column"),
    Misconception("by-the-whole", "normalize_rows", lambda p: floats([x / sum(p.numbers) for x in p.numbers], p.shape),
                  "the whole matrix sums to one. Divide each row by its own sum"),
    Misconception("the-trap", "normalize_rows", trapped,
                  "this is the trap: each column was divided by a row sum, since a vector meets the last axis. Keep "
                  "the axis of the sums"),
    Misconception("normalises-columns", "normalize_rows", lambda p: divide(p, column_sums(p, False)),
                  "these columns sum to one. The rows should"),
    Misconception("no-trap", "trapped", normalize_rows,
                  "these rows sum to one: nobody is trapped here. Divide by sums of the shape (rows)"),
    Misconception("trap-of-columns", "trapped", lambda p: divide(p, column_sums(p, False)),
                  "here the columns sum to one. The trap is not that the columns are normalised: they are divided by "
                  "the sums of the rows, which is right for nothing"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's own division stretches already: here you write the rules yourself"),
]


def random_tensor(student, shape):
    return floats([student.random.randint(1, 9) for _ in range(prod(shape))], tuple(shape))


def compare(student, a, b):
    student.expect("divide", a, b, gives=divide(a, b), relative=NEAR, about="a / b")


@part("same_shape")
def same_shape(student):
    compare(student, floats([1, 6, 9]), floats([2, 3, 1]))
    compare(student, floats([1, 2, 3, 4], (2, 2)), floats([4, 4, 4, 8], (2, 2)))
    for shape in [(1,), (5,), (2, 3), (3, 2, 2), (2, 1, 3, 2), (0,)]:
        compare(student, random_tensor(student, shape), random_tensor(student, shape))
    compare(student, Array((), [3.0], "F"), Array((), [4.0], "F"))


@part("stretched")
def stretched(student):
    p = floats([1, 3, 4, 4], (2, 2))
    compare(student, p, floats([4, 8]))                 # the example of the statement: the trap, then the right one
    compare(student, p, floats([4, 8], (2, 1)))
    shapes = [((2, 3), (3,)), ((3, 3), (3, 1)), ((2, 3), (1, 3)), ((3,), (2, 3)), ((4, 1), (5,)), ((1, 3), (2, 1)),
              ((2, 1, 3), (4, 1)), ((2, 3, 4), (3, 1)), ((4,), (2, 1, 1)), ((2, 2, 2), (2,)), ((1,), (3, 2)),
              ((0, 3), (1, 3)),
              ((1, 3), (0, 1)), ((2, 3), ()), ((), (2, 2))]
    for mine, other in shapes:
        compare(student, random_tensor(student, mine), random_tensor(student, other))
    for _ in range(6):
        whole = [student.random.randint(1, 3) for _ in range(student.random.randint(1, 4))]
        mine, other = ([size if student.random.random() < 0.6 else 1 for size in whole] for _ in range(2))
        compare(student, random_tensor(student, mine[student.random.randint(0, 1):]), random_tensor(student, other))


@part("refused")
def refused(student):
    for mine, other in [((2, 3), (2,)), ((2, 3), (2, 3)), ((3,), (2,)), ((2, 3), (3, 2)), ((2, 3), (2, 1)),
                        ((4, 2), (2, 2)), ((2, 3, 4), (3,)), ((2, 3, 4), (2, 1, 4)), ((2, 3, 4), (3, 3, 1)),
                        ((0,), (2,)), ((6,), (3,)), ((0,), (1,))]:
        a, b = random_tensor(student, mine), random_tensor(student, other)
        about = f"whether divide throws std::invalid_argument (1) or not (0) for the shapes {mine} and {other}"
        student.expect("divide_refuses", a, b, gives=int(divide(a, b) is None), about=about)


@part("normalised")
def normalised(student):
    matrices = [floats([1, 3, 4, 4], (2, 2))]
    matrices += [random_tensor(student, shape) for shape in [(1, 1), (2, 3), (4, 2), (1, 5), (3, 1), (7, 7), (27, 27)]]
    for p in matrices:
        for keepdim in (False, True):
            expected = row_sums(p, keepdim)
            student.expect("row_sums", p, keepdim, gives=expected, relative=NEAR, about="the sums of the rows")
    about = "the rows, divided by their sums"
    for p in matrices:
        student.expect("normalize_rows", p, gives=normalize_rows(p), relative=NEAR, about=about)


@part("trapped")
def in_the_trap(student):
    matrices = [floats([1, 3, 4, 4], (2, 2))]
    matrices += [random_tensor(student, shape) for shape in [(3, 3), (7, 7), (1, 4), (4, 1), (1, 1)]]
    for p in matrices:
        student.expect("trapped", p, gives=trapped(p), relative=NEAR, about="what P / P.sum(1) gives")
