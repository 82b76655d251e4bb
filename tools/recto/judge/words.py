"""The report for a student on the terminal."""
import shlex
import textwrap
from pathlib import Path

from recto.pages import pages
from recto import term
from recto.place import shown

from recto.judge import sandbox
from recto.judge.grading import NOT_RUN, Report, Result
from recto.judge.judging import PASSED, UNCOMPILED, WRONG
from recto.judge.marks import Mark
from recto.judge.sandbox import harmless

SIGNS = {PASSED: ("✓", "green"), NOT_RUN: ("–", "dim"), WRONG: ("✗", "red")}


def line_of(result: Result) -> str:
    """One part in one line."""
    sign, colour = SIGNS.get(result.outcome, ("✗", "red"))
    star = " (*)" if result.part.star else ""
    points = f"{result.points:g}/{result.part.points:g}"
    outcome = "" if result.outcome in (PASSED, WRONG) else f": {result.outcome}"
    if result.outcome == NOT_RUN and result.message.about:
        outcome += f": {result.message.about}"
    return f"  {term.paint(sign, colour)} {result.part.name}{star}  {points}  {result.part.what}{outcome}"


def explain(result: Result, report: Report, file: str = "") -> list[str]:
    """What is wrong with a part, in full."""
    message = result.message
    lines = message.about.splitlines()
    if message.where or message.expected or message.got:
        where = f"{message.where}: " if message.where else ""
        if message.expected or message.got:
            lines.append(f"{where}expected {message.expected or 'another answer'}, got {message.got}")
        else:
            lines.append(where.rstrip(": "))
    if message.call:
        lines.append(f"in {message.call}")
    if message.misconception and message.says:
        lines += textwrap.wrap(f"Perhaps: {message.says}", 96)
    if message.printed and result.outcome != PASSED:
        last = message.printed.strip().splitlines()[-8:]
        if last and result.outcome == WRONG:
            lines += ["your program printed:", *(f"    {line[:160]}" for line in last)]
    if message.case:
        lines.append(f"again, just this: {report.replay(result)}{file}   (with --gdb: in the debugger)")
    if report.exercise.rows and result.outcome != UNCOMPILED:
        lines.append(f"to read: {', '.join(report.exercise.rows)}   ({where_to_read(report.exercise.rows)})")
    return lines


def where_to_read(rows: tuple[str, ...]) -> str:
    """The page of the first row that has one; until then the register has an entry for each."""
    covered = {row for page in pages.all_pages() for row in page.rows}
    row = next((row for row in rows if row in covered), "")
    return f"./recto run {row}" if row else "in the register, at the end of the book"


def tell(report: Report, file: str = "") -> None:
    """A whole report; the first part that is not passed is explained, the others are named."""
    term.say(term.paint(f"{report.exercise.set}/{report.exercise.name}", "bold") + f"  {report.exercise.title}")
    explained = False
    for result in report.results:
        term.say(line_of(result))
        for line in result.message.report.splitlines():
            term.say(f"      {line}")
        if result.outcome not in (PASSED, NOT_RUN) and not explained:
            explained = True
            for line in explain(result, report, file):
                term.say(f"      {line}")
    if report.warnings:
        term.say(term.paint("  the compiler warns; warnings cost nothing, but read them:", "yellow"))
        for line in report.warnings.splitlines():
            term.say(f"      {line}")
    if report.device:
        why = f" ({report.device.why.splitlines()[0]})" if report.device.why else ""
        term.say(term.paint(f"  device run: {report.device.outcome}{why}", "dim"))
        for result in report.device.results:
            if result.outcome != PASSED:
                term.say(f"      {result.part.name}: {result.outcome}: {result.message.about}")
    if report.isolation != sandbox.FULL:
        term.say(term.paint(f"  isolation: limits only ({sandbox.why_not_full()})", "yellow"))


def tell_mark(title: str, mark: Mark) -> None:
    """The mark of a set, with its arithmetic."""
    term.say(f"{title}: {term.paint(f'{mark.value:.2f}', 'bold')} of 4   ({mark.arithmetic()})")


def path_words(path: Path | None) -> str:
    """How the student names the file on a command line, if it is not the one in work/."""
    return "" if path is None else " " + harmless(shlex.quote(f"--file={shown(path)}"))
