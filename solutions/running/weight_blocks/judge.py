"""Blocks of Q8_0, Q4_0 and Q4_1, byte by byte. A mistake changes one step of reading them."""
from math import inf, ldexp
from struct import pack, unpack

from recto.judge.judging import Array, Misconception, integers, part

SIZES = {"decode_q8_0": 34, "decode_q4_0": 18, "decode_q4_1": 20}


def half(low, high):
    """The number in FP16 of two bytes, also for those that are not finite: a wrong reading may meet them."""
    return unpack("<e", bytes([low, high]))[0]


def single(x):
    """Rounded to single precision."""
    try:
        return unpack("f", pack("f", x))[0]
    except OverflowError:
        return inf if x > 0 else -inf


def signed(byte):
    return byte - 256 if byte > 127 else byte


def halves(codes):
    """The lower halves of all bytes, then the upper ones."""
    return [byte & 15 for byte in codes] + [byte >> 4 for byte in codes]


def decoder(function, number=half, head=None, eight=signed, places=halves, four=lambda code: code - 8, weight=None,
            minimum_code=lambda code: code, one_head=False):
    """A decoder of this format, with a step changed: how two bytes become a number; what the first bytes of a block are, and
    which bytes are the codes; how a byte or half a byte becomes a code; in which order halves are read."""
    size = SIZES[function]
    minimum = function == "decode_q4_1"
    heads = (lambda block: (block[:2], block[2:4], block[4:])) if minimum else (lambda block: (block[:2], None, block[2:]))
    weights = weight or (lambda scale, code, least: scale * code + least if minimum else scale * code)

    def decode(given):
        found, first = [], None
        numbers = given.numbers if hasattr(given, "numbers") else given
        for at in range(0, len(numbers), size):
            scale, least, codes = (head or heads)(numbers[at:at + size])
            scale, least = number(*scale), number(*least) if least else 0.0
            first = first or (scale, least)
            scale, least = first if one_head else (scale, least)
            if function == "decode_q8_0":
                codes = [eight(byte) for byte in codes]
            else:
                codes = [(minimum_code if minimum else four)(code) for code in places(codes)]
            found += [single(weights(scale, code, least)) for code in codes]
        return found
    return decode


def every(name, says, functions=tuple(SIZES), **ways):
    """One mistake as it shows in these functions."""
    return [Misconception(name, function, decoder(function, **ways), says) for function in functions]


def in_fours(name, says, **ways):
    return every(name, says, ("decode_q4_0", "decode_q4_1"), **ways)


def brain(low, high):
    """The two bytes as the upper half of a number in single precision."""
    return unpack("<f", bytes([0, 0, low, high]))[0]


def normal(low, high):
    """A reader of FP16 of its own, for which all numbers have a leading one."""
    bits = low + 256 * high
    return (-1 if bits >> 15 else 1) * ldexp(1024 + bits % 1024, (bits >> 10) % 32 - 25)


def neighbours(codes):
    return [code for byte in codes for code in (byte & 15, byte >> 4)]


def exchanged(codes):
    return [byte >> 4 for byte in codes] + [byte & 15 for byte in codes]


