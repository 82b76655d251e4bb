"""Asks for the stages of stacks and for what their outputs see."""
from recto.judge.judging import Wrong, integers, part, wholes

from .slips import misconceptions, unflat  # noqa: F401
from .tracing import places, refuses, sizes, span, stages

FOUR = (wholes(None),) * 4
ALEXNET = [(11, 4, 0, 1), (3, 2, 0, 1), (5, 1, 2, 1), (3, 2, 0, 1), (3, 1, 1, 1), (3, 1, 1, 1), (3, 1, 1, 1), (3, 2, 0, 1)]


def in_words(layer):
    """A layer as the student reads it; what has its ordinary value is left out."""
    kernel, *rest = layer
    more = [f"{name} {value}" for name, value, usual in zip(("stride", "padding", "dilation"), rest, (1, 0, 1)) if value != usual]
    return " ".join([f"kernel {kernel}", *more])


def call_of(function, arguments):
    """The call as shown to the student."""
    length, flat, *output = arguments
    words = "; ".join(map(in_words, unflat(flat)))
    return f"{function}(size = {length}, layers = [{words}]{f', output = {output[0]}' if output else ''})"


def in_a_row(listed):
    """A list of places as the student reads it."""
    if len(listed.numbers) <= 24:
        return f"({', '.join(map(str, listed.numbers))})"
    first, last = (", ".join(map(str, some)) for some in (listed.numbers[:20], listed.numbers[-2:]))
    return f"({first}, ..., {last}), {len(listed.numbers)} numbers"


def flat_of(layers):
    return integers([number for layer in layers for number in layer])


def compare_stages(student, size, layers):
    """All stages; the message names the quantity and the layer."""
    student.call = call_of
    arguments = size, flat_of(layers)
    expected, got = stages(size, layers), student.ask("stages", *arguments, gives=FOUR)
    for column in got:
        due, came = len(layers) + 1, len(column.numbers)
        student.check(came == due, "the number of stages", str(due), str(came), "number-of-stages", f"{len(layers)} layers")
    told = len(student.found or [])
    try:
        student.compare(tuple(got), expected, about="the stages of a stack", function="stages", arguments=arguments)
    finally:
        for wrong in (student.found or [])[told:]:
            which, at = wrong.message.where.split(", element ")
            name = ("size", "jump", "field", "start")[int(which.split()[1]) - 1]
            layer = f"after layer {at}, {in_words(layers[int(at) - 1])}" if int(at) else "the input"
            wrong.message.about, wrong.message.where = f"the {name} of a stage", f"stage {at}, {layer}"


def compare_span(student, size, layers, output):
    student.call = call_of
    student.expect("span", size, flat_of(layers), output, gives=span(size, layers, output),
                   about="the first (value 1) and the last (value 2) place of the field")


def compare_places(student, size, layers, output):
    """The places, as a list."""
    student.call = call_of
    arguments = size, flat_of(layers), output
    expected, got = integers(places(size, layers, output)), student.ask("places", *arguments, gives=wholes(None))
    told = len(student.found or [])

    def in_full(message):
        message.expected, message.got, message.where = in_a_row(expected), in_a_row(got), "the list"

    try:
        student.compare(got, expected, about="the places on which the output depends", function="places", arguments=arguments)
    except Wrong as wrong:
        in_full(wrong.message)
        raise
    finally:
        for wrong in (student.found or [])[told:]:
            in_full(wrong.message)


def random_stack(student, depth, size=None):
    """(size, layers) of a stack whose windows fit."""
    dice = student.random
    layers = [(dice.randint(1, 4), dice.choice((1, 1, 2, 3)), dice.choice((0, 0, 1, 2)), dice.choice((1, 1, 2)))
              for _ in range(depth)]
    length = size or 1
    while 0 in sizes(length, layers):
        length += 1
    return length + dice.randint(0, 5), layers


EXAMPLE = 12, [(3, 1, 1, 1), (2, 2, 0, 1), (3, 1, 1, 1)]
UNREAD = 7, [(2, 2, 0, 1), (3, 1, 1, 1)]        # place 6 is read by no window


