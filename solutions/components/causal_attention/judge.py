"""Causal attention query by query: scores, a softmax over the keys that are seen, a mean of the values."""
from math import exp, fsum, inf, nan, sqrt

from recto.judge.comparing import show
from recto.judge.judging import WHOLE, Array, Misconception, array_of, matrix, part

CLOSE = 1e-12           # sums of some products of a few units in double precision, in any order
LARGE = 1e-8            # a score of a million has a rounding error of 1e-10, and a weight the same relative error
LONG = 1e-9             # sums of 500 positive weights
PLACES = 500            # the matrix of weights has 2 MB
MOST = 400_000          # bytes: room for 100 of 500 rows, or for twenty copies of everything that is given


def sees(i, j, first, queries, keys):
    """Whether query i sees key j."""
    return j <= first + i


def power(score):
    return exp(score) if score < 709 else inf


def ratio(one, other):
    return one / other if other and not one == other == inf else nan


def scores(q, k, divisor=lambda d, queries, keys: sqrt(d)):
    by = divisor(q.shape[1], q.shape[0], k.shape[0])
    return [[fsum(a * b for a, b in zip(query, key)) / by for key in k.rows()] for query in q.rows()]


def softmax(row, seen, hidden=None, largest=lambda row, seen: max(score for score, one in zip(row, seen) if one), after=False):
    """The weights of a query. `hidden` is the score of a hidden key, None if the key takes no part; with `after` all keys take
    part, and the hidden weights become 0 at the end."""
    if not any(seen) and not after and hidden is None:
        return [nan if one else 0.0 for one in seen]
    top = largest(row, seen)
    takes = [score if one or after else hidden for score, one in zip(row, seen)]
    powers = [0.0 if score is None else power(score - top) for score in takes]
    whole = fsum(powers) if inf not in powers else inf
    return [ratio(one, whole) if seen_ or hidden is not None else 0.0 for one, seen_ in zip(powers, seen)]


def weights(q, k, first, sees=sees, divisor=lambda d, queries, keys: sqrt(d), **ways):
    """The rows of the matrix of weights."""
    queries, keys = q.shape[0], k.shape[0]
    return [softmax(row, [sees(i, j, first, queries, keys) for j in range(keys)], **ways)
            for i, row in enumerate(scores(q, k, divisor))]


def mean_of(rows, v):
    """The output for such weights; a weight of 0 takes no part."""
    return matrix([[fsum(a * value for a, value in zip(row, column) if a) if all(a == a for a in row) else nan
                    for column in zip(*v.rows())] for row in rows]) if rows else Array((0, v.shape[1]), [])


def attention_weights(q, k, first, **ways):
    return matrix(weights(q, k, first, **ways)) if q.shape[0] else Array((0, k.shape[0]), [])


def causal_attention(q, k, v, first, **ways):
    return mean_of(weights(q, k, first, **ways), v)


def through(change):
    """Both functions with changed rows of weights: change(q, k, first) gives them."""
    return (lambda q, k, first: matrix(change(q, k, first))), (lambda q, k, v, first: mean_of(change(q, k, first), v))


def both(name, says, change=None, **ways):
    """One mistake in the weights, as it shows in either function."""
    pair = through(change or (lambda q, k, first: weights(q, k, first, **ways)))
    return [Misconception(name, function, gives, says) for function, gives in zip(("attention_weights", "causal_attention"), pair)]


def over_queries(q, k, first):
    """The softmax down each column, over the queries that see its key."""
    columns = []
    for j, column in enumerate(zip(*scores(q, k))):
        seen = [sees(i, j, first, q.shape[0], k.shape[0]) for i in range(q.shape[0])]
        columns.append(softmax(column, seen) if any(seen) else [0.0] * q.shape[0])
    return [list(row) for row in zip(*columns)]


