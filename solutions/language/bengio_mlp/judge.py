"""The network of Bengio and others in double precision, in plain Python; its gradient by central differences."""
from math import exp, fsum, isfinite, log, tanh

from recto.judge import lists
from recto.judge.judging import ARRAY, WHOLE, Array, Misconception, array_of, floats, integers, part

SHAPES = ((27, 10), (30, 200), (200,), (200, 27), (27,))
NAMES = ("embedding", "hidden_weight", "hidden_bias", "output_weight", "output_bias")
ROUNDING = 2e-6     # of single precision, after sums of a few dozen products of numbers around one


def rows(array):
    return array.rows() if len(array.shape) == 2 else array.numbers


def affine(vector, weight, bias):
    return [fsum([b, *(v * w for v, w in zip(vector, column))]) for column, b in zip(zip(*weight), bias)]


def outputs(model, contexts, length, activate=tanh, join=None, bias=True, final=lambda x: x, last_bias=True):
    """The logits, a list for each context."""
    table, hidden_weight, hidden_bias, output_weight, output_bias = map(rows, model)
    if not bias:
        hidden_bias = [0.0] * len(hidden_bias)
    if not last_bias:
        output_bias = [0.0] * len(output_bias)
    found = []
    for at in range(0, len(contexts), length):
        vectors = [table[symbol] for symbol in contexts[at:at + length]]
        joined = join(vectors) if join else [value for vector in vectors for value in vector]
        hidden = [activate(value) for value in affine(joined, hidden_weight, hidden_bias)]
        found.append([final(value) for value in affine(hidden, output_weight, output_bias)])
    return found


def logits(*arguments, **ways):
    *model, contexts, length = arguments
    found = outputs(model, contexts.numbers, length, **ways)
    return Array((len(found), len(found[0])), [value for row in found for value in row], "F")


def by_the_feature(vectors):
    """The mistaken order: all first components, then all second ones."""
    return [value for component in zip(*vectors) for value in component]


def backwards(vectors):
    return [value for vector in reversed(vectors) for value in vector]


def surprise(row, target):
    largest = max(row)
    return largest + log(fsum(exp(value - largest) for value in row)) - row[target]


def loss(scores, targets):
    return fsum(map(surprise, scores.rows(), targets.numbers)) / len(targets.numbers)


def scalar(value):
    return Array((), [value], "F")


def probability_loss(scores, targets):
    """Without a logarithm."""
    return -fsum(exp(-surprise(row, target)) for row,
                 target in zip(scores.rows(), targets.numbers)) / len(targets.numbers)


def gradient(*arguments):
    """Central differences of every number."""
    *model, contexts, length, targets = arguments
    found = []
    for which, array in enumerate(model):
        slopes = []
        for at in range(len(array.numbers)):
            sides = []
            for move in (1e-5, -1e-5):
                numbers = list(array.numbers)
                numbers[at] += move
                moved = [*model[:which], Array(array.shape, numbers), *model[which + 1:]]
                scores = outputs(moved, contexts.numbers, length)
                sides.append(fsum(map(surprise, scores, targets.numbers)) / len(targets.numbers))
            slopes.append((sides[0] - sides[1]) / 2e-5)
        found.append(Array(array.shape, slopes, "F"))
    return tuple(found)


def stepped(*arguments, turn=1.0, leftover=False, stays=(), rated=True):
    """The model after some steps."""
    *model, contexts, length, targets, rate, times = arguments
    before = None
    for _ in range(times):
        slopes = gradient(*model, contexts, length, targets)
        if leftover and before:
            slopes = [Array(a.shape, [x + y for x, y in zip(a.numbers, b.numbers)]) for a, b in zip(slopes, before)]
        before = slopes
        far = turn * rate if rated else turn
        model = [array if which in stays else
                 Array(array.shape,
                       [value - far * slope for value, slope in zip(array.numbers, slopes[which].numbers)], "F")
                 for which, array in enumerate(model)]
    return tuple(model)


