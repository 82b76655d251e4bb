"""Negative log-likelihoods, each from its density or its probabilities."""
from math import exp, inf, log, log1p, nan, pi, sqrt

from recto.judge.judging import Misconception, integers, matrix, part

TOLERANCE = 1e-12   # sums of a few numbers


def gaussian(means, targets, deviation, constant=True, width=True, power=2):
    """The loss and its gradient; the keywords omit terms like common mistakes do."""
    count = len(means)
    errors = [m - t for m, t in zip(means, targets)]
    spread = deviation ** power
    value = sum(e * e for e in errors) / (2 * spread * count)
    value += (log(deviation) if width else 0) + (log(2 * pi) / 2 if constant else 0)
    return value, [e / (spread * count) for e in errors]


def best_deviation(means, targets, missing=0):
    """The root of the mean square."""
    return sqrt(sum((m - t) ** 2 for m, t in zip(means, targets)) / (len(means) - missing))


def log_sum(row):
    """The logarithm of the sum of the exponentials."""
    largest = max(row)
    return largest + log(sum(exp(score - largest) for score in row))


def categorical(scores, labels):
    rows = scores.rows()
    count = len(rows)
    value = sum(log_sum(row) - row[label] for row, label in zip(rows, labels.numbers)) / count
    slopes = [[(exp(score - log_sum(row)) - (k == label)) / count for k, score in enumerate(row)]
              for row, label in zip(rows, labels.numbers)]
    return value, matrix(slopes)


def overflowing_rows(scores, labels):
    """The formula without protection against overflow."""
    value, slopes, count = 0.0, [], scores.shape[0]
    for row, label in zip(scores.rows(), labels.numbers):
        powers = [exp(score) if score < 709 else inf for score in row]
        shares = [power / sum(powers) if sum(powers) else nan for power in powers]
        shares = [nan if power == inf else share for power, share in zip(powers, shares)]
        value += (-log(shares[label]) if shares[label] > 0 else nan if shares[label] != shares[label] else inf) / count
        slopes.append([(share - (k == label)) / count for k, share in enumerate(shares)])
    return value, matrix(slopes)


def sigmoid(score):
    """1 / (1 + exp(-score)), for any score."""
    return 1 / (1 + exp(-score)) if score > 0 else exp(score) / (1 + exp(score))


def soft(number):
    """log(1 + exp(number)), for any number."""
    return number + log1p(exp(-number)) if number > 0 else log1p(exp(number))


def binary(scores, labels):
    pairs = list(zip(scores, labels.numbers))
    value = sum(soft(-score) if label else soft(score) for score, label in pairs) / len(pairs)
    return value, [(sigmoid(score) - label) / len(pairs) for score, label in pairs]


def logarithm(number):
    """The logarithm as in C, minus infinity for 0."""
    return log(number) if number > 0 else -inf


def overflowing(scores, labels):
    """The loss through the probability, which rounds to 0 or 1."""
    pairs = list(zip(scores, labels.numbers))
    value = sum(-logarithm(sigmoid(score)) if label else -logarithm(1 - sigmoid(score)) for score, label in pairs)
    return value / len(pairs), binary(scores, labels)[1]


def with_both_terms(scores, labels):
    """The same with the other term times 0, which is NaN where its logarithm is infinite."""
    def times(weight, number):
        return nan if weight == 0 and number == -inf else weight * number
    pairs = list(zip(scores, labels.numbers))
    value = -sum(times(label, logarithm(sigmoid(s))) + times(1 - label, logarithm(1 - sigmoid(s))) for s,
                 label in pairs)
    return value / len(pairs), binary(scores, labels)[1]


def summed(loss):
    """The sum instead of the mean."""
    def whole(*arguments):
        value, gradient = loss(*arguments)
        count = len(arguments[1].numbers)
        if isinstance(gradient, list):
            return value * count, [number * count for number in gradient]
        return value * count, matrix([[number * count for number in row] for row in gradient.rows()])
    return whole


def one_based(scores, labels):
    """The answer if labels are counted from 1."""
    return None if 0 in labels.numbers else categorical(scores, integers([label - 1 for label in labels.numbers]))


