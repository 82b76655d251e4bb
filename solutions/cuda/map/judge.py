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
                  "the numbers are in reverse order: number i of the result belongs to number i of x"),
    Misconception("whole-factor", "scaled", lambda x, factor, order: floats([int(factor) * number for number in x.numbers]),
                  "the factor lost its decimals: your program converts it to an int somewhere"),
    Misconception("squares", "scaled", lambda x, factor, order: floats([number * number for number in x.numbers]),
                  "these are the squares. The factor multiplies each number"),
    wrong("no-block", r"got (\d+) of (?!\1 )\d+ that never were, from (y\[|element )(32|64|128|256|512|1024)\b",
          "every block has written the same numbers, those of the first block. threadIdx.x begins at 0 in each block: "
          "count the threads of the earlier blocks too"),
    wrong("grid-for-block", r"got (\d+) of (?!\1 )\d+ that never were",
          "some numbers have no thread, and others may have two. The number of threads before block b is b times the "
          "threads of a block (blockDim), not times the blocks of the grid (gridDim)"),
    wrong("pointer-of-the-host", r"points to memory of the host|(reads|writes) memory of the host",
          "a kernel cannot access host memory. Pass it a Buffer, which holds a copy of the numbers on the device"),
    wrong("reads-the-device", r"host code: it (reads|writes) .* memory of the device",
          "the host cannot access device memory. values() copies it to the host"),
    wrong("one-block", r"at most 1024 (x|threads)",
          "a block has at most 1024 threads. More threads take more blocks"),
    wrong("one-too-many", r"thread 0 of block [1-9]\d* reads (x\[|element )(256|512|1024|2048)\b.* but .* has",
          "the first thread of the last block goes beyond the last number: this grid has more threads than there are "
          "numbers"),
    wrong("index-from-one", r"(x\[|y\[|element )(256|512|1024|2048)\b.* but .* has \d+ elements",
          "one thread goes just beyond the last number, and number 0 may have no thread. Both threadIdx.x and blockIdx.x "
          "count from 0"),
    Misconception("on-the-host", says="the result is right, but the host has computed it: nothing was launched"),
    Misconception("kernel-copies", "scaled_on_device", lambda x, factor, hidden, order: scaled(x, factor),
                  "the result belongs to the numbers on the host. The judge has put other numbers into device memory, "
                  "which a kernel that multiplies there would use. Your kernel copies a result of the host"),
    Misconception("one-thread", says="one thread, or one block, does all the work in a loop while thousands of arithmetic "
                                     "units idle. Give every number its own thread"),
    Misconception("far-apart", says="neighbouring threads read numbers that lie far apart, so each transaction of 128 "
                                    "bytes serves few of them. A thread may take several numbers, but in each round "
                                    "neighbouring threads should take neighbouring numbers"),
    *COMMON,
]


def numbers(student, n):
    return floats([student.random.uniform(-4, 4) for _ in range(n)])


def apart(student, n, scale):
    """Different numbers with absolute values from scale to 2 * scale, which stay different when scaled."""
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
            about="the scaled numbers, computed on the device from the numbers in its memory")


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
