"""Probabilities of tokens from scores, step by step, and a draw. A mistake changes one step."""
from math import exp, fsum, inf, isinf, nan

from recto.judge.judging import WHOLE, Array, Misconception, array_of, part

CLOSE = 1e-12           # sums of some positive numbers in double precision, in any order
LARGE = 1e-8            # a quotient of 1e5 has a rounding error of 1e-11, and a probability the same relative error
APART = 1e-6            # the least distance of a sum of probabilities from top_p
BESIDE = 1e-9           # the least distance of a sum of chances from u


def power(x):
    return exp(x) if x < 709 else inf


def ratio(one, other):
    return one / other if other and not one == other == inf else nan


def shared(powers):
    """Numbers over their sum."""
    whole = fsum(powers) if inf not in powers else inf
    return [ratio(one, whole) for one in powers]


def order_of(scores):
    """The tokens, that with the highest score first."""
    return sorted(range(len(scores)), key=lambda i: (-scores[i], i))


def softmax(quotients, top=max):
    highest = top(quotients)
    return shared([0.0 if isinf(z) else power(z - highest) for z in quotients])


def kept_k(probabilities, scores, k):
    """The k best stay, with probabilities that add up to 1."""
    if not k or k >= len(scores):
        return probabilities
    stays = set(order_of(scores)[:k])
    return shared([p if i in stays else 0.0 for i, p in enumerate(probabilities)])


def needed(probabilities, scores, p):
    """How many of the most probable tokens reach p."""
    so_far, count = 0.0, 0
    for i in order_of(scores):
        if so_far >= p or count == len(scores) or probabilities[i] == 0:
            break
        so_far += probabilities[i]
        count += 1
    return count


def kept_p(probabilities, scores, p):
    if p >= 1:
        return probabilities
    stays = set(order_of(scores)[:needed(probabilities, scores, p)])
    return shared([one if i in stays else 0.0 for i, one in enumerate(probabilities)])


def best_of(scores):
    return [float(i == order_of(scores)[0]) for i in range(len(scores))]


def divided(scores, temperature):
    return [z / temperature for z in scores]


def chances(scores, temperature, k, p, by=divided, top=max, best=best_of, by_k=kept_k, by_p=kept_p, soft=None):
    """The probabilities. A step can be changed."""
    z = list(scores.numbers)
    if temperature == 0:
        return floats_of(best(z))
    probabilities = (soft or (lambda z, t: softmax(by(z, t), top)))(z, temperature)
    return floats_of(by_p(by_k(probabilities, z, k), z, p))


def floats_of(numbers):
    return Array((len(numbers),), [float(number) for number in numbers])


def draw(given, u, passed=lambda whole, u: whole > u, end=None):
    """The token that u draws; `end` gives it where the sum of all chances is not enough."""
    whole, possible = 0.0, 0
    for i, chance in enumerate(given.numbers):
        whole += chance
        if passed(whole, u):
            return i
        possible = i if chance > 0 else possible
    return possible if end is None else end(given.numbers)


def at_once(name, says, **ways):
    return Misconception(name, "chances", lambda *given: chances(*given, **ways), says)


def unnormalised_k(probabilities, scores, k):
    stays = set(order_of(scores)[:k or len(scores)])
    return [p if i in stays else 0.0 for i, p in enumerate(probabilities)]


def with_ties(probabilities, scores, k):
    """All tokens whose score is that of the last one that stays, or higher."""
    least = scores[order_of(scores)[min(k or len(scores), len(scores)) - 1]]
    return shared([p if z >= least else 0.0 for p, z in zip(probabilities, scores)])


def above_the_last(probabilities, scores, k):
    """Only tokens whose score is higher than that of the last one that stays."""
    if not k or k >= len(scores):
        return probabilities
    least = scores[order_of(scores)[k - 1]]
    return shared([p if z > least else 0.0 for p, z in zip(probabilities, scores)])


def last_of_ties(probabilities, scores, k):
    stays = sorted(range(len(scores)), key=lambda i: (-scores[i], -i))[:k or len(scores)]
    return shared([p if i in stays else 0.0 for i, p in enumerate(probabilities)])