def renormalised(q, k, first):
    """A softmax over all keys, of which the hidden ones become 0, and then another division."""
    rows = []
    for i, row in enumerate(weights(q, k, first, sees=lambda *_: True)):
        kept = [a if sees(i, j, first, q.shape[0], k.shape[0]) else 0.0 for j, a in enumerate(row)]
        rows.append([ratio(a, fsum(kept)) for a in kept])
    return rows


def shortened(q, k, first):
    """A softmax over all keys in which the hidden ones have the score 0, and after it the weight 0."""
    return [[a if sees(i, j, first, q.shape[0], k.shape[0]) else 0.0 for j, a in enumerate(row)]
            for i, row in enumerate(weights(q, k, first, hidden=0.0))]


def powers(q, k, first):
    """The exponentials without their sum."""
    return [[exp(score - max(row[:first + i + 1])) if j <= first + i else 0.0 for j, score in enumerate(row)]
            for i, row in enumerate(scores(q, k))]


def top_of_matrix(q, k, first):
    top = max(map(max, scores(q, k)))
    return weights(q, k, first, largest=lambda row, seen: top)


def weakened(by):
    """Weights for which `by` was subtracted from the scores of hidden keys, which all take part."""
    def change(q, k, first):
        rows = [[score if sees(i, j, first, q.shape[0], k.shape[0]) else score - by for j, score in enumerate(row)]
                for i, row in enumerate(scores(q, k))]
        return [softmax(row, [True] * k.shape[0]) for row in rows]
    return change


def scaled_weights(q, k, first):
    """The root applied to the weights."""
    return [[a / sqrt(q.shape[1]) for a in row] for row in weights(q, k, first, divisor=lambda d, queries, keys: 1)]


def turned(q, k, v, first):
    """Transposed weights times the values."""
    return mean_of([list(row) for row in zip(*weights(q, k, first))], v) if q.shape[0] == k.shape[0] else None


def last_value(q, k, v, first):
    """The share of the last key that is seen."""
    rows = weights(q, k, first)
    kept = [[a if j == min(first + i, k.shape[0] - 1) else 0.0 for j, a in enumerate(row)] for i, row in enumerate(rows)]
    return mean_of(kept, v)


