"""Exact products of whole numbers, and the number of fetches that a fast memory needs for the reads of a program.

The student's program reports the order of its reads, not a count, and the judge replays these reads through a fast memory
of its own. Private copies cannot make the count small: for each product the judge computes how long one factor must have
been kept until the other was read, and a program may keep at most as many numbers as the fast memory holds.
"""
from collections import OrderedDict, defaultdict
from itertools import accumulate

from recto.judge.judging import Array, Misconception, array_of, matrix, part, wholes

BLOCK = 4
FAST = 3 * BLOCK * BLOCK    # numbers that the fast memory holds: three blocks
SLACK = 1.5                 # cutting into halves ends with smaller blocks than asked for, and is right too


def multiply(a, b, block=1):
    rows, cols = a.rows(), list(zip(*b.rows())) or [()] * b.shape[1]
    sums = [float(sum(x * y for x, y in zip(row, col))) for row in rows for col in cols]
    return Array((a.shape[0], b.shape[1]), sums)


def whole_blocks(a, b, block):
    """The products of whole blocks alone."""
    rows, inner, cols = (size // block * block for size in (*a.shape, b.shape[1]))
    return matrix([[float(sum(a[i, k] * b[k, j] for k in range(inner))) if i < rows and j < cols else 0.0
                    for j in range(b.shape[1])] for i in range(a.shape[0])])


def first_terms(count):
    """The product with sums that end after count(a, block) terms."""
    return lambda a, b, block: matrix([[float(sum(a[i, k] * b[k, j] for k in range(count(a.shape[1], block))))
                                        for j in range(b.shape[1])] for i in range(a.shape[0])])


def overlapping(a, b, block):
    """The product whose last block along the inner axis is moved back until it is whole, so that it overlaps the previous one."""
    inner = a.shape[1]
    terms = [k for first in range(0, inner, block) for k in range(max(0, min(first, inner - block)), min(first + block, inner))]
    return matrix([[float(sum(a[i, k] * b[k, j] for k in terms)) for j in range(b.shape[1])] for i in range(a.shape[0])])


def last_block(a, b, block):
    """The product in which every step along the inner axis overwrites the step before."""
    first = (a.shape[1] - 1) // block * block
    return matrix([[float(sum(a[i, k] * b[k, j] for k in range(first, a.shape[1]))) for j in range(b.shape[1])]
                   for i in range(a.shape[0])])


def transposed(a, b, block):
    """The product with the transpose of b."""
    if a.shape[1] != b.shape[1] or b.shape[0] != b.shape[1]:
        return None
    return multiply(a, matrix([list(col) for col in zip(*b.rows())]))


misconceptions = [
    Misconception("forgets-the-tail", "blocked_product", whole_blocks,
                  "only whole blocks were multiplied. The last block of an axis may be smaller, and its numbers count too"),
    Misconception("inner-tail-dropped", "blocked_product", first_terms(lambda inner, block: inner // block * block),
                  "the last terms of every sum are missing: the inner axis, which is the columns of a, also ends with a "
                  "smaller block"),
    Misconception("no-third-loop", "blocked_product", first_terms(min),
                  "each sum ends after its first block of terms: a third loop over blocks must go along the inner axis"),
    Misconception("counts-twice", "blocked_product", overlapping,
                  "some terms are in the sums twice: the last block along the inner axis overlaps the block before. Make "
                  "it smaller instead of moving it back"),
    Misconception("overwrites", "blocked_product", last_block,
                  "this is the contribution of the last block along the inner axis. It overwrote the earlier "
                  "contributions: add to c"),
    Misconception("transposed", "blocked_product", transposed,
                  "this is the product of a with the transpose of b: check the order of the indices of b"),
    Misconception("turned-a", "blocked_product",
                  lambda a, b, block: multiply(matrix([list(col) for col in zip(*a.rows())]), b)
                  if a.shape[0] == a.shape[1] else None,
                  "this is the product of the transpose of a with b: check the order of the indices of a"),
    Misconception("leaves-the-matrix", "blocked_product", outcome="wrong answer", matches="there is no element",
                  says="a block was read beyond the end of its matrix. The last block ends where the matrix ends, "
                  "and a and b have different sizes"),
    Misconception("single-precision", says="these sums are whole numbers below 2^53, which are exact in double precision. "
                                           "Your program uses a float somewhere, which has 24 bits"),
    Misconception("not-blocked", says="each number is fetched nearly as often as it is used, as in the plain product: "
                                      "between two uses of a number of b the program reads more numbers than the fast "
                                      "memory holds. The three outer loops must go from block to block, and all three "
                                      "inner loops must stay inside one block"),
    Misconception("keeps-copies", says="few numbers are read, but only because your program keeps copies of more numbers "
                                       "at a time than the fast memory holds. Your copies must fit into the fast memory"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's product is not allowed here: write the product yourself"),
]


def whole_numbers(student, rows, cols, most=9):
    return Array((rows, cols), [float(student.random.randint(-most, most)) for _ in range(rows * cols)])


def compare(student, a, b, block):
    student.expect("blocked_product", a, b, block, gives=multiply(a, b), about="the product")


@part("product")
def product(student):
    compare(student, matrix([[1.0, 2.0], [3.0, 4.0]]), matrix([[5.0, 6.0], [7.0, 8.0]]), 1)
    for rows, inner, cols, block in [(1, 1, 1, 1), (4, 4, 4, 2), (2, 4, 6, 2), (6, 3, 9, 3), (8, 4, 4, 4),
                                     (3, 5, 2, 1)]:
        compare(student, whole_numbers(student, rows, inner), whole_numbers(student, inner, cols), block)
    a, b = whole_numbers(student, 4, 8, 10 ** 7), whole_numbers(student, 8, 4, 10 ** 7)
    got = student.ask("blocked_product", a, b, 2, gives=array_of(None, None))
    expected = multiply(a, b)
    if got.shape == expected.shape:
        for at, (mine, theirs) in enumerate(zip(expected.numbers, got.numbers)):
            student.check(mine == theirs or not abs(mine - theirs) < 1e-5 * 8e14, "the product of large whole numbers",
                          f"{mine:.0f}", f"{theirs:.0f}", "single-precision", f"row {at // 4}, column {at % 4}")
    student.compare(got, expected, about="the product", function="blocked_product", arguments=(a, b, 2))


@part("tail")
def tail(student):
    for rows, inner, cols, block in [(3, 3, 3, 2), (5, 4, 4, 4), (4, 5, 4, 4), (4, 4, 5, 4), (7, 2, 9, 3), (2, 3, 2, 8),
                                     (1, 9, 1, 4), (9, 1, 9, 4), (3, 0, 2, 2), (0, 3, 2, 2), (2, 3, 0, 2)]:
        compare(student, whole_numbers(student, rows, inner), whole_numbers(student, inner, cols), block)
    for _ in range(4):
        rows, inner, cols, block = (student.random.randint(1, 12) for _ in range(4))
        compare(student, whole_numbers(student, rows, inner), whole_numbers(student, inner, cols), block)


def fetched(reads):
    """The number of reads that miss the fast memory, which evicts the number unused for the longest time."""
    held, count = OrderedDict(), 0
    for address in reads:
        if address in held:
            held.move_to_end(address)
            continue
        count += 1
        held[address] = None
        if len(held) > FAST:
            held.popitem(last=False)
    return count


def kept(reads, rows, inner, cols, first):
    """The most numbers that the program itself must have kept at a time; None if some product lacks a factor.

    For each product: of all reads of its two factors, the two nearest to each other, of which the first is one of a (0)
    or of b (1), as `first` allows. It is kept until the second.
    """
    after = rows * inner                                # the addresses of b
    places = [(1, *divmod(address - after, cols)) if address >= after else (0, *divmod(address, inner)[::-1])
              for address in reads]                     # (of b, k, i or j)
    nearest = {}                                        # (i, k, j): (how long a factor is kept, since when)
    for now in range(1, len(places)):
        (of_b, k, own), (before_of_b, before_k, partner) = places[now], places[now - 1]
        if k == before_k and of_b != before_of_b and before_of_b in first:      # side by side, as in most programs
            nearest[(partner, k, own) if of_b else (own, k, partner)] = (1, now - 1)
    missing = {(i, k, j) for i in range(rows) for k in range(inner) for j in range(cols)} - nearest.keys()
    partners = defaultdict(list)
    for i, k, j in missing:
        if 1 in first:
            partners[0, k, i].append(j)
        if 0 in first:
            partners[1, k, j].append(i)
    last = {}
    for now, place in enumerate(places):
        of_b, k, own = place
        last[place] = now
        for partner in partners.get(place, ()):
            then = last.get((1 - of_b, k, partner))
            product = (partner, k, own) if of_b else (own, k, partner)
            if then is not None and (product not in nearest or now - then < nearest[product][0]):
                nearest[product] = (now - then, then)
    if len(nearest) < rows * inner * cols:
        return None
    until = defaultdict(int)
    for distance, then in nearest.values():
        until[then] = max(until[then], distance)
    changes = [0] * (len(reads) + 1)
    for then, distance in until.items():
        changes[then] += 1
        changes[then + distance] -= 1
    return max(accumulate(changes))


@part("loads")
def loads(student):
    rows, inner, cols = 50, 5, 53
    a, b = whole_numbers(student, rows, inner), whole_numbers(student, inner, cols)
    name = "watched_product"
    c, reads = student.ask(name, a, b, BLOCK, gives=(array_of(None, None), wholes(None)))
    student.compare(c, multiply(a, b), about="the product", function=name, arguments=(a, b, BLOCK))
    reads = [address for address in reads.numbers if 0 <= address < inner * (rows + cols)]
    often = rows * inner * -(-cols // BLOCK) + inner * cols * -(-rows // BLOCK)
    count = fetched(reads)
    about = f"numbers fetched from the slow memory when the fast one holds {FAST}, for blocks of {BLOCK} x {BLOCK}"
    most = int(SLACK * often)
    student.check(count <= most, about, f"at most {most} (whole blocks need {often})", str(count), "not-blocked")
    copies = None
    for first in ((0, 1), (0,), (1,)):      # a program that copies blocks of one matrix only is judged by that matrix alone
        found = kept(reads, rows, inner, cols, first)
        copies = found if copies is None else min(copies, copies if found is None else found)
        if copies is None or copies <= FAST:
            break
    about = "the factors of every product"
    student.check(copies is not None, about, "both read", "one of them never read")
    student.check(copies <= FAST, "numbers that your program keeps in its own arrays at a "
                                  "time", f"at most {FAST}", str(copies),
                  "keeps-copies")
