"""A table of pairs: its counts, its probabilities, its likelihood and its samples."""
from math import fsum, inf, log

from recto.judge import lists
from recto.judge.judging import REAL, Misconception, close, matrix, part

LETTERS = ".abcdefghijklmnopqrstuvwxyz"


def pairs(words, before=".", behind="."):
    """All pairs of neighbours."""
    for word in words:
        whole = before + word + behind
        yield from zip(map(LETTERS.index, whole), map(LETTERS.index, whole[1:]))


def table(found):
    counts = [[0.0] * 27 for _ in range(27)]
    for i, j in found:
        counts[i][j] += 1
    return matrix(counts)


def count(words):
    return table(pairs(words))


def shifted(words):
    """The table if 'a' has the number of the dot."""
    return table((max(0, i - 1), max(0, j - 1)) for i, j in pairs(words))


def glued(words):
    """The table of all words joined to one long word."""
    return table(pairs(["".join(words)]))


def shares(row, sum_):
    return [value / sum_ for value in row] if sum_ else [1 / len(row)] * len(row)


def probabilities(counts, smoothing):
    added = [[value + smoothing for value in row] for row in counts.rows()]
    return matrix([shares(row, fsum(row)) for row in added])


def down_columns(counts, smoothing):
    columns = [[value + smoothing for value in column] for column in zip(*counts.rows())]
    return matrix([list(row) for row in zip(*(shares(column, fsum(column)) for column in columns))])


def by_the_whole(counts, smoothing):
    whole = fsum(value + smoothing for value in counts.numbers)
    return matrix([shares([value + smoothing for value in row], whole) for row in counts.rows()])


def old_sum(counts, smoothing):
    return matrix([[(value + smoothing) / sum(row) for value in row] for row in counts.rows()]) if smoothing else None


def smoothing_once(counts, smoothing):
    return matrix([[(value + smoothing) / (sum(row) + smoothing) for value in row] for row in counts.rows()])


def no_smoothing(counts, smoothing):
    return matrix([shares(row, fsum(row)) for row in counts.rows()])


def undefined_rows(counts, smoothing):
    right = probabilities(counts, smoothing).rows()
    nan = float("nan")
    return matrix([row if sum(old) + smoothing else [nan] * len(row) for row, old in zip(right, counts.rows())])


def zero_rows(counts, smoothing):
    right = probabilities(counts, smoothing).rows()
    return matrix([row if sum(old) + smoothing else [0.0] * len(row) for row, old in zip(right, counts.rows())])


def logarithms(p, words, **ends):
    return [log(p[pair]) if p[pair] else -inf for pair in pairs(words, **ends)]


def likelihood(p, words):
    found = logarithms(p, words)
    return inf if -inf in found else -fsum(found) / len(found)


def letters_alone(p, words):
    found = logarithms(p, words, behind="")
    return -fsum(found) / len(found)


def sample(p, how_many, randoms, beyond=lambda sum_, u: sum_ > u, step=1, stays=False):
    """The words, and how many random numbers they took. With `step` -1 the sum begins at the last symbol; one that `stays` draws
    every symbol behind the dot."""
    words, used = [], 0
    for _ in range(how_many):
        word, before = "", 0
        while True:
            if used == len(randoms):
                return None
            sum_, next_ = 0.0, 0
            for j, value in list(enumerate(p.rows()[before]))[::step]:
                sum_ += value
                if value > 0:
                    next_ = j
                if beyond(sum_, randoms[used]):
                    break
            used += 1
            before = 0 if stays else next_
            if not next_:
                break
            word += LETTERS[next_]
        words.append(word)
    return words, used


def words_of(*arguments, **ways):
    found = sample(*arguments, **ways)
    return found and found[0]


def never_random(p):
    """The word of the likeliest symbols, cut if they repeat in a cycle."""
    before, word = 0, ""
    while len(word) < 27:
        row = p.rows()[before]
        before = row.index(max(row))
        if not before:
            break
        word += LETTERS[before]
    return word


def with_the_dot(p, how_many, randoms):
    return [word + "." for word in words_of(p, how_many, randoms)]


def one_number_a_word(p, how_many, randoms):
    words = []
    for u in randoms[:how_many]:
        found = sample(p, 1, [u] * 100)
        words.append(found[0][0] if found else "")
    return words


