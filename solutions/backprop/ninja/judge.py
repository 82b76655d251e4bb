"""Compares every gradient of the network, each alone, with the gradient of a tape of single numbers (network.py).

Each gradient is judged for the incoming gradients, so a mistake is found where it was made. Incoming gradients are random.

Answers may differ by 1e-6, as the row says: rounding stays below 1e-9 with these sizes, the smallest slip is above 1e-4.
"""
from math import inf, log

from recto.judge.judging import WRONG, Message, Misconception, Wrong, array_of, matrix, part, show

from .network import PARAMETERS, STEPS, Network
from .slips import RELATIVE, WITHIN, fused_slips, near, norm_slips, probabilities, suspect
from .words import SAYS


def gap(got, expected):
    """(the largest difference, where), compared so that NaN counts as infinitely far."""
    worst, at = 0.0, (0, 0)
    for i, row in enumerate(expected):
        for j, x in enumerate(row):
            far = abs(got[i, j] - x)
            far = far if far <= inf else inf
            if far > worst:
                worst, at = far, (i, j)
    return worst, at


def read_as(net, function, d):
    """The call as shown to the student: the values that matter, by their names."""
    comes_in, names = STEPS[function]
    used = [name for result, inputs, _ in net.operations for name in (*inputs, result)
            if set(inputs) & set(names) and name != "loss"]
    words = [f"d.{comes_in} = {show(matrix(d[comes_in]))}"] if comes_in else [f"targets = {show(net.targets)}"]
    if function == "through_table":
        words.append(f"contexts = {show([list(context) for context in net.contexts])}")
        used = []
    words += [f"{name} = {show(matrix(net.values[name]))}" for name in dict.fromkeys(used)]
    return f"{function}({', '.join(words)})"


def complain(student, net, function, d, name, got, expected):
    """Says what is wrong with one gradient."""
    guess = suspect(net, name, d, got, expected)
    rows, cols = len(expected), len(expected[0])
    message = Message(f"d.{name}, which {function} fills, is not the derivative with respect to {name}",
                      call=read_as(net, function, d), case=student.case, misconception=guess)
    message.says = next((known.says for known in student.misconceptions if known.name == guess), "")
    if got.shape == (0, 0):
        message.about, message.misconception = f"d.{name} is still to be filled, by {function}", "unwritten"
        message.says = "the gradient is still empty: give it the shape of its variable, then its numbers"
    elif got.shape != (rows, cols):
        message.where, message.expected, message.got = "the shape", f"{rows} x {cols}", " x ".join(map(str, got.shape))
        message.about = f"d.{name}, which {function} fills, does not have the shape of {name}"
        message.says = message.says or ("a gradient has the shape of its variable: if the forward pass repeats a value, "
                                        "sum in the backward pass")
    else:
        i, j = next((i, j) for i in range(rows) for j in range(cols)
                    if not abs(got[i, j] - expected[i][j]) <= WITHIN + RELATIVE * abs(expected[i][j]))
        message.where, message.expected, message.got = f"row {i}, column {j}", show(expected[i][j]), show(got[i, j])
    raise Wrong(WRONG, message)


def rows_of(got):
    return got.rows() if len(got.shape) == 2 else []


def call_of(function, arguments):
    """The call as shown to the student, from the arguments that were sent."""
    letters, targets, *rest = arguments
    length = len(letters) // len(targets)
    contexts = [letters[i:i + length] for i in range(0, len(letters), length)]
    net = Network(contexts, targets, {name: sent.rows() for name, sent in zip(PARAMETERS, rest)})
    return read_as(net, function, {STEPS[function][0]: sent.rows() for sent in rest[len(PARAMETERS):]})


