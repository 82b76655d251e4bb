"""Numbers in blocks, and products with them, block by block. A mistake changes one step."""
from math import floor, fsum, inf

from recto.judge.comparing import show
from recto.judge.judging import WHOLE, Array, Misconception, array_of, integers, matrix, part, wholes

CLOSE = 1e-10           # results of a few hundred, added up in any order in double precision
SCALES = 1e-12          # one division
MIDDLE = 1e-6           # the least distance of x / s from the middle between two whole numbers
ROWS, COLS = 200, 1024
MOST = 300_000          # bytes: the codes once more, and no number of four bytes for each


def nearest(x):
    return floor(x + 0.5)


def chunks(numbers):
    return [numbers[at:at + 32] for at in range(0, len(numbers), 32)]


def numbers_of(values):
    return Array((len(values),), [float(value) for value in values])


def quantise(x, largest=lambda block: max(map(abs, block)), steps=127, rounded=nearest, keep=lambda code: code, whole=None):
    """Rows, columns, codes and scales."""
    codes, scales, every = [], [], whole(x) if whole else None
    for block in chunks(x.numbers):
        scale = (every or largest(block)) / steps
        scales.append(scale)
        codes += [keep(rounded(value / scale)) if scale else 0 for value in block]
    return x.shape[0], x.shape[1], integers(codes), numbers_of(scales)


def product(x, rows, cols, codes, scales, scale_of=lambda scales, j, b, per_row, rows: scales[j * per_row + b], reset=True,
            byte=lambda code: code, turned=False, times=lambda total, scale: total * scale, last=False, skip=0):
    """x times the transposed weights. A step can be changed: which scale a block gets, whether the sum begins again for each block,
    what becomes of a code, how a sum and its scale go together."""
    per_row, found = cols // 32, []
    for row in x.rows():
        line = []
        for j in range(rows):
            parts, carried = [], 0.0
            for b in range(per_row - skip):
                at = 32 * b
                here = fsum(row[at + k] * byte(codes.numbers[j * cols + at + k]) for k in range(32))
                carried = here if reset else carried + here
                parts.append(times(carried, scale_of(scales.numbers, j, b, per_row, rows)))
            line.append(parts[-1] if last and parts else fsum(parts))
        found.append(line)
    return matrix([list(line) for line in zip(*found)] if turned else found)


def product_of_blocks(n, cols, x_codes, x_scales, rows, codes, scales, mine=lambda scales, i, b, per_row: scales[i * per_row + b],
                      theirs=lambda scales, j, b, per_row: scales[j * per_row + b], kept=lambda total: total, each=lambda one: one):
    per_row, found = cols // 32, []
    for i in range(n):
        line = []
        for j in range(rows):
            parts = []
            for b in range(per_row):
                pairs = zip(x_codes.numbers[i * cols + 32 * b:][:32], codes.numbers[j * cols + 32 * b:][:32])
                total = 0
                for one, other in pairs:
                    total = kept(total + each(one * other))
                parts.append(total * mine(x_scales.numbers, i, b, per_row) * theirs(scales.numbers, j, b, per_row))
            line.append(fsum(parts))
        found.append(line)
    return matrix(found)


def bits(count):
    """What a type of so many bits keeps of a whole number."""
    half = 2 ** (count - 1)
    return lambda number: (number + half) % (2 * half) - half


def of_quantise(name, says, **ways):
    return Misconception(name, "quantise", lambda x: quantise(x, **ways), says)


def of_product(name, says, **ways):
    return Misconception(name, "product", lambda *given: product(*given, **ways), says)


def of_integers(name, says, **ways):
    return Misconception(name, "product_of_blocks", lambda *given: product_of_blocks(*given, **ways), says)


