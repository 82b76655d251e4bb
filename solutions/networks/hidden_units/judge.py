"""Forward and backward in plain Python, batch by batch; convolutions by their definition; then a table on images."""
import gzip
import hashlib
import os
from math import exp, isfinite, log, tanh
from pathlib import Path

from recto.judge.comparing import show
from recto.judge.judging import Array, Misconception, NotHere, array_of, integers, matrix, part

WITHIN = 1e-9       # some steps with sums of a few numbers of about one
SCORES = 1e-10      # sums of products of numbers of at most about ten


def values(found):
    return Array((len(found),), found)


# The dense network, as (weight rows, bias) for each layer.

def layers_of(arrays):
    return [(w.rows(), list(b.numbers)) for w, b in zip(arrays[::2], arrays[1::2])]


def forward(layers, row):
    """The inputs of each layer, and the outputs."""
    seen = [row]
    for at, (weight, bias) in enumerate(layers):
        row = [b + sum(x * w[col] for x, w in zip(row, weight)) for col, b in enumerate(bias)]
        if at + 1 < len(layers):
            row = [tanh(value) for value in row]
        seen.append(row)
    return seen


def cut(arguments):
    """(arrays of the network, x, labels, the rest) from the arguments of a question."""
    layers = arguments[0]
    arrays = arguments[1:1 + 2 * layers]
    x, labels, *rest = arguments[1 + 2 * layers:]
    return arrays, x, labels, rest


def errors(*arguments, pick=lambda row: row.index(max(row)), right=False, whole=True, seen=None, label=lambda at, batch: at):
    arrays, x, labels, (batch,) = cut(arguments)
    layers, rows = layers_of(arrays), x.rows()
    count = seen(len(rows), batch) if seen else len(rows)
    found = sum((pick(forward(layers, rows[at])[-1]) == labels.numbers[label(at, batch)]) == right for at in range(count))
    return found


def softmax(row):
    powers = [exp(value - max(row)) for value in row]
    return [one / sum(powers) for one in powers]


def train(*arguments, keep_rest=True, keep_gradients=False, times=1.0, mean=True, bias=True, loss_by="image", one_batch=False, label=None,
          gradient=None, once=False):
    """The losses of the epochs and the network afterwards."""
    arrays, x, labels, (batch, epochs, rate) = cut(arguments)
    layers, rows = layers_of(arrays), x.rows()
    if one_batch:
        batch = len(rows)
    losses, gradients = [], None
    for epoch in range(epochs):
        sums, means = 0.0, []
        for first in range(0, len(rows), batch):
            some = range(first, min(first + batch, len(rows)))
            if not keep_rest and len(some) < batch:
                continue
            if gradients is None or not keep_gradients:
                gradients = [([[0.0] * len(b) for _ in w], [0.0] * len(b)) for w, b in layers]
            lost = 0.0
            for at in some:
                target = labels.numbers[(at - first) if label else at]
                seen = forward(layers, rows[at])
                p = softmax(seen[-1])
                lost -= log(p[target])
                dy = gradient(p, target) if gradient else [one - (k == target) for k, one in enumerate(p)]
                dy = [one / (len(some) if mean else 1) for one in dy]
                for depth in range(len(layers) - 1, -1, -1):
                    weight, _ = layers[depth]
                    for k, value in enumerate(seen[depth]):
                        for col, one in enumerate(dy):
                            gradients[depth][0][k][col] += value * one
                    for col, one in enumerate(dy):
                        gradients[depth][1][col] += one
                    dx = [sum(w * one for w, one in zip(row, dy)) for row in weight]
                    dy = [one * (1 - value * value) for one, value in zip(dx, seen[depth])] if depth else []
            sums += lost
            means.append(lost / len(some))
            layers = [([[w - times * rate * s for w, s in zip(*pair)] for pair in zip(weight, gradients[at][0])],
                       [b - times * rate * s for b, s in zip(b_, gradients[at][1])] if bias else b_)
                      for at, (weight, b_) in enumerate(layers)]
        losses.append({"image": sums / len(rows), "batch": sum(means) / max(1, len(means)), "last": means[-1] if means else 0.0,
                       "sum": sums}[loss_by])
    found = [values(losses)]
    for (weight, b), array in zip(layers, arrays[::2]):
        found += [Array(array.shape, [one for row in weight for one in row]), Array((1, len(b)), b)]
    return tuple(found)