def ask(student, function, net, d):
    """The gradients that the function fills, by name. d holds what comes in."""
    comes_in, names = STEPS[function]
    more = [matrix(d[comes_in])] if comes_in else []
    student.call = call_of          # instead of nine matrices without a name
    return dict(zip(names, student.ask(function, *net.arguments(), *more, within=WITHIN, relative=RELATIVE,
                                       gives=(array_of(None, None),) * len(names)), strict=True))


def judge_step(student, function, nets):
    """One function alone, with random incoming gradients."""
    comes_in, names = STEPS[function]
    for net, given in nets:
        d = {}
        if comes_in:
            d[comes_in] = given or [[number(student) for _ in row] for row in net.values[comes_in]]
        for name, got in ask(student, function, net, d).items():
            expected = net.due(name, d)
            if not near(got, expected):
                complain(student, net, function, d, name, got, expected)
            d[name] = got.rows()


# Networks to ask about.

def number(student):
    """A random number with two decimals, which is easy to read."""
    return round(student.random.uniform(-2, 2), 2)


def random_network(student, n, length, width, hidden, letters):
    """A random network and a random batch, without equal logits in a sample or a constant column."""
    while True:
        sizes = {"table": (letters, width), "weights1": (length * width, hidden), "bias1": (1, hidden), "gain": (1, hidden),
                 "offset": (1, hidden), "weights2": (hidden, letters), "bias2": (1, letters)}
        model = {name: [[number(student) for _ in range(cols)] for _ in range(rows)] for name, (rows, cols) in sizes.items()}
        contexts = [[student.random.randrange(letters) for _ in range(length)] for _ in range(n)]
        net = Network(contexts, [student.random.randrange(letters) for _ in range(n)], model)
        gaps = [x - y for row in map(sorted, net.values["logits"]) for x, y in zip(row[1:], row)]
        apart = min(gaps, default=1) > 1e-3 and min(sum(net.values["probabilities"], [])) > 1e-6
        if apart and (n == 1 or min(net.values["variance"][0]) > 1e-2) and min(map(abs, sum(model["gain"], []))) > 0.1:
            return net


def plain_network(rows, logits=None):
    """A network with one number for each letter; `linear` has these rows, and the logits are these for all rows."""
    letters, hidden = max(len(rows), len(logits or [])), len(rows[0])
    table = [[1.0 if column == letter else 0.0 for column in range(len(rows))] for letter in range(letters)]
    zeros = [[0.0] * letters for _ in range(hidden)]
    model = {"table": table, "weights1": rows, "bias1": [[0.0] * hidden], "gain": [[2.0] * hidden], "offset": [[0.5] * hidden],
             "weights2": zeros, "bias2": [logits or [float(k) for k in range(letters)]]}
    return Network([[i] for i in range(len(rows))], [i % letters for i in range(len(rows))], model)


def networks(student, first=()):
    """Networks, small ones first: every size once at its minimum, square ones, repeated letters."""
    sizes = [(2, 1, 1, 2, 3), (3, 2, 2, 2, 4), (4, 3, 2, 3, 2), (3, 2, 1, 4, 4), (1, 2, 3, 2, 3), (1, 1, 1, 1, 1),
             (5, 3, 3, 4, 6)]
    return [*first, *((random_network(student, *size), None) for size in sizes)]


HALVES = plain_network([[1.0]], [-log(2), -log(2), 0.0])     # powers 1/2, 1/2, 1
PAIR = plain_network([[1.0], [3.0]])                         # mean 2, variance 1


@part("loss")
def loss(student):
    judge_step(student, "through_loss", networks(student, [(HALVES, None)]))


@part("division")
def division(student):
    judge_step(student, "through_division", networks(student, [(HALVES, [[1.0, 0.0, 2.0]])]))


@part("exponential")
def exponential(student):
    apart = plain_network([[1.0]], [0.0, -1.0, 2.0])
    judge_step(student, "through_exponential", networks(student, [(apart, [[1.0, 0.0, 2.0]])]))


@part("output")
def output(student):
    judge_step(student, "through_output", networks(student))


