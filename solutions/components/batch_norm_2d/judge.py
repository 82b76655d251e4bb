"""Batch normalisation of feature maps: each channel on its own, with sums that are rounded once."""
from itertools import product
from math import fsum, nan, prod, sqrt

from recto.judge.comparing import show
from recto.judge.judging import REAL, Array, Misconception, array_of, matrix, part

TOLERANCE = 1e-9        # sums of a hundred numbers of a few units in double precision, in any order
FAR = 1e-5              # numbers near a million have rounding errors of 1e-10, their squares of 1e-4


def places(x):
    """(sample, channel, row, column) of every number, in the order of the numbers."""
    return list(product(*map(range, x.shape)))


def moments(numbers, less=0):
    """The mean and the variance; `less` is subtracted from the count under the variance."""
    mean = fsum(numbers) / len(numbers)
    return mean, fsum((value - mean) ** 2 for value in numbers) / (len(numbers) - less)


def groups(x, key):
    """The numbers that share their statistics, by key(sample, channel, row, column)."""
    found = {}
    for at, value in zip(places(x), x.numbers):
        found.setdefault(key(*at), []).append(value)
    return found


def channel(n, c, i, j):
    return c


def root(variance, eps):
    return sqrt(variance + eps)


def scaled(x, statistics, weight, bias, eps, key=channel, spread=root):
    """The result with the (mean, variance) of each key."""
    found = []
    for at, value in zip(places(x), x.numbers):
        mean, variance = statistics[key(*at)]
        divisor = spread(variance, eps)
        found.append(weight[at[1]] * ((value - mean) / divisor if divisor else nan) + bias[at[1]])
    return Array(x.shape, found)


def forward(x, weight, bias, mean, variance, momentum, eps, mode, key=channel, less=0, spread=root):
    """The result."""
    if mode == "evaluation":
        return scaled(x, list(zip(mean, variance)), weight, bias, eps, spread=spread)
    statistics = {name: moments(numbers, less) for name, numbers in groups(x, key).items()}
    return scaled(x, statistics, weight, bias, eps, key, spread)


def running(x, weight, bias, mean, variance, momentum, eps, mode, less=1, share=lambda momentum: momentum,
            kept=lambda variance, eps: variance):
    """The running mean and variance afterwards."""
    if mode == "evaluation":
        return mean, variance
    means, variances = [], []
    for c, numbers in sorted(groups(x, channel).items()):
        new_mean, new_variance = moments(numbers, less)
        part_ = share(momentum)
        means.append((1 - part_) * mean[c] + part_ * new_mean)
        variances.append((1 - part_) * variance[c] + part_ * kept(new_variance, eps))
    return means, variances


def only(mode, gives):
    """A mistake of one mode."""
    return lambda *arguments: gives(*arguments) if arguments[-1] == mode else None


def in_training(**ways):
    return only("training", lambda *arguments: forward(*arguments, **ways))


def followed(**ways):
    return lambda *arguments: running(*arguments, **ways)


def variance_by(rule):
    """The running variance is rule(old, new, count, momentum, eps), where new is the sum of squares divided by the count."""
    def answer(x, weight, bias, mean, variance, momentum, eps, mode):
        if mode == "evaluation":
            return None
        means, _ = running(x, weight, bias, mean, variance, momentum, eps, mode)
        return means, [rule(variance[c], moments(numbers)[1], len(numbers), momentum, eps)
                       for c, numbers in sorted(groups(x, channel).items())]
    return answer


def always_following(x, weight, bias, mean, variance, momentum, eps, mode):
    found = running(x, weight, bias, mean, variance, momentum, eps, "training", less=0)
    count = x.shape[0] * prod(x.shape[2:])
    unbiased = [(new - (1 - momentum) * old) * count / (count - 1) if count > 1 else nan for new, old in zip(found[1], variance)]
    return found[0], [(1 - momentum) * old + new for old, new in zip(variance, unbiased)]


