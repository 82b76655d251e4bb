"""Marks from 0 to 4, as in the course (row ex-scoring-scheme): the base parts of a set give up to 2, its starred parts
the rest once the base is complete; a set without starred parts gives up to 4; what comes late gets 1 at most.

Every part that passes gives its share of the points, so a mark has fractions: 5 of 6 points are 2 x 5/6 = 1.67.
"""
import dataclasses

from recto.judge.catalogue import Part
from recto.judge.grading import Report

HIGHEST, BASE, LATE = 4.0, 2.0, 1.0


@dataclasses.dataclass(frozen=True)
class Mark:
    """A mark and how it came about."""
    base: float             # points of base parts earned
    base_of: float          # out of this total
    star: float = 0
    star_of: float = 0
    late: bool = False

    @property
    def mixed(self) -> bool:
        """Whether the set has parts of both kinds. Parts of one kind alone give the whole mark."""
        return bool(self.base_of and self.star_of)

    @property
    def complete(self) -> bool:
        """Whether the base is complete, so that starred parts count."""
        return self.base == self.base_of

    @property
    def punctual(self) -> float:
        """The mark of work handed in on time."""
        if not self.mixed:
            return share(HIGHEST, self.base + self.star, self.base_of + self.star_of)
        above = share(HIGHEST - BASE, self.star, self.star_of) if self.complete else 0
        return share(BASE, self.base, self.base_of) + above

    @property
    def value(self) -> float:
        """The mark that counts: the punctual mark, capped at LATE for a late submission."""
        return min(self.punctual, LATE) if self.late else self.punctual

    def worth(self, part: Part) -> float:
        """What a part adds to the mark when it counts."""
        if not self.mixed:
            return share(HIGHEST, part.points, self.base_of + self.star_of)
        return share(HIGHEST - BASE, part.points, self.star_of) if part.star else share(BASE, part.points, self.base_of)

    def counts(self, part: Part) -> bool:
        """Whether this part adds to the mark if it passes."""
        return not (self.mixed and part.star) or self.complete

    def arithmetic(self) -> str:
        """The sum, as one line: 2 x 5/6 = 1.67, starred parts count when the base is complete."""
        if not self.base_of + self.star_of:
            return "no parts, no mark"
        if self.mixed:
            words = f"{BASE:g} x {self.base:g}/{self.base_of:g}"
            words += f" + {HIGHEST - BASE:g} x {self.star:g}/{self.star_of:g}" if self.complete else ""
        else:
            words = f"{HIGHEST:g} x {self.base + self.star:g}/{self.base_of + self.star_of:g}"
        words += f" = {self.punctual:.2f}"
        words += "" if not self.mixed or self.complete else ", starred parts count when the base is complete"
        return words + (f", handed in late: {LATE:g} at most" if self.late else "")


def share(whole: float, points: float, of: float) -> float:
    """So much of the whole."""
    return whole * points / of if of else 0.0


def mark(reports: list[Report], late: bool = False) -> Mark:
    """The mark of a set, from the reports of its exercises."""
    results = [result for report in reports for result in report.results]
    base = [result for result in results if not result.part.star]
    star = [result for result in results if result.part.star]
    return Mark(sum(r.points for r in base), sum(r.part.points for r in base),
                sum(r.points for r in star), sum(r.part.points for r in star), late)
