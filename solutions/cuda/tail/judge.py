"""y += a x for any number of numbers."""
from recto.judge.judging import WRONG, Misconception, floats, part
from recto.judge.kernels import COMMON, at_least, at_most, in_all_orders, run


def added(a, x, y, order=""):
    return floats([was + a * more for more, was in zip(x.numbers, y.numbers)])


def only(count):
    """What comes if just so many numbers are changed: count(n)."""
    def answer(a, x, y, order):
        n = len(x.numbers)
        return floats([was + (a * more if i < count(n) else 0)
                       for i, (more, was) in enumerate(zip(x.numbers, y.numbers))])
    return answer


def wrong(name, matches, says):
    return Misconception(name, outcome=WRONG, matches=matches, says=says)


SIZES = (32, 64, 128, 256, 512, 1024)
misconceptions = [
    Misconception("overwrites", "add_scaled", lambda a, x, y, order: floats([a * more for more in x.numbers]),
                  "what y held before is gone: a * x is added to it"),
    Misconception("scales-the-sum", "add_scaled",
                  lambda a, x, y, order: floats([a * (was + more) for more, was in zip(x.numbers, y.numbers)]),
                  "a scales x alone, not what y held before"),
    Misconception("takes-off", "add_scaled",
                  lambda a, x, y, order: floats([was - a * more for more, was in zip(x.numbers, y.numbers)]),
                  "a * x was taken off y: it is added here, and a step of descent hands over a negative a"),
    Misconception("adds-the-factor", "add_scaled",
                  lambda a, x, y, order: floats([was + a + more for more, was in zip(x.numbers, y.numbers)]),
                  "a was added. It multiplies x"),
    Misconception("factor-on-y", "add_scaled",
                  lambda a, x, y, order: floats([a * was + more for more, was in zip(x.numbers, y.numbers)]),
                  "a has multiplied y instead of x"),
    wrong("indices-overlap", r"race for (y\[|element ).* of block (\d+) .* of block (?!\2)\d+",
          "threads of two blocks have the same number. Before the first thread of block b there are b times as many threads as "
          "a block has"),
    Misconception("last-forgotten", "add_scaled", only(lambda n: n - 1),
                  "the very last number is left as it was. Threads 0 to n - 1 have a number, n of them"),
    *(Misconception("one-block", "add_scaled", only(lambda n, size=size: min(n, size)),
                    f"only the first {size} numbers have changed, as many as one block has threads. The grid needs "
                     "more blocks") for size in SIZES),
    *(Misconception("rounds-down", "add_scaled", only(lambda n, size=size: n // size * size),
                    f"the tail is left as it was: n / {size} rounds down, and the numbers that fill no whole block "
                     "get no thread")
      for size in SIZES),
    Misconception("unwritten", "add_scaled", only(lambda n: 0),
                  "y is as it was before: the kernel is still empty"),
    wrong("guard-too-far", r"(x\[|y\[|element )(\d+)\b.* but .* has \2 element",
          "a thread goes one number too far: the last of n numbers is number n - 1"),
    wrong("no-guard", r"(reads|writes) (x\[|y\[|element )\d+.* but .* has \d+ element",
          "this thread has no number. The last block has more threads than there are numbers left, and these must "
          "neither read nor write"),
    wrong("no-blocks", r"at least one block", "a grid without blocks cannot be launched. Even for no numbers there "
                                              "has to be one"),
    wrong("whole-numbers-as-threads", r"at most 1024 (x|threads)", "a block has at most 1024 threads. More numbers "
                                                                   "take more blocks"),
    Misconception("one-thread", says="nearly all of the work is done by few threads while thousands of places wait. "
                                     "Give every number a thread of its own"),
    Misconception("too-many", says="far more threads than numbers: most of them start only to find that they have "
                                   "nothing to do"),
    *COMMON,
]


def numbers(student, n):
    return floats([student.random.uniform(-4, 4) for _ in range(n)])


def check(student, ask, a, x, y):
    # a * x + y may be rounded once or twice: numbers of at most 16 differ by less than 2e-6.
    return ask(student, "add_scaled", a, x, y, gives=added(a, x, y), within=2e-6, about="y after a * x was added")


@part("whole")
def whole(student):
    check(student, in_all_orders, 2.0, floats(list(range(1, 1025))), floats([10.0] * 1024))
    check(student, in_all_orders, -1.5, numbers(student, 1024), numbers(student, 1024))


@part("ragged")
def ragged(student):
    check(student, in_all_orders, 2.0, numbers(student, 1000), numbers(student, 1000))
    check(student, in_all_orders, 2.0, floats([1, 2, 3, 4, 5]), floats([10.0] * 5))
    for n in (1, 257, 1023, 2051, student.random.randrange(2, 700)):
        check(student, run, student.random.uniform(-3, 3), numbers(student, n), numbers(student, n))


@part("nothing")
def nothing(student):
    check(student, in_all_orders, 2.0, floats([]), floats([]))


@part("spread")
def spread(student):
    done = check(student, run, 0.5, numbers(student, 1000), numbers(student, 1000))
    at_least(student, done.threads, 250, "threads for 1000 numbers", "one-thread")
    at_least(student, done.blocks, 2, "blocks for 1000 numbers", "one-thread")
    at_most(student, done, done.load_transactions, 400, "transactions that read 1000 numbers of x and of y",
            "one-thread")
    student.check(done.threads <= 2048, "too many threads for 1000 numbers", "at most 2048", str(done.threads),
                  "too-many")
