"""Gradients the forward way: the tangent of every number in turn, pushed through the lines from the first to the last.

A student's program runs lines such as "c = a * b" and "c.backward()", and answers with the number and the
gradient of every name. The misconceptions are run by an engine that goes backward, each with one flaw.
"""
import re
from math import cosh, exp, inf, isfinite, isnan, nan, tanh

from judge.judging import Misconception, Wrong, part

NAMES = "abcdefghijklmnopqrstuvwxyz"
TOLERANCE = 1e-9    # the numbers are below 1000 and few: rounding stays far below this, whatever the order of a sum


def power(base, exponent):
    """The power as C has it: no exception."""
    try:
        return base ** exponent
    except ZeroDivisionError:
        return inf


def quotient(a, b):
    """The quotient as C has it."""
    if b == 0:
        return nan if a == 0 or isnan(a) else inf if a > 0 else -inf
    return a / b


def exponential(x):
    """e to the x, infinity where it is too large."""
    return exp(x) if x < 709 else inf


NUMBERS = {
    "leaf": lambda a, b, n: n,
    "neg": lambda a, b, n: -a,
    "+": lambda a, b, n: a + b,
    "-": lambda a, b, n: a - b,
    "*": lambda a, b, n: a * b,
    "/": lambda a, b, n: quotient(a, b),
    "pow": lambda a, b, n: power(a, n),
    "exp": lambda a, b, n: exponential(a),
    "tanh": lambda a, b, n: tanh(a),
    "relu": lambda a, b, n: 0.0 if a < 0 else a,
}
# The slopes: by the first operand, by the second.
SLOPES = {
    "neg": lambda a, b, y, n: (-1,),
    "+": lambda a, b, y, n: (1, 1),
    "-": lambda a, b, y, n: (1, -1),
    "*": lambda a, b, y, n: (b, a),
    "/": lambda a, b, y, n: (quotient(1, b), quotient(-a, b * b)),
    "pow": lambda a, b, y, n: (n * power(a, n - 1) if n else 0,),
    "exp": lambda a, b, y, n: (exponential(a),),
    "tanh": lambda a, b, y, n: (1 / cosh(a) ** 2 if abs(a) < 300 else 0,),
    "relu": lambda a, b, y, n: (1 if a > 0 else 0,),
}


class Node:
    """One number."""

    def __init__(self, operation, inputs, data, exponent):
        self.operation, self.inputs, self.data, self.exponent = operation, inputs, data, exponent
        self.grad = 0.0

    def operands(self):
        """The numbers of the inputs, None where there is none."""
        return [node.data for node in self.inputs] + [None] * (2 - len(self.inputs))


class Forward:
    """Runs lines. Its gradients are tangents."""
    numbers, slopes = NUMBERS, SLOPES

    def __init__(self):
        self.names, self.nodes = {}, []

    def node(self, operation, inputs=(), exponent=0.0):
        """A new number."""
        data = [node.data for node in inputs] + [None] * (2 - len(inputs))
        self.nodes.append(Node(operation, list(inputs), self.numbers[operation](*data, exponent), exponent))
        return self.nodes[-1]

    def operand(self, text):
        """A name, or a constant."""
        return self.names[text] if text in self.names else self.node("leaf", exponent=float(text))

    def compute(self, text):
        """The right side of a line."""
        call = re.fullmatch(r"(\w+)\((.+?)(?:, (.+))?\)", text)
        two = re.fullmatch(r"(\S+) ([-+*/]) (\S+)", text)
        minus = re.fullmatch(r"-([a-z])", text)
        if call:
            return self.node(call[1], [self.operand(call[2])], float(call[3] or 0))
        if two:
            return self.node(two[2], [self.operand(two[1]), self.operand(two[3])])
        return self.node("neg", [self.operand(minus[1])]) if minus else self.operand(text)

    def reached(self, result):
        """Everything that a number was computed from, and itself, in the order of the lines."""
        found, open_ = {result}, [result]
        while open_:
            fresh = [node for node in open_.pop().inputs if node not in found]
            found.update(fresh)
            open_ += fresh
        return [node for node in self.nodes if node in found]

    def backward(self, result):
        """The tangent of the result for each number in turn."""
        order = self.reached(result)
        for wanted in order:
            tangent = {wanted: 1.0}
            for node in order:
                if node is not wanted:
                    slopes = self.slopes[node.operation](*node.operands(), node.data,
                                                         node.exponent) if node.inputs else ()
                    # 0 times infinity: what does not depend on it has no part in it
                    tangent[node] = sum(slope * tangent[source] for slope, source in zip(slopes, node.inputs)
                                        if tangent[source] != 0)
            wanted.grad = tangent[result] + (0 if wanted.inputs else wanted.grad)

    def zero_grad(self, node):
        """Forgets a gradient."""
        node.grad = 0.0

    def run(self, lines):
        """The numbers and the gradients of all names."""
        for line in lines:
            if " = " in line:
                name, text = line.split(" = ")
                self.names[name] = self.compute(text)
            elif line.endswith(".backward()"):
                self.backward(self.names[line.split(".")[0]])
            else:
                self.zero_grad(self.names[line.split(".")[0]])
        nodes = self.names.values()
        return [node.data for node in nodes], [node.grad for node in nodes]


