"""Short formats by their definition: a list of all numbers of a format, and the nearest of them."""
from bisect import bisect_right
from fractions import Fraction
from functools import cache, partial
from math import copysign, inf, isnan, ldexp, nan
from struct import pack, unpack

from recto.judge.judging import REAL, TEXT, Misconception, array_of, floats, part, wholes

FORMATS = {"binary16": (5, 10), "bfloat16": (8, 7), "E5M2": (5, 2), "E4M3": (4, 3), "E6M9": (6, 9), "E3M4": (3, 4)}


def endless(name):
    """Whether the format has an infinity."""
    return name != "E4M3"


def value(exponent, digits, name, leading=1, lowest=1, off=0):
    """The number that the two fields represent, infinities aside. The keywords select common mistakes."""
    exponent_bits, digit_bits = FORMATS[name]
    bias = 2 ** (exponent_bits - 1) - 1 + off
    if exponent == 0:
        return ldexp(digits, lowest - bias - digit_bits)
    return ldexp(leading * 2 ** digit_bits + digits, exponent - bias - digit_bits)


def beyond(name):
    """The first pattern, sign aside, that is not a finite number."""
    exponent_bits, digit_bits = FORMATS[name]
    return (2 ** exponent_bits - 1) * 2 ** digit_bits + (0 if endless(name) else 2 ** digit_bits - 1)


@cache
def ladder(name):
    """All numbers from zero up, in the order of their patterns, and the one that would follow the largest."""
    _, digit_bits = FORMATS[name]
    return [value(*divmod(size, 2 ** digit_bits), name) for size in range(beyond(name) + 1)]


def number_of(pattern, name):
    exponent_bits, digit_bits = FORMATS[name]
    size = pattern % 2 ** (exponent_bits + digit_bits)
    found = ladder(name)[size] if size < beyond(name) else inf if endless(name) and size == beyond(name) else nan
    return -found if pattern != size else found


def text_of(pattern, name):
    exponent_bits, digit_bits = FORMATS[name]
    bits = f"{pattern:0{1 + exponent_bits + digit_bits}b}"
    return f"{bits[0]} {bits[1:1 + exponent_bits]} {bits[1 + exponent_bits:]}"


def pattern_of(text):
    return int(text.replace(" ", ""), 2)


def pattern_nearest(x, name, ties="even", most=None):
    """The pattern including the sign. The keywords select common mistakes."""
    exponent_bits, digit_bits = FORMATS[name]
    sign = 2 ** (exponent_bits + digit_bits) if copysign(1, x) < 0 else 0
    numbers, size = ladder(name), Fraction(abs(x)) if abs(x) < inf else None
    if size is None or size >= numbers[-1]:
        return sign + (beyond(name) if most is None else most)
    below = bisect_right(numbers, size) - 1
    middle = (Fraction(numbers[below]) + Fraction(numbers[below + 1])) / 2
    tie = below % 2 == 1 if ties == "even" else ties == "away"
    tie = copysign(1, x) > 0 if ties == "upwards" else tie
    up = ties != "never" and (size > middle or (size == middle and tie))
    return sign + (below + up if most is None else min(below + up, most))


def near(x, name, **changes):
    return text_of(pattern_nearest(x, name, **changes), name)


def fields(text, name):
    """(sign, exponent, digits) of a pattern as it is shown."""
    sign, exponent, digits = (int(field, 2) for field in text.split())
    return (-1 if sign else 1), exponent, digits


def decoded(text, name, special=True, positive=False, **changes):
    """The number read by a student with a mistake."""
    sign, exponent, digits = fields(text, name)
    found = number_of(pattern_of(text), name)
    if special and (isnan(found) or found in (inf, -inf)):
        return abs(found) if positive else found
    return (1 if positive else sign) * value(exponent, digits, name, **changes)


def over_all_ones(text, name):
    """The digits divided by their largest value, 2^d - 1; None for patterns that are no ordinary number."""
    sign, exponent, digits = fields(text, name)
    exponent_bits, digit_bits = FORMATS[name]
    if exponent == 0 or pattern_of(text) % 2 ** (exponent_bits + digit_bits) >= beyond(name):
        return None
    return sign * ldexp(1 + digits / (2 ** digit_bits - 1), exponent - 2 ** (exponent_bits - 1) + 1)


def leading_one_always(text, name):
    sign, exponent, digits = fields(text, name)
    exponent_bits, digit_bits = FORMATS[name]
    if exponent > 0:
        return None
    return sign * ldexp(2 ** digit_bits + digits, 1 - 2 ** (exponent_bits - 1) - digit_bits)


