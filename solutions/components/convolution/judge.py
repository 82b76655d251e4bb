"""Asks for convolutions, and says which pixels the first wrong output reads."""
from math import prod

from recto.judge.comparing import show_number
from recto.judge.judging import Array, array_of, part
from recto.judge.kinds import by_axes

from .sliding import convolution, output_size, places, refuses
from .slips import misconceptions  # noqa: F401

NEAR = 1e-9         # sums of at most 200 products of numbers below 10, in any order
FOUR = array_of(None, None, None, None)


def plane(numbers, width):
    """The rows of an image on one line."""
    rows = [" ".join(show_number(number) for number in numbers[at:at + width]) for at in range(0, len(numbers), width)]
    return f"({' / '.join(rows)})"


def show(x):
    """A tensor as a list of images or kernels, with its shape."""
    size = x.shape[2] * x.shape[3]
    planes = [plane(x.numbers[at:at + size], x.shape[3]) for at in range(0, len(x.numbers), size)] if size else []
    more = f", ... {len(planes)} in all" if len(planes) > 4 else ""
    return f"{' x '.join(map(str, x.shape))}: {', '.join(planes[:4])}{more}"


def call_of(function, arguments):
    """The call as shown to the student, every argument by its name."""
    names = ("x", "weight", "bias") if function.startswith("convolution") else ("size", "kernel")
    words = [f"{name} = {show(value) if isinstance(value, Array) else value}"
             for name, value in zip((*names, "stride", "padding", "dilation"), arguments)]
    return f"{function}({', '.join(words)})"


def reading(x, weight, options, place):
    """An output in words: where it is, and what it reads."""
    n, o, r, s = place
    words, outside = [], False
    for name, axis, at in (("row", 2, r), ("column", 3, s)):
        read = places(x.shape[axis], weight.shape[axis], *options)[at]
        outside = outside or read[0] < 0 or read[-1] >= x.shape[axis]
        words.append(f"{name}{'s' * (len(read) > 1)} {', '.join(map(str, read))}")
    return (f"image {n}, filter {o}, row {r}, column {s}; it reads {' and '.join(words)} of x"
            f"{', and what lies outside of x is zero' if outside else ''}")


def compare(student, x, weight, bias, stride=1, padding=0, dilation=1):
    """One convolution; the message says what the first wrong output reads."""
    options = (stride, padding, dilation)
    student.call = call_of
    expected, got = convolution(x, weight, bias, *options), student.ask("convolution", x, weight, bias, *options, gives=FOUR)
    if got.shape != expected.shape:
        student.check(False, "the shape of the output: images x filters x rows x columns", by_axes(expected.shape),
                      by_axes(got.shape), "another-shape")
    apart = [abs(mine - theirs) for mine, theirs in zip(expected.numbers, got.numbers)]
    if NEAR < max(apart, default=0) < 1e-4:
        worst = apart.index(max(apart))
        student.check(False, "the output of the convolution", repr(expected.numbers[worst]),
                      repr(got.numbers[worst]), "single-precision")
    told = len(student.found or [])
    try:
        student.compare(got, expected, NEAR, about="the output of the convolution", function="convolution",
                        arguments=(x, weight, bias, *options))
    finally:
        for wrong in (student.found or [])[told:]:
            where = wrong.message.where
            if where.startswith("element"):
                wrong.message.where = reading(x, weight, options, tuple(map(int, where[where.index("(") + 1:-1].split(", "))))


def random_tensor(student, *shape):
    """Numbers with one decimal, which are easy to read and exact in no binary format."""
    return Array(shape, [student.random.choice([-1, 1]) * student.random.randint(1, 49) / 10 for _ in range(prod(shape))])


def random_case(student, images, channels, filters, size, kernel, **options):
    """A convolution of random numbers."""
    compare(student, random_tensor(student, images, channels, *size), random_tensor(student, filters, channels, *kernel),
            random_tensor(student, filters).numbers, **options)


EXAMPLE = Array((1, 1, 3, 3), [1.0, 2, 0, 0, 1, 3, 2, 1, 1]), Array((1, 1, 2, 2), [1.0, 0, 2, -1]), [1.0]


# The parts.

@part("sizes")
def sizes(student):
    student.call = call_of
    about = "the number of windows along one axis"
    for arguments in [(5, 3, 1, 0, 1), (12, 3, 2, 0, 1), (3, 2, 2, 1, 1), (9, 3, 1, 2, 2), (3, 2, 1, 0, 2), (7, 7, 1, 0, 1),
                      (1, 1, 1, 0, 1), (4, 3, 1, 1, 1), (28, 3, 2, 1, 1), (6, 2, 3, 0, 1)]:
        student.expect("output_size", *arguments, gives=output_size(*arguments), about=about)
    for _ in range(25):
        kernel, stride, padding, dilation = (student.random.randint(1, 5), student.random.randint(1, 4),
                                             student.random.randint(0, 3), student.random.randint(1, 3))
        least = max(1, dilation * (kernel - 1) + 1 - 2 * padding)
        arguments = (student.random.randint(least, 30), kernel, stride, padding, dilation)
        student.expect("output_size", *arguments, gives=output_size(*arguments), about=about)


