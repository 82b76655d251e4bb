"""Products of matrices, by the definition."""
from recto.judge.judging import WRONG, Misconception, floats, matrix, part
from recto.judge.kernels import COMMON, at_most, in_all_orders, run

TILE = 16


def of(a, b, terms):
    """The product with sums over the indices terms(k) only."""
    left, right, steps = a.rows(), b.rows(), list(terms(a.shape[1]))
    return matrix([[sum(row[p] * right[p][j] for p in steps) for j in range(b.shape[1])] for row in left], "F")


def product(a, b, order=""):
    return of(a, b, range)


def first_step_again(a, b, order):
    steps = (a.shape[1] + TILE - 1) // TILE
    return of(a, b, lambda k: [p for _ in range(steps) for p in range(min(k, TILE))])


def turned(a, b, order):
    """The product with each tile of b transposed; for whole tiles only."""
    if any(size % TILE for size in (*a.shape, *b.shape)):
        return None
    (m, k), n = a.shape, b.shape[1]
    return matrix([[sum(a[i, p] * b[p // TILE * TILE + j % TILE, j // TILE * TILE + p % TILE] for p in range(k))
                    for j in range(n)] for i in range(m)], "F")


def number_by_number(a, b, order):
    """Sums of the elementwise products of the tiles, 16 times; for whole tiles only."""
    if any(size % TILE for size in (*a.shape, *b.shape)):
        return None
    (m, k), n = a.shape, b.shape[1]
    return matrix([[sum(TILE * a[i, p0 + j % TILE] * b[p0 + i % TILE, j] for p0 in range(0, k, TILE)) for j in range(n)]
                   for i in range(m)], "F")


def other_width(a, b, order):
    """The product if rows of a were indexed with n numbers."""
    (m, k), n = a.shape, b.shape[1]
    return matrix([[sum(a.numbers[i * n + p] * b[p, j] for p in range(k)) for j in range(n)] for i in range(m)], "F")


def transposed_result(a, b, order):
    """The numbers of the product in transposed order."""
    right, (rows, cols) = product(a, b), (a.shape[0], b.shape[1])
    return floats([right[i, j] for j in range(cols) for i in range(rows)], (rows, cols))


def added_up(a, b, order):
    """Sums of a + b instead of a * b; for whole tiles only."""
    if any(size % TILE for size in (*a.shape, *b.shape)):
        return None
    left, right = a.rows(), list(zip(*b.rows()))
    return matrix([[float(sum(row) + sum(column)) for column in right] for row in left], "F")


def wrong(name, matches, says, part=None):
    return Misconception(name, outcome=WRONG, matches=matches, says=says, part=part)


misconceptions = [
    Misconception("steps-rounded-down", "product", lambda a, b, order: of(a, b, lambda k: range(k // TILE * TILE)),
                  "the last terms of each sum are missing: k / 16 rounds down. The last step may be shorter than a tile, "
                  "and zeros pad it"),
    Misconception("first-step-again", "product", first_step_again,
                  "every step has used the first tiles. In each step the tile of a lies further to the right, and the tile "
                  "of b further down"),
    Misconception("sum-begins-anew", "product",
                  lambda a, b, order: of(a, b, lambda k: range((k - 1) // TILE * TILE, k)),
                  "only the terms of the last step are in the sum: set the sum to zero once, before all steps"),
    Misconception("turned", "product", turned,
                  "the tile of b is read transposed: go along a row of a and down a column of b"),
    Misconception("transposed-result", "product", transposed_result,
                  "c is the transposed product: row i, column j of c is number i * n + j"),
    Misconception("adds-without-multiplying", "product", added_up,
                  "numbers of a row of a and a column of b were added: multiply each pair, then add the products"),
    wrong("blocks-exchanged", r"got (\d+) of (?!\1 )\d+ that never were",
          "a part of c was never written. blockIdx.y and threadIdx.y choose the row of c, blockIdx.x and threadIdx.x the column"),
    Misconception("number-by-number", "product", number_by_number,
                  "the tiles were multiplied elementwise. Each number of c takes a whole row of the tile of a and a whole "
                  "column of the tile of b"),
    wrong("returns-early", r"waits at __syncthreads.* has returned",
          "threads outside of c have returned, and the others wait for them at the barrier. These threads are needed, "
          "because they fetch numbers of the tiles"),
    wrong("barrier-in-a-branch", r"waits at __syncthreads.* waits at",
          "some threads wait at a barrier that the others do not reach, because it stands in an if. All threads of a block "
          "must pass the same barrier"),
    wrong("no-first-barrier", r"race for ",
          "a thread reads a number of the tile that another thread writes, without a fixed order. No thread may read the "
          "tiles before all threads have written their numbers", part="step"),
    wrong("no-second-barrier", r"race for ",
          "a single step is right, but with several steps a thread writes its number of the next tile while others still "
          "read this one. Put a barrier at the end of each step"),
    wrong("tail-not-filled", r"which no thread of the block has written",
          "shared memory is uninitialised until a thread writes it. Places of a tile beyond the matrix must hold 0, or be "
          "left out of the sum"),
    wrong("adds-to-nothing", r"reads (c\[|element )\d+.* which nobody has written",
          "c is uninitialised before this kernel: add up in a variable and write it once"),
    wrong("no-guard", r"(reads|writes) (a\[|b\[|c\[|element )-?\d+.* but .* has",
          "this number does not exist: the last tiles of a row or a column may reach beyond the matrix"),
    Misconception("width-of-the-other", "product", other_width,
                  "a number of the wrong row was used: a row of a has k numbers, a row of b and of c has n"),
    Misconception("no-tile", says="every thread fetches its whole row and column from global memory, so that each number "
                                  "is fetched again for every number of c. Let the block fetch a tile of each matrix once, "
                                  "into shared memory"),
    *COMMON,
]


def draw(student, rows, cols):
    return floats([student.random.randrange(-5, 6) for _ in range(rows * cols)], (rows, cols))


def check(student, ask, a, b):
    return ask(student, "product", a, b, gives=product(a, b), about="the product")


@part("step")
def step(student):
    check(student, run, draw(student, 16, 16), draw(student, 16, 16))
    check(student, in_all_orders, draw(student, 48, 16), draw(student, 16, 16))


@part("steps")
def steps(student):
    for m, k, n in ((16, 48, 32), (32, 32, 32)):
        check(student, in_all_orders, draw(student, m, k), draw(student, k, n))


@part("ragged")
def ragged(student):
    check(student, in_all_orders, floats([1, 2, 3, 4, 5, 6], (2, 3)), floats([1, 0, 0, 1, 2, 1], (3, 2)))
    for m, k, n in ((1, 1, 1), (17, 5, 3), (3, 33, 20), (20, 16, 1)):
        check(student, run, draw(student, m, k), draw(student, k, n))
    check(student, in_all_orders, draw(student, 18, 20), draw(student, 20, student.random.randrange(17, 32)))
    # 40 products of numbers below 1, each with a rounding error of 2^-24, and 40 sums below 40.
    a, b = (floats([student.random.uniform(-1, 1) for _ in range(240)], shape) for shape in ((6, 40), (40, 6)))
    run(student, "product", a, b, gives=product(a, b), within=40 * 2.0**-24 * 41, about="the product")


@part("traffic")
def traffic(student):
    # A step of a block: 8 warps fetch 2 rows of 16 numbers of each matrix; 6 blocks, 4 steps.
    done = check(student, run, draw(student, 48, 64), draw(student, 64, 32))
    at_most(student, done, done.load_transactions, 2 * 6 * 4 * 8 * 4, "transactions that read both matrices", "no-tile")