@part("tanh")
def hyperbolic(student):
    judge_step(student, "through_tanh", networks(student))


@part("deviation")
def deviation(student):
    judge_step(student, "through_deviation", networks(student, [(PAIR, [[1.0], [0.0]])]))


@part("mean")
def mean(student):
    judge_step(student, "through_mean", networks(student, [(PAIR, [[3.0], [1.0]])]))


@part("input")
def first_layer(student):
    judge_step(student, "through_input", networks(student))


@part("table")
def table(student):
    judge_step(student, "through_table", networks(student))


# The whole chain: each function gets the answer of the previous one.

def walk(student, net):
    """Asks all nine. (what came, its gradient each by each; why the chain ended, if it did)"""
    d, came = {}, {}
    for function, (comes_in, names) in STEPS.items():
        if comes_in and comes_in not in d:
            return came, d, None
        try:
            answers = ask(student, function, net, d)
        except Wrong as wrong:
            if wrong.message.misconception != "unwritten":
                raise
            return came, d, wrong
        for name, got in answers.items():
            came[name] = got
            if got.shape == (len(net.values[name]), len(net.values[name][0])):
                d[name] = got.rows()
    return came, d, None


EXACT, NEAR, FOLLOWS, OPEN, BAD = "exact", "approximate", "follows", "unclear", "wrong"


def verdict(net, name, came, d, truth):
    """(one word about one gradient, and what there is to say of it)"""
    got, function = came[name], next(function for function, (_, names) in STEPS.items() if name in names)
    if got.shape == (0, 0):
        return BAD, f"not filled yet, look at {function}"
    if name not in d:
        return BAD, f"its shape is {' x '.join(map(str, got.shape))}, look at {function}"
    far, (i, j) = gap(got, truth[name])
    if near(got, truth[name]):
        return (EXACT, "") if far == 0 else (NEAR, f"largest gap {far:.1e}")
    words = f"largest gap {far:.1e} at row {i}, column {j}"
    unfit = [result for result, inputs, _ in net.operations if name in inputs and result not in {*d, "loss"}]
    if unfit:
        return OPEN, f"d.{unfit[0]} cannot be used ({words})"
    expected = net.due(name, d)
    if near(got, expected):
        return FOLLOWS, f"right for the incoming gradient ({words})"
    guess = suspect(net, name, d, got, expected)
    return BAD, f"{words}, look at {function}{f' ({guess})' if guess else ''}"


def told(verdicts):
    """The whole list for the student."""
    count = {word: sum(word == its for its, _ in verdicts.values()) for word in (EXACT, NEAR, FOLLOWS, OPEN, BAD)}
    words = [f"{count[EXACT] + count[NEAR]} of 26 gradients are right"]
    words += [f"{count[FOLLOWS]} follow from a wrong one"] if count[FOLLOWS] else []
    words += [f"{count[BAD] + count[OPEN]} are wrong themselves"] if count[BAD] + count[OPEN] else []
    words += [f"{26 - len(verdicts)} were not reached"] if len(verdicts) < 26 else []
    return [", ".join(words), *(f"  {f'd.{name}':<17}{word:<12}{more}".rstrip() for name, (word, more) in verdicts.items())]


@part("whole")
def whole(student):
    for size in [(3, 2, 2, 3, 4), (6, 3, 4, 5, 7), (1, 1, 1, 1, 2)]:
        net = random_network(student, *size)
        truth = net.all_due()
        came, d, unwritten = walk(student, net)
        verdicts = {name: verdict(net, name, came, d, truth) for name in came}
        bad = [name for name, (word, _) in verdicts.items() if word not in (EXACT, NEAR)]
        if verdicts and (bad or not student.report):
            student.report = told(verdicts)
        if unwritten:
            raise unwritten
        if bad:
            guess = suspect(net, bad[0], d, came[bad[0]], net.due(bad[0], d)) if bad[0] in d else ""
            says = next((known.says for known in student.misconceptions if known.name == guess), "")
            raise Wrong(WRONG, Message(f"{len(bad)} gradients of the whole network are wrong, the first is d.{bad[0]}",
                                       where=" ".join(verdicts[bad[0]]), case=student.case, misconception=guess, says=says))


