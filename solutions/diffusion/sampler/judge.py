"""Draws by their statistics; the loss and its derivatives by steps along the imaginary axis; the walk of a normal distribution by
its exact mean and variance; samples of a mixture by their Kolmogorov-Smirnov distance."""
import cmath
from math import erf, exp, inf, isfinite, sqrt
from statistics import NormalDist

from recto.judge.comparing import show
from recto.judge.judging import REAL, Array, Misconception, array_of, integers, part, wholes

WITHIN = 1e-9       # roundings of sums of a few numbers of about one, and a division by 0.01 or more
STEP = 1e-100
# Six standard errors: a right program misses a mean by as much once in 500 million draws, and a share of which 20 draws are
# expected, the rarest here, once in 6 million.
ERRORS = 6
SHARE, MEAN, DEVIATION = [0.3, 0.5, 0.2], [-1.25, 0.14, 1.53], [0.17, 0.28, 0.11]
COUNT = 20_000      # samples: their own Kolmogorov-Smirnov distance exceeds 0.0195 once in a million times


def values(found):
    return Array((len(found),), found)


def left_of(beta):
    left = [1.0]
    for b in beta[1:]:
        left.append(left[-1] * (1 - b))
    return left


def linear(steps, first, last):
    return [0.0, *(first + (last - first) * (t - 1) / max(1, steps - 1) for t in range(1, steps + 1))]


LONG = linear(200, 0.0005, 0.1)


# The loss.

def network(layers, row):
    """The output for one row; complex numbers pass through."""
    for at, (weight, bias) in enumerate(layers):
        width = len(bias)
        row = [bias[col] + sum(row[k] * weight[k * width + col] for k in range(len(row))) for col in range(width)]
        if at + 1 < len(layers):
            row = [cmath.tanh(value) for value in row]
    return row[0]


def loss_of(beta, x0, t, noise, layers, mix=None, target=None, by=len):
    left, sum_ = left_of(beta), 0.0
    for x, at, e in zip(x0, t, noise):
        a = left[at]
        seen = mix(x, e, a) if mix else sqrt(a) * x + sqrt(1 - a) * e
        gap = network(layers, [seen, at / (len(beta) - 1)]) - (target(x, e, a) if target else e)
        sum_ += gap * gap
    return sum_ / by(x0)


def loss(*arguments, gradient=1.0, gradients=True, value=1.0, **ways):
    """The loss and all derivatives."""
    beta, x0, t, noise, _, *arrays = arguments
    layers = [(list(arrays[at].numbers), list(arrays[at + 1].numbers)) for at in range(0, len(arrays), 2)]
    lists = beta.numbers, x0.numbers, t.numbers, noise.numbers, layers
    found = [value * loss_of(*lists, **ways).real]
    if callable(gradient):
        gradient = gradient(len(x0.numbers))
    for pair, shapes in zip(layers, zip(arrays[::2], arrays[1::2])):
        for numbers, array in zip(pair, shapes):
            derivatives = []
            for at, before in enumerate(numbers):
                numbers[at] = before + STEP * 1j
                derivatives.append(gradient * (loss_of(*lists, **ways) / STEP).imag if gradients else 0.0)
                numbers[at] = before
            found.append(Array(array.shape, derivatives))
    return tuple(found)


# One step back.

def back(mean=None, noise=None, last=True):
    """mean(x, e, b, a) and noise(b, a) with one thing changed."""
    def give(x, t, predicted, z, beta):
        b, a = beta.numbers[t], left_of(beta.numbers)[t]
        found = []
        for value, e, draw in zip(x.numbers, predicted.numbers, z.numbers):
            one = mean(value, e, b, a) if mean else (value - b / sqrt(1 - a) * e) / sqrt(1 - b)
            size = noise(b, a) if noise else sqrt(b)
            found.append(one + (size * draw if t > 1 or not last else 0))
        return values(found)
    return give


step_back = back()