# The convolutions.

def convolved(x, filters, bias):
    images, channels, rows, cols = x.shape
    count, _, height, width = filters.shape
    out = []
    for image in range(images):
        for f in range(count):
            for row in range(rows - height + 1):
                for col in range(cols - width + 1):
                    out.append(bias.numbers[f] + sum(filters[f, c, i, j] * x[image, c, row + i, col + j]
                                                     for c in range(channels) for i in range(height) for j in range(width)))
    return Array((images, count, rows - height + 1, cols - width + 1), out)


def pooled(x, pick=max):
    images, channels, rows, cols = x.shape
    return Array((images, channels, rows // 2, cols // 2),
                 [pick([x[n, c, 2 * row + i, 2 * col + j] for i in (0, 1) for j in (0, 1)]) for n in range(images) for c in range(channels)
                  for row in range(rows // 2) for col in range(cols // 2)])


def relu(x):
    return Array(x.shape, [max(value, 0.0) for value in x.numbers])


def scores(*arguments, bent=(0, 1, 2), pools=(0, 1), order=None, at_the_end=False, bias=True):
    *arrays, x = arguments
    for at in range(3):
        x = convolved(x, arrays[2 * at], arrays[2 * at + 1])
        x = relu(x) if at in bent else x
        x = pooled(x) if at in pools else x
    weight, last = arrays[6], arrays[7]
    images, channels, rows, cols = x.shape
    if channels * rows * cols != weight.shape[0]:
        return None
    found = []
    for n in range(images):
        places = [(c, i, j) for c in range(channels) for i in range(rows) for j in range(cols)]
        if order:
            places.sort(key=order)
        row = [x[n, c, i, j] for c, i, j in places]
        found.append([(last.numbers[k] if bias else 0.0) + sum(a * weight[i, k] for i, a in enumerate(row)) for k in range(weight.shape[1])])
    found = matrix(found)
    return relu(found) if at_the_end else found


def shapes(*arguments, extra=1, half=lambda n: n // 2, stages=(0, 1), depth=lambda f: f[0], square=False):
    *arrays, x = arguments
    shape, all_ = list(x.shape), []
    for at in range(3):
        f = arrays[2 * at].shape
        width = f[2] if square else f[3]
        shape = [shape[0], depth(f), shape[2] - f[2] + extra, shape[3] - width + extra]
        all_ += shape
        if at in stages:
            shape = [*shape[:2], half(shape[2]), half(shape[3])]
            all_ += shape
    return integers(all_)


misconceptions = [
    # errors
    Misconception("counts-the-right-ones", "errors", lambda *a: errors(*a, right=True),
                  "this is the number of images that the network gets right"),
    Misconception("rest-not-shown", "errors", lambda *a: errors(*a, seen=lambda n, batch: n // batch * batch),
                  "the images of the last, smaller batch were not counted"),
    Misconception("first-batch-only", "errors", lambda *a: errors(*a, seen=min),
                  "only the first batch was counted"),
    Misconception("labels-start-again", "errors", lambda *a: errors(*a, label=lambda at, batch: at % batch),
                  "every batch was compared with the labels of the first one: its labels begin where its images do"),
    Misconception("smallest-score", "errors", lambda *a: errors(*a, pick=lambda row: row.index(min(row))),
                  "the smallest score was chosen. The class is that of the largest"),
    Misconception("last-of-equals", "errors", lambda *a: errors(*a, pick=lambda row: len(row) - 1 - row[::-1].index(max(row))),
                  "of equal scores the last one was chosen. The first counts: compare with >, not with >="),
    # train
    Misconception("one-batch-an-epoch", "train", lambda *a: train(*a, one_batch=True),
                  "all images formed one batch, with one step for each epoch. A step follows each batch"),
    Misconception("gradients-left", "train", lambda *a: train(*a, keep_gradients=True),
                  "the first step is right and the later ones too long: backward adds to the gradients. Call zero_gradients after each step"),
    Misconception("uphill", "train", lambda *a: train(*a, times=-1.0), "the weights moved along the gradient, where the loss grows"),
    Misconception("sum-over-the-batch", "train", lambda *a: train(*a, mean=False),
                  "the steps follow the sum over the batch. Divide the derivatives by the number of its images: then the rate fits every size"),
    Misconception("rest-not-used", "train", lambda *a: train(*a, keep_rest=False),
                  "the last, smaller batch of each epoch was left out"),
    Misconception("biases-stay", "train", lambda *a: train(*a, bias=False), "the biases did not move. They are parameters too"),
    Misconception("mean-of-means", "train", lambda *a: train(*a, loss_by="batch"),
                  "the loss of an epoch is the mean of those of its batches. A smaller last batch then counts too much: add up over the "
                  "images, and divide by their number"),
    Misconception("last-loss", "train", lambda *a: train(*a, loss_by="last"),
                  "the loss of an epoch is that of its last batch. It is the mean over all images"),
    Misconception("sum-of-losses", "train", lambda *a: train(*a, loss_by="sum"), "the losses were not divided by the number of images"),
    Misconception("labels-of-the-first-batch", "train", lambda *a: train(*a, label=True),
                  "every batch was trained with the labels of the first one"),
    Misconception("softmax-alone", "train", lambda *a: train(*a, gradient=lambda p, t: p),
                  "the 1 of the right class is not subtracted: the derivative with respect to the scores is softmax minus one-hot"),
    # shares
    Misconception("share-of-the-training-set", says="these are the errors on the images of the training. The error on others is what "
                                                    "counts: the test set"),
    Misconception("counts-not-shares", says="these are counts. Divide by the number of test images"),
    Misconception("share-of-the-wrong-set", says="the errors on the test images were divided by the number of training images"),
    Misconception("not-trained", says="the networks are not trained: these are the shares that the same start gives with a rate of 0"),
    Misconception("whole-numbers", says="the share is 0 whatever the network does: one int divided by another is rounded down. Divide as "
                                        "double"),
    # shapes
    Misconception("one-too-small", "shapes", lambda *a: shapes(*a, extra=0),
                  "the images are one row and one column too small: a window of k numbers has n - k + 1 places"),
    Misconception("same-size", "shapes", lambda *a: shapes_same(*a), "these are the shapes of convolutions with padding. Here nothing is padded"),
    Misconception("rounded-up", "shapes", lambda *a: shapes(*a, half=lambda n: (n + 1) // 2),
                  "the pooling rounded up: an odd last row has no window"),
    Misconception("channels-kept", "shapes", lambda *a: shapes(*a, depth=lambda f: f[1]),
                  "the channels are those of the input of each convolution. Its output has as many as it has filters"),
    Misconception("square-filters", "shapes", lambda *a: shapes(*a, square=True),
                  "the columns were computed with the height of the filters: they may be wider than high"),
    # scores
    Misconception("no-relu", "scores", lambda *a: scores(*a, bent=()), "no ReLU follows the convolutions: all of it is one linear function"),
    Misconception("third-not-bent", "scores", lambda *a: scores(*a, bent=(0, 1)), "the ReLU after the third convolution is missing"),
    Misconception("relu-at-the-end", "scores", lambda *a: scores(*a, at_the_end=True),
                  "a ReLU was applied to the scores: a score may be negative"),
    Misconception("pixel-after-pixel", "scores", lambda *a: scores(*a, order=lambda place: place[1:] + place[:1]),
                  "the dense layer read all channels of a pixel, then those of the next. It reads channel after channel"),
    Misconception("columns-first", "scores", lambda *a: scores(*a, order=lambda place: (place[0], place[2], place[1])),
                  "the dense layer read each channel column after column. It reads row after row"),
    Misconception("no-last-bias", "scores", lambda *a: scores(*a, bias=False), "the bias of the dense layer is missing"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's networks are not allowed here: write it yourself"),
]


def shapes_same(*arguments):
    *arrays, x = arguments
    shape, all_ = list(x.shape), []
    for at in range(3):
        shape = [shape[0], arrays[2 * at].shape[0], *shape[2:]]
        all_ += shape
        if at < 2:
            shape = [*shape[:2], shape[2] // 2, shape[3] // 2]
            all_ += shape
    return integers(all_)


def some(student, *shape, size=1.0):
    total = 1
    for extent in shape:
        total *= extent
    return Array(shape, [round(student.random.uniform(-size, size), 3) for _ in range(total)])


def network(student, *sizes):
    return len(sizes) - 1, *(array for pair in zip(sizes, sizes[1:]) for array in (some(student, *pair, size=2), some(student, 1, pair[1])))


def images(student, count, width, classes):
    return some(student, count, width), integers([student.random.randrange(classes) for _ in range(count)])


def of_layers(name, count):
    """The names of weights and biases, layer by layer."""
    return [f"layers of the {name}", *(f"{word} of layer {at}" for at in range(count) for word in ("weights", "biases"))]


def call_of(function, arguments):
    """A call with the names of its arguments."""
    if function in ("errors", "train"):
        names = [*of_layers("network", arguments[0]), "x", "labels", "batch", "epochs", "rate"]
    elif function == "error_shares":
        names = ["sizes", "classes", "x", "labels", "test x", "test labels", "batch", "epochs", "rate", "seed"]
    elif function == "error_table":
        names = ["sizes", "images", "labels", "test images", "test labels", "batch", "epochs", "rate", "seed"]
    else:
        names = [*(f"{word} {at}" for at in (1, 2, 3) for word in ("filters", "bias")), "weight", "last_bias", "x"]
    return f"{function}({', '.join(f'{name} {show(value)}' for name, value in zip(names, arguments))})"


@part("errors")
def judge_errors(student):
    student.call = call_of
    cases = [(*network(student, 3, 4), *images(student, 30, 3, 4), batch) for batch in (10, 7, 30, 100, 1)]
    cases += [(*network(student, 2, 3, 5), *images(student, 41, 2, 5), 6)]
    equal = (1, Array((1, 3), [1.0, 1.0, 0.0]), Array((1, 3), [0.0, 0.0, 0.0]), Array((4, 1), [1.0, 2.0, -1.0, 0.0]), integers([0, 1, 2, 0]), 3)
    for case in [*cases, equal]:
        student.expect("errors", *case, gives=errors(*case), about="the number of errors")


@part("train")
def judge_train(student):
    student.call = call_of
    largest = 0.0
    hand = (1, Array((1, 2), [0.0, 0.0]), Array((1, 2), [0.0, 0.0]), Array((2, 1), [1.0, -2.0]), integers([0, 1]), 1, 1, 0.5)
    cases = [(*network(student, *sizes), *images(student, count, sizes[0], sizes[-1]), batch, epochs, 0.5)
             for sizes, count, batch, epochs in [((2, 3), 5, 2, 1), ((2, 3), 4, 2, 2), ((3, 2, 3), 7, 3, 2), ((2, 3, 2, 2), 6, 4, 2),
                                                 ((2, 2), 3, 10, 2), ((2, 3), 5, 1, 1)]]
    for case in [*cases, hand]:
        right = train(*case)
        got = student.ask("train", *case, gives=tuple(array_of(*one.shape) for one in right))
        student.compare(got, right, WITHIN, 0, "the losses, then weights and biases layer by layer", "train", case)
        largest = max([largest, *(abs(a - b) for mine, theirs in zip(right, got) for a, b in zip(mine.numbers, theirs.numbers))])
    student.measured = largest


@part("shares")
def judge_shares(student):
    """Two classes far apart: any network learns them. In the test set their labels are exchanged, for a third of the images not."""
    student.call = call_of
    for count, unseen in [(40, 30), (24, 60)]:
        def points(number):
            signs = [1 if at % 2 else -1 for at in range(number)]
            return matrix([[sign * student.random.uniform(1, 2), sign * student.random.uniform(1, 2)] for sign in signs]), signs
        x, signs = points(count)
        labels = [int(sign > 0) for sign in signs]
        test, test_signs = points(unseen)
        third = unseen // 3
        secret = [int((sign > 0) == (at < third)) for at, sign in enumerate(test_signs)]
        due = (unseen - third) / unseen
        sizes = [2, 5, 1, 3, 8]
        start = student.random.randrange(1 << 30)
        # The first time with a rate of 0: what the weights of the start give. Its numbers are any.
        first, got = (student.ask("error_shares", integers(sizes), 2, x, integers(labels), test, integers(secret), 4, 60, rate, start,
                                  gives=array_of(len(sizes))).numbers for rate in (0.0, 0.3))
        for size, share in zip(sizes, got):
            suspect = ""
            if got == first and len(set(got)) > 1:
                suspect = "not-trained"
            elif share == 0:
                suspect = "share-of-the-training-set" if any(first) else "whole-numbers"
            elif share == unseen - third:
                suspect = "counts-not-shares"
            elif abs(share - (unseen - third) / count) < 1e-12:
                suspect = "share-of-the-wrong-set"
            student.check(abs(share - due) <= 1e-12, f"the share of errors with {size} hidden units, where two thirds of the test labels "
                                                     "are exchanged", f"{due:.4f}", f"{share:.4f}", suspect)


def convnet(student, channels, rows, cols, counts=(2, 2, 2), kernels=((3, 3), (2, 2), (2, 2)), count=2, classes=3):
    arrays, shape = [], [count, channels, rows, cols]
    for at, (filters, kernel) in enumerate(zip(counts, kernels)):
        arrays += [some(student, filters, shape[1], *kernel), some(student, 1, filters)]
        shape = [count, filters, shape[2] - kernel[0] + 1, shape[3] - kernel[1] + 1]
        if at < 2:
            shape = [*shape[:2], shape[2] // 2, shape[3] // 2]
    arrays += [some(student, shape[1] * shape[2] * shape[3], classes), some(student, 1, classes)]
    return *arrays, some(student, count, channels, rows, cols)


def nets(student):
    return [convnet(student, 1, 12, 12), convnet(student, 2, 15, 13, (3, 2, 2)),
            convnet(student, 1, 14, 17, (2, 3, 2), ((3, 2), (1, 3), (2, 2)), 1, 2),
            convnet(student, 1, 28, 28, (2, 3, 4), ((5, 5), (3, 3), (3, 3)), 1, 10)]


@part("shapes")
def judge_shapes(student):
    student.call = call_of
    for case in nets(student):
        student.expect("shapes", *case, gives=shapes(*case), about="images, channels, rows and columns after each of five stages")


@part("scores")
def judge_scores(student):
    student.call = call_of
    for case in nets(student):
        right = scores(*case)
        student.expect("scores", *case, gives=right, within=SCORES, about="the scores of the network of three convolutions")


# The table.

FOLDER = "/usr/share/datasets/fashion-mnist"
FILES = {   # the bytes of the header, and the SHA-256 of the content
    "train-images-idx3-ubyte": (16, "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"),
    "train-labels-idx1-ubyte": (8, "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"),
    "t10k-images-idx3-ubyte": (16, "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"),
    "t10k-labels-idx1-ubyte": (8, "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"),
}
SIZES = [10, 50, 200, 500]


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
    student.call = call_of
    sets = []
    for name in ("train", "t10k"):
        pixels, labels = content(f"{name}-images-idx3-ubyte"), content(f"{name}-labels-idx1-ubyte")
        sets += [pixels[:784 * 1000], integers(list(labels[:1000]))]
    got = student.ask("error_table", integers(SIZES), *sets, 20, 20, 0.1, student.random.randrange(1 << 30),
                      gives=array_of(len(SIZES)), again=False)
    student.report = ["hidden units, errors on 1000 test images:",
                      *(f"{size:4d}  {100 * share:.1f} %" for size, share in zip(SIZES, got.numbers))]
    student.measured = got.numbers[-1] if isfinite(got.numbers[-1]) else None
    for size, share in zip(SIZES, got.numbers):
        student.check(0.05 <= share <= 0.4, f"the share of errors with {size} hidden units", "from 0.05 to 0.4", f"{share:.3f}")
