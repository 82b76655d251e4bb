"""A student's program runs lines such as "c = a * b" and "c.backward()", and answers with the number and the
gradient of every name. The right answers come from an engine in forward mode (engine.py),
the answers of slips from an engine in reverse mode (slips.py).
"""
import re
from math import isfinite

from recto.judge.judging import Wrong, part

from .engine import Forward
from .slips import misconceptions  # noqa: F401

NAMES = "abcdefghijklmnopqrstuvwxyz"
TOLERANCE = 1e-9    # the numbers are few and below 1000: rounding stays far below this, for every order of a sum


def agree(student, lines, about, gradients=None, within=TOLERANCE):
    """Runs the lines on both sides. `gradients`, if given, replaces the gradients of the leaves."""
    engine = Forward()
    data, grads = engine.run(lines)
    if gradients:
        grads[:len(gradients)] = gradients
    try:
        student.expect("run", lines, gives=(data, grads), within=within, relative=within, about=about)
    except Wrong as wrong:
        at = re.fullmatch(r"value ([12]) of 2, element (\d+)", wrong.message.where)
        if at:
            name = list(engine.names)[int(at[2])]
            wrong.message.where = f"the {'number' if at[1] == '1' else 'gradient'} of {name}"
        raise


def ending(lines):
    """The lines, and a call of backward on the last name."""
    return [*lines, f"{lines[-1].split(' = ')[0]}.backward()"]


def short(student, low=-3.0, high=3.0):
    """A random number of two decimals that is not too near to zero."""
    while abs(number := round(student.random.uniform(low, high), 2)) < 0.2:
        pass
    return number


@part("forward")
def forward(student):
    sides = [["c = a + b"], ["c = a - b"], ["c = a * b"], ["c = a / b"], ["c = -a"], ["c = exp(a)"], ["c = tanh(a)"],
             ["c = relu(a)"],
             ["c = a * 3"], ["c = 1 - b"], ["c = a + b", "d = c / 2", "c = d * d"]]
    agree(student, ["a = 2", "b = -3", "c = a + b"], "the sum of two numbers")
    for side in sides:
        for _ in range(3):
            agree(student, [f"a = {short(student)}", f"b = {short(student)}", *side], "what the lines compute")
    for base, exponent in [(3, 2), (-2, 3), (2, -1), (-4, -2), (2.25, 0.5), (0, 2), (1.5, 0), (0, 0), (0.7, 1)]:
        agree(student, [f"a = {base}", f"b = pow(a, {exponent})"], "a power")
    for a in [500, -500, 0, 1e-9]:
        agree(student, [f"a = {a}", "b = tanh(a)"], "tanh of any number")
    for a in ["0", "-0.5", "inf", "-inf", "nan"]:
        agree(student, [f"a = {a}", "b = relu(a)"], "relu of any number")
    for a in [1, -1, 0]:
        agree(student, [f"a = {a}", "b = 0", "c = a / b"], "a division by zero gives infinity or NaN, as doubles do")


@part("slopes")
def slopes(student):
    agree(student, ["a = 2", "b = -a", "b.backward()"], "the gradient of a single operation")
    for side in ["a + b", "a - b", "a * b", "a / b", "-a", "exp(a)", "tanh(a)", "a * 3", "2 - a", "1 / b"]:
        for _ in range(3):
            agree(student, ending([f"a = {short(student)}", f"b = {short(student)}", f"c = {side}"]),
                  "the gradient of a single operation")
    for base, exponent in [(3, 2), (-2, 3), (2, -1), (-4, -2), (2.25, 0.5), (0, 2), (0.7, 1), (0, 1), (1.5, 0), (0, 0)]:
        agree(student, ending([f"a = {base}", f"b = pow(a, {exponent})"]), "the gradient of a power")
    for a in [2.5, 0.1, -0.1, -3, 0]:
        agree(student, ending([f"a = {a}", "b = relu(a)"]), "the gradient of relu")
    for a in [500, -500, 0]:
        agree(student, ending([f"a = {a}", "b = tanh(a)"]), "the gradient of tanh at large numbers")
    agree(student, ["a = 1", "b = 0", "c = a / b", "c.backward()"],
          "the gradients at a division by zero: infinite, without an exception")


def grow(student, leaves, operations):
    """Random lines that stay away from kinks, poles and large numbers."""
    while True:
        lines = [f"{NAMES[i]} = {short(student)}" for i in range(leaves)]
        engine = Forward()
        engine.run(lines)
        for name in NAMES[leaves:leaves + operations]:
            for _ in range(20):
                line = f"{name} = {side(student, [n for n in NAMES[:26] if n < name])}"
                trial = Forward()
                trial.run([*lines, line])
                new = trial.names[name]
                first = new.inputs[0].data
                tame = 0.05 < abs(new.data) < 20 or (new.operation == "relu" and first < 0)
                kink = new.operation == "relu" and abs(first) < 0.1
                pole = {"/": abs(new.inputs[-1].data) < 0.3, "pow": abs(first) < 0.3}.get(new.operation, False)
                if tame and not kink and not pole and not (new.operation == "exp" and first > 2.5):
                    lines.append(line)
                    break
        done = ending(lines)
        engine = Forward()
        _, grads = engine.run(done)
        used = sum(grad != 0 for grad in grads[:leaves])
        tame = all(isfinite(grad) and abs(grad) < 300 for grad in grads)
        if len(lines) == leaves + operations and used >= 2 and tame:
            return done


