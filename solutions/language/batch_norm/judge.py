"""Batch normalisation unit by unit, and its gradient by central differences."""
from math import fsum, sqrt, tanh

from recto.judge.judging import WHOLE, Misconception, array_of, matrix, part

EPSILON = 1e-5


def columns(x):
    return [list(column) for column in zip(*x.rows())]


def side_by_side(found):
    return matrix([list(row) for row in zip(*found)])


def moments(column, less=0, epsilon=EPSILON, root=True, outside=False):
    mean = fsum(column) / len(column)
    variance = fsum((value - mean) ** 2 for value in column) / (len(column) - less)
    return mean, sqrt(variance) + epsilon if outside else sqrt(variance + epsilon) if root else variance + epsilon


def training(gain, bias, mean, deviation, x, momentum, follow=lambda old, new,
             momentum: (1 - momentum) * old + momentum * new, kept=None,
             **ways):
    """(the result, the running mean, the running standard deviation)"""
    found = [moments(column, **ways) for column in columns(x)]
    y = side_by_side([[g * (value - m) / s + b for value in column]
                      for column, (m, s), g, b in zip(columns(x), found, gain.numbers, bias.numbers)])
    means = [follow(old, m, momentum) for old, (m, _) in zip(mean.numbers, found)]
    deviations = [follow(old, kept(s) if kept else s, momentum) for old, (_, s) in zip(deviation.numbers, found)]
    return y, matrix([means]), matrix([deviations])


def by_sample(gain, bias, mean, deviation, x, momentum):
    """Normalises the rows."""
    found = [moments(row) for row in x.rows()]
    y = [[g * (value - m) / s + b for value, g, b in zip(row, gain.numbers, bias.numbers)] for row,
         (m, s) in zip(x.rows(), found)]
    return matrix(y)


def first_only(way):
    """A mistake of the result alone, with right running numbers."""
    return lambda *arguments: (way(*arguments), *training(*arguments)[1:])


def no_gain(gain, bias, *rest):
    ones, zeros = matrix([[1.0] * gain.shape[1]]), matrix([[0.0] * gain.shape[1]])
    return training(ones, zeros, *rest)


def evaluation(gain, bias, mean, deviation, x):
    return matrix([[g * (value - m) / s + b for value, g, b, m, s in
                    zip(row, gain.numbers, bias.numbers, mean.numbers, deviation.numbers)] for row in x.rows()])


def batch_in_evaluation(gain, bias, mean, deviation, x):
    return training(gain, bias, mean, deviation, x, 0.1)[0]


def weighed(gain, bias, x, dy):
    """A loss whose derivative with respect to the result is dy."""
    y = training(gain, bias, bias, gain, x, 0.0)[0]
    return fsum(a * b for a, b in zip(y.numbers, dy.numbers))


def gradients(gain, bias, x, dy):
    """The derivatives with respect to x, the gain and the bias, by central differences."""
    found = []
    for which in (2, 0, 1):
        slopes = []
        array = (gain, bias, x)[which]
        for at in range(len(array.numbers)):
            sides = []
            for move in (1e-5, -1e-5):
                arrays = [gain, bias, x]
                numbers = list(array.numbers)
                numbers[at] += move
                arrays[which] = matrix([numbers[i:i + array.shape[1]] for i in range(0, len(numbers), array.shape[1])])
                sides.append(weighed(*arrays, dy))
            slopes.append((sides[0] - sides[1]) / 2e-5)
        found.append(matrix([slopes[i:i + array.shape[1]] for i in range(0, len(slopes), array.shape[1])]))
    return tuple(found)


def backward(gain, bias, x, dy, through_mean=True, through_deviation=True, gain_in=True, from_input=False,
             mean_bias=False):
    """The formula, with terms that may be omitted."""
    along_x, along_gain, along_bias = [], [], []
    for column, slopes, g in zip(columns(x), columns(dy), gain.numbers):
        m, s = moments(column)
        z = [(value - m) / s for value in column]
        total, product = fsum(slopes), fsum(a * b for a, b in zip(slopes, z))
        scale = (g if gain_in else 1) / s
        along_x.append([scale * (d - through_mean * total / len(z) - through_deviation * v * product / len(z))
                        for d, v in zip(slopes, z)])
        along_gain.append(fsum(a * b for a, b in zip(slopes, column)) if from_input else product)
        along_bias.append(total / len(z) if mean_bias else total)
    return side_by_side(along_x), matrix([along_gain]), matrix([along_bias])


def left_out(**ways):
    return lambda *arguments: backward(*arguments, **ways)


def stuck_units(x):
    """The share of the units that are saturated for every sample."""
    found = columns(x)
    return sum(all(abs(tanh(value)) > 0.97 for value in column) for column in found) / len(found)


def saturation(x, outer=abs, bend=tanh):
    return sum(outer(bend(value)) > 0.97 for value in x.numbers) / len(x.numbers)


