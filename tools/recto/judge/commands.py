"""The commands of a student: start, exercises, grade, hint, solution; watch has a file of its own."""
import argparse
import contextlib
import errno
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from recto import term
from recto.place import MAIN, Failure, Mistake, shown, write

from recto.judge import building, candidates, catalogue, desk, grading, marks, reading, replaying, sandbox, words
from recto.judge.catalogue import Exercise
from recto.judge.grading import Report
from recto.judge.judging import OWN, Message

HANDED_OUT = "this tree was handed out without the judges, which your teacher has"
UNWRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)


def start(word: str | None) -> int:
    """Copies stubs into work/; without an argument the stub of the first exercise that is not begun."""
    if word:
        wanted = catalogue.chosen(word)
    else:
        waiting = [exercise for exercise in catalogue.exercises() if not desk.file_of(exercise).exists()]
        wanted = waiting[:1] or [at for at in [desk.current()] if at]
    if not wanted:
        term.say("all exercises are begun and solved")
        return 0
    for exercise in wanted:
        path, fresh = desk.start(exercise)
        term.say(f"{'new   ' if fresh else 'yours '} {desk.where(exercise)}   {exercise.title}")
    first = wanted[0]
    statement = f"\nThe statement: exercises/{first.set}/{first.name}/statement.md, a page of the book. Then edit the file"
    if catalogue.grades():
        term.say(f"{statement}, and in another terminal:\n"
                 f"  ./recto watch {first.name}    grades it whenever you save; ./recto hint {first.name} helps")
        prepare(first)
    else:
        term.say(f"{statement} and hand it in: {HANDED_OUT}. ./recto hint {first.name} helps")
    return 0


def prepare(exercise: Exercise) -> None:
    """Compiles the files of the first grading while the student reads. The grading itself will report an obstacle."""
    if exercise.library and not (MAIN / "build.ninja").exists():
        return                          # needs packages that ./recto installs for grading
    try:
        with contextlib.suppress(Failure):
            building.prepare(exercise, ["plain", "sanitized"], lambda text: term.progress(f"{exercise.name}: {text}"))
    finally:
        term.clear()


def need_judges(command: str) -> None:
    """Explains what to do instead in a tree that cannot grade."""
    if not catalogue.grades():
        raise Failure(f"{command}: {HANDED_OUT}. Hand in the file, or grade with the bundle: ./recto grade EXERCISE --bundle FILE")


def exercises() -> int:
    """Lists them with state and score."""
    for group in catalogue.sets():
        if not group.exercises:
            continue
        kept = desk.progress()
        reports = [recalled(exercise, kept) for exercise in group.exercises]
        made = marks.mark(reports)
        term.say(f"{term.paint(f'{group.name}: {group.title}', 'bold')}   {made.value:.2f} of 4")
        for exercise, report in zip(group.exercises, reports):
            state = desk.state(exercise)
            star = " (*)" if all(part.star for part in exercise.parts) else ""
            earned = sum(result.points for result in report.results)
            of = sum(part.points for part in exercise.parts)
            colour = "green" if state == "solved" else "dim" if state == "not started" else "yellow"
            term.say(f"  {exercise.name + star:<24} {term.paint(f'{state:<26}', colour)} {earned:>4g} of {of:<4g} {exercise.title}")
    return 0


def recalled(exercise: Exercise, kept: dict) -> Report:
    """The report that is remembered."""
    parts = desk.entry(kept, exercise).get("parts", {})
    return Report(exercise, 0, [grading.Result(part, str(parts.get(part.name, grading.NOT_RUN))) for part in exercise.parts])


def hint(word: str | None) -> int:
    """The next of three hints; the last one is repeated."""
    exercise = one(word) if word else desk.current()
    if not exercise:
        raise Mistake("every exercise is solved; name the exercise for which you want a hint")
    said = min(int(desk.entry(desk.progress(), exercise).get("hints", 0)), 2)
    hints = exercise.hints()
    term.say(term.paint(f"{exercise.name}, hint {said + 1} of {len(hints)}", "bold"))
    term.say(hints[said])
    desk.remember(exercise, hints=said + 1)
    if said == 2:
        then = f"./recto solution {exercise.name} --give-up shows one solution" if catalogue.grades() else "Your teacher has a solution"
        term.say(term.paint(f"\nThat was the last one. {then}.", "dim"))
    return 0


