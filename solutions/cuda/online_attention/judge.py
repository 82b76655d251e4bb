"""Attention by its definition: a softmax of all scores, each row's largest score subtracted."""
from math import exp, inf, nan
from operator import mul

from recto.judge.judging import WRONG, Misconception, floats, matrix, part
from recto.judge.kernels import COMMON, at_most, in_all_orders, run, shuffled

DIM, CHUNK = 16, 32
SCALE = DIM ** -0.5


def scores(q, k, scale=SCALE):
    keys = k.rows()
    return [[scale * sum(map(mul, query, key)) for key in keys] for query in q.rows()]


def averages(rows, v):
    """For each row of scores the average of the rows of v, weighted by the softmax of the scores."""
    columns, found = list(zip(*v.rows())), []
    for row in rows:
        largest = max(row)
        weights = [exp(score - largest) for score in row]
        whole = sum(weights)
        found.append([sum(map(mul, weights, column)) / whole for column in columns])
    return matrix(found, "F")


def attention(q, k, v, order=""):
    return averages(scores(q, k), v)


def power(exponent):
    """An exponential with the bounds of a float."""
    return inf if exponent > 88.7 else 0.0 if exponent < -104 else exp(exponent)


def quotient(a, b):
    return a / b if b else nan


def scaled(scale):
    """A mistake that multiplies the products of queries and keys by another number."""
    return lambda q, k, v, order: averages(scores(q, k, scale), v)


def factor(before, now):
    return power(before - now)


def online(top=lambda before, chunk: max(before, *chunk), keep=factor, keep_values=None, start=-inf, divide=True,
           divide_each=False):
    """A mistake in the online algorithm: top(m, the scores of a chunk) gives the next m, keep(m, the next m) is the factor of
    the sum and keep_values of the values. `divide_each` divides after every chunk instead of once."""
    def one(row, values):
        largest, whole, mean = start, 0.0, [0.0] * DIM
        for first in range(0, len(row), CHUNK):
            chunk = row[first:first + CHUNK]
            now = top(largest, chunk)
            weights = [power(score - now) for score in chunk]
            new = [sum(map(mul, weights, column)) for column in zip(*values[first:first + CHUNK])]
            whole = keep(largest, now) * whole + sum(weights)
            mean = [(keep_values or keep)(largest, now) * old + more for old, more in zip(mean, new)]
            if divide_each:
                mean = [quotient(number, whole) for number in mean]
            largest = now
        return [quotient(number, whole) for number in mean] if divide and not divide_each else mean
    return lambda q, k, v, order: matrix([one(row, v.rows()) for row in scores(q, k)], "F")


def with_zeros(q, k, v, order):
    """Zeros pad the last chunk, and count as keys."""
    more = [[0.0] * DIM] * (-k.shape[0] % CHUNK)
    return attention(q, matrix(k.rows() + more, "F"), matrix(v.rows() + more, "F"))


def rounded_down(q, k, v, order):
    """The last chunk is left out unless it is full."""
    keys = k.shape[0] // CHUNK * CHUNK
    if not keys:
        return floats([nan] * len(q.numbers), q.shape)
    return attention(q, matrix(k.rows()[:keys], "F"), matrix(v.rows()[:keys], "F"))


def wrong(name, matches, says, part=None):
    return Misconception(name, outcome=WRONG, matches=matches, says=says, part=part)


def wrong_answer(name, gives, says, part=None):
    return Misconception(name, "attention", gives, says, part=part)


