"""Every function alone, on small random perceptrons, then the training on images.

The right answers come from a perceptron in plain Python (perceptron.py), the answers of slips from rules with a flaw (slips.py).
"""
import gzip
import hashlib
import os
import time
from math import isfinite
from pathlib import Path

from recto.judge.judging import NotHere, array_of, matrix, part, wholes

from .epochs import WITHIN, after_epoch, epoch_slip, orders, same
from .perceptron import NAMES, forward, gradients, lists, moved, predicted, squared_error
from .slips import misconceptions  # noqa: F401


def numbers(student, rows, cols, size=1.5):
    """Random numbers with two decimals, which are easy to read."""
    return [[round(student.random.uniform(-size, size), 2) for _ in range(cols)] for _ in range(rows)]


def perceptron(student, p, h, k):
    """A random perceptron with p pixels, h hidden units and k classes."""
    return [numbers(student, p, h), numbers(student, 1, h), numbers(student, h, k), numbers(student, 1, k)]


def matrices(f):
    """As arguments of a call."""
    return tuple(map(matrix, f))


MATRICES = (array_of(None, None),) * len(NAMES)     # of a perceptron, as an answer
BY_HAND = [[[1.0], [1.0]], [[-1.0]], [[1.0, -1.0]], [[0.0, 0.5]]]      # of the statement: x = (1, 0), label 0
SIZES = [(1, 1, 1, 1), (1, 2, 3, 2), (3, 2, 2, 3), (2, 4, 1, 2), (4, 3, 5, 2), (5, 3, 3, 3)]       # images, pixels, units, classes


def problems(student):
    """(perceptron, images, labels)"""
    yield BY_HAND, [[1.0, 0.0]], [0]
    for n, p, h, k in SIZES:
        yield perceptron(student, p, h, k), numbers(student, n, p), [student.random.randrange(k) for _ in range(n)]


@part("forward")
def judge_forward(student):
    # Three classes: half of the sum is not the mean over them.
    student.expect("squared_error", matrix([[0.0, 0.5, 1.0]]), [0], gives=squared_error([[0.0, 0.5, 1.0]], [0]), within=WITHIN,
                   about="the squared error")
    for f, x, labels in problems(student):
        hidden, outputs = forward(*f, x)
        student.expect("forward", *matrices(f), matrix(x), gives=(matrix(hidden), matrix(outputs)), within=WITHIN,
                       about="hidden and outputs, in this order")
        student.expect("squared_error", matrix(outputs), labels, gives=squared_error(outputs, labels), within=WITHIN,
                       about="the squared error")


@part("backward")
def judge_backward(student):
    for f, x, labels in problems(student):
        hidden, outputs = forward(*f, x)
        student.expect("backward", *matrices(f), matrix(x), matrix(hidden), matrix(outputs), labels,
                       gives=matrices(gradients(f, x, labels)), within=WITHIN,
                       about="the gradients of weights1, bias1, weights2, bias2, in this order")


@part("step")
def judge_step(student):
    for rate in (0.5, 0.01, 0.0, 3.0):
        f, d = perceptron(student, 3, 2, 4), perceptron(student, 3, 2, 4)
        student.expect("step", *matrices(f), *matrices(d), rate, gives=matrices(moved(f, d, rate)), within=WITHIN,
                       about="weights1, bias1, weights2, bias2 after the step")


@part("predict")
def judge_predict(student):
    for outputs in ([2.0, 1.0, -1.0], [-2.0, -1.0, -3.0], [2.0, 1.0, -3.0]):
        f = [[[0.0]], [[0.0]], [[0.0] * 3], [outputs]]
        student.expect("predict", *matrices(f), matrix([[1.0]]), gives=predicted([outputs]), about="the classes")
    for n, p, h, k in [*SIZES, (6, 2, 3, 10)]:
        f, x = perceptron(student, p, h, k), numbers(student, n, p)
        for lower in (0.0, 20.0, -20.0):
            f[3] = [[round(b - lower, 2) for b in f[3][0]]]
            outputs = forward(*f, x)[1]
            apart = all(b - a > 1e-6 for row in map(sorted, outputs) for a, b in zip(row, row[1:]))
            if apart:       # of two equal outputs either is right
                student.expect("predict", *matrices(f), matrix(x), gives=predicted(outputs), about="the classes")