# The walk back: if the data are normal, the predicted noise is linear in x, and every sample is normal.

def walk(beta, mean, deviation, start=1.0, noise=True, steps=None, told=None):
    """The mean and the variance of a sample. `steps` in another order, or a predictor that is `told` another step."""
    left, m, v = left_of(beta), 0.0, start
    for t in steps or range(len(beta) - 1, 0, -1):
        a, b = left[t], beta[t]
        known = left[told(t)] if told else a
        steepness = sqrt(1 - known) / (known * deviation * deviation + 1 - known)
        factor = b / sqrt(1 - a)
        m = (m - factor * steepness * (m - sqrt(known) * mean)) / sqrt(1 - b)
        v *= ((1 - factor * steepness) / sqrt(1 - b)) ** 2
        if t > 1 and noise:
            v += b
    return m, v


def distance(samples):
    """The Kolmogorov-Smirnov distance to the mixture."""
    count, largest = len(samples), 0.0 if all(map(isfinite, samples)) else inf
    for at, x in enumerate(sorted(samples)):
        below = sum(p * (1 + erf((x - m) / s / sqrt(2))) / 2 for p, m, s in zip(SHARE, MEAN, DEVIATION))
        largest = max(largest, below - at / count, (at + 1) / count - below)
    return largest


def exact_noise(x, a):
    """The expected noise in x, if the data are the mixture."""
    whole = sum_ = 0.0
    for p, m, s in zip(SHARE, MEAN, DEVIATION):
        variance = a * s * s + 1 - a
        density = p * exp(-(x - sqrt(a) * m) ** 2 / 2 / variance) / sqrt(variance)
        whole, sum_ = whole + density, sum_ + density * (x - sqrt(a) * m) / variance
    return sqrt(1 - a) * sum_ / whole


