"""Running sums."""
from itertools import accumulate

from recto.judge.judging import WRONG, Misconception, floats, part
from recto.judge.kernels import COMMON, at_most, in_all_orders, run

GROUP = 256


def blocks_of(x):
    return [x.numbers[first:first + GROUP] for first in range(0, len(x.numbers), GROUP)]


def scan_blocks(x, order=""):
    sums = [list(accumulate(block)) for block in blocks_of(x)]
    return floats([number for block in sums for number in block]), floats([block[-1] for block in sums])


def exclusive(x, order):
    sums = [[0, *accumulate(block)][:-1] for block in blocks_of(x)]
    return floats([number for block in sums for number in block]), scan_blocks(x)[1]


def windows(x, order):
    """The answer without the last round: every sum holds at most 128 numbers."""
    sums = [[sum(block[max(0, i - 127):i + 1]) for i in range(len(block))] for block in blocks_of(x)]
    padded = [block + [0] * (GROUP - len(block)) for block in blocks_of(x)]
    return floats([number for block in sums for number in block]), floats([sum(block[128:]) for block in padded])


def add_before(y, sums, order=""):
    return floats([number + (sums.numbers[i // GROUP - 1] if i >= GROUP else 0) for i, number in enumerate(y.numbers)])


def wrong(name, matches, says):
    return Misconception(name, outcome=WRONG, matches=matches, says=says)


def from_the_end(x, order):
    """The sums from x[i] on, instead of up to x[i]."""
    sums = [list(accumulate(block[::-1]))[::-1] for block in blocks_of(x)]
    return floats([number for block in sums for number in block]), scan_blocks(x)[1]


def pairs(x, order):
    """The sums after the first round."""
    sums = [[sum(block[max(0, i - 1):i + 1]) for i in range(len(block))] for block in blocks_of(x)]
    return floats([number for block in sums for number in block]), floats([sum((block + [0] * GROUP)[GROUP - 2:GROUP])
                                                                           for block in blocks_of(x)])


def neighbour_before(y, sums, order):
    """Adds the total of the previous block alone."""
    totals = [after - before for before, after in zip([0, *sums.numbers], sums.numbers)]
    return floats([number + (totals[i // GROUP - 1] if i >= GROUP else 0) for i, number in enumerate(y.numbers)])


misconceptions = [
    Misconception("exclusive", "scan_blocks", exclusive,
                  "each sum lacks its own number: y[i] is the sum up to and including x[i]"),
    Misconception("one-round-too-few", "scan_blocks", windows,
                  "no sum holds more than 128 numbers: the last round, with a distance of 128 places, is missing"),
    Misconception("first-instead-of-total", "scan_blocks",
                  lambda x, order: (scan_blocks(x)[0], floats([block[0] for block in blocks_of(x)])),
                  "the running sums are right, but a block's total is its last running sum, not its first"),
    Misconception("from-the-end", "scan_blocks", from_the_end,
                  "these are the sums from x[i] to the end of the block. Add the numbers before x[i], not after it"),
    Misconception("one-round-only", "scan_blocks", pairs,
                  "every sum holds two numbers: more rounds must follow the first, with distances of 2, 4, 8 ... places"),
    Misconception("last-number-as-total", "scan_blocks",
                  lambda x, order: (scan_blocks(x)[0], floats([block[-1] for block in blocks_of(x)])),
                  "the running sums are right, but a block's total is its last running sum, not its last number"),
    Misconception("neighbour-before-only", "add_before", neighbour_before,
                  "each block has added the total of the previous block alone. All earlier blocks count, and `sums` "
                  "already holds their sum"),
    Misconception("own-total-too", "add_before",
                  lambda y, sums, order: floats([number + (sums.numbers[i // GROUP] if i >= GROUP else 0)
                                                 for i, number in enumerate(y.numbers)]),
                  "each block has added its own total too. The blocks before block b end with block b - 1"),
    Misconception("unwritten", "add_before", lambda y, sums, order: y, "y is unchanged: add_before is still empty"),
    wrong("one-total", r"got \d+ of \d+ that never were, from (totals\[|element )\d+",
          "some blocks have no total. Every block must write its total, not only the last"),
    wrong("before-the-first", r"reads (sums\[|element )-?\d+.* but .* has",
          "block 0 reads the sum before the first one. No block comes before block 0"),
    wrong("returns-early", r"waits at __syncthreads.* has returned",
          "threads without a number have returned, and the others wait for them at the barrier. Let them contribute 0 and "
          "pass all barriers"),
    wrong("barrier-in-a-branch", r"waits at __syncthreads.* waits at",
          "some threads wait at a barrier that the others do not reach, because it stands in an if. All threads of a block "
          "must pass the same barrier"),
    wrong("adds-in-place", r"race for part\[",
          "one thread reads a place that another changes in the same round, without a fixed order. Read into a variable, "
          "wait, write, wait"),
    wrong("tail-not-filled", r"which no thread of the block has written",
          "shared memory is uninitialised until a thread writes it. Threads without a number must write 0 there"),
    wrong("no-guard", r"(reads|writes) (x\[|y\[|element )-?\d+.* but .* has",
          "this number does not exist. The last block may have more threads than numbers"),
    Misconception("one-thread", says="a transaction fetches 128 bytes, of which this kernel uses one number: one thread "
                                     "goes through all numbers of a block while 255 wait"),
    Misconception("everybody-adds-all", says="every thread adds up all numbers before its own, or one thread adds up all "
                                             "of them. In rounds with distances of 1, 2, 4, 8 ... places each thread needs "
                                             "one addition per round"),
    *COMMON,
]


def whole_numbers(student, n):
    return floats([student.random.randrange(-9, 10) for _ in range(n)])


def check(student, ask, x):
    return ask(student, "scan_blocks", x, gives=scan_blocks(x), about="the running sums of each block, and the totals")


@part("block")
def block(student):
    check(student, in_all_orders, whole_numbers(student, 256))
    check(student, in_all_orders, floats([3, 1, 2, 1, 5, 1]))
    for n in (1, 2, 255):
        check(student, run, whole_numbers(student, n))


@part("blocks")
def blocks(student):
    for n in (512, 700):
        check(student, in_all_orders, whole_numbers(student, n))
    check(student, run, whole_numbers(student, student.random.randrange(257, 1000)))


@part("before")
def before(student):
    for n in (1024, 600, 5):
        y, sums = whole_numbers(student, n), whole_numbers(student, (n + GROUP - 1) // GROUP)
        in_all_orders(student, "add_before", y, sums, gives=add_before(y, sums), about="the sums, including the totals of "
                                                                                       "the earlier blocks")


@part("whole")
def whole(student):
    for n in (6, 257, 1000, student.random.randrange(1025, 1500)):
        x = whole_numbers(student, n)
        run(student, "scan", x, gives=floats(list(accumulate(x.numbers))), about="the running sums of all numbers")


@part("steps")
def steps(student):
    done = check(student, run, whole_numbers(student, 1024))
    at_most(student, done, done.load_transactions, 4 * 16, "transactions that read 1024 numbers", "one-thread")
    at_most(student, done, done.shared_requests, 4 * 320, "requests to shared memory for 1024 numbers",
            "everybody-adds-all")
