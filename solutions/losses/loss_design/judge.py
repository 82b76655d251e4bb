"""The relation of a loss to errors. The student chooses the surrogate and the data, and the judge checks their properties."""
from math import ceil, exp, floor, isfinite, log, log1p, nan

from recto.judge.judging import Misconception, array_of, integers, part, wholes

TOLERANCE = 1e-12   # sums of a few numbers
STEP = 1e-4         # of the differences


def shares(change):
    """A mean loss and its gradient, from a function of each sample (score, label)."""
    def loss(scores, labels):
        pairs = [change(score, label) for score, label in zip(scores, labels.numbers)]
        return sum(value for value, _ in pairs) / len(pairs), [slope / len(pairs) for _, slope in pairs]
    return loss


def soft(margin):
    """log(1 + exp(-margin)), for any margin."""
    return log1p(exp(-margin)) if margin > 0 else log1p(exp(margin)) - margin


def sigmoid(number):
    """1 / (1 + exp(-number)), for any number."""
    return 1 / (1 + exp(-number)) if number > 0 else exp(number) / (1 + exp(number))


def bent(score, label):
    """The hinge."""
    return (1 - score * label, -label) if score * label < 1 else (0, 0)


def overflowing(score, label):
    """The cross-entropy by the formula, without protection against overflow."""
    if -score * label > 709:
        return float("inf"), nan
    return log(1 + exp(-score * label)), -label * (1 - 1 / (1 + exp(-score * label)))


hinge = shares(bent)
cross_entropy = shares(lambda score, label: (soft(score * label), -label * sigmoid(-score * label)))
squared = shares(lambda score, label: ((score - label) ** 2, 2 * (score - label)))


def most_errors(mean, samples):
    return min(samples, floor(samples * mean / log(2)))


def calibration(probabilities, labels, bins, gap=abs, weighted=True, middle=False, right=False,
                below=False):
    """The curve, or the curve of a student who combines the gaps in another way."""
    inside = [[] for _ in range(bins)]
    for p, label in zip(probabilities, labels.numbers):
        bin_ = max(ceil(p * bins) - 1, 0) if below else min(int(p * bins), bins - 1)
        inside[bin_].append((p, int((p >= 0.5) == (label == 1)) if right else label))
    confidence = [sum(p for p, _ in one) / len(one) if one else 0.0 for one in inside]
    if middle:
        confidence = [(k + 0.5) / bins for k in range(bins)]
    frequency = [sum(label for _, label in one) / len(one) if one else 0.0 for one in inside]
    gaps = [gap(f - c) for f, c, one in zip(frequency, confidence, inside) if one]
    weights = [len(one) / len(probabilities) if weighted else 1 / len(gaps) for one in inside if one]
    return integers([len(one) for one in inside]), confidence, frequency, sum(w * g for w, g in zip(weights, gaps))


def summed(loss):
    """The sum instead of the mean."""
    def whole(scores, labels):
        value, gradient = loss(scores, labels)
        return value * len(scores), [number * len(scores) for number in gradient]
    return whole


def gradient_summed(loss):
    """The mean, but the gradient of the sum."""
    return lambda scores, labels: (loss(scores, labels)[0], [g * len(scores) for g in loss(scores, labels)[1]])


