"""Broadcasting by its rules, in a loop over all elements of the result."""
from itertools import product
from math import prod

from recto.judge.judging import Array, Misconception, floats, part

NEAR = 1e-5         # of each number: sums of some thirty floats in any order


def padded(shape, axes, left=True):
    """The shape, extended by axes of size 1 on the left."""
    ones = (1,) * (axes - len(shape))
    return ones + tuple(shape) if left else tuple(shape) + ones


def number(x, shape, place):
    """The element of x, viewed in this shape, at this index of the result."""
    flat = 0
    for size, at in zip(shape, place):
        flat = flat * size + (0 if size == 1 else at)
    return x.numbers[flat]


def divide(a, b, left=True):
    """The quotient; None if the shapes do not fit."""
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
    """The indices of the result that a has without broadcasting."""
    whole = divide(a, b)
    if whole is None or len(a.shape) < len(b.shape):
        return None
    return floats([whole[place] for place in product(*map(range, a.shape))] if whole.numbers else [], a.shape)


def multiples(a, b):
    """Whether the shapes fit under the mistaken rule that any divisor is repeated."""
    axes = max(len(a.shape), len(b.shape))
    return all(0 in pair and max(pair) < 2 or 0 not in pair and max(pair) % min(pair) == 0
               for pair in zip(padded(a.shape, axes), padded(b.shape, axes)))


misconceptions = [
    Misconception("multiplies", "divide", lambda a, b: divide(a, floats([1 / number for number in b.numbers], b.shape)),
                  "this is a * b: divide"),
    Misconception("swapped", "divide", lambda a, b: divide(b, a), "this is b / a"),
    Misconception("left-aligned", "divide", lambda a, b: divide(a, b, left=False),
                  "the shapes were aligned at the left. Broadcasting aligns them at the right: the last axis of a meets "
                  "the last axis of b"),
    Misconception("stretches-b-only", "divide", unstretched,
                  "the result has the shape of a. An axis of size 1 in a is broadcast too, to the size of the same axis of "
                  "b"),
    Misconception("wraps-around", "divide", wrapped,
                  "the numbers of b were repeated in the order of memory. This is right if b only lacks axes on the left, "
                  "and wrong if one of its own axes has size 1: compute the offset in b axis by axis"),
    Misconception("equal-axes", "divide", outcome="wrong answer", matches="threw an exception",
                  says="these shapes fit, but the program refuses them. Shapes may have different numbers of axes: axes "
                       "that are missing on the left count as size 1"),
    Misconception("reads-beyond", "divide", outcome="crashed", matches="vector|asan|heap|index",
                  when=lambda a, b: 0 in (*a.shape, *b.shape),
                  says="an element outside of the tensor was read. Print the common shape for this call: an axis of size 0 "
                       "that meets an axis of size 1 gives size 0, so the larger of the two sizes is not always right"),
    Misconception("indexes-what-is-not-there", "divide", outcome="crashed", matches="vector|asan|heap|index",
                  when=lambda a, b: 0 not in (*a.shape, *b.shape),
                  says="the offset in a or in b is beyond its numbers. Along an axis of size 1, and along a missing axis, "
                       "the index is always 0"),
    Misconception("repeats-multiples", "divide_refuses", lambda a, b: int(not multiples(a, b)),
                  "one size is a multiple of the other here, and the shorter axis was repeated. Only an axis of size 1 is "
                  "broadcast: refuse these shapes"),
    Misconception("never-refuses", "divide_refuses", lambda a, b: 0,
                  "these shapes do not fit: aligned at the right, two sizes differ and neither of them is 1. divide "
                  "returned a result instead of throwing"),
    Misconception("another-exception", "divide_refuses", outcome="wrong answer", matches="threw an exception",
                  says="divide refuses these shapes, but with the wrong exception: it must throw std::invalid_argument, "
                       "which its callers catch"),
    Misconception("sums-of-columns", "row_sums", column_sums,
                  "these are the sums of the columns. A row sum goes along the row, over the columns"),
    Misconception("mean-of-rows", "row_sums",
                  lambda p, keepdim: floats([s / p.shape[1] for s in row_sums(p, keepdim).numbers], row_sums(p, keepdim).shape),
                  "these are the means of the rows. row_sums returns their sums"),
    Misconception("never-keeps", "row_sums", lambda p, keepdim: row_sums(p, False),
                  "the numbers are right but the shape is wrong: with keepdim the summed axis stays, with size 1"),
    Misconception("axis-in-front", "row_sums",
                  lambda p, keepdim: floats(row_sums(p, False).numbers, (1, p.shape[0]) if keepdim else (p.shape[0],)),
                  "the numbers are right but the shape is wrong: the summed axis keeps its place with size 1, so the sums "
                  "of the rows form a column"),
    Misconception("by-the-whole", "normalize_rows", lambda p: floats([x / sum(p.numbers) for x in p.numbers], p.shape),
                  "the whole matrix sums to one. Divide each row by its own sum"),
    Misconception("the-trap", "normalize_rows", trapped,
                  "this is the trap: each column was divided by a row sum, because a vector meets the last axis. Keep the "
                  "axis of the sums"),
    Misconception("normalises-columns", "normalize_rows", lambda p: divide(p, column_sums(p, False)),
                  "the columns sum to one here. The rows should sum to one"),
    Misconception("no-trap", "trapped", normalize_rows,
                  "these rows sum to one, which is the right result without the trap. Divide by sums of the shape (rows)"),
    Misconception("trap-of-columns", "trapped", lambda p: divide(p, column_sums(p, False)),
                  "here the columns sum to one. The trap does not normalise the columns: it divides them by the sums of "
                  "the rows"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's division already broadcasts: here you write the rules yourself"),
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
    compare(student, p, floats([4, 8]))                 # the example of the statement: the trap, then the right result
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
