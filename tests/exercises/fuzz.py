"""Sends the judge of an exercise answers that no student's function can give: values of random kinds, numbers, shapes and
sizes, in every part. None of them may pass a part, and none may make the judge fail.

    PYTHONPATH=tools python3 tests/exercises/fuzz.py [EXERCISE|SET...]

Where the reference program can be asked, its answers stand before the one that is spoilt, so that every question of a
part is reached. Exit 0 if all of it holds.
"""
import argparse
import contextlib
import random
import sys
import traceback
from types import SimpleNamespace

from recto.judge import building, catalogue, grading
from recto.judge.candidates import running
from recto.judge.catalogue import Exercise, Part
from recto.judge.frames import ANSWERED, THREW, Array, answer, encode
from recto.judge.judging import NotHere, Student, Wrong
from recto.judge.reading import Source
from recto.judge.sandbox import End, Process

TRIES = 40              # of each part
SECONDS = 1000          # for a part: nothing is waited for
REALS = (0.0, -0.0, 1.0, -1.0, 0.5, 7.0, 1e-320, 1e30, -1e308, 1.7e308, float("inf"), float("-inf"), float("nan"))
WHOLES = (0, 1, -1, 2, 7, 26, 27, 255, 2**31, -2**63, 2**63 - 1)
TEXTS = ("", "a", "ab", "0 01111 0000000000", "1 1 1", "\udcff", "é", "-", "x" * 70)


def value(dice: random.Random) -> object:
    """Any value that a frame can hold."""
    kind = dice.choice("idsLDDDFFII")
    if kind in "id":
        return dice.choice(WHOLES if kind == "i" else REALS)
    if kind == "s":
        return dice.choice(TEXTS)
    if kind == "L":
        return Texts(dice.choice(TEXTS) for _ in range(dice.choice((0, 1, 3))))
    return array(dice, kind, tuple(dice.choice((0, 1, 1, 2, 3, 5)) for _ in range(dice.choice((0, 1, 1, 2, 2, 3)))))


class Texts(list):
    """A list of texts, which may be empty; `encode` takes an empty list for numbers."""


def array(dice: random.Random, kind: str, shape: tuple[int, ...]) -> Array:
    """An array of such numbers."""
    count = 1
    for size in shape:
        count *= size
    return Array(shape, [dice.choice(WHOLES if kind == "I" else REALS) for _ in range(count)], kind)


def spoilt(dice: random.Random, values: list) -> list:
    """The values of a right answer, one of them or their number changed."""
    values = list(values)
    way = dice.choice(("kind", "kind", "size", "size", "numbers", "numbers", "more", "fewer", "none"))
    if way == "none" or not values:
        return []
    at = dice.randrange(len(values))
    if way == "fewer":
        return values[:at]
    if way == "more":
        return [*values, value(dice)]
    if way == "kind" or not isinstance(values[at], Array):
        values[at] = value(dice)
    elif way == "size":
        shape = tuple(max(0, size + dice.choice((-1, 0, 1, -size))) for size in values[at].shape)
        values[at] = array(dice, values[at].kind, shape)
    else:
        numbers = array(dice, values[at].kind, values[at].shape).numbers
        values[at] = Array(values[at].shape, numbers, values[at].kind)
    return values


def packed(number: int, status: int, values: list) -> bytes:
    """The frame of an answer, without its length."""
    words = [b"L" + len(one).to_bytes(4, "little") + b"".join(encode(text)[1:] for text in one)
             if isinstance(one, Texts) else encode(one) for one in values]
    return number.to_bytes(8, "little") + bytes([status]) + b"".join(words)


def unpacked(frame: bytes) -> list:
    """The values of an answer; lists of texts stay such."""
    return [Texts(one) if isinstance(one, list) else one for one in answer(frame)[2]]


