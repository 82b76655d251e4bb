"""A softmax for each row, in the order of the definition, with each row's largest number subtracted."""
from math import exp, inf, log, nan

from recto.judge.judging import WRONG, Misconception, floats, matrix, part
from recto.judge.kernels import COMMON, at_most, in_all_orders, run

GROUP = 128


def by_rows(function, x):
    return matrix([function(row) for row in x.rows()], "F")


def row_softmax(row):
    powers = [exp(number - max(row)) for number in row]
    return [power / sum(powers) for power in powers]


def softmax(x, order=""):
    return by_rows(row_softmax, x)


def in_floats(row, shift):
    """The softmax with shift(row) subtracted instead of the maximum, and with the bounds of a float."""
    powers = [inf if number - shift > 88.7 else 0 if number - shift < -104 else exp(number - shift) for number in row]
    whole = sum(powers)
    return [nan if power == inf or whole == 0 else power / whole for power in powers]


def own_sums(row):
    powers = [exp(number - max(row)) for number in row]
    folded = powers + [0] * (-len(powers) % GROUP)
    sums = [sum(folded[t::GROUP]) for t in range(GROUP)]
    return [power / sums[j % GROUP] for j, power in enumerate(powers)]


def wrong(name, matches, says):
    return Misconception(name, outcome=WRONG, matches=matches, says=says)


misconceptions = [
    Misconception("maximum-from-zero", "softmax", lambda x, order: by_rows(lambda row: in_floats(row, max(0, *row)), x),
                  "in a row of numbers far below zero all exponentials are zero, and zero over zero is NaN: the search for "
                  "the largest number starts from 0, which is larger than all of them"),
    Misconception("no-maximum", "softmax", lambda x, order: by_rows(lambda row: in_floats(row, 0), x),
                  "expf overflows to infinity beyond 88, and infinity over infinity is NaN. Subtract each row's largest "
                  "number first"),
    Misconception("two-to-the-power", "softmax",
                  lambda x, order: by_rows(lambda row: row_softmax([number * log(2) for number in row]), x),
                  "these are powers of 2: use expf, which computes powers of e"),
    Misconception("lowered-once", "softmax",
                  lambda x, order: by_rows(lambda row: [power * exp(max(row)) if max(row) < 88 else inf for power in row_softmax(row)],
                                           x),
                  "the largest number was subtracted in the sum, but not in the exponentials of the numerator: subtract it "
                  "in both"),
    Misconception("logarithms", "softmax",
                  lambda x, order: by_rows(lambda row: [log(power) for power in row_softmax(row)], x),
                  "these are the logarithms of the probabilities"),
    Misconception("no-division", "softmax",
                  lambda x, order: by_rows(lambda row: [exp(number - max(row)) for number in row], x),
                  "the exponentials are right, but the division by their sum is missing"),
    Misconception("own-sum-only", "softmax", lambda x, order: by_rows(own_sums, x),
                  "every thread divides by the sum of its own numbers. Divide by the sum of the whole row, which the tree "
                  "leaves in one place"),
    wrong("first-row-only", r"got 256 of 384 that never were",
          "only row 0 was written. Each block has its own row, which begins at number blockIdx.x * cols"),
    wrong("first-columns-only", r"got (\d+) of (?!\1 )\d+ that never were",
          "some columns were never written: a row may have more numbers than the block has threads. Let each thread take "
          "several numbers, 128 apart"),
    wrong("lanes-that-sleep", r"the mask 0x|takes the value of lane",
          "the mask of a shuffle names lanes that do not call it: the shuffle stands in a loop or an if that some threads "
          "of the warp have left. All lanes of the mask must call it"),
    wrong("returns-early", r"waits at __syncthreads.* has returned",
          "threads without a column have returned, and the others wait for them at the barrier. Let them contribute minus "
          "infinity, and later 0"),
    wrong("barrier-in-a-branch", r"waits at __syncthreads.* waits at",
          "some threads wait at a barrier that the others do not reach, because it stands in an if. All threads of a block "
          "must pass the same barrier"),
    wrong("no-barrier-between", r"race for ", "a place of shared memory is read by one thread and overwritten by another, "
                                              "without a fixed order. A barrier is also necessary between the last read of "
                                              "the maximum and the first write of the sums"),
    wrong("short-rows-not-filled", r"which no thread of the block has written",
          "in a short row some threads have no number, and their places of shared memory are uninitialised. They must "
          "write a neutral number: minus infinity for a maximum, 0 for a sum"),
    wrong("one-column-too-many", r"(reads|writes) (x\[|y\[|element )-?\d+.* but .* has",
          "a thread goes beyond the matrix: the last column of a row is cols - 1, and in all rows but the last the next "
          "number belongs to the next row"),
    Misconception("everybody-alone", says="a row is fetched number by number instead of 32 at a time: one thread, or every "
                                          "thread, goes through the whole row. Let thread t take the columns t, t + 128 "
                                          "and so on"),
    *COMMON,
]


def draw(student, rows, cols, middle=0.0):
    return floats([middle + student.random.uniform(-3, 3) for _ in range(rows * cols)], (rows, cols))


def check(student, ask, x):
    # A float has 24 bits: with exponents of at most 6 and sums of at most 500 positive numbers each probability is
    # right to 5e-5 of itself.
    return ask(student, "softmax", x, gives=softmax(x), within=1e-7, relative=5e-5, about="the probabilities")


@part("ordinary")
def ordinary(student):
    check(student, in_all_orders, draw(student, 1, 128))
    check(student, in_all_orders, draw(student, 3, 128))


@part("lengths")
def lengths(student):
    check(student, in_all_orders, matrix([[1.0, 3.0, 2.0]], "F"))
    check(student, in_all_orders, draw(student, 2, 300))
    for rows, cols in ((2, 1), (3, 31), (2, 131), (1, 500), (2, student.random.randrange(129, 256))):
        check(student, run, draw(student, rows, cols))


@part("large")
def large(student):
    for middle in (800.0, -300.0, 80.0, -80.0):
        check(student, run, draw(student, 2, 140, middle))


@part("shared")
def shared(student):
    done = check(student, run, draw(student, 2, 512))
    at_most(student, done, done.load_transactions, 2 * 64, "transactions that read 2 rows of 512 numbers",
            "everybody-alone")