misconceptions = [
    Misconception("no-end", "count", lambda words: table(pairs(words, behind="")),
                  "the pairs of a last letter and the dot are missing: without them the table does not learn where words "
                  "end"),
    Misconception("no-start", "count", lambda words: table(pairs(words, before="")),
                  "the pairs of the dot and a first letter are missing: without them the table does not learn how words "
                  "begin"),
    Misconception("to-from", "count", lambda words: table((j, i) for i, j in pairs(words)),
                  "rows and columns are exchanged: the row is the first symbol of the pair, the column is the second"),
    Misconception("a-is-the-dot", "count", shifted,
                  "the letter a shares its number with the dot: the dot is 0, so letters begin at 1"),
    Misconception("each-pair-once", "count",
                  lambda words: matrix([[min(value, 1.0) for value in row] for row in count(words).rows()]),
                  "each pair was counted only once: add 1 every time it occurs"),
    Misconception("empty-word-skipped", "count", lambda words: count([word for word in words if word]),
                  "an empty word was skipped. It has one pair too: dot, dot"),
    Misconception("one-long-word", "count", glued,
                  "the last letter of a word is counted as the neighbour of the next word's first letter: two dots stand "
                  "between them"),
    Misconception("down-columns", "probabilities", down_columns,
                  "these numbers sum to one down each column. A row holds the probabilities of the symbols after one "
                  "symbol: each row must sum to one"),
    Misconception("by-the-whole", "probabilities", by_the_whole,
                  "these numbers sum to one over the whole table: they are the probabilities of the pairs. The exercise "
                  "asks for the probability of the second symbol given the first, so divide each row by its own sum"),
    Misconception("old-sum", "probabilities", old_sum,
                  "the rows do not sum to one: the sum was taken before the smoothing was added to the counts"),
    Misconception("smoothing-once", "probabilities", smoothing_once,
                  "the rows do not sum to one: the smoothing is added to every count of a row, so the sum contains it once "
                  "for each column"),
    Misconception("smoothing-after", "probabilities",
                  lambda counts, smoothing: matrix([[value + smoothing for value in row]
                                                    for row in no_smoothing(counts, smoothing).rows()]),
                  "the rows do not sum to one: the smoothing was added to the probabilities. Add it to the counts, before "
                  "the division"),
    Misconception("no-smoothing", "probabilities", no_smoothing, "these are the probabilities without the smoothing"),
    Misconception("empty-row", "probabilities", undefined_rows,
                  "a row without any count was divided by its sum, which is 0, and 0 over 0 is NaN"),
    Misconception("zero-row", "probabilities", zero_rows,
                  "a row without any count stayed zero, which means that no symbol may follow. Without information every "
                  "symbol gets the same probability"),
    Misconception("no-minus", "negative_log_likelihood", lambda p, words: -likelihood(p, words),
                  "the sign is wrong. Logarithms of probabilities are negative, and the loss is their negative mean; the "
                  "slides omit the minus too"),
    Misconception("sum", "negative_log_likelihood", lambda p, words: likelihood(p, words) * len(list(pairs(words))),
                  "this is the sum over all pairs. The mean is independent of the number of words"),
    Misconception("bits", "negative_log_likelihood", lambda p, words: likelihood(p, words) / log(2),
                  "this is the loss in bits: log is the natural logarithm, std::log, not the logarithm to base 2"),
    Misconception("mean-of-words", "negative_log_likelihood", lambda p,
                  words: likelihood(p, words) * len(list(pairs(words)))
                  / len(words), "this is the sum divided by the number of words. Divide it by the number of pairs"),
    Misconception("mean-of-means", "negative_log_likelihood", lambda p,
                  words: fsum(likelihood(p, [word]) for word in words)
                  / len(words), "this is a mean over words of means over their pairs, in which long words count too "
                                "little. All pairs count equally"),
    Misconception("letters-alone", "negative_log_likelihood", letters_alone,
                  "the pairs that end a word are missing: the dot is a symbol like any other, and the model has to predict "
                  "it too"),
    Misconception("boundary", "sample", lambda *a: words_of(*a, beyond=lambda sum_, u: sum_ >= u),
                  "a random number equal to the sum of the probabilities so far belongs to the next symbol: with >= a 0 "
                  "would choose a symbol of probability 0"),
    Misconception("sums-from-the-right", "sample", lambda *a: words_of(*a, step=-1),
                  "the probabilities were summed from the last symbol. The sum begins with the dot, symbol 0"),
    Misconception("with-the-dot", "sample", with_the_dot, "the dot ends a word, but it is not part of it"),
    Misconception("one-number-a-word", "sample", one_number_a_word,
                  "all symbols of a word were drawn with the same random number: each symbol takes the next number"),
    Misconception("always-behind-the-dot", "sample", outcome="crashed", matches="index outside",
                  when=lambda p, how_many, randoms: sample(p, how_many, randoms, stays=True) is None,
                  says="the random numbers ran out. Draw every symbol from the row of the symbol before it, and not from "
                       "the dot's row again"),
    Misconception("too-many-numbers", "sample", outcome="crashed", matches="index outside",
                  says="the list of random numbers ends with the last dot: each symbol takes one number, including the dot "
                       "that ends a word, and nothing is drawn after the last word"),
    Misconception("likeliest", "sample", lambda p, how_many, randoms: [never_random(p)] * how_many,
                  "the likeliest symbol was taken for every random number, so all words are the same. A sample takes each "
                  "symbol with its probability"),
    Misconception("underflow",
                  says="the probabilities were multiplied. The product of many probabilities underflows to 0, whose "
                       "logarithm is minus infinity: add up logarithms"),
    Misconception("takes-the-answer", outcome="did not compile", matches="solutions/.*is not among the files",
                  says="the solution cannot be included; write these four functions yourself"),
]


def some_words(student, how_many, longest=7, letters="abcxyz"):
    return ["".join(student.random.choice(letters) for _ in range(student.random.randint(0, longest)))
            for _ in range(how_many)]


