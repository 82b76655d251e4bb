"""Marks from 0 to 4, as in the course (row ex-scoring-scheme): the base parts of a set give up to 2, its starred parts the
rest once the base is complete; a set without starred parts gives up to 4; what comes late gets 1 at most."""
import dataclasses

from judge.grading import Report

HIGHEST, BASE, LATE = 4.0, 2.0, 1.0


@dataclasses.dataclass(frozen=True)
class Mark:
    """A mark and how it came about."""
    value: float
    base: float             # points of base parts earned
    base_of: float          # of so many
    star: float
    star_of: float
    late: bool

    def arithmetic(self) -> str:
        """The sum, as one line: 2 x 5/6 = 1.67, the starred parts count when the base is complete."""
        most = BASE if self.star_of else HIGHEST
        words = f"{most:g} x {self.base:g}/{self.base_of:g}"
        if self.star_of and self.base == self.base_of:
            words += f" + {HIGHEST - BASE:g} x {self.star:g}/{self.star_of:g}"
        words += f" = {self.before_late():.2f}"
        if self.star_of and self.base < self.base_of:
            words += ", starred parts count when the base is complete"
        if self.late:
            words += f", handed in late: {LATE:g} at most"
        return words

    def before_late(self) -> float:
        """The mark of work handed in on time."""
        if not self.star_of:
            return HIGHEST * self.base / self.base_of if self.base_of else 0
        base = BASE * self.base / self.base_of if self.base_of else BASE
        complete = self.base == self.base_of
        return base + ((HIGHEST - BASE) * self.star / self.star_of if complete else 0)


def mark(reports: list[Report], late: bool = False) -> Mark:
    """The mark of a set, from the reports of its exercises."""
    results = [result for report in reports for result in report.results]
    base = [result for result in results if not result.part.star]
    star = [result for result in results if result.part.star]
    sums = [sum(entries) for entries in ([r.points for r in base], [r.part.points for r in base],
                                         [r.points for r in star], [r.part.points for r in star])]
    made = Mark(0, *sums, late)
    return dataclasses.replace(made, value=min(made.before_late(), LATE) if late else made.before_late())