misconceptions = [
    wrong_answer("no-root", scaled(1), "the scores are not divided by the root of dim: s = q . k / 4"),
    wrong_answer("divided-by-dim", scaled(1 / DIM),
                 "the scores are divided by dim = 16: divide them by its root, s = q . k / 4"),
    wrong_answer("no-division", online(divide=False),
                 "the sums of the weighted values are right, but the division by the sum of the weights is missing"),
    wrong_answer("averages-keys", lambda q, k, v, order: attention(q, k, k),
                 "this is the average of the keys: the weights belong to the values"),
    wrong_answer("not-corrected", online(keep=lambda before, now: 1.0),
                 "the sums of earlier chunks were kept as they are when a larger score came. They hold e^(s - m) for the old "
                 "m: multiply both by expf(old m - new m)"),
    wrong_answer("only-the-sum-corrected", online(keep_values=lambda before, now: 1.0),
                 "the sum of the weights was corrected for a larger score, the weighted sum of the values was not: multiply "
                 "all its numbers by the same factor"),
    wrong_answer("only-the-values-corrected", online(keep=lambda before, now: 1.0, keep_values=factor),
                 "the weighted sum of the values was corrected for a larger score, the sum of the weights was not: multiply it "
                 "by the same factor"),
    wrong_answer("nan-in-the-first-chunk", online(keep=lambda before, now: power(now - before)),
                 "every number is NaN after the first chunk, where the old m is -INFINITY. Three mistakes do exactly this: a "
                 "correction of expf(new m - old m), which is infinite; weights of expf(s - old m), which are infinite too; and a "
                 "correction by 0 = expf(old m - new m) after the weights of the chunk were added, which leaves 0 / 0. First "
                 "multiply both sums by expf(old m - new m), then add expf(s - new m) for each key", part="chunk"),
    wrong_answer("upside-down", online(keep=lambda before, now: 0.0 if before == -inf else power(now - before)),
                 "the correction is upside down: the sums of earlier chunks were multiplied by expf(new m - old m). The factor is "
                 "expf(old m - new m)"),
    wrong_answer("last-chunk-only", online(top=lambda before, chunk: max(chunk), keep=lambda before, now: 0.0),
                 "only the last chunk is in the average. Either the sums are set again in every chunk: set them once, before all "
                 "chunks, and add to them. Or m stays -INFINITY, and expf(m - m') = 0 erases the sums: end each step with m = m'"),
    wrong_answer("divided-in-every-chunk", online(divide_each=True),
                 "the average was divided by the sum of the weights in every chunk, and then weighted as if it were still a "
                 "sum. Divide once, after the last chunk"),
    wrong_answer("zeros-count-as-keys", with_zeros,
                 "the places of the last chunk beyond the last key hold zeros, and they took part as keys with score 0, whose "
                 "weight is not 0. Leave them out, or give them the score -INFINITY"),
    wrong_answer("chunks-rounded-down", rounded_down,
                 "the last keys are missing: keys / chunk rounds down. The last chunk may be shorter than the others"),
    wrong_answer("no-maximum", online(top=lambda before, chunk: 0.0, start=0.0),
                 "expf overflows to infinity beyond 88 and is 0 below -104, and both make a NaN of the quotient. Subtract the "
                 "largest score so far from every score"),
    wrong_answer("maximum-from-zero", online(start=0.0),
                 "where all scores are far below zero every weight is 0, and zero over zero is NaN: the search for the largest "
                 "score starts from 0, which is larger than all of them"),
    wrong_answer("maximum-from-a-number", online(start=-1000.0),
                 "where all scores are far below the number from which the search for the largest score starts, every weight is "
                 "0, and zero over zero is NaN. Start from -INFINITY, which is smaller than any score"),
    wrong_answer("first-maximum", online(top=lambda before, chunk: max(chunk) if before == -inf else before),
                 "the largest score of the first chunk was subtracted in all chunks: a later score that is larger by 89 "
                 "overflows, and sums whose scores are far smaller vanish. Take the largest score so far in every chunk"),
    wrong_answer("maximum-of-the-chunk", online(top=lambda before, chunk: max(chunk)),
                 "each chunk subtracts its own largest score, even where an earlier score is larger. Then the factor expf(old m "
                 "- new m) overflows. The new m is the larger one of the old m and the chunk's largest score"),
    wrong("blocks-forgotten", r"got (\d+) of (?!\1 )\d+ that never were",
          "a part of y was never written: thread t of block b answers query b * group + t"),
    wrong("returns-early", r"waits at __syncthreads.* has returned",
          "threads without a query have returned, and the others wait for them at the barrier. These threads are needed, "
          "because they fetch numbers of the keys and values"),
    wrong("barrier-in-a-branch", r"waits at __syncthreads.* waits at",
          "some threads wait at a barrier that the others do not reach, because it stands in an if. All threads of a block "
          "must pass the same barrier"),
    wrong("same-place-of-y", r"race for y\[.* wrote it .* writes it",
          "two threads write different numbers to the same place of y: the answer to query i has the places i * dim to i * dim + "
          "15, and thread t of block b answers query b * group + t"),
    wrong("one-place-for-all-threads", r"race for (?!y\[).* wrote it .* writes it",
          "two threads write different numbers to the same place of shared memory. An array with __shared__ exists once for the "
          "whole block, so each of its places needs one thread that writes it. What belongs to a single query (its numbers, its "
          "scores, its sums) belongs in an array of the thread, without __shared__"),
    Misconception("no-first-barrier", outcome=WRONG, matches=r"race for (?!y\[).* reads? it", when=lambda q, k, *rest: k.shape[0] <= CHUNK,
                  says="one thread reads a place of shared memory and another writes it, without a fixed order. In the chunk: no "
                       "thread may use it before all threads have written their numbers. What belongs to a single query must "
                       "not be __shared__"),
    Misconception("no-second-barrier", outcome=WRONG, matches=r"race for (?!y\[).* reads? it", when=lambda q, k, *rest: k.shape[0] > CHUNK,
                  says="a single chunk is right, but with several chunks a thread writes its numbers of the next chunk while "
                       "others still use this one. Put a barrier at the end of each step"),
    wrong("chunk-not-filled", r"which no thread of the block has written",
          "this place of shared memory is uninitialised: a chunk has 32 x 16 numbers of k and 32 x 16 of v, and the block has "
          "64 threads, so each thread fetches 8 of each. Leave out the places beyond the last key, or fill them"),
    wrong("adds-to-nothing", r"reads (y\[|element )\d+.* which nobody has written",
          "y is uninitialised before this kernel: add up in variables of the thread and write y once"),
    wrong("no-guard", r"(reads|writes) ([qkvy]\[|element )-?\d+.* but .* has",
          "this number does not exist: the last block may have more threads than queries, and the last chunk may have fewer "
          "keys than 32"),
    Misconception("a-row-of-scores", outcome=WRONG, matches=r"uses the index \d+ .* in an array",
                  when=lambda q, k, *rest: k.shape[0] > 1000,
                  says="the array has no such place. A row of scores has as many numbers as there are keys, here more than a "
                       "thousand, and no array has room for any number of keys: keep the scores of one chunk at a time"),
    wrong("outside-of-the-chunk", r"uses the index -?\d+ .* in an array",
          "the array has no such place. A chunk has the rows 0 to 31 and the columns 0 to 15, and a block has 64 threads, "
          "twice as many as a chunk has rows"),
    wrong("rows-in-shared-memory", r"wanted at most 49152 bytes of shared memory",
          "a block has 48 KiB of shared memory, which holds the scores of 64 queries with at most 192 keys. Keep the scores of "
          "one chunk at a time"),
    Misconception("sums-in-global-memory", says="y is written again and again: the weighted sums of the values live in global "
                                                "memory and are changed there in every chunk. Keep them in an array of the "
                                                "thread and write y once, at the end"),
    Misconception("keys-fetched-twice", says="every key costs more reading than its 16 numbers and those of its value. Usually the "
                                             "same block fetches keys or values more than once, as by one loop for the largest "
                                             "score and another for the sums. The online algorithm finds both in one loop: it "
                                             "corrects the sums whenever a larger score comes"),
    Misconception("query-fetched-again", says="every thread fetches the numbers of its query again for every key: copy them into an "
                                              "array of the thread once, before the first chunk"),
    Misconception("row-by-row", says="every thread fetches a row of its own, so that a warp touches many lines of 128 bytes at "
                                     "once. Neighbouring threads should fetch neighbouring numbers: thread t the places t, t + "
                                     "64 and so on of the chunk"),
    Misconception("no-tile", says="each warp fetches every key and value from global memory for itself, number by number. Let "
                                  "the block fetch a chunk once, into shared memory"),
    *COMMON,
]