misconceptions = [
    # batch
    Misconception("steps-from-zero", says="a step 0 was drawn. Step 0 is the data without noise, without anything to predict"),
    Misconception("last-step-missing", says="the last step was never drawn: the steps run from 1 to `steps`, both included"),
    Misconception("one-step-for-all", says="the whole batch has one step. Draw one for each number, inside the loop: the gradient of a "
                                           "batch then covers all steps"),
    Misconception("in-order", says="the numbers are the first ones of the data, in their order. Draw the places at random"),
    Misconception("same-batch", says="two calls with one generator gave the same draws. Take the generator by reference, and do not make "
                                     "one yourself"),
    Misconception("uniform-noise", says="no noise is larger than 1.8: it is uniform. The noise of a diffusion is normal"),
    Misconception("one-noise-for-all", says="all numbers have the same noise. Draw inside the loop"),
    # loss
    Misconception("predicts-the-data", "noise_loss", lambda *a: loss(*a, target=lambda x, e, left: x),
                  "the output was compared with the data. This network predicts the noise"),
    Misconception("sees-the-data", "noise_loss", lambda *a: loss(*a, mix=lambda x, e, left: x),
                  "the network saw the clean data. It must see data with noise, and say which noise it was"),
    Misconception("not-rooted", "noise_loss", lambda *a: loss(*a, mix=lambda x, e, left: left * x + (1 - left) * e),
                  "data and noise were mixed without roots: the shares belong to the variances"),
    Misconception("scaled-target", "noise_loss", lambda *a: loss(*a, target=lambda x, e, left: sqrt(1 - left) * e),
                  "the output was compared with the noise times its size in x. The target is the draw itself, of variance 1 at every step"),
    Misconception("sum", "noise_loss", lambda *a: loss(*a, by=lambda x: 1),
                  "this is the sum over the batch. Take the mean: then the learning rate does not depend on the size of the batch"),
    Misconception("half", "noise_loss", lambda *a: loss(*a, by=lambda x: 2 * len(x)),
                  "this is half of the mean. The loss here is the mean of the squares itself"),
    Misconception("two-forgotten", "noise_loss", lambda *a: loss(*a, gradient=0.5),
                  "the loss is right and its derivatives are half as large as they must be: the derivative of a square has a factor 2"),
    Misconception("gradients-of-the-sum", "noise_loss", lambda *a: loss(*a, gradient=float) if len(a[1].numbers) > 1 else None,
                  "the loss is a mean, and the derivatives are those of the sum: divide them by the size of the batch too"),
    Misconception("uphill", "noise_loss", lambda *a: loss(*a, gradient=-1.0),
                  "the derivatives have the wrong sign: the difference is prediction minus noise. Training would raise the loss"),
    Misconception("no-backward", "noise_loss", lambda *a: loss(*a, gradients=False),
                  "the loss is right, and the gradients are all 0: call backward with the derivatives with respect to the outputs"),
    # step
    Misconception("noise-in-step-one", "step_back", back(last=False),
                  "noise was added in step 1. Its result is the sample: nothing comes after it that could remove this noise"),
    Misconception("never-noise", "step_back", back(noise=lambda b, a: 0.0),
                  "no noise was added. The step back is a random one: without z the samples vary too little"),
    Misconception("variance-as-size", "step_back", back(noise=lambda b, a: b),
                  "z was multiplied by the variance beta. Multiply it by the root of beta, the standard deviation"),
    Misconception("factor-rooted", "step_back", back(mean=lambda x, e, b, a: (x - sqrt(b) * e) / sqrt(1 - b)),
                  "the root of beta times the noise was removed. The predicted noise is that of all t steps; the share of this step is "
                  "beta over the root of 1 minus what is left"),
    Misconception("removes-everything", "step_back", back(mean=lambda x, e, b, a: (x - sqrt(1 - a) * e) / sqrt(1 - b)),
                  "all of the predicted noise was removed in one step. Remove what this step added"),
    Misconception("not-enlarged", "step_back", back(mean=lambda x, e, b, a: x - b / sqrt(1 - a) * e),
                  "the step forth shrinks by the root of 1 minus beta: the step back must divide by it"),
    Misconception("adds-the-noise", "step_back", back(mean=lambda x, e, b, a: (x + b / sqrt(1 - a) * e) / sqrt(1 - b)),
                  "the predicted noise was added once more. Subtract it"),
    Misconception("enlarged-too-early", "step_back", back(mean=lambda x, e, b, a: x / sqrt(1 - b) - b / sqrt(1 - a) * e),
                  "only x was divided by the root of 1 minus beta. Divide the difference"),
    # walk
    Misconception("starts-at-zero", says="the walk starts at 0. After all steps nothing but standard normal noise is left: start there"),
    Misconception("one-start", says="all samples start at the same number. Draw one for each"),
    Misconception("one-draw-a-step", says="in each step all samples get the same noise. Draw z for each of them"),
    Misconception("no-draws", says="the steps are not random: z is 0 everywhere"),
    Misconception("forwards", says="the steps are taken from 1 to T. The walk goes back: T first, 1 last"),
    Misconception("stops-early", says="the last step, step 1, is missing: some noise is still in the samples"),
    Misconception("begins-late", says="step T is missing: the walk begins one step too late"),
    Misconception("one-step-off", says="the predictor was told the step t - 1. The numbers have taken t steps: it needs to know t"),
    # training and samples
    Misconception("rate-stays", says="let the learning rate fall to 0: with a rate that stays, the weights still fluctuate at the end. "
                                     "Too few steps or too few hidden units show here too"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's diffusion is not allowed here: write it yourself"),
]


def off(student, what, found, due, error, suspect=""):
    student.check(abs(found - due) <= ERRORS * error, what, f"{due:.5g} within {ERRORS * error:.2g}", f"{found:.5g}", suspect)


def of_layers(name, count):
    """The names of weights and biases, layer by layer."""
    return [f"layers of the {name}", *(f"{word} of layer {at}" for at in range(count) for word in ("weights", "biases"))]


def call_of(function, arguments):
    """A call with the names of its arguments."""
    names = {"draw_batch": ("data", "steps", "size", "seed"), "step_back": ("x", "t", "predicted", "z", "beta"),
             "sample": ("beta", "shares of the data", "means", "deviations", "count", "seed"),
             "train": ("data", "beta", "seed", "x", "t"), "learned": ("data", "beta", "seed", "count")}.get(function)
    names = names or ["beta", "x0", "t", "noise", *of_layers("network", arguments[4])]
    return f"{function}({', '.join(f'{name} {show(value)}' for name, value in zip(names, arguments))})"


@part("batch")
def judge_batch(student):
    student.call = call_of
    for count, steps, size in [(50, 5, 4000), (200, 20, 4000), (3, 1, 1), (1, 2, 7)]:
        data = [float(at) for at in range(count)]           # the number tells its place
        seed = student.random.randrange(1 << 40)
        kinds = array_of(size), wholes(size), array_of(size)
        found = student.ask("draw_batch", values(data), steps, size, seed, gives=kinds * 2)
        same = [one.numbers == other.numbers for one, other in zip(found[:3], found[3:])]
        for x0, t, noise in (found[:3], found[3:]):
            student.check(set(x0.numbers) <= set(data), "the numbers x0", "numbers of the data", "others")
            wrong = next((at for at in t.numbers if not 1 <= at <= steps), None)
            student.check(wrong is None, "the steps", f"from 1 to {steps}", str(wrong), "steps-from-zero" if wrong == 0 else "")
            student.check(all(map(isfinite, noise.numbers)), "the noise", "finite numbers", "NaN or infinity")
            if size < 100:
                continue
            student.check(len(set(t.numbers)) > 1, "the steps of one batch", "many", f"{t.numbers[0]} for all numbers", "one-step-for-all")
            student.check(steps in t.numbers, "the largest step", str(steps), str(max(t.numbers)), "last-step-missing")
            student.check(len(set(noise.numbers)) > 1, "the noise of one batch", "many different numbers", "one number",
                          "one-noise-for-all")
            student.check(x0.numbers[:count] != data, "the numbers x0", "places drawn at random", "0, 1, 2 and so on", "in-order")
            root = sqrt(size)
            off(student, f"the mean place of x0 in {count} numbers", sum(x0.numbers) / size, (count - 1) / 2, count / sqrt(12) / root)
            off(student, f"the mean step of {steps}", sum(t.numbers) / size, (steps + 1) / 2, steps / sqrt(12) / root)
            of_zero, ends = x0.numbers.count(0.0) / size, t.numbers.count(steps) / size
            off(student, "the share of the first number of the data", of_zero, 1 / count, sqrt(1 / count) / root)
            off(student, "the share of the last step", ends, 1 / steps, sqrt(1 / steps) / root)
            student.check(max(map(abs, noise.numbers)) > 1.8, "the largest noise", "above 1.8",
                          f"{max(map(abs, noise.numbers)):.3f}", "uniform-noise")
            off(student, "the mean of the noise", sum(noise.numbers) / size, 0, 1 / root)
            off(student, "the mean square of the noise", sum(e * e for e in noise.numbers) / size, 1, sqrt(2) / root)
            beyond = sum(abs(e) > 2 for e in noise.numbers) / size
            off(student, "the share of noise beyond 2 or -2", beyond, 2 * NormalDist().cdf(-2), sqrt(0.0455) / root)
            for words, one, other in [("the numbers and the steps", x0.numbers, t.numbers),
                                      ("the numbers and the noise", x0.numbers, noise.numbers),
                                      ("the steps and the noise", t.numbers, noise.numbers),
                                      ("neighbours of the noise", noise.numbers[1:], noise.numbers[:-1]),
                                      ("neighbours of the steps", t.numbers[1:], t.numbers[:-1])]:
                off(student, f"the correlation of {words}", correlation(one, other), 0, 1.05 / root)
        if size >= 100:
            repeated = next((name for name, equal in zip(("numbers", "steps", "noise"), same) if equal), "")
            student.check(not repeated, f"the {repeated} of two batches", "different draws", "the same", "same-batch")


def correlation(one, other):
    count = len(one)
    first, second = sum(one) / count, sum(other) / count
    together, of_one, of_other = (sum((a - c) * (b - d) for a, b in zip(x, y))
                                  for x, y, c, d in ((one, other, first, second), (one, one, first, first), (other, other, second, second)))
    return together / sqrt(of_one * of_other)


def some(student, *shape):
    count = 1
    for size in shape:
        count *= size
    return Array(shape, [round(student.random.uniform(-1, 1), 3) for _ in range(count)])


@part("loss")
def judge_loss(student):
    student.call = call_of
    hand = (values([0.0, 0.19, 0.36]), values([2.0]), integers([2]), values([1.0]), 1, Array((2, 1), [0.5, 0.0]), Array((1, 1), [0.0]))
    cases = [hand]
    for steps, size, sizes in [(3, 1, (2, 1)), (3, 2, (2, 2, 1)), (5, 4, (2, 3, 1)), (8, 5, (2, 2, 3, 1)), (20, 9, (2, 4, 1))]:
        beta = values([0.0, *(student.random.uniform(0.05, 0.4) for _ in range(steps))])
        arrays = [array for pair in zip(sizes, sizes[1:]) for array in (some(student, *pair), some(student, 1, pair[1]))]
        cases.append((beta, some(student, size), integers([student.random.randrange(1, steps + 1) for _ in range(size)]),
                      some(student, size), len(sizes) - 1, *arrays))
    for case in cases[1:] + cases[:1]:
        got = student.ask("noise_loss", *case, gives=(REAL, *(array_of(*array.shape) for array in case[5:])))
        student.compare(got, loss(*case), WITHIN, 0, "the loss, then the gradients of weights and biases layer by layer", "noise_loss", case)


@part("step")
def judge_step(student):
    student.call = call_of
    beta = values([0.0, 0.19, 0.36])
    cases = [(values([2.0]), 2, values([1.0]), values([0.5]), beta), (values([2.0]), 1, values([1.0]), values([0.5]), beta)]
    for steps, count in [(3, 1), (5, 3), (8, 4)]:
        schedule = values([0.0, *(student.random.uniform(0.05, 0.4) for _ in range(steps))])
        cases += [(some(student, count), t, some(student, count), some(student, count), schedule) for t in (steps, 2, 1)]
    cases += [(some(student, 2), t, some(student, 2), some(student, 2), values(LONG)) for t in (1, 2, 50, 200)]
    for case in [cases[2], *cases]:
        student.expect("step_back", *case, gives=step_back(*case), within=WITHIN, about="the numbers one step before")


WALKS = [("starts-at-zero", {"start": 0.0}), ("no-draws", {"noise": False}), ("one-step-off", {"told": lambda t: t - 1})]


def normal_walk(student, beta, mean, deviation, count):
    """Samples of a normal distribution, with the exact predictor."""
    seed = student.random.randrange(1 << 40)
    got = student.ask("sample", values(beta), values([1.0]), values([mean]), values([deviation]), count, seed,
                      gives=array_of(count)).numbers
    found = sum(got) / count
    spread = sum((x - found) * (x - found) for x in got) / count
    steps = len(beta) - 1
    known = [*WALKS, ("forwards", {"steps": list(range(1, steps + 1))}), ("stops-early", {"steps": list(range(steps, 1, -1))}),
             ("begins-late", {"steps": list(range(steps - 1, 0, -1))})]

    def fits(m, v, mean_too=True):
        return (abs(spread - v) <= ERRORS * v * sqrt(2 / count) + 1e-9
                and (not mean_too or abs(found - m) <= ERRORS * sqrt(v / count) + 1e-9))

    m, v = walk(beta, mean, deviation)
    suspect = ""
    if not fits(m, v):
        suspect = next((name for name, ways in known if fits(*walk(beta, mean, deviation, **ways))), "")
        if not suspect and fits(*walk(beta, mean, deviation, start=0.0), mean_too=False):
            suspect = "one-start"
        if not suspect and fits(*walk(beta, mean, deviation, noise=False), mean_too=False):
            suspect = "one-draw-a-step"
    what = (f"{count} samples after {steps} steps back; the exact predictor is that of a normal distribution with mean {mean:g} and "
            f"deviation {deviation:g}")
    student.check(abs(found - m) <= ERRORS * sqrt(v / count), f"the mean of {what}", f"{m:.4f}", f"{found:.4f}", suspect)
    student.check(abs(spread - v) <= ERRORS * v * sqrt(2 / count), f"the variance of {what}", f"{v:.4f}", f"{spread:.4f}", suspect)


@part("walk")
def judge_walk(student):
    student.call = call_of
    normal_walk(student, linear(4, 0.15, 0.3), 1.5, 0.5, COUNT)
    normal_walk(student, linear(3, 0.4, 0.2), -1.0, 0.8, COUNT)
    normal_walk(student, linear(1, 0.3, 0.3), 1.0, 0.5, COUNT)
    got = student.ask("sample", values(LONG), values(SHARE), values(MEAN), values(DEVIATION), 5000, student.random.randrange(1 << 40),
                      gives=array_of(5000), again=False)
    # A right walk of 200 steps is 0.009 away, and 5000 samples add more than 0.038 once in a million times.
    found = distance(got.numbers)
    student.check(found < 0.05, "the Kolmogorov-Smirnov distance of 5000 samples to the data, with the exact predictor of three bumps "
                                "and 200 steps", "below 0.05", f"{found:.4f}")


def data_of(student, count):
    """Numbers of the mixture, and a draw of their law."""
    kinds = student.random.choices(range(3), SHARE, k=count)
    return [student.random.gauss(MEAN[k], DEVIATION[k]) for k in kinds]


@part("training")
def judge_training(student):
    student.call = call_of
    left, x, t, noise = left_of(LONG), [], [], []
    for x0 in data_of(student, 10_000):
        t.append(student.random.randrange(1, 201))
        noise.append(student.random.gauss(0, 1))
        x.append(sqrt(left[t[-1]]) * x0 + sqrt(1 - left[t[-1]]) * noise[-1])
    got, seconds = student.ask("train", values(data_of(student, 20_000)), values(LONG), student.random.randrange(1 << 40), values(x),
                               integers(t), gives=(array_of(len(x)), REAL), again=False)
    best = sum((exact_noise(one, left[at]) - e) ** 2 for one, at, e in zip(x, t, noise)) / len(x)
    loss_ = sum((min(max(one, -1e9), 1e9) - e) ** 2 if one == one else inf for one, e in zip(got.numbers, noise)) / len(x)
    student.report = [f"a loss of {loss_:.4f} on 10,000 unseen numbers after {seconds:.0f} s of training; the smallest possible is "
                      f"{best:.4f}"]
    student.measured = seconds
    student.check(loss_ <= best + 0.03, "the loss on 10,000 unseen numbers", f"at most {best + 0.03:.4f}", f"{loss_:.4f}", "rate-stays")
    student.check(0 <= seconds <= 90, "the seconds of the training", "at most 90", f"{seconds:.0f}")


@part("samples")
def judge_samples(student):
    student.call = call_of
    got = student.ask("learned", values(data_of(student, 20_000)), values(LONG), student.random.randrange(1 << 40), COUNT,
                      gives=array_of(COUNT), again=False)
    found = distance(got.numbers)
    student.report = [f"a Kolmogorov-Smirnov distance of {found:.4f}"]
    student.measured = found
    student.check(found < 0.03, f"the Kolmogorov-Smirnov distance of {COUNT:,} samples to the data", "below 0.03", f"{found:.4f}", "rate-stays")