def some_table(student, rows, cols, holes=0.4):
    return matrix([[0.0 if student.random.random() < holes else float(student.random.randint(1, 9))
                    for _ in range(cols)]
                   for _ in range(rows)])


@part("counting")
def counting(student):
    for words in (["ab", "b"], ["a"], [""], ["zz"], ["ada", "bob"], some_words(student, 12),
                  some_words(student, 30, 12, LETTERS[1:])):
        student.expect("count", words, gives=count(words), about="the counts")


@part("normalising")
def normalising(student):
    student.expect("probabilities", count(["ab", "b"]), 0.0, gives=probabilities(count(["ab", "b"]), 0.0), within=1e-12,
                   about="the probabilities without smoothing")
    for rows, cols in [(1, 1), (1, 4), (4, 1), (2, 3), (5, 4), (27, 27)]:
        for smoothing in (0.0, 1.0, 0.25):
            counts = some_table(student, rows, cols)
            student.expect("probabilities", counts, smoothing, gives=probabilities(counts, smoothing), within=1e-12,
                           about=f"the probabilities with smoothing {smoothing:g}")


@part("likelihood")
def likelihood_part(student):
    p = probabilities(count(["ab", "b"]), 0.0)
    student.expect("negative_log_likelihood", p, ["ab", "b"], gives=likelihood(p, ["ab", "b"]), within=1e-12,
                   about="the loss of the words of the statement")
    for how_many in (1, 2, 8):
        words = some_words(student, how_many, 7, "abcdefgh")
        p = probabilities(some_table(student, 27, 27), 0.5)
        student.expect("negative_log_likelihood", p, words, gives=likelihood(p, words), within=1e-9, about="the loss")
    words = some_words(student, 500)                    # their product is far below the smallest double
    got = student.ask("negative_log_likelihood", p, words, gives=REAL)
    student.check(got != inf, "the loss of 500 words", f"{likelihood(p, words):.10g}", "inf", "underflow")
    student.compare(got, likelihood(p, words), 1e-9, 0, "the loss of 500 words", "negative_log_likelihood", (p, words))
    p = probabilities(count(["ab", "b"]), 0.0)
    student.expect("negative_log_likelihood", p, ["ab", "ba"], gives=inf,
                   about="the loss of words with an impossible pair")


def draws(student, p, how_many):
    """The random numbers for `how_many` words, none of them near a boundary, where the rounding of sums could decide."""
    bounds = [sorted(sum(row[:j + 1]) for j in range(len(row))) for row in p.rows()]
    randoms = []
    while True:
        u = student.random.random()
        if all(abs(u - bound) > 1e-6 for row in bounds for bound in row):
            randoms.append(u)
            found = sample(p, how_many, randoms)
            if found:
                return found[0], randoms


@part("sampling")
def sampling(student):
    # The likeliest symbol is c, and sums from the right choose b.
    p = matrix([[0.25, 0.25, 0.125, 0.375] + [0.0] * 23] + [[1.0] + [0.0] * 26] * 26)
    student.expect("sample", p, 1, [0.45, 0.2], gives=["a"], about="one word")
    p = matrix([[0.25, 0.25, 0.5] + [0.0] * 24] + [[0.75, 0.0, 0.0, 0.25] + [0.0] * 23 for _ in range(26)])
    for randoms in ([0.5, 0.25], [0.25, 0.75, 0.0], [0.0, 0.25, 0.0], [0.5, 0.75, 0.25, 0.0]):
        words = first_words(p, randoms)
        student.expect("sample", p, len(words), randoms, gives=words, about="the words, with random numbers on a "
                                                                            "boundary")
    p = probabilities(count(["ab", "b"]), 0.0)
    student.expect("sample", p, 2, [0.2, 0.9, 0.3, 0.5, 0.7], gives=["ab", "b"], about="the words of the statement")
    for how_many in (1, 5, 20):
        p = probabilities(count(some_words(student, 40)), 0.0)
        words, randoms = draws(student, p, how_many)
        student.expect("sample", p, how_many, randoms, gives=words, about="the sampled words")


def first_words(p, randoms):
    """The complete words that these numbers give."""
    how_many = 1
    while sample(p, how_many + 1, randoms):
        how_many += 1
    return words_of(p, how_many, randoms)


@part("names")
def of_names(student):
    names = list(lists.names())
    counts = count(names)
    got = student.expect("count", names, gives=counts, about="the counts of 1513 names")
    p = student.expect("probabilities", got, 0.0, gives=probabilities(counts, 0.0), within=1e-12,
                       about="the probabilities of pairs in 1513 names")
    loss = student.expect("negative_log_likelihood", p, names, gives=likelihood(p, names), within=1e-9,
                          about="the loss of 1513 names")
    student.measured = loss
    student.check(close(loss, 2.4640, 1e-3), "the loss of 1513 names", "2.4640", f"{loss:.6g}")
    words, randoms = draws(student, probabilities(counts, 0.0), 25)
    student.expect("sample", p, 25, randoms, gives=words, about="25 invented names")
