"""The answers of slips, and their names."""
from math import exp, tanh

from recto.judge.judging import Misconception, matrix

from .perceptron import NAMES, affine, formula, forward, lists, moved, squared_error


def forward_like(squash=tanh, biases=(True, True), after=lambda o: o, late=False):
    """The forward pass with a slip."""
    def give(*arrays):
        w1, b1, w2, b2, x = lists(arrays)
        none = [[0.0] * len(b1[0])], [[0.0] * len(b2[0])]
        first = [[squash(s) for s in row] for row in affine(x, w1, b1 if biases[0] and not late else none[0])]
        if late:
            first = [[h + b for h, b in zip(row, b1[0])] for row in first]
        outputs = affine(first, w2, b2 if biases[1] else none[1])
        return matrix(first), matrix([[after(o) for o in row] for row in outputs])
    return give


def backward_like(scale=None, **slips):
    """The backward pass with a slip; `scale` depends on the numbers of images and of classes."""
    def give(w1, b1, w2, b2, x, hidden, outputs, labels):
        if scale:
            slips["factor"] = scale(len(labels), outputs.shape[1])
        if len(labels) == 1 and ("keep" in slips or "bias" in slips):
            return None
        f = lists((w1, b1, w2, b2))
        return tuple(map(matrix, formula(f, x.rows(), hidden.rows(), outputs.rows(), labels, **slips)))
    return give


def weights_forgotten(w1, b1, w2, b2, x, hidden, outputs, labels):
    """The gradients as if all weights between the hidden units and the outputs were 1."""
    right = backward_like()(w1, b1, w2, b2, x, hidden, outputs, labels)
    ones = matrix([[1.0] * w2.shape[1]] * w2.shape[0])
    return (*backward_like()(w1, b1, ones, b2, x, hidden, outputs, labels)[:2], *right[2:])


def mean(column):
    """The mean, instead of a sum."""
    return sum(column) / len(column)


def step_like(sign=1, biases=True, rated=True):
    """A step with a slip."""
    def give(*arguments):
        *arrays, rate = arguments
        f, d = lists(arrays[:4]), lists(arrays[4:])
        after = moved(f, d, sign * (rate if rated else 1))
        return tuple(map(matrix, after if biases else [after[0], f[1], after[2], f[3]]))
    return give


def step_but(which):
    """A step that forgets one of the four."""
    def give(*arguments):
        after = list(step_like()(*arguments))
        after[which] = arguments[which]
        return tuple(after)
    return give


def predict_like(choose):
    """The columns chosen by another rule."""
    def give(*arrays):
        return [choose(row) for row in forward(*lists(arrays))[1]]
    return give


def from_zero(row):
    """A mistake: only outputs above zero can win."""
    return max(range(len(row)), key=row.__getitem__) if max(row) > 0 else 0