def lowest(probabilities, scores, k):
    stays = order_of(scores)[::-1][:k or len(scores)]
    return shared([p if i in stays else 0.0 for i, p in enumerate(probabilities)])


def zero_in_place(scores, temperature, k, p):
    """The others got the score 0 and took part in the softmax."""
    stays = set(order_of(scores.numbers)[:k or len(scores.numbers)])
    changed = [z if i in stays else 0.0 for i, z in enumerate(scores.numbers)]
    return chances(floats_of(changed), temperature, 0, p)


def short_of(probabilities, scores, p):
    """Without the token with which the sum reaches p; the most probable one always stays."""
    if p >= 1:
        return probabilities
    stays = set(order_of(scores)[:max(1, needed(probabilities, scores, p) - 1)])
    return shared([one if i in stays else 0.0 for i, one in enumerate(probabilities)])


def one_more(probabilities, scores, p):
    if p >= 1:
        return probabilities
    stays = set(order_of(scores)[:needed(probabilities, scores, p) + 1])
    return shared([one if i in stays else 0.0 for i, one in enumerate(probabilities)])


def unnormalised_p(probabilities, scores, p):
    stays = set(order_of(scores)[:needed(probabilities, scores, p)])
    return [one if i in stays else 0.0 for i, one in enumerate(probabilities)] if p < 1 else probabilities


def in_token_order(probabilities, scores, p):
    so_far, found = 0.0, []
    for one in probabilities:
        found.append(one if so_far < p else 0.0)
        so_far += one
    return shared(found) if p < 1 else probabilities


def from_the_least(probabilities, scores, p):
    so_far, found = 0.0, list(probabilities)
    for i in order_of(scores)[::-1]:
        if so_far >= p:
            found[i] = 0.0
        so_far += probabilities[i]
    return shared(found) if p < 1 else probabilities


def each_above(share):
    def kept(probabilities, scores, p):
        bound = share(probabilities, p)
        found = [one if one >= bound else 0.0 for one in probabilities]
        return (shared(found) if any(found) else [nan] * len(found)) if p < 1 else probabilities
    return kept


def p_of_all(scores, temperature, k, p):
    """The sum is over the probabilities before step 2."""
    if temperature == 0:
        return chances(scores, temperature, k, p)
    z = list(scores.numbers)
    probabilities = softmax(divided(z, temperature))
    stays = set(order_of(z)[:min(k or len(z), needed(probabilities, z, p) if p < 1 else len(z))])
    return floats_of(shared([one if i in stays else 0.0 for i, one in enumerate(probabilities)]))


def first_above(given, u):
    return next((i for i, chance in enumerate(given.numbers) if chance > u), len(given.numbers) - 1)


def from_the_last(given, u):
    count = len(given.numbers)
    return count - 1 - draw(floats_of(given.numbers[::-1]), u)


