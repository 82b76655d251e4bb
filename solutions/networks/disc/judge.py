"""Draws by their statistics; steps in plain Python; an epoch by every order that its points can have."""
import itertools
from math import exp, isfinite, nan, pi, sqrt, tanh

from recto.judge.comparing import show
from recto.judge.judging import REAL, Array, Misconception, array_of, integers, matrix, part, wholes

WITHIN = 1e-12      # a few roundings of numbers of about one
ORDER = 1e-10       # the same after some steps of a small network
ERRORS = 6          # standard errors: a right program misses a mean by as much once in 500 million draws


def values(found):
    return Array((len(found),), found)


# Steps.

def step(*arguments, times=1.0, left=False, bias=True, rated=True):
    """The network after a first and after a second step."""
    layers, rate = arguments[0], arguments[-1]
    size = 2 * layers
    now, first, second = (arguments[1 + at * (size + 1):1 + at * (size + 1) + size] for at in range(3))
    if left:
        second = [Array(a.shape, [x + y for x, y in zip(a.numbers, b.numbers)]) for a, b in zip(first, second)]
    found = []
    for gradients in (first, second):
        now = [array if not bias and at % 2 else
               Array(array.shape, [x - times * (rate if rated else 1) * s for x, s in zip(array.numbers, gradient.numbers)])
               for at, (array, gradient) in enumerate(zip(now, gradients))]
        found += now
    return tuple(found)


def adam(weights, gradients, rate, first=0.9, second=0.999, correct=(True, True), root=sqrt, epsilon=lambda r, s: r + 1e-8, count=0,
         square=lambda g: g * g, forget=False, average=True):
    """The weights after each step."""
    w, m, v = list(weights.numbers), [0.0] * len(weights.numbers), [0.0] * len(weights.numbers)
    found = []
    for number, row in enumerate(gradients.rows(), 1):
        t = 1 if forget else number + count
        for i, g in enumerate(row):
            if forget:
                m[i] = v[i] = 0.0
            m[i] = first * m[i] + (1 - first if average else 1) * g
            v[i] = second * v[i] + (1 - second if average else 1) * square(g)
            by_first, by_second = 1 - first ** t if correct[0] else 1, 1 - second ** t if correct[1] else 1
            if not by_first:
                w[i] = nan
                continue
            mean, size = m[i] / by_first, v[i] / by_second
            w[i] -= rate * mean / (epsilon(root(size), size))
        found.append(list(w))
    return matrix(found)


# An epoch.

def forward(layers, row):
    seen = [row]
    for at, (weight, bias) in enumerate(layers):
        row = [b + sum(x * w[col] for x, w in zip(row, weight)) for col, b in enumerate(bias)]
        seen.append([tanh(value) for value in row] if at + 1 < len(layers) else row)
        row = seen[-1]
    return seen


def stepped(layers, rows, labels, rate, mean=True, times=1.0):
    """The network after one step on these points."""
    gradients = [([[0.0] * len(b) for _ in w], [0.0] * len(b)) for w, b in layers]
    for row, label in zip(rows, labels):
        seen = forward(layers, row)
        inside = 1 / (1 + exp(seen[-1][0] - seen[-1][1]))
        dy = [(label - inside) / (len(rows) if mean else 1), (inside - label) / (len(rows) if mean else 1)]
        for depth in range(len(layers) - 1, -1, -1):
            for k, value in enumerate(seen[depth]):
                for col, one in enumerate(dy):
                    gradients[depth][0][k][col] += value * one
            for col, one in enumerate(dy):
                gradients[depth][1][col] += one
            dy = [sum(w * one for w, one in zip(weights, dy)) * (1 - value * value)
                  for weights, value in zip(layers[depth][0], seen[depth])]
    return [([[w - times * rate * s for w, s in zip(*pair)] for pair in zip(weight, gradients[at][0])],
             [b - times * rate * s for b, s in zip(b_, gradients[at][1])]) for at, (weight, b_) in enumerate(layers)]