misconceptions = [
    Misconception("no-tanh", "forward", forward_like(squash=lambda s: s),
                  "the tanh is missing: two linear maps in a row are one linear map, so an activation must come between "
                  "them"),
    Misconception("sigmoid", "forward", forward_like(squash=lambda s: 1 / (1 + exp(-s))),
                  "this is the sigmoid, which goes from 0 to 1. tanh goes from -1 to 1"),
    Misconception("bias-after-tanh", "forward", forward_like(late=True),
                  "the first bias was added after the tanh: it belongs inside the tanh, added to x weights1"),
    Misconception("no-bias", "forward", forward_like(biases=(False, False)), "the two biases were left out"),
    Misconception("no-second-bias", "forward", forward_like(biases=(True, False)), "bias2 was left out"),
    Misconception("tanh-of-outputs", "forward", forward_like(after=tanh),
                  "tanh was applied to the outputs too. Here the outputs are linear in hidden"),
    Misconception("mean-of-everything", "squared_error",
                  lambda outputs, labels: squared_error(outputs.rows(), labels) / outputs.shape[1],
                  "this is also divided by the number of classes. The loss is a mean over the images and a sum over the "
                  "classes"),
    Misconception("no-mean", "squared_error", lambda outputs, labels: squared_error(outputs.rows(), labels) * len(labels),
                  "this is the sum over the images; the loss is their mean"),
    Misconception("half", "squared_error", lambda outputs, labels: squared_error(outputs.rows(), labels) / 2,
                  "this loss has no factor of one half (some books add it to simplify the derivative)"),
    Misconception("minus-one-for-the-others", "squared_error",
                  lambda outputs, labels: sum((o - (1 if k == label else -1)) ** 2 for row, label in zip(outputs.rows(), labels)
                                              for k, o in enumerate(row)) / len(labels),
                  "the targets of the other classes were -1. Here they are 0"),
    Misconception("target-alone", "squared_error",
                  lambda outputs, labels: sum((row[label] - 1) ** 2 for row, label in zip(outputs.rows(), labels)) / len(labels),
                  "only the label's column was counted. The targets of the other columns are 0, so their squares count too"),
    Misconception("two-forgotten", "backward", backward_like(factor=1.0),
                  "these are half as large as they should be: the derivative of a square is twice the number"),
    Misconception("backward-no-mean", "backward", backward_like(scale=lambda n, k: 2.0 * n),
                  "these are the gradients of the sum over the images; the loss is the mean: 1/N is missing"),
    Misconception("backward-integer-division", "backward", backward_like(scale=lambda n, k: float(2 // n * n)),
                  "in C++ 2 / N of two integers is an integer: 0 as soon as N is larger than 2"),
    Misconception("backward-mean-of-everything", "backward", backward_like(scale=lambda n, k: 2.0 / k),
                  "this is also divided by the number of classes; the loss sums over them"),
    Misconception("weights-forgotten", "backward", weights_forgotten,
                  "the gradients of the first layer lack weights2: a hidden unit adds up the gradient of each output times "
                  "the weight to this output"),
    Misconception("uphill", "backward", backward_like(factor=-2.0),
                  "all signs are wrong: the derivative of (output - target) squared contains output minus target"),
    Misconception("slope-not-squared", "backward", backward_like(slope=lambda h: 1 - h),
                  "the derivative of tanh is 1 minus the square of tanh; the square is missing"),
    Misconception("slope-of-tanh-of-tanh", "backward", backward_like(slope=lambda h: 1 - tanh(h) ** 2),
                  "hidden is the tanh already; here tanh was applied to it once more"),
    Misconception("slope-forgotten", "backward", backward_like(slope=lambda h: 1.0),
                  "the backward pass goes through the tanh too: its derivative is missing in the gradients of the first "
                  "layer"),
    Misconception("bias-mean", "backward", backward_like(bias=mean),
                  "the weights are right. A bias is added to every image in full, so its gradient is the sum over the "
                  "images, not their mean: the gradients of the outputs already contain the mean of the loss"),
    Misconception("last-picture", "backward", backward_like(keep=lambda rows: rows[-1:]),
                  "only the gradient of the last image is left: each image overwrites the sum instead of adding to it"),
    Misconception("uphill-step", "step", step_like(sign=-1),
                  "this step goes uphill: the gradient points in the direction in which the loss grows"),
    Misconception("biases-stay", "step", step_like(biases=False), "the weights moved but the biases did not: biases learn "
                                                                  "too"),
    *(Misconception("one-matrix-stays", "step", step_but(which), f"{name} did not move: all four matrices learn")
      for which, name in enumerate(NAMES)),
    Misconception("no-rate", "step", step_like(rated=False), "the step does not depend on the rate"),
    Misconception("absolute", "predict", predict_like(lambda row: max(range(len(row)), key=lambda k: abs(row[k]))),
                  "this is the output with the largest absolute value: a large negative output is evidence against a class"),
    Misconception("starts-from-zero", "predict", predict_like(from_zero),
                  "if all outputs are negative, column 0 wins: the search for the largest output starts from the number 0, "
                  "which is larger than all of them"),
    Misconception("smallest", "predict", predict_like(lambda row: min(range(len(row)), key=row.__getitem__)),
                  "this is the column of the smallest output"),
    Misconception("from-one", "predict", predict_like(lambda row: 1 + max(range(len(row)), key=row.__getitem__)),
                  "classes count from 0: the first column is class 0"),
    Misconception("all-alike", says="two hidden units begin with the same weights. They then get the same gradients and "
                                    "always stay equal: draw the weights at random"),
    Misconception("seed-ignored", says="another seed gave the same weights: seed the random generator with the argument"),
    Misconception("saturated", says="most hidden units are saturated: they answer nearly 1 or -1 to an image of 784 "
                                    "pixels, where the derivative of tanh is almost 0, and hardly learn. The more pixels "
                                    "are summed, the smaller the weights must be: about 1 over the root of their number"),
    Misconception("tail-forgotten", says="the last batch was left out: if the number of images is not a multiple of the "
                                         "batch size, a smaller batch remains"),
    Misconception("mean-over-the-batch-size", says="the last, smaller batch took a smaller step: its loss was divided by "
                                                   "the size of a full batch. Its loss is the mean over its own images"),
    Misconception("one-step", says="the perceptron moved only once: an epoch has one step for every batch"),
    Misconception("stale", says="all batches used the initial perceptron. After each step run the forward pass again: the "
                                "next gradients belong to the updated perceptron"),
    Misconception("labels-stay", says="the images were shuffled but the labels were not: each image needs its own label"),
    Misconception("not-learned", says="watch the loss during the training. If it falls slowly, take a larger learning "
                                      "rate, smaller batches or more epochs; if it grows or becomes NaN, take a smaller "
                                      "learning rate"),
    Misconception("takes-the-layers", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's layers and its tape are not allowed here: write the forward and the backward pass "
                       "yourself"),
]