misconceptions = [
    # the scores
    *both("no-root", "the dot products were not divided by the root of d: scores of many components become large, and the softmax "
                     "saturates", divisor=lambda d, queries, keys: 1),
    *both("by-the-size", "the dot products were divided by d. A sum of d random terms is about as large as the root of d: divide by "
                         "the root", divisor=lambda d, queries, keys: d),
    *both("times-the-root", "the dot products were multiplied by the root of d: divide by it", divisor=lambda d, *_: 1 / sqrt(d)),
    *both("root-of-the-keys", "the dot products were divided by the root of the number of keys. A dot product has d terms, the columns "
                              "of q: divide by the root of d", divisor=lambda d, queries, keys: sqrt(keys)),
    *both("root-afterwards", "the weights were divided by the root of d, after the softmax. Divide the scores, before it",
          change=scaled_weights),
    # the mask
    *both("no-mask", "every query sees all keys: the mask is missing", sees=lambda i, j, *_: True),
    *both("not-itself", "a query does not see its own place here. It stands at place first + i and sees the keys 0 to first + i, this "
                        "one included", sees=lambda i, j, first, *_: j < first + i),
    *both("one-too-far", "a query sees one key of the future, the next place. In a language model that is the answer",
          sees=lambda i, j, first, *_: j <= first + i + 1),
    *both("mask-turned", "the queries see the future and not the past: the mask is upside down", sees=lambda i, j, first, *_: j >= first + i),
    *both("mask-afterwards", "hidden weights became 0 after the softmax. The others then add up to less than 1, by an amount that "
                             "depends on the hidden keys: hide keys before the softmax", after=True),
    *both("zero-scores", "a hidden key got the score 0, and e to the 0 is 1: it takes part. Its score must be minus infinity, or it must "
                         "be in no sum", hidden=0.0),
    *both("ones-in-the-sum", "the weights of a query add up to less than 1: a hidden key got the score 0, so e to the 0, which is 1, is in the "
                             "sum, and its weight became 0 afterwards. Leave hidden keys out of the sum", change=shortened),
    # Other numbers of about this size give the same weights here.
    *[one for much in (10000, 100000, 1000000)
      for one in both("not-low-enough", f"hidden keys got a finite score, such as -{much}. Seen keys may have lower scores, and then "
                                        "the hidden key wins: use minus infinity, or leave hidden keys out of every sum",
                      hidden=-float(much))],
    *[one for much in (1000, 10000, 100000, 1000000)
      for one in both("mask-too-weak", f"the mask subtracted a number, such as {much}, from the scores of hidden keys. A hidden score "
                                       "may be larger than the seen ones by more than that, and then the hidden key wins: use minus "
                                       "infinity, or leave hidden keys out of every sum", change=weakened(float(much)))],
    *both("first-ignored", "query i sees the keys 0 to i: the keys of before were not counted. It stands at place first + i",
          sees=lambda i, j, *_: j <= i),
    *both("past-forgotten", "a query sees the keys from place first on. The earlier keys, those in the cache, are its past",
          sees=lambda i, j, first, *_: first <= j <= first + i),
    *both("aligned-at-the-end", "the last query was taken to stand at the last key. Query i stands at place first + i, and keys may lie "
                                "behind all queries", sees=lambda i, j, first, queries, keys: j <= keys - queries + i),
    # the softmax
    *both("over-queries", "these weights add up to 1 down each column. The keys compete for a query: normalise along each row",
          change=over_queries),
    *both("no-division", "the exponentials were not divided by their sum: the weights of a query add up to 1", change=powers),
    *both("no-maximum", "exponentials overflow to infinity, or all become 0. Subtract the largest seen score first",
          largest=lambda row, seen: 0),
    *both("first-subtracted", "the first score of the row was subtracted, which need not be the largest: an exponential overflows if "
                              "another score is larger by 710", largest=lambda row, seen: row[0]),
    *both("hidden-maximum", "the maximum was taken over all keys. If a hidden score is far above the seen ones, all seen exponentials "
                            "are 0, and 0/0 is NaN: take the maximum over the seen keys",
          largest=lambda row, seen: max(row)),
    *both("hidden-maximum", "the softmax was computed over all keys, and the weights of the seen ones divided by their sum again. If a "
                            "hidden score is far above the seen ones, all seen weights are 0 by then, and 0/0 is NaN: take the maximum, "
                            "and the sum, over the seen keys", change=renormalised),
    *both("largest-size", "the largest size |s| was subtracted, not the largest score. Where all seen scores are far below zero, every "
                          "exponential is 0, and 0/0 is NaN: compare the scores with their signs",
          largest=lambda row, seen: max(abs(s) for s, one in zip(row, seen) if one)),
    *both("maximum-from-zero", "where all seen scores are far below zero, every exponential is 0, and 0/0 is NaN: the search for the "
                               "largest score begins with 0, which is larger than all of them. Begin with the first seen score, or "
                               "with minus infinity", largest=lambda row, seen: max(0.0, *(s for s, one in zip(row, seen) if one))),
    *[one for start in (-1000, -100000)
      for one in both("maximum-from-below", f"the search for the largest score begins with a number, such as {start}, and here all "
                                            "seen scores are far below it: every exponential is 0, and 0/0 is NaN. Begin with the "
                                            "first seen score, or with minus infinity",
                      largest=lambda row, seen, start=float(start): max(start, *(s for s, one in zip(row, seen) if one)))],
    *both("one-maximum", "one maximum served all queries. A query whose scores are far below it has exponentials of 0, and 0/0 is NaN: "
                         "take the maximum of each row", change=top_of_matrix),
    # the values
    Misconception("weights-turned", "causal_attention", turned,
                  "the output of a key was computed: the weights were used transposed. Row i of the output is the sum over j of a_ij v_j"),
    Misconception("last-value", "causal_attention", last_value,
                  "the output holds the share of the last key alone: add the shares up, with += instead of ="),
    Misconception("root-of-the-width", "causal_attention",
                  lambda q, k, v, first: mean_of(weights(q, k, first, divisor=lambda *_: sqrt(v.shape[1])), v),
                  "the dot products were divided by the root of the width of the values. A dot product has d terms, the columns of q: "
                  "divide by the root of d"),
    Misconception("beyond-the-keys", outcome="wrong answer", matches="threw an exception: matrix: there is no element",
                  when=lambda q, k, *rest: rest[-1] + q.shape[0] > k.shape[0],
                  says="a query may stand behind the last key, and then it sees all keys: end the loop at the number of keys"),
    # the memory
    Misconception("whole-matrix", part="memory",
                  says="causal_attention keeps the weights of all queries. An output needs the weights of its own query alone: compute "
                       "them, use them, and use their memory again for the next query"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's attention is not allowed here: write it yourself"),
]

WEIGHTS = "the weights, a row for each query and a column for each key"
OUTPUT = "the output, a row for each query"


def call_of(function, arguments):
    """A call with the names of its matrices."""
    names = ("q", "k", "first") if function == "attention_weights" else ("q", "k", "v", "first")
    return f"{function}({', '.join(f'{name} {show(value)}' for name, value in zip(names, arguments))})"


def some(student, rows, cols, size=2.0):
    return matrix([[round(student.random.uniform(-size, size), 2) for _ in range(cols)] for _ in range(rows)]) if rows else Array(
        (0, cols), [])


def compare_weights(student, q, k, first, within=CLOSE, about=""):
    student.expect("attention_weights", q, k, first, gives=attention_weights(q, k, first), within=within, about=WEIGHTS + about)


def compare_output(student, q, k, v, first, within=CLOSE, about=""):
    student.expect("causal_attention", q, k, v, first, gives=causal_attention(q, k, v, first), within=within, about=OUTPUT + about)


HAND = matrix([[1.0, 1.0, 0.0, 0.0]] * 2), matrix([[1.0, 1.0, 0.0, 0.0], [2.0, 2.0, 0.0, 0.0], [9.0, 9.0, 0.0, 0.0]])
VALUES = matrix([[10.0], [20.0], [1000.0]])
SIZES = [(2, 2, 1), (2, 2, 3), (3, 3, 4), (2, 4, 3), (5, 5, 2), (3, 6, 5), (8, 8, 16)]      # queries, keys, d


@part("weights")
def judge_weights(student):
    student.call = call_of
    compare_weights(student, some(student, 2, 3), some(student, 4, 3), 0)     # two more keys than queries: each mask and each root differs
    compare_weights(student, *HAND, 0)
    for queries, keys, d in SIZES:
        compare_weights(student, some(student, queries, d), some(student, keys, d), 0)


@part("output")
def judge_output(student):
    student.call = call_of
    compare_output(student, some(student, 3, 2), some(student, 3, 2), some(student, 3, 5), 0)
    compare_output(student, *HAND, VALUES, 0)
    for queries, keys, d in SIZES:
        for width in (1, 3):
            compare_output(student, some(student, queries, d), some(student, keys, d), some(student, keys, width), 0)


@part("lengths")
def judge_lengths(student):
    student.call = call_of
    # Where `first` is 0, a function that ignores it is right: that tells it from other mistakes in the mask.
    compare_weights(student, some(student, 2, 1), some(student, 2, 1), 0)
    compare_output(student, some(student, 2, 1), some(student, 2, 1), some(student, 2, 1), 0)
    compare_weights(student, some(student, 2, 1), some(student, 5, 1), 2)
    compare_weights(student, *HAND, 1)
    compare_output(student, *HAND, VALUES, 1)
    for queries, keys, first in [(1, 1, 0), (1, 2, 1), (1, 3, 1), (2, 5, 2), (2, 4, 0), (3, 7, 4), (1, 6, 5), (4, 3, 0), (3, 2, 1),
                                 (2, 3, 7), (1, 1, 100), (0, 3, 0), (0, 2, 5)]:
        for d in (1, 3):
            q, k, v = some(student, queries, d), some(student, keys, d), some(student, keys, 2)
            compare_weights(student, q, k, first)
            compare_output(student, q, k, v, first)


def levelled(student, levels, queries=2):
    """Queries and keys whose scores lie a few units around the levels, one for each key."""
    q = matrix([[1000.0, round(student.random.uniform(1, 2), 2), 0.0, 1.0] for _ in range(queries)])
    k = matrix([[level / 500, round(student.random.uniform(-2, 2), 2), 1.0, round(student.random.uniform(-1, 1), 2)] for level in levels])
    return q, k


@part("large")
def judge_large(student):
    student.call = call_of
    # One query has large scores, the other one small ones.
    for big in (0, 1):
        q = matrix([[2000.0 if big == i else 1.0, 1.0] for i in range(2)])
        k = matrix([[3.0, 0.5], [2.9995, -0.5]])
        compare_weights(student, q, k, 1, LARGE, ", large scores for one query")
        compare_output(student, q, k, some(student, 2, 2), 1, LARGE, ", large scores for one query")
    seen_high, seen_low = ", seen scores far above 0", ", seen scores far below 0"
    # At -500 a maximum of 0 still serves, and one of 500 does not.
    cases = [([800.0] * 3, 2, 0, seen_high), ([-500.0] * 3, 2, 0, seen_low), ([-800.0] * 3, 2, 0, seen_low),
             ([0.0, 0.0, 1e3], 2, 0, ", a hidden score far above the seen ones"),
             ([-2e4, -2e4, 0.0], 2, 0, ", seen scores far below a hidden one"),
             ([1e6] * 3, 3, 0, seen_high), ([-1e6] * 3, 3, 0, seen_low),
             ([0.0, 0.0, 1e6], 2, 0, ", a hidden score far above the seen ones"),
             ([0.0, 0.0, -1e6], 2, 0, ", a hidden score far below the seen ones"),
             ([-1e6, -1e6, -1e6, -1e6], 2, 1, seen_low), ([-1e6, 1e6, 0.0, 0.0], 3, 0, ", scores of all sizes"),
             ([0.0, 2000.0, -2000.0, 1e5], 2, 2, ", scores of all sizes")]
    for levels, queries, first, about in cases:
        q, k = levelled(student, levels, queries)
        compare_weights(student, q, k, first, LARGE, about)
        compare_output(student, q, k, some(student, len(levels), 2), first, LARGE, about)


@part("memory")
def judge_memory(student):
    """A long sequence: a sample of its outputs, and the bytes that the call held."""
    student.call = call_of
    q, k, v = (Array((PLACES, cols), [round(student.random.uniform(-2, 2), 2) for _ in range(PLACES * cols)]) for cols in (2, 2, 1))
    got, held = student.ask("counted", q, k, v, 0, gives=(array_of(PLACES, 1), WHOLE), again=False)
    for i in (0, 1, PLACES // 2, PLACES - 1, *(student.random.randrange(PLACES) for _ in range(30))):
        row = [power((q[i, 0] * k[j, 0] + q[i, 1] * k[j, 1]) / sqrt(2)) for j in range(i + 1)]
        expected = fsum(a * value for a, value in zip(row, v.numbers)) / fsum(row)
        student.check(abs(got.numbers[i] - expected) <= LONG, f"{OUTPUT}, {PLACES} queries and keys", f"{expected:.12g}",
                      f"{got.numbers[i]:.12g}", where=f"row {i}")
    student.check(held <= MOST, f"the memory that causal_attention holds at its peak, with {PLACES} queries and keys",
                  f"at most {MOST / 1e6:g} MB", f"{held / 1e6:.2f} MB", "whole-matrix")
