"""Transposes matrices, and counts the memory accesses."""
from recto.judge.judging import WRONG, Array, Misconception, matrix, part
from recto.judge.kernels import COMMON, at_most, in_all_orders, run

SIDE = 32


def transpose(x, order=""):
    rows, cols = x.shape
    return Array((cols, rows), [x.numbers[row * cols + col] for col in range(cols) for row in range(rows)], "F")


def tile_by_tile(x, order):
    """The matrix with each tile transposed in place."""
    rows, cols = x.shape
    if rows != cols or rows % SIDE:
        return None
    return Array(x.shape, [x[row // SIDE * SIDE + col % SIDE, col // SIDE * SIDE + row % SIDE]
                           for row in range(rows) for col in range(cols)], "F")


def turned(x, rows_back=False, cols_back=False):
    """The transposed matrix with its rows or columns in reverse."""
    rows = [row[::-1] if cols_back else row for row in transpose(x).rows()]
    return matrix(rows[::-1] if rows_back else rows, "F")


def wrong(name, matches, says, part=None):
    return Misconception(name, outcome=WRONG, matches=matches, says=says, part=part)


misconceptions = [
    *COMMON,
    Misconception("tile-stays", "transpose", tile_by_tile,
                  "each tile is transposed, but it is in its old place. The tile in row by, column bx of x belongs to row "
                  "bx, column by of y"),
    Misconception("copies", "transpose", lambda x, order: Array((x.shape[1], x.shape[0]), x.numbers, "F"),
                  "y holds the numbers of x in the same order: nothing is transposed"),
    Misconception("upside-down", "transpose", lambda x, order: turned(x, rows_back=True),
                  "y is transposed and upside down, a quarter turn of x: column 0 of x becomes row 0 of y"),
    Misconception("mirrored", "transpose", lambda x, order: turned(x, cols_back=True),
                  "y is transposed and mirrored, a quarter turn of x: row 0 of x becomes column 0 of y"),
    Misconception("other-diagonal", "transpose", lambda x, order: turned(x, rows_back=True, cols_back=True),
                  "x was reflected in its other diagonal: the number at row 0, column 0 stays there"),
    wrong("first-lines-only", r"got (768|3072) of (1024|4096) that never were|which no thread of the block has written",
          "three quarters of the numbers are missing. A tile has 32 rows and a block has 8 lines of threads, so each "
          "thread takes four numbers",
          part="squares"),
    wrong("returns-before", r"waits at __syncthreads.* has returned",
          "threads without a number have returned before the barrier, where the others wait for them. All threads must "
          "pass the barrier; besides, a thread with nothing to read may have something to write"),
    wrong("no-barrier", r"race for part\[",
          "a thread reads a place of the tile that another thread writes, without a fixed order. Put a barrier between the "
          "two halves"),
    wrong("guards-swapped", r"which no thread of the block has written|race for y|that never were",
          "the second half uses other rows and columns than the first: its condition must check the number that it writes, "
          "both the row and the column of x"),
    wrong("no-guard", r"(reads|writes) (x\[|element )-?\d+.* but .* has",
          "this number does not exist: the last tiles of a row or a column may reach beyond the matrix"),
    wrong("wrong-width", r"writes (y\[|element ).* but .* has",
          "this place lies beyond y. A row of y has as many numbers as x has rows: multiply the row index by this width"),
    Misconception("no-tile", says="reading or writing goes down a column, so that each number costs a transaction of 128 "
                                  "bytes. Write the tile into shared memory and transpose it there: then both go along rows"),
    Misconception("no-padding", says="32 threads read or write a column of the tile, whose places all lie in one bank. "
                                     "Make each row of the tile one place longer than 32 to spread them over all banks"),
    Misconception("padded-by-a-row", says="the tile is larger, but 32 threads still access places of one bank: an "
                                          "additional row shifts nothing. Make each row longer, so that the next row "
                                          "begins in another bank"),
    Misconception("padded-by-two", says="the rows of the tile begin in different banks, but every second bank is left out, "
                                        "so that two or more places share a bank. The length of a row should have no "
                                        "common divisor with 32"),
]


def draw(student, rows, cols):
    return matrix([[float(student.random.randrange(-99, 100)) for _ in range(cols)] for _ in range(rows)], "F")


def check(student, ask, x):
    return ask(student, "transpose", x, gives=transpose(x), about="the transposed matrix")


@part("squares")
def squares(student):
    check(student, run, draw(student, 32, 32))
    check(student, in_all_orders, draw(student, 64, 64))


@part("ragged")
def ragged(student):
    check(student, in_all_orders, matrix([[1, 2, 3], [4, 5, 6]], "F"))
    for rows, cols in ((1, 1), (1, 40), (70, 1), (32, 64), (5, 37)):
        check(student, run, draw(student, rows, cols))
    check(student, in_all_orders, draw(student, 33, student.random.randrange(40, 60)))


@part("transactions")
def transactions(student):
    done = check(student, run, draw(student, 64, 96))
    at_most(student, done, done.load_transactions, 384, "transactions that read 64 x 96 numbers", "no-tile")
    at_most(student, done, done.store_transactions, 384, "transactions that write 64 x 96 numbers", "no-tile")


@part("banks")
def banks(student):
    done = check(student, run, draw(student, 64, 96))
    wide = "padded-by-a-row" if done.worst_conflict > 16 else "padded-by-two"
    suspect = wide if done.shared_bytes > 4 * SIDE * SIDE else "no-padding"
    at_most(student, done, done.worst_conflict, 1, "places wanted of one bank at a time", suspect, done.worst_where)