def carry_lost(x, name):
    """A mistake: the digits wrap around to zero and the exponent stays."""
    digit_bits = FORMATS[name][1]
    right, below = pattern_nearest(x, name), pattern_nearest(x, name, ties="never")
    carries = right // 2 ** digit_bits > below // 2 ** digit_bits
    return text_of(below - below % 2 ** digit_bits if carries else right, name)


def flushed(x, name):
    return near(copysign(0, x) if abs(x) < value(1, 0, name) else x, name)


def early(x, name):
    return near(copysign(inf, x) if abs(x) > ladder(name)[-2] else x, name)


def saturated(x, name):
    return near(x, name, most=beyond(name) - 1)


def twice(x, name):
    """A mistake: rounds first to the digits of an ordinary number, then to those of a subnormal one."""
    exponent_bits, digit_bits = FORMATS[name]
    if not 0 < abs(x) < value(1, 0, name):
        return near(x, name)
    step = Fraction(2) ** (leading_power(x) - digit_bits)
    return near(copysign(float(round(Fraction(abs(x)) / step) * step), x), name)


def leading_power(x):
    """The exponent of the largest power of two that is at most x."""
    found = 0
    while Fraction(2) ** found > abs(x):
        found -= 1
    while Fraction(2) ** (found + 1) <= abs(x):
        found += 1
    return found


def with_infinity(text, name):
    """A mistake: E4M3 read as if its largest exponent were reserved."""
    sign, exponent_field, digits = fields(text, name)
    return None if name != "E4M3" or exponent_field < 15 else nan if digits else sign * inf


def to_infinity(x, name):
    return "01"[copysign(1, x) < 0] + " 1111 000" if name == "E4M3" and abs(x) > 248 else None


