"""The answers of slips, and their names: an engine in reverse mode, like the students', with one flaw at a time."""
from math import inf, log, nan

from recto.judge.judging import Misconception

from .engine import NUMBERS, SLOPES, Forward, exponential, power, quotient


class Backward(Forward):
    """The engine in reverse mode: a node passes its gradient on to its inputs. A word names its flaw."""

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
            if self.flaw == "used-up" and node.inputs:
                node.grad = 0.0

    def depth_first(self, node, seen=None):
        """Each node when it is met for the first time."""
        seen = [] if seen is None else seen
        if node not in seen:
            seen.append(node)
            for source in node.inputs:
                self.depth_first(source, seen)
        return seen

    def zero_grad(self, node):
        """Sets a gradient to 0."""
        if self.flaw != "keeps":
            node.grad = 0.0
        if self.flaw == "goes-down":
            for source in node.inputs:
                source.grad = 0.0


def flawed(flaw="", numbers=None, slopes=None):
    """The answer of a student with this flaw."""
    return lambda lines: Backward(flaw, numbers, slopes).run(lines)


def steep_tanh(a, b, n):
    """The quotient of exponentials, which overflow."""
    power_ = exponential(2 * a)
    return nan if power_ == inf else (power_ - 1) / (power_ + 1)


misconceptions = [
    Misconception("recursion", outcome="crashed", part="deep",
                  says="a recursion with one call for every operation of a chain overflows the stack. Keep a list of "
                       "waiting nodes, and take from it in a loop"),
    Misconception("every-path", outcome="out of time", part="deep",
                  says="y + y repeated 40 times has 2 to the 40 paths from the end to the start, but only 41 nodes. Each "
                       "node must pass its gradient on once, when its gradient is complete"),
    Misconception("dangling", outcome="crashed", matches="null pointer|given back|is gone|has returned|not its own",
                  says="the function that you keep for the backward pass runs long after the operation has returned. "
                       "References to the arguments are dangling by then: use y.inputs, or capture copies"),
    Misconception("no-seed", "run", flawed("no-seed"),
                  "all gradients are zero. The backward pass must begin with 1, the gradient of the result with respect to "
                  "itself"),
    Misconception("one-step", "run", flawed("one-step"),
                  "only the inputs of the last operation get a gradient. If operations computed them, they must pass their "
                  "gradients on: results first, their inputs later"),
    Misconception("leaf-result", "run", flawed("sets-result"),
                  "backward called on a leaf is a call like any other: it adds 1 to the leaf's gradient"),
    Misconception("forgets", "run", flawed("forgets"),
                  "the gradients of the leaves were reset before the second call. They accumulate from call to call, until "
                  "zero_grad is called"),
    Misconception("overwrites", "run", flawed("overwrites"),
                  "if a number is used twice, its gradient is the sum over both uses. Here the last use replaces the "
                  "others: add to the gradient instead of assigning it"),
    Misconception("local", "run", flawed("local"),
                  "each operation passes on its local derivative alone. The chain rule multiplies: local derivative times "
                  "the gradient of the operation's result"),
    Misconception("first-come", "run", flawed("first-come"),
                  "a node passes its gradient on too early: other results computed from it have not contributed yet. It "
                  "must wait until its gradient is complete, which the topological order guarantees"),
    Misconception("stale", "run", flawed("stale"),
                  "the second call of backward adds to the gradients that the first left in the intermediate results, and "
                  "passes them on again. Only leaves accumulate: set the gradients of results to 0 first"),
    Misconception("zero-grad-goes-down", "run", flawed("goes-down"),
                  "zero_grad resets this number alone. Its inputs keep their gradients"),
    Misconception("gradient-used-up", "run", flawed("used-up"),
                  "a result lost its gradient after passing it on. Results keep their gradients, and the number on which "
                  "backward was called has 1"),
    Misconception("keeps", "run", flawed("keeps"), "zero_grad was called, but the gradient is unchanged"),
    Misconception("sign-of-minus", "run", flawed(slopes={"-": lambda a, b, y, n: (1, 1)}),
                  "the second operand of a - b lowers the result: its derivative has the opposite sign"),
    Misconception("own-factor", "run", flawed(slopes={"*": lambda a, b, y, n: (a, b)}),
                  "in a product the derivative with respect to one factor is the other factor, not the factor itself"),
    Misconception("quotient-numerator", "run",
                  flawed(slopes={"/": lambda a, b, y, n: (quotient(1, b), quotient(-1, b * b))}),
                  "the derivative of a / b with respect to b lacks a: differentiate a times b to the power of -1"),
    Misconception("quotient-not-squared", "run", flawed(slopes={"/": lambda a, b, y, n: (quotient(1, b), quotient(-a, b))}),
                  "the derivative of a / b with respect to b has the squared divisor: differentiate b to the power of -1"),
    Misconception("quotient-sign", "run", flawed(slopes={"/": lambda a, b, y, n: (quotient(1, b), quotient(a, b * b))}),
                  "a larger divisor makes a / b smaller: check the sign of the derivative"),
    Misconception("power-not-lowered", "run", flawed(slopes={"pow": lambda a, b, y, n: (n * y,)}),
                  "the factor is right, but the remaining power must be lower by one"),
    Misconception("power-without-factor", "run", flawed(slopes={"pow": lambda a, b, y, n: (power(a, n - 1),)}),
                  "the power was lowered by one, but the factor, which is the exponent, is missing"),
    Misconception("exponent-as-variable", "run", flawed(slopes={"pow": lambda a, b, y, n: (log(a) * y,)}),
                  "this is the derivative with respect to the exponent, log(a) times the power. The exponent is a "
                  "constant: differentiate with respect to a"),
    Misconception("power-at-zero", "run",
                  flawed(slopes={"pow": lambda a, b, y, n: (nan if n == 0 == a else n * power(a, n - 1),)}),
                  "pow(a, 0) is 1 for every a, so its derivative is 0, at a = 0 too; the formula gives 0 times infinity at "
                  "a = 0"),
    Misconception("power-by-division", "run", flawed(slopes={"pow": lambda a, b, y, n: (quotient(n * y, a),)}),
                  "a power divided by its base is 0 / 0 at a = 0, but the derivative exists: compute the lower power "
                  "directly"),
    Misconception("exp-slope", "run", flawed(slopes={"exp": lambda a, b, y, n: (a,)}),
                  "the derivative of exp at a is exp(a), which is the result; this is a"),
    Misconception("tanh-slope", "run", flawed(slopes={"tanh": lambda a, b, y, n: (1 - a * a,)}),
                  "1 minus a square is right, but the square of what? Differentiate tanh, and compare with its result"),
    Misconception("tanh-not-squared", "run", flawed(slopes={"tanh": lambda a, b, y, n: (1 - y,)}),
                  "the derivative of tanh is 1 minus the square of its result; the square is missing"),
    Misconception("tanh-overflows", "run", flawed(numbers={"tanh": steep_tanh},
                                                  slopes={"tanh": lambda a, b, y, n: (1 - y * y,)}),
                  "exp of a large number is infinity, and infinity over infinity is NaN. tanh itself is at most 1: use "
                  "std::tanh"),
    Misconception("relu-at-zero", "run", flawed(slopes={"relu": lambda a, b, y, n: (1 if a >= 0 else 0,)}),
                  "relu has a kink at 0, where the derivative is a convention. The convention is 0"),
    Misconception("relu-lets-through", "run", flawed(slopes={"relu": lambda a, b, y, n: (1,)}),
                  "where relu gives 0, a small change of its input changes nothing: no gradient passes"),
    Misconception("relu-hides", "run", flawed(numbers={"relu": lambda a, b, n: a if a > 0 else 0.0}),
                  "this relu turns NaN into 0 and hides an earlier mistake. Every comparison with NaN is false: choose the "
                  "comparison that lets NaN through"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's Value is not allowed here: write it yourself"),
]
