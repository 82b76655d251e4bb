"""How wrong numbers are related to the expected ones: negated, in another order, three times as large. Told where no misconception
and no slip explains an answer. Each relation is a sentence; one that could hold by chance is not told.
"""
import math
from typing import Any

from recto.judge.frames import Array

NEAR = 1e-6             # relative, of a relation
FACTORS = {2.0: "twice", 0.5: "half of", -1.0: "the negative of", math.log(2): "0.693 times, the logarithm of 2,",
           1 / math.log(2): "1.443 times, one divided by the logarithm of 2,"}


def near(one: float, other: float) -> bool:
    """Equal but for rounding."""
    return abs(one - other) <= NEAR * max(abs(one), abs(other), 1e-300)


def all_near(one: list[float], other: list[float]) -> bool:
    """Equal, number by number."""
    return len(one) == len(other) and all(map(near, one, other))


def factor(got: list[float], expected: list[float]) -> str:
    """Whether each number is the same multiple of the expected number."""
    pairs = sorted({(mine, theirs) for mine, theirs in zip(expected, got) if mine or theirs})
    if not pairs or not all(mine and theirs for mine, theirs in pairs):
        return ""
    times = pairs[0][1] / pairs[0][0]
    if near(times, 1) or not all(near(theirs, times * mine) for mine, theirs in pairs):
        return ""
    known = next((words for value, words in FACTORS.items() if near(value, times)), "")
    if len(pairs) < 2 or (not known and len(pairs) < 3):
        return ""
    whole = [value for value in (times, 1 / times) if near(value, round(value))]
    if not known and whole:
        count = f"{round(whole[0])}"
        known = f"{count} times" if whole[0] == times else f"one {count}th of"
    return f"every number is {known or f'{times:.4g} times'} the expected number"


def order(got: list[float], expected: list[float], shape: tuple[int, ...]) -> str:
    """Whether these are the right numbers at other places."""
    if len(set(expected)) < 3:
        return ""
    if all_near(got, expected[::-1]):
        return "these are the right numbers in reverse order"
    if len(shape) == 2 and min(shape) > 1:
        rows = [expected[at:at + shape[1]] for at in range(0, len(expected), shape[1])]
        if all_near(got, [number for column in zip(*rows) for number in column]):
            return "these are the right numbers with rows and columns exchanged"
    for step in (1, -1):
        if all_near(got, expected[step:] + expected[:step]):
            return f"these are the right numbers one place too {'early' if step == 1 else 'late'}"
    if len(set(expected)) > 3 and all_near(sorted(got), sorted(expected)):
        return "these are the right numbers in another order"
    return ""


def place(wrong: list[int], count: int, shape: tuple[int, ...]) -> str:
    """Whether only some places are wrong that have something in common."""
    if count < 8 or not 0 < len(wrong) <= count / 2:
        return ""
    if wrong == [count - 1]:
        return "only the last number is wrong: check where the loop ends"
    if wrong == [0]:
        return "only the first number is wrong: check where the loop begins"
    if len(shape) != 2 or min(shape) < 3 or len(wrong) < 2:
        return ""
    rows, columns = ({flat // shape[1] for flat in wrong}, {flat % shape[1] for flat in wrong})
    for what, places, size in (("row", rows, shape[0]), ("column", columns, shape[1])):
        if places == {size - 1} or places == {0}:
            return f"only numbers of the {'first' if places == {0} else 'last'} {what} are wrong"
    if all(flat // shape[1] == flat % shape[1] for flat in wrong):
        return "only numbers on the diagonal are wrong"
    return ""


def powers(got: list[float], expected: list[float]) -> str:
    """Whether each number is the reciprocal, the square or the root of the expected number."""
    if not all(expected) or len(set(expected)) < 2:
        return ""
    for words, same in (("one divided by", lambda one, other: near(one * other, 1)),
                        ("the square of", lambda one, other: near(one, other * other)),
                        ("the root of", lambda one, other: near(one * one, abs(other)))):
        if all(map(same, got, expected)):
            return f"each number is {words} the expected number"
    return ""


def of_numbers(got: list[float], expected: list[float]) -> str:
    """A relation between finite numbers wherever they stand."""
    wrong = [(one, other) for one, other in zip(got, expected) if not near(one, other)]
    if not wrong:
        return ("only the first six digits are right: an intermediate number is rounded, or a difference of large numbers "
                "loses digits")
    if len(expected) > 2 and got == [math.trunc(number) for number in expected] and len(set(got)) > 1:
        return "the decimals are missing: a division of integers, or a number stored in an int"
    said = factor(got, expected) or powers(got, expected)
    apart = got[0] - expected[0]
    if not said and len(wrong) == len(expected) > 2 and all(near(one, other + apart) for one, other in wrong):
        return f"every number is {abs(apart):.4g} too {'large' if apart > 0 else 'small'}"
    return said


def of_places(got: list[float], expected: list[float], shape: tuple[int, ...]) -> str:
    """A relation between the places of an array."""
    if len(expected) > 1 and not any(got) and all(expected):
        return "every number is 0, as if no number had been written"
    if len(expected) > 2 and len(set(got)) == 1 and len(set(expected)) > 2:
        return "every number is the same, as if the index had no effect"
    wrong = [at for at, (one, other) in enumerate(zip(got, expected)) if not near(one, other)]
    return (order(got, expected, shape) or place(wrong, len(expected), shape)) if wrong else ""


def relation(got: Any, expected: Any) -> str:
    """The relation in a sentence; empty if no relation is found."""
    (shape, theirs), (other, mine) = spread(got), spread(expected)
    if len(theirs) != len(mine) or not mine or not all(type(value) in (int, float) for value in theirs + mine):
        return ""
    if all(map(math.isfinite, mine)) and not all(map(math.isfinite, theirs)):
        return ("a number is NaN: 0/0, inf - inf, 0 * inf, or the logarithm or root of a negative number" if any(map(math.isnan, theirs))
                else "a number is infinite: a division by zero, the logarithm of zero, or an exponential that is too large")
    if not all(map(math.isfinite, mine + theirs)) or (isinstance(expected, Array) and shape != other):
        return ""
    return of_places(theirs, mine, shape) or of_numbers(theirs, mine)


def spread(value: Any) -> tuple[tuple[int, ...], list]:
    """The shape of an answer, and its numbers in a list."""
    if isinstance(value, Array):
        return value.shape, list(value.numbers)
    return ((len(value),), list(value)) if isinstance(value, (list, tuple)) else ((), [value])


def common(told: tuple[tuple, tuple], answers: list[tuple[tuple, tuple]]) -> str:
    """The relation of the wrong answer that is told, if the other wrong ones show it too or none; each is what came and what is
    expected, value by value, all of one function. Single numbers are taken together, one from each answer: the relation of one is chance."""
    for at, (got, expected) in enumerate(zip(*told)):
        if spread(got)[1] == spread(expected)[1]:
            continue
        if isinstance(expected, (int, float)):
            pairs = sorted({(mine[at], theirs[at]) for theirs, mine in answers if theirs[at] != mine[at]})
            finite = all(math.isfinite(number) for pair in pairs for number in pair)
            said = relation(got, expected) if not finite else of_numbers(*zip(*[pair[::-1] for pair in pairs])) if len(pairs) > 1 else ""
        else:
            said = relation(got, expected)
            said = said if {relation(theirs[at], mine[at]) for theirs, mine in answers} <= {said, ""} else ""
        if said:
            return said
    return ""
