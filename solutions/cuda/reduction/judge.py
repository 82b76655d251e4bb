"""Sums of blocks."""
from recto.judge.judging import WRONG, Misconception, floats, part
from recto.judge.kernels import COMMON, at_most, in_all_orders, run

GROUP = 256


def blocks_of(x):
    return [x.numbers[first:first + GROUP] for first in range(0, len(x.numbers), GROUP)]


def block_sums(x, order=""):
    return floats([sum(block) for block in blocks_of(x)])


def largest(block):
    """The largest number of each block, if threads without a number contribute 0."""
    return max(block if len(block) == GROUP else [*block, 0])


def wrong(name, matches, says):
    return Misconception(name, outcome=WRONG, matches=matches, says=says)


misconceptions = [
    Misconception("one-round-too-few", "block_sums",
                  lambda x, order: floats([sum(block[::2]) for block in blocks_of(x)]),
                  "every second number is missing: the tree needs one more round, for the last two numbers"),
    Misconception("first-warp-only", "block_sums", lambda x, order: floats([sum(block[:32]) for block in blocks_of(x)]),
                  "only the first 32 numbers of each block are in its sum. Shuffles stay within a warp: add the sums of "
                  "the 8 warps of a block too"),
    Misconception("maximum", "block_sums", lambda x, order: floats([largest(block) for block in blocks_of(x)]),
                  "this is the largest number of each block: the tree compares instead of adding"),
    Misconception("same-numbers-for-all", "block_sums", lambda x, order: floats([sum(blocks_of(x)[0])] * len(blocks_of(x))),
                  "every block has the sum of the first block. The numbers of block b begin at b * group"),
    Misconception("mean-of-the-block", "block_sums", lambda x, order: floats([sum(b) / GROUP for b in blocks_of(x)]),
                  "this is the mean over the block: return the sum"),
    wrong("lanes-that-sleep", r"the mask 0x|takes the value of lane",
          "the mask of a shuffle names lanes that do not call it. All lanes of the mask must call it: keep it outside of "
          "the if, and let lanes without a number contribute 0"),
    wrong("returns-early", r"waits at __syncthreads.* has returned",
          "threads with nothing left to add have returned or skipped the barrier, and the others wait for them. Keep these "
          "threads in the loop, and put the barrier outside of the if"),
    wrong("barrier-in-a-branch", r"waits at __syncthreads.* waits at",
          "some threads wait at a barrier that the others do not reach, because it stands in an if. All threads of a block "
          "must pass the same barrier"),
    wrong("everybody-adds-to-one", r"race for \w+\[0\].*it takes atomicAdd",
          "many threads add to one place, and each may overwrite the sum of another. Use a tree in which every round "
          "writes each place once, with a barrier between the rounds"),
    wrong("no-barrier", r"race for part\[",
          "a round begins before all threads have finished the previous one: this place is read and written without a "
          "fixed order. Put a barrier between two rounds"),
    wrong("tail-not-filled", r"which no thread of the block has written",
          "shared memory is uninitialised until a thread writes it. Threads without a number must write 0 there"),
    wrong("adds-to-nothing", r"reads (sums\[|element )\d+.* which nobody has written",
          "sums is uninitialised before this kernel, so adding to it adds to an arbitrary number: assign instead"),
    wrong("no-guard", r"(reads|writes) (x\[|sums\[|element )-?\d+.* but .* has",
          "this number does not exist. The last block may have more threads than numbers"),
    Misconception("one-place-for-all", says="the sum is right, but 256 threads queue for one place. Let them add in pairs "
                                            "first, and use an atomic only for a few of them"),
    Misconception("one-thread", says="a transaction fetches 128 bytes, of which this kernel uses one number: one thread "
                                     "reads all numbers of a block while 255 wait. Let every thread read its own number"),
    Misconception("alone-after-all", says="the numbers are fetched together, but then one thread, or every thread, adds "
                                          "all of them. With a tree 8 rounds are enough"),
    Misconception("packed-threads", says="the tree is right, but its threads use places 2, 4, 8 ... apart, which lie in "
                                         "the same banks or keep all warps busy. Fold the array in halves, so that "
                                         "neighbouring threads use neighbouring places"),
    *COMMON,
]


def whole_numbers(student, n):
    return floats([student.random.randrange(-9, 10) for _ in range(n)])


def check(student, ask, x):
    return ask(student, "block_sums", x, gives=block_sums(x), about="the sums of the blocks")


@part("blocks")
def blocks(student):
    for n in (256, 1024):
        check(student, in_all_orders, whole_numbers(student, n))
    check(student, run, floats(list(range(256))))


@part("ragged")
def ragged(student):
    check(student, in_all_orders, floats([1, 2, 3, 4, 5, 6]))
    for n in (1, 255, 300, 513, student.random.randrange(2, 700)):
        check(student, run, whole_numbers(student, n))
    check(student, in_all_orders, whole_numbers(student, 1000))
    x = whole_numbers(student, 700)
    run(student, "sum", x, gives=sum(x.numbers), about="the sum of all, by the kernel on its own sums")
    # 255 additions, each of which rounds by at most 2^-24 of a sum below 256.
    x = floats([student.random.uniform(-1, 1) for _ in range(600)])
    run(student, "block_sums", x, gives=block_sums(x), within=255 * 2.0**-24 * 256, about="the sums of the blocks")


@part("tree")
def tree(student):
    done = check(student, run, whole_numbers(student, 1024))
    at_most(student, done, done.load_transactions, 4 * 16, "transactions that read 1024 numbers", "one-thread")
    at_most(student, done, done.atomics, 4 * 8, "atomic additions for 1024 numbers", "one-place-for-all")
    at_most(student, done, done.shared_requests, 4 * 200, "requests to shared memory for 1024 numbers",
            "alone-after-all")


@part("gentle")
def gentle(student):
    done = check(student, run, whole_numbers(student, 1024))
    at_most(student, done, done.worst_conflict, 1, "numbers wanted of one bank at a time", "packed-threads",
            done.worst_where)
    at_most(student, done, done.shared_requests, 4 * 64, "requests to shared memory for 1024 numbers", "packed-threads")
