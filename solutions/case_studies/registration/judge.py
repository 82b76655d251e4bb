"""Products and losses by their definitions; what any model must give; and the trained one by the errors of its arrows on new pairs."""
from math import fsum, hypot, isfinite, sqrt

from recto.judge.judging import ARRAY, WHOLE, Array, Misconception, array_of, floats, part

from .pairs import SIDE, pairs

PRODUCTS = 1e-6     # a product of two numbers up to 1.5, in single precision
LENGTHS = 2e-5      # means of lengths up to 50, as a share; their derivatives divide a rounded difference by 0.1 or more
ALONE = 1e-3        # pixels, and as a share: a batch of another size may be added up in another order
TESTS, BATCH = 64, 16
MOST = 0.5          # of the identity's error: the rule


# Products of moved maps.

MOVES = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]


def pixels(array):
    """images[n][row][column] of an array (n, 1, rows, columns)."""
    count, _, height, width = array.shape
    lines = [array.numbers[at:at + width] for at in range(0, len(array.numbers), width)]
    return [lines[n * height:(n + 1) * height] for n in range(count)]


def read(image, row, col, outside):
    """A pixel; outside the image 0, that of the border, or that of the other side."""
    height, width = len(image), len(image[0])
    if outside == "wraps":
        return image[row % height][col % width]
    if outside == "border":
        return image[min(max(row, 0), height - 1)][min(max(col, 0), width - 1)]
    return image[row][col] if 0 <= row < height and 0 <= col < width else 0.0


def compare(own, map_, step, moves=MOVES, outside="zero", how=lambda a, b: a * b, moved="map"):
    fixed, far = (own, map_) if moved == "map" else (map_, own)
    count, _, height, width = own.shape
    found = [how(one[row][col], read(other, row + down * step, col + right * step, outside))
             for one, other in zip(pixels(fixed), pixels(far)) for down, right in moves for row in range(height) for col in range(width)]
    return floats(found, (count, len(moves), height, width))


# The loss, and its gradients.

def averaged(truth, size):
    """The arrows of the truth at a scale: means over its cells. Indexed [n][component][row][column]."""
    count, _, side, _ = truth.shape
    cell = side // size
    return [[[[fsum(truth[n, c, row * cell + i, col * cell + j] for i in range(cell) for j in range(cell)) / cell ** 2
               for col in range(size)] for row in range(size)] for c in (0, 1)] for n in range(count)]


def first_of_each(truth, size):
    """The mistaken arrows: those of the first pixel of each cell."""
    cell = truth.shape[2] // size
    return [[[[truth[n, c, row * cell, col * cell] for col in range(size)] for row in range(size)] for c in (0, 1)]
            for n in range(truth.shape[0])]


def at_scale(flow, truth, arrows=averaged, length=lambda u, v: sqrt(u * u + v * v + 0.01), unit=lambda cell: (cell, 1)):
    """The lengths of all errors of one flow, in its order."""
    count, _, size, _ = flow.shape
    target, (ours, theirs) = arrows(truth, size), unit(truth.shape[2] / size)
    return [length(*(ours * flow[n, c, row, col] - theirs * target[n][c][row][col] for c in (0, 1)))
            for n in range(count) for row in range(size) for col in range(size)]


def mean(values):
    return fsum(values) / len(values)


def loss(truth, _count, *flows, over=mean, scales=lambda flows: flows, weigh=lambda count: 1.0, **ways):
    """The loss alone, as a misconception answers."""
    return weigh(len(flows)) * fsum(over(at_scale(flow, truth, **ways)) for flow in scales(flows))


def gradient(flow, truth):
    """Of the loss, with respect to one flow."""
    count, _, size, _ = flow.shape
    target, cell = averaged(truth, size), truth.shape[2] / size
    found = []
    for n in range(count):
        errors = [[[cell * flow[n, c, row, col] - target[n][c][row][col] for col in range(size)] for row in range(size)]
                  for c in (0, 1)]
        for c in (0, 1):
            found += [cell * errors[c][row][col] / sqrt(errors[0][row][col] ** 2 + errors[1][row][col] ** 2 + 0.01) / (count * size ** 2)
                      for row in range(size) for col in range(size)]
    return floats(found, flow.shape)


def scalar(value):
    return Array((), [value], "F")


def in_loss(name, says, **ways):
    """A mistake in the loss. The gradients are asked for as well, but the loss alone tells it."""
    return Misconception(name, "the loss", lambda *a: scalar(loss(*a, **ways)), says)