SUM = ("this is the sum over the samples. The loss is the mean, whose size is independent of the number of samples")
misconceptions = [
    Misconception("natural-logarithm", says="at margin 0, which is an error, log(1 + exp(0)) is log 2, which is less than "
                                            "1. The curve has the right shape: multiply it by a suitable factor"),
    Misconception("no-room", says="this loss grows only for negative margins, so an error just beyond the boundary costs "
                                  "less than 1. The loss must be positive already for small positive margins"),
    Misconception("parabola", says="a loss that grows again for large margins punishes samples that are clearly right. It "
                                   "bounds the errors, but minimising it can add errors"),
    Misconception("step", says="a loss with derivative 0 bounds the errors, but gradient descent does not move. For the "
                               "same reason training does not minimise the number of errors itself"),
    Misconception("slope-sign", says="the derivative has the wrong sign: the loss falls as the margin grows"),
    Misconception("without-logarithm", "most_errors", lambda mean, n: min(n, floor(n * mean)),
                  "a sample with margin 0, which is just an error, does not cost 1: compute its cross-entropy"),
    Misconception("rounded", "most_errors", lambda mean, n: min(n, round(n * mean / log(2))),
                  "this rounds to the nearest number. Round down: all errors together cost at most the given total"),
    Misconception("one-too-many", "most_errors", lambda mean, n: min(n, ceil(n * mean / log(2))),
                  "this number of errors would cost more than the given total: round down"),
    Misconception("more-than-all", "most_errors", lambda mean, n: floor(n * mean / log(2)),
                  "the number of errors cannot exceed the number of samples"),
    Misconception("hinge-summed", "hinge", summed(hinge), SUM),
    Misconception("cross-entropy-summed", "cross_entropy", summed(cross_entropy), SUM),
    Misconception("squared-summed", "squared", summed(squared), SUM),
    *(Misconception(f"gradient-summed-{name}", name, gradient_summed(loss),
                    "the loss is a mean, but its gradient is that of the sum")
      for name, loss in [("hinge", hinge), ("cross_entropy", cross_entropy), ("squared", squared)]),
    Misconception("hinge-at-zero", "hinge", shares(lambda s, y: (max(0, -s * y), -y if s * y < 0 else 0)),
                  "this loss is 0 as soon as the sign is right. The hinge is 0 only from a margin of 1 on"),
    Misconception("hinge-without-label", "hinge", shares(lambda s, y: (max(0, 1 - s * y), -1 if s * y < 1 else 0)),
                  "the gradient pushes every score upwards. By the chain rule the label is a factor: a sample with the "
                  "label -1 needs a smaller score"),
    Misconception("hinge-everywhere", "hinge", shares(lambda s, y: (max(0, 1 - s * y), -y)),
                  "a sample with a margin of 1 or more costs nothing, so its gradient is 0"),
    Misconception("overflow", "cross_entropy", shares(overflowing),
                  "exp of a large number is infinity. For a negative margin take m out of the logarithm: log(1 + exp(-m)) "
                  "= -m + log(1 + exp(m))"),
    Misconception("by-the-margin", "cross_entropy", shares(lambda s, y: (soft(s * y), -sigmoid(-s * y))),
                  "this is the derivative with respect to the margin. The gradient is with respect to the score, and the "
                  "margin is label times score: by the chain rule the label is a factor"),
    Misconception("wrong-doubt", "cross_entropy", shares(lambda s, y: (soft(s * y), -y * sigmoid(s * y))),
                  "samples that are right have the largest gradients here. The size of the gradient is the probability of "
                  "the wrong label"),
    Misconception("squared-turned", "squared", shares(lambda s, y: ((s - y) ** 2, -2 * (s - y))),
                  "the gradient has the wrong sign: if a score is above its label, increasing it increases the loss"),
    Misconception("squared-without-two", "squared", shares(lambda s, y: ((s - y) ** 2, s - y)),
                  "the factor 2 of the derivative is missing in the gradient"),
    Misconception("unweighted", "calibration", lambda p, y, bins: calibration(p, y, bins, weighted=False),
                  "every bin counts equally here. The error is a mean over the samples: a bin with more samples counts more"),
    Misconception("largest-gap", "calibration",
                  lambda p, y, bins: (*calibration(p, y, bins)[:3],
                                      max(abs(f - c) for f, c in zip(*calibration(p, y, bins)[1:3]))),
                  "this is the largest gap of any bin. The error is the mean of the gaps over all samples"),
    Misconception("signed", "calibration", lambda p, y, bins: calibration(p, y, bins, gap=lambda gap: gap),
                  "an overconfident bin and an underconfident bin cancel here: take the absolute value of each gap"),
    Misconception("middle-of-bin", "calibration", lambda p, y, bins: calibration(p, y, bins, middle=True),
                  "the confidence of a bin is the mean of the probabilities in it, not the middle of the bin"),
    Misconception("share-of-right", "calibration", lambda p, y, bins: calibration(p, y, bins, right=True),
                  "this is the share of samples whose likelier label was right. The probability is that of the label 1: "
                  "compare it with the share of ones"),
    Misconception("edge-below", "calibration", lambda p, y, bins: calibration(p, y, bins, below=True),
                  "a probability on an edge went to the bin below. Bin k includes its lower edge k / bins"),
    Misconception("bin-of-one", "calibration", outcome="crashed", matches="index outside|not its own|memory",
                  when=lambda p, y, bins: 1 in p,
                  says="the probability 1 belongs to the last bin; 1 times the number of bins is the index of a bin beyond "
                       "the last"),
    Misconception("bin-that-is-not-there", "calibration", outcome="crashed", matches="index outside|not its own|memory",
                  when=lambda p, y, bins: 1 not in p,
                  says="a bin that does not exist was used: bins are numbered from 0 to bins - 1, and each list needs one "
                       "element for every bin"),
    Misconception("not-separable", part="misled",
                  says="no threshold separates these labels, so every loss makes an error here. Find separable data on "
                       "which the squared loss still makes an error"),
    Misconception("no-victim", part="misled",
                  says="the line classifies all points correctly. Which correct samples does the squared loss punish? Add "
                       "many of them, or an extreme one"),
    Misconception("barely-misled", part="misled",
                  says="the line misses a point by so little that rounding could decide. Move the point that pulls the "
                       "line further out"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's losses are not allowed here: write them yourself"),
]


def known_shape(margins, values):
    """The name of the well-known loss that this is, if it is no solution."""
    def like(function):
        return all(abs(v - function(m)) < 1e-6 * (1 + abs(v)) for m, v in zip(margins, values) if abs(m) < 20)
    shapes = {"natural-logarithm": soft, "no-room": lambda m: max(0, -m), "parabola": lambda m: (1 - m) ** 2,
              "step": lambda m: float(m <= 0)}
    return next((name for name, function in shapes.items() if like(function)), "")


def surrogates(student, margins):
    """Values and derivatives at these margins."""
    count = len(margins)
    answers = student.ask("surrogate", margins, gives=(array_of(count), array_of(count)), within=TOLERANCE, relative=TOLERANCE)
    return [answer.numbers for answer in answers]


@part("surrogate")
def judge_surrogate(student):
    about = "your surrogate at margins from -500 to 500: "
    margins = sorted({*(k / 10 for k in range(-40, 41)), *(student.random.uniform(-30, 30) for _ in range(60)),
                      *(sign * size for size in (1e-9, 7.5, 20.0, 30.0, 100.0, 500.0) for sign in (-1, 1))})
    values, slopes = surrogates(student, margins)
    shape = known_shape(margins, values)
    for margin, value in zip(margins, values):
        where, least = f"margin {margin:.10g}", 1 if margin <= 0 else 0
        student.check(isfinite(value), about + "a finite number", "a number", str(value), where=where)
        student.check(value >= least - 1e-12, about + "an upper bound of the error, which is 1 up to margin 0 and then 0",
                      f"at least {least}", f"{value:.10g}", shape, where)
    for (left, before), (right, after) in zip(zip(margins, values), list(zip(margins, values))[1:]):
        student.check(after <= before + 1e-12 * abs(before), about + "a loss that never increases with the margin",
                      f"at most {before:.10g}, as at margin {left:.10g}", f"{after:.10g}", shape,
                      f"margin {right:.10g}")
    near = [margin for margin in margins if -30 <= margin <= 30]
    low, high = ([margin + side * STEP for margin in near] for side in (-1, 1))
    (lower, _), (upper, _) = surrogates(student, low), surrogates(student, high)
    middle, told = zip(*((v, s) for m, v, s in zip(margins, values, slopes) if -30 <= m <= 30))
    for m, before, here, after, slope in zip(near, lower, middle, upper, told):
        left, right, central = (here - before) / STEP, (after - here) / STEP, (after - before) / (2 * STEP)
        allowed = 1e-4 * (1 + abs(central))
        kink = abs(right - left) > 1e-2 * (1 + abs(central))
        # at a kink every value between the derivatives of the two sides is accepted
        least, most = sorted((left, right)) if kink else (central, central)
        student.check(least - allowed <= slope <= most + allowed,
                      about + "a derivative that agrees with a central difference", f"{central:.6g}", f"{slope:.6g}",
                      "slope-sign" if abs(slope + central) <= allowed else "", f"margin {m:.10g}")
    for m, slope in zip(near, told):
        student.check(m > 0 or slope <= -0.1, about + "a derivative of at most -0.1 at every error", "at most -0.1",
                      f"{slope:.6g}",
                      "step" if slope == 0 else "", f"margin {m:.10g}")
    far = values[margins.index(30.0)]
    student.check(far <= 0.1, about + "almost no cost for samples that are clearly right", "at most 0.1", f"{far:.6g}",
                  where="margin 30")


@part("guarantee")
def judge_guarantee(student):
    about = "the most errors for this mean cross-entropy and this many samples"
    for mean, samples in [(0.1, 10), (0.0, 100), (0.5, 100), (2.0, 10), (0.0069, 100), (0.007, 100), (0.69, 1),
                          (0.7, 1), (0.35, 4)]:
        student.expect("most_errors", mean, samples, gives=most_errors(mean, samples), about=about)
    for _ in range(10):
        samples = student.random.randint(1, 1000)
        mean = log(2) * (student.random.randint(0, samples - 1) + student.random.uniform(0.1, 0.9)) / samples
        student.expect("most_errors", mean, samples, gives=most_errors(mean, samples), about=about)


@part("three")
def judge_three(student):
    losses = {"hinge": hinge, "cross_entropy": cross_entropy, "squared": squared}
    about = "the mean loss (value 1) and its gradient with respect to each score (value 2)"
    for name, loss in losses.items():
        scores, labels = [2.0, 0.5, -1.0, -0.5], integers([1, 1, 1, -1])
        student.expect(name, scores, labels, gives=loss(scores, labels), within=TOLERANCE, about=about)
        for count in [1, 2, 7]:
            scores = [round(student.random.uniform(-3, 3), 2) for _ in range(count)]
            labels = integers([student.random.choice([-1, 1]) for _ in range(count)])
            student.expect(name, scores, labels, gives=loss(scores, labels), within=TOLERANCE, about=about)
        scores, labels = [1.0, -1.0, 0.0], integers([1, -1, 1])
        student.expect(name, scores, labels, gives=loss(scores, labels), within=TOLERANCE,
                       about=about + ", at margins 1 and 0")
        scores, labels = [800.0, -800.0, 1000.0, -1000.0], integers([1, 1, -1, -1])
        student.expect(name, scores, labels, gives=loss(scores, labels), within=1e-9,
                       about=about + ", of large scores")


@part("calibration")
def judge_calibration(student):
    about = "counts (value 1), confidence (2) and frequency (3) of each bin, and the error (4)"
    cases = [([0.1, 0.2, 0.8, 0.9, 0.95], [0, 1, 1, 1, 1], 2), ([0.3], [1], 1), ([0.6, 0.7], [0, 1], 4)]
    for samples, bins in [(20, 4), (50, 8), (7, 16), (40, 5)]:
        # away from the edges of the bins, where rounding decides
        inside = [(student.random.randrange(bins) + student.random.uniform(0.05, 0.95)) / bins for _ in range(samples)]
        cases.append((inside, [int(student.random.random() < p * p) for p in inside], bins))
    cases += [([0.25, 0.5, 0.5, 0.75], [1, 0, 1, 1], 4), ([0.0, 0.125, 1.0, 1.0], [0, 0, 1, 0], 4)]
    for probabilities, labels, bins in cases:
        labels = integers(labels)
        student.expect("calibration", probabilities, labels, bins, gives=calibration(probabilities, labels, bins),
                       within=TOLERANCE, about=about)


@part("misled")
def judge_misled(student):
    about = "your data: "
    x, y = (answer.numbers for answer in student.ask("misled", gives=(array_of(None), wholes(None))))
    student.check(len(x) == len(y), about + "a label for each point", f"{len(x)} labels", str(len(y)))
    student.check(2 <= len(x) <= 20, about + "from 2 to 20 points", "from 2 to 20", str(len(x)))
    student.check(all(isfinite(number) and abs(number) <= 1000 for number in x),
                  about + "points between -1000 and 1000",
                  "from -1000 to 1000", str(max(x, key=abs)))
    student.check(set(y) == {-1, 1}, about + "both labels, -1 and 1, and no other", "-1 and 1",
                  ", ".join(map(str, sorted(set(y)))))
    below, above = ([point for point, label in zip(x, y) if label == sign] for sign in (-1, 1))
    gap = max(min(above) - max(below), min(below) - max(above))
    student.check(gap >= 0.1, about + "a threshold separates the labels, with 0.1 between them",
                  "all points of one label below all of the other",
                  f"points of the labels -1 and 1 mix, or are {gap:.3g} apart",
                  "not-separable")
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)
    worst = min(label * (mean_y + slope * (point - mean_x)) for point, label in zip(x, y))
    student.check(worst < -0.001, about + "the line that least squares fits to the labels gets at least one point "
                                          "wrong",
                  "a margin below -0.001", f"a smallest margin of {worst:.3g}",
                  "no-victim" if worst > 0 else "barely-misled")
