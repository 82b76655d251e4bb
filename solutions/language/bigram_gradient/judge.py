"""The one-layer network of pairs, step by step, and its gradient by central differences."""
from math import exp, fsum, inf, isfinite, log

from recto.judge import lists
from recto.judge.judging import Misconception, array_of, matrix, part


def one_hot(symbols, classes):
    return matrix([[float(column == symbol) for column in range(classes)] for symbol in symbols])


def by_columns(symbols, classes):
    return matrix([[float(symbol == row) for symbol in symbols] for row in range(classes)])


def one_too_far(symbols, classes):
    return matrix([[float(column == symbol - 1) for column in range(classes)] for symbol in symbols])


def one_based(symbols, classes):
    return matrix([[float(column == symbol + 1) for column in range(classes)] for symbol in symbols])


def index_as_number(symbols, classes):
    return matrix([[float(symbol * (column == symbol)) for column in range(classes)] for symbol in symbols])


def transposed(array):
    return [list(column) for column in zip(*array.rows())]


def product(left, right):
    return matrix([[fsum(a * b for a, b in zip(row, column)) for column in zip(*right)] for row in left])


def logits(x, w):
    return product(x.rows(), w.rows())


def counts(x):
    return matrix([[exp(value) for value in row] for row in x.rows()])


def probabilities(x):
    return matrix([[value / fsum(row) for value in row] for row in x.rows()])


def by_the_whole(x):
    return matrix([[value / fsum(x.numbers) for value in row] for row in x.rows()])


def down_columns(x):
    return matrix([list(row)
                   for row in zip(*([value / fsum(column) for value in column] for column in zip(*x.rows())))])


def terms(p, targets):
    return [log(row[target]) for row, target in zip(p.rows(), targets)]


def loss(p, targets):
    return -fsum(terms(p, targets)) / len(targets)


def unlogged(p, targets):
    return 1 - fsum(row[target] for row, target in zip(p.rows(), targets)) / len(targets)


def whole_loss(w, symbols, targets):
    """The loss of the weights: logsumexp minus the logit of the target."""
    rows = w.rows()
    level = [log(fsum(map(exp, row))) for row in rows]
    return fsum(level[i] - rows[i][t] for i, t in zip(symbols, targets)) / len(symbols)


def gradient(w, symbols, targets):
    slopes = []
    for at in range(len(w.numbers)):
        sides = []
        for move in (1e-5, -1e-5):
            numbers = list(w.numbers)
            numbers[at] += move
            sides.append(whole_loss(matrix([numbers[i * w.shape[1]:(i + 1) * w.shape[1]] for i in range(w.shape[0])]),
                                    symbols, targets))
        slopes.append((sides[0] - sides[1]) / 2e-5)
    return matrix([slopes[i * w.shape[1]:(i + 1) * w.shape[1]] for i in range(w.shape[0])])


def gradient_of(w, symbols, targets, share=None, last=False, predicted=1.0, came=1.0):
    """The gradient pair by pair, with terms that may be omitted."""
    p = probabilities(counts(w)).rows()
    found = [[0.0] * w.shape[1] for _ in range(w.shape[0])]
    for i, t in zip(symbols, targets):
        row = [(predicted * value - came * (column == t)) * (share or 1 / len(symbols)) for column,
               value in enumerate(p[i])]
        found[i] = row if last else [a + b for a, b in zip(found[i], row)]
    return matrix(found)


def by_each_symbol(w, symbols, targets):
    """A mistake: each row divided by the count of its symbol, not by the number of pairs."""
    rows = gradient_of(w, symbols, targets, share=1).rows()
    return matrix([[value / max(1, symbols.count(symbol)) for value in row] for symbol, row in enumerate(rows)])