def draw(student, rows, largest, first=None):
    """Whole numbers up to `largest` in rows of DIM, the first number of row j replaced by first(j)."""
    whole = student.random.randrange
    numbers = [[float(whole(-largest, largest + 1)) for _ in range(DIM)] for _ in range(rows)]
    for j, row in enumerate(numbers if first else []):
        row[0] = float(first(j))
    return matrix(numbers, "F")


def check(student, ask, q, k, v, about="the averages", rounds=True, **order):
    # A score is a sum of 16 products, each rounded, and its exponential may be computed as a power of 2: the exponent is
    # wrong by at most 24 roundings of `score`, the sum of the absolute products. The sums have a term for each key and a
    # correction for each chunk. Numerator and denominator are wrong by this part of themselves. Where each weight is 0 or 1,
    # however the scores are rounded, `rounds` is False.
    score = max(max(scores(absolute(q), absolute(k)), key=max)) if rounds else 0
    roundings = 24 * score + k.shape[0] + 64
    return ask(student, "attention", q, k, v, gives=attention(q, k, v),
               within=2 * max(map(abs, v.numbers)) * roundings * 2.0**-24, about=about, **order)


def absolute(x):
    return floats(list(map(abs, x.numbers)), x.shape)


def plain(rows, number):
    """Rows that begin with number(j), and zeros."""
    return matrix([[float(number(j))] + [0.0] * (DIM - 1) for j in range(rows)], "F")