def one(word: str) -> Exercise:
    """The one exercise that a word names."""
    found = catalogue.chosen(word)
    if len(found) != 1:
        raise Mistake(f"{word} is a set; name one of {', '.join(exercise.name for exercise in found)}")
    return found[0]


def solution(word: str, give_up: bool) -> int:
    """Shows the reference, after it is solved."""
    exercise = one(word)
    if not desk.solved(exercise) and not give_up:
        raise Failure(f"{exercise.name} is not solved yet; ./recto hint {exercise.name} helps, and --give-up shows it anyway")
    if not exercise.reference.exists():
        raise Failure(f"{exercise.name}: this tree was handed out without solutions")
    if give_up and not desk.solved(exercise):
        desk.remember(exercise, gave_up=True)
    term.say(exercise.reference.read_text(encoding="utf-8").rstrip())
    return 0


def submitted(asked: argparse.Namespace) -> list[tuple[Exercise, Path]]:
    """The files to grade, each with its exercise."""
    if asked.file is not None:
        if not asked.exercise:
            raise Mistake("grade: --file needs the name of its exercise")
        exercise = one(asked.exercise)
        try:
            reading.read_source(Path(asked.file), exercise.file)
        except reading.Unreadable as why:       # one line, before anything is graded
            raise Failure(str(why)) from None
        return [(exercise, Path(asked.file))]
    chosen = catalogue.chosen(asked.exercise)
    found = [(exercise, desk.file_of(exercise)) for exercise in chosen if desk.file_of(exercise).exists()]
    if not found:
        named = asked.exercise or chosen[0].name
        raise Mistake(f"there is nothing of yours to grade yet: ./recto start {named}")
    return found


def grade_one(exercise: Exercise, path: Path, seed: int | None, training: bool) -> Report:
    """Grades one file; a failure of the judge itself is a result too, and does not affect other exercises."""
    def tell(text: str) -> None:
        term.progress(f"{exercise.name}: {text}" if text else "")
    try:
        return grading.grade(exercise, path, seed, training, tell=tell)
    except Failure as failure:
        message = Message(about=f"the judge itself failed; this is not your mistake: {failure}")
        return Report(exercise, seed or 0, grading.all_of(exercise, OWN, message), sandbox.isolation())
    finally:
        term.clear()


def marks_of(reports: list[Report], late: bool, kept: dict) -> dict[str, marks.Mark]:
    """The mark of every set that these belong to. The set's other exercises count as they are remembered in `kept`."""
    found = {}
    for group in catalogue.sets():
        mine = [report for report in reports if report.exercise.set == group.name]
        if mine:
            absent = [recalled(exercise, kept) for exercise in group.exercises
                      if exercise not in [report.exercise for report in mine]]
            found[group.name] = marks.mark(mine + absent, late)
    return found


def grade(asked: argparse.Namespace) -> int:
    """Grades exercises or a class (`recto grade`) and returns the exit status."""
    if asked.bundle:
        from recto.judge import release
        catalogue.SOLUTIONS = release.open_bundle(Path(asked.bundle))
    need_judges("grade")
    if asked.untrusted and asked.gdb:
        raise Mistake("grade: --untrusted takes no --gdb: the debugger runs the program outside the sandbox")
    if asked.json and asked.gdb:
        raise Mistake("grade: --json takes no --gdb: the debugger writes to the terminal")
    if asked.untrusted:
        sandbox.insist()
    if asked.submissions:
        from recto.judge import classroom
        if not asked.exercise or not asked.csv:
            raise Mistake("grade: --submissions needs the name of a set and --csv FILE")
        code = classroom.grade_class(asked.exercise, Path(asked.submissions), Path(asked.csv), asked.late, asked.seed,
                                     asked.jobs, term.progress)
        hand_out(asked, [], {})
        return code
    files = submitted(asked)
    if asked.replay:
        return replay(*files[0], asked)
    reports = []
    for exercise, path in files:
        report = grade_one(exercise, path, asked.seed, not asked.quick)
        reports.append(report)
        if asked.file is None:
            desk.remember_report(report)
        if not asked.json:
            words.tell(report, words.path_words(asked.file and Path(asked.file)))
    made = marks_of(reports, asked.late, {} if asked.file else desk.progress())
    if not asked.json and asked.file is None:
        for group in catalogue.sets():
            if group.name in made:
                words.tell_mark(group.name, made[group.name])
    hand_out(asked, reports, made)
    return 0 if all(report.solved or (asked.quick and report.quick_passed) for report in reports) else 1


