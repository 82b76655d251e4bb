"""Asks for gradients, and says in which products of the forward pass the first wrong number occurs."""
from math import prod

from recto.judge.comparing import show_number
from recto.judge.judging import Array, array_of, part
from recto.judge.kinds import by_axes

from .products import bias_gradient, by_options, differences, input_gradient, loss, places, products, weight_gradient
from .slips import SHAPES, misconceptions  # noqa: F401

NEAR = 1e-9         # sums of at most 150 products of numbers below 5, in any order
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
    names = ("dy",) if function == "bias_gradient" else ("x", "weight", "dy", "stride", "padding", "dilation")
    words = [f"{name} = {show(value) if isinstance(value, Array) else value}" for name, value in zip(names, arguments)]
    return f"{function}({', '.join(words)})"


def uses(function, arguments, place):
    """An element of a gradient in words: what it belongs to, and the products in which the forward pass uses it."""
    x, weight, _, *options = arguments
    number = 2 if function == "input_gradient" else 1
    name, partner = ("x", "weight") if number == 2 else ("weight", "x")
    terms = products(x, weight, *by_options(x, weight, options))
    found = [(term[0], term[3 - number]) for term in terms if term[number] == place]
    words = f"the derivative with respect to {name}{place}, which "
    if not found:
        return words + "no window reads"
    listed = ", ".join(f"y{output} beside {partner}{other}" for output, other in found[:4])
    return words + f"occurs in {listed}{f', ... {len(found)} in all' if len(found) > 4 else ''}"


def compare(student, function, expected, *arguments):
    """One gradient; the message says in which products of the forward pass the number is used. Returns the relative error."""
    student.call = call_of
    if function == "bias_gradient":
        gives, about = array_of(None), "the gradient of the bias"
    else:
        gives, about = FOUR, f"the gradient of {'the input' if function == 'input_gradient' else 'the weights'}"
    got = student.ask(function, *arguments, gives=gives)
    shape = expected.shape if isinstance(expected, Array) else (len(expected),)
    numbers = expected.numbers if isinstance(expected, Array) else expected
    if got.shape != shape:
        suspects = [name for name, rule in SHAPES.get(function, {}).items() if got.shape == rule(*arguments)]
        student.check(False, f"the shape of {about}", by_axes(shape), by_axes(got.shape), [*suspects, "another-shape"][0])
    apart = [abs(mine - theirs) for mine, theirs in zip(numbers, got.numbers)]
    if NEAR < max(apart, default=0) < 1e-4:
        worst = apart.index(max(apart))
        student.check(False, about, repr(numbers[worst]), repr(got.numbers[worst]), "single-precision")
    told = len(student.found or [])
    try:
        student.compare(got, expected, NEAR, about=about, function=function, arguments=arguments)
    finally:
        for wrong in (student.found or [])[told:]:
            where = wrong.message.where
            if function != "bias_gradient":
                wrong.message.where = uses(function, arguments, tuple(map(int, where[where.index("(") + 1:-1].split(", "))))
    return max(apart, default=0.0) / (max(map(abs, numbers), default=0.0) or 1.0)


def random_tensor(student, *shape):
    """Numbers with one decimal, which are easy to read and exact in no binary format."""
    return Array(shape, [student.random.choice([-1, 1]) * student.random.randint(1, 49) / 10 for _ in range(prod(shape))])


def random_case(student, images, channels, filters, size, kernel, stride=1, padding=0, dilation=1):
    """(x, weight, dy, stride, padding, dilation) with random numbers."""
    counts = [len(places(length, taps, stride, padding, dilation)) for length, taps in zip(size, kernel)]
    return (random_tensor(student, images, channels, *size), random_tensor(student, filters, channels, *kernel),
            random_tensor(student, images, filters, *counts), stride, padding, dilation)


def both(student, cases):
    """The gradients of the weights, then those of the input."""
    for case in cases:
        compare(student, "weight_gradient", weight_gradient(*case), *case)
    for case in cases:
        compare(student, "input_gradient", input_gradient(*case), *case)


EXAMPLE = (Array((1, 1, 3, 3), [1.0, 2, 0, 0, 1, 3, 2, 1, 1]), Array((1, 1, 2, 2), [1.0, 0, 2, -1]),
           Array((1, 1, 2, 2), [1.0, 0, -1, 2]), 1, 0, 1)
