"""Attention with a cache, token by token and head by head. A mistake changes one step."""
from math import exp, fsum, inf, nan, sqrt

from recto.judge.comparing import show
from recto.judge.judging import ARRAY, WHOLE, Array, Misconception, array_of, integers, matrix, part

CLOSE = 1e-12           # sums of some products of a few units in double precision, in any order
LARGE = 1e-8            # a score of 1e5 has a rounding error of 1e-11, and a weight the same relative error


def power(x):
    return exp(x) if x < 709 else inf


def ratio(one, other):
    return one / other if other and not one == other == inf else nan


def mean_of(weights, values):
    """The values with these weights; a weight of 0 takes no part."""
    return nan if any(a != a for a in weights) else fsum(a * value for a, value in zip(weights, values) if a)


def table(rows, width):
    return matrix(rows) if rows else Array((0, width), [])


def attend(q, k, v, heads, keys, values, length, place=lambda length, i: length + i, sees=lambda length, i, n, capacity:
           range(length + i + 1), stored=lambda key, value: (key, value), raised=lambda length, n: length + n,
           divisor=lambda d, width, seen: sqrt(d), columns=lambda h, d, heads: range(h * d, h * d + d),
           shares=lambda h, heads, key_heads: h // (heads // key_heads), top=max, divided=True, at_once=False, many=None):
    """What attend does: the result, the rows of the cache up to its length, the length. A step can be changed: the row that a new
    token gets, which rows it sees, what is stored; how the length changes; by what a score is divided; which columns belong to a
    head, and which head of keys; what is subtracted before the exponential. With `at_once` all new tokens are stored before the
    first one reads; `many` replaces the number of heads."""
    heads = many(q, heads) if many else heads
    cache_keys, cache_values = [list(row) for row in keys.rows()], [list(row) for row in values.rows()]
    n, width = q.shape
    d, capacity, found = width // heads, keys.shape[0], []
    key_heads = k.shape[1] // d

    def store(i):
        cache_keys[place(length, i)], cache_values[place(length, i)] = map(list, stored(k.rows()[i], v.rows()[i]))
    for i in range(n if at_once else 0):
        store(i)
    for i, query in enumerate(q.rows()):
        if not at_once:
            store(i)
        row = [nan] * width
        seen = sees(length, i, n, capacity)
        for h in range(heads):
            mine, theirs = columns(h, d, heads), columns(shares(h, heads, key_heads), d, key_heads)
            scores = [fsum(query[a] * cache_keys[s][b] for a, b in zip(mine, theirs)) / divisor(d, width, len(seen)) for s in seen]
            powers = [power(score - top(scores)) for score in scores]
            whole = (fsum(powers) if inf not in powers else inf) if divided else 1.0
            for a, b in zip(mine, theirs):
                row[a] = mean_of([ratio(one, whole) for one in powers], [cache_values[s][b] for s in seen])
        found.append(row)
    now = raised(length, n)
    return matrix(found), table(cache_keys[:now], k.shape[1]), table(cache_values[:now], v.shape[1]), now


def in_pieces(q, k, v, heads, capacity, pieces, **ways):
    """A text with one cache. A negative length sets the cache back."""
    def junk(number):
        return matrix([[number] * k.shape[1] for _ in range(capacity)])
    keys, values, length, at, found = junk(1000.0), junk(-1000.0), 0, 0, [None] * q.shape[0]

    def rows(x, begin, end):
        return matrix(x.rows()[begin:end])
    for piece in map(int, pieces.numbers):
        if piece < 0:
            at += piece
            length = at
            continue
        y, new_keys, new_values, length = attend(*(rows(x, at, at + piece) for x in (q, k, v)), heads, keys, values, length, **ways)
        keys, values = (matrix(new.rows() + old.rows()[len(new.rows()):]) for new, old in ((new_keys, keys), (new_values, values)))
        found[at:at + piece] = y.rows()
        at += piece
    return matrix(found)


def too_many(q, k, v, heads, keys, values, length, threw=1, added=0):
    """A call that does not fit."""
    rows = [(table(old.rows()[:length] + new.rows()[:added], new.shape[1])) for old, new in ((keys, k), (values, v))]
    return threw, *rows, length + added


def both(name, says, **ways):
    """One mistake, as it shows in one call and in a text in pieces."""
    return [Misconception(name, "attend", lambda *given: attend(*given, **ways), says),
            Misconception(name, "in_pieces", lambda *given: in_pieces(*given, **ways), says)]


misconceptions = [
    # storing
    *both("length-as-it-was", "the new tokens were stored, and the length of the cache stayed as it was: raise it by the number of new "
                              "tokens", raised=lambda length, n: length),
    *both("one-more-only", "the length was raised by 1. It grows by the number of new tokens", raised=lambda length, n: length + 1),
    *both("from-the-first-row", "the new tokens were stored from row 0 on, over the oldest ones. They follow the tokens in the cache: "
                                "the first one gets row cache.length", place=lambda length, i: i),
    *both("over-the-last", "a new token was stored in the row of the last old one. Row t belongs to place t, and places are counted "
                           "from 0: the first new token gets row cache.length", place=lambda length, i: max(length + i - 1, 0)),
    *both("keys-twice", "the keys were stored as values, too: cache.values takes v", stored=lambda key, value: (key, key)),
    *both("exchanged", "keys and values were exchanged when they were stored", stored=lambda key, value: (value, key)),
    # what a token sees
    *both("not-itself", "a new token does not see itself here. It sees the places 0 to its own",
          sees=lambda length, i, n, capacity: range(length + i)),
    *both("all-rows", "all rows of the cache take part, those behind its length too. They hold anything: end the loop at the place of "
                      "the token", sees=lambda length, i, n, capacity: range(capacity)),
    *both("new-tokens-only", "a token sees the new tokens and not those that were in the cache before: begin at place 0",
          sees=lambda length, i, n, capacity: range(length, length + i + 1)),
    *both("old-tokens-and-itself", "a token sees itself and the tokens that were in the cache before the call, and not the new ones "
                                   "between", sees=lambda length, i, n, capacity: [*range(length), length + i]),
    *both("future", "of several new tokens, each sees all: a token must not see those that come after it",
          sees=lambda length, i, n, capacity: range(length + n), at_once=True),
    *both("oldest-forgotten", "a token does not see place 0", sees=lambda length, i, n, capacity: range(min(1, length + i), length + i + 1)),
    # scores and weights
    *both("no-root", "the dot products were not divided by the root of d", divisor=lambda d, width, seen: 1.0),
    *both("by-the-size", "the dot products were divided by d: divide by the root of d", divisor=lambda d, width, seen: d),
    *both("root-of-the-width", "the dot products were divided by the root of the width of all heads. The dot product of a head has d "
                               "terms", divisor=lambda d, width, seen: sqrt(width)),
    *both("root-of-the-length", "the dot products were divided by the root of the number of keys: divide by the root of d",
          divisor=lambda d, width, seen: sqrt(seen)),
    *both("no-division", "the exponentials were not divided by their sum", divided=False),
    *both("no-maximum", "exponentials overflow to infinity, or all become 0. Subtract the largest score first", top=lambda scores: 0.0),
    *both("maximum-from-zero", "where all scores are far below zero, every exponential is 0, and 0/0 is NaN: the search for the largest "
                               "score begins with 0, which is larger than all of them", top=lambda scores: max(0.0, *scores)),
    *both("first-subtracted", "the first score was subtracted, which need not be the largest: an exponential overflows if another score "
                              "is larger by 710", top=lambda scores: scores[0]),
    # heads
    *both("one-head", "all columns were taken as one head. Each head has scores and weights of its own", many=lambda q, heads: 1),
    *both("interleaved", "head h took every column number h, h + heads, and so on. The columns of a head are neighbours, h d to h d + "
                         "d - 1", columns=lambda h, d, heads: range(h, h + d * heads, heads)),
    *both("first-keys-for-all", "all heads read with the keys and values of the first one", shares=lambda h, heads, key_heads: 0),
    *both("groups-dealt-out", "head h read with the head of keys h modulo their number. Neighbours share: of 6 heads and 2 heads of "
                              "keys, the first three read with the first", shares=lambda h, heads, key_heads: h % key_heads),
    *both("groups-of-the-wrong-size", "h was divided by the number of the heads of keys. Divide by the size of a group, which is heads "
                                      "divided by that number", shares=lambda h, heads, key_heads: h if heads == key_heads else min(h // key_heads, key_heads - 1)),
    Misconception("queries-columns", outcome="wrong answer", matches="attend threw an exception: matrix: there is no element",
                  when=lambda q, k, *rest: q.shape[1] != k.shape[1],
                  says="a column of the queries was looked up among the keys, which have fewer: if several heads share keys, head h reads "
                       "with those of its group"),
    # the end of the cache
    Misconception("no-check", outcome="wrong answer", matches="too_many threw an exception: matrix: there is no element",
                  says="the new tokens do not fit into the cache, and your function wrote behind its last row: throw std::length_error"),
    Misconception("another-exception", outcome="wrong answer", matches="too_many threw an exception: ",
                  says="the new tokens do not fit into the cache, and an exception of another type came out: throw std::length_error"),
    Misconception("last-row-unused", outcome="wrong answer", matches="^(attend|in_pieces) threw an exception: ",
                  when=lambda *given: True, says="these tokens fit: the last one takes the last row of the cache"),
    Misconception("stored-before-the-check", "too_many", lambda q, k, v, heads, keys, values, length:
                  too_many(q, k, v, heads, keys, values, length, added=keys.shape[0] - length),
                  "the exception came after some of the new tokens had been stored: check before the first one whether all of them fit"),
    Misconception("silent", "too_many", lambda *given: too_many(*given, threw=0),
                  "the new tokens do not fit, and your function returned as if nothing had happened: throw std::length_error"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's attention is not allowed here: write it yourself"),
]

ABOUT = "the result, the keys and the values in the cache, and its length"
NAMES = {"attend": ("q", "k", "v", "heads", "cache.keys", "cache.values", "cache.length"),
         "in_pieces": ("q", "k", "v", "heads", "capacity", "pieces"),
         "too_many": ("q", "k", "v", "heads", "cache.keys", "cache.values", "cache.length")}
KINDS = {"attend": (array_of(None, None), array_of(None, None), array_of(None, None), WHOLE), "in_pieces": ARRAY,
         "too_many": (WHOLE, array_of(None, None), array_of(None, None), WHOLE)}


def call_of(function, arguments):
    """A call with the names of its arguments."""
    return f"{function}({', '.join(f'{name} {show(value)}' for name, value in zip(NAMES[function], arguments))})"


def compare(student, function, given, gives, within, about):
    student.call = call_of
    got = student.ask(function, *given, gives=KINDS[function])
    student.compare(got, gives, within, about=about, function=function, arguments=given)


def some(student, rows, cols, size=2.0):
    return table([[round(student.random.uniform(-size, size), 2) for _ in range(cols)] for _ in range(rows)], cols)


def cache_of(student, capacity, length, cols, beyond=None):
    """Keys, values, length. Behind the length there are other numbers of usual size, or `beyond`."""
    def rows():
        return matrix([[beyond if beyond is not None and row >= length else number for number in numbers]
                       for row, numbers in enumerate(some(student, capacity, cols).rows())])
    return rows(), rows(), length


def one_call(student, n, heads, d, capacity, length, key_heads=None, within=CLOSE, beyond=None, about=ABOUT):
    width, narrow = heads * d, (key_heads or heads) * d
    given = some(student, n, width), some(student, n, narrow), some(student, n, narrow), heads, *cache_of(
        student, capacity, length, narrow, beyond)
    compare(student, "attend", given, attend(*given), within, about)


def text_in_pieces(student, heads, d, capacity, pieces, key_heads=None):
    narrow, tokens = (key_heads or heads) * d, sum(pieces)
    given = some(student, tokens, heads * d), some(student, tokens, narrow), some(student, tokens, narrow), heads, capacity, integers(pieces)
    compare(student, "in_pieces", given, in_pieces(*given), CLOSE,
            "what all tokens read, in pieces of these lengths" + (", of which a negative one sets the cache back" if min(pieces) < 0 else ""))


@part("token")
def judge_token(student):
    one_call(student, 1, 1, 3, 6, 4)        # four columns of different meaning: each divisor differs
    given = *map(matrix, ([[1.0]], [[1.0]], [[6.0]])), 1, matrix([[0.0], [0.0], [50.0]]), matrix([[2.0], [4.0], [90.0]]), 2
    compare(student, "attend", given, attend(*given), CLOSE, ABOUT)
    for d, capacity, length in ((1, 4, 2), (2, 5, 2), (3, 4, 1), (4, 8, 5), (2, 9, 7), (5, 12, 3)):
        one_call(student, 1, 1, d, capacity, length)
    one_call(student, 1, 1, 2, 3, 0, about=ABOUT + ", the cache is empty before")


@part("heads")
def judge_heads(student):
    one_call(student, 1, 2, 3, 6, 4)
    for heads, d, capacity, length in ((2, 2, 5, 3), (3, 2, 6, 2), (4, 1, 5, 4), (2, 4, 3, 0), (5, 3, 9, 7)):
        one_call(student, 1, heads, d, capacity, length)


@part("prompt")
def judge_prompt(student):
    one_call(student, 3, 1, 2, 8, 2)
    for n, heads, d, capacity, length in ((2, 1, 1, 5, 2), (2, 2, 2, 6, 3), (4, 2, 3, 9, 1), (5, 1, 2, 7, 0), (3, 3, 1, 8, 4)):
        one_call(student, n, heads, d, capacity, length)
    for heads, d, pieces in ((1, 2, [1, 1, 1]), (2, 2, [3, 1, 1]), (1, 3, [2, 3]), (2, 1, [1, 4, 2, 1]), (2, 3, [8])):
        text_in_pieces(student, heads, d, sum(pieces) + 2, pieces)


@part("rows")
def judge_rows(student):
    one_call(student, 1, 1, 2, 5, 2, beyond=300.0, about=ABOUT + ", with large numbers behind the length")
    one_call(student, 2, 2, 2, 6, 1, beyond=-300.0, about=ABOUT + ", with large numbers behind the length")
    text_in_pieces(student, 1, 2, 6, [2, 1, -2, 1, 1, 1])
    text_in_pieces(student, 2, 2, 8, [4, -4, 2, 2])
    text_in_pieces(student, 1, 3, 7, [1, 2, 2, -1, 1, -5, 5])
    one_call(student, 1, 1, 2, 4, 3, about=ABOUT + ", the last row is taken")
    one_call(student, 3, 2, 1, 5, 2, about=ABOUT + ", the last row is taken")
    for n, heads, d, capacity, length in ((1, 1, 2, 3, 3), (3, 1, 2, 4, 2), (4, 2, 1, 3, 0)):
        given = *(some(student, n, heads * d) for _ in range(3)), heads, *cache_of(student, capacity, length, heads * d)
        compare(student, "too_many", given, too_many(*given), 0,
                "a cache that is too small: whether std::length_error was thrown, then the keys, the values and the length of the cache")


@part("large")
def judge_large(student):
    for levels in ([800.0, 801.0, 800.5], [-800.0, -801.0, -800.5], [1e5, 1e5 - 1, 1e5 + 1], [-1e5, -1e5 + 1, -1e5 - 2],
                   [0.0, 2000.0, -2000.0], [-1e5, 1e5, 0.0]):
        q, keys = matrix([[1000.0, round(student.random.uniform(1, 2), 2)]]), [
            [level / 1000 * 2 ** 0.5, round(student.random.uniform(-1, 1), 2)] for level in levels]
        given = q, matrix([keys[-1]]), some(student, 1, 2), 1, matrix(keys), some(student, 3, 2), 2
        compare(student, "attend", given, attend(*given), LARGE, f"{ABOUT}, scores up to {max(map(abs, levels)):g}")


@part("groups")
def judge_groups(student):
    one_call(student, 1, 6, 2, 5, 3, key_heads=2)
    one_call(student, 1, 6, 2, 5, 3, key_heads=3)
    for n, heads, key_heads, d, capacity, length in ((1, 2, 1, 3, 4, 2), (2, 4, 2, 1, 6, 1), (3, 8, 2, 2, 7, 4), (2, 4, 4, 2, 5, 0),
                                                     (1, 6, 1, 2, 4, 3)):
        one_call(student, n, heads, d, capacity, length, key_heads)
    text_in_pieces(student, 4, 2, 8, [2, 1, 3], key_heads=2)
