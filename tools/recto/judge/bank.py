"""The wrong answers to an exercise: patches that make one mistake in the reference, and whole files.

A patch is what `diff -U1 REFERENCE FILE` prints, below a header that names the mistake:

    wrong: off-by-one
    The loop leaves out the last number.
    --- sum.cpp
    +++ sum.cpp
    @@ -3,3 +3,3 @@
         double sum = 0;
    -    for (int i = 0; i < n; ++i) sum += x[i];
    +    for (int i = 0; i < n - 1; ++i) sum += x[i];
         return sum;

A whole file begins with the same header, as comments. The header is one line `wrong: MISCONCEPTION`, one line
`outcome: OUTCOME` unless the outcome is a wrong answer, and sentences that describe the mistake.
"""
import dataclasses
import re
from pathlib import Path

from recto.judge.catalogue import Exercise
from recto.judge.judging import WRONG
from recto.place import Failure

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")


@dataclasses.dataclass(frozen=True)
class WrongAnswer:
    """One file of an exercise's folder `wrong`."""
    exercise: Exercise
    path: Path
    header: list[str]
    body: list[str]             # the diff of a patch, or the program

    @property
    def is_patch(self) -> bool:
        """Is it a patch, or else a whole file?"""
        return self.path.suffix == ".patch"

    @property
    def misconception(self) -> str:
        """The name of the mistake."""
        return self.label("wrong", "")

    @property
    def outcome(self) -> str:
        """The outcome that the judge must give."""
        return self.label("outcome", WRONG)

    @property
    def about(self) -> str:
        """The sentences that describe the mistake; mostly its name is enough."""
        return " ".join(line for line in self.header if not re.match("(wrong|outcome): ", line))

    def label(self, word: str, default: str) -> str:
        """The words behind `word: ` in the header."""
        return next((line.removeprefix(f"{word}: ") for line in self.header if line.startswith(f"{word}: ")), default)

    def text(self) -> str:
        """The program; a Failure if the patch does not apply to the reference."""
        lines = self.body
        if self.is_patch:
            try:
                lines = patched(self.exercise.reference.read_text(encoding="utf-8").splitlines(), self.body)
            except ValueError as why:
                raise Failure(f"{self.exercise.set}/{self.exercise.name}: wrong/{self.path.name} {why}") from None
        return "\n".join(lines) + "\n"


def wrong_answers(exercise: Exercise) -> list[WrongAnswer]:
    """All wrong answers to an exercise, in the order of their names."""
    return [read(exercise, path) for path in sorted((exercise.solution / "wrong").glob("*"))]


def read(exercise: Exercise, path: Path) -> WrongAnswer:
    """The wrong answer in this file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    starts = (lambda line: line.startswith("--- ")) if path.suffix == ".patch" else (lambda line: not line.startswith("// "))
    at = next((number for number, line in enumerate(lines) if starts(line)), len(lines))
    return WrongAnswer(exercise, path, [line.removeprefix("// ") for line in lines[:at]], lines[at:])


def patched(reference: list[str], diff: list[str]) -> list[str]:
    """The lines of the reference with the diff applied: every line must stand where the diff says, exactly as it says.

    A ValueError names the first line that does not.
    """
    result, at, left = [], 0, (0, 0)                # lines taken from the reference; lines left in the hunk, old and new
    for line in diff[2:]:                           # below --- and +++
        kind, words = line[:1] or " ", line[1:]     # some editors drop the space of an empty line
        hunk = HUNK.match(line)
        if left == (0, 0) and hunk and int(hunk[1]) > at:
            result, at = result + reference[at:int(hunk[1]) - 1], int(hunk[1]) - 1
            left = int(hunk[2] or 1), int(hunk[3] or 1)
            continue
        old, new = kind in " -", kind in " +"
        left = left[0] - old, left[1] - new
        if not (old or new) or min(left) < 0:
            raise ValueError(f"is no unified diff: it holds {line!r} where no such line belongs")
        if old:
            found = repr(reference[at]) if at < len(reference) else "the end of the file"
            if found != repr(words):
                raise ValueError(f"wants line {at + 1} of the reference to be {words!r}, found {found}: the reference moved on")
            at += 1
        result += [words] if new else []
    if left != (0, 0) or len(diff) < 4:
        raise ValueError("is no unified diff: it ends too early")
    return result + reference[at:]