def ordinary(student, ask, queries, keys, **order):
    check(student, ask, draw(student, queries, 2), draw(student, keys, 2), draw(student, keys, 9), **order)


@part("chunk")
def chunk(student):
    check(student, in_all_orders, plain(64, lambda i: 1), plain(32, lambda j: 0), plain(32, lambda j: j),
          "the averages of the values 0 to 31, where all scores are 0")
    ordinary(student, in_all_orders, 64, 32)


@part("chunks")
def chunks(student):
    check(student, run, plain(64, lambda i: 1), plain(64, lambda j: j // CHUNK * 4), plain(64, lambda j: 1 + j // CHUNK),
          "the averages, where the first chunk has scores of 0 and values of 1, the second scores of 1 and values of 2")
    # Scores that rise from key to key, and scores that fall.
    for rises in (1, -1):
        check(student, run, draw(student, 64, 2, lambda i: 2), draw(student, 64, 1, lambda j: rises * j / 4),
              draw(student, 64, 9))
    ordinary(student, in_all_orders, 64, 64)
    ordinary(student, run, 64, 96, order=shuffled(student))


@part("lengths")
def lengths(student):
    check(student, in_all_orders, plain(1, lambda i: 8), plain(3, (1, 0, 2).__getitem__), plain(3, (4, 8, 6).__getitem__),
          "the example of the statement, with scores of 2, 0 and 4 and values of 4, 8 and 6")
    for queries, keys in ((1, 1), (2, 33), (65, 31), (5, student.random.randrange(97, 128))):
        ordinary(student, run, queries, keys)
    # In shuffled order a case is asked only once, because the last one takes long.
    ordinary(student, run, student.random.randrange(66, 80), 40, order=shuffled(student))
    ordinary(student, run, 1, 1100, order=shuffled(student))


@part("large")
def large(student):
    # 80 * 40 / 4 = 800; the other 15 numbers add a few units to each score.
    for first, what in ((lambda j: 40, "around 800"), (lambda j: -40, "around -800"),
                        (lambda j: 40 * (j // CHUNK - 1), "around -800, 0 and 800 in the three chunks"),
                        (lambda j: 40 * (1 - j // CHUNK), "around 800, 0 and -800 in the three chunks")):
        check(student, run, draw(student, 3, 2, lambda i: 80), draw(student, 70, 2, first), draw(student, 70, 9),
              f"the averages, with scores {what}")
    # 2000 * 2000 / 4 = 10^6. The scores differ by 5000 or not at all, so one key has the whole weight.
    for keys, most in ((1, 0), (70, 40)):
        check(student, run, plain(3, lambda i: 2000), plain(keys, lambda j: -2000 + 10 * (j == most > 0)),
              draw(student, keys, 9), "the average of one value, with a score of -1,000,000" if keys == 1 else
              "the averages, with scores of -1,000,000, and -995,000 for key 40", rounds=False)


def suspect(instructions, lines, keys):
    """The likely cause of too many transactions for these keys, from how many lines the instructions of warps touch."""
    if lines < 4 * keys:
        return "keys-fetched-twice"
    if lines > 200 * keys:      # 16 numbers for each of 64 threads, whose rows lie in 32 lines
        return "query-fetched-again"
    return "row-by-row" if lines > 4 * instructions else "no-tile"


@part("traffic")
def traffic(student):
    # What 256 more keys cost does not depend on how q is read. A row has 64 bytes, half a line: k and v have 256 lines.
    few, many = 64, 320
    first, then = (check(student, run, draw(student, 64, 2), draw(student, keys, 2), draw(student, keys, 9))
                   for keys in (few, many))
    more = then.load_transactions - first.load_transactions
    requests = then.load_requests - first.load_requests
    at_most(student, then, then.store_transactions - first.store_transactions, 0,
            f"additional transactions that write, for {many} keys instead of {few}", "sums-in-global-memory")
    at_most(student, then, more, (many - few) * 5 // 4,
            f"additional transactions that read, for {many} keys instead of {few}", suspect(requests, more, many - few),
            f"{requests} additional instructions of warps, which touch {more} lines of 128 bytes")