misconceptions = [
    Misconception("wraps-around", "compare", lambda *a: compare(*a, outside="wraps"),
                  "what leaves the map on one side enters on the other. Outside the map is 0"),
    Misconception("border-repeated", "compare", lambda *a: compare(*a, outside="border"),
                  "outside the map you repeat its border. There it is 0"),
    Misconception("moved-back", "compare", lambda *a: compare(*a, moves=[(-down, -right) for down, right in MOVES]),
                  "the map moves the other way: channel 0 reads the map above and to the left of each pixel"),
    Misconception("columns-first", "compare", lambda *a: compare(*a, moves=[(down, right) for right, down in MOVES]),
                  "the channels are in the order of columns. Channel 1 reads the map above, channel 3 to the left"),
    Misconception("one-pixel", "compare", lambda own, map_, step: compare(own, map_, 1),
                  "the map moves by one pixel. It must move by `step` pixels"),
    Misconception("moves-its-own", "compare", lambda *a: compare(*a, moved="own"),
                  "the other map was moved: own(row, column) stays, and `map` is read somewhere else"),
    Misconception("differences", "compare", lambda *a: compare(*a, how=lambda a, b: a - b),
                  "these are differences. The products are asked for"),
    in_loss("in-cells", "an arrow of a coarse flow counts cells, and the truth counts pixels: multiply the flow by the side of a cell, "
            "side / size", unit=lambda cell: (1, 1)),
    in_loss("measured-in-cells", "each scale measures its errors in its own cells. In pixels all scales are alike",
            unit=lambda cell: (1, 1 / cell)),
    in_loss("first-of-each-cell", "the truth of a cell is taken from its first pixel. It is the mean over the cell",
            arrows=first_of_each),
    in_loss("finest-alone", "only the last flow counts. Each scale has its own term", scales=lambda flows: flows[-1:]),
    in_loss("no-root", "these are squared lengths. A square lets the few largest errors decide; take the root",
            length=lambda u, v: u * u + v * v + 0.01),
    in_loss("each-component", "the components are measured one by one. The length of an error is the root of the sum of both squares",
            length=lambda u, v: sqrt(u * u + 0.01) + sqrt(v * v + 0.01)),
    in_loss("no-small-number", "0.01 under the root is missing. Without it the gradient of a perfect arrow is 0 / 0",
            length=hypot),
    in_loss("outside-the-root", "0.01 belongs under the root, where it keeps the gradient finite",
            length=lambda u, v: hypot(u, v) + 0.01),
    in_loss("mean-of-scales", "the sum over the scales was divided by their number", weigh=lambda count: 1 / count),
    in_loss("sum-of-errors", "the errors of a scale were added up. With a mean, 4 x 4 arrows count as much as 32 x 32", over=fsum),
    Misconception("cut-tape", says="no gradient arrives at a flow: something has left the tape, such as detach() or values()"),
    Misconception("no-full-flow", "untrained", outcome="wrong answer", matches="has another shape",
                  says="a flow has an arrow for each pixel of the image: (n, 2, 32, 32)"),
    Misconception("not-finite", says="some numbers are NaN or infinite"),
    Misconception("looks-at-the-others", says="the flow of a pair depends on the other pairs of its batch: something is averaged over "
                  "the axis 0"),
    Misconception("backwards", says="with all arrows turned round it would pass: the flow leads from the image to the map"),
    Misconception("axes-exchanged", says="with both channels exchanged it would pass: channel 0 points to the right, channel 1 down"),
    Misconception("takes-a-network", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the network is yours to propose: what you may use of the library is what registration.hpp includes"),
    Misconception("wrong-unit", says="with arrows of another length it would pass: at full size a flow is in pixels of the image"),
]


@part("compare")
def judge_compare(student):
    def ask(own, map_, step):
        student.expect("compare", own, map_, step, gives=compare(own, map_, step), within=PRODUCTS, about="the products of both maps")
    ask(floats([1, 2], (1, 1, 1, 2)), floats([3, 5], (1, 1, 1, 2)), 1)      # the statement's
    for count, height, width, step in [(1, 2, 2, 1), (1, 3, 4, 1), (1, 4, 3, 2), (2, 5, 4, 1), (2, 4, 6, 2), (3, 6, 5, 4), (1, 8, 8, 8)]:
        own, map_ = (floats([round(student.random.uniform(-1.2, 1.2), 2) for _ in range(count * height * width)],
                            (count, 1, height, width)) for _ in range(2))
        ask(own, map_, step)


@part("loss")
def judge_loss(student):
    def ask(truth, *flows):
        answer = student.ask("loss", truth, len(flows), *flows, gives=(ARRAY,) * (1 + len(flows)), relative=LENGTHS, within=LENGTHS)
        student.compare(answer[0], scalar(loss(truth, len(flows), *flows)), LENGTHS, LENGTHS, "the loss", "the loss",
                        (truth, len(flows), *flows))
        for number, (flow, slopes) in enumerate(zip(flows, answer[1:])):
            student.check(slopes.shape == flow.shape, f"the gradient with respect to flow {number}", "numbers of its shape", "none",
                          "cut-tape")
            student.compare(slopes, gradient(flow, truth), LENGTHS, LENGTHS, f"the gradient with respect to flow {number}", "the gradient",
                            (truth, len(flows), *flows))

    def flow(count, size, longest):
        return floats([round(student.random.uniform(-longest, longest), 2) for _ in range(2 * count * size ** 2)], (count, 2, size, size))
    ask(floats([4, 2, 4, 2, 0, 0, 0, 0], (1, 2, 2, 2)), floats([0, 2], (1, 2, 1, 1)))       # the statement's
    for count, side, sizes in [(1, 2, [2]), (1, 2, [1]), (1, 4, [2]), (2, 4, [1, 4]), (1, 4, [1, 2, 4]), (2, 8, [2, 4]), (3, 6, [1, 3, 6])]:
        truth = flow(count, side, 3)
        ask(truth, *(flow(count, size, 3 * size / side) for size in sizes))
    truth = flow(1, 4, 2)
    ask(truth, truth)       # no error at all


@part("model")
def judge_model(student):
    drawn, seed = pairs(student.random, 3), student.random.randrange(1000)

    def ask(some):
        found = student.ask("untrained", seed, some.images, some.maps, gives=array_of(some.maps.shape[0], 2, SIDE, SIDE),
                            within=ALONE, relative=ALONE)
        student.check(all(map(isfinite, found.numbers)), "the flow of a model without any training", "numbers", "NaN or infinity",
                      "not-finite")
        return found.numbers
    together = ask(drawn)
    for n in range(3):
        alone, beside = ask(drawn.some(n, n + 1)), together[n * 2 * SIDE ** 2:(n + 1) * 2 * SIDE ** 2]
        apart = max(abs(a - b) - ALONE * abs(a) for a, b in zip(alone, beside))
        student.check(apart <= ALONE, f"the flow of pair {n} alone and in a batch of 3", "the same arrows",
                      f"arrows that differ by up to {apart:.3g} pixels", "looks-at-the-others")


def error(flows, truth):
    """The mean end-point error: over all pixels, the length of the difference of two arrows. `flows` gives both components."""
    size = SIDE ** 2
    places = [n * 2 * size + at for n in range(truth.shape[0]) for at in range(size)]
    lengths = [hypot(flows(at)[0] - truth.numbers[at], flows(at)[1] - truth.numbers[at + size]) for at in places]
    return sum(lengths) / len(lengths)      # fsum refuses a sum that is too large


def share(found, truth, change=lambda u, v: (u, v)):
    """The rule: the error of a flow, over that of the identity, whose arrows are all 0."""
    size, numbers = SIDE ** 2, found.numbers
    return error(lambda at: change(numbers[at], numbers[at + size]), truth) / error(lambda at: (0.0, 0.0), truth)


def suspected(found, truth):
    """The mistake without which this flow would pass."""
    ways = [("backwards", lambda u, v: (-u, -v)), ("axes-exchanged", lambda u, v: (v, u))]
    ways += [("wrong-unit", lambda u, v, factor=factor: (factor * u, factor * v)) for factor in (2, 4, 8, 16, 32, 0.5)]
    return next((name for name, change in ways if share(found, truth, change) <= MOST), "")


@part("registration")
def judge_registration(student):
    student.ask("train", student.random.randrange(1000), gives=WHOLE, again=False)
    tests = pairs(student.random, TESTS)
    numbers = []
    for at in range(0, TESTS, BATCH):
        some = tests.some(at, at + BATCH)
        numbers += student.ask("flow", some.images, some.maps, gives=array_of(BATCH, 2, SIDE, SIDE), again=False).numbers
    found = Array(tests.flows.shape, numbers, "F")
    student.measured = share(found, tests.flows)
    student.report = [f"{student.measured:.3f} of the error that the maps have as they are given, on {TESTS} new pairs"]
    student.check(student.measured <= MOST, f"the mean error of an arrow on {TESTS} new pairs, over that of arrows of length 0",
                  f"at most {MOST}", f"{student.measured:.3f}", suspected(found, tests.flows))