def running_in_training(x, weight, bias, mean, variance, momentum, eps, mode):
    found = running(x, weight, bias, mean, variance, momentum, eps, mode)
    return scaled(x, list(zip(*found)), weight, bias, eps)


def old_in_training(x, weight, bias, mean, variance, momentum, eps, mode):
    return scaled(x, list(zip(mean, variance)), weight, bias, eps)


def count_of_samples(x, weight, bias, mean, variance, momentum, eps, mode):
    """The sums of a channel divided by the batch size alone."""
    statistics = {}
    for c, numbers in groups(x, channel).items():
        middle = fsum(numbers) / x.shape[0]
        statistics[c] = middle, fsum((value - middle) ** 2 for value in numbers) / x.shape[0]
    return scaled(x, statistics, weight, bias, eps)


def plain(x, weight, bias, *rest):
    return forward(x, [1.0] * x.shape[1], [0.0] * x.shape[1], *rest)


def evaluated_as(x, *arguments):
    """The mini-batch's statistics in evaluation mode."""
    return forward(x, *arguments[:-1], "training")


def inner_bias(x, weight, bias, *rest):
    """The shift before the scale."""
    return forward(x, weight, [w * b for w, b in zip(weight, bias)], *rest)


def fold(kernels, added, weight, bias, mean, variance, eps, scale=lambda w, v, eps: w / sqrt(v + eps),
         shift=lambda a, b, m, beta: a * (b - m) + beta, of=lambda c, k: c, entry=lambda number, a, w: a * number):
    """(the weight, the bias)"""
    scales = [scale(w, v, eps) for w, v in zip(weight, variance)]
    rows = [[entry(number, scales[of(c, k)], weight[of(c, k)]) for k, number in enumerate(row)]
            for c, row in enumerate(kernels.rows())]
    return matrix(rows), [shift(*four) for four in zip(scales, added, mean, bias)]


def folded(**ways):
    return lambda *arguments: fold(*arguments, **ways)