class Liar:
    """Stands where a student's process does. Up to some case it answers as the reference did; that one it spoils."""
    limits = SimpleNamespace(memory=512, processes=32)
    report = b""

    def __init__(self, dice: random.Random, right: dict[bytes, bytes], lies_at: int):
        self.dice, self.right, self.lies_at, self.case = dice, right, lies_at, 0
        self.lie: list = []
        self.truth: list = []
        self.told = False               # did it lie?

    def ask(self, frame: bytes, seconds: float, watch=None) -> bytes:
        """The answer to a question."""
        self.case += 1
        known = self.right.get(frame[4:])
        if known and self.case != self.lies_at:
            return frame[4:12] + known
        self.told, self.truth = True, unpacked(bytes(8) + known) if known else []
        self.lie = spoilt(self.dice, self.truth) if known else [
            value(self.dice) for _ in range(self.dice.choice((0, 1, 1, 1, 2, 3, 4, 5)))]
        status = THREW if self.dice.random() < 0.05 else ANSWERED
        return packed(int.from_bytes(frame[4:12], "little"), status, self.lie)

    def end(self, seconds: float) -> End:
        """It ends as it should."""
        return End("exit")

    def printed(self) -> str:
        """What the process printed: nothing."""
        return ""


class Listener:
    """A process that is asked, and what it answered."""

    def __init__(self, process: Process):
        self.process, self.heard = process, {}
        self.limits, self.report = process.limits, process.report

    def ask(self, frame: bytes, seconds: float, watch=None) -> bytes | None:
        """The answer to a question; kept by the question."""
        got = self.process.ask(frame, seconds, watch)
        if got is not None:
            self.heard[frame[4:]] = got[8:]
        return got

    def end(self, seconds: float) -> End:
        """How the process ended."""
        return self.process.end(seconds)

    def printed(self) -> str:
        """What the process printed."""
        return self.process.printed()


def right_answers(judge: grading.Grading, part: Part, program: building.Program, seed: int) -> dict[bytes, bytes]:
    """What the reference answers in a part, by the question."""
    exercise = judge.exercise
    limits = (grading.KERNELS if exercise.cuda else grading.QUICK)["plain"]
    with running(exercise, program, limits, grading.environment(exercise)) as (process, candidates):
        listener = Listener(process)
        student = Student(listener, seed, judge.misconceptions, SECONDS)
        student.candidates = candidates
        with contextlib.suppress(Wrong):        # what is wrong with a reference, its own trial tells
            judge.functions[part.name](student)
        return listener.heard


def lied_to(judge: grading.Grading, part: Part, right: dict[bytes, bytes], seed: int) -> str:
    """What is wrong with how the judge took spoilt answers; empty if nothing is."""
    dice = random.Random(seed)
    liar = Liar(dice, right, dice.randint(1, max(1, len(right))))
    student = Student(liar, 1, judge.misconceptions, SECONDS)
    where = f"{judge.exercise.name}, part {part.name}, try {seed}"
    try:
        judge.functions[part.name](student)
    except (Wrong, NotHere):
        return ""
    except Exception:
        return f"{where}: the judge failed over {str(liar.lie)[:200]}: {traceback.format_exc()}"
    return f"{where}: passes with {str(liar.lie)[:200]}" if liar.told and form(liar.lie) != form(liar.truth) else ""


def form(values: list) -> list:
    """What an answer is, but for its numbers: which of them are near enough is for each part to say."""
    return [one.shape if isinstance(one, Array) else "texts" if isinstance(one, list) else "text" if isinstance(one, str)
            else "number" for one in values]


def fuzz(exercise: Exercise, program: building.Program | None, tries: int = TRIES) -> list[str]:
    """The complaints of all parts; with the program of the reference the quick parts are reached to their ends."""
    judge, said = grading.Grading(exercise, 1, lambda text: None), []
    for part in exercise.parts:
        right = right_answers(judge, part, program, 1) if program and not part.training else {}
        said += filter(None, (lied_to(judge, part, right, seed) for seed in range(tries)))
    return said


def main() -> int:
    """Fuzzes the judges of the chosen exercises; 0 if no answer that no function can give passes a part."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("names", nargs="*", metavar="EXERCISE|SET")
    words.add_argument("--alone", action="store_true", help="without the references")
    words.add_argument("--tries", type=int, default=TRIES)
    asked = words.parse_args()
    bad = 0
    for exercise in [e for name in asked.names or [None] for e in catalogue.chosen(name)]:
        with building.workshop() as home:
            program = None if asked.alone else building.build(
                exercise, Source(exercise.file, exercise.reference.read_bytes()), "plain", home)
            said = fuzz(exercise, program, asked.tries)
        print(f"{exercise.set}/{exercise.name}: {len(said)} complaints", flush=True)
        for line in said[:5]:
            print(f"    {line}", flush=True)
        bad += bool(said)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