@part("begin")
def judge_begin(student):
    pictures = [[student.random.random() for _ in range(784)] for _ in range(3)]
    for pixels, units, classes in [(3, 2, 4), (1, 1, 1), (784, 50, 10)]:
        made = [student.ask("begin", pixels, units, classes, seed, gives=MATRICES) for seed in (1, 2)]
        for f in made:
            for name, got, shape in zip(NAMES, f, [(pixels, units), (1, units), (units, classes), (1, classes)]):
                student.check(got.shape == shape, "a matrix of the perceptron has the wrong shape", "%d x %d" % shape,
                              " x ".join(map(str, got.shape)), where=name)
                student.check(all(map(isfinite, got.numbers)), "a matrix of the perceptron holds NaN or infinity", where=name)
            columns = list(zip(*f[0].rows()))
            student.check(len(set(columns)) == units, "two hidden units begin with the same "
                                                      "weights", f"{units} different columns in weights1",
                          f"{len(set(columns))}", "all-alike")
        student.check(made[0][0] != made[1][0], "two seeds give the same perceptron", "other weights", "the same", "seed-ignored")
        if pixels == 784:
            hidden, outputs = forward(*lists(made[0]), pictures)
            flat = sum(abs(h) > 0.95 for row in hidden for h in row) / 150
            student.check(flat <= 0.5, "the hidden units cannot learn", "at least half of hidden between -0.95 and 0.95",
                          f"{100 * (1 - flat):.0f} %", "saturated")
            student.check(max(abs(o) for row in outputs for o in row) <= 10, "the outputs begin far from 0 and 1",
                          "outputs between -10 and 10", f"{max((o for row in outputs for o in row), key=abs):.4g}",
                          "saturated")


@part("epoch")
def judge_epoch(student):
    for n, batch in [(1, 1), (3, 3), (2, 5), (2, 1), (4, 2), (5, 2), (3, 2), (5, 4)]:
        f, x = perceptron(student, 2, 2, 3), numbers(student, n, 2)
        labels, rate = [i % 3 for i in range(n)], 0.25
        got = student.ask("epoch", *matrices(f), matrix(x), labels, batch, rate, 7, gives=MATRICES, within=WITHIN)
        if any(same(got, after_epoch(f, x, labels, order, rate)) for order in orders(n, batch)):
            continue
        one = after_epoch(f, x, labels, next(orders(n, batch)), rate)
        student.check(False, "no order of the images leads to this perceptron. In the order of the rows, weights2 would be",
                      str([[round(value, 6) for value in row] for row in one[2]]),
                      str([[round(value, 6) for value in row] for row in got[2].rows()]), epoch_slip(got, f, x, labels, batch, rate))


# The training.

FOLDER = "/usr/share/datasets/fashion-mnist"
FILES = {   # the bytes of the header, and the SHA-256 of the content
    "train-images-idx3-ubyte": (16, "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"),
    "train-labels-idx1-ubyte": (8, "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"),
    "t10k-images-idx3-ubyte": (16, "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"),
    "t10k-labels-idx1-ubyte": (8, "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"),
}
LEARN = 10_000          # training images


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


@part("training")
def judge_training(student):
    images, labels = content("train-images-idx3-ubyte"), content("train-labels-idx1-ubyte")
    unseen, secret = content("t10k-images-idx3-ubyte"), content("t10k-labels-idx1-ubyte")
    started = time.monotonic()
    f = student.ask("train", images[:784 * LEARN], 784, list(labels[:LEARN]), student.random.randrange(1000),
                    gives=MATRICES, again=False)
    seconds = time.monotonic() - started
    for name, got, shape in zip(NAMES, f, [(784, 50), (1, 50), (50, 10), (1, 10)]):
        student.check(got.shape == shape, "the trained perceptron has the wrong shape", "%d x %d" % shape,
                      " x ".join(map(str, got.shape)), where=name)
        student.check(all(map(isfinite, got.numbers)), "the training diverged: the perceptron holds NaN or infinity",
                      suspect="not-learned", where=name)
    classes = student.ask("classify", *f, unseen, 784, gives=wholes(len(secret)), again=False)
    weights = lists(f)
    for picture in range(0, len(secret), 500):
        pixels = [byte / 255 for byte in unseen[784 * picture:784 * (picture + 1)]]
        outputs = forward(*weights, [pixels])[1][0]
        student.check(outputs[classes[picture]] >= max(outputs) - WITHIN, "the class is not that of the perceptron that you trained",
                      str(predicted([outputs])[0]), str(classes[picture]), where=f"unseen image {picture}")
    share = sum(a == b for a, b in zip(classes.numbers, secret)) / len(secret)
    student.report = [f"{100 * share:.1f} % of {len(secret):,} unseen images, after {seconds:.0f} s of training"]
    student.measured = share
    student.check(share >= 0.8, "too few of the unseen images are "
                                "recognised", "at least 80 %", f"{100 * share:.1f} %", "not-learned")
