"""y += a x for any number of numbers."""
from recto.judge.judging import WRONG, Misconception, floats, part
from recto.judge.kernels import COMMON, at_least, at_most, in_all_orders, run


def added(a, x, y, order=""):
    return floats([was + a * more for more, was in zip(x.numbers, y.numbers)])


def only(count):
    """The answer if only count(n) numbers are changed."""
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
                  "the old numbers of y are lost: add a * x to them"),
    Misconception("scales-the-sum", "add_scaled",
                  lambda a, x, y, order: floats([a * (was + more) for more, was in zip(x.numbers, y.numbers)]),
                  "a scales x alone, not the old numbers of y"),
    Misconception("takes-off", "add_scaled",
                  lambda a, x, y, order: floats([was - a * more for more, was in zip(x.numbers, y.numbers)]),
                  "a * x was subtracted from y: add it; a step of gradient descent passes a negative a"),
    Misconception("adds-the-factor", "add_scaled",
                  lambda a, x, y, order: floats([was + a + more for more, was in zip(x.numbers, y.numbers)]),
                  "a was added. Multiply x by a"),
    Misconception("factor-on-y", "add_scaled",
                  lambda a, x, y, order: floats([a * was + more for more, was in zip(x.numbers, y.numbers)]),
                  "y was multiplied by a. Multiply x by a"),
    wrong("indices-overlap", r"race for (y\[|element ).* of block (\d+) .* of block (?!\2)\d+",
          "threads of two blocks have the same number. The number of threads before block b is b times the threads of a "
          "block"),
    Misconception("last-forgotten", "add_scaled", only(lambda n: n - 1),
                  "the last number is unchanged. Threads 0 to n - 1 have a number"),
    *(Misconception("one-block", "add_scaled", only(lambda n, size=size: min(n, size)),
                    f"only the first {size} numbers have changed, which is the number of threads of one block. The grid "
                     "needs more blocks") for size in SIZES),
    *(Misconception("rounds-down", "add_scaled", only(lambda n, size=size: n // size * size),
                    f"the tail is unchanged: n / {size} rounds down, so the numbers after the last full block get no "
                     "thread")
      for size in SIZES),
    Misconception("unwritten", "add_scaled", only(lambda n: 0),
                  "y is unchanged: the kernel is still empty"),
    wrong("guard-too-far", r"(x\[|y\[|element )(\d+)\b.* but .* has \2 element",
          "a thread goes one number too far: the last of n numbers is number n - 1"),
    wrong("no-guard", r"(reads|writes) (x\[|y\[|element )\d+.* but .* has \d+ element",
          "this thread has no number. The last block may have more threads than numbers, and these threads must neither "
          "read nor write"),
    wrong("no-blocks", r"at least one block", "a grid without blocks cannot be launched. Use one block even for 0 numbers"),
    wrong("whole-numbers-as-threads", r"at most 1024 (x|threads)", "a block has at most 1024 threads. More numbers "
                                                                   "take more blocks"),
    Misconception("one-thread", says="a few threads do nearly all of the work while thousands of arithmetic units idle. "
                                     "Give every number its own thread"),
    Misconception("too-many", says="the grid has far more threads than numbers: most of them have nothing to do"),
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