misconceptions = [
    of_quantise("without-signs", "the scale came from the largest number of the block, not from the largest size: a negative number may be "
                                 "larger", largest=lambda block: max(max(block), 0.0), keep=bits(8)),
    of_quantise("over-128", "the largest size was divided by 128: it is 127, so that the largest number gets a code that a signed byte can "
                            "hold", steps=128, keep=bits(8)),
    of_quantise("over-255", "the largest size was divided by 255, the number of steps from -127 to 128: the codes go from -127 to 127 on "
                            "both sides of zero", steps=255, keep=bits(8)),
    of_quantise("cut-off", "x / s was cut off to a whole number: round it to the nearest one", rounded=int),
    of_quantise("rounded-down", "x / s was rounded down: round it to the nearest whole number", rounded=floor),
    of_quantise("half-up-for-all", "0.5 was added and the result cut off, which rounds negative numbers towards zero",
                rounded=lambda x: int(x + 0.5)),
    of_quantise("one-scale", "one scale serves the whole matrix: each block of 32 numbers has its own",
                whole=lambda x: max(map(abs, x.numbers))),
    # the product with numbers
    of_product("no-scale", "the codes were multiplied without their scales", scale_of=lambda *_: 1.0),
    of_product("first-scale-of-the-row", "the scale of the first block of a row was used for all its blocks",
               scale_of=lambda scales, j, b, per_row, rows: scales[j * per_row]),
    of_product("first-row-of-scales", "the scales of row 0 were used for all rows", scale_of=lambda scales, j, b, per_row, rows: scales[b]),
    of_product("scale-of-the-row-number", "the scale number j was used for row j: a row has cols / 32 scales",
               scale_of=lambda scales, j, b, per_row, rows: scales[j]),
    of_product("scales-column-by-column", "the scales were looked up column by column: they lie row after row",
               scale_of=lambda scales, j, b, per_row, rows: scales[b * rows + j]),
    of_product("sum-carried-on", "the sum of a block was carried on to the next one: begin each block with 0", reset=False),
    of_product("last-block-alone", "only the last block counts here: add up the blocks with += instead of =", last=True),
    of_product("last-block-missing", "the last block of the rows is missing", skip=1),
    of_product("unsigned-codes", "the codes were read as bytes from 0 to 255: they are signed", byte=lambda code: code % 256),
    of_product("divided-by-the-scale", "the sum was divided by its scale: multiply", times=lambda total, scale: total / scale if scale else inf),
    Misconception("turned", "product", lambda *given: product(*given, turned=True) if given[0].shape[0] == given[1] else None,
                  "the result is transposed: a row for each row of x, a column for each row of w"),
    # the product of blocks
    of_integers("no-scale-of-x", "the scales of x are missing: the sum of a block is multiplied by both scales", mine=lambda *_: 1.0),
    of_integers("no-scale-of-w", "the scales of w are missing: the sum of a block is multiplied by both scales", theirs=lambda *_: 1.0),
    Misconception("scales-added", "product_of_blocks", lambda n, cols, x_codes, x_scales, rows, codes, scales: matrix(
        [[fsum(sum(a * b for a, b in zip(x_codes.numbers[i * cols + 32 * b:][:32], codes.numbers[j * cols + 32 * b:][:32]))
               * (x_scales.numbers[i * cols // 32 + b] + scales.numbers[j * cols // 32 + b]) for b in range(cols // 32))
          for j in range(rows)] for i in range(n)]), "the two scales were added: multiply them"),
    of_integers("sum-of-sixteen-bits", "the sum of a block does not fit into 16 bits: 32 products of up to 127 times 127 are up to 516,128. "
                                       "Add them up in an int", kept=bits(16)),
    of_integers("products-of-eight-bits", "a product of two codes does not fit into 8 bits: it is up to 127 times 127. Convert the codes to "
                                          "int before you multiply", each=bits(8)),
    # the memory
    Misconception("restored", part="memory", says="product restores the weights, or much of them. Multiply the codes where they are, and "
                                                  "apply the scale to the sum of a block"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's products are not allowed here: write them yourself"),
]

NAMES = {"quantise": ("x",), "product": ("x", "rows", "cols", "codes", "scales"), "counted": ("x", "rows", "cols", "codes", "scales"),
         "product_of_blocks": ("x.rows", "cols", "x.codes", "x.scales", "w.rows", "w.codes", "w.scales")}


def call_of(function, arguments):
    """A call with the names of its arguments."""
    return f"{function}({', '.join(f'{name} {show(value)}' for name, value in zip(NAMES[function], arguments))})"


def compare_quantised(student, x, about="the codes"):
    student.call = call_of
    rows, cols, codes, scales = quantise(x)
    got = student.ask("quantise", x, gives=(WHOLE, WHOLE, wholes(None), array_of(None)), relative=SCALES)
    student.compare(got, (rows, cols, codes, scales), relative=SCALES, about=f"the numbers of rows and columns, {about}, and the scales",
                    function="quantise", arguments=(x,))


def compare(student, function, given, about="the product"):
    student.call = call_of
    mine = {"product": product, "product_of_blocks": product_of_blocks}[function]
    got = student.ask(function, *given, gives=array_of(None, None))
    student.compare(got, mine(*given), CLOSE, about=about, function=function, arguments=given)


def some(student, rows, cols, size=1.0):
    """Numbers of which none becomes a tie."""
    numbers = []
    for _ in range(rows * cols // 32):
        while True:
            block = [round(student.random.uniform(-size, size), 3) * 1.0 for _ in range(32)]
            scale = max(map(abs, block)) / 127
            if scale and all(abs(abs(x / scale) % 1 - 0.5) > MIDDLE for x in block):
                break
        numbers += block
    return Array((rows, cols), numbers)


def blocks(student, rows, cols, most=127):
    """Codes and scales."""
    codes = [student.random.randint(-most, most) for _ in range(rows * cols)]
    return integers(codes), numbers_of([round(student.random.uniform(0.002, 0.02), 5) for _ in range(rows * cols // 32)])


@part("quantise")
def judge_quantise(student):
    compare_quantised(student, Array((1, 32), [-2.0 if k == 5 else 0.03 * (k - 7) for k in range(32)]))
    for rows, cols in ((1, 32), (1, 64), (2, 32), (3, 96)):
        compare_quantised(student, some(student, rows, cols, round(student.random.uniform(0.5, 9), 1)))
    mixed = some(student, 2, 64)
    compare_quantised(student, Array(mixed.shape, [x * (100.0 if at // 32 == 1 else 1.0) for at, x in enumerate(mixed.numbers)]),
                      "blocks of different sizes")
    for size in (1e-30, 1e30):
        one = some(student, 1, 64)
        compare_quantised(student, Array(one.shape, [x * size for x in one.numbers]), f"the codes of numbers of about {size:g}")
    compare_quantised(student, Array((1, 64), [0.0] * 32 + some(student, 1, 32).numbers), "the codes, a block of zeros")


@part("product")
def judge_product(student):
    first, second = [3, -4] + [0] * 30, [10] + [0] * 31
    x = Array((1, 64), [1.0, 2.0] + [0.0] * 30 + [0.1] + [0.0] * 31)
    for n, rows, cols in ((3, 3, 96), (1, 1, 32), (1, 2, 32), (2, 1, 64), (2, 3, 64), (4, 2, 128), (1, 5, 96)):
        compare(student, "product", (some(student, n, cols), rows, cols, *blocks(student, rows, cols)))
    compare(student, "product", (x, 1, 64, integers(first + second), numbers_of([0.5, 2.0])))
    compare(student, "product", (some(student, 2, 64), 1, 64, integers([127] * 32 + [-127] * 32), numbers_of([0.0, 0.01])))


@part("integers")
def judge_integers(student):
    # Small codes first: only then do all kinds of numbers hold the sums.
    for n, rows, cols, most in ((1, 1, 32, 3), (2, 3, 64, 3), (2, 2, 64, 20), (3, 2, 96, 127), (1, 4, 128, 127)):
        given = n, cols, *blocks(student, n, cols, most), rows, *blocks(student, rows, cols, most)
        compare(student, "product_of_blocks", given)
    for one, other in ((127, 127), (-127, 127), (-127, -127)):
        given = 1, 64, integers([one] * 64), numbers_of([0.01, 0.02]), 2, integers([other] * 128), numbers_of([0.01, 0.02, 0.015, 0.005])
        compare(student, "product_of_blocks", given, "the product, the largest sums that a block can have")


@part("memory")
def judge_memory(student):
    """A large matrix: some of the results, and the bytes that the call held."""
    student.call = call_of
    codes, scales = blocks(student, ROWS, COLS)
    x = Array((1, COLS), [round(student.random.uniform(-1, 1), 2) for _ in range(COLS)])
    got, held = student.ask("counted", x, ROWS, COLS, codes, scales, gives=(array_of(1, ROWS), WHOLE), again=False)
    for j in (0, 1, ROWS - 1, *(student.random.randrange(ROWS) for _ in range(6))):
        here = slice(j * COLS, (j + 1) * COLS), slice(j * COLS // 32, (j + 1) * COLS // 32)
        expected = product(x, 1, COLS, integers(codes.numbers[here[0]]), numbers_of(scales.numbers[here[1]])).numbers[0]
        student.check(abs(got.numbers[j] - expected) <= CLOSE, f"the product with {ROWS} rows and {COLS} columns", f"{expected:.12g}",
                      f"{got.numbers[j]:.12g}", where=f"column {j}")
    student.check(held <= MOST, f"the memory that product holds at its peak, with {ROWS} rows and {COLS} columns", f"at most {MOST / 1e6:g} MB",
                  f"{held / 1e6:.2f} MB", "restored")