PLAIN = [(1, 1, 1, (3, 3), (1, 1)), (1, 1, 1, (3, 4), (2, 2)), (1, 1, 1, (5, 3), (2, 3)), (2, 1, 1, (3, 3), (2, 2)),
         (3, 1, 1, (2, 3), (2, 1)), (1, 2, 1, (3, 3), (2, 2)), (1, 1, 2, (3, 3), (2, 2)), (1, 2, 2, (3, 3), (2, 2)),
         (2, 3, 2, (3, 4), (2, 3)), (0, 1, 2, (3, 3), (2, 2))]


# The parts.

@part("bias")
def bias(student):
    compare(student, "bias_gradient", bias_gradient(EXAMPLE[2]), EXAMPLE[2])
    for shape in [(1, 1, 1, 1), (1, 1, 2, 3), (1, 2, 2, 2), (2, 1, 1, 2), (2, 2, 2, 1), (3, 2, 2, 4), (2, 3, 3, 3), (0, 2, 2, 2)]:
        dy = random_tensor(student, *shape)
        compare(student, "bias_gradient", bias_gradient(dy), dy)


@part("weight")
def weights(student):
    for case in [EXAMPLE, *(random_case(student, *sizes) for sizes in PLAIN)]:
        compare(student, "weight_gradient", weight_gradient(*case), *case)


@part("input")
def inputs(student):
    for case in [EXAMPLE, *(random_case(student, *sizes) for sizes in PLAIN)]:
        compare(student, "input_gradient", input_gradient(*case), *case)


@part("padding")
def padding(student):
    sizes = [(1, 1, 1, (3, 4), (2, 3), 2), (1, 1, 1, (2, 2), (1, 1), 1), (1, 1, 1, (2, 2), (2, 2), 1),
             (1, 1, 1, (2, 2), (3, 3), 1), (1, 1, 1, (2, 3), (2, 1), 2), (2, 2, 2, (3, 3), (3, 2), 1)]
    both(student, [random_case(student, *size[:5], padding=size[5]) for size in sizes])


@part("stride")
def stride(student):
    sizes = [(1, 1, 1, (5, 5), (3, 3), 2), (1, 1, 1, (4, 4), (2, 2), 2), (1, 1, 1, (5, 6), (2, 3), 2),
             (1, 1, 1, (4, 4), (1, 1), 2), (1, 1, 1, (4, 6), (2, 2), 3), (2, 2, 2, (5, 6), (3, 2), 2)]
    both(student, [random_case(student, *size[:5], stride=size[5]) for size in sizes])


@part("dilation")
def dilation(student):
    sizes = [(1, 1, 1, (4, 5), (2, 2), 2), (1, 1, 1, (3, 3), (2, 2), 2), (1, 1, 1, (5, 6), (3, 2), 2),
             (1, 1, 1, (4, 5), (2, 2), 3), (2, 2, 2, (5, 6), (2, 3), 2)]
    both(student, [random_case(student, *size[:5], dilation=size[5]) for size in sizes])


@part("differences")
def against_differences(student):
    cases = [EXAMPLE, random_case(student, 1, 1, 1, (4, 4), (2, 2), 2, 1, 1)]
    for _ in range(6):
        step, zeros, gap = student.random.randint(1, 3), student.random.randint(0, 2), student.random.randint(1, 3)
        kernel = tuple(student.random.randint(1, 3) for _ in range(2))
        size = tuple(student.random.randint(0, 2) + max(1, gap * (k - 1) + 1 - 2 * zeros) for k in kernel)
        cases.append(random_case(student, *(student.random.randint(1, 2) for _ in range(3)), size, kernel, step, zeros, gap))
    cases.append(random_case(student, 2, 2, 3, (5, 4), (3, 2), 2, 1, 1))
    errors = []
    for x, weight, dy, *options in cases:
        zero = [0.0] * weight.shape[0]
        slopes = differences(lambda numbers: loss(x, weight, numbers, dy, options), zero)
        errors.append(compare(student, "bias_gradient", slopes, dy))
        slopes = differences(lambda numbers: loss(x, Array(weight.shape, numbers), zero, dy, options), weight.numbers)
        errors.append(compare(student, "weight_gradient", Array(weight.shape, slopes), x, weight, dy, *options))
        slopes = differences(lambda numbers: loss(Array(x.shape, numbers), weight, zero, dy, options), x.numbers)
        errors.append(compare(student, "input_gradient", Array(x.shape, slopes), x, weight, dy, *options))
    student.measured = max(errors)
