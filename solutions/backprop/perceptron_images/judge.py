"""A perceptron in plain Python. Gradients come from steps into the imaginary direction: f(x + ih) has the derivative of f times
h as its imaginary part, without any difference of numbers that are nearly equal, so h may be 1e-30 and the error is rounding.

Answers may differ by 1e-9: sums in another order change them by 1e-14 at these sizes, the smallest slip by 1e-3.
"""
import cmath
import gzip
import hashlib
import itertools
import os
import time
from math import exp, isfinite, tanh
from pathlib import Path

from judge.judging import Array, Misconception, NotHere, matrix, part

WITHIN = 1e-9
NAMES = ("weights1", "bias1", "weights2", "bias2")


# Forwards; all but the tanh works for complex numbers as well.

def affine(x, w, bias):
    columns = list(zip(*w))
    return [[sum(a * b for a, b in zip(row, column)) + shift for column, shift in zip(columns, bias[0])] for row in x]


def forward(w1, b1, w2, b2, x, squash=tanh):
    hidden = [[squash(s) for s in row] for row in affine(x, w1, b1)]
    return hidden, affine(hidden, w2, b2)


def squared_error(outputs, labels):
    return sum((o - (k == label)) ** 2 for row, label in zip(outputs, labels) for k, o in enumerate(row)) / len(labels)


def gradients(f, x, labels):
    """The derivative with respect to every number of the perceptron."""
    found = []
    for which, variable in enumerate(f):
        rows = [list(row) for row in variable]
        changed = [*f[:which], rows, *f[which + 1:]]
        slopes = []
        for row in rows:
            slopes.append([])
            for j, value in enumerate(row):
                row[j] = value + 1e-30j
                slopes[-1].append(squared_error(forward(*changed, x, cmath.tanh)[1], labels).imag / 1e-30)
                row[j] = value
        found.append(slopes)
    return found


def moved(f, d, rate):
    return [[[a - rate * b for a, b in zip(*rows)] for rows in zip(x, dx)] for x, dx in zip(f, d)]


def predicted(outputs):
    return [max(range(len(row)), key=row.__getitem__) for row in outputs]


# What slips give.

def lists(arrays):
    return [array.rows() for array in arrays]


def forward_like(squash=tanh, biases=(True, True), after=lambda o: o, late=False):
    """Forwards with a slip."""
    def give(*arrays):
        w1, b1, w2, b2, x = lists(arrays)
        none = [[0.0] * len(b1[0])], [[0.0] * len(b2[0])]
        first = [[squash(s) for s in row] for row in affine(x, w1, b1 if biases[0] and not late else none[0])]
        if late:
            first = [[h + b for h, b in zip(row, b1[0])] for row in first]
        outputs = affine(first, w2, b2 if biases[1] else none[1])
        return matrix(first), matrix([[after(o) for o in row] for row in outputs])
    return give


def formula(f, x, hidden, outputs, labels, factor=2.0, slope=lambda h: 1 - h * h, bias=sum, keep=lambda rows: rows):
    """The gradients by the rules, with a place for every slip. `keep` chooses which pictures count."""
    w1, b1, w2, b2 = f
    d_outputs = [[factor * (o - (k == label)) / len(labels) for k, o in enumerate(row)] for row, label in zip(outputs, labels)]
    d_hidden = [[sum(g * w for g, w in zip(row, weights)) * slope(h) for weights, h in zip(w2, hs)]
                for row, hs in zip(d_outputs, hidden)]
    x, hidden, d_outputs, d_hidden = map(keep, (x, hidden, d_outputs, d_hidden))

    def weights(inputs, back):
        return [[sum(a * b for a, b in zip(column, gradient)) for gradient in zip(*back)] for column in zip(*inputs)]
    return (weights(x, d_hidden), [[bias(column) for column in zip(*d_hidden)]],
            weights(hidden, d_outputs), [[bias(column) for column in zip(*d_outputs)]])


def backward_like(scale=None, **slips):
    """Backwards with a slip; `scale` depends on the numbers of pictures and of classes."""
    def give(w1, b1, w2, b2, x, hidden, outputs, labels):
        if scale:
            slips["factor"] = scale(len(labels), outputs.shape[1])
        if len(labels) == 1 and ("keep" in slips or "bias" in slips):
            return None
        f = lists((w1, b1, w2, b2))
        return tuple(map(matrix, formula(f, x.rows(), hidden.rows(), outputs.rows(), labels, **slips)))
    return give