misconceptions = [
    # the scale
    *every("high-byte-first", "the two bytes of the scale were put together in the wrong order: the first one is the lower byte",
           number=lambda low, high: half(high, low)),
    *every("scale-as-bfloat16", "the two bytes of the scale were read as the upper half of a number in single precision, which is "
                                "bfloat16. They are FP16: use from_half", number=brain),
    *every("scale-as-whole-number", "the 16 bits of the scale were used as a whole number: they are a number in FP16, from_half",
           number=lambda low, high: float(low + 256 * high)),
    *every("scale-without-sign", "the scale lost its sign: a scale may be negative",
           number=lambda low, high: half(low, high & 127)),
    *every("no-subnormals", "a scale below 2^-14 is subnormal in FP16 and has no leading one: from_half reads it",
           number=normal),
    *every("one-scale", "the scale of the first block was used for all blocks: each block begins with its own", one_head=True),
    *every("scale-at-the-end", "the codes were read from the beginning of the block, and the scale from its end: the scale comes first",
           ("decode_q8_0", "decode_q4_0"), head=lambda block: (block[-2:], None, block[:-2])),
    # codes of eight bits
    *every("unsigned-codes", "the codes of Q8_0 were read as numbers from 0 to 255. They are signed bytes: above 127 stands byte - 256",
           ("decode_q8_0",), eight=lambda byte: byte),
    *every("minus-128", "128 was subtracted from each byte. The codes of Q8_0 are in two's complement: up to 127 a byte stands for "
                        "itself, above it for byte - 256", ("decode_q8_0",), eight=lambda byte: byte - 128),
    *every("sign-and-size", "the highest bit was read as a sign and the other seven as the size. In two's complement FF is -1, not -127",
           ("decode_q8_0",), eight=lambda byte: -(byte - 128) if byte > 127 else byte),
    *every("minus-255", "255 was subtracted from the codes above 127. In two's complement it is 256: FF is -1",
           ("decode_q8_0",), eight=lambda byte: byte - 255 if byte > 127 else byte),
    # codes of four bits
    *every("not-centred", "the codes of Q4_0 were used as they are, from 0 to 15: subtract 8", ("decode_q4_0",),
           four=lambda code: code),
    *every("fours-in-twos-complement", "half a byte was read in two's complement, so that 8 to 15 stand for -8 to -1. In Q4_0 the code "
                                       "is the number minus 8", ("decode_q4_0",), four=lambda code: code - 16 if code > 7 else code),
    *every("minus-seven", "7 was subtracted from the codes of Q4_0: it is 8, so that they go from -8 to 7", ("decode_q4_0",),
           four=lambda code: code - 7),
    *every("minus-seven-and-a-half", "7.5 was subtracted from the codes of Q4_0, the middle of 0 and 15: it is 8, so that a code "
                                     "stands for zero", ("decode_q4_0",), four=lambda code: code - 7.5),
    *in_fours("neighbours", "the two codes of a byte became neighbours, weights 2i and 2i + 1. Byte i holds the codes i and 16 + i",
              places=neighbours),
    *in_fours("halves-exchanged", "the halves of the bytes were exchanged: the lower half of byte i holds code i, the upper half code "
                                  "16 + i", places=exchanged),
    *in_fours("lower-half-only", "weights 16 to 31 came from the lower halves again: they stand in the upper halves, byte >> 4",
              places=lambda codes: [byte & 15 for byte in codes] * 2),
    *in_fours("upper-half-unshifted", "the upper half of a byte was masked but not shifted down: its codes are 16 times too large",
              places=lambda codes: [byte & 15 for byte in codes] + [byte & 240 for byte in codes]),
    # the minimum
    *every("no-minimum", "the minimum of Q4_1 was read and not added", ("decode_q4_1",), weight=lambda scale, code, least: scale * code),
    *every("minimum-subtracted", "the minimum was subtracted: the weight is the scale times the code, plus the minimum",
           ("decode_q4_1",), weight=lambda scale, code, least: scale * code - least),
    *every("minimum-scaled", "the minimum was multiplied by the scale: only the code is", ("decode_q4_1",),
           weight=lambda scale, code, least: scale * (code + least)),
    *every("centred-with-a-minimum", "8 was subtracted from the codes of Q4_1, as in Q4_0. With a minimum the codes count upwards "
                                     "from 0", ("decode_q4_1",), minimum_code=lambda code: code - 8),
    *every("minimum-first", "the minimum was taken for the scale and the scale for the minimum: the scale comes first",
           ("decode_q4_1",), head=lambda block: (block[2:4], block[:2], block[4:])),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's formats are not allowed here: write the decoders yourself"),
]


def call_of(function, arguments):
    """A call with its bytes in hexadecimal digits."""
    numbers = [int(number) for number in (arguments[0].numbers if hasattr(arguments[0], "numbers") else arguments[0])]
    shown = " ".join(f"{number:02X}" for number in numbers[:40])
    return f"{function}({shown}{f' ... {len(numbers)} bytes in all' if len(numbers) > 40 else ''})"