def epoch(layers, rows, labels, batch, rate, order, label_order=None, rest=True, **ways):
    of_labels = label_order or order
    for first in range(0, len(order), batch):
        if not rest and first + batch > len(order):
            break
        layers = stepped(layers, [rows[at] for at in order[first:first + batch]], [labels[at] for at in of_labels[first:first + batch]],
                         rate, **ways)
    return layers


def flat(layers):
    return [one for weight, bias in layers for row in (*weight, bias) for one in row]


def near(one, other):
    return all(abs(a - b) <= ORDER for a, b in zip(one, other))


misconceptions = [
    # points
    Misconception("root-forgotten", says="points were compared with a radius of 2/pi. The radius is the square root of it: then the disc has "
                                         "half the area of the square"),
    Misconception("square-forgotten", says="the square of the distance was compared with the radius. Compare squares with squares: with 2/pi"),
    Misconception("inside-out", says="the labels are exchanged: 1 means inside"),
    Misconception("a-quarter", says="no number is below 0: the square runs from -1 to 1 in both directions"),
    Misconception("on-the-diagonal", says="both numbers of a point are the same: draw twice"),
    Misconception("same-points", says="two seeds gave the same points: use the generator that is handed over"),
    # start
    Misconception("biases-zero", says="the biases are 0. Here they get random numbers of the same deviation"),
    Misconception("variance-for-deviation", says="the variance is as large as the deviation must be: std::normal_distribution takes the "
                                                 "standard deviation"),
    Misconception("scaled-by-the-inputs", says="the deviation was divided by the root of the number of inputs. Here all layers get the same"),
    Misconception("uniform", says="no weight is beyond twice the deviation: they are uniform. They are to be normal"),
    Misconception("one-number", says="all weights of a layer are equal. Draw inside the loop: equal weights get equal gradients, and stay equal"),
    # step
    Misconception("uphill", "step", lambda *a: step(*a, times=-1.0), "the weights moved along the gradient, where the loss grows"),
    Misconception("gradients-left", "step", lambda *a: step(*a, left=True),
                  "the first step is right, and the second follows the gradients of both: set the gradients to 0 after a step"),
    Misconception("biases-stay", "step", lambda *a: step(*a, bias=False), "the biases did not move: they have gradients too"),
    Misconception("no-rate", "step", lambda *a: step(*a, rated=False), "the step has the full length of the gradient: the rate is missing"),
    # adam
    Misconception("not-corrected", "adam_step", lambda *a: adam(*a, correct=(False, False)),
                  "the averages begin at 0, so they are too small in the first steps. Divide them by 1 - 0.9^t and 1 - 0.999^t"),
    Misconception("mean-not-corrected", "adam_step", lambda *a: adam(*a, correct=(False, True)),
                  "only the average of the squares was divided by its correction. The average of the gradients needs one too"),
    Misconception("square-not-corrected", "adam_step", lambda *a: adam(*a, correct=(True, False)),
                  "only the average of the gradients was divided by its correction. The average of the squares needs one too"),
    Misconception("no-root", "adam_step", lambda *a: adam(*a, root=lambda v: v),
                  "the step was divided by the average square. Divide by its root, which has the size of a gradient"),
    Misconception("epsilon-in-the-root", "adam_step", lambda *a: adam(*a, epsilon=lambda r, s: sqrt(s + 1e-8)),
                  "the 1e-8 stands under the root, where it counts as 1e-4. Add it after the root"),
    Misconception("rates-exchanged", "adam_step", lambda *a: adam(*a, first=0.999, second=0.9),
                  "the two factors are exchanged: the average of the gradients has 0.9, that of the squares 0.999"),
    Misconception("counts-from-zero", "adam_step", lambda *a: adam(*a, count=-1),
                  "the correction of the first step divides by 0: count the step first, so that t is 1"),
    Misconception("forgets", "adam_step", lambda *a: adam(*a, forget=True) if a[1].shape[0] > 1 else None,
                  "every step is a first one: the averages must stay in the memory from step to step"),
    Misconception("sums", "adam_step", lambda *a: adam(*a, average=False),
                  "the gradients enter the averages with their full size. Their factor is 1 minus that of the past"),
    # epoch
    Misconception("not-shuffled", says="the points always come in the same order: shuffle them in each epoch"),
    Misconception("same-order-again", says="both epochs have the same order. A generator that is copied, or made in each call, starts from "
                                           "the same state: take it by reference"),
    Misconception("labels-left", says="the points were shuffled, and their labels were not: move both, or shuffle a list of places"),
    Misconception("with-replacement", says="points were drawn at random, so some come twice and others not at all. An epoch takes each "
                                           "point once"),
    Misconception("sum-over-the-batch", says="the step follows the sum over the batch: divide the derivatives by the number of its points"),
    Misconception("rest-left-out", says="the last, smaller batch was left out"),
    Misconception("away", says="the steps go the wrong way: the derivative with respect to the score of the right class is its probability "
                               "minus 1"),
    Misconception("one-step-only", says="there was one step with all points. A step follows each batch"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's optimisers are not allowed here: write it yourself"),
]


def off(student, what, found, due, error, suspect=""):
    student.check(abs(found - due) <= ERRORS * error, what, f"{due:.5g} within {ERRORS * error:.2g}", f"{found:.5g}", suspect)


def of_layers(name, count):
    """The names of weights and biases, layer by layer."""
    return [f"layers of the {name}", *(f"{word} of layer {at}" for at in range(count) for word in ("weights", "biases"))]


def call_of(function, arguments):
    """A call with the names of its arguments."""
    names = {"draw_points": ("count", "seed"), "make_network": ("sizes", "deviation", "seed"), "trained": ("deviation", "seed"),
             "adam_step": ("weights", "gradients of each step", "rate")}.get(function)
    if function == "step":
        layers = arguments[0]
        names = [*of_layers("network", layers), *of_layers("first gradients", layers), *of_layers("second gradients", layers), "rate"]
    elif function == "epoch":
        names = [*of_layers("network", arguments[0]), "x", "inside", "batch", "rate", "seed"]
    return f"{function}({', '.join(f'{name} {show(value)}' for name, value in zip(names, arguments))})"


@part("points")
def judge_points(student):
    student.call = call_of
    count, before = 20_000, None
    for seed in (3, 4):
        x, inside = student.ask("draw_points", count, seed, gives=(array_of(count, 2), wholes(count)))
        student.check(all(abs(one) <= 1 for one in x.numbers), "the points", "numbers from -1 to 1", "others")
        student.check(x.numbers != before, "the points of two generators", "different points", "the same", "same-points")
        before = x.numbers
        student.check(set(inside.numbers) <= {0, 1}, "the labels", "0 and 1", "others")
        student.check(min(x.numbers) < 0, "the smallest number", "near -1", f"{min(x.numbers):.4f}", "a-quarter")
        rows = x.rows()
        student.check(any(a != b for a, b in rows), "the two numbers of a point", "different numbers", "the same", "on-the-diagonal")
        squares = [a * a + b * b for a, b in rows]

        def agree(limit, turned=False):
            return all(abs(s - limit) < 1e-12 or ((s < limit) != turned) == bool(label) for s, label in zip(squares, inside.numbers))
        mistakes = [("root-forgotten", (2 / pi) ** 2, False), ("square-forgotten", sqrt(2 / pi), False), ("inside-out", 2 / pi, True)]
        suspect = next((name for name, limit, turned in mistakes if agree(limit, turned)), "")
        wrong = next((at for at, (s, label) in enumerate(zip(squares, inside.numbers))
                      if abs(s - 2 / pi) >= 1e-12 and (s < 2 / pi) != bool(label)), None)
        if wrong is not None:
            due = int(squares[wrong] < 2 / pi)
            student.check(False, f"the label of the point ({rows[wrong][0]:.4f}, {rows[wrong][1]:.4f}), {sqrt(squares[wrong]):.4f} from 0",
                          str(due), str(1 - due), suspect)
        for axis in (0, 1):
            numbers = [row[axis] for row in rows]
            off(student, f"the mean of number {axis} of the points", sum(numbers) / count, 0, sqrt(1 / 3 / count))
            off(student, f"the mean square of number {axis} of the points", sum(n * n for n in numbers) / count, 1 / 3, sqrt(4 / 45 / count))
        off(student, "the mean product of both numbers", sum(a * b for a, b in rows) / count, 0, 1 / 3 / sqrt(count))
        share = sum(inside.numbers) / count
        student.measured = share
        student.check(0.48 <= share <= 0.52, "the share of points inside", "from 0.48 to 0.52", f"{share:.4f}")


@part("start")
def judge_start(student):
    student.call = call_of
    for sizes, deviation in [([30, 40, 50], 0.5), ([2, 60, 60, 2], 0.001)]:
        shapes = [shape for pair in zip(sizes, sizes[1:]) for shape in (pair, (1, pair[1]))]
        seed = student.random.randrange(1 << 40)
        got = student.ask("make_network", integers(sizes), deviation, seed, gives=tuple(array_of(*shape) for shape in shapes))
        for at, array in enumerate(got):
            numbers, count = array.numbers, len(array.numbers)
            name = f"the {'biases' if at % 2 else 'weights'} of layer {at // 2}"
            student.check(all(map(isfinite, numbers)), name, "finite numbers", "NaN or infinity")
            if count < 30:
                continue
            student.check(len(set(numbers)) > 1, name, "random numbers", "one number, again and again",
                          "biases-zero" if at % 2 and not numbers[0] else "one-number")
            square = sum(n * n for n in numbers) / count
            error = deviation * deviation * sqrt(2 / count)
            def fits(due):
                return abs(square - due) <= ERRORS * due * sqrt(2 / count)
            suspect = ("variance-for-deviation" if fits(deviation) else
                       "scaled-by-the-inputs" if fits(deviation ** 2 / (sizes[at // 2])) else "")
            largest = max(map(abs, numbers)) / deviation
            if count > 1000:
                wide = largest > 2 or not fits(deviation ** 2) and not fits(deviation ** 2 / 3)
                student.check(wide, f"the largest of {name}, over the deviation", "above 2", f"{largest:.3f}", "uniform")
            off(student, f"the mean square of {name}", square, deviation ** 2, error, suspect)
            off(student, f"the mean of {name}", sum(numbers) / count, 0, deviation / sqrt(count))


def some(student, *shape, size=1.0):
    total = 1
    for extent in shape:
        total *= extent
    return Array(shape, [round(student.random.uniform(-size, size), 3) for _ in range(total)])


def network(student, *sizes, size=1.0):
    return len(sizes) - 1, *(some(student, *shape, size=size) for pair in zip(sizes, sizes[1:]) for shape in (pair, (1, pair[1])))


@part("sgd")
def judge_step(student):
    student.call = call_of
    for sizes, rate in [((2, 2), 0.1), ((1, 1), 0.5), ((2, 3, 2), 0.3), ((3, 1, 2, 1), 0.7)]:
        case = (*network(student, *sizes), *network(student, *sizes), *network(student, *sizes), rate)
        right = step(*case)
        got = student.ask("step", *case, gives=tuple(array_of(*array.shape) for array in right))
        student.compare(got, right, WITHIN, 0, "weights and biases after a step, and after another one with new gradients", "step", case)


@part("adam")
def judge_adam(student):
    student.call = call_of
    cases = [(some(student, 3), some(student, 5, 3), 0.1), (values([1.0]), matrix([[2.0], [-4.0]]), 0.1)]
    cases += [(some(student, count), some(student, steps, count), 0.05) for steps, count in [(1, 1), (4, 2), (30, 2)]]
    cases += [(some(student, 2), Array((3, 2), [1e-7 * g for g in some(student, 3, 2).numbers]), 0.1),
              (values([1.0, 2.0]), matrix([[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]), 0.1)]
    for case in cases:
        student.expect("adam_step", *case, gives=adam(*case), within=1e-11, about="the weights after each step")


@part("epoch")
def judge_epoch(student):
    student.call = call_of
    same_as_before = []
    orders = set()
    for count, batch, sizes in [(4, 4, (2, 2)), (3, 1, (2, 2)), (4, 2, (2, 3, 2)), (4, 3, (2, 2)), *[(4, 1, (2, 2))] * 6]:
        arrays = network(student, *sizes, size=2)
        x = some(student, count, 2)
        labels = [student.random.randrange(2) for _ in range(count)]
        labels[:2] = [1, 0]
        layers = [(w.rows(), list(b.numbers)) for w, b in zip(arrays[1::2], arrays[2::2])]
        shapes = [array.shape for array in arrays[1:]]
        got = student.ask("epoch", *arrays, x, integers(labels), batch, 0.7, student.random.randrange(1 << 40),
                          gives=tuple(array_of(*shape) for shape in shapes) * 2, within=ORDER)
        chosen = []
        for half in (got[:len(shapes)], got[len(shapes):]):
            numbers = [one for array in half for one in array.numbers]
            for order in itertools.permutations(range(count)):
                after = epoch(layers, x.rows(), labels, batch, 0.7, order)
                if near(numbers, flat(after)):
                    chosen.append(order)
                    layers = after
                    break
            else:
                rows = x.rows()
                student.check(False, f"the network after an epoch of {count} points, {batch} at a time", "the result of one of the orders "
                              "that the points can have", "none of them gives these weights", slip(numbers, layers, rows, labels, batch))
        if count == 4 and batch == 1:
            same_as_before.append(chosen[0] == chosen[1])
            orders.update(chosen)
    student.check(len(orders) > 1, "the order of the points in twelve epochs", "many orders", "always one", "not-shuffled")
    student.check(not all(same_as_before), "the order of the points in two epochs, six times", "mostly two orders", "always the same twice",
                  "same-order-again")


def slip(numbers, layers, rows, labels, batch):
    """The mistake that explains an epoch."""
    every = list(itertools.permutations(range(len(rows))))

    def found(orders, **ways):
        return any(near(numbers, flat(epoch(layers, rows, labels, batch, 0.7, order, **ways))) for order in orders)
    if found(every, label_order=tuple(range(len(rows)))):
        return "labels-left"
    if batch > 1 and found(every, mean=False):
        return "sum-over-the-batch"
    if len(rows) % batch and found(every, rest=False):
        return "rest-left-out"
    if found(every, times=-1.0):
        return "away"
    if batch < len(rows) and near(numbers, flat(stepped(layers, rows, labels, 0.7))):
        return "one-step-only"
    return "with-replacement" if found(itertools.product(range(len(rows)), repeat=len(rows))) else ""


@part("tiny")
def judge_tiny(student):
    student.call = call_of
    share = student.ask("trained", 0.001, student.random.randrange(1 << 30), gives=REAL, again=False)
    student.report = [f"{100 * share:.1f} % of 10,000 other points on the wrong side, with a deviation of 0.001"]
    student.measured = abs(share - 0.5) if isfinite(share) else None
    student.check(abs(share - 0.5) <= 0.05, "the share of errors with tiny initial weights", "from 0.45 to 0.55", f"{share:.4f}")


@part("default")
def judge_default(student):
    student.call = call_of
    share = student.ask("trained", 0.0, student.random.randrange(1 << 30), gives=REAL, again=False)
    student.report = [f"{100 * share:.1f} % of 10,000 other points on the wrong side, with a variance of one over the inputs"]
    student.measured = share if isfinite(share) else None
    student.check(0 <= share <= 0.05, "the share of errors with the usual initial weights", "at most 0.05", f"{share:.4f}")