misconceptions = [
    # the statistics of training
    Misconception("each-position", "forward", in_training(key=lambda n, c, i, j: (c, i, j)),
                  "each position has a mean of its own here, over the samples alone. One filter makes all positions of a "
                  "channel: sum over the samples, the rows and the columns"),
    Misconception("each-sample", "forward", in_training(key=lambda n, c, i, j: (n, c)),
                  "each sample has a mean of its own here: that is instance normalisation. Batch normalisation sums over "
                  "the samples too"),
    Misconception("within-a-sample", "forward", in_training(key=lambda n, c, i, j: n),
                  "the numbers of a sample were normalised together, over all channels: that is layer normalisation. Here "
                  "every channel has its own mean, over all samples"),
    Misconception("one-mean", "forward", in_training(key=lambda n, c, i, j: 0),
                  "all channels share one mean and one variance here. A channel with small numbers then stays small: take "
                  "the statistics of each channel"),
    Misconception("count-of-samples", "forward", only("training", count_of_samples),
                  "the sums were divided by the batch size. Every position counts too: N is batch times height times width"),
    Misconception("unbiased-result", "forward", in_training(less=1),
                  "the result was divided by the root of the unbiased variance. That one belongs into the running variance; "
                  "the result takes the sum of squares divided by N"),
    Misconception("eps-outside", "forward", in_training(spread=lambda v, eps: sqrt(v) + eps),
                  "epsilon was added to the standard deviation. Add it to the variance, under the root"),
    Misconception("no-eps", "forward", in_training(spread=lambda v, eps: sqrt(v)),
                  "epsilon is missing under the root: a channel whose numbers are all equal is divided by 0"),
    Misconception("no-root", "forward", in_training(spread=lambda v, eps: v + eps),
                  "x was divided by the variance. The root is missing: divide by the standard deviation"),
    Misconception("own-eps", "forward", lambda *a: forward(*a[:6], 1e-5, a[7]),
                  "epsilon was 1e-5 for every layer. Each layer has its own in norm.eps"),
    Misconception("own-running", "forward", only("training", running_in_training),
                  "the result comes from the running statistics after their move. In training mode it comes from the "
                  "statistics of the mini-batch"),
    Misconception("old-running", "forward", only("training", old_in_training),
                  "the result comes from the running statistics of before. In training mode it comes from the statistics of "
                  "the mini-batch"),
    Misconception("no-weight", "forward", plain, "the weight and the bias are missing: scale and shift the normalised numbers at "
                                                 "the end"),
    Misconception("shift-first", "forward", inner_bias,
                  "the bias was multiplied by the weight: first scale, then shift"),
    # evaluation
    Misconception("batch-in-evaluation", "forward", only("evaluation", evaluated_as),
                  "these are the statistics of the mini-batch. In evaluation mode the result of an image must not depend on "
                  "the images beside it: use the running statistics"),
    Misconception("deviation-in-evaluation", "forward",
                  only("evaluation", lambda *a: forward(*a, spread=lambda v, eps: v + eps)),
                  "the running variance was used as a standard deviation: take the root of variance plus epsilon"),
    Misconception("no-eps-in-evaluation", "forward", only("evaluation", lambda *a: forward(*a, spread=lambda v, eps: sqrt(v))),
                  "epsilon is missing in evaluation mode: both modes add it under the root"),
    # the running statistics
    Misconception("never-followed", "running_statistics", followed(share=lambda momentum: 0),
                  "the running statistics stayed where they were: every mini-batch in training mode moves them"),
    Misconception("last-batch", "running_statistics", followed(share=lambda momentum: 1),
                  "these are the statistics of the last mini-batch alone. Move the running ones by a share of the distance, the "
                  "momentum"),
    Misconception("biased-running", "running_statistics", followed(less=0),
                  "the running variance moved towards the sum of squares divided by N. It estimates the variance of all "
                  "images: divide by N - 1 for the running variance"),
    Misconception("whole-quotient", "running_statistics",
                  variance_by(lambda old, new, count, momentum, eps: (1 - momentum) * old + momentum * new * (count // (count - 1))),
                  "N / (N - 1) was computed with whole numbers, which round it down: it is 2 for N = 2 and 1 for every larger N. "
                  "Make N a double, or multiply the variance by N before you divide by N - 1"),
    Misconception("quotient-turned", "running_statistics",
                  variance_by(lambda old, new, count, momentum, eps: (1 - momentum) * old + momentum * new * (count - 1) / count),
                  "the factor of the unbiased variance is upside down: N / (N - 1) makes it larger"),
    Misconception("old-one-scaled", "running_statistics",
                  variance_by(lambda old, new, count, momentum, eps: ((1 - momentum) * old + momentum * new) * count / (count - 1)),
                  "the whole running variance was multiplied by N / (N - 1). This factor belongs to the variance of the mini-batch "
                  "alone, or the running one grows with every call"),
    Misconception("momentum-turned", "running_statistics", followed(share=lambda momentum: 1 - momentum),
                  "the momentum is the share of the new statistic here, as in PyTorch, and the old one keeps the rest. An "
                  "optimiser's momentum is the other way round"),
    Misconception("deviation-followed", "running_statistics", followed(kept=lambda v, eps: sqrt(v)),
                  "the running variance moved towards the standard deviation. Move it towards the variance, without the root"),
    Misconception("eps-kept", "running_statistics", followed(kept=lambda v, eps: v + eps),
                  "epsilon was added to the running variance. It belongs under the root alone, or it counts twice in "
                  "evaluation mode"),
    Misconception("eps-kept", "running_statistics",
                  variance_by(lambda old, new, count, momentum, eps: (1 - momentum) * old + momentum * (new + eps) * count / (count - 1)),
                  "epsilon was added to the variance before it entered the running variance. It belongs under the root alone, or it "
                  "counts twice in evaluation mode"),
    Misconception("follows-in-evaluation", "running_statistics", only("evaluation", always_following),
                  "the running statistics moved in evaluation mode: each image that is classified then changes the network"),
    # edges
    Misconception("one-pass", says="the variance was computed as the mean of the squares minus the square of the mean. Near "
                                   "a million the squares are near 1e12 and rounded to 1e-4; their difference is rounding "
                                   "noise, and may be negative. Subtract the mean first, then square"),
    Misconception("lone-number", says="one number is its own mean: every result would be the bias, and the unbiased variance "
                                      "would be 0/0. In training mode N < 2 is to be refused with std::invalid_argument"),
    Misconception("refused-too-much", says="two numbers have a mean and a variance, and evaluation mode needs neither: refuse "
                                           "N < 2 in training mode alone. N counts the positions too"),
    Misconception("refused-too-much", "forward", outcome="wrong answer", matches="threw an exception: (?!maps:|matrix:|vector|the result)",
                  says="two numbers have a mean and a variance: refuse N < 2 in training mode alone. N counts the positions too"),
    Misconception("half-refused", says="the running statistics had already moved when the exception was thrown: check N before "
                                       "you change anything"),
    # folding
    Misconception("bias-as-it-was", "fold", folded(shift=lambda a, b, m, beta: b - a * m + beta),
                  "the bias of the convolution was not scaled. The layer multiplies everything that the convolution gives, the "
                  "bias included"),
    Misconception("mean-unscaled", "fold", folded(shift=lambda a, b, m, beta: a * b - m + beta),
                  "the running mean was not scaled: the layer subtracts it first and multiplies afterwards"),
    Misconception("mean-added", "fold", folded(shift=lambda a, b, m, beta: a * (b + m) + beta),
                  "the running mean was added. The layer subtracts it"),
    Misconception("bias-dropped", "fold", folded(shift=lambda a, b, m, beta: beta - a * m),
                  "the bias of the convolution got lost. A convolution before batch normalisation often has none, and this one "
                  "has"),
    Misconception("fold-without-shift", "fold", folded(shift=lambda a, b, m, beta: a * (b - m)),
                  "the bias of the layer is missing from the folded bias: the layer adds it at the end, after the scale"),
    Misconception("weight-replaced", "fold", folded(entry=lambda number, a, w: w * a),
                  "the weights of the convolution got lost: the folded weight is the scale of the layer times conv.weight. Here "
                  "norm.weight stands in the place of conv.weight, and it is in the scale already"),
    Misconception("scale-alone", "fold", folded(entry=lambda number, a, w: a),
                  "the folded weight holds the scale of the layer alone: multiply conv.weight by it"),
    Misconception("fold-without-eps", "fold", folded(scale=lambda w, v, eps: w / sqrt(v)),
                  "epsilon is missing in the folded scale: the layer adds it under the root in evaluation mode too"),
    Misconception("fold-by-variance", "fold", folded(scale=lambda w, v, eps: w / (v + eps)),
                  "the folded scale divides by the variance. The root is missing"),
    Misconception("fold-by-columns", "fold", folded(of=lambda c, k: k),
                  "each column of the weight was scaled. A row holds the weights of one output channel, and the layer scales "
                  "output channels"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's batch normalisation is not allowed here: write it yourself"),
]

RESULT = "the result, element (sample, channel, row, column)"
FOLLOWED = "the running mean (value 1) and the running variance (value 2) after one call of forward"


def call_of(function, arguments):
    """A call with the names of its numbers."""
    if function == "fold":
        names = ("conv.weight", "conv.bias", "weight", "bias", "running mean", "running variance", "eps")
    else:
        names = ("x", "weight", "bias", "running mean", "running variance", "momentum", "eps", "mode")
    return f"{function}({', '.join(f'{name} {show(value)}' for name, value in zip(names, arguments))})"


def numbers(student, count, low, high):
    """Random numbers with two decimals, which are easy to read."""
    return [round(student.random.uniform(low, high), 2) for _ in range(count)]


def maps(student, *shape, far=0.0):
    """Channels of different places and sizes."""
    channels = shape[1]
    middle, size = numbers(student, channels, -3, 3), numbers(student, channels, 0.5, 3)
    found = [far + middle[c] + round(size[c] * student.random.uniform(-1, 1), 2) for _, c, _, _ in product(*map(range, shape))]
    return Array(shape, found)


def layer(student, channels):
    """Weight, bias, running mean and running variance, all different."""
    return (numbers(student, channels, 0.5, 2), numbers(student, channels, -2, 2), numbers(student, channels, -3, 3),
            numbers(student, channels, 0.3, 4))


def fresh(channels):
    return [1.0] * channels, [0.0] * channels, [0.0] * channels, [1.0] * channels


SHAPES = [(2, 1, 1, 2), (2, 2, 1, 1), (1, 2, 2, 2), (2, 2, 2, 2), (3, 1, 2, 3), (2, 3, 3, 2), (4, 2, 1, 3), (3, 4, 3, 3)]
HAND = Array((2, 1, 1, 2), [1.0, 3.0, 5.0, 7.0])


@part("training")
def training(student):
    student.call = call_of
    for arguments in [(Array((2, 2, 1, 1), [1.0, 5.0, 3.0, 15.0]), *fresh(2), 0.1, 0.0, "training"),    # channels first
                      (HAND, [2.0], [1.0], [0.0], [1.0], 0.1, 0.0, "training"), (HAND, *fresh(1), 0.1, 1e-5, "training")]:
        student.expect("forward", *arguments, gives=forward(*arguments), within=TOLERANCE, about=RESULT)
    for shape in SHAPES:
        for eps in (1e-5, 0.1):
            arguments = (maps(student, *shape), *layer(student, shape[1]), 0.1, eps, "training")
            student.expect("forward", *arguments, gives=forward(*arguments), within=TOLERANCE, about=RESULT)


@part("running")
def running_part(student):
    student.call = call_of
    # With N = 2 a quotient N / (N - 1) of whole numbers is right: that tells it from a missing one.
    for x in (Array((2, 1, 1, 1), [1.0, 5.0]), HAND):
        arguments = (x, [2.0], [1.0], [0.0], [1.0], 0.1, 0.0, "training")
        student.expect("running_statistics", *arguments, gives=running(*arguments), within=TOLERANCE, about=FOLLOWED)
    for shape, momentum, eps in zip(SHAPES, (0.1, 0.25, 0.9, 0.1, 0.01, 0.3, 1.0, 0.0), (1e-5, 0.1) * 4):
        weight, bias, mean, variance = layer(student, shape[1])
        for _ in range(3):
            arguments = (maps(student, *shape), weight, bias, mean, variance, momentum, eps, "training")
            right = running(*arguments)
            student.expect("running_statistics", *arguments, gives=right, within=TOLERANCE, about=FOLLOWED)
            mean, variance = right


@part("evaluation")
def evaluation(student):
    student.call = call_of
    variance = 0.9 + 0.1 * 20 / 3
    hand = (Array((1, 1, 1, 1), [1.0]), [2.0], [1.0], [0.4], [variance], 0.1, 0.0, "evaluation")
    student.expect("forward", *hand, gives=forward(*hand), within=TOLERANCE, about=RESULT)
    for shape in [(1, 2, 1, 1), *SHAPES]:
        for eps in (1e-5, 0.1):
            arguments = (maps(student, *shape), *layer(student, shape[1]), 0.25, eps, "evaluation")
            student.expect("forward", *arguments, gives=forward(*arguments), within=TOLERANCE, about=RESULT)
            student.expect("running_statistics", *arguments, gives=running(*arguments), about=FOLLOWED)


@part("edges")
def edges(student):
    student.call = call_of
    constant = Array((2, 2, 1, 2), [0.5, 0.5, 1.0, 3.0, 0.5, 0.5, 5.0, 7.0])
    for eps in (1e-5, 0.01):
        arguments = (constant, [2.0, 1.0], [1.0, -1.0], [0.0, 0.0], [1.0, 1.0], 0.1, eps, "training")
        student.expect("forward", *arguments, gives=forward(*arguments), within=TOLERANCE,
                       about=f"{RESULT}; channel 0 is constant")
    for shape in [(2, 1, 2, 2), (3, 2, 2, 2), (4, 3, 2, 3)]:
        far(student, (maps(student, *shape, far=1e6), *layer(student, shape[1]), 0.1, 1e-5, "training"))
    lone(student)


def far(student, arguments):
    """Numbers near a million: an answer that is wrong here alone has lost the digits of its variance."""
    for function, right, kinds, about in [("forward", (forward(*arguments),), (array_of(*arguments[0].shape),), RESULT),
                                          ("running_statistics", running(*arguments), (array_of(arguments[0].shape[1]),) * 2,
                                           FOLLOWED)]:
        found = student.ask(function, *arguments, gives=kinds, within=FAR)
        for number, (expected, got) in enumerate(zip(right, found)):
            due = expected.numbers if isinstance(expected, Array) else expected
            for at, mine, theirs in zip(places(got) if len(got.shape) == 4 else range(len(due)), due, got.numbers):
                value = f"value {number + 1}, " if len(right) > 1 else ""
                student.check(abs(mine - theirs) <= FAR, f"{about}, of numbers near a million", repr(mine), repr(theirs),
                              "one-pass", f"{value}element {at}")


def lone(student):
    """What is refused, and what is not."""
    for shape, mode, due in [((2, 1, 1, 1), "training", False), ((1, 2, 1, 2), "training", False), ((1, 2, 2, 1), "training", False),
                             ((1, 2, 1, 1), "evaluation", False), ((1, 2, 1, 1), "training", True),
                             ((0, 2, 3, 3), "training", True)]:
        _, channels, _, _ = shape
        x = Array(shape, numbers(student, prod(shape), -3, 3))
        arguments = (x, *layer(student, channels), 0.1, 1e-5, mode)
        refused, mean, variance = student.ask("refuses", *arguments, gives=(REAL, array_of(channels), array_of(channels)),
                                              within=TOLERANCE)
        about = f"N = {prod(shape) // channels} in each channel, maps of shape {' x '.join(map(str, shape))}, {mode} mode"
        words = "no std::invalid_argument", "std::invalid_argument"
        student.check(refused == due, about, words[due], words[not due], "lone-number" if due else "refused-too-much")
        if due:
            before, after = (arguments[3], arguments[4]), (mean.numbers, variance.numbers)
            student.check(before == after, f"{about}: running mean and variance after the exception", show(before), show(after),
                          "half-refused")
    empty = (Array((0, 2, 2, 2), []), *layer(student, 2), 0.1, 1e-5, "evaluation")
    student.expect("forward", *empty, gives=forward(*empty), about="maps without samples")


@part("folding")
def folding(student):
    student.call = call_of
    about = "the weight (value 1) and the bias (value 2) of the folded convolution"
    variance = 0.9 + 0.1 * 20 / 3
    hand = (matrix([[3.0]]), [0.5], [2.0], [1.0], [0.4], [variance], 0.0)
    student.expect("fold", *hand, gives=fold(*hand), within=TOLERANCE, about=about)
    for channels, inputs in [(1, 3), (2, 1), (2, 2), (3, 3), (3, 5), (4, 9)]:
        for eps in (1e-5, 0.1):
            kernels = matrix([numbers(student, inputs, -2, 2) for _ in range(channels)])
            arguments = (kernels, numbers(student, channels, -2, 2), *layer(student, channels), eps)
            student.expect("fold", *arguments, gives=fold(*arguments), within=TOLERANCE, about=about)
