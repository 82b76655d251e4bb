"""Gradient descent with lists of numbers. The judge computes the loss here, from the student's parameters."""
import random
from math import tanh

from recto.judge.judging import Misconception, array_of, matrix, part

LAYERS = [(3, 4), (4, 4), (4, 1)]
POINTS = matrix([[2.0, -1.0, 0.5], [-1.0, 1.5, 1.0], [0.5, 2.0, -1.0], [-1.5, -1.0, 1.0]])
TARGETS = [1.0, -1.0, 1.0, -1.0]


def starting(generator):
    """41 parameters of two decimals."""
    return [round(generator.uniform(-1, 1), 2) for _ in range(41)]


START = starting(random.Random(41))
RATE = 0.1


def forward(parameters, x):
    """The numbers between the layers."""
    between, at = [list(x)], 0
    for inputs, outputs in LAYERS:
        rows = [parameters[at + i * (inputs + 1):at + (i + 1) * (inputs + 1)] for i in range(outputs)]
        between.append([tanh(sum(w * value for w, value in zip(row, between[-1])) + row[-1]) for row in rows])
        at += outputs * (inputs + 1)
    return between


def slopes(parameters, x, above):
    """The gradients of all parameters, where `above` is the gradient of the output."""
    between, found, at = forward(parameters, x), [], len(parameters)
    above = [above]
    for (inputs, outputs), before, after in zip(LAYERS[::-1], between[-2::-1], between[:0:-1]):
        at -= outputs * (inputs + 1)
        rows = [parameters[at + i * (inputs + 1):at + (i + 1) * (inputs + 1)] for i in range(outputs)]
        inner = [gradient * (1 - y * y) for gradient, y in zip(above, after)]
        found = [number for slope in inner for number in [*(slope * value for value in before), slope]] + found
        above = [sum(slope * row[j] for slope, row in zip(inner, rows)) for j in range(inputs)]
    return found


def total(parameters, points, targets):
    """The loss."""
    return sum((forward(parameters, x)[-1][0] - target) ** 2 for x, target in zip(points.rows(), targets))


def gradient(parameters, points, targets, factor=2.0):
    """Of the loss."""
    whole = [0.0] * len(parameters)
    for x, target in zip(points.rows(), targets):
        error = forward(parameters, x)[-1][0] - target
        whole = [a + b for a, b in zip(whole, slopes(parameters, x, factor * error))]
    return whole


def descend(start, points, targets, rate, steps, flaw=""):
    """The parameters after these steps; with a flaw, the parameters of a student who makes this mistake."""
    parameters, kept, stale = list(start), [0.0] * len(start), None
    for step in range(steps + (flaw == "one-more") - (flaw == "one-less" and steps > 0)):
        fresh = gradient(parameters, points, targets)
        if flaw == "old-graph":
            stale = stale or fresh
            fresh = stale
        if flaw == "one-sample":
            row, target = points.rows()[-1], targets[-1]
            fresh = gradient(parameters, matrix([row]), [target])
        kept = [a + b for a, b in zip(kept, fresh)] if flaw == "no-zero" else fresh
        if flaw == "sample-by-sample":
            for row, target in zip(points.rows(), targets):
                part_ = gradient(parameters, matrix([row]), [target])
                parameters = [w - rate * g for w, g in zip(parameters, part_)]
        elif flaw != "zero-late":
            length = rate / (step + 1) if flaw == "rate-decays" else rate
            parameters = [w - length * g for w, g in zip(parameters, kept)]
    return parameters


def flawed(flaw):
    """The answer of a student with this flaw."""
    return lambda *arguments: descend(*arguments, flaw)


def squares(outputs, targets, change=lambda total_, count: total_):
    """The loss and its gradients with respect to the outputs."""
    errors = [y - t for y, t in zip(outputs, targets)]
    return change(sum(e * e for e in errors), len(errors)), [change(2 * e, len(errors)) for e in errors]