def hand_out(asked: argparse.Namespace, reports: list[Report], made: dict[str, marks.Mark]) -> None:
    """Writes the requested reports."""
    if not (asked.json or asked.junit or asked.gradescope or asked.classroom50):
        return
    from recto.judge import formats
    if asked.junit:
        write(Path(asked.junit), formats.write_junit(reports, made))
    if asked.gradescope:
        write(Path(asked.gradescope), json.dumps(formats.write_gradescope(reports, made, asked.late), indent=1) + "\n")
    if asked.classroom50:
        write(Path(asked.classroom50), json.dumps(formats.write_classroom50(reports, made, asked.late), indent=1) + "\n")
    if asked.json:      # last: what cannot be written is reported in JSON too, and there is one document
        print(json.dumps(formats.write_json(reports, made, asked.late), indent=1))


def replay(exercise: Exercise, path: Path, asked: argparse.Namespace) -> int:
    """Runs one case again, on request in the debugger."""
    try:
        part, case, seed = asked.replay.split(":")
        found = replaying.replay(exercise, path, part, int(case), int(seed), desk.keep_copy(exercise))
    except ValueError:
        raise Mistake(f"grade: --replay takes PART:CASE:SEED, got {asked.replay}") from None
    if asked.gdb:
        command = ["gdb", "-q", "-ex", f"break {found.call.split('(')[0]}", "-ex", f"run < {found.frames} 3>/dev/null",
                   str(found.program)]
        term.say(f"{found.call}\nThe debugger stops where your function begins.")
        try:
            with contextlib.ExitStack() as stack:
                line = stack.enter_context(candidates.for_debugger(*found.candidate)) if found.candidate else None
                words, kept = ({**os.environ, candidates.LINK: str(line)}, [line]) if line else (None, [])
                return subprocess.run(command, env=words, pass_fds=kept).returncode
        except OSError:
            raise Failure("gdb is not installed") from None
    if asked.json:
        from recto.judge import formats
        print(json.dumps(formats.write_replay(found, asked.late), indent=1))
        return 1 if found.message else 0
    term.say(found.call)
    if found.message:
        term.say(f"  {found.message.about}")
        if found.message.expected:
            term.say(f"  {found.message.where or 'the answer'}: expected {found.message.expected}, got {found.message.got}")
    else:
        term.say(f"  answers {found.got}")
        if found.expected:
            term.say(f"  expected {found.expected}")
    return 1 if found.message else 0


def run(command: str, asked: argparse.Namespace) -> int:
    """Runs a student's command but `watch`, which grades by these and has a file of its own."""
    with writable(command):
        return dispatch(command, asked)


@contextlib.contextmanager
def writable(command: str) -> Iterator[None]:
    """What cannot be written to becomes a sentence of this command."""
    try:
        yield
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        name = f"{shown(Path(os.fsdecode(error.filename)))}: " if error.filename else ""
        raise Failure(f"{command}: {name}{error.strerror}; Recto needs a tree and a disk that it may write to") from None


def dispatch(command: str, asked: argparse.Namespace) -> int:
    """Runs the function of a command."""
    if command == "start":
        return start(asked.exercise)
    if command == "exercises":
        return exercises()
    if command == "grade":
        return grade(asked)
    if command == "hint":
        return hint(asked.exercise)
    if command == "solution":
        return solution(asked.exercise, asked.give_up)
    from recto.judge import release
    return release.release(Path(asked.folder))