class Backward(Forward):
    """The same the other way round: a node hands its gradient on to its inputs. What is wrong with it is a word."""

    def __init__(self, flaw="", numbers=None, slopes=None):
        super().__init__()
        self.flaw = flaw
        self.numbers, self.slopes = {**NUMBERS, **(numbers or {})}, {**SLOPES, **(slopes or {})}

    def hand_on(self, node):
        """Adds to the gradients of the inputs."""
        if not node.inputs:
            return
        slopes = self.slopes[node.operation](*node.operands(), node.data, node.exponent)
        for source, slope in zip(node.inputs, slopes):
            gives = slope if self.flaw == "local" else slope * node.grad
            source.grad = gives if self.flaw == "overwrites" else source.grad + gives

    def backward(self, result):
        """From the result to the leaves."""
        order = self.reached(result)[::-1]
        for node in order:
            if self.flaw == "forgets" or (node.inputs and self.flaw != "stale"):
                node.grad = 0.0
        if self.flaw == "sets-result":
            result.grad = 1.0
        elif self.flaw == "stale":
            result.grad = 1.0 if result.inputs else result.grad + 1
        elif self.flaw != "no-seed":
            result.grad += 1
        if self.flaw == "first-come":
            order = self.depth_first(result)
        for node in order:
            if self.flaw != "one-step" or node is result:
                self.hand_on(node)

    def depth_first(self, node, seen=None):
        """Each node when it is met for the first time."""
        seen = [] if seen is None else seen
        if node not in seen:
            seen.append(node)
            for source in node.inputs:
                self.depth_first(source, seen)
        return seen

    def zero_grad(self, node):
        """Forgets a gradient."""
        if self.flaw != "keeps":
            node.grad = 0.0


def flawed(flaw="", numbers=None, slopes=None):
    """What somebody with this flaw answers."""
    return lambda lines: Backward(flaw, numbers, slopes).run(lines)


def steep_tanh(a, b, n):
    """The quotient of exponentials, which overflow."""
    power_ = exponential(2 * a)
    return nan if power_ == inf else (power_ - 1) / (power_ + 1)