def without_label(scores, labels):
    """The gradient without the 1 that is subtracted at the label."""
    return categorical(scores, labels)[0], matrix([[exp(score - log_sum(row)) / scores.shape[0] for score in row]
                                                   for row in scores.rows()])


def label_one_alone(scores, labels):
    """The contribution of the samples with label 1 alone."""
    chosen = [label == 1 for label in labels.numbers]
    value = sum(soft(-score) for score, one in zip(scores, chosen) if one) / len(scores)
    return value, [one * slope for one, slope in zip(chosen, binary(scores, labels)[1])]


misconceptions = [
    Misconception("no-constant", "gaussian", lambda m, t, d: gaussian(m, t, d, constant=False),
                  "half of log 2 pi is missing. It changes no gradient, but it is part of the likelihood"),
    Misconception("no-width", "gaussian", lambda m, t, d: gaussian(m, t, d, width=False),
                  "the logarithm of the standard deviation is missing: a wider density is lower. Without this term a model "
                  "could always lower its loss by a larger deviation"),
    Misconception("squares-summed", "gaussian",
                  lambda m, t, d: (gaussian(m, t, d)[0] + sum((a - b) ** 2 for a, b in zip(m, t)) * (1 - 1 / len(m)) / (2 * d * d),
                                   gaussian(m, t, d)[1]),
                  "the squares were summed over the samples, and only the other terms are a mean"),
    Misconception("squares-alone", "gaussian", lambda m, t, d: gaussian(m, t, d, constant=False, width=False),
                  "these are the squares. The density has another factor before the exponential"),
    Misconception("deviation-not-squared", "gaussian", lambda m, t, d: gaussian(m, t, d, power=1),
                  "the exponent of the density contains the variance, which is the square of the deviation"),
    Misconception("gradient-turned", "gaussian", lambda m, t, d: (gaussian(m, t, d)[0], [-g for g in gaussian(m, t, d)[1]]),
                  "the gradient has the wrong sign: if a mean is too large, increasing it increases the loss"),
    Misconception("mean-absolute", "best_deviation", lambda m, t: sum(abs(a - b) for a, b in zip(m, t)) / len(m),
                  "this is the mean absolute error. Setting the derivative with respect to the deviation to zero gives the "
                  "mean of the squares"),
    Misconception("root-before-the-mean", "best_deviation",
                  lambda m, t: best_deviation(m, t) / sqrt(len(m)),
                  "the root was taken before the sum was divided by the number of samples"),
    Misconception("variance", "best_deviation", lambda m, t: best_deviation(m, t) ** 2,
                  "this is the best variance. The deviation is its square root"),
    Misconception("unbiased", "best_deviation", lambda m, t: best_deviation(m, t, 1),
                  "dividing by the number of samples minus one makes the estimate unbiased, but not the targets likeliest: "
                  "set the derivative with respect to the deviation to zero"),
    Misconception("overflow-rows", "categorical", overflowing_rows,
                  "the exponentials overflow, or all become zero. Factor the largest score of the row out of the sum "
                  "first, and compute the logarithm directly, without the probability"),
    Misconception("one-based", "categorical", one_based,
                  "each label was used as the class before it: labels count from 0"),
    Misconception("gradient-without-label", "categorical", without_label,
                  "the gradient holds only the probabilities. The score of the label occurs in the loss a second time, "
                  "with a minus sign"),
    Misconception("sum-of-rows", "categorical", summed(categorical),
                  "this is the sum over the samples, not their mean"),
    Misconception("through-probability", "binary", overflowing,
                  "the probability rounds to 0 or to 1 before the logarithm is taken. On paper, substitute the sigmoid "
                  "into the logarithm: log(1 + exp(-score)), and rewrite it for large negative scores"),
    Misconception("zero-times-infinity", "binary", with_both_terms,
                  "for large scores the term that the label switches off is 0 times infinity, which is NaN; and the "
                  "probability rounds to 0 or 1 before the logarithm is taken. On paper, substitute the sigmoid into the "
                  "logarithm"),
    *(Misconception("label-one-alone", "binary", gives,
                    "samples with the label 0 cost nothing here. Their probability is 1 minus the sigmoid, and its "
                    "logarithm counts too")
      for gives in (label_one_alone, lambda s, y: (label_one_alone(s, y)[0], binary(s, y)[1]))),
    Misconception("labels-swapped", "binary", lambda s, y: binary([-score for score in s], y),
                  "the sign of the score is wrong: a large score means the label 1, and with this label it must cost little"),
    Misconception("sum-of-scores", "binary", summed(binary), "this is the sum over the samples, not their mean"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's cross-entropy is not allowed here: write it yourself"),
]


def some(student, count, size=3.0):
    """Random numbers of two decimals."""
    return [round(student.random.uniform(-size, size), 2) for _ in range(count)]


@part("gaussian")
def judge_gaussian(student):
    about = "the mean of -log density (value 1) and its gradient with respect to each mean (value 2)"
    for means, targets, deviation in [([1.0, 3.0], [2.0, 3.0], 2.0), ([0.5], [0.5], 1.0), ([0.5], [-1.0], 1.0)]:
        student.expect("gaussian", means, targets, deviation, gives=gaussian(means, targets, deviation),
                       within=TOLERANCE, about=about)
    for count in [1, 2, 9]:
        means, targets = some(student, count), some(student, count)
        deviation = round(student.random.uniform(0.3, 3), 2)
        student.expect("gaussian", means, targets, deviation, gives=gaussian(means, targets, deviation), within=1e-11,
                       about=about)


@part("deviation")
def judge_deviation(student):
    about = "the deviation that makes the targets likeliest"
    student.expect("best_deviation", [1.0, 3.0], [2.0, 6.0], gives=best_deviation([1, 3], [2, 6]), within=TOLERANCE,
                   about=about)
    student.expect("best_deviation", [1.0, 3.0], [2.0, 3.0], gives=best_deviation([1, 3], [2, 3]), within=TOLERANCE,
                   about=about)
    for count in [2, 3, 10, 1]:
        means = some(student, count)
        targets = [mean + student.random.choice([-1, 1]) * student.random.uniform(0.2, 2) for mean in means]
        student.expect("best_deviation", means, targets, gives=best_deviation(means, targets), within=TOLERANCE,
                       about=about)


@part("categorical")
def judge_categorical(student):
    about = "the mean of -log probability (value 1) and its gradient by each score (value 2)"
    cases = [([[0.0, 0.0, 0.0]], [1]), ([[1.0, 2.0], [0.0, 3.0]], [0, 1]), ([[5.0]], [0])]
    for count, classes in [(1, 2), (3, 4), (5, 2), (2, 7)]:
        cases.append(([some(student, classes) for _ in range(count)],
                      [student.random.randrange(classes) for _ in range(count)]))
    for shift in [900.0, -900.0]:
        cases.append(([[shift + score for score in some(student, 3)] for _ in range(2)], [0, 2]))
    cases.append(([[1000.0, 0.0, -1000.0], [0.0, 2000.0, 1.0]], [2, 1]))
    for rows, labels in cases:
        scores, labels = matrix(rows), integers(labels)
        # scores near 1000 have rounding errors of 1e-13, and exponentials turn these into relative errors
        student.expect("categorical", scores, labels, gives=categorical(scores, labels), within=1e-11, about=about)


@part("binary")
def judge_binary(student):
    about = "the mean of -log probability (value 1) and its gradient by each score (value 2)"
    cases = [([0.0], [1]), ([2.0, -1.0], [1, 1]), ([2.0, -1.0], [0, 0])]
    for count in [1, 4, 9]:
        cases.append((some(student, count), [student.random.randint(0, 1) for _ in range(count)]))
    cases += [([40.0, -40.0], [0, 1]), ([800.0, -800.0, 1000.0, -1000.0], [1, 0, 0, 1]), ([800.0, -800.0], [1, 0])]
    for scores, labels in cases:
        labels = integers(labels)
        student.expect("binary", scores, labels, gives=binary(scores, labels), within=1e-11, about=about)
