"""Each function alone on small chains, then the table of 30 blocks on images of clothes (chain.py has the right answers)."""
import gzip
import hashlib
import os
from math import isfinite, sqrt
from pathlib import Path

from recto.judge.judging import NotHere, matrix, part

from .chain import WAYS, forward, gradients, normalise, normalise_gradient, pixels, table
from .slips import misconceptions  # noqa: F401

WITHIN = 1e-9       # a few sums of numbers of about one; normalisation divides by at least 0.05 here
TABLE = 1e-8        # relative: 30 blocks hardly magnify rounding (a change of 1e-12 in the images gives 2e-12)
BLOCKS, UNITS, IMAGES = 30, 16, 32
NAMES = ("neither", "normalisation alone", "skips alone", "both")


def numbers(student, rows, cols, size=1.5):
    """Random numbers with two decimals, which are easy to read."""
    return [[round(student.random.uniform(-size, size), 2) for _ in range(cols)] for _ in range(rows)]


def spread_out(student, rows, cols):
    """Such numbers whose columns differ by at least a tenth from row to row."""
    while True:
        found = numbers(student, rows, cols)
        if all(b - a >= 0.1 for column in zip(*found) for a, b in zip(sorted(column), sorted(column)[1:])):
            return found


def chain(student, p, m, k, depth):
    """The three matrices of a chain; those of the blocks stand one below another."""
    return numbers(student, p, m), numbers(student, depth * m, m), numbers(student, m, k)


# images, pixels, units, classes, blocks
SIZES = [(3, 1, 1, 2, 1), (3, 2, 2, 2, 1), (4, 3, 2, 3, 2), (5, 2, 3, 2, 3), (4, 2, 2, 4, 4), (6, 3, 3, 3, 2)]
BY_HAND = [[1.0], [0.0]], [[2.0]], [[1.0, 0.0]]     # of the statement
X = [[1.0, 7.0], [3.0, -7.0]]


def gentle(net, x, away=0.02):
    """Whether no unit is near the kink of relu, each signal that a block reads has both signs, and no column of a product is nearly
    constant, whatever the kind of chain."""
    for skips, normalised in WAYS:
        seen = []
        signals, _ = forward(skips, normalised, *net, x, after=lambda f: seen.append(f) or f,
                             norm=lambda z: seen.append(None) or normalise(z) if wide(z) else seen.append("narrow") or z)
        if "narrow" in seen or any(abs(value) < away for h in signals[:-1] for row in h for value in row):
            return False
        if not all(min(map(min, h)) < 0 < max(map(max, h)) for h in signals[:-1]):
            return False
    return True


def wide(z):
    return all(max(column) - min(column) > 0.3 for column in zip(*z))


def problems(student):
    """(chain, images, labels); drawn again until rounding cannot matter."""
    for n, p, m, k, depth in SIZES:
        for _ in range(2000):
            net, x = chain(student, p, m, k, depth), spread_out(student, n, p)
            if gentle(net, x):
                break
        yield net, x, [student.random.randrange(k) for _ in range(n)]


@part("normalise")
def judge_normalise(student):
    student.expect("normalise", matrix([[1.0, 4.0], [3.0, 10.0]]), gives=matrix(normalise([[1.0, 4.0], [3.0, 10.0]])), within=WITHIN,
                   about="the statement's example, normalised")
    for rows, cols in [(3, 1), (3, 2), (2, 3), (5, 2), (4, 4)]:
        z = spread_out(student, rows, cols)
        student.expect("normalise", matrix(z), gives=matrix(normalise(z)), within=WITHIN, about="the normalised columns")
    for z in ([[0.01], [0.0]], [[2.0, -1.0], [2.0, 3.0], [2.0, 0.5]], [[1.5, -2.0]]):       # epsilon decides
        student.expect("normalise", matrix(z), gives=matrix(normalise(z)), within=WITHIN, about="the normalised columns")


@part("forward")
def judge_forward(student):
    def ask(kind, net, x):
        signals, scores = forward(*kind, *net, x)
        student.expect("forward", *kind, *map(matrix, net), matrix(x), gives=(matrix(sum(signals, [])), matrix(scores)), within=WITHIN,
                       about="the signals, one below another, and the scores")
    for kind in WAYS:
        ask(kind, BY_HAND, X)
    for net, x, _ in problems(student):
        for kind in WAYS:
            ask(kind, net, x)


@part("backwards")
def judge_backwards(student):
    for rows, cols in [(3, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 2)]:
        z, dy = spread_out(student, rows, cols), numbers(student, rows, cols)
        student.expect("normalise_backward", matrix(z), matrix(dy), gives=matrix(normalise_gradient(z, dy)), within=WITHIN,
                       about="the derivative with respect to z")


@part("gradients")
def judge_gradients(student):
    for net, x, labels in problems(student):
        for kind in WAYS:
            student.expect("gradients", *kind, *map(matrix, net), matrix(x), labels, gives=matrix(gradients(*kind, *net, x, labels)),
                           within=WITHIN, about="the gradients of the blocks' matrices, one below another")
    for net, x, labels in list(problems(student))[1:4]:
        student.expect("table", 1, 1, *map(matrix, net), matrix(x), labels, gives=matrix(table(*net, x, labels)), within=WITHIN,
                       about="the table")


# The table on images.

FOLDER = "/usr/share/datasets/fashion-mnist"
FILES = {   # the bytes of the header, and the SHA-256 of the content
    "train-images-idx3-ubyte": (16, "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"),
    "train-labels-idx1-ubyte": (8, "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"),
}


def content(name):
    """The numbers of a file of Fashion-MNIST, one byte each."""
    folder = Path(os.environ.get("RECTO_FASHION_MNIST") or FOLDER)
    header, fingerprint = FILES[name]
    try:
        packed = folder / f"{name}.gz"
        data = gzip.decompress(packed.read_bytes()) if packed.exists() else (folder / name).read_bytes()
    except (OSError, EOFError):
        raise NotHere(f"Fashion-MNIST is not in {folder}; get it with: apt-get install dataset-fashion-mnist") from None
    if hashlib.sha256(data).hexdigest() != fingerprint:
        raise NotHere(f"{folder / name} is not the file of Fashion-MNIST; get it with: apt-get install dataset-fashion-mnist")
    return data[header:]


@part("table")
def judge_table(student):
    images, labels = content("train-images-idx3-ubyte")[:784 * IMAGES], list(content("train-labels-idx1-ubyte")[:IMAGES])

    def usual(rows, cols):
        """The usual initial weights: uniform up to one over the root of the number of inputs."""
        return [[student.random.uniform(-1, 1) / sqrt(rows) for _ in range(cols)] for _ in range(rows)]
    net = usual(784, UNITS), sum((usual(UNITS, UNITS) for _ in range(BLOCKS)), []), usual(UNITS, 10)
    x = pixels(images, 784)
    right = table(*net, x, labels)
    got = student.expect("clothes", *map(matrix, net), images, labels, gives=matrix(right), relative=TABLE,
                         about=f"the gradient norms of {BLOCKS} blocks: a row for each kind of chain")
    first = [row[0] for row in got.rows()]
    student.report = [f"{name:<20} first block {row[0]:.2e}, last block {row[-1]:.2e}" for name, row in zip(NAMES, got.rows())]
    student.measured = first[0] / min(first[1:])
    student.check(isfinite(student.measured) and student.measured < 1e-3,
                  "the first block's gradient without skips and normalisation, over the smallest of the other three", "below 1e-3",
                  f"{student.measured:.2e}")