def mean(column):
    return sum(column) / len(column)


def step_like(sign=1, biases=True, rated=True):
    """A step with a slip."""
    def give(*arguments):
        *arrays, rate = arguments
        f, d = lists(arrays[:4]), lists(arrays[4:])
        after = moved(f, d, sign * (rate if rated else 1))
        return tuple(map(matrix, after if biases else [after[0], f[1], after[2], f[3]]))
    return give


def predict_like(choose):
    """Which column another rule chooses."""
    def give(*arrays):
        return [choose(row) for row in forward(*lists(arrays))[1]]
    return give


def from_zero(row):
    """Only outputs above zero can win."""
    return max(range(len(row)), key=row.__getitem__) if max(row) > 0 else 0


# Epochs: any order of the pictures is right.

def orders(count, batch):
    """Every way to deal the pictures into batches; the order inside a batch does not matter."""
    def deal(rest):
        if not rest:
            yield ()
            return
        for chosen in itertools.combinations(rest, min(batch, len(rest))):
            for more in deal(tuple(i for i in rest if i not in chosen)):
                yield (chosen, *more)
    return deal(tuple(range(count)))


def after_epoch(f, x, labels, order, rate, stale=False, own_labels=True):
    """The perceptron after the batches in this order."""
    start, seen = f, 0
    for chosen in order:
        pictures = [x[i] for i in chosen]
        classes = [labels[i] for i in chosen] if own_labels else labels[seen:seen + len(chosen)]
        at = start if stale else f
        f = moved(f, formula(at, pictures, *forward(*at, pictures), classes), rate)
        seen += len(chosen)
    return f