misconceptions = [
    # What an earlier part has shown to be right stands behind: a few probabilities have many explanations.
    # the probability p
    at_once("top-p-unused", "top_p was not used", by_p=lambda probabilities, scores, p: probabilities),
    at_once("short-of-p", "the sum of the tokens that stay is below p: the token with which it reaches p stays, too", by_p=short_of),
    at_once("one-more-than-needed", "one token more stays than is needed: stop as soon as the sum is at least p", by_p=one_more),
    at_once("p-not-divided-again", "the probabilities of the tokens that reach p add up to less than 1: divide them by their sum",
            by_p=unnormalised_p),
    at_once("in-the-order-of-the-tokens", "the probabilities were added up in the order of the tokens: begin with the most probable one",
            by_p=in_token_order),
    at_once("from-the-least-probable", "the probabilities were added up from the least probable token upwards: begin with the most "
                                       "probable one", by_p=from_the_least),
    at_once("each-above-p", "each probability was compared with p: it is their sum that reaches p", by_p=each_above(lambda some, p: p)),
    at_once("each-above-the-rest", "each probability was compared with 1 - p: it is the sum that reaches p",
            by_p=each_above(lambda some, p: 1 - p)),
    at_once("share-of-the-best", "tokens stay whose probability is at least p times that of the best one. That is another setting, min-p: "
                                 "here the sum reaches p", by_p=each_above(lambda some, p: p * max(some))),
    Misconception("p-of-all-tokens", "chances", p_of_all, "the sum was taken over the probabilities of all tokens. After top_k they are "
                  "divided by the sum of those that stay, and these reach p sooner"),
    # the k best
    at_once("top-k-unused", "top_k was not used: all tokens stay", by_k=lambda p, z, k: p),
    at_once("one-too-many", "k + 1 tokens stay: it is k", by_k=lambda p, z, k: kept_k(p, z, k + 1 if k else 0)),
    at_once("one-too-few", "k - 1 tokens stay: it is k", by_k=lambda p, z, k: kept_k(p, z, k - 1) if k > 1 else [nan] * len(p) if k else p),
    at_once("the-lowest", "the k tokens with the lowest scores stay: it is those with the highest", by_k=lowest),
    at_once("not-divided-again", "the probabilities of the tokens that stay add up to less than 1: divide them by their sum",
            by_k=unnormalised_k),
    at_once("with-ties", "more than k tokens stay, since all with the score of the last one stay: of equal scores, the token with the "
                         "smaller number counts as higher", by_k=with_ties),
    at_once("above-the-last", "only tokens stay whose score is above that of the k-th one, and that one does not stay itself",
            by_k=above_the_last),
    at_once("last-of-ties", "of equal scores, the tokens with the larger numbers stay: the smaller number counts as higher", by_k=last_of_ties),
    Misconception("zero-in-place", "chances", zero_in_place, "the tokens that do not stay got the score 0, and e to the 0 is 1: they take "
                  "part. Leave them out of the sum, or give them the score minus infinity"),
    at_once("none-for-zero", "top_k = 0 means that all tokens stay", by_k=lambda p, z, k: kept_k(p, z, k) if k else [nan] * len(p)),
    at_once("none-for-zero", "top_k = 0 means that all tokens stay", by_k=lambda p, z, k: kept_k(p, z, k) if k else [0.0] * len(p)),
    Misconception("more-than-there-are", outcome="wrong answer", matches="chances threw an exception: vector",
                  when=lambda *given: len(given) == 4 and given[2] > given[0].shape[0],
                  says="top_k may be larger than the number of tokens: then all stay"),
    # the temperature
    at_once("times-the-temperature", "the scores were multiplied by the temperature: divide by it. A high temperature makes the "
                                     "probabilities more equal", by=lambda z, t: [one * t for one in z]),
    at_once("no-temperature", "the temperature was not used", by=lambda z, t: z),
    at_once("divided-afterwards", "the probabilities were divided by the temperature, after the softmax: divide the scores, before it",
            soft=lambda z, t: [one / t for one in softmax(z)], by_k=unnormalised_k),
    at_once("no-maximum", "exponentials overflow to infinity, or all become 0. Subtract the largest quotient first", top=lambda z: 0.0),
    at_once("maximum-of-the-scores", "the largest score was subtracted from the quotients: subtract it before the division, or divide it, "
                                     "too", soft=lambda z, t: softmax(divided(z, t), top=lambda quotients: max(z))),
    at_once("maximum-from-zero", "where all scores are far below zero, every exponential is 0, and 0/0 is NaN: the search for the largest "
                                 "score begins with 0, which is larger than all of them", top=lambda z: max(0.0, *z)),
    at_once("no-division", "the exponentials were not divided by their sum", by_k=unnormalised_k,
            soft=lambda z, t: [0.0 if isinf(one) else power((one - max(z)) / t) for one in z]),
    # the temperature 0
    at_once("divided-by-zero", "a temperature of 0 is a case of its own: the best token gets 1, and nothing is divided",
            best=lambda z: [nan] * len(z)),
    at_once("last-best", "of equal scores the last token was taken: the one with the smaller number counts as higher",
            best=lambda z: [float(i == max(range(len(z)), key=lambda i: (z[i], i))) for i in range(len(z))]),
    at_once("shared-by-the-best", "tokens with equal scores shared the probability: with the temperature 0, a single token gets 1",
            best=lambda z: shared([float(one == max(z)) for one in z])),
    at_once("best-by-size", "the score of largest size was taken, not the highest one",
            best=lambda z: [float(i == max(range(len(z)), key=lambda i: (-inf if isinf(z[i]) else abs(z[i]), -i))) for i in range(len(z))]),
    # the draw
    Misconception("at-least", "draw", lambda given, u: draw(given, u, passed=lambda whole, u: whole >= u),
                  "the first token was taken at which the sum is at least u: it must be greater. With u = 0, a first token with the chance "
                  "0 would be drawn"),
    Misconception("behind-the-end", "draw", lambda given, u: draw(given, u, end=len),
                  "rounding left the sum of all chances at u or below, and there is no token of this number: take the last one with a "
                  "chance above 0"),
    Misconception("last-at-the-end", "draw", lambda given, u: draw(given, u, end=lambda numbers: len(numbers) - 1),
                  "rounding left the sum of all chances at u or below, and the last token was taken, whose chance is 0: take the last one "
                  "with a chance above 0"),
    Misconception("first-at-the-end", "draw", lambda given, u: draw(given, u, end=lambda numbers: 0),
                  "rounding left the sum of all chances at u or below, and token 0 was taken: take the last one with a chance above 0"),
    Misconception("no-sum", "draw", first_above, "u was compared with each chance: compare it with their sum so far"),
    Misconception("always-the-best", "draw", lambda given, u: given.numbers.index(max(given.numbers)),
                  "this is the most probable token, whatever u is"),
    Misconception("from-the-last", "draw", from_the_last, "the chances were added up from the last token to the first"),
    Misconception("one-too-early", "draw", lambda given, u: max(0, draw(given, u) - 1), "this is the token before the right one"),
    Misconception("equal-chances", "draw", lambda given, u: int(u * len(given.numbers)), "all tokens have the same chance here"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's sampling is not allowed here: write it yourself"),
]


def compare(student, scores, temperature, k=0, p=1.0, within=CLOSE, about="the probabilities"):
    given = floats_of(scores), float(temperature), k, float(p)
    got = student.ask("chances", *given, gives=array_of(None))
    student.compare(got, chances(*given), within, about=about, function="chances", arguments=given)


def some(student, count, size=3.0):
    return [round(student.random.uniform(-size, size), 2) for _ in range(count)]


@part("temperature")
def judge_temperature(student):
    compare(student, [1.0, 3.0, 2.0, 0.0], 2.0)
    for count, temperature in ((3, 1.0), (4, 0.5), (5, 3.0), (1, 0.7), (6, 1.3)):
        compare(student, some(student, count), temperature)
    compare(student, [1.0, -inf, 2.0], 0.8, about="the probabilities, one score is minus infinity")
    for scores, temperature in (([800.0, 801.0, 799.5], 1.0), ([-800.0, -801.0, -799.5], 1.0), ([-inf, -900.0, -901.0], 0.9),
                                ([3.0, 2.0, -4.0, 3.5], 100.0), ([8.0, 8.01, 7.0], 0.01), ([-8.0, -8.01, -7.99], 0.01),
                                ([1000.0, 999.99, 0.0], 0.01), ([-1000.0, -999.99, -1000.0], 0.01), ([500.0, -500.0, 0.0], 40.0),
                                ([2.0, -inf, 990.0, 989.0], 5.0)):
        compare(student, scores, temperature, within=LARGE, about="the probabilities, large quotients of scores and temperature"
                if max(abs(z) for z in scores if not isinf(z)) / temperature > 100 else "the probabilities")


@part("best")
def judge_best(student):
    about = "the probabilities, the temperature is 0"
    compare(student, [1.0, -5.0, 3.0, 2.0], 0, about=about)
    compare(student, [-inf, -2.0, -1.0], 0, about=about)
    compare(student, [1.0, 3.0, 0.0, 3.0, 3.0], 0, about=about + " and the highest score stands several times")
    for count in (1, 2, 6):
        compare(student, some(student, count), 0, about=about)
    compare(student, some(student, 5), 0, 3, 0.5, about=about)


@part("top_k")
def judge_top_k(student):
    # Ties first: without them k - 1 tokens are those above the last one.
    ties = "the probabilities, the score of the last possible token stands several times"
    compare(student, [1.0, 2.0, 2.0, 2.0, 2.0, 0.0, 3.0], 1.0, 3, about=ties)
    compare(student, [1.0, 3.0, 2.0, 0.0, -1.0], 2.0, 3)
    for count, k in ((4, 2), (6, 1), (7, 5), (5, 2), (5, 4)):
        compare(student, some(student, count), round(student.random.uniform(0.5, 2), 2), k)
    compare(student, [1.0, 2.0, 2.0, 2.0, 0.0, 3.0], 1.0, 2, about=ties)
    compare(student, [0.5, 0.5, 0.5, 0.5], 1.5, 1, about="the probabilities, all scores are equal")
    for count, k in ((4, 0), (3, 3)):
        compare(student, some(student, count), 1.2, k)
    compare(student, some(student, 3), 0.9, 5, about="the probabilities, fewer tokens than top_k")
    compare(student, [-inf, 2.0, -inf, 1.0], 1.0, 3, about="the probabilities, fewer finite scores than top_k")


@part("draw")
def judge_draw(student):
    def of(numbers, u, about="the number of the token"):
        given = floats_of(numbers), float(u)
        got = student.ask("draw", *given, gives=WHOLE)
        student.compare(got, draw(*given), about=about, function="draw", arguments=given)
    of([0.25, 0.35, 0.05, 0.2, 0.1, 0.05], 0.8)     # all mistakes but those at the ends give different tokens
    for u in (0.6, 0.2, 0.05, 0.95, 0.37):
        of([0.1, 0.2, 0.15, 0.35, 0.2], u)
    for _ in range(15):
        numbers = shared([round(student.random.uniform(0.1, 1), 2) for _ in range(student.random.randint(2, 7))])
        sums = [fsum(numbers[:i + 1]) for i in range(len(numbers))]
        u = student.random.random()
        while min(abs(u - one) for one in sums) < BESIDE:
            u = student.random.random()
        of(numbers, u)
    exact = "the number of the token, all sums are exact"
    for u in (0.25, 0.75, 0.5, 0.0, 0.125, 0.875):
        of([0.25, 0.5, 0.125, 0.125], u, exact)
    for numbers, u in (([0.0, 0.5, 0.0, 0.5, 0.0], 0.0), ([0.0, 0.5, 0.0, 0.5, 0.0], 0.5), ([0.0, 0.0, 1.0, 0.0], 0.99), ([1.0], 0.0)):
        of(numbers, u, exact + ", some chances are 0")
    almost = 1 - 2.0 ** -53
    of([0.1] * 10 + [0.0], almost, "the number of the token, the rounded sum of all chances is not greater than u")
    of([0.0] + [0.1] * 10 + [0.0, 0.0], almost, "the number of the token, the rounded sum of all chances is not greater than u")


@part("top_p")
def judge_top_p(student):
    """Sums of probabilities keep their distance from top_p, so that rounding decides nothing."""
    def some_p(scores, temperature, k):
        probabilities = kept_k(softmax(divided(scores, temperature)), scores, k)
        sums, so_far = [], 0.0
        for i in order_of(scores):
            so_far += probabilities[i]
            sums.append(so_far)
        while True:
            p = round(student.random.uniform(0.2, 0.97), 3)
            if min(abs(one - p) for one in sums) > APART:
                return p
    for k, p in ((0, 0.3), (0, 0.7), (3, 0.8)):     # in this order the usual mistakes give different answers
        compare(student, [1.0, 3.0, 2.0, 0.0], 2.0, k, p)
    compare(student, [0.0, 5.0, 1.0], 1.0, 0, 0.3, about="the probabilities, one token is enough")
    for count, k in ((4, 0), (5, 0), (6, 4), (6, 3), (7, 5), (3, 2), (8, 0), (5, 9)):
        scores, temperature = some(student, count, 1.5), round(student.random.uniform(0.6, 2), 2)
        compare(student, scores, temperature, k, some_p(scores, temperature, k))
    compare(student, [1.0, 1.0, 1.0, 1.0], 1.0, 0, 0.6, about="the probabilities, all scores are equal")
    compare(student, some(student, 5), 1.1, 0, 1.0, about="the probabilities, top_p is 1")
    compare(student, [-inf, 1.0, 0.5, -inf], 1.0, 0, 0.9)
    compare(student, [900.0, 901.0, 899.0, 0.0], 1.0, 3, 0.8, LARGE)