def side(student, names):
    """The right side of a random line; late names are likelier, so that most names contribute to the result."""
    def pick():
        return names[-1 - min(int(student.random.expovariate(0.6)), len(names) - 1)]
    kind = student.random.choice(["+", "-", "*", "/", "pow", "exp", "tanh", "relu", "neg", "+", "*", "*"])
    if kind == "pow":
        return f"pow({pick()}, {student.random.choice([2, 3, -1])})"
    if kind in ("exp", "tanh", "relu"):
        return f"{kind}({pick()})"
    if kind == "neg":
        return f"-{pick()}"
    return f"{pick()} {kind} {pick() if student.random.random() < 0.85 else short(student)}"


@part("graph")
def graph(student):
    leaves = ["a = 2", "b = -3"]
    agree(student, [*leaves, "c = a * b", "d = c + a", "e = d * d", "e.backward()"], "the gradients of the example")
    for operator in "+-*/":
        agree(student, ["a = 3", f"b = a {operator} a", "b.backward()"],
              "the gradient when both operands are the same number")
    for last in ["d = b * c", "d = c * b", "d = c - b", "d = b / c"]:
        agree(student, ["a = 0.5", "b = exp(a)", "c = tanh(b)", last, "d.backward()"],
              "the gradients when a result is used early and late")
    agree(student, ["a = 0.5", "b = a * a", "c = exp(b)", "d = relu(c)", "e = b + d", "f = e * b", "f.backward()"],
          "the gradients when a result is used three times")
    agree(student, [*leaves, "c = a + b", "d = c + c", "e = d + d", "f = e * e", "f.backward()"],
          "the gradients of doublings")
    agree(student, [*leaves, "c = a * b", "d = a + b", "e = a - b", "c.backward()"],
          "the gradients of c alone: d and e are not part of its graph")
    agree(student, ["a = -1", "b = relu(a)", "c = a * b", "d = c + a", "d.backward()"],
          "the gradients behind a relu that gives 0")
    for _ in range(12):
        agree(student, grow(student, 2, student.random.randint(3, 6)), "the gradients of a random graph")


@part("again")
def again(student):
    leaves = ["a = 2", "b = -3"]
    agree(student, [*leaves, "c = a * b", "c.backward()", "c.backward()"], "gradients of leaves add up: backward was "
                                                                           "called twice")
    deep = [*leaves, "c = a * b", "d = c + a", "e = tanh(d)"]
    agree(student, [*deep, "e.backward()", "e.backward()", "e.backward()"],
          "gradients of leaves add up, those of results do not: backward three times")
    agree(student, [*deep, "e.backward()", "d.backward()"], "first e.backward(), then d.backward()")
    agree(student, [*deep, "d.backward()", "e.backward()"], "first d.backward(), then e.backward()")
    agree(student, [*deep, "e.backward()", "a.zero_grad()", "e.backward()"], "zero_grad resets the gradient of a, not of b")
    agree(student, [*leaves, "c = a * b", "c.backward()", "a.zero_grad()"], "the gradient of a was reset")
    agree(student, [*leaves, "c = a * b", "c.backward()", "c.zero_grad()"], "the gradient of c was reset, those of a and b "
                                                                            "were not")
    agree(student,
          [*leaves, "c = a * b", "c.backward()", "a.zero_grad()", "b.zero_grad()", "d = a + b", "d.backward()"],
          "a new expression of the same leaves, after zero_grad")
    agree(student, [*leaves, "c = a * b", "c.backward()", "d = a / b", "d.backward()"],
          "a second expression of the same leaves adds to their gradients, and c keeps its own")
    agree(student, ["a = 2", "a.backward()"], "backward on a leaf: its gradient is 1")
    agree(student, ["a = 2", "a.backward()", "a.backward()"], "backward on a leaf, twice")
    agree(student, ["a = 2", "a.backward()", "b = a * 5", "b.backward()", "a.backward()"],
          "a leaf adds up: 1, then 5, then 1")
    agree(student, ["a = 2", "b = a", "c = b * a", "c.backward()", "b.zero_grad()"], "b is only another name for a")
    agree(student, ["a = 2", "b = a * 3", "b = b * a", "b = b - a", "b.backward()"], "a name that is assigned again")
    for _ in range(4):
        lines = grow(student, 3, 4)
        agree(student, [*lines, lines[-1]], "a random graph, backward twice")


def central(lines, leaves):
    """Central differences of the last number with two widths, whose second-order errors cancel."""
    def at(index, change):
        moved = list(lines[:-1])
        name, number = moved[index].split(" = ")
        moved[index] = f"{name} = {float(number) + change!r}"
        return Forward().run(moved)[0][-1]

    def slope(index, width):
        return (at(index, width) - at(index, -width)) / (2 * width)
    return [(4 * slope(index, 5e-4) - slope(index, 1e-3)) / 3 for index in range(leaves)]


@part("checks")
def checks(student):
    for number in range(32):
        leaves = 2 + number % 3
        lines = grow(student, leaves, 5)
        # the differences are accurate to about 1e-8 for gradients below 300 of such curved expressions
        agree(student, lines, f"check {number + 1} of 32: the gradients of the leaves against central differences",
              central(lines, leaves), 1e-5)


@part("deep")
def deep(student):
    student.expect("chain", 1.0, 0.5, 10, gives=(6.0, 1.0), within=1e-9,
                   about="y = start, then 10 times y = y + 0.5: y and dy/dstart")
    student.expect("doublings", 1.5, 3, gives=(12.0, 8.0), within=1e-9,
                   about="y = start, then 3 times y = y + y: y and dy/dstart")
    student.expect("doublings", 1.0, 40, gives=(2.0 ** 40, 2.0 ** 40),
                   about="y = start, then 40 times y = y + y: y and dy/dstart")
    student.expect("chain", 1.0, 0.25, 10_000, gives=(2501.0, 1.0), within=1e-9,
                   about="y = start, then 10 000 times y = y + 0.25: y and dy/dstart")
