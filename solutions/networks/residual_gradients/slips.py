"""The answers of slips, and their names."""
from math import nan, sqrt

from recto.judge.judging import Misconception, matrix

from .chain import EPSILON, WAYS, by_rules, forward, normalise, normalise_backward, pixels, table


def whole(rows):
    """As an argument or an answer; a matrix of no rows has no columns."""
    return matrix([list(row) for row in rows])


def normalise_like(**ways):
    return lambda z: whole(normalise(z.rows(), **ways))


def backward_like(**ways):
    return lambda z, dy: whole(normalise_backward(z.rows(), dy.rows(), **ways))


def forward_like(when=lambda skips, normalised: True, kind=lambda skips, normalised: (skips, normalised), **ways):
    """The forward pass with a slip, which shows only in some kinds of chains."""
    def give(skips, normalised, enter, stacked, leave, x):
        if not when(skips, normalised):
            return None
        signals, scores = forward(*kind(skips, normalised), enter.rows(), stacked.rows(), leave.rows(), x.rows(), **ways)
        return whole(sum(signals, [])), whole(scores)
    return give


def gradients_like(when=lambda skips, normalised: True, **ways):
    def give(skips, normalised, enter, stacked, leave, x, labels):
        if not when(skips, normalised):
            return None
        return whole(by_rules(skips, normalised, enter.rows(), stacked.rows(), leave.rows(), x.rows(), labels, **ways))
    return give


def table_like(**ways):
    def give(*arguments):
        enter, stacked, leave, x, labels = arguments[-5:]
        return whole(table(enter.rows(), stacked.rows(), leave.rows(), pixels(x, enter.shape[0]), labels, **ways))
    return give


def with_skips(skips, normalised):
    return bool(skips)


def with_normalisation(skips, normalised):
    return bool(normalised)


def without_normalisation(skips, normalised):
    return not normalised