misconceptions = [
    Misconception("no-activation", "activate", lambda s: (s, 1.0),
                  "activate returned the sum unchanged. Linear layers without an activation between them are together one "
                  "linear layer"),
    Misconception("other-activation", "activate", lambda s: (max(s, 0.0), float(s > 0)),
                  "this is relu. Here the neurons have tanh, whose outputs go from -1 to 1 like the targets"),
    Misconception("mean-not-sum", "loss", lambda y, t: squares(y, t, lambda number, count: number / count),
                  "this is the mean of the squares. The course takes their sum here, which makes a step longer by the "
                  "number of samples"),
    Misconception("no-square", "loss", lambda y, t: (sum(a - b for a, b in zip(y, t)), [1.0] * len(y)),
                  "errors of different signs cancel, and the loss has no minimum. Square each error first"),
    Misconception("half", "loss", lambda y, t: squares(y, t, lambda number, count: number / 2),
                  "this is half of the sum of the squares; the loss of this exercise has no factor 1/2"),
    Misconception("last-sample-alone", "loss",
                  lambda y, t: ((y[-1] - t[-1]) ** 2, [0.0] * (len(y) - 1) + [2 * (y[-1] - t[-1])]),
                  "this is the loss of the last sample: add up the losses of all samples"),
    Misconception("absolute-errors", "loss",
                  lambda y, t: (sum(abs(a - b) for a, b in zip(y, t)), [float((a > b) - (a < b)) for a, b in zip(y, t)]),
                  "these are the absolute errors. Here each error is squared, so that its gradient shrinks with the error"),
    Misconception("gradients-kept", "zero_grad", lambda p, g: list(g),
                  "every gradient is unchanged. zero_grad() of a parameter resets its gradient; set(0) changes its number"),
    Misconception("one-left", "zero_grad", lambda p, g: [g[0]] + [0.0] * (len(g) - 1),
                  "the first parameter was left out"),
    Misconception("uphill", "update", lambda p, g, rate: [a + rate * b for a, b in zip(p, g)],
                  "this step goes along the gradient, where the loss grows. It must go against the gradient"),
    Misconception("update-lost", "update", lambda p, g, rate: list(p),
                  "no parameter has moved. An assignment to a Value makes the variable refer to another number; set "
                  "changes the parameter itself"),
    Misconception("divided-by-the-parameters", "update",
                  lambda p, g, rate: [a - rate * b / len(p) for a, b in zip(p, g)],
                  "the step was divided by the number of parameters. Each parameter moves by rate times its own gradient"),
    Misconception("rate-squared", "update", lambda p, g, rate: [a - rate * rate * b for a, b in zip(p, g)],
                  "the step was multiplied by the rate twice"),
    Misconception("no-rate", "update", lambda p, g, rate: [a - b for a, b in zip(p, g)],
                  "the step has the whole length of the gradient; the rate is missing"),
    Misconception("rate-decays", "fit", flawed("rate-decays"),
                  "the rate became smaller from step to step. Here it stays constant"),
    Misconception("no-zero", "fit", flawed("no-zero"),
                  "every step also uses the gradients of all earlier steps: gradients add up until zero_grad resets them"),
    Misconception("zero-late", "fit", flawed("zero-late"),
                  "the parameters have not moved. If zero_grad comes between backward and update, the update sees only "
                  "zeros"),
    Misconception("old-graph", "fit", flawed("old-graph"),
                  "the gradients stay those of the first step. A Value keeps the number that it was computed with: "
                  "recompute the outputs and the loss after every update"),
    Misconception("sample-by-sample", "fit", flawed("sample-by-sample"),
                  "the parameters move after every point. One step computes the loss of all points together and moves once"),
    Misconception("one-sample", "fit", flawed("one-sample"),
                  "only the last point has moved the parameters: the loss is the sum over all points"),
    Misconception("one-less", "fit", flawed("one-less"), "one step is missing: count the iterations of the loop"),
    Misconception("one-more", "fit", flawed("one-more"), "this is one step too many: count the iterations of the loop"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's optimisers are not allowed here: write gradient descent yourself"),
]


def some(student, count):
    """Random numbers of two decimals, none of them zero."""
    return [round(student.random.uniform(0.1, 2) * student.random.choice([-1, 1]), 2) for _ in range(count)]


@part("pieces")
def pieces(student):
    for x in [-0.5, 0.5, 0.0, 2.0, -3.0]:
        student.expect("activate", x, gives=(tanh(x), 1 - tanh(x) ** 2), within=1e-12,
                       about="the activation of a sum, and its derivative")
    student.expect("loss", [0.5, -0.25, 1.0], [1.0, -1.0, 1.0], gives=(0.8125, [-1.0, 1.5, 0.0]), within=1e-12,
                   about="the loss (value 1) and its gradients with respect to the outputs (value 2)")
    for count in [1, 2, 5]:
        y, t = some(student, count), [student.random.choice([-1.0, 1.0]) for _ in range(count)]
        student.expect("loss", y, t, gives=squares(y, t), within=1e-12,
                       about="the loss (value 1) and its gradients with respect to the outputs (value 2)")
    for count in [3, 1, 41]:
        student.expect("zero_grad", some(student, count), some(student, count), gives=[0.0] * count,
                       about="the gradients after zero_grad, for parameters (first list) that had these gradients (second "
                             "list)")
    student.expect("update", [0.4], [-2.0], 0.1, gives=[0.4 + 0.1 * 2], within=1e-12,
                   about="the parameter after update; it was 0.4, and its gradient is -2")
    for count in [1, 3, 41]:
        p, g, rate = some(student, count), some(student, count), student.random.choice([0.1, 0.5, 0.05])
        student.expect("update", p, g, rate, gives=[a - rate * b for a, b in zip(p, g)], within=1e-12,
                       about="the parameters after update; the first list holds the parameters before it, the second their "
                             "gradients")


@part("steps")
def steps(student):
    # Rounding differs with the order of sums and grows from step to step, but stays far below this.
    for count in [0, 1, 2, 3, 5, 10, 25]:
        student.expect("fit", START, POINTS, TARGETS, RATE, count, gives=descend(START, POINTS, TARGETS, RATE, count),
                       within=1e-8,
                       about=f"the parameters after {count} steps")
    for samples in [1, 2, 6]:
        points = matrix([some(student, 3) for _ in range(samples)])
        targets = [student.random.choice([-1.0, 1.0]) for _ in range(samples)]
        start, rate, count = starting(student.random), student.random.choice([0.01, 0.05]), student.random.randint(2, 6)
        student.expect("fit", start, points, targets, rate, count, gives=descend(start, points, targets, rate, count),
                       within=1e-8,
                       about=f"the parameters after {count} steps with {samples} points")


@part("fitted")
def fitted(student):
    end = student.ask("fit", START, POINTS, TARGETS, RATE, 150, gives=array_of(41), within=1e-6)     # 150 steps in which sums round
    left = total(end.numbers, POINTS, TARGETS)
    student.check(left < 0.01, "the loss that the judge computes with the parameters after 150 steps", "less than 0.01",
                                                                                                       f"{left:.4g}")
