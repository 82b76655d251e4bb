"""The loss and its derivatives by steps along the imaginary axis; the walk of a normal distribution by its exact mean and variance;
samples of two moons and of a spiral by their sliced Wasserstein distance to fresh points."""
import cmath
from math import cos, hypot, inf, isfinite, pi, sin, sqrt

from recto.judge.comparing import show
from recto.judge.judging import REAL, Array, Misconception, array_of, integers, matrix, part, wholes

WITHIN = 1e-9       # roundings of sums of a few numbers of about one, and a division by 0.1 or more
STEP = 1e-100
ERRORS = 6          # standard errors: a right program misses a mean by as much once in 500 million draws
COUNT = 4000        # samples of a trained network: two such clouds of fresh moons are about 0.03 apart, a standard normal one 0.3
CALLS = 50
ANGLES = [pi * k / 64 for k in range(64)]
NEAR = 0.25         # from the curve of the spiral, whose own points are 0.05 from it, and whose turns are 1.3 apart. Of the samples of
                    # networks of three sizes 89 to 99 % are so near, of a standard normal cloud 33 %


def values(found):
    return Array((len(found),), found)


def left_of(beta):
    left = [1.0]
    for b in beta:
        left.append(left[-1] * (1 - b))
    return left


LEFT = left_of([0.001 + 0.059 * t / 99 for t in range(100)])


# The time.