misconceptions = [
    Misconception("embedding-width", part="buffers",
                  says="the layer used buffers of another width than its input, or read beyond their end. The buffers "
                       "belong to the hidden units: check their width first, and throw std::invalid_argument"),
    Misconception("divided-by-the-variance", "normalise_training", lambda *a: training(*a, root=False),
                  "x was divided by variance plus epsilon. The root is missing: divide by the standard deviation"),
    Misconception("no-epsilon", "normalise_training", lambda *a: training(*a, epsilon=0),
                  "epsilon is missing under the root: a unit that is constant over the batch is divided by 0"),
    Misconception("epsilon-outside", "normalise_training", lambda *a: training(*a, outside=True),
                  "epsilon was added to the standard deviation. Add it to the variance, under the root"),
    Misconception("deviation-of-zero", "make_batch_norm", lambda hidden: (*fresh(hidden)[:3], fresh(hidden)[1]),
                  "the running deviation must begin with 1, because evaluation divides by it"),
    Misconception("one-less", "normalise_training", lambda *a: training(*a, less=1) if a[4].shape[0] > 1 else None,
                  "the variance was divided by the batch size minus one. Here it is divided by the batch size"),
    Misconception("by-sample", "normalise_training", first_only(by_sample),
                  "each sample was normalised over its units: that is layer normalisation. Here each unit is "
                  "normalised over the samples"),
    Misconception("no-gain", "normalise_training", no_gain, "gain and bias are missing: scale and shift the normalised "
                                                            "numbers at the end"),
    Misconception("never-followed", "normalise_training",
                  lambda *a: training(*a, follow=lambda old, new, momentum: old),
                  "the running numbers did not change: each batch moves them a little"),
    Misconception("momentum-turned", "normalise_training",
                  lambda *a: training(*a, follow=lambda old, new, momentum: momentum * old + (1 - momentum) * new),
                  "the running numbers jump to the batch: the momentum is the share of the new number, and the old number "
                  "has the rest"),
    Misconception("variance-followed", "normalise_training", lambda *a: training(*a, kept=lambda s: s * s),
                  "the running deviation follows the variance: the root is missing"),
    Misconception("batch-in-evaluation", "normalise_evaluation", batch_in_evaluation,
                  "these are the statistics of the batch. In evaluation the result of a sample must not depend on the "
                  "other samples: use the running numbers"),
    Misconception("evaluation-without-gain", "normalise_evaluation",
                  lambda gain, bias, *rest: evaluation(fresh(gain.shape[1])[0], fresh(gain.shape[1])[1], *rest),
                  "gain and bias are missing: evaluation scales and shifts like training"),
    Misconception("constants", "backward", left_out(through_mean=False, through_deviation=False),
                  "mean and standard deviation were treated as constants. They depend on every x of the batch"),
    Misconception("deviation-constant", "backward", left_out(through_deviation=False),
                  "the contribution through the mean is present, the contribution through the standard deviation is missing"),
    Misconception("mean-constant", "backward", left_out(through_mean=False),
                  "the contribution through the standard deviation is present, the contribution through the mean is missing"),
    Misconception("gain-forgotten", "backward", left_out(gain_in=False),
                  "the gain is missing in the backward pass: y is gain times z, so the derivative with respect to z is "
                  "gain times dy"),
    Misconception("gain-of-x", "backward", left_out(from_input=True),
                  "the derivative with respect to the gain uses x. The gain multiplies the normalised numbers"),
    Misconception("mean-of-bias", "backward", left_out(mean_bias=True),
                  "the derivative with respect to the bias was divided by the batch size. The bias is added to every "
                  "sample: the derivatives add up"),
    Misconception("one-side", "saturation", lambda x: saturation(x, outer=float),
                  "only numbers near 1 were counted. Numbers near -1 are saturated too"),
    Misconception("stuck-units", "saturation", stuck_units,
                  "this is the share of the units that are saturated for every sample. Count every number of the matrix"),
    Misconception("before-the-tanh", "saturation", lambda x: saturation(x, bend=float),
                  "the numbers were compared before the tanh. Compare the tanh with 0.97"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's batch normalisation is not allowed here: write it yourself"),
]


def some(student, rows, cols, low=-2.0, high=2.0):
    return matrix([[student.random.uniform(low, high) for _ in range(cols)] for _ in range(rows)])


def spread(student, rows, cols):
    """Columns whose numbers lie apart: for a tiny standard deviation central differences are inaccurate."""
    found = [[0.7 * n + student.random.uniform(-0.2, 0.2) for n in range(rows)] for _ in range(cols)]
    for column in found:
        student.random.shuffle(column)
    return side_by_side(found)


def layer(student, hidden):
    """Gain, bias, running mean and running deviation, all different."""
    return (some(student, 1, hidden, 0.5, 2), some(student, 1, hidden), some(student, 1, hidden),
            some(student, 1, hidden, 0.5, 3))


def fresh(hidden):
    return tuple(matrix([[value] * hidden]) for value in (1.0, 0.0, 0.0, 1.0))


SHAPES = [(2, 1), (1, 3), (3, 3), (2, 5), (9, 4)]


@part("buffers")
def buffers(student):
    for hidden in (1, 3, 200):
        student.expect("make_batch_norm", hidden, gives=fresh(hidden), about="gain (value 1), bias (2), running mean "
                                                                             "(3) and deviation (4)")
    for width, hidden in ((10, 200), (200, 10), (1, 3)):
        for in_training in (True, False):
            refused = student.ask("refuses", width, hidden, in_training, gives=WHOLE)
            student.check(refused == 1, f"buffers of width {width} for {hidden} hidden units", "std::invalid_argument",
                          "no such exception",
                          "embedding-width")
    student.check(not student.ask("refuses", 3, 3, True, gives=WHOLE), "buffers of width 3 for 3 hidden units", "no exception",
                  "std::invalid_argument")


@part("batch")
def batch(student):
    hand = (matrix([[2.0]]), matrix([[1.0]]), matrix([[0.0]]), matrix([[1.0]]), matrix([[1.0], [3.0]]), 0.1)
    apart = (*hand[:4], matrix([[1.0], [5.0]]), 0.1)        # deviation and variance differ
    student.expect("normalise_training", *apart, gives=training(*apart), within=1e-9,
                   about="the result (value 1), the running mean (2) and deviation (3)")
    student.expect("normalise_training", *hand, gives=training(*hand), within=1e-9,
                   about="the result (value 1) of the statement")
    for rows, hidden in SHAPES:
        arguments = (*layer(student, hidden), some(student, rows, hidden, 5, 9), 0.25)
        student.expect("normalise_training", *arguments, gives=training(*arguments), within=1e-9,
                       about="the result (value 1), the running mean (2) and deviation (3)")
    arguments = (*fresh(6), some(student, 50, 6, -40, 10), 0.1)
    y, _, _ = student.expect("normalise_training", *arguments, gives=training(*arguments), within=1e-6,
                             about="the result (value 1), the running mean (2) and deviation (3) of 50 samples")
    for unit, column in enumerate(columns(y)):
        mean, deviation = moments(column, epsilon=0)
        student.check(abs(mean) <= 1e-5 and abs(deviation - 1) <= 1e-5, f"mean and deviation of unit {unit}", "0 and 1",
                      f"{mean:.6g} and {deviation:.6g}")


@part("running")
def running(student):
    for momentum in (0.001, 0.1, 1.0):
        gain, bias, mean, deviation = fresh(3)
        for _ in range(3):
            arguments = (gain, bias, mean, deviation, some(student, 8, 3, -1, 6), momentum)
            right = training(*arguments)
            student.expect("normalise_training", *arguments, gives=right, within=1e-9,
                           about="the result (value 1), the running mean (2) and deviation (3)")
            _, mean, deviation = right


@part("evaluation")
def evaluation_part(student):
    for rows, hidden in SHAPES:
        arguments = (*layer(student, hidden), some(student, rows, hidden, 3, 6))
        together = student.expect("normalise_evaluation", *arguments, gives=evaluation(*arguments), within=1e-9,
                                  about="the result")
        for n, row in enumerate(arguments[4].rows()):
            alone = student.ask("normalise_evaluation", *arguments[:4], matrix([row]), gives=array_of(1, hidden), within=1e-9)
            student.check(alone.numbers == together.rows()[n], f"sample {n} alone", "the same as in its batch",
                          "another result",
                          "batch-in-evaluation")


@part("gradient")
def gradient(student):
    about = "the derivatives with respect to x (value 1), the gain (2) and the bias (3)"
    hand = (matrix([[2.0]]), matrix([[1.0]]), matrix([[1.0], [3.0]]), matrix([[1.0], [0.0]]))
    student.expect("backward", *hand, gives=gradients(*hand), within=1e-6, about=f"{about} of the statement")
    for rows, hidden in SHAPES:
        arguments = (*layer(student, hidden)[:2], spread(student, rows, hidden), some(student, rows, hidden))
        student.expect("backward", *arguments, gives=gradients(*arguments), within=1e-6, about=about)


@part("saturation")
def saturation_part(student):
    x = matrix([[0.0, 2.0, 3.0, -3.0], [-2.0, 1.0, 0.98, -5.0]])
    student.expect("saturation", x, gives=saturation(x), within=1e-12, about="the share of saturated units")
    # 32 samples of 30 numbers, like three embeddings of 10, times weights of the same deviation: the bad start.
    inputs = [[student.random.gauss(0, 1) for _ in range(30)] for _ in range(32)]
    weights = [[student.random.gauss(0, 1) for _ in range(30)] for _ in range(200)]
    before = matrix([[fsum(a * b for a, b in zip(row, unit)) for unit in weights] for row in inputs])
    share = student.expect("saturation", before, gives=saturation(before), within=1e-12,
                           about="the share before normalisation")
    student.check(share > 0.3, "the share before normalisation", "above 0.3", f"{share:.3f}")
    arguments = (*fresh(200), before, 0.1)
    after, _, _ = student.expect("normalise_training", *arguments, gives=training(*arguments), within=1e-6,
                                 about="the result (value 1), the running mean (2) and deviation (3) of 200 units")
    share = student.expect("saturation", after, gives=saturation(after), within=1e-12,
                           about="the share after normalisation")
    student.check(share < 0.05, "the share after normalisation", "below 0.05", f"{share:.3f}")
