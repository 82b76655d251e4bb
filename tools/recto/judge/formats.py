"""The result of a grading for other programs: our own JSON, JUnit, Gradescope, Classroom 50.

exercises/result.schema.json describes our own. Any text may hold what a student wrote or printed; it stays text.
"""
import datetime
import math
import os
import re
import xml.etree.ElementTree as xml

from recto.judge import release, words
from recto.judge.catalogue import Part
from recto.judge.grading import NOT_RUN, Report, Result
from recto.judge.judging import OWN, PASSED, Message
from recto.judge.marks import Mark
from recto.judge.marks import mark as mark_of
from recto.judge.replaying import Replay

VERSION = 1                                     # of our own JSON; a reader of version 1 reads what says version 1
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")        # in XML, escaped or not


def explained(result: Result, report: Report) -> str:
    """The message about a part that is not passed."""
    if result.outcome in (PASSED, NOT_RUN):
        return result.message.about
    return "\n".join(words.explain(result, report))


def device(report: Report) -> str:
    """Where the student's code ran."""
    return "emulator" if report.exercise.cuda else "cpu"


def completed(reports: list[Report], marks: dict[str, Mark], late: bool) -> dict[str, Mark]:
    """The mark of every set that was graded; where none is given, that of these reports alone."""
    names = dict.fromkeys(report.exercise.set for report in reports)
    return {name: marks.get(name) or mark_of([report for report in reports if report.exercise.set == name], late)
            for name in names}


def write_json(reports: list[Report], marks: dict[str, Mark], late: bool) -> dict:
    """The results and marks of all graded exercises, for --json."""
    return {"format": "recto result", "version": VERSION, "commit": release.commit() or None, "late": late,
            "exercises": [json_exercise(report) for report in reports],
            "marks": [json_mark(name, mark) for name, mark in completed(reports, marks, late).items()]}


def write_failure(why: str, late: bool) -> dict:
    """Our own JSON where nothing was graded, and why."""
    return {**write_json([], {}, late), "error": why}


def write_replay(found: Replay, late: bool) -> dict:
    """Our own JSON of one case again."""
    message = found.message or Message(call=found.call, expected=found.expected, got=found.got)
    return {**write_json([], {}, late), "replay": json_message(message)}


def json_message(message: Message) -> dict:
    """The message for the student."""
    return {"about": message.about, "expected": message.expected, "got": message.got, "where": message.where,
            "call": message.call, "misconception": message.misconception, "says": message.says, "printed": message.printed}


def json_exercise(report: Report) -> dict:
    """The JSON object of one graded exercise, with its parts."""
    exercise = report.exercise
    return {"set": exercise.set, "exercise": exercise.name, "title": exercise.title, "file": exercise.file,
            "rows": list(exercise.rows), "solved": report.solved, "points": sum(r.points for r in report.results),
            "of": sum(part.points for part in exercise.parts), "seed": report.seed, "seconds": round(report.seconds, 3),
            "isolation": report.isolation, "device": device(report), "note": report.note or report.warnings,
            "parts": [json_part(result, report) for result in report.results]}


def json_part(result: Result, report: Report) -> dict:
    """The JSON object of one part: outcome, points and message."""
    part, message = result.part, result.message
    return {"part": part.name, "what": part.what, "star": part.star, "training": part.training,
            "outcome": result.outcome, "points": result.points, "of": part.points, "variant": result.variant,
            "seconds": round(result.seconds, 3), "case": message.case or None, "replay": report.replay(result) or None,
            "message": json_message(message)}


def json_mark(name: str, mark: Mark) -> dict:
    """The mark of a set."""
    return {"set": name, "mark": round(mark.value, 4), "of": 4, "base": mark.base, "base_of": mark.base_of,
            "star": mark.star, "star_of": mark.star_of, "late": mark.late, "arithmetic": mark.arithmetic()}


def clean(text: str) -> str:
    """The text without the characters that XML forbids."""
    return FORBIDDEN.sub("", text)


def write_junit(reports: list[Report], marks: dict[str, Mark]) -> str:
    """JUnit's XML: a test suite an exercise, a test case a part."""
    root = xml.Element("testsuites", name="recto")
    total = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for report in reports:
        suite = xml.SubElement(root, "testsuite", name=f"{report.exercise.set}/{report.exercise.name}",
                               time=f"{report.seconds:.3f}")
        about = {"seed": str(report.seed), "isolation": report.isolation, "device": device(report)}
        if report.exercise.set in marks:
            mark = marks[report.exercise.set]
            about["mark of the set"] = f"{mark.value:.2f} of 4 ({mark.arithmetic()})"
        properties = xml.SubElement(suite, "properties")
        for name, value in about.items():
            xml.SubElement(properties, "property", name=name, value=clean(value))
        for result in report.results:
            junit_case(suite, result, report)
        count = {"tests": len(report.results), "failures": len(suite.findall("*/failure")),
                 "errors": len(suite.findall("*/error")), "skipped": len(suite.findall("*/skipped"))}
        for name, number in count.items():
            suite.set(name, str(number))
            total[name] += number
    for name, number in total.items():
        root.set(name, str(number))
    root.set("time", f"{sum(report.seconds for report in reports):.3f}")
    xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, encoding="unicode") + "\n"


