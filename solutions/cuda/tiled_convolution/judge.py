"""Cross-correlations, by the definition: for each place a sum over channels and over the window."""
from recto.judge.judging import WRONG, Misconception, floats, part
from recto.judge.kernels import COMMON, at_most, in_all_orders, run

TILE, REACH = 16, 2
SIDE = 2 * REACH + 1
# The types of arrays in messages, after the type of a number. A tile has at least 16 rows and columns.
WEIGHTS = r"(\[5\](\[5\])?|\[25\])$"
TILE_OF_X = rf"(?!{WEIGHTS})(\[(1[6-9]|[2-9]\d|\d{{3,}})\])+$"


def plane(x, c, i, j):
    """A number of channel c, or 0 outside of the image."""
    _, height, width = x.shape
    return x.numbers[(c * height + i) * width + j] if 0 <= i < height and 0 <= j < width else 0


def weight(w, c, u, v):
    return w.numbers[(c * SIDE + u) * SIDE + v]


def windows(x, w, product, channels=None):
    """For each place the sum of product(c, u, v, i, j) over the channels and the places of the window around (i, j)."""
    count, height, width = x.shape
    terms = [(c, u, v) for c in channels or range(count) for u in range(SIDE) for v in range(SIDE)]
    return floats([float(sum(product(c, u, v, i, j) for c, u, v in terms)) for i in range(height) for j in range(width)],
                  (height, width))


def convolution(x, w, order=""):
    return windows(x, w, lambda c, u, v, i, j: weight(w, c, u, v) * plane(x, c, i + u - REACH, j + v - REACH))


def from_places(number):
    """A mistake that fetches number(x, c, row, column) instead of the right one."""
    return lambda x, w, order: windows(
        x, w, lambda c, u, v, i, j: weight(w, c, u, v) * number(x, c, i + u - REACH, j + v - REACH))


def with_weights(number):
    """A mistake that multiplies with number(w, c, u, v)."""
    return lambda x, w, order: windows(
        x, w, lambda c, u, v, i, j: number(w, c, u, v) * plane(x, c, i + u - REACH, j + v - REACH))


def within_tiles(x, w, order):
    def product(c, u, v, i, j):
        row, col = i + u - REACH, j + v - REACH
        same = row // TILE == i // TILE and col // TILE == j // TILE
        return weight(w, c, u, v) * plane(x, c, row, col) if same else 0
    return windows(x, w, product)


def repeated(x, c, i, j):
    _, height, width = x.shape
    return plane(x, c, min(max(i, 0), height - 1), min(max(j, 0), width - 1))


def spilled(x, c, i, j):
    """What lies at the flat index, if the index exists at all."""
    channels, height, width = x.shape
    at = (c * height + i) * width + j
    return x.numbers[at] if 0 <= at < channels * height * width else 0


def wrong_length(x, c, i, j):
    """A number if the image had rows of `height` numbers."""
    _, height, width = x.shape
    inside = 0 <= i < height and 0 <= j < width
    return x.numbers[(c * height + i) * height + j] if inside else 0


def not_shifted(x, w, order):
    """What the tile's own numbers give, if the halo lies only below and on the right."""
    return windows(x, w, lambda c, u, v, i, j: weight(w, c, u, v) * plane(x, c, i + u, j + v))


def last_channel(x, w, order):
    if x.shape[0] == 1:
        return convolution(x, w)
    return windows(x, w, lambda c, u, v, i, j: weight(w, c, u, v) * plane(x, c, i + u - REACH, j + v - REACH),
                   [x.shape[0] - 1])


def wrong(name, matches, says, part=None):
    return Misconception(name, outcome=WRONG, matches=matches, says=says, part=part)