def time_features(t, steps, width, first=1, share=lambda t, steps: t / steps, quarter=pi / 2, turned=False, blocks=False):
    rows = []
    for one in t.numbers:
        angles = [quarter * share(one, steps) * (k + first) for k in range(width // 2)]
        sines, cosines = [sin(a) for a in angles], [cos(a) for a in angles]
        pairs = zip(cosines, sines) if turned else zip(sines, cosines)
        rows.append([*sines, *cosines] if blocks else [value for pair in pairs for value in pair])
    return Array((len(rows), width), [value for row in rows for value in row])


def halves(t, steps, width):
    """Angles that double instead of growing by the first one."""
    rows = [[f(pi / 2 * one / steps * 2 ** k) for k in range(width // 2) for f in (sin, cos)] for one in t.numbers]
    return Array((len(rows), width), [value for row in rows for value in row])


# The loss.

def network(layers, row):
    """The outputs for one row; complex numbers pass through."""
    for at, (weight, bias) in enumerate(layers):
        width = len(bias)
        row = [bias[col] + sum(row[k] * weight[k * width + col] for k in range(len(row))) for col in range(width)]
        if at + 1 < len(layers):
            row = [cmath.tanh(value) for value in row]
    return row


def loss_of(left, x0, t, noise, layers, mix=None, target=None, by=lambda points: 2 * points, one_step=False, cols=(0, 1)):
    steps, sum_ = len(left) - 1, 0.0
    for at, point in enumerate(x0):
        step = t[0] if one_step else t[at]
        a, e = left[step], noise[at]
        seen = [mix(x, n, a) if mix else sqrt(a) * x + sqrt(1 - a) * n for x, n in zip(point, e)]
        time = time_features(values([step]), steps, 8).numbers
        out = network(layers, [*seen, *time])
        for col in cols:
            gap = out[col] - (target(point[col], e[col], a) if target else e[col])
            sum_ += gap * gap
    return sum_ / by(len(x0))


def loss(*arguments, gradient=1.0, gradients=True, **ways):
    """The loss and all derivatives."""
    left, x0, t, noise, _, *arrays = arguments
    layers = [(list(arrays[at].numbers), list(arrays[at + 1].numbers)) for at in range(0, len(arrays), 2)]
    lists = left.numbers, x0.rows(), t.numbers, noise.rows(), layers
    found = [loss_of(*lists, **ways).real]
    for pair, shapes in zip(layers, zip(arrays[::2], arrays[1::2])):
        for numbers, array in zip(pair, shapes):
            derivatives = []
            for at, before in enumerate(numbers):
                numbers[at] = before + STEP * 1j
                derivatives.append(gradient * (loss_of(*lists, **ways) / STEP).imag if gradients else 0.0)
                numbers[at] = before
            found.append(Array(array.shape, derivatives))
    return tuple(found)


# One jump back.

def step_variance(a, b, _):
    """The variance of the noise that a jump adds, from a share `a` of the data to a share `b`."""
    return (1 - b) / (1 - a) * (1 - a / b)


def jump(estimate=None, variance=step_variance, old=lambda b, v: sqrt(1 - b - v), size=sqrt, data=lambda a, b: sqrt(b)):
    """The jump back, with one thing changed: the estimate of the data, the variance of the new noise, the share of the old one."""
    def give(x, start, to, predicted, z, left):
        a, b, before = left.numbers[start], left.numbers[to], left.numbers[start - 1]
        v = variance(a, b, before)
        found = []
        for value, e, draw in zip(x.numbers, predicted.numbers, z.numbers):
            x0 = estimate(value, e, a) if estimate else (value - sqrt(1 - a) * e) / sqrt(a)
            found.append(data(a, b) * x0 + old(b, v) * e + size(v) * draw)
        return Array(x.shape, found)
    return give


step_to = jump()


# The walk back: if both coordinates are normal, the predicted noise is linear in x, and every sample is normal.

def times(steps, calls):
    return [steps * k // calls for k in range(calls, -1, -1)]


def walk(left, mean, deviation, jumps, start=1.0, noise=True):
    """The mean and the variance of one coordinate of a sample."""
    m, v = 0.0, start
    for one, other in jumps:
        a, b = left[one], left[other]
        steepness = sqrt(1 - a) / (a * deviation * deviation + 1 - a)
        new = step_variance(a, b, None)
        of_noise = sqrt(1 - b - new) - sqrt(b) * sqrt(1 - a) / sqrt(a)
        factor = sqrt(b / a) + of_noise * steepness
        m = factor * m - of_noise * steepness * sqrt(a) * mean
        v = factor * factor * v + (new if noise else 0.0)
    return m, v


# Clouds of points.

def places(rows, angle):
    return [cos(angle) * x + sin(angle) * y for x, y in rows]


def sliced(a, b, angles, order=sorted, power=2, inside=False, mean=True):
    found = []
    for angle in angles:
        gaps = [abs(p - q) for p, q in zip(order(places(a, angle)), order(places(b, angle)))]
        found.append(sum(gap * gap if power == 2 else gap for gap in gaps) / (len(gaps) if mean else 1))
    if power == 1:
        return sum(found) / len(found)
    return sum(map(sqrt, found)) / len(found) if inside else sqrt(sum(found) / len(found))


def sliced_wasserstein(**ways):
    return lambda a, b, angles: sliced(a.rows(), b.rows(), angles.numbers, **ways)


def sorted_before(a, b, angles):
    """Each coordinate is sorted by itself, and then the points are projected."""
    first, second = (list(zip(*(sorted(column) for column in zip(*cloud.rows())))) for cloud in (a, b))
    return sliced(first, second, angles.numbers, order=list)


def no_root(a, b, angles):
    found = sliced(a.rows(), b.rows(), angles.numbers)
    return found * found


misconceptions = [
    # time
    Misconception("cosines-first", "time_features", lambda *a: time_features(*a, turned=True),
                  "sine and cosine are exchanged: the sine of an angle comes first, then its cosine"),
    Misconception("sines-in-a-block", "time_features", lambda *a: time_features(*a, blocks=True),
                  "all sines come first, and all cosines after them. They take turns: sine and cosine of each angle"),
    Misconception("counts-from-zero", "time_features", lambda *a: time_features(*a, first=0),
                  "the first pair is 0 and 1 at every step: its angle is 0. Count k from 1"),
    Misconception("step-for-share", "time_features", lambda *a: time_features(*a, share=lambda t, steps: t),
                  "the angle was taken from the step itself. Divide the step by the number of steps"),
    Misconception("whole-numbers", "time_features", lambda *a: time_features(*a, share=lambda t, steps: t // steps),
                  "t / steps was divided in whole numbers, which gives 0 for all steps but the last: make one of them a double first"),
    Misconception("doubled", "time_features", halves, "each angle is twice the one before it. Here they grow evenly: 1, 2, 3 times the first"),
    # loss
    Misconception("predicts-the-data", "noise_loss", lambda *a: loss(*a, target=lambda x, e, left: x),
                  "the outputs were compared with the data. This network predicts the noise"),
    Misconception("not-rooted", "noise_loss", lambda *a: loss(*a, mix=lambda x, e, left: left * x + (1 - left) * e),
                  "data and noise were mixed without roots: the shares belong to the variances"),
    Misconception("sees-the-data", "noise_loss", lambda *a: loss(*a, mix=lambda x, e, left: x),
                  "the network saw the clean points. It must see points with noise, and say which noise it was"),
    Misconception("one-step-for-all", "noise_loss", lambda *a: loss(*a, one_step=True) if len(a[2].numbers) > 1 else None,
                  "all points were taken to the step of the first one. Every point of a batch has a step of its own"),
    Misconception("by-the-points", "noise_loss", lambda *a: loss(*a, by=lambda points: points),
                  "the sum was divided by the number of points. It has two terms for each point: divide it by the number of coordinates"),
    Misconception("first-coordinate", "noise_loss", lambda *a: loss(*a, cols=(0,), by=lambda points: points),
                  "only the first coordinate counts. The noise has two"),
    Misconception("two-forgotten", "noise_loss", lambda *a: loss(*a, gradient=0.5),
                  "the loss is right and its derivatives are half as large as they must be: the derivative of a square has a factor 2"),
    Misconception("gradients-by-the-points", "noise_loss", lambda *a: loss(*a, gradient=2.0),
                  "the loss is right and its derivatives are twice as large as they must be: divide them by the number of coordinates too"),
    Misconception("uphill", "noise_loss", lambda *a: loss(*a, gradient=-1.0),
                  "the derivatives have the wrong sign: the difference is prediction minus noise. Training would raise the loss"),
    Misconception("no-backward", "noise_loss", lambda *a: loss(*a, gradients=False),
                  "the loss is right, and the gradients are all 0: call backward with the derivatives with respect to the outputs"),
    # jump
    Misconception("too-much-noise", "step_to", jump(old=lambda b, v: sqrt(1 - b)),
                  "the predicted noise kept its whole share, and new noise came on top: together they are more than 1 minus what is left of "
                  "the data. The variance of the new noise must be taken from the old"),
    Misconception("never-noise", "step_to", jump(variance=lambda a, b, before: 0.0),
                  "no noise was added. This jump is a random one: replace a part of the predicted noise by new noise"),
    Misconception("new-noise-only", "step_to", jump(variance=lambda a, b, before: 1 - b),
                  "all of the predicted noise was replaced by new noise: then x says nothing about the result but through the estimate. Only "
                  "a part of the noise is new"),
    Misconception("variance-as-size", "step_to", jump(size=lambda v: v),
                  "z was multiplied by the variance. Multiply it by the root, the standard deviation"),
    Misconception("variance-of-one-step", "step_to", jump(variance=lambda a, b, before: (1 - before) / (1 - a) * (1 - a / before)
                                                          if b < 1 else 0.0),
                  "the new noise is that of a single step. A jump replaces more of it: take what is left after `to` steps, not after `from` - 1"),
    Misconception("forward-variance", "step_to", jump(variance=lambda a, b, before: 1 - a / b if b < 1 else 0.0,
                                                      old=lambda b, v: sqrt(max(0.0, 1 - b - v))),
                  "the new noise has the variance that the steps forth added. Seen from behind it is smaller, by the factor (1 - left[to]) / "
                  "(1 - left[from])"),
    Misconception("estimate-not-divided", "step_to", jump(estimate=lambda x, e, a: x - sqrt(1 - a) * e),
                  "without its noise x is still the shrunken data: divide by the root of what is left after `from` steps"),
    Misconception("stays-shrunken", "step_to", jump(data=lambda a, b: sqrt(a)),
                  "the estimate of the data was weighted for the step `from`. At the step `to` more of the data is there: the root of left[to]"),
    Misconception("adds-the-noise", "step_to", jump(estimate=lambda x, e, a: (x + sqrt(1 - a) * e) / sqrt(a)),
                  "the predicted noise was added once more. Subtract it to estimate the data"),
    # walk
    Misconception("starts-at-zero", says="the walk starts at 0. After all steps nothing but noise is left: start with standard normal points"),
    Misconception("one-start", says="all samples start at the same point. Draw one for each"),
    Misconception("one-draw-for-both", says="both coordinates of a sample are the same noise. Draw two numbers for each point"),
    Misconception("one-draw-a-jump", says="in each jump all samples get the same noise. Draw z for each of them"),
    Misconception("no-draws", says="the jumps are not random: z is 0 everywhere"),
    Misconception("every-step", says="the predictor was asked at every step. Take only as many jumps as `calls` says"),
    Misconception("divided-first", says="T / calls was rounded down before it was multiplied by k, so the walk does not begin at step T. Multiply first"),
    Misconception("begins-late", says="the predictor was never asked at step T: the walk begins one jump too late"),
    Misconception("stops-early", says="the last jump, to step 0, is missing: some noise is still in the samples"),
    Misconception("told-the-end", says="the predictor was told the step to which the jump leads. The points have taken `from` steps: it needs "
                                       "to know that one"),
    Misconception("forwards", says="the jumps are taken from the small steps to the large ones. The walk goes back: from T to 0"),
    # distance
    Misconception("not-sorted", "sliced_wasserstein", sliced_wasserstein(order=list),
                  "the points were compared in the order in which they stand. Sort the places of each cloud along the direction first"),
    Misconception("sorted-before", "sliced_wasserstein", sorted_before,
                  "the coordinates were sorted, and the direction taken afterwards. Project the points first, then sort their places"),
    Misconception("absolute", "sliced_wasserstein", sliced_wasserstein(power=1),
                  "the distances themselves were averaged. Average their squares, and take the root at the end"),
    Misconception("roots-averaged", "sliced_wasserstein", sliced_wasserstein(inside=True),
                  "the root was taken for each direction, and then the mean. Take the mean over all directions first"),
    Misconception("no-root", "sliced_wasserstein", no_root, "this is the square of the distance: the root is missing"),
    Misconception("sum", "sliced_wasserstein", sliced_wasserstein(mean=False),
                  "the squares were added over the points: divide by the number of points, so that it does not matter"),
    # training
    Misconception("poor-samples", says="the quick parts are right, so look at the training: let the learning rate fall to 0, take more steps "
                                       "or a wider network, and draw new noise and new steps for every batch"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's diffusion is not allowed here: write it yourself"),
]


def of_layers(count):
    """The names of weights and biases, layer by layer."""
    return ["layers of the network", *(f"{word} of layer {at}" for at in range(count) for word in ("weights", "biases"))]


def call_of(function, arguments):
    """A call with the names of its arguments."""
    names = {"time_features": ("t", "steps", "width"), "step_to": ("x", "from", "to", "predicted", "z", "left"),
             "sample": ("left", "means of the data", "deviations", "calls", "count", "seed"), "sliced_wasserstein": ("a", "b", "angles"),
             "learned": ("data", "left", "seed", "calls", "count")}.get(function)
    names = names or ["left", "x0", "t", "noise", *of_layers(arguments[4])]
    return f"{function}({', '.join(f'{name} {show(value)}' for name, value in zip(names, arguments))})"


def some(student, *shape):
    count = 1
    for size in shape:
        count *= size
    return Array(shape, [round(student.random.uniform(-1, 1), 3) for _ in range(count)])


def schedule(student, steps):
    return left_of([student.random.uniform(0.05, 0.3) for _ in range(steps)])


@part("time")
def judge_time(student):
    student.call = call_of
    cases = [(integers([1, 2]), 3, 6), (integers([25]), 100, 4), (integers([0]), 5, 2), (integers([7]), 7, 8)]
    cases += [(integers([student.random.randrange(1, steps + 1) for _ in range(count)]), steps, width)
              for steps, count, width in [(9, 1, 2), (20, 3, 8), (100, 5, 8), (1000, 2, 12)]]
    for case in cases:
        student.expect("time_features", *case, gives=time_features(*case), within=WITHIN, about="the features of the steps, a row for each")


@part("loss")
def judge_loss(student):
    student.call = call_of
    weights = Array((10, 2), [0.5, 0.0, 0.0, 0.5, *[0.0] * 16])
    hand = (values([1.0, 0.64]), matrix([[1.0, -0.5]]), integers([1]), matrix([[0.5, 1.0]]), 1, weights, Array((1, 2), [0.0, 0.0]))
    cases = [hand]
    for steps, size, sizes in [(3, 1, (10, 2)), (4, 2, (10, 2)), (5, 3, (10, 3, 2)), (8, 4, (10, 2, 3, 2)), (20, 6, (10, 4, 2))]:
        arrays = [array for pair in zip(sizes, sizes[1:]) for array in (some(student, *pair), some(student, 1, pair[1]))]
        steps_of = [student.random.randrange(1, steps + 1) for _ in range(size)]
        steps_of[:2] = [steps, 1][:size]
        cases.append((values(schedule(student, steps)), some(student, size, 2), integers(steps_of), some(student, size, 2),
                      len(sizes) - 1, *arrays))
    for case in cases[1:] + cases[:1]:
        got = student.ask("noise_loss", *case, gives=(REAL, *(array_of(*array.shape) for array in case[5:])))
        student.compare(got, loss(*case), WITHIN, 0, "the loss, then the gradients of weights and biases layer by layer", "noise_loss", case)


@part("jump")
def judge_jump(student):
    student.call = call_of
    hand = values([1.0, 0.64, 0.36])
    one = (matrix([[2.0, -1.0]]), 2, 1, matrix([[1.0, 0.5]]), matrix([[0.5, -1.0]]), hand)
    last = (matrix([[2.0, -1.0]]), 2, 0, matrix([[1.0, 0.5]]), matrix([[0.5, -1.0]]), hand)
    cases = []
    for steps, count in [(6, 2), (5, 1), (8, 3)]:
        left = values(schedule(student, steps))
        cases += [(some(student, count, 2), start, to, some(student, count, 2), some(student, count, 2), left)
                  for start, to in [(4, 1), (2, 1), (steps, 2), (steps, 0), (1, 0)]]
    cases += [(some(student, 2, 2), start, to, some(student, 2, 2), some(student, 2, 2), values(LEFT))
              for start, to in [(100, 98), (50, 25), (2, 1), (2, 0), (1, 0)]]
    for case in [*cases, one, last]:
        student.expect("step_to", *case, gives=step_to(*case), within=WITHIN, about="the points after the jump back")


def normal_walk(student, left, means, deviations, calls, count):
    """Samples of a normal distribution, with the exact predictor."""
    steps = len(left) - 1
    got, told = student.ask("sample", values(left), values(means), values(deviations), calls, count, student.random.randrange(1 << 40),
                            gives=(array_of(count, 2), wholes(None)))
    right = times(steps, calls)
    late = [steps // calls * k for k in range(calls, -1, -1)]
    known = [("every-step", right[:-1] != list(range(steps, 0, -1)), list(range(steps, 0, -1))),
             ("divided-first", late != right, late[:-1]), ("begins-late", calls > 1, right[1:-1]),
             ("stops-early", calls > 1, right[:-2]), ("told-the-end", True, right[1:])]
    asked = list(told.numbers)
    student.check(asked == right[:-1], f"the steps that the predictor was told, of {steps} steps in {calls} calls", show(integers(right[:-1])),
                  show(told), next((name for name, differs, steps_ in known if differs and asked == steps_), ""))
    rows = got.rows()
    student.check(all(map(isfinite, got.numbers)), "the samples", "finite numbers", "NaN or infinity")
    for col, (mean, deviation) in enumerate(zip(means, deviations)):
        column = [row[col] for row in rows]
        found = sum(column) / count
        spread = sum((x - found) * (x - found) for x in column) / count

        def fits(m, v, mean_too=True):
            return (abs(spread - v) <= ERRORS * v * sqrt(2 / count) + 1e-9
                    and (not mean_too or abs(found - m) <= ERRORS * sqrt(v / count) + 1e-9))
        jumps = list(zip(right, right[1:]))
        m, v = walk(left, mean, deviation, jumps)
        suspect = ""
        if not fits(m, v):
            ways = [("starts-at-zero", jumps, {"start": 0.0}), ("no-draws", jumps, {"noise": False}), ("forwards", jumps[::-1], {})]
            suspect = next((name for name, order, way in ways if fits(*walk(left, mean, deviation, order, **way))), "")
            if not suspect and fits(*walk(left, mean, deviation, jumps, start=0.0), mean_too=False):
                suspect = "one-start"
            if not suspect and fits(*walk(left, mean, deviation, jumps, noise=False), mean_too=False):
                suspect = "one-draw-a-jump"
        what = (f"coordinate {col + 1} of {count} samples after {calls} jumps; the exact predictor is that of a normal distribution with "
                f"mean {mean:g} and deviation {deviation:g}")
        student.check(abs(found - m) <= ERRORS * sqrt(v / count), f"the mean of {what}", f"{m:.4f}", f"{found:.4f}", suspect)
        student.check(abs(spread - v) <= ERRORS * v * sqrt(2 / count), f"the variance of {what}", f"{v:.4f}", f"{spread:.4f}", suspect)
    together = correlation(*zip(*rows))
    student.check(abs(together) <= ERRORS * 1.05 / sqrt(count), f"the correlation of both coordinates of {count} samples", "about 0",
                  f"{together:.4f}", "one-draw-for-both")


def correlation(one, other):
    count = len(one)
    first, second = sum(one) / count, sum(other) / count
    together, of_one, of_other = (sum((a - c) * (b - d) for a, b in zip(x, y))
                                  for x, y, c, d in ((one, other, first, second), (one, one, first, first), (other, other, second, second)))
    return together / sqrt(of_one * of_other)


@part("walk")
def judge_walk(student):
    student.call = call_of
    normal_walk(student, left_of([0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]), [1.5, -1.0], [0.5, 0.8], 3, 10_000)
    normal_walk(student, left_of([0.4, 0.3, 0.2]), [-1.0, 0.5], [0.8, 0.6], 3, 10_000)
    normal_walk(student, left_of([0.2, 0.3, 0.3, 0.4]), [1.0, 0.5], [0.5, 0.7], 1, 10_000)


@part("distance")
def judge_distance(student):
    student.call = call_of
    hand = (matrix([[0.0, 0.0], [1.0, 2.0]]), matrix([[3.0, 1.0], [0.0, 1.0]]), values([0.0, pi / 2]))
    cases = [(some(student, count, 2), some(student, count, 2), values([student.random.uniform(0, pi) for _ in range(angles)]))
             for count, angles in [(3, 2), (1, 1), (1, 3), (2, 1), (5, 4), (8, 7)]]
    for case in [*cases[:1], hand, *cases[1:]]:
        student.expect("sliced_wasserstein", *case, gives=sliced_wasserstein()(*case), within=WITHIN,
                       about="the sliced Wasserstein distance of a and b")
    cloud = some(student, 6, 2)
    rows = cloud.rows()
    student.random.shuffle(rows)
    case = cloud, matrix(rows), values([0.3, 1.2])      # 0, or the root of a rounding
    student.expect("sliced_wasserstein", *case, gives=0.0, within=1e-6, about="the distance of a cloud to itself in another order")


# The data: both coordinates have mean 0 and variance 1.

DEVIATIONS = sqrt(0.75 + 0.05 ** 2), sqrt(0.625 - 1 / pi - 0.25 ** 2 + 0.05 ** 2)


def moons(dice, count):
    """Points of two half circles, with noise."""
    rows = []
    for _ in range(count):
        angle, upper = pi * dice.random(), dice.random() < 0.5
        x, y = (cos(angle), sin(angle)) if upper else (1 - cos(angle), 0.5 - sin(angle))
        rows.append([(x - 0.5 + dice.gauss(0, 0.05)) / DEVIATIONS[0], (y - 0.25 + dice.gauss(0, 0.05)) / DEVIATIONS[1]])
    return rows


def on_the_curve(share):
    """A point of a spiral of one and a half turns, evenly along its length or nearly so."""
    angle = 3 * pi * sqrt(1 / 36 + share * 35 / 36)
    return angle * cos(angle), angle * sin(angle)


CURVE = [on_the_curve((k + 0.5) / 600) for k in range(600)]
CENTRE = tuple(sum(axis) / len(CURVE) for axis in zip(*CURVE))
SPREAD = tuple(sqrt(sum((x - c) * (x - c) for x in axis) / len(CURVE) + 0.04) for axis, c in zip(zip(*CURVE), CENTRE))


def scaled(point):
    return [(x - c) / s for x, c, s in zip(point, CENTRE, SPREAD)]


def spiral(dice, count):
    return [scaled([x + dice.gauss(0, 0.2) for x in on_the_curve(dice.random())]) for _ in range(count)]


def learned(student, draw):
    """Samples of a network that was trained on 10,000 points, and their distance to fresh points."""
    got = student.ask("learned", matrix(draw(student.random, 10_000)), values(LEFT), student.random.randrange(1 << 40), CALLS, COUNT,
                      gives=array_of(COUNT, 2), again=False)
    finite = all(isfinite(x) and abs(x) < 1e9 for x in got.numbers)
    return got.rows(), sliced(got.rows(), draw(student.random, COUNT), ANGLES) if finite else inf


@part("moons")
def judge_moons(student):
    student.call = call_of
    _, found = learned(student, moons)
    student.report = [f"a sliced Wasserstein distance of {found:.4f} between {COUNT} samples and as many fresh points of the moons"]
    student.measured = found if isfinite(found) else None
    student.check(found <= 0.1, f"the sliced Wasserstein distance of {COUNT} samples to the moons", "at most 0.1", f"{found:.4f}",
                  "poor-samples")


@part("spiral")
def judge_spiral(student):
    student.call = call_of
    rows, found = learned(student, spiral)
    curve = [scaled(point) for point in CURVE]
    near = sum(min(hypot(x - a, y - b) for a, b in curve) < NEAR for x, y in rows) / COUNT if isfinite(found) else 0.0
    student.report = [f"a sliced Wasserstein distance of {found:.4f}, and {100 * near:.1f} % of {COUNT} samples nearer to the curve of the "
                      f"spiral than {NEAR}"]
    student.measured = found if isfinite(found) else None
    student.check(found <= 0.15, f"the sliced Wasserstein distance of {COUNT} samples to the spiral", "at most 0.15", f"{found:.4f}",
                  "poor-samples")
    student.check(near >= 0.75, f"the share of samples nearer to the curve of the spiral than {NEAR}", "at least 0.75", f"{near:.4f}",
                  "poor-samples")