def junit_case(suite: xml.Element, result: Result, report: Report) -> None:
    """One part: a failure if the answer is wrong, an error if the judge failed, skipped if it did not run."""
    case = xml.SubElement(suite, "testcase", name=result.part.name, time=f"{result.seconds:.3f}",
                          classname=f"{report.exercise.set}.{report.exercise.name}")
    about = clean((result.message.about.splitlines() or [result.outcome])[0])
    if result.outcome == NOT_RUN:
        xml.SubElement(case, "skipped", message=about)
    elif result.outcome != PASSED:
        kind = "error" if result.outcome == OWN else "failure"
        xml.SubElement(case, kind, type=result.outcome, message=about).text = clean(explained(result, report))
    if result.message.printed:
        xml.SubElement(case, "system-out").text = clean(result.message.printed)


def write_gradescope(reports: list[Report], marks: dict[str, Mark], late: bool) -> dict:
    """Gradescope's results.json: the marks are the score, every part is a test with its points."""
    reached = completed(reports, marks, late)
    tests = []
    for first, report in enumerate(reports, 1):
        for second, result in enumerate(report.results, 1):
            star = " (*)" if result.part.star else ""
            tests.append({"name": f"{report.exercise.title}: {result.part.what}{star}", "name_format": "text",
                          "number": f"{first}.{second}", "score": result.points, "max_score": result.part.points,
                          "status": "passed" if result.outcome == PASSED else "failed",
                          "output": explained(result, report) or result.outcome, "output_format": "text",
                          "visibility": "visible"})
    marked = [f"{name}: {mark.value:.2f} of 4   ({mark.arithmetic()})" for name, mark in reached.items()]
    return {"score": round(sum(mark.value for mark in reached.values()), 4),
            "execution_time": math.ceil(sum(report.seconds for report in reports)),
            "output": "\n".join(marked), "output_format": "text", "visibility": "visible", "stdout_visibility": "hidden", "tests": tests}


def whole(shares: list[float], total: int) -> list[int]:
    """Whole numbers in the proportions of the shares that sum to the total: the largest remainders are rounded up."""
    if not sum(shares):
        return [0] * len(shares)
    exact = [share * total / sum(shares) for share in shares]
    down = [math.floor(share + 1e-9) for share in exact]
    by_rest = sorted(range(len(shares)), key=lambda at: down[at] - exact[at])
    for at in by_rest[:total - sum(down)]:
        down[at] += 1
    return down


def hundredths(mark: Mark, parts: list[Part]) -> list[int]:
    """What each part is worth, in hundredths of the mark; base and starred parts rounded apart: a whole base is 200."""
    found = [0] * len(parts)
    for star in (False, True):
        mine = [at for at, part in enumerate(parts) if part.star == star]
        worth = [mark.worth(parts[at]) for at in mine]
        for at, points in zip(mine, whole(worth, round(100 * sum(worth)))):
            found[at] = points
    return found


def write_classroom50(reports: list[Report], marks: dict[str, Mark], late: bool) -> dict:
    """Classroom 50's result.json (classroom50/result/v1). Its scores are whole numbers, so a mark counts in hundredths.

    Every part is a test worth what it adds to the mark; a starred part that does not count yet scores nothing, and what
    comes late scores less. The runner sets the student and the assignment in the environment.
    """
    reached = completed(reports, marks, late)
    tests = []
    for name, mark in reached.items():
        pairs = [(report, result) for report in reports if report.exercise.set == name for result in report.results]
        most = hundredths(mark, [result.part for _, result in pairs])
        score = [points if result.outcome == PASSED and mark.counts(result.part) else 0
                 for points, (_, result) in zip(most, pairs)]
        if mark.late:
            score = whole(score, min(sum(score), round(100 * mark.value)))
        tests += [{"test-name": f"{name}/{report.exercise.name}: {result.part.name}",
                   "passed": result.outcome == PASSED, "score": points, "max-score": worth,
                   "outcome": result.outcome, "output": explained(result, report)}
                  for (report, result), points, worth in zip(pairs, score, most)]
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

    def given(name: str, otherwise: str) -> str:
        return os.environ.get(name) or otherwise
    commit = given("COMMIT_URL", "not known")
    return {"schema": "classroom50/result/v1", "classroom": given("CLASSROOM", "none"),
            "assignment": given("ASSIGNMENT", next(iter(reached), "none")),
            "assignment_type": given("ASSIGNMENT_TYPE", "individual"), "owner": given("OWNER", given("USERNAME", "nobody")),
            "submission": given("SUBMISSION_TAG", "submit/none"), "commit": commit,
            "release": given("RELEASE_URL", "not known"), "review": given("REVIEW_URL", commit),
            "datetime": now, "graded_at": now, "score": sum(test["score"] for test in tests),
            "max-score": sum(test["max-score"] for test in tests), "tests": tests}