misconceptions = [
    Misconception("recursion", outcome="crashed", part="deep",
                  says="a function that calls itself once for every operation of a chain fills the stack. Keep a list "
                       "of your own of the nodes that wait, and take from it in a loop"),
    Misconception("every-path", outcome="out of time", part="deep",
                  says="y + y repeated 40 times has 2 to the 40 paths from the end to the start, but only 41 nodes. "
                       "Let each node hand its gradient on once, when its gradient is complete"),
    Misconception("dangling", outcome="crashed", matches="null pointer|given back|is gone|has returned|not its own",
                  says="the function that you keep for the backward pass runs long after the operation has returned. "
                       "If it holds references to the arguments, these are gone: go through y.inputs, or capture "
                       "copies"),
    Misconception("no-seed", "run", flawed("no-seed"),
                  "all gradients are zero. Somebody must begin: the gradient of the result with respect to itself is "
                  "1"),
    Misconception("one-step", "run", flawed("one-step"),
                  "only the inputs of the last operation get a gradient. They were computed from something as well, "
                  "and must hand on what they got: results first, their inputs later"),
    Misconception("leaf-result", "run", flawed("sets-result"),
                  "backward called on a leaf is a call like any other: it adds 1 to the leaf's gradient"),
    Misconception("forgets", "run", flawed("forgets"),
                  "the gradients of the leaves were cleared before the second call. Leaves add up from call to call, "
                  "until somebody calls zero_grad"),
    Misconception("overwrites", "run", flawed("overwrites"),
                  "where a number is used twice, its gradient is the sum over both uses. Here the last use replaces "
                  "the others: add to the gradient instead of setting it"),
    Misconception("local", "run", flawed("local"),
                  "each operation hands on its own slope alone. The chain rule multiplies: slope times the gradient of "
                  "the operation's result"),
    Misconception("first-come", "run", flawed("first-come"),
                  "a node hands its gradient on as soon as it is met, though other results computed from it have not "
                  "given theirs yet. It must wait until its gradient is complete: that is what the topological order "
                  "is for"),
    Misconception("stale", "run", flawed("stale"),
                  "the second call of backward adds to what the first has left in the results between, and hands that "
                  "on once more. Only leaves add up: clear the gradients of results before you begin"),
    Misconception("keeps", "run", flawed("keeps"), "zero_grad was called, and the gradient is still there"),
    Misconception("sign-of-minus", "run", flawed(slopes={"-": lambda a, b, y, n: (1, 1)}),
                  "the second operand of a - b pushes the result down: its slope is not that of the first"),
    Misconception("own-factor", "run", flawed(slopes={"*": lambda a, b, y, n: (a, b)}),
                  "in a product the slope for one factor is the other factor, not the factor itself"),
    Misconception("quotient-numerator", "run",
                  flawed(slopes={"/": lambda a, b, y, n: (quotient(1, b), quotient(-1, b * b))}),
                  "the slope of a / b for b forgets a: derive a times b to the minus first power"),
    Misconception("quotient-sign", "run", flawed(slopes={"/": lambda a, b, y, n: (quotient(1, b), quotient(a, b * b))}),
                  "a larger divisor makes a / b smaller: look at the sign of its slope"),
    Misconception("power-not-lowered", "run", flawed(slopes={"pow": lambda a, b, y, n: (n * y,)}),
                  "the exponent came down as a factor, but the power that is left must be lower by one"),
    Misconception("power-without-factor", "run", flawed(slopes={"pow": lambda a, b, y, n: (power(a, n - 1),)}),
                  "the power was lowered by one, but the exponent does not appear as a factor"),
    Misconception("power-at-zero", "run",
                  flawed(slopes={"pow": lambda a, b, y, n: (nan if n == 0 == a else n * power(a, n - 1),)}),
                  "pow(a, 0) is 1 for every a, so its slope is 0, at a = 0 too; the formula says 0 times infinity "
                  "there"),
    Misconception("power-by-division", "run", flawed(slopes={"pow": lambda a, b, y, n: (quotient(n * y, a),)}),
                  "a power divided by its base is 0 / 0 at a = 0, where the slope is a number all the same: take the "
                  "lower power itself"),
    Misconception("exp-slope", "run", flawed(slopes={"exp": lambda a, b, y, n: (a,)}),
                  "the slope of exp at a is exp(a), which is the result; this is a"),
    Misconception("tanh-slope", "run", flawed(slopes={"tanh": lambda a, b, y, n: (1 - a * a,)}),
                  "1 minus a square is right, but the square of what? Derive tanh, and compare with its result"),
    Misconception("tanh-overflows", "run", flawed(numbers={"tanh": steep_tanh},
                                                  slopes={"tanh": lambda a, b, y, n: (1 - y * y,)}),
                  "exp of a large number is infinity, and infinity over infinity is no number. tanh itself is at most "
                  "1: the standard library has it"),
    Misconception("relu-at-zero", "run", flawed(slopes={"relu": lambda a, b, y, n: (1 if a >= 0 else 0,)}),
                  "relu has a kink at 0, where either slope could be chosen. Everybody chooses 0"),
    Misconception("relu-lets-through", "run", flawed(slopes={"relu": lambda a, b, y, n: (1,)}),
                  "where relu gives 0, a small change of its input changes nothing: no gradient gets through there"),
    Misconception("relu-hides", "run", flawed(numbers={"relu": lambda a, b, n: a if a > 0 else 0.0}),
                  "relu turns what is no number into 0, and nobody finds out that something went wrong before. Every "
                  "comparison with NaN is false: choose the one that lets it through"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's own Value is what you are asked to write"),
]


def agree(student, lines, about, gradients=None, within=TOLERANCE):
    """Runs the lines at both sides. `gradients` stands for those of the leaves, if it is given."""
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
        agree(student, ending([f"a = {a}", "b = tanh(a)"]), "the gradient of tanh far out")
    agree(student, ["a = 1", "b = 0", "c = a / b", "c.backward()"],
          "the gradients at a division by zero: infinite, no exception")


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
    """The right side of a random line; late names are likelier, so that most of them lead to the end."""
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
              "the gradient where both operands are the same number")
    for last in ["d = b * c", "d = c * b", "d = c - b", "d = b / c"]:
        agree(student, ["a = 0.5", "b = exp(a)", "c = tanh(b)", last, "d.backward()"],
              "the gradients where a result is used early and late")
    agree(student, ["a = 0.5", "b = a * a", "c = exp(b)", "d = relu(c)", "e = b + d", "f = e * b", "f.backward()"],
          "the gradients where a result is used three times")
    agree(student, [*leaves, "c = a + b", "d = c + c", "e = d + d", "f = e * e", "f.backward()"],
          "the gradients of doublings")
    agree(student, [*leaves, "c = a * b", "d = a + b", "e = a - b", "c.backward()"],
          "the gradients of c alone: d and e have no part in it")
    agree(student, ["a = -1", "b = relu(a)", "c = a * b", "d = c + a", "d.backward()"],
          "the gradients past a closed relu")
    for _ in range(12):
        agree(student, grow(student, 2, student.random.randint(3, 6)), "the gradients of a random graph")