misconceptions = [
    Misconception("no-tanh", "forward", forward_like(squash=lambda s: s),
                  "hidden is not bent by anything: two linear maps in a row are one linear map. tanh comes in between"),
    Misconception("sigmoid", "forward", forward_like(squash=lambda s: 1 / (1 + exp(-s))),
                  "this is the sigmoid, which goes from 0 to 1. tanh goes from -1 to 1"),
    Misconception("bias-after-tanh", "forward", forward_like(late=True),
                  "the first bias was added after the tanh: it belongs inside, beside x weights1"),
    Misconception("no-bias", "forward", forward_like(biases=(False, False)), "the two biases were left out"),
    Misconception("no-second-bias", "forward", forward_like(biases=(True, False)), "bias2 was left out"),
    Misconception("tanh-of-outputs", "forward", forward_like(after=tanh),
                  "the outputs went through tanh as well. Here they are linear in hidden"),
    Misconception("mean-of-everything", "squared_error",
                  lambda outputs, labels: squared_error(outputs.rows(), labels) / outputs.shape[1],
                  "this is also divided by the number of classes. The mean runs over the pictures; over the classes it is a sum"),
    Misconception("no-mean", "squared_error", lambda outputs, labels: squared_error(outputs.rows(), labels) * len(labels),
                  "this is the sum over the pictures; the loss is their mean"),
    Misconception("half", "squared_error", lambda outputs, labels: squared_error(outputs.rows(), labels) / 2,
                  "there is no half in this loss (some books put one there to make the derivative shorter)"),
    Misconception("target-alone", "squared_error",
                  lambda outputs, labels: sum((row[label] - 1) ** 2 for row, label in zip(outputs.rows(), labels)) / len(labels),
                  "only the label's column was counted. The other columns must come near to 0, so their squares count too"),
    Misconception("two-forgotten", "backward", backward_like(factor=1.0),
                  "these are half as large as they should be: the slope of a square is twice the number"),
    Misconception("backward-no-mean", "backward", backward_like(scale=lambda n, k: 2.0 * n),
                  "these are the gradients of the sum over the pictures; the loss is the mean: 1/N is missing"),
    Misconception("backward-integer-division", "backward", backward_like(scale=lambda n, k: float(2 // n * n)),
                  "in C++ 2 / N of two whole numbers is a whole number: 0, as soon as N is larger than 2"),
    Misconception("backward-mean-of-everything", "backward", backward_like(scale=lambda n, k: 2.0 / k),
                  "this is also divided by the number of classes; the loss sums over them"),
    Misconception("uphill", "backward", backward_like(factor=-2.0),
                  "all signs are turned round: the derivative of (output - target) squared has output minus target in it"),
    Misconception("slope-not-squared", "backward", backward_like(slope=lambda h: 1 - h),
                  "the slope of tanh is 1 minus the square of tanh; the square is missing"),
    Misconception("slope-of-tanh-of-tanh", "backward", backward_like(slope=lambda h: 1 - tanh(h) ** 2),
                  "hidden is the tanh already; here tanh was taken of it once more"),
    Misconception("slope-forgotten", "backward", backward_like(slope=lambda h: 1.0),
                  "the way back goes through the tanh as well: its slope is missing in the gradients of the first layer"),
    Misconception("bias-mean", "backward", backward_like(bias=mean),
                  "the weights are right. A bias is added to every picture in full, so its gradient is the sum over the "
                  "pictures, not their mean: the mean of the loss is in there already"),
    Misconception("last-picture", "backward", backward_like(keep=lambda rows: rows[-1:]),
                  "only the last picture left its gradient: each one overwrites those before instead of adding to them"),
    Misconception("uphill-step", "step", step_like(sign=-1),
                  "this step goes uphill: the gradient points to where the loss grows"),
    Misconception("biases-stay", "step", step_like(biases=False), "the weights moved and the biases did not: they learn as well"),
    Misconception("no-rate", "step", step_like(rated=False), "the step does not depend on the rate"),
    Misconception("absolute", "predict", predict_like(lambda row: max(range(len(row)), key=lambda k: abs(row[k]))),
                  "this is the output that is largest without its sign: a large negative one speaks against a class"),
    Misconception("starts-from-zero", "predict", predict_like(from_zero),
                  "where all outputs are negative, column 0 wins: the search for the largest one starts from the number 0, which "
                  "is larger than any of them"),
    Misconception("from-one", "predict", predict_like(lambda row: 1 + max(range(len(row)), key=row.__getitem__)),
                  "classes count from 0: the first column is class 0"),
    Misconception("all-alike", says="two hidden units begin with the same weights. They then get the same gradients and stay the "
                                    "same for ever: weights must differ, by chance"),
    Misconception("seed-ignored", says="another seed gave the same weights: let the random numbers begin from the seed"),
    Misconception("saturated", says="most hidden units answer nearly 1 or -1 to a picture of 784 pixels: the slope of tanh is "
                                    "almost 0 there, and little is learned. The more pixels are summed up, the smaller the "
                                    "weights must be: about 1 over the root of their number"),
    Misconception("tail-forgotten", says="the last batch was left out: when the pictures do not divide evenly, a smaller one remains"),
    Misconception("one-step", says="the perceptron moved only once: an epoch has one step for every batch"),
    Misconception("stale", says="all batches used the perceptron of the beginning. After a step the way forwards must be gone "
                                "again: the next gradients belong to the perceptron as it is by then"),
    Misconception("labels-stay", says="the pictures were shuffled and the labels were not: each picture needs its own label"),
    Misconception("not-learned", says="watch the loss that is shown while it trains. If it falls slowly, take a larger rate, "
                                      "smaller batches or more epochs; if it grows or becomes nan, a smaller rate"),
    Misconception("takes-the-layers", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's layers and its tape are what you are asked to write, forwards and backwards"),
]


# The cases.

def numbers(student, rows, cols, size=1.5):
    """Two digits are enough, and can be read."""
    return [[round(student.random.uniform(-size, size), 2) for _ in range(cols)] for _ in range(rows)]


def perceptron(student, p, h, k):
    return [numbers(student, p, h), numbers(student, 1, h), numbers(student, h, k), numbers(student, 1, k)]


def matrices(f):
    return tuple(map(matrix, f))


BY_HAND = [[[1.0], [1.0]], [[-1.0]], [[1.0, -1.0]], [[0.0, 0.5]]]      # of the statement: x = (1, 0), label 0
SIZES = [(1, 1, 1, 1), (1, 2, 3, 2), (3, 2, 2, 3), (2, 4, 1, 2), (4, 3, 5, 2), (5, 3, 3, 3)]       # pictures, pixels, units, classes


def problems(student):
    """(perceptron, pictures, labels)"""
    yield BY_HAND, [[1.0, 0.0]], [0]
    for n, p, h, k in SIZES:
        yield perceptron(student, p, h, k), numbers(student, n, p), [student.random.randrange(k) for _ in range(n)]


@part("forward")
def judge_forward(student):
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
    for outputs in ([-2.0, -1.0, -3.0], [2.0, 1.0, -3.0]):
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
        made = [student.ask("begin", pixels, units, classes, seed) for seed in (1, 2)]
        for f in made:
            for name, got, shape in zip(NAMES, f, [(pixels, units), (1, units), (units, classes), (1, classes)]):
                student.check(got.shape == shape, "a matrix of the perceptron has the wrong shape", "%d x %d" % shape,
                              " x ".join(map(str, got.shape)), where=name)
                student.check(all(map(isfinite, got.numbers)), "a matrix of the perceptron holds what is no number", where=name)
            columns = list(zip(*f[0].rows()))
            student.check(len(set(columns)) == units, "two hidden units begin alike", f"{units} different columns in weights1",
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


def same(got, f):
    return all(close_to(array, rows) for array, rows in zip(got, f))


def close_to(array, rows):
    flat = sum(rows, [])
    return len(flat) == len(array.numbers) and all(abs(a - b) <= WITHIN for a, b in zip(array.numbers, flat))


def epoch_slip(got, f, x, labels, batch, rate):
    """The slip that gives this perceptron, or nothing."""
    deals = list(orders(len(x), batch))
    whole = [order for order in deals if len(order) > 1]
    if any(same(got, after_epoch(f, x, labels, order[:1], rate)) for order in whole):
        return "one-step"
    if any(len(order[-1]) < batch and same(got, after_epoch(f, x, labels, order[:-1], rate)) for order in whole):
        return "tail-forgotten"
    if any(same(got, after_epoch(f, x, labels, order, rate, stale=True)) for order in whole):
        return "stale"
    for order in itertools.permutations(range(len(x))):
        parts = [order[i:i + batch] for i in range(0, len(x), batch)]
        if same(got, after_epoch(f, x, labels, parts, rate, own_labels=False)):
            return "labels-stay"
    return ""


@part("epoch")
def judge_epoch(student):
    for n, batch in [(1, 1), (3, 3), (2, 5), (2, 1), (4, 2), (5, 2), (3, 2), (5, 4)]:
        f, x = perceptron(student, 2, 2, 3), numbers(student, n, 2)
        labels, rate = [i % 3 for i in range(n)], 0.25
        got = student.ask("epoch", *matrices(f), matrix(x), labels, batch, rate, 7)
        if any(same(got, after_epoch(f, x, labels, order, rate)) for order in orders(n, batch)):
            continue
        one = after_epoch(f, x, labels, next(orders(n, batch)), rate)
        student.check(False, "no order of the pictures leads to this perceptron. In the order of the rows, weights2 would be",
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
LEARN = 10_000          # pictures to learn from


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
    f = student.ask("train", images[:784 * LEARN], 784, list(labels[:LEARN]), student.random.randrange(1000), again=False)
    seconds = time.monotonic() - started
    for name, got, shape in zip(NAMES, f, [(784, 50), (1, 50), (50, 10), (1, 10)]):
        student.check(got.shape == shape, "the trained perceptron has the wrong shape", "%d x %d" % shape,
                      " x ".join(map(str, got.shape)), where=name)
        student.check(all(map(isfinite, got.numbers)), "the training ran away: the perceptron holds what is no number",
                      suspect="not-learned", where=name)
    classes = student.ask("classify", *f, unseen, 784, again=False)
    student.check(isinstance(classes, Array) and classes.shape == (len(secret),), "one class for every picture is due",
                  str(len(secret)), str(len(classes.numbers)))
    weights = lists(f)
    for picture in range(0, len(secret), 500):
        pixels = [byte / 255 for byte in unseen[784 * picture:784 * (picture + 1)]]
        outputs = forward(*weights, [pixels])[1][0]
        student.check(outputs[classes[picture]] >= max(outputs) - WITHIN, "the class is not that of the perceptron that you trained",
                      str(predicted([outputs])[0]), str(classes[picture]), where=f"unseen picture {picture}")
    share = sum(a == b for a, b in zip(classes.numbers, secret)) / len(secret)
    student.report = [f"{100 * share:.1f} % of {len(secret):,} unseen pictures, after {seconds:.0f} s of training"]
    student.measured = share
    student.check(share >= 0.8, "too few of the unseen pictures are recognised", "at least 80 %", f"{100 * share:.1f} %", "not-learned")
