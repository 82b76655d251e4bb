"""Gradients in forward mode: the tangent of every number in turn, propagated through the lines from the first to the last."""
import re
from math import cosh, exp, inf, isnan, nan, tanh


def power(base, exponent):
    """The power as in C, without exceptions."""
    try:
        return base ** exponent
    except ZeroDivisionError:
        return inf


def quotient(a, b):
    """The quotient as in C."""
    if b == 0:
        return nan if a == 0 or isnan(a) else inf if a > 0 else -inf
    return a / b


def exponential(x):
    """e to the x; infinity if the result is too large."""
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
# The derivatives with respect to the first and the second operand.
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
        """The numbers of the inputs; None for a missing input."""
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
                    # 0 times infinity would be NaN: an independent number contributes nothing
                    tangent[node] = sum(slope * tangent[source] for slope, source in zip(slopes, node.inputs)
                                        if tangent[source] != 0)
            wanted.grad = tangent[result] + (0 if wanted.inputs else wanted.grad)

    def zero_grad(self, node):
        """Sets a gradient to 0."""
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