@part("refused")
def refused(student):
    student.call = call_of
    about = "whether output_size throws std::invalid_argument (1) or not (0)"
    for arguments in [(5, 3, 1, 0, 1), (3, 4, 1, 0, 1), (3, 5, 1, 1, 1), (3, 6, 1, 1, 1), (3, 2, 1, 0, 2), (3, 2, 1, 0, 3),
                      (3, 4, 2, 0, 1), (2, 9, 1, 0, 1), (2, 3, 3, 0, 2), (1, 5, 2, 2, 1), (1, 6, 4, 2, 1), (1, 3, 4, 1, 2),
                      (4, 3, 3, 0, 2), (9, 3, 2, 0, 4), (9, 3, 2, 0, 5)]:
        student.expect("output_size_refuses", *arguments, gives=refuses(*arguments), about=about)


@part("window")
def window(student):
    compare(student, *EXAMPLE)
    for size, kernel in [((1, 1), (1, 1)), ((3, 3), (1, 1)), ((3, 4), (2, 2)), ((4, 3), (3, 3)), ((3, 5), (1, 3)),
                         ((5, 3), (2, 1)), ((5, 6), (3, 2))]:
        random_case(student, 1, 1, 1, size, kernel)


@part("channels")
def channels(student):
    for images, channel_count, filters in [(1, 2, 1), (1, 1, 2), (2, 1, 1), (1, 2, 2), (2, 2, 3), (3, 3, 2), (2, 3, 3)]:
        random_case(student, images, channel_count, filters, (3, 4), (2, 2))
    random_case(student, 2, 3, 2, (4, 4), (1, 1))
    random_case(student, 0, 2, 3, (3, 4), (2, 2))


@part("padding")
def padding(student):
    for size, kernel, zeros in [((3, 4), (2, 3), 2), ((2, 2), (1, 1), 1), ((3, 3), (2, 2), 1), ((3, 3), (3, 3), 1),
                                ((2, 3), (3, 2), 1), ((2, 2), (3, 3), 1), ((3, 2), (2, 2), 3)]:
        random_case(student, 1, 1, 1, size, kernel, padding=zeros)
    random_case(student, 2, 2, 2, (3, 4), (3, 3), padding=1)
    random_case(student, 1, 3, 2, (2, 5), (3, 4), padding=2)


@part("stride")
def stride(student):
    for size, kernel, step in [((4, 4), (2, 2), 2), ((3, 3), (1, 1), 2), ((5, 5), (3, 3), 2), ((4, 5), (3, 2), 2),
                               ((6, 5), (2, 2), 3), ((3, 7), (1, 3), 3)]:
        random_case(student, 1, 1, 1, size, kernel, stride=step)
    random_case(student, 2, 2, 2, (5, 6), (3, 2), stride=2)


@part("dilation")
def dilation(student):
    for size, kernel, gap in [((4, 5), (2, 2), 2), ((3, 3), (2, 2), 2), ((5, 5), (3, 3), 2), ((3, 7), (1, 3), 3),
                              ((5, 4), (2, 2), 3), ((4, 4), (1, 1), 3)]:
        random_case(student, 1, 1, 1, size, kernel, dilation=gap)
    random_case(student, 2, 2, 2, (5, 6), (2, 3), dilation=2)


@part("together")
def together(student):
    compare(student, *EXAMPLE, stride=2, padding=1)
    for _ in range(10):
        options = {"stride": student.random.randint(1, 3), "padding": student.random.randint(0, 2),
                   "dilation": student.random.randint(1, 3)}
        kernel = tuple(student.random.randint(1, 4) for _ in range(2))
        least = [max(1, options["dilation"] * (taps - 1) + 1 - 2 * options["padding"]) for taps in kernel]
        size = tuple(student.random.randint(1, 3) + length for length in least)
        random_case(student, *(student.random.randint(1, 3) for _ in range(3)), size, kernel, **options)
    for wide, options in [((4, 7), (2, 1, 2)), ((7, 4), (3, 2, 1)), ((5, 8), (2, 2, 3))]:
        random_case(student, 2, 3, 2, wide, (3, 2), **dict(zip(("stride", "padding", "dilation"), options)))
    for size, kernel, options in [((2, 3), (3, 1), (1, 0, 1)), ((3, 2), (1, 3), (2, 0, 1)), ((2, 2), (3, 3), (1, 1, 1)),
                                  ((4, 4), (2, 3), (1, 0, 2)), ((4, 5), (2, 3), (1, 0, 2))]:
        arguments = (random_tensor(student, 1, 1, *size), random_tensor(student, 1, 1, *kernel), [1.0], *options)
        fits = all(output_size(*pair, *options) for pair in zip(size, kernel))
        student.expect("convolution_refuses", *arguments, gives=int(not fits),
                       about="whether convolution throws std::invalid_argument (1) or not (0)")