misconceptions = [
    Misconception("no-leading-one", "decode", partial(decoded, leading=0),
                  "this is the value of the digits alone. An ordinary number begins with a leading one, which is not stored"),
    Misconception("subnormal-exponent", "decode", partial(decoded, lowest=0),
                  "this is half of it. A subnormal number has the exponent of the smallest ordinary numbers, that of the "
                  "field 1, so that there is no gap between them"),
    Misconception("bias-off-by-one", "decode", partial(decoded, off=1),
                  "this is wrong by a factor of two: with e bits for the exponent the bias is 2^(e-1) - 1, so the pattern "
                  "of 1 has the exponent 011...1"),
    Misconception("digits-over-all-ones", says="the digits M were divided by 2^d - 1, their largest value. They are a binary "
                  "fraction of d digits: M / 2^d, which never reaches 1"),
    Misconception("forgets-the-sign", "decode", partial(decoded, positive=True), "the highest bit is the sign"),
    Misconception("leading-one-always", "decode", leading_one_always,
                  "an exponent field of zero means that the leading one is absent: this gives zero, and the subnormal "
                  "numbers between zero and the smallest ordinary number"),
    Misconception("infinity-is-a-number", "decode", partial(decoded, special=False),
                  "the largest exponent is reserved: with all digits zero it means infinity, with any other digits NaN"),
    Misconception("minus-zero", says="there is a minus zero, with the sign bit set and all others zero"),
    Misconception("saturates", "encode", saturated,
                  "this is the largest finite number. A number that is nearer to the next power of two becomes infinity"),
    Misconception("rounds-twice", "encode", twice,
                  "this was rounded twice: first to all the digits of an ordinary number, then to the fewer digits of a "
                  "subnormal one. Find the last bit that is kept first, then round once"),
    Misconception("truncates", "encode", partial(near, ties="never"),
                  "the digits that do not fit were cut off. The nearest number may be the one above"),
    Misconception("ties-away", "encode", partial(near, ties="away"),
                  "x lies exactly in the middle of two numbers here. Take the number whose last bit is 0, not always the "
                  "larger one: then the errors of many roundings cancel"),
    Misconception("ties-towards-zero", "encode", partial(near, ties="towards"),
                  "x lies exactly in the middle of two numbers here, and the number nearer to zero was taken. Take the "
                  "number whose last bit is 0, which may be the upper one"),
    Misconception("ties-upwards", "encode", partial(near, ties="upwards"),
                  "x lies exactly in the middle of two numbers here, and the upper number was taken, as floor(x + 0.5) "
                  "does. Take the number whose last bit is 0"),
    Misconception("carry-lost", "encode", carry_lost,
                  "rounding up turned all digits from ones to zeros, which must carry into the exponent"),
    Misconception("flushes-to-zero", "encode", flushed,
                  "this number is smaller than the smallest ordinary number, but not zero: it has a subnormal pattern"),
    Misconception("infinite-too-early", "encode", early,
                  "x is larger than the largest number, but nearer to it than to the next number would be. Round first, "
                  "then check whether the result is too large"),
    Misconception("nan-becomes-infinity", says="the digits of this NaN that do not fit were cut off, which leaves the "
                                               "pattern of infinity. A NaN must keep at least one digit that is set"),
    Misconception("e4m3-with-infinity", "decode", with_infinity,
                  "E4M3 has no infinity: its largest exponent holds ordinary numbers, up to 448, and only the pattern with "
                  "all bits set is NaN"),
    Misconception("e4m3-to-infinity", "encode", to_infinity,
                  "this is where another format has its infinity. In E4M3 the same pattern is the number 256"),
    Misconception("e4m3-saturates", says="448 is the largest number of E4M3. In this exercise a number nearer to the next "
                                         "step, 480, becomes NaN; clamping it to 448 is another convention"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's formats are not allowed here: write the conversion yourself"),
]


def alike(mine, theirs):
    """Whether both are the same number, zeros with the same sign, or both NaN."""
    return (isnan(mine) and isnan(theirs)) or (mine == theirs and copysign(1, mine) == copysign(1, theirs))


def try_decode(student, pattern, name):
    """One pattern."""
    expected, text = number_of(pattern, name), text_of(pattern, name)
    got = student.ask("decode", text, name, gives=REAL)
    about, theirs = "the number with this pattern", over_all_ones(text, name)
    student.check(theirs is None or got == expected or not abs(got - theirs) <= 2e-7 * abs(theirs), about, str(expected),
                  str(got), "digits-over-all-ones")
    student.compare(got, expected, about=about, function="decode", arguments=(text, name))
    student.check(expected != 0 or alike(expected, got), about, str(expected), str(got), "minus-zero")


def every_pattern(student, name):
    """All patterns in one call; the first wrong one is asked for again alone."""
    count = 2 ** (1 + sum(FORMATS[name]))
    got = student.ask("decode_many", 0, count, name, gives=array_of(count))
    for pattern, theirs in enumerate(got.numbers):
        if not alike(number_of(pattern, name), theirs):
            try_decode(student, pattern, name)
            student.check(False, f"the pattern {text_of(pattern, name)} among many", str(number_of(pattern, name)),
                          str(theirs))


def around(x, name):
    """The two neighbours of x, for the message."""
    numbers = ladder(name)
    at = bisect_right(numbers, abs(x)) - 1
    about = "the pattern of the number nearest to x"
    if not 0 <= at < len(numbers) - 2 or numbers[at] == abs(x):
        return about
    texts = [text_of(pattern_nearest(copysign(numbers[i], x), name), name) for i in (at, at + 1)]
    below, above = (f"{copysign(numbers[i], x):.9g}" for i in (at, at + 1))
    return f"{about}, which lies between {below} ({texts[0]}) and {above} ({texts[1]})"


def try_encode(student, x, name):
    """One number."""
    x = unpack("f", pack("f", x))[0]
    got = student.ask("encode", x, name, gives=TEXT)
    expected = near(x, name)
    if name == "E4M3" and abs(x) > 464:
        about = "the pattern of a number that is too large"
        student.check(got != near(copysign(448, x), name), about, expected, str(got), "e4m3-saturates")
        if got in (near(inf, name), near(-inf, name)):
            return                                      # a NaN of either sign
    student.compare(got, expected, about=around(x, name), function="encode", arguments=(x, name))


def many(student, numbers, name):
    """Pairs (x, pattern) in one call; the first wrong one is asked for again alone."""
    got = student.ask("encode_many", floats([x for x, _ in numbers]), name, gives=wholes(len(numbers)))
    for (x, pattern), theirs in zip(numbers, got.numbers, strict=True):
        # A NaN of either sign will do.
        either = isnan(number_of(pattern, name)) and theirs in (beyond(name), 2 * beyond(name) + 1)
        if theirs != pattern and not either:
            try_encode(student, x, name)
            student.check(False, f"the pattern of {x!r} among many", text_of(pattern, name), str(theirs))


def beside(x, step):
    """The float next to a positive x."""
    return unpack("f", pack("I", unpack("I", pack("f", x))[0] + step))[0]


def steps(sizes, name):
    """For each size: its number, the middle to the next, and the floats on either side of it; with both signs."""
    numbers, sign, found = ladder(name), 2 ** sum(FORMATS[name]), []
    for size in sizes:
        middle = (numbers[size] + numbers[size + 1]) / 2
        here = [(numbers[size], size), (beside(middle, -1), size), (middle, size + size % 2),
                (beside(middle, 1), size + 1)]
        found += [pair for x, pattern in here for pair in ((x, pattern), (-x, pattern + sign))]
    return found


def chosen(student, name, low, high):
    """Sizes from low up to high: all if they are few, else some, with both ends and those around each power of two."""
    digit_bits = FORMATS[name][1]
    if high - low < 600:
        return range(low, high)
    ends = {at + d for at in range(0, high + 1, 2 ** digit_bits) for d in (-2, -1, 0, 1)} | {low, high - 1}
    return sorted({at for at in ends if low <= at < high} | {student.random.randrange(low, high) for _ in range(1200)})


def try_nan(student, bits, name):
    """A NaN must stay a NaN, with any pattern."""
    got = student.ask("encode_float_bits", bits, name, gives=TEXT)
    usable = len(got) == len(text_of(0, name)) and set(got) <= set("01 ")
    means = number_of(pattern_of(got), name) if usable else 0
    wanted = "the largest exponent and digits that are not all 0" if endless(name) else "all bits set, with either sign"
    suspect = "nan-becomes-infinity" if abs(means) == inf else ""
    student.check(isnan(means), "a NaN stays NaN", wanted, str(got), suspect)


ORDINARY = ("binary16", "bfloat16", "E5M2", "E6M9", "E3M4")


@part("decode")
def decode(student):
    for text in ("0 01111 0000000000", "1 10000 0100000000", "0 01101 0101010101"):
        try_decode(student, pattern_of(text), "binary16")
    for name in ORDINARY:
        exponent_bits, digit_bits = FORMATS[name]
        for _ in range(6):
            exponent_field = student.random.randint(1, 2 ** exponent_bits - 2)
            digits, sign = student.random.randrange(2 ** digit_bits), student.random.randint(0, 1)
            try_decode(student, ((sign << exponent_bits) + exponent_field << digit_bits) + digits, name)


@part("decode_edges")
def decode_edges(student):
    for text in ("0 00000 0000000001", "0 00000 1000000000", "0 00001 0000000000", "0 11111 0000000000",
                 "1 11111 0000000000", "0 11111 1000000000", "0 11110 1111111111", "1 00000 0000000000"):
        try_decode(student, pattern_of(text), "binary16")
    for name in ORDINARY:
        every_pattern(student, name)


@part("encode")
def encode(student):
    # Each of these rounding rules fails at a different number: truncation, ties away from zero, upwards, towards zero.
    for x in (1.0, 0.1, 0.3, -2.5, 3.14159274, -2049.0, 2049.0, 2051.0, 4095.0):
        try_encode(student, x, "binary16")
    for x in (0.1, 511.0):
        try_encode(student, x, "bfloat16")
    for name in ORDINARY:
        many(student, steps(chosen(student, name, 2 ** FORMATS[name][1], beyond(name) - 1), name), name)


@part("encode_edges")
def encode_edges(student):
    for x in (2.0 ** -24, 2.0 ** -25, 3.0 * 2 ** -25, 2.0 ** -14 - 2.0 ** -26, 1000.5 * 2 ** -24, 1e-30, 65504.0,
              65519.0, 65520.0, 65536.0, -1e6, inf, -inf):
        try_encode(student, x, "binary16")
    for name in ORDINARY:
        got = student.ask("encode", -0.0, name, gives=TEXT)
        student.check(got == near(-0.0, name), "the pattern of minus zero", near(-0.0, name), str(got), "minus-zero")
        many(student, [(0.0, 0), (inf, beyond(name)), (-inf, 2 ** sum(FORMATS[name]) + beyond(name)),
                       *((x, pattern_nearest(x, name)) for x in (1e38, -1e-45))], name)
        many(student, steps(chosen(student, name, 0, 2 ** FORMATS[name][1]), name), name)
        many(student, steps([beyond(name) - 1], name), name)
        for bits in ("0 11111111 10000000000000000000000", "0 11111111 00000000000000000000001",
                     "1 11111111 00000000001000000000000"):
            try_nan(student, bits, name)


@part("no_infinity")
def no_infinity(student):
    for text in ("0 1111 000", "1 1111 110", "0 1111 111", "0 0000 001", "0 0111 000"):
        try_decode(student, pattern_of(text), "E4M3")
    every_pattern(student, "E4M3")
    for x in (0.1, 250.0, 448.0, 460.0, 464.0, 465.0, 500.0, -1e9, inf):
        try_encode(student, x, "E4M3")
    many(student, steps(range(beyond("E4M3")), "E4M3"), "E4M3")
    for bits in ("0 11111111 10000000000000000000000", "0 11111111 00000000000000000000001"):
        try_nan(student, bits, "E4M3")
