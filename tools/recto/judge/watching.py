"""The command `watch`: grades whenever a file is saved."""
import time
from pathlib import Path

from recto import term

from recto.judge import catalogue, desk, words
from recto.judge.catalogue import Exercise
from recto.judge.commands import grade_one, need_judges, writable

LOOK = 0.2          # seconds between two looks at a file


def watch(word: str | None, quick: bool) -> int:
    """Grades an exercise at every save (`recto watch`) and returns the exit status."""
    need_judges("watch")
    with writable("watch"):
        return watch_all(word, quick)


def watch_all(word: str | None, quick: bool) -> int:
    """Grades at every save; when an exercise is solved, announces the next exercise and continues there."""
    wanted = catalogue.chosen(word) if word else catalogue.exercises()
    exercise = wanted[0] if len(wanted) == 1 else first_open(wanted)
    while exercise:
        path, fresh = desk.start(exercise)
        if fresh:
            term.say(f"new: {desk.where(exercise)}")
        term.say(term.paint(f"watching {desk.where(exercise)}; Ctrl-C ends it", "dim"))
        if not watch_one(exercise, path, quick):
            return 0
        following = [other for other in wanted if not desk.solved(other)] if len(wanted) > 1 else []
        following = following[:1] or [at for at in [desk.next_after(exercise)] if at]
        if not following:
            term.say(term.paint("That was the last one: everything is solved.", "green"))
            return 0
        exercise = following[0]
        term.say(f"\n{term.paint('Solved.', 'green')} Next: {exercise.title}. Its statement: "
                 f"exercises/{exercise.set}/{exercise.name}/statement.md")
    term.say("everything here is solved")
    return 0


def first_open(wanted: list[Exercise]) -> Exercise | None:
    """The first that is not solved."""
    return next((exercise for exercise in wanted if not desk.solved(exercise)), None)


def watch_one(exercise: Exercise, path: Path, quick: bool) -> bool:
    """Until this exercise is solved."""
    seen = None
    while True:
        try:
            now = path.stat()
            stamp = (now.st_mtime_ns, now.st_size, now.st_ino)
        except OSError:
            stamp = seen                # an editor is just replacing it
        if stamp == seen:
            time.sleep(LOOK)
            continue
        seen = stamp
        term.say(f"\n{time.strftime('%H:%M:%S')}")
        report = grade_one(exercise, path, None, not quick)
        desk.remember_report(report)
        words.tell(report)
        if report.solved or (quick and report.quick_passed):
            return True
        asked = int(desk.entry(desk.progress(), exercise).get("hints", 0))
        if asked < 3:
            term.say(term.paint(f"  ./recto hint {exercise.name}   ({asked} of 3 read)", "dim"))
