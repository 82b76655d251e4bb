"""Dropout: any draws are right that independent draws can be expected to give."""
from math import ceil, floor, inf, isfinite, log

from recto.judge.comparing import show
from recto.judge.judging import Array, Misconception, array_of, matrix, part

RELATIVE = 1e-12        # a product or a quotient of two doubles, rounded twice
# Draws of probability p hit `count` times of `of` with a surprise of at least s in at most 2 exp(-s) of all gradings
# (Chernoff's bound): for the dozen counts of a grading together that is once in a hundred million.
SURPRISE = 22.0

misconceptions = [
    # the survivors
    Misconception("not-scaled", says="the survivors are unchanged: the mean of the results is 1 - p times the input. Divide the "
                                     "survivors by 1 - p in training, so that evaluation needs no factor"),
    Misconception("scaled-down", says="the survivors were multiplied by 1 - p. That is the factor for evaluation if training has "
                                      "none; here training divides by 1 - p"),
    Misconception("divided-by-p", says="the survivors were divided by p, the probability of a zero. They survive with probability "
                                       "1 - p: divide by that"),
    Misconception("by-the-count", says="the survivors were multiplied by the count of numbers over the count of survivors. Each "
                                       "factor then depends on all draws: the factor is 1/(1 - p), whatever the draws were"),
    Misconception("always-doubled", says="the survivors were doubled, which is right for p = 1/2 alone"),
    Misconception("single-precision", says="only the first digits of the factor are right: your program converts to float somewhere "
                                           "between the doubles"),
    Misconception("p-is-kept", says="p is the probability of a zero here, and your program keeps a number with probability p"),
    Misconception("first-p", says="the zeros are as frequent as the p of the first layer says. A static variable, such as a static "
                                  "distribution, is made once and keeps its first p: make it in each call, with layer.p"),
    Misconception("per-cent", says="probabilities so near 0 or 1 came out as 0 or 1. Do not round p to per cent or to another whole "
                                   "number: compare a random real number with p"),
    Misconception("eight-bits", says="the share of zeros fits a multiple of 1/256, as if your program took 8 bits of each draw and so "
                                     "rounded p to a 256th. Draw with std::bernoulli_distribution(p), or compare p with a number of "
                                     "at least 24 random bits"),
    # independence
    Misconception("one-draw", says="one draw decided for the whole matrix: draw inside both loops"),
    Misconception("one-draw-a-row", says="one draw decided for a whole row: draw inside the inner loop"),
    Misconception("one-draw-a-column", says="one draw decided for a whole column. This is dropout of units; here each number of each "
                                            "sample has its own draw"),
    Misconception("same-zeros", says="every step drops the same numbers. A generator that is copied, or made in each call, starts "
                                     "from the same state: draw from layer.random itself, by reference"),
    Misconception("exact-count", says="every step has the same number of zeros. Independent draws give a count that varies around p "
                                      "times the count of numbers"),
    # evaluation
    Misconception("drops-in-evaluation", says="evaluation mode dropped numbers: check layer.training"),
    Misconception("scaled-in-evaluation", says="evaluation mode multiplied by 1 - p. The survivors in training carry the factor "
                                               "1/(1 - p) already: both together make the activations too small"),
    Misconception("draws-in-evaluation", says="the evaluation drew random numbers, so the zeros of the next step are others than "
                                              "without it: how often you evaluate would change the training. Return x before you "
                                              "draw"),
    # backward
    Misconception("gradient-not-scaled", says="the derivative passes where the number passed, but without the factor. y is x/(1 - p) "
                                              "there, so the derivative of y with respect to x is 1/(1 - p)"),
    Misconception("gradient-everywhere", says="the derivative passes where the number was dropped. There y is 0 for every x, so its "
                                              "derivative is 0"),
    Misconception("new-zeros", says="the backward pass has zeros in other places than the forward pass. It must not draw again: keep "
                                    "the mask of the forward pass"),
    Misconception("zeros-of-before", says="these are the zeros of an earlier call of forward. The mask must be replaced in each call"),
    Misconception("mask-not-reset", says="the mask mixes two calls of forward: places that this call leaves out keep what an earlier "
                                         "call wrote there. Write the whole mask in each call, the zeros too, or begin with a new one"),
    Misconception("read-from-the-result", says="where x is 0 the derivative is always 0: the zeros of the result, or of x, were taken "
                                               "for dropped numbers. An x of 0, as a ReLU gives it, may have survived, and then its "
                                               "derivative is dy/(1 - p). Keep the draws themselves"),
    Misconception("drops-gradients", says="backward in evaluation mode: y is x, so the derivative is dy. Your program applied a mask"),
    # extremes
    Misconception("zero-times-infinity", says="with p = 1 the factor 1/(1 - p) is infinite, and 0 times infinity is NaN: choose 0 for "
                                              "a dropped number instead of multiplying"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's dropout is not allowed here: write it yourself"),
]


def near(got, expected):
    return abs(got - expected) <= RELATIVE * abs(expected)


def surprise(count, of, p):
    """How unlikely it is that `count` of `of` draws hit, each with probability p: 0 for the expected count."""
    share = count / of
    terms = [(share, p), (1 - share, 1 - p)]
    return of * sum(a * (log(a / b) if b else inf) for a, b in terms if a)


def likely(count, of, p):
    return surprise(count, of, p) <= SURPRISE


def place(x, at):
    return f"row {at // x.shape[1]}, column {at % x.shape[1]}"


def some(student, rows, cols):
    """Numbers with two decimals, none of them near zero."""
    return Array((rows, cols), [student.random.choice((-1, 1)) * round(student.random.uniform(0.5, 3), 2)
                                for _ in range(rows * cols)])


def factor(ratios, p, survivors_scale):
    """The misconception that all factors of the survivors tell."""
    known = [("not-scaled", 1), ("scaled-down", 1 - p), ("divided-by-p", 1 / p if p else inf), ("by-the-count", survivors_scale),
             ("always-doubled", 2)]
    for name, value in known:
        if ratios and all(abs(ratio - value) <= 1e-9 * value for ratio in ratios):
            return name
    if ratios and all(abs(ratio * (1 - p) - 1) <= 1e-5 for ratio in ratios):
        return "single-precision"
    return ""


def kept(student, x, y, p, about="the results in training mode"):
    """Which numbers survived; each result must be 0 or x/(1 - p). No x is 0."""
    ratios = [theirs / mine for mine, theirs in zip(x.numbers, y.numbers) if theirs]
    for at, (mine, theirs) in enumerate(zip(x.numbers, y.numbers)):
        if theirs == 0 or near(theirs, mine / (1 - p)):
            continue
        suspect = factor(ratios, p, len(x.numbers) / len(ratios))
        student.check(False, about, f"0 or {mine:.10g}/(1 - {p:g}) = {mine / (1 - p):.10g}", f"{theirs:.10g}", suspect, place(x, at))
    return [theirs != 0 for theirs in y.numbers]


def shared(survived, cols):
    """The misconception that a mask tells in which many numbers share a draw."""
    rows = [survived[at:at + cols] for at in range(0, len(survived), cols)]
    if cols == 1 or len(rows) == 1:
        return ""
    if len(set(survived)) == 1:
        return "one-draw"
    if all(row == rows[0] for row in rows):
        return "one-draw-a-column"
    return "one-draw-a-row" if all(len(set(row)) == 1 for row in rows) else ""


def asked_first(student):
    """The p of the first call that this process has answered, which is one of `forward` in the parts that count."""
    first = student.asked[0]
    return first.arguments[1] if first.function == "forward" else 0.5


def counted(student, survived, cols, p, about):
    """The share of zeros."""
    count, of = survived.count(False), len(survived)
    suspect = shared(survived, cols)
    if count in (0, of) and min(p, 1 - p) < 0.01:
        suspect = "per-cent"
    elif not suspect and asked_first(student) not in (p, 0.5) and likely(count, of, asked_first(student)):
        suspect = "first-p"     # a first p of 0.5 would leave open whether the program ignores p
    elif not suspect and likely(count, of, 1 - p):
        suspect = "p-is-kept"
    elif not suspect and any(likely(count, of, whole / 256) for whole in (floor(256 * p), ceil(256 * p))):
        suspect = "eight-bits"
    student.check(likely(count, of, p), about, f"about {p * of:.0f} of {of} are zero", f"{count} are zero", suspect)


def train(student, x, p, seed, about="the results in training mode"):
    """Which numbers survived in one step."""
    y = student.ask("forward", x, p, "training", seed, gives=array_of(*x.shape))
    return kept(student, x, y, p, about)


def call_of(function, arguments):
    """A call with the names of its numbers."""
    x, *rest = map(show, arguments)
    if function == "steps":
        return f"forward(x {x}), {rest[2]} times with one layer, p {rest[0]}, seed {rest[1]}"
    if function == "interrupted":
        between = "an evaluation between them" if arguments[-1] else "no evaluation between them"
        return f"forward(x {x}), twice in training mode with {between}, p {rest[0]}, seed {rest[1]}"
    if function == "second":
        return (f"forward(x {x}) in training mode, forward(x {rest[0]}) in {arguments[4]} mode, backward(dy {rest[1]}), p {rest[2]}, "
                f"seed {rest[4]}")
    if function == "backward":
        return f"forward(x {x}) in {arguments[3]} mode, backward(dy {rest[0]}), p {rest[1]}, seed {rest[3]}"
    return f"forward(x {x}) in {arguments[2]} mode, p {rest[0]}, seed {rest[2]}"


def new_seed(student):
    return student.random.randrange(1 << 40)


@part("training")
def training(student):
    student.call = call_of
    train(student, some(student, 4, 5), 0.25, new_seed(student))       # enough for the factor of the survivors to tell itself
    train(student, matrix([[2.0, 4.0]]), 0.5, 1)
    for rows, cols, p in [(1, 3, 0.25), (2, 3, 0.25), (3, 4, 0.6), (5, 2, 0.1)]:
        train(student, some(student, rows, cols), p, new_seed(student))
    for p in (0.3, 0.1, 0.8):
        survived = train(student, some(student, 60, 100), p, new_seed(student))
        counted(student, survived, 100, p, f"the zeros of 60 x 100 numbers, each dropped with probability {p:g}")


def pairs(student, survived, cols, p):
    """Neighbours: how often both of a pair were dropped."""
    rows = [survived[at:at + cols] for at in range(0, len(survived), cols)]
    beside = [(row[at], row[at + 1]) for row in rows for at in range(0, cols - 1, 2)]
    below = [pair for at in range(0, len(rows) - 1, 2) for pair in zip(rows[at], rows[at + 1])]
    for found, what in ((beside, "two neighbours in a row"), (below, "two neighbours in a column")):
        both = found.count((False, False))
        student.check(likely(both, len(found), p * p), f"pairs of {what} that were both dropped, each with probability {p:g}",
                      f"about {p * p * len(found):.0f} of {len(found)} pairs", f"{both} pairs", shared(survived, cols))


@part("independence")
def independence(student):
    student.call = call_of
    x, about = some(student, 4, 5), "100 steps of a layer of 4 x 5 numbers, each dropped with probability 0.5"
    steps = student.ask("steps", x, 0.5, new_seed(student), 100, gives=array_of(400, 5))
    survived = kept(student, Array((400, 5), x.numbers * 100), steps, 0.5, about)
    masks = [survived[at:at + 20] for at in range(0, 2000, 20)]
    counts = {mask.count(False) for mask in masks}
    student.check(any(mask != masks[0] for mask in masks), about, "other zeros in each step", "the same zeros in each step",
                  "same-zeros")
    student.check(len(counts) > 1 or counts <= {0, 20}, f"{about}: the count of zeros in each step",
                  "counts that vary around 10", f"always {min(counts)}", "exact-count")
    x, about = some(student, 1, 1), "1000 steps of a layer that has a single number, each dropped with probability 0.3"
    single = student.ask("steps", x, 0.3, new_seed(student), 1000, gives=array_of(1000, 1))
    survived = kept(student, Array((1000, 1), x.numbers * 1000), single, 0.3, about)
    counted(student, survived, 1, 0.3, about)
    for p in (0.3, 0.7):
        x = some(student, 60, 100)
        pairs(student, train(student, x, p, new_seed(student)), 100, p)
    both = sum(not a and not b for one, other in zip(masks[::2], masks[1::2]) for a, b in zip(one, other))
    student.check(likely(both, 1000, 0.25), "numbers that were dropped in a step and in the next one, each with probability 0.5",
                  "about 250 of 1000", f"{both} of 1000")


@part("evaluation")
def evaluation(student):
    student.call = call_of
    for x, p in [(matrix([[2.0, 4.0]]), 0.5), *((some(student, rows, cols), p) for rows, cols, p in
                                               [(1, 1, 0.3), (3, 4, 0.3), (5, 6, 0.9), (20, 20, 0.5), (2, 3, 1.0), (2, 3, 0.0)])]:
        y = student.ask("forward", x, p, "evaluation", new_seed(student), gives=array_of(*x.shape))
        for at, (mine, theirs) in enumerate(zip(x.numbers, y.numbers)):
            suspect = ("scaled-in-evaluation" if p < 1 and all(near(b, a * (1 - p)) for a, b in zip(x.numbers, y.numbers))
                       else "drops-in-evaluation" if all(b == 0 or p < 1 and near(b, a / (1 - p)) for a, b in zip(x.numbers, y.numbers))
                       else "")
            student.check(near(theirs, mine), f"the results in evaluation mode, p = {p:g}", f"{mine:.10g}", f"{theirs:.10g}", suspect,
                          place(x, at))
    x, seed = some(student, 8, 9), new_seed(student)
    without, with_ = (student.ask("interrupted", x, 0.5, seed, evaluates, gives=array_of(8, 9)) for evaluates in (False, True))
    zeros = [[number == 0 for number in y.numbers] for y in (without, with_)]
    student.check(zeros[0] == zeros[1], "the second step of training, after an evaluation between the steps",
                  f"{sum(zeros[0])} zeros, where they are without the evaluation", f"{sum(zeros[1])} zeros, in other places",
                  "draws-in-evaluation")


def passed(student, x, y, dy, dx, p, before=None):
    """The derivatives of a step of training. No x and no dy is 0. `before` tells what survived an earlier call."""
    survived = kept(student, x, y, p)
    due = [slope / (1 - p) if alive else 0.0 for slope, alive in zip(dy.numbers, survived)]
    wrong = [at for at, (mine, theirs) in enumerate(zip(due, dx.numbers)) if not near(theirs, mine)]
    if not wrong:
        return
    alive_there = [theirs != 0 for theirs in dx.numbers]
    suspect = ""
    if before and alive_there == before[:len(alive_there)]:
        suspect = "zeros-of-before"
    elif before and alive_there in [[either(*pair) for pair in zip(before, survived)] for either in (max, min)]:
        suspect = "mask-not-reset"
    elif alive_there == survived:
        slopes = [theirs / slope for theirs, slope in zip(dx.numbers, dy.numbers) if theirs]
        suspect = "gradient-not-scaled" if all(near(one, 1) for one in slopes) else factor(slopes, p, inf)
    elif all(alive_there):
        suspect = "gradient-everywhere"
    elif all(theirs == 0 or near(theirs, slope / (1 - p)) for theirs, slope in zip(dx.numbers, dy.numbers)):
        suspect = "new-zeros"
    at = wrong[0]
    fate, expected = (("survived", f"{dy.numbers[at]:.10g}/(1 - {p:g}) = {due[at]:.10g}") if survived[at] else ("was dropped", "0"))
    student.check(False, f"the derivative with respect to a number that {fate}", expected, f"{dx.numbers[at]:.10g}", suspect,
                  place(x, at))


@part("backward")
def backward(student):
    student.call = call_of
    def both(function, *arguments):
        shape = array_of(*arguments[-4].shape)
        return student.ask(function, *arguments, gives=(shape, shape))
    hand = matrix([[2.0, 4.0]]), matrix([[1.0, 3.0]])
    # The first matrix is so large that new draws neither repeat the mask nor let everything pass.
    cases = [(some(student, 4, 5), some(student, 4, 5), 0.4, new_seed(student)), *((*hand, 0.5, seed) for seed in (1, 2, 3))]
    cases += [(some(student, rows, cols), some(student, rows, cols), p, new_seed(student))
              for rows, cols, p in [(1, 6, 0.25), (3, 4, 0.25), (6, 7, 0.6), (30, 20, 0.3)]]
    for x, dy, p, seed in cases:
        y, dx = both("backward", x, dy, p, "training", seed)
        passed(student, x, y, dy, dx, p)
    for shape, mode in [((2, 4), "training"), ((6, 5), "training"), ((6, 5), "evaluation"), ((2, 4), "evaluation")]:
        before, x, dy, seed = some(student, 6, 5), some(student, *shape), some(student, *shape), new_seed(student)
        survived = train(student, before, 0.4, seed)
        y, dx = both("second", before, x, dy, 0.4, mode, seed)
        if mode == "training":
            passed(student, x, y, dy, dx, 0.4, survived)
        else:
            unchanged(student, dy, dx, "after a step of training")
    for rows, cols in [(1, 3), (4, 4)]:
        x, dy = some(student, rows, cols), some(student, rows, cols)
        unchanged(student, dy, both("backward", x, dy, 0.5, "evaluation", new_seed(student))[1], "alone")
    after_relu(student)


def unchanged(student, dy, dx, when):
    for at, (mine, theirs) in enumerate(zip(dy.numbers, dx.numbers)):
        student.check(near(theirs, mine), f"the derivatives of an evaluation {when}", f"{mine:.10g}", f"{theirs:.10g}",
                      "drops-gradients", place(dy, at))


def after_relu(student):
    """Half of the numbers are 0: the result does not show whether they survived, the derivative does."""
    p = 0.3
    x = Array((60, 50), [max(0.0, number) for number in some(student, 60, 50).numbers])
    dy = some(student, 60, 50)
    y, dx = student.ask("backward", x, dy, p, "training", new_seed(student), gives=(array_of(60, 50),) * 2)
    zeros = 0
    for at, (mine, theirs, slope, found) in enumerate(zip(x.numbers, y.numbers, dy.numbers, dx.numbers)):
        if mine:
            due = slope / (1 - p) if theirs else 0.0
            student.check(near(found, due), "the derivative with respect to a positive number, half of the others being 0",
                          f"{due:.10g}", f"{found:.10g}", "", place(x, at))
        else:
            student.check(theirs == 0, "the result for an x of 0", "0", f"{theirs:.10g}", "", place(x, at))
            student.check(found == 0 or near(found, slope / (1 - p)), "the derivative with respect to an x of 0",
                          f"0 or {slope:.10g}/(1 - {p:g}) = {slope / (1 - p):.10g}", f"{found:.10g}", "", place(x, at))
            zeros += found == 0
    of = x.numbers.count(0.0)
    student.check(likely(zeros, of, p), "the derivatives with respect to numbers that are 0, each dropped with probability 0.3",
                  f"about {p * of:.0f} zeros among {of} numbers", f"{zeros} zeros", "read-from-the-result" if zeros == of else "")


@part("extremes")
def extremes(student):
    student.call = call_of
    def step(x, dy, p):
        shape = array_of(*x.shape)
        return student.ask("backward", x, dy, p, "training", new_seed(student), gives=(shape, shape))
    for rows, cols in [(1, 2), (3, 4), (0, 3)]:
        x, dy = some(student, rows, cols), some(student, rows, cols)
        for p, factor_ in ((0.0, 1), (1.0, 0)):
            for what, given, got in zip(("results", "derivatives"), (x, dy), step(x, dy, p)):
                for at, (mine, theirs) in enumerate(zip(given.numbers, got.numbers)):
                    student.check(near(theirs, factor_ * mine), f"the {what} with p = {p:g}", f"{factor_ * mine + 0.0:.10g}",
                                  f"{theirs:.10g}", "" if isfinite(theirs) else "zero-times-infinity", place(x, at))
    for p in (0.001, 0.999):
        x, dy = some(student, 20, 20), some(student, 20, 20)
        y, dx = step(x, dy, p)
        passed(student, x, y, dy, dx, p)
        survived = train(student, some(student, 150, 200), p, new_seed(student))
        counted(student, survived, 200, p, f"the zeros of 150 x 200 numbers, each dropped with probability {p:g}")