@part("again")
def again(student):
    leaves = ["a = 2", "b = -3"]
    agree(student, [*leaves, "c = a * b", "c.backward()", "c.backward()"], "leaves add up: backward was called twice")
    deep = [*leaves, "c = a * b", "d = c + a", "e = tanh(d)"]
    agree(student, [*deep, "e.backward()", "e.backward()", "e.backward()"],
          "leaves add up, results do not: backward three times")
    agree(student, [*deep, "e.backward()", "d.backward()"], "first e.backward(), then d.backward()")
    agree(student, [*deep, "d.backward()", "e.backward()"], "first d.backward(), then e.backward()")
    agree(student, [*deep, "e.backward()", "a.zero_grad()", "e.backward()"], "a forgets its gradient, b does not")
    agree(student, [*leaves, "c = a * b", "c.backward()", "a.zero_grad()"], "a has forgotten its gradient")
    agree(student,
          [*leaves, "c = a * b", "c.backward()", "a.zero_grad()", "b.zero_grad()", "d = a + b", "d.backward()"],
          "a new expression of the same leaves, after zero_grad")
    agree(student, [*leaves, "c = a * b", "c.backward()", "d = a / b", "d.backward()"],
          "a second expression of the same leaves adds to their gradients, and c keeps its own")
    agree(student, ["a = 2", "a.backward()"], "a leaf, asked itself: its gradient is 1")
    agree(student, ["a = 2", "a.backward()", "a.backward()"], "a leaf, asked itself twice")
    agree(student, ["a = 2", "a.backward()", "b = a * 5", "b.backward()", "a.backward()"],
          "a leaf adds up: 1, then 5, then 1")
    agree(student, ["a = 2", "b = a", "c = b * a", "c.backward()", "b.zero_grad()"], "b is only another name for a")
    agree(student, ["a = 2", "b = a * 3", "b = b * a", "b = b - a", "b.backward()"], "a name that is used anew")
    for _ in range(4):
        lines = grow(student, 3, 4)
        agree(student, [*lines, lines[-1]], "a random graph, backward twice")


def central(lines, leaves):
    """Central differences of the last number, of two widths: their errors of second order cancel."""
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
        # the differences are good to about 1e-8 of gradients below 300 with such curved expressions
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