misconceptions = [
    Misconception("by-columns", "one_hot", by_columns,
                  "the matrix is transposed: each symbol is a row, so that one product with the weights serves all of them"),
    Misconception("one-too-far", "one_hot", one_too_far,
                  "the 1 is one column too far to the left: symbols are counted from 0"),
    Misconception("one-based", "one_hot", one_based,
                  "the 1 is one column too far to the right: symbol 0 has column 0"),
    Misconception("index-as-number", "one_hot", index_as_number,
                  "the column of the symbol holds the symbol's number. Every row holds a single 1, for every symbol"),
    Misconception("transposed-weights", "logits", lambda x, w: product(x.rows(), transposed(w))
                  if w.shape[0] == w.shape[1] else None,
                  "this is the product with the transposed weights: y(i, j) is the sum of x(i, k) w(k, j)"),
    Misconception("no-exponential", "counts", lambda x: x,
                  "these are the unchanged logits. A logit may be negative, a count may not: take the exponential"),
    Misconception("base-two", "counts", lambda x: matrix([[2 ** value for value in row] for row in x.rows()]),
                  "these are powers of 2. This exercise uses powers of e"),
    Misconception("softmax-of-counts", "probabilities", lambda x: probabilities(counts(x)),
                  "the exponential was taken a second time: `counts` already takes it"),
    Misconception("by-the-whole", "probabilities", by_the_whole,
                  "these numbers sum to one over the whole matrix. Each row is a separate distribution"),
    Misconception("down-columns", "probabilities", down_columns,
                  "these numbers sum to one down each column. A row holds the probabilities after one symbol: normalise "
                  "along the row"),
    Misconception("no-minus", "loss", lambda p, t: -loss(p, t),
                  "the sign is wrong: logarithms of probabilities are negative, and the loss is their negative mean; the "
                  "slides omit the minus too"),
    Misconception("sum", "loss", lambda p, t: loss(p, t) * len(t),
                  "this is the sum. The mean is independent of the number of samples"),
    Misconception("mean-of-all", "loss", lambda p, t: loss(p, t) / p.shape[1],
                  "the sum was divided by the number of all probabilities. It has one term for each sample"),
    Misconception("no-logarithm", "loss", unlogged,
                  "this is one minus the mean probability. A likelihood is a product of probabilities, so its logarithm is "
                  "a sum of logarithms"),
    Misconception("not-divided", "gradient", lambda *a: gradient_of(*a, share=1),
                  "this is the gradient of the sum over the pairs. The loss is their mean: divide by their number"),
    Misconception("divided-by-each-symbol", "gradient", by_each_symbol,
                  "each row was divided by the count of its symbol. The loss is a mean over all pairs: divide every row by "
                  "the number of pairs"),
    Misconception("from-target-to-symbol", "gradient", lambda w, symbols, targets: gradient_of(w, targets, symbols),
                  "symbols and targets are swapped: the symbol chooses the row, the target the column"),
    Misconception("last-pair", "gradient", lambda *a: gradient_of(*a, last=True),
                  "a symbol that occurs more than once keeps only its last pair: add up the contributions of all its pairs"),
    Misconception("target-alone", "gradient", lambda *a: gradient_of(*a, predicted=0),
                  "only the weight of the target has a derivative here: the sum in the softmax contains the whole row, so "
                  "the probabilities are part of the derivative"),
    Misconception("uphill", "gradient", lambda *a: gradient_of(*a, predicted=-1, came=-1),
                  "the sign is wrong: along these numbers the loss falls. The gradient points where the loss grows, and "
                  "descent subtracts it"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's operations are not allowed here: write them yourself"),
]


def some(student, rows, cols, low=-2.0, high=2.0):
    return matrix([[student.random.uniform(low, high) for _ in range(cols)] for _ in range(rows)])


def symbols_of(student, how_many, classes):
    return [student.random.randrange(classes) for _ in range(how_many)]


def hand():
    return matrix([[0.0, log(3)], [0.0, 0.0]])


@part("one_hot")
def one_hot_part(student):
    for symbols, classes in (([1, 0], 3), ([0, 0], 2), ([2, 0, 3], 4), ([0], 1), (symbols_of(student, 3, 3), 3),
                             (symbols_of(student, 20, 27), 27)):
        student.expect("one_hot", symbols, classes, gives=one_hot(symbols, classes), about="the one-hot rows")


@part("logits")
def logits_part(student):
    student.expect("logits", one_hot([0, 0], 2), hand(), gives=logits(one_hot([0, 0], 2), hand()),
                   about="the logits of the statement")
    for rows, inner, cols in [(1, 1, 1), (3, 3, 3), (2, 5, 3), (6, 2, 4), (4, 27, 27)]:
        x, w = some(student, rows, inner), some(student, inner, cols)
        student.expect("logits", x, w, gives=logits(x, w), within=1e-12, about="the product")


@part("probabilities")
def probabilities_part(student):
    x = matrix([[0.0, log(3)], [0.0, log(3)]])
    student.expect("counts", x, gives=counts(x), within=1e-12, about="the counts of the statement")
    student.expect("probabilities", counts(x), gives=probabilities(counts(x)), within=1e-12,
                   about="the probabilities of the statement")
    for rows, cols in [(1, 1), (3, 3), (2, 5), (7, 4), (5, 27)]:
        x = some(student, rows, cols)
        student.expect("counts", x, gives=counts(x), within=1e-12, about="the counts")
        student.expect("probabilities", counts(x), gives=probabilities(counts(x)), within=1e-12,
                       about="the probabilities")


@part("loss")
def loss_part(student):
    p = matrix([[0.25, 0.75], [0.25, 0.75]])
    student.expect("loss", p, [1, 0], gives=loss(p, [1, 0]), within=1e-12, about="the loss of the statement")
    for rows, cols in [(1, 1), (1, 4), (5, 3), (3, 5), (12, 27)]:
        p, targets = probabilities(counts(some(student, rows, cols))), symbols_of(student, rows, cols)
        student.expect("loss", p, targets, gives=loss(p, targets), within=1e-12, about="the loss")


@part("gradient")
def gradient_part(student):
    student.expect("gradient", hand(), [0, 0], [1, 0], gives=gradient(hand(), [0, 0], [1, 0]), within=1e-8,
                   about="the gradient of the statement")
    for how_many, classes in [(1, 3), (2, 2), (6, 4), (15, 5)]:
        w, symbols, targets = some(student, classes, classes), symbols_of(student, how_many,
                                                                          classes), symbols_of(student, how_many,
                                                                                               classes)
        student.expect("gradient", w, symbols, targets, gives=gradient(w, symbols, targets), within=1e-8,
                       about="the gradient")


@part("training")
def training(student):
    found = [pair for name in lists.names()
             for pair in zip("`" + name, name + "`")]    # the character before 'a' is the dot
    symbols, targets = ([ord(letter) - 96 for letter in side] for side in zip(*found))
    w = student.ask("train", symbols, targets, 27, 1000, gives=array_of(27, 27), again=False)
    student.check(all(map(isfinite, w.numbers)), "the weights", "27 x 27 numbers", "some of them NaN or infinite")
    reached = whole_loss(w, symbols, targets) if max(w.numbers) < 700 else inf
    student.measured = reached
    student.check(reached <= 2.470, "the loss of the trained weights on 1513 names", "at most 2.470", f"{reached:.4f}")