misconceptions = [
    Misconception("no-tanh", "logits", lambda *a: logits(*a, activate=lambda x: x),
                  "the tanh between the two matrices is missing. Without it both are equivalent to one matrix, and the "
                  "hidden layer has no effect"),
    Misconception("relu", "logits", lambda *a: logits(*a, activate=lambda x: max(x, 0)),
                  "relu was applied to the hidden units. Here they are tanh units"),
    Misconception("sigmoid", "logits", lambda *a: logits(*a, activate=lambda x: (1 + tanh(x / 2)) / 2),
                  "a sigmoid, which lies between 0 and 1, was applied to the hidden units. Here they are tanh units"),
    Misconception("no-hidden-bias", "logits", lambda *a: logits(*a, bias=False),
                  "the bias of the hidden layer is missing"),
    Misconception("no-output-bias", "logits", lambda *a: logits(*a, last_bias=False),
                  "the bias of the output layer is missing"),
    Misconception("embedding-bent", "logits",
                  lambda *a: logits(*a, join=lambda vectors: [tanh(value) for vector in vectors for value in vector]),
                  "tanh was applied to the embedding too. Its rows enter the hidden layer unchanged"),
    Misconception("tanh-at-the-end", "logits", lambda *a: logits(*a, final=tanh),
                  "tanh was applied to the scores too: they then lie between -1 and 1, and no letter can become likely"),
    Misconception("by-the-feature", "logits", lambda *a: logits(*a, join=by_the_feature),
                  "the numbers of a context are in the wrong order: the whole row of the first symbol comes first, then "
                  "the whole row of the second"),
    Misconception("backwards", "logits", lambda *a: logits(*a, join=backwards),
                  "the symbols of a context were joined from the last to the first"),
    Misconception("sum-of-losses", "loss", lambda x, t: scalar(loss(x, t) * len(t.numbers)),
                  "this is the sum over the batch. The mean is independent of the batch size, so one learning rate fits "
                  "all sizes"),
    Misconception("mean-of-all", "loss", lambda x, t: scalar(loss(x, t) / x.shape[1]),
                  "the sum was divided by the number of all scores. The sum has one term for each sample: divide by the "
                  "batch size"),
    Misconception("no-minus", "loss", lambda x, t: scalar(-loss(x, t)),
                  "the sign is wrong: the loss is the negative mean of the logarithms; the slides omit the minus too"),
    Misconception("no-logarithm", "loss", lambda x, t: scalar(probability_loss(x, t)),
                  "this is a mean of the probabilities. A likelihood is their product, so its logarithm is a sum of "
                  "logarithms"),
    Misconception("uphill", "step", lambda *a: stepped(*a, turn=-1),
                  "the parameters moved along the gradient, where the loss grows. Descent goes against the gradient"),
    Misconception("gradients-left", "step", lambda *a: stepped(*a, leftover=True) if a[-1] == 2 else None,
                  "the first step is right and the second too long: backward() adds to the existing gradients. Reset them "
                  "after each step"),
    Misconception("embedding-stays", "step", lambda *a: stepped(*a, stays=(0,)),
                  "the embedding did not move. It is a parameter like the others"),
    Misconception("biases-stay", "step", lambda *a: stepped(*a, stays=(2, 4)),
                  "the biases did not move. They are parameters like the others"),
    Misconception("no-rate", "step", lambda *a: stepped(*a, rated=False),
                  "the step has the full length of the gradient: the rate is missing"),
    Misconception("cut-tape", part="gradient",
                  says="a tensor gets no gradient. Copying numbers out of it by hand, or detach(), cuts the tape: use the "
                       "operations of the library all the way from the tensors to the loss"),
    Misconception("all-zero", part="model",
                  says="all rows of a weight or of the embedding are equal. Then their gradients are equal too, and the "
                       "rows always stay equal: begin with random numbers"),
    Misconception("sure-too-soon", part="model",
                  says="the untrained network is confident and wrong: the scores are too large. Make the output weight "
                       "small, so that all letters begin nearly equally likely"),
    Misconception("saturated", part="model",
                  says="most hidden units are saturated at -1 or 1, where the tanh is flat and hardly any gradient passes. "
                       "Divide the standard deviation of the hidden weight by the square root of its number of inputs"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's ready layers and losses are not allowed here: build them from the listed operations"),
]


def small(student, symbols=5, width=2, length=2, hidden=3):
    """A model so small that central differences are fast."""
    def numbers(*shape):
        count = shape[0] * (shape[1] if len(shape) == 2 else 1)
        return floats([student.random.uniform(-1, 1) for _ in range(count)], shape)
    return numbers(symbols, width), numbers(length * width, hidden), numbers(hidden), numbers(hidden,
                                                                                              symbols), numbers(symbols)


def samples(student, batch, symbols, length):
    return (integers([student.random.randrange(symbols) for _ in range(batch * length)]),
            integers([student.random.randrange(symbols) for _ in range(batch)]))


@part("model")
def model_part(student):
    for seed in (1, 2):
        model = student.ask("make_model", seed, gives=(ARRAY,) * len(NAMES))
        for name, shape, array in zip(NAMES, SHAPES, model, strict=True):
            student.check(array.shape == shape, f"the shape of {name}", " x ".join(map(str, shape)),
                          " x ".join(map(str, array.shape)) or "nothing")
        count = sum(len(array.numbers) for array in model)
        student.check(count == 11897, "the number of parameters", "11897", str(count))
        student.check(all(map(isfinite, (value for array in model for value in array.numbers))),
                      "every weight is a number")
        for name, array in zip(NAMES, model):
            if len(array.shape) == 2:
                student.check(len(set(array.numbers)) > len(array.numbers) / 2, f"the numbers of {name} differ",
                              "random numbers",
                              f"{len(set(array.numbers))} different ones", "all-zero")
        contexts, targets = samples(student, 40, 27, 3)
        scores = outputs(model, contexts.numbers, 3)
        start = fsum(map(surprise, scores, targets.numbers)) / 40
        student.check(start <= 3.6, "the loss before any training", f"near log 27 = {log(27):.3f}, at most 3.6",
                      f"{start:.3f}",
                      "sure-too-soon")
        table, weight, bias = map(rows, model[:3])
        units = [tanh(value) for at in range(0, 120, 3) for value in affine(
            [value for symbol in contexts.numbers[at:at + 3] for value in table[symbol]], weight, bias)]
        share = sum(abs(unit) > 0.97 for unit in units) / len(units)
        student.check(share <= 0.2, "the share of hidden units beyond 0.97 before any training", "at most 0.2",
                      f"{share:.2f}",
                      "saturated")


@part("forward")
def forward(student):
    table, hidden_weight = floats([0.5, -1, 2], (3, 1)), floats([1, 0, 0, 1], (2, 2))
    model = table, hidden_weight, floats([0, 0]), floats([1, 0, -1, 0, 1, 1], (2, 3)), floats([0, 0, 0.5])
    contexts = integers([0, 1, 2, 2])
    student.expect("logits", *model, contexts, 2, gives=logits(*model, contexts, 2), within=ROUNDING,
                   about="the logits of the statement")
    for batch, symbols, width, length, hidden in [(1, 1, 1, 1, 1), (1, 5, 2, 3, 4), (7, 4, 3, 2, 5), (3, 27, 10, 3, 20),
                                                  (4, 6, 1, 4, 2)]:
        model = small(student, symbols, width, length, hidden)
        contexts, _ = samples(student, batch, symbols, length)
        student.expect("logits", *model, contexts, length, gives=logits(*model, contexts, length),
                       within=ROUNDING * max(1, hidden / 4),
                       about="the logits")


@part("loss")
def loss_part(student):
    scores = floats([0, 0, log(2), 0, 0, 0], (2, 3))
    student.expect("loss", scores, integers([2, 0]), gives=scalar(loss(scores, integers([2, 0]))), within=ROUNDING,
                   about="the loss of the statement")
    for batch, symbols, scale in [(1, 1, 1), (1, 5, 3), (6, 4, 3), (9, 27, 10), (4, 3, 500)]:
        scores = floats([student.random.uniform(-scale, scale) for _ in range(batch * symbols)], (batch, symbols))
        targets = integers([student.random.randrange(symbols) for _ in range(batch)])
        student.expect("loss", scores, targets, gives=scalar(loss(scores, targets)), within=1e-5, relative=1e-6,
                       about="the loss")


@part("gradient")
def gradient_part(student):
    for batch, symbols, width, length, hidden in [(1, 3, 2, 1, 2), (4, 5, 2, 2, 3), (6, 4, 3, 3, 2)]:
        model = small(student, symbols, width, length, hidden)
        contexts, targets = samples(student, batch, symbols, length)
        right = gradient(*model, contexts, length, targets)
        got = student.ask("gradient", *model, contexts, length, targets, gives=(ARRAY,) * len(NAMES))
        for name, mine, theirs in zip(NAMES, right, got, strict=True):
            student.check(theirs.shape == mine.shape, f"a gradient of {name}",
                          f"shape {' x '.join(map(str, mine.shape))}", "none",
                          "cut-tape")
            student.compare(theirs, mine, 2e-6, 0, f"the gradient of {name}", "gradient",
                            (*model, contexts, length, targets))


@part("step")
def step_part(student):
    for times in (1, 2, 3):
        model = small(student, 4, 2, 2, 3)
        contexts, targets = samples(student, 5, 4, 2)
        arguments = (*model, contexts, 2, targets, 0.5, times)
        student.expect("step", *arguments, gives=stepped(*arguments), within=5e-6,
                       about=f"the five tensors after {times} step{'s' * (times > 1)}")


def contexts_of(word):
    """(context, target) at every position."""
    symbols = [0, 0, 0, *(ord(letter) - 96 for letter in word), 0]
    return [(symbols[at - 3:at], symbols[at]) for at in range(3, len(symbols))]


@part("training")
def training(student):
    words = student.random.sample(lists.words(), 32000)
    inside = [pair for word in words[:25600] for pair in contexts_of(word)]
    student.ask("train", student.random.randrange(1000),
                integers([symbol for context, _ in inside for symbol in context]), 3,
                integers([target for _, target in inside]), gives=WHOLE, again=False)
    # One position of each held-out word, so that no context reveals the target of another. A long word counts for all its
    # positions.
    outside = [(len(word) + 1, *student.random.choice(contexts_of(word))) for word in words[25600:]]
    scores = student.ask("predict", integers([symbol for _, context, _ in outside for symbol in context]), 3,
                         gives=array_of(len(outside), 27), again=False)
    whole = sum(weight for weight, _, _ in outside)
    found = fsum(weight * surprise(row, target) for (weight, _, target), row in zip(outside, scores.rows())) / whole
    student.measured = found
    student.check(found <= 2.30, "the negative log-likelihood of 6400 held-out words", "at most 2.30",
                  f"{found:.4f}")
