"""What slips give, and what they are called: an engine that goes backward, as students do, each time with one flaw."""
from math import inf, log, nan

from recto.judge.judging import Misconception

from .engine import NUMBERS, SLOPES, Forward, exponential, power, quotient


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
        """Forgets a gradient."""
        if self.flaw != "keeps":
            node.grad = 0.0
        if self.flaw == "goes-down":
            for source in node.inputs:
                source.grad = 0.0


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
    Misconception("zero-grad-goes-down", "run", flawed("goes-down"),
                  "zero_grad is about this number alone. What it was computed from keeps its gradients"),
    Misconception("gradient-used-up", "run", flawed("used-up"),
                  "a result's gradient is gone after it was handed on. Results keep theirs, and the one that backward was "
                  "called on has 1"),
    Misconception("keeps", "run", flawed("keeps"), "zero_grad was called, and the gradient is still there"),
    Misconception("sign-of-minus", "run", flawed(slopes={"-": lambda a, b, y, n: (1, 1)}),
                  "the second operand of a - b pushes the result down: its slope is not that of the first"),
    Misconception("own-factor", "run", flawed(slopes={"*": lambda a, b, y, n: (a, b)}),
                  "in a product the slope for one factor is the other factor, not the factor itself"),
    Misconception("quotient-numerator", "run",
                  flawed(slopes={"/": lambda a, b, y, n: (quotient(1, b), quotient(-1, b * b))}),
                  "the slope of a / b for b forgets a: derive a times b to the minus first power"),
    Misconception("quotient-not-squared", "run", flawed(slopes={"/": lambda a, b, y, n: (quotient(1, b), quotient(-a, b))}),
                  "in the slope of a / b for b the divisor is squared: derive b to the minus first power"),
    Misconception("quotient-sign", "run", flawed(slopes={"/": lambda a, b, y, n: (quotient(1, b), quotient(a, b * b))}),
                  "a larger divisor makes a / b smaller: look at the sign of its slope"),
    Misconception("power-not-lowered", "run", flawed(slopes={"pow": lambda a, b, y, n: (n * y,)}),
                  "the exponent came down as a factor, but the power that is left must be lower by one"),
    Misconception("power-without-factor", "run", flawed(slopes={"pow": lambda a, b, y, n: (power(a, n - 1),)}),
                  "the power was lowered by one, but the exponent does not appear as a factor"),
    Misconception("exponent-as-variable", "run", flawed(slopes={"pow": lambda a, b, y, n: (log(a) * y,)}),
                  "this is the slope by the exponent, log(a) times the power. The exponent is a constant: derive by a"),
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
    Misconception("tanh-not-squared", "run", flawed(slopes={"tanh": lambda a, b, y, n: (1 - y,)}),
                  "the slope of tanh is 1 minus the square of its result; the square is missing"),
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
