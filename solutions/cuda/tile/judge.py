"""Sums of three neighbours, from a tile in shared memory."""
from struct import pack, unpack

from recto.judge.judging import UNCOMPILED, WRONG, Misconception, floats, part
from recto.judge.kernels import COMMON, at_most, in_all_orders, run

TILE = 256


def sums(numbers, before, after):
    """Each number plus its neighbours; before(i) and after(i) say whether a neighbour exists or counts as 0."""
    return floats([(0 if before(i) else numbers[i - 1]) + number + (0 if after(i) else numbers[(i + 1) % len(numbers)])
                   for i, number in enumerate(numbers)])


def sum_of_three(x, order=""):
    n = len(x.numbers)
    return sums(x.numbers, lambda i: i == 0, lambda i: i == n - 1)


def within_tiles(x, order):
    n = len(x.numbers)
    return sums(x.numbers, lambda i: i % TILE == 0, lambda i: i % TILE == TILE - 1 or i == n - 1)


def repeated(x, order):
    padded = [x.numbers[0], *x.numbers, x.numbers[-1]]
    return floats([sum(padded[i:i + 3]) for i in range(len(x.numbers))])


def not_shifted(x, order):
    """A mistake: sums of the places t - 1, t and t + 1 of an array that holds number t of the tile at place t + 1."""
    padded = [0, *x.numbers]
    return floats([sum(padded[i - min(1, i % TILE):i + 2]) for i in range(len(x.numbers))])


def wrong(name, matches, says):
    return Misconception(name, outcome=WRONG, matches=matches, says=says)


misconceptions = [
    Misconception("halo-of-zeros", "sum_of_three", within_tiles,
                  "at the ends of each tile a neighbour is missing. It belongs to the neighbouring tile, and this block "
                  "has to fetch it too"),
    Misconception("repeats-the-end", "sum_of_three", repeated,
                  "the first and the last number were repeated outside of x; numbers outside of x count as 0"),
    Misconception("wraps-around", "sum_of_three", lambda x, order: sums(x.numbers, lambda i: False, lambda i: False),
                  "the last number was used as the neighbour of the first: numbers outside of x count as 0"),
    Misconception("two-of-three", "sum_of_three",
                  lambda x, order: floats([a + b for a, b in zip(x.numbers, [*x.numbers[1:], 0])]),
                  "the neighbour before is missing from the sum"),
    Misconception("mean-of-three", "sum_of_three",
                  lambda x, order: floats([unpack("f", pack("f", number / 3))[0] for number in sum_of_three(x).numbers]),
                  "this is the mean of the three numbers: return their sum"),
    Misconception("neighbours-alone", "sum_of_three",
                  lambda x, order: floats([all_three - own for all_three, own in zip(sum_of_three(x).numbers, x.numbers)]),
                  "these are the sums of the two neighbours: the number itself is missing"),
    Misconception("not-shifted", "sum_of_three", not_shifted,
                  "each sum is shifted by one place to the right: with the halo in front, number t of the tile lies at "
                  "place t + 1 of the array"),
    wrong("barrier-in-a-branch", r"waits at __syncthreads.* waits at",
          "the threads of a block wait at different barriers. Put one __syncthreads() where every thread passes it, "
          "outside of any if"),
    wrong("returns-before", r"waits at __syncthreads.* has returned",
          "some threads have returned and never reach the barrier. Threads without a number must pass the barrier too, and "
          "do nothing afterwards"),
    wrong("no-barrier", r"race for \w+\[", "this thread reads a place that another thread writes, without a fixed order. "
                                           "All places must be filled before a thread reads a neighbour's place: put a "
                                           "barrier between"),
    wrong("no-room-for-the-halo", r"uses the index -?\d+ .* in an array",
          "the array has no such place: the threads at the ends of the tile need one number before the tile and one after "
          "it. Make room for both"),
    wrong("halo-not-filled", r"reads \w+\[\d+\].* which no thread of the block has written",
          "this place of shared memory is uninitialised. A thread has to fetch the neighbours at both ends of the tile, or "
          "write 0 there"),
    wrong("no-guard", r"(reads|writes) (x\[|y\[|element )-?\d+.* but .* has",
          "this number does not exist: the last block may have more threads than numbers, and no number comes before x[0]"),
    Misconception("dynamic-size", outcome=UNCOMPILED, matches="is dynamic shared memory",
                  says="the number of places is known when the kernel is compiled: a tile and its two neighbours, tile + 2"),
    Misconception("no-tile", says="every thread fetches its neighbours' numbers too, so that each number is fetched three "
                                  "times from global memory. Let the block fetch it once, into shared memory"),
    *COMMON,
]


def whole_numbers(student, n):
    return floats([student.random.randrange(-50, 50) for _ in range(n)])


def check(student, ask, x):
    return ask(student, "sum_of_three", x, gives=sum_of_three(x), about="the sums of three neighbours")


@part("one")
def one(student):
    check(student, in_all_orders, floats([1, 2, 3, 4, 5, 6]))
    check(student, in_all_orders, whole_numbers(student, 256))
    for n in (1, 2, 255):
        check(student, run, whole_numbers(student, n))


@part("neighbours")
def neighbours(student):
    for n in (512, 1024):
        check(student, in_all_orders, whole_numbers(student, n))


@part("ragged")
def ragged(student):
    for n in (257, 511, 700):
        check(student, in_all_orders, whole_numbers(student, n))
    check(student, run, whole_numbers(student, student.random.randrange(258, 800)))


@part("once")
def once(student):
    # A block of 8 warps: 8 transactions for the tile and 2 for the halo are the minimum; 28 leave room for other solutions.
    done = check(student, run, whole_numbers(student, 1024))
    at_most(student, done, done.load_transactions, 4 * 28, "transactions for 1024 numbers", "no-tile")
