"""For exercises in which the student writes a test: the judge tries it on a bank of candidates.

    from recto.judge.trying import Candidate, Pattern, try_test

    bank = [
        Candidate(1, True, "the definition, with each row's largest number subtracted"),
        Candidate(11, False, "one that forgets to divide by the sum", "no-sum", "add up each row of what came back"),
    ]

    @part("values")
    def values(student):
        try_test(student, "test_softmax", bank)

The judge chooses a candidate in a program of its own (candidates.py); the student's test calls this candidate. Each grading
draws a new order. Only the judge knows which candidates are right.
"""
import dataclasses
from typing import Any

from recto.judge.judging import EARLY, WHOLE, WRONG, Message, Student, Wrong

ROUNDS = 3                  # how often each candidate is asked about


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A candidate on which the student's test is tried."""
    number: int                         # by which its program knows it
    right: bool
    what: str                           # what a student is told of it, as in "the test accepted ..."
    name: str = ""                      # the misconception of a test that misjudges it
    says: str = ""                      # what such a test lacks
    arguments: tuple[Any, ...] = ()     # of the student's test


@dataclasses.dataclass(frozen=True)
class Pattern:
    """A misconception that shows in several verdicts: it misjudged all of `missed` and none of `told` (numbers)."""
    name: str
    says: str
    missed: tuple[int, ...]
    told: tuple[int, ...] = ()


EVERYTHING = ("accepts-everything", "a useful test can fail: think of a mistake, and of an input on which the mistake shows")
NOTHING = ("refuses-everything", "a test that refuses right implementations is useless, even if it finds every mistake")
UNSTEADY = ("unsteady", "a verdict may depend only on the candidate: no counters, no memory of earlier calls, no clock, "
                        "random numbers only from a fixed seed")


def try_test(student: Student, function: str, candidates: list[Candidate], patterns: tuple[Pattern, ...] = (),
             thing: str = "implementation") -> None:
    """Asks the student's test about all candidates, several times and in any order, and judges its verdicts."""
    verdicts: dict[int, tuple[bool, int]] = {}      # by the place in the list: the verdict, and the case that it was
    for _ in range(ROUNDS):
        for place in student.random.sample(range(len(candidates)), len(candidates)):
            verdict = ask(student, function, candidates[place], thing)
            before, _ = verdicts.setdefault(place, (verdict, student.case))
            if before != verdict:
                raise wrong(student, function, candidates[place], student.case,
                            f"the same {thing} got another verdict the second time", before, verdict, *UNSTEADY)
    missed = [place for place, candidate in enumerate(candidates) if verdicts[place][0] != candidate.right]
    if not missed:
        return
    place = missed[0]
    name, says, about = candidates[place].name, candidates[place].says, "the test"
    accepted = {verdict for verdict, _ in verdicts.values()}
    numbers = {candidates[place].number for place in missed}
    if len(accepted) == 1:
        name, says = EVERYTHING if True in accepted else (NOTHING[0], f"{NOTHING[1]}; {says}")
        about = f"the test {'accepted' if True in accepted else 'refused'} every {thing}, right or wrong, and so it"
    else:
        for pattern in patterns:
            if numbers.issuperset(pattern.missed) and numbers.isdisjoint(pattern.told):
                place = next(place for place in missed if candidates[place].number == pattern.missed[0])
                name, says = pattern.name, pattern.says
                break
    said, case = verdicts[place]
    about += f" {'accepted what is wrong' if said else 'refused what is right'}: {candidates[place].what}"
    score = f"({len(candidates) - len(missed)} of {len(candidates)} verdicts are right)"
    raise wrong(student, function, candidates[place], case, f"{about} {score}", not said, said, name, says)


def ask(student: Student, function: str, candidate: Candidate, thing: str) -> bool:
    """One verdict. A test that fails instead of giving one is told what it was tried on."""
    try:
        if not student.choose(candidate.number):
            raise Wrong(EARLY, Message())
        verdict = bool(student.ask(function, *candidate.arguments, gives=WHOLE, again=False))       # ROUNDS ask again
    except Wrong as problem:
        if student.candidates and problem.outcome == EARLY:
            problem.message.about = f"the {thing} that the test called has ended: {student.candidates.why_ended()}"
        if problem.message.misconception != "unwritten":
            problem.message.where = f"the {thing} that it was tried on: {candidate.what}"
        raise
    if student.reached:
        student.reached.expected = str(int(candidate.right))
    return verdict


def wrong(student: Student, function: str, candidate: Candidate, case: int, about: str, expected: bool, got: bool,
          name: str, says: str) -> Wrong:
    """The outcome of a test that misjudges this candidate."""
    call = student.call(function, candidate.arguments)
    return Wrong(WRONG, Message(about, str(expected).lower(), str(got).lower(), "the verdict", call, case, name, says))
