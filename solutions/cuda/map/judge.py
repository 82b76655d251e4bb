"""A map: every number by a thread of its own."""
from recto.judge.judging import WRONG, Misconception, floats, part
from recto.judge.kernels import COMMON, at_least, at_most, in_all_orders, run


def scaled(x, factor, order=""):
    return floats([factor * number for number in x.numbers])


def wrong(name, matches, says):
    return Misconception(name, outcome=WRONG, matches=matches, says=says)


misconceptions = [
    Misconception("adds", "scaled", lambda x, factor, order: floats([factor + number for number in x.numbers]),
                  "this is the sum of factor and number; scaling multiplies"),
    Misconception("divides", "scaled", lambda x, factor, order: floats([number / factor for number in x.numbers]),
                  "these are the numbers divided by the factor; scaling multiplies"),
    Misconception("backwards", "scaled", lambda x, factor, order: floats([factor * number for number in x.numbers[::-1]]),
                  "the numbers come back in reverse: number i of the result belongs to number i of x"),
    Misconception("whole-factor", "scaled", lambda x, factor, order: floats([int(factor) * number for number in x.numbers]),
                  "the factor lost what stands behind its point: somewhere it is an int"),
    Misconception("squares", "scaled", lambda x, factor, order: floats([number * number for number in x.numbers]),
                  "these are the squares. The factor multiplies each number"),
    wrong("no-block", r"got (\d+) of (?!\1 )\d+ that never were, from (y\[|element )(32|64|128|256|512|1024)\b",
          "every block has written the same numbers, those of the first block. threadIdx.x begins at 0 in each "
          "block: the threads of the blocks before have to be counted too"),
    wrong("grid-for-block", r"got (\d+) of (?!\1 )\d+ that never were",
          "some numbers have no thread, and others perhaps two. How many threads come before the first one of block "
          "b? It is b times the threads of a block, not times the blocks of the grid (gridDim)"),
    wrong("pointer-of-the-host", r"points to memory of the host|(reads|writes) memory of the host",
          "a kernel cannot follow an address of the host's memory. Hand it a Buffer, into which the numbers were "
          "copied"),
    wrong("reads-the-device", r"host code: it (reads|writes) .* memory of the device",
          "the host cannot look into memory of the device. values() copies it"),
    wrong("one-block", r"at most 1024 (x|threads)",
          "a block has at most 1024 threads. More threads take more blocks"),
    wrong("one-too-many", r"thread 0 of block [1-9]\d* reads (x\[|element )(256|512|1024|2048)\b.* but .* has",
          "the first thread of the last block goes beyond the last number: this grid has more threads than there are "
          "numbers"),
    wrong("index-from-one", r"(x\[|y\[|element )(256|512|1024|2048)\b.* but .* has \d+ elements",
          "one thread goes just beyond the last number, and perhaps nobody takes number 0. Both threadIdx.x and "
          "blockIdx.x are counted from 0"),
    Misconception("on-the-host", says="the result is right, but the host has computed it: nothing was launched"),
    Misconception("kernel-copies", "scaled_on_device", lambda x, factor, hidden, order: scaled(x, factor),
                  "the result is that of the numbers which the host has. The judge has put others into memory of the device, and "
                  "a kernel that multiplies there finds those. Yours copies what the host has computed"),
    Misconception("one-thread", says="one thread, or one block, does it all in a loop while thousands of places "
                                     "wait. Give every number a thread of its own"),
    Misconception("far-apart", says="neighbouring threads read numbers that lie far apart, so that each fetch of 128 "
                                    "bytes serves few of them. A thread may take several numbers, but in each round "
                                    "neighbours should take neighbours"),
    *COMMON,
]


def numbers(student, n):
    return floats([student.random.uniform(-4, 4) for _ in range(n)])


def apart(student, n, scale):
    """Different numbers, all from scale to 2 * scale but for their signs: scaled they are different ones again."""
    return floats([student.random.choice((-1, 1)) * scale * number / 2 ** 20
                   for number in student.random.sample(range(2 ** 20, 2 ** 21), n)])


def check(student, ask, x, factor):
    return ask(student, "scaled", x, factor, gives=scaled(x, factor), relative=1e-6, about="the scaled numbers")


@part("first")
def first(student):
    x = floats(list(range(256)))
    done = check(student, run, x, 2.0)
    student.check(done.launches > 0, "nothing was launched", "at least one launch", "none", "on-the-host")
    check(student, in_all_orders, numbers(student, 256), -0.5)
    if student.emulated:
        x, hidden = apart(student, 256, 1), apart(student, 256, 4)
        factor = student.random.uniform(20, 30)
        run(student, "scaled_on_device", x, factor, hidden, gives=scaled(hidden, factor), relative=1e-6,
            about="the scaled numbers, computed on the device from those that it has")


@part("blocks")
def blocks(student):
    check(student, in_all_orders, floats(list(range(512))), 2.0)
    for n in (768, 1024, 2048):
        check(student, in_all_orders, numbers(student, n), student.random.uniform(-3, 3))


@part("spread")
def spread(student):
    done = check(student, run, numbers(student, 1024), 3.0)
    at_least(student, done.threads, 256, "threads for 1024 numbers", "one-thread")
    at_least(student, done.blocks, 2, "blocks for 1024 numbers", "one-thread")
    at_most(student, done, done.load_transactions, 64, "transactions for 1024 numbers", "far-apart")