# The fused ones.

def from_logits(logits, targets):
    """p minus one-hot, over N."""
    return [[(p - (k == target)) / len(targets) for k, p in enumerate(row)]
            for row, target in zip(probabilities(logits), targets)]


@part("fused-softmax")
def fused_softmax(student):
    cases = [([[-log(2), -log(2), 0.0]], [2])]
    for n, k in [(1, 1), (2, 3), (4, 2), (3, 5), (5, 5)]:
        cases.append(([[number(student) for _ in range(k)] for _ in range(n)], [student.random.randrange(k) for _ in range(n)]))
    for far in (30.0, 800.0, -900.0, 1e5):
        cases.append(([[far * j + number(student) for j in range(3)] for _ in range(2)], [0, 2]))
    cases.append(([[2.0, 2.0, 2.0], [-5.0, -5.0, -5.0]], [0, 1]))
    for logits, targets in cases:
        expected = from_logits(logits, targets)
        got = student.ask("fused_softmax", matrix(logits), targets, gives=array_of(None, None), within=WITHIN, relative=RELATIVE)
        if near(got, expected):
            continue
        guess = next((slip for slip, theirs in fused_slips(logits, targets) if near(got, theirs)), "")
        if not guess and any(x != x or abs(x) == inf for x in got.numbers):
            guess = "through-the-logarithm"
        refuse(student, "d.logits", got, expected, guess)


def refuse(student, name, got, expected, guess):
    """A fused gradient is wrong."""
    if got.shape != (len(expected), len(expected[0])):
        student.check(False, f"{name} does not have the shape of its variable", f"{len(expected)} x {len(expected[0])}",
                      " x ".join(map(str, got.shape)), guess, "the shape")
    i, j = next((i, j) for i, row in enumerate(expected) for j, x in enumerate(row)
                if not abs(got[i, j] - x) <= WITHIN + RELATIVE * abs(x))
    student.check(False, f"{name}, in one formula, is not the derivative", show(expected[i][j]), show(got[i, j]), guess,
                  f"row {i}, column {j}")


@part("fused-norm")
def fused_norm(student):
    cases = [(PAIR, [[3.0], [1.0]]), (plain_network([[0.0], [0.0], [3.0]]), [[1.0], [0.0], [0.0]])]
    for n, hidden in [(2, 2), (3, 1), (4, 3), (1, 2), (6, 6), (5, 4)]:
        net = random_network(student, n, 2, 2, hidden, 3)
        cases.append((net, [[number(student) for _ in range(hidden)] for _ in range(n)]))
    for net, d_scaled in cases:
        d = {"scaled": d_scaled}
        for name in ("normalised", "inverse", "variance", "squared", "centred", "mean", "linear"):
            d[name] = net.due(name, d)
        got = student.ask("fused_norm", matrix(d_scaled), *(matrix(net.values[name]) for name in ("normalised", "inverse", "gain")),
                          gives=array_of(None, None), within=WITHIN, relative=RELATIVE)
        if not near(got, d["linear"]):
            refuse(student, "d.linear", got, d["linear"],
                   next((slip for slip, theirs in norm_slips(net, d_scaled) if near(got, theirs)), ""))


misconceptions = [Misconception(name, says=says) for name, says in SAYS.items()] + [
    Misconception("takes-the-tape", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's tape is not allowed here: write the gradients by hand"),
    Misconception("no-shape", outcome=WRONG, matches="there is no element",
                  says="an element outside of its matrix was read or written. Give the gradient its shape before you fill "
                       "it, and check the range of every index"),
]