misconceptions = [
    Misconception("flipped", "convolution", with_weights(lambda w, c, u, v: weight(w, c, SIDE - 1 - u, SIDE - 1 - v)),
                  "the weights are flipped in both directions, as in a mathematician's convolution. Here w[c][0][0] belongs to "
                  "the number two rows above and two columns to the left of the middle"),
    Misconception("rows-and-columns-exchanged", "convolution", with_weights(lambda w, c, u, v: weight(w, c, v, u)),
                  "the weights are transposed: u goes along the rows of the window and of w, v along the columns of both"),
    Misconception("halo-of-zeros", "convolution", within_tiles,
                  "windows at the edge of a tile miss their neighbours: the halo holds zeros even where the image goes on. "
                  "These numbers belong to the neighbouring tiles, and this block has to fetch them too"),
    Misconception("not-shifted", "convolution", not_shifted,
                  "each window begins at its middle: y[i][j] has got the numbers from row i, column j on. With the halo in "
                  "front, place (0, 0) of the shared array belongs to row top - reach, column left - reach"),
    Misconception("repeats-the-edge", "convolution", from_places(repeated),
                  "the numbers at the edge of the image were repeated outside of it; numbers outside of the image count as 0"),
    Misconception("spills-over", "convolution", from_places(spilled),
                  "a window beyond the end of a row has got numbers of the next row, because the flat index exists. Compare "
                  "the row and the column with the image's sizes, each by itself"),
    Misconception("rows-of-the-wrong-length", "convolution", from_places(wrong_length),
                  "a number of the wrong row was used: a row of x has `width` numbers, and a channel has height * width"),
    Misconception("last-channel-only", "convolution", last_channel,
                  "only the last channel is in the sum: set the sum to zero once, before all channels"),
    Misconception("same-channel-again", "convolution", from_places(lambda x, c, i, j: plane(x, 0, i, j)),
                  "every channel has used the image of channel 0: channel c of x begins at number c * height * width"),
    Misconception("same-weights-again", "convolution", with_weights(lambda w, c, u, v: weight(w, 0, u, v)),
                  "every channel has used the weights of channel 0: those of channel c begin at number c * side * side"),
    wrong("blocks-exchanged", r"got (\d+) of (?!\1 )\d+ that never were",
          "a part of y was never written. blockIdx.y and threadIdx.y choose the row of y, blockIdx.x and threadIdx.x the column"),
    wrong("returns-early", r"waits at __syncthreads.* has returned",
          "threads outside of y have returned, and the others wait for them at the barrier. These threads are needed, "
          "because they fetch numbers of the tile"),
    wrong("barrier-in-a-branch", r"waits at __syncthreads.* waits at",
          "some threads wait at a barrier that the others do not reach, because it stands in an if, or in a loop that some "
          "threads run more often. All threads of a block must pass the same barrier"),
    wrong("same-place-of-y", r"race for y\[.* wrote it .* writes it",
          "two threads write different numbers to the same place of y. A row of y has `width` numbers, so y[i][j] is at i * "
          "width + j, and every thread has an i and a j of its own: i from blockIdx.y and threadIdx.y, j from blockIdx.x and "
          "threadIdx.x"),
    wrong("same-place-of-shared-memory", r"race for (?!y\[).* wrote it \((\S+)\), .* writes it \(\1\)",
          "two threads write different numbers to the same place of shared memory, so their indices are equal and must not be. A row of "
          "the tile with its halo has 20 numbers: row u, column v of it is place u * 20 + v, and of the weights u * 5 + v. What belongs "
          "to a single thread, such as an index or a sum, must not be __shared__"),
    wrong("written-at-two-lines", r"race for (?!y\[).* wrote it .* writes it",
          "two lines of the kernel write this place, one thread at the first line and another thread at the second, without a fixed "
          "order. If the place is filled twice, a zero first and then the number, put a barrier between the two lines, or write each "
          "place once. Otherwise one of the two indices is wrong"),
    Misconception("no-first-barrier", outcome=WRONG, matches=r"race for (?!y\[).* reads? it", when=lambda x, *rest: x.shape[0] == 1,
                  says="one thread reads a place of shared memory and another writes it, without a fixed order. No thread may "
                       "read the tile or the weights before all threads have written their places. What belongs to a single "
                       "thread, like its sum, must not be __shared__"),
    Misconception("no-second-barrier", outcome=WRONG, matches=r"race for (?!y\[).* reads? it", when=lambda x, *rest: x.shape[0] > 1,
                  says="a single channel is right, but with several channels a thread writes its places for the next channel "
                       "while others still read this one. Put a barrier at the end of each channel"),
    wrong("no-room-for-the-halo", rf"uses the index -?\d+ .* in an array of type [a-z]+{TILE_OF_X}",
          "the array has no such place. The tile with its halo has tile + 2 * reach = 20 rows and columns, and the windows "
          "of thread (x, y) use its places (y, x) to (y + 4, x + 4)"),
    wrong("outside-of-the-weights", rf"uses the index -?\d+ .* in an array of type [a-z]+{WEIGHTS}",
          "the array of 25 numbers has no such place. A channel has 5 x 5 weights, whose rows and columns are 0 to 4, and of "
          "the block's 256 threads only 25 have a weight to fetch"),
    wrong("halo-not-filled", r"which no thread of the block has written",
          "this place of shared memory is uninitialised. The tile with its halo has 400 places and the block has 256 "
          "threads, so some threads fill two. Places outside of the image must hold 0, or be left out of the sum"),
    wrong("adds-to-nothing", r"reads (y\[|element )\d+.* which nobody has written",
          "y is uninitialised before this kernel: add up in a variable and write it once"),
    wrong("no-guard", r"(reads|writes) (x\[|w\[|y\[|element )-?\d+.* but .* has",
          "this number does not exist: windows at the edge reach beyond the image on all four sides, and the last tiles of a "
          "row or a column may lie partly outside"),
    Misconception("no-tile", says="for each weight the warps fetch numbers of x from global memory again. Let the block fetch "
                                  "its tile with the whole halo once, into shared memory, and take every window from there"),
    Misconception("weights-from-memory", says="a warp fetches one number at a time: nearly every instruction that reads takes a "
                                              "transaction for a single number. These are probably the weights, which every "
                                              "warp fetches from global memory for itself. Let 25 threads put the weights of "
                                              "the channel into shared memory"),
    Misconception("one-thread-fetches", says="a single thread fetches the numbers of the tile one after another, and each of "
                                             "them takes a transaction. Let neighbouring threads fetch neighbouring numbers, so "
                                             "that a warp fetches 32 at a time"),
    Misconception("down-the-columns", says="the threads of a warp fetch numbers of many rows at once, and each row lies in "
                                           "another line of 128 bytes. Neighbouring threads should fetch neighbouring numbers "
                                           "of a row: threadIdx.x goes along the row"),
    *COMMON,
]