RIGHT = {function: decoder(function) for function in SIZES}


def compare(student, function, numbers, about="the weights"):
    weights = RIGHT[function](numbers)
    student.expect(function, integers(numbers), gives=Array((len(weights),), weights), about=about)


def bytes_of(x):
    """A number in FP16 as two bytes."""
    return list(pack("<e", x))


def scale(student):
    """A scale of usual size whose two bytes differ."""
    while True:
        low, high = student.random.randrange(256), student.random.choice((0x24, 0x28, 0x2C, 0x30, 0x34))
        if low not in (0, high):
            return [low, high]


def block(student, function, head=None):
    """A block with random codes, of which no two neighbours are alike."""
    codes = []
    while len(codes) < (32 if function == "decode_q8_0" else 16):
        code = student.random.randrange(256)
        if code >> 4 != code & 15 and (not codes or codes[-1] != code):
            codes.append(code)
    return (head or scale(student) + (scale(student) if function == "decode_q4_1" else [])) + codes


def single_blocks(student, function):
    student.call = call_of
    for _ in range(8):
        compare(student, function, block(student, function))


@part("eight")
def judge_eight(student):
    student.call = call_of
    # Up to 127 all readings of a code agree but two; then the bytes that tell them apart.
    compare(student, "decode_q8_0", bytes_of(0.5) + [62, 254] + [1] * 30)
    compare(student, "decode_q8_0", bytes_of(1.0) + list(range(1, 33)))
    compare(student, "decode_q8_0", bytes_of(1.0) + list(range(200, 232)))
    single_blocks(student, "decode_q8_0")


@part("four")
def judge_four(student):
    student.call = call_of
    compare(student, "decode_q4_0", bytes_of(0.5) + [0x3E, 0x9A] + [0x88] * 14)
    compare(student, "decode_q4_0", bytes_of(1.0) + [16 * (15 - i) + i for i in range(16)])
    single_blocks(student, "decode_q4_0")


@part("many")
def judge_many(student):
    student.call = call_of
    for function in ("decode_q8_0", "decode_q4_0"):
        for count in (2, 3, 7):
            compare(student, function, [one for _ in range(count) for one in block(student, function)])
        compare(student, function, [], "the weights of no blocks")


@part("edges")
def judge_edges(student):
    student.call = call_of
    ends = {"decode_q8_0": [128, 127, 255, 0] * 8, "decode_q4_0": [0x0F, 0xF0, 0x80, 0x08] * 4}
    for function, codes in ends.items():
        for number in (1.0, -0.5, -3.25, 6.5e-5, 5.9e-8, 3.1e-5, -2.5e-5, 65504.0, 0.0):
            about = "the weights" + (", a negative scale" if number < 0 else ", a subnormal scale" if 0 < number < 6e-5 else "")
            compare(student, function, bytes_of(number) + codes, about)


@part("minimum")
def judge_minimum(student):
    student.call = call_of
    # A positive minimum first: a lost sign shows at a negative one alone.
    compare(student, "decode_q4_1", bytes_of(0.5) + bytes_of(1.75) + [0x3E, 0x9A] + [0x80] * 14)
    compare(student, "decode_q4_1", bytes_of(0.5) + bytes_of(-2.0) + [0x3E, 0x9A] + [0x80] * 14)
    single_blocks(student, "decode_q4_1")
    for count in (2, 5):
        compare(student, "decode_q4_1", [one for _ in range(count) for one in block(student, "decode_q4_1")])
    for number, least in ((-0.5, 3.0), (0.1, -60000.0), (5.9e-8, 2048.0), (2.5e-5, -1.0), (0.0, 0.3), (1.0, 0.0)):
        compare(student, "decode_q4_1", bytes_of(number) + bytes_of(least) + [0x0F, 0xF0, 0x81, 0x18] * 4)
    compare(student, "decode_q4_1", [], "the weights of no blocks")