misconceptions = [
    Misconception("by-rows", "normalise", normalise_like(by_rows=True),
                  "each row was normalised, which is layer normalisation. Batch normalisation takes the mean and the variance of each "
                  "column, over the images"),
    Misconception("one-less", "normalise", normalise_like(less=1),
                  "the variance was divided by N - 1. Here it is the mean of the squared deviations: divide by N"),
    Misconception("no-root", "normalise", normalise_like(divisor=lambda v: v + EPSILON),
                  "the columns were divided by the variance. The standard deviation is its root"),
    Misconception("epsilon-outside", "normalise", normalise_like(divisor=lambda v: sqrt(v) + EPSILON),
                  "epsilon was added to the standard deviation. It is added to the variance, under the root"),
    Misconception("no-epsilon", "normalise", normalise_like(divisor=lambda v: sqrt(v) if v else nan),
                  "epsilon is missing: add it to the variance, under the root"),
    Misconception("no-relu", "forward", forward_like(before=lambda h: h),
                  "the relu is missing: a block multiplies relu(h) by its matrix, not h"),
    Misconception("relu-afterwards", "forward", forward_like(before=lambda h: h, after=lambda f: [[max(v, 0.0) for v in r] for r in f]),
                  "the relu came after the product. Here a block first applies it to its input: relu(h) W"),
    Misconception("skip-forgotten", "forward", forward_like(with_skips, lambda s, n: (0, n)),
                  "the input of the block was not added, although `skips` is true"),
    Misconception("always-skips", "forward", forward_like(lambda s, n: not s, lambda s, n: (1, n)),
                  "the input of the block was added, although `skips` is false"),
    Misconception("skips-relu", "forward",
                  forward_like(with_skips, around=lambda h: [[max(v, 0.0) for v in row] for row in h]),
                  "relu(h) was added to the result of the layer. The skip adds h itself, with its negative numbers"),
    Misconception("always-normalised", "forward", forward_like(without_normalisation, lambda s, n: (s, 1)),
                  "the product was normalised, although `normalised` is false"),
    Misconception("never-normalised", "forward", forward_like(with_normalisation, lambda s, n: (s, 0)),
                  "the product was not normalised, although `normalised` is true"),
    Misconception("constants", "normalise_backward", backward_like(centre=False, project=False),
                  "dy was divided by the standard deviation, and nothing else. The mean and the variance depend on z too, and each "
                  "contributes a term"),
    Misconception("mean-alone", "normalise_backward", backward_like(project=False),
                  "the term of the mean is there, and that of the variance is missing: y times the mean of dy y"),
    Misconception("variance-alone", "normalise_backward", backward_like(centre=False),
                  "the term of the variance is there, and that of the mean is missing: the mean of dy"),
    Misconception("not-divided", "normalise_backward", backward_like(scale=False),
                  "the division by the standard deviation is missing"),
    Misconception("sum-of-losses", "gradients", gradients_like(times=lambda n: 1.0),
                  "these are the gradients of the sum over the images; the loss is the mean: 1/N is missing"),
    Misconception("no-target", "gradients", gradients_like(target=0.0),
                  "the derivative of the cross-entropy with respect to the scores is the probabilities minus 1 at the label; the 1 is "
                  "missing"),
    Misconception("skip-cut", "gradients", gradients_like(with_skips, around=False),
                  "the gradient goes through the layers alone. A sum hands its gradient to both summands, so that of the block's result "
                  "also reaches its input directly"),
    Misconception("path-cut", "gradients", gradients_like(path=False),
                  "the gradient goes around the blocks alone: what comes through relu(h) W is missing"),
    Misconception("mask-forgotten", "gradients", gradients_like(mask=lambda h: [[1.0] * len(row) for row in h]),
                  "the backward pass goes through the relu too: where the block's input is not positive, nothing arrives"),
    Misconception("reads-h", "gradients", gradients_like(read=lambda h: h),
                  "the gradient of a matrix is what it was multiplied with, transposed, times the gradient of the product. It was "
                  "multiplied with relu(h), not with h"),
    Misconception("not-turned", "gradients", gradients_like(back=lambda w: w),
                  "on the way back the gradient is multiplied by the transposed matrix"),
    Misconception("turned-result", "gradients", lambda *a: turned_blocks(gradients_like()(*a)),
                  "these matrices are transposed: the row belongs to the input, the column to the output"),
    Misconception("constants", "gradients", gradients_like(with_normalisation, norm=lambda z, dy: normalise_backward(z, dy, False, False)),
                  "dy was divided by the standard deviation, and nothing else. The mean and the variance depend on z too, and each "
                  "contributes a term"),
    Misconception("last-block-first", "gradients", lambda *a: backwards_blocks(gradients_like()(*a)),
                  "the gradient of the last block stands first. Put each at the place of its block"),
    *(Misconception(name, function, table_like(**ways), says) for function in ("table", "clothes") for name, ways, says in (
        ("squares", {"size": lambda rows: sum(v * v for row in rows for v in row)},
         "these are the squared norms: the root is missing"),
        ("mean-square", {"size": lambda rows: sqrt(sum(v * v for row in rows for v in row)) / len(rows)},
         "the squares were averaged. The norm is the root of their sum"),
        ("rows-exchanged", {"ways": ((0, 0), (1, 0), (0, 1), (1, 1))},
         "the second and the third row are exchanged: normalisation alone comes before skips alone"),
        ("from-both", {"ways": WAYS[::-1]}, "the rows stand in reverse order: neither comes first, both come last"),
    )),
    Misconception("takes-the-tape", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's tape is not allowed here: write the backward pass"),
]


def cut(found):
    rows = found.rows()
    m = len(rows[0])
    return [rows[at:at + m] for at in range(0, len(rows), m)]


def turned_blocks(found):
    return whole(row for block in cut(found) for row in zip(*block))


def backwards_blocks(found):
    return whole(row for block in cut(found)[::-1] for row in block)