def draw(student, *shape):
    count = 1
    for size in shape:
        count *= size
    return floats([student.random.randrange(-5, 6) for _ in range(count)], shape)


def image(student, channels, height, width):
    return draw(student, channels, height, width), draw(student, channels, SIDE, SIDE)


def check(student, ask, x, w, about="the convolution"):
    return ask(student, "convolution", x, w, gives=convolution(x, w), about=about)


@part("block")
def block(student):
    # A single 1: its surroundings are the weights, so that a report shows which of them is used where.
    alone = floats([float(at == 6 * TILE + 9) for at in range(TILE * TILE)], (1, TILE, TILE))
    check(student, in_all_orders, alone, floats(range(1, SIDE * SIDE + 1), (1, SIDE, SIDE)),
          "the convolution of a single 1 in row 6, column 9 with the weights 1 to 25")
    check(student, in_all_orders, *image(student, 1, 16, 16))


@part("halo")
def halo(student):
    for height, width in ((16, 32), (32, 16)):
        check(student, in_all_orders, *image(student, 1, height, width))
    check(student, run, *image(student, 1, 32, 32))


@part("channels")
def channels(student):
    check(student, in_all_orders, *image(student, 2, 16, 16))
    check(student, run, *image(student, 3, 16, 16))


@part("ragged")
def ragged(student):
    example = floats([1, 2, 0, 0, 1, 3, 2, 0, 1], (1, 3, 3))
    weights = [0] * (SIDE * SIDE)
    weights[7], weights[11], weights[18] = 1, 1, 2      # above, to the left, below on the right
    check(student, in_all_orders, example, floats(weights, (1, SIDE, SIDE)))
    for shape in ((1, 1, 1), (2, 1, 19), (1, 18, 2), (8, 5, 3), (2, 17, 15)):
        check(student, run, *image(student, *shape))
    check(student, in_all_orders, *image(student, 1, student.random.randrange(17, 20), student.random.randrange(33, 36)))
    # 75 products of numbers below 1, each with a rounding error of 2^-24, and 75 sums below 75.
    shapes = (3, 7, 5), (3, SIDE, SIDE)
    x, w = (floats([student.random.uniform(-1, 1) for _ in range(a * b * c)], (a, b, c)) for a, b, c in shapes)
    run(student, "convolution", x, w, gives=convolution(x, w), within=75 * 2.0**-24 * 76, about="the convolution")


def suspect(requests, transactions, fetches):
    """The likely cause of too many transactions, from how many lines an instruction of a warp touches; `fetches` are the
    instructions with which the 8 warps of every block read 25 numbers for each channel."""
    lines = transactions / max(1, requests)
    if lines > 4:
        return "down-the-columns"
    if lines > 1.25:
        return "no-tile"
    return "one-thread-fetches" if requests > 1.3 * fetches else "weights-from-memory"


@part("traffic")
def traffic(student):
    # 20 rows of a tile lie in 20 to 40 lines. The limit allows each row to be fetched in pieces, twice.
    done = check(student, run, *image(student, 2, 32, 48))
    requests, transactions = done.load_requests, done.load_transactions
    at_most(student, done, transactions, 2 * 6 * 100, "transactions that read the image and the weights",
            suspect(requests, transactions, 2 * 6 * 8 * SIDE * SIDE),
            f"{requests} instructions of warps, which touch {transactions} lines of 128 bytes")