# The parts.

@part("one")
def one(student):
    for size, layer in [(7, (3, 1, 0, 1)), (8, (3, 2, 1, 1)), (12, (3, 1, 1, 1)), (7, (1, 1, 0, 1)), (8, (3, 2, 0, 1)),
                        (6, (2, 2, 0, 1)), (9, (3, 1, 0, 2)), (10, (4, 1, 2, 2)), (5, (1, 1, 1, 1)), (9, (5, 3, 2, 1)),
                        (12, (3, 2, 3, 3))]:
        compare_stages(student, size, [layer])
    for _ in range(12):
        compare_stages(student, *random_stack(student, 1))


@part("stacks")
def stacks(student):
    compare_stages(student, *EXAMPLE)
    compare_stages(student, 5, [])
    for size, layers in [(9, [(3, 1, 0, 1), (3, 1, 0, 1)]), (20, [(3, 2, 0, 1), (3, 1, 1, 1)]),
                         (30, [(2, 2, 0, 1), (2, 3, 0, 1), (3, 1, 1, 1)]), (30, [(3, 1, 1, 1), (3, 1, 2, 2), (3, 1, 4, 4)]),
                         (15, [(1, 2, 0, 1), (3, 1, 0, 1)]), UNREAD, (227, ALEXNET)]:
        compare_stages(student, size, layers)
    for depth in [2, 2, 3, 3, 4, 5, 6]:
        compare_stages(student, *random_stack(student, depth))


@part("refused")
def refused(student):
    student.call = call_of
    for size, layers in [(5, [(3, 1, 0, 1)]), (3, [(4, 1, 0, 1)]), (3, [(4, 2, 0, 1)]), (2, [(4, 1, 1, 1)]),
                         (1, [(4, 1, 1, 1)]), (4, [(2, 1, 0, 4)]), (5, [(2, 1, 0, 4)]), (7, [(3, 2, 0, 1), (3, 1, 0, 1)]),
                         (6, [(3, 2, 0, 1), (3, 1, 0, 1)]), (6, [(3, 2, 0, 1), (3, 2, 0, 1)]),
                         (8, [(2, 2, 0, 1), (2, 2, 0, 1), (3, 3, 0, 1)]), (8, [(2, 2, 0, 1), (2, 2, 0, 1), (2, 3, 0, 1)]),
                         (4, [])]:
        student.expect("stages_refuses", size, flat_of(layers), gives=refuses(size, layers),
                       about="whether stages throws std::invalid_argument (1) or not (0)")


def outputs_of(size, layers):
    """The first, the second, a middle and the last output."""
    last = sizes(size, layers)[-1] - 1
    return sorted({0, min(1, last), last // 2, last})


STACKS = [(8, [(3, 2, 0, 1)]), EXAMPLE, (6, []), (7, [(3, 1, 0, 1)]), (6, [(3, 1, 1, 1)]), (9, [(3, 1, 0, 2)]),
          (20, [(3, 2, 0, 1), (3, 1, 1, 1)]), (12, [(2, 2, 0, 1), (2, 3, 1, 1)]), (9, [(2, 1, 2, 4), (2, 1, 0, 1)]),
          (20, [(3, 1, 0, 2), (3, 1, 0, 2)]), UNREAD, (3, [(1, 1, 2, 1)])]


@part("span")
def spans(student):
    for size, layers in [*STACKS, (227, ALEXNET)]:
        for output in outputs_of(size, layers):
            compare_span(student, size, layers, output)
    for depth in [1, 2, 3, 4, 5]:
        size, layers = random_stack(student, depth)
        for output in outputs_of(size, layers):
            compare_span(student, size, layers, output)


@part("places")
def all_places(student):
    for size, layers in STACKS:     # none so deep that following every path is too slow
        for output in outputs_of(size, layers):
            compare_places(student, size, layers, output)
    for depth in [1, 2, 2, 3, 3, 4, 5]:
        size, layers = random_stack(student, depth)
        for output in outputs_of(size, layers):
            compare_places(student, size, layers, output)
