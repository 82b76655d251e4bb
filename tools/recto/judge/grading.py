"""Grades one file: builds it, runs every part on it, again under sanitizers, then the training part."""
import dataclasses
import importlib.util
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType

from recto.place import Failure

from recto.judge import building, reading, relations, sandbox, slips
from recto.judge.building import Program
from recto.judge.candidates import running
from recto.judge.complaints import CompileError, explaining
from recto.judge.reading import Source, Unreadable
from recto.judge.catalogue import Exercise, Part
from recto.judge.judging import (CRASHED, EARLY, GARBLED, LATE, MEMORY, OWN, PASSED, UNCOMPILED, WRONG, Compared, Message, NotHere,
                           Student, Wrong, judged, recognise)
from recto.judge.sandbox import Limits, harmless

NOT_RUN = "not run"
ALONE = 10.0            # seconds for a call that is asked alone
KEEPS = ("unsteady", "your program keeps something from call to call: look for static and global variables, for containers "
                     "that are never cleared, and for uninitialised variables")
GUESSED = ("unsteady", "slip", "relation")      # names of what is not sure
LONGEST = 64 << 10      # characters of a text in a message
QUICK = {"plain": Limits(cpu=5, memory=512, address=1024, processes=32),
         "sanitized": Limits(cpu=20, memory=1024, processes=32)}
# The emulator and CUDA's driver take far more addresses than memory.
KERNELS = {**{variant: dataclasses.replace(limits, address=0) for variant, limits in QUICK.items()},
           "device": Limits(cpu=60, memory=8192, processes=64)}
QUICK_WALL = {"plain": 20.0, "sanitized": 60.0, "device": 60.0}


def environment(exercise: Exercise) -> dict[str, str]:
    """What a program finds in its environment. A kernel's threads are fibers of the emulator: stacks of what returned, one
    for each, would take two thirds of its time under AddressSanitizer."""
    return {"ASAN_OPTIONS": "exitcode=77:detect_leaks=0:handle_abort=1:allocator_may_return_null=0:"
                            f"detect_stack_use_after_return={int(not exercise.cuda)}",
            "UBSAN_OPTIONS": "exitcode=77:print_stacktrace=1", "RECTO_THREADS": "1"}


@dataclasses.dataclass
class Result:
    """The result of one part."""
    part: Part
    outcome: str = NOT_RUN
    message: Message = dataclasses.field(default_factory=Message)
    seconds: float = 0
    variant: str = "plain"
    measured: float | None = None       # what the judge reported for the register

    @property
    def points(self) -> float:
        """The points that it earned."""
        return self.part.points if self.outcome == PASSED else 0


@dataclasses.dataclass
class Device:
    """The result of the kernels on a GPU, beside that of the emulator: it earns no points."""
    outcome: str = NOT_RUN
    why: str = ""               # it was not run, or what the compiler said
    results: list[Result] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Report:
    """The result of one exercise."""
    exercise: Exercise
    seed: int
    results: list[Result]
    isolation: str = ""
    seconds: float = 0
    note: str = ""              # such as why the file could not be read
    warnings: str = ""          # the compiler's, about the student's lines: they cost nothing
    device: Device | None = None        # of an exercise with kernels
    digest: str = ""            # of the text that was graded; empty if none could be read

    @property
    def solved(self) -> bool:
        """Whether all parts passed."""
        return all(result.outcome == PASSED for result in self.results)

    def replay(self, result: Result) -> str:
        """The command that runs just the wrong case of a part again; empty without such a case."""
        case = result.message.case
        return f"./recto grade {self.exercise.name} --replay {result.part.name}:{case}:{self.seed}" if case else ""

    @property
    def quick_passed(self) -> bool:
        """Whether all quick parts passed."""
        return all(result.outcome == PASSED for result in self.results if not result.part.training)


def judge_of(exercise: Exercise) -> ModuleType:
    """The exercise's judge.py."""
    path = exercise.solution / "judge.py"
    if not path.exists():
        raise Failure(f"{exercise.name}: its judge is not here; a tree that was handed out grades with --bundle FILE")
    name = f"judge_of_{exercise.set}_{exercise.name}"
    neighbours = [str(path.parent)]     # it may import them: from .network import Network
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=neighbours)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.dont_write_bytecode = True
    try:
        spec.loader.exec_module(module)
    except Exception:
        raise Failure(f"{exercise.name}: its judge does not load: {last_line()}") from None
    return module


def last_line() -> str:
    """The message of the exception that is being handled."""
    return traceback.format_exc().strip().splitlines()[-1]


def parts_of(module: ModuleType) -> dict[str, Callable]:
    """The functions that judge, by the name of their part."""
    return {function.part: function for function in vars(module).values() if hasattr(function, "part")}


def random_seed() -> int:
    """A new, unpredictable seed."""
    return int.from_bytes(os.urandom(3), "little")


class Grading:
    """One file on its way through the parts."""

    def __init__(self, exercise: Exercise, seed: int, tell: Callable[[str], None]):
        self.exercise, self.seed, self.tell = exercise, seed, tell
        self.module = judge_of(exercise)
        self.functions = parts_of(self.module)
        self.misconceptions = list(getattr(self.module, "misconceptions", []))
        missing = [part.name for part in exercise.parts if part.name not in self.functions]
        if missing:
            raise Failure(f"{exercise.name}: judge.py judges no part {missing[0]}")

    def run_part(self, part: Part, program: Program, limits: Limits, wall: float) -> Result:
        """One part on one program."""
        started = time.monotonic()
        result = Result(part, PASSED, variant=program.variant)

        def watch(line: str) -> None:
            self.tell(progress_line(part, line, time.monotonic() - started))
        if limits.address and program.megabytes() >= limits.address:
            result.outcome, result.message = MEMORY, Message(
                about=f"its global variables take {program.megabytes()} MiB, the program may have {limits.memory}")
            return result
        with running(self.exercise, program, limits, environment(self.exercise)) as (process, candidates):
            student = Student(process, self.seed, [m for m in self.misconceptions if m.part in (None, part.name)], wall,
                              watch=watch if part.training else None, sanitized=program.variant == "sanitized")
            student.candidates = candidates
            student.emulated = program.variant != "device"
            student.counts = self.exercise.cuda and program.variant == "plain"
            try:
                judged(self.functions[part.name], student)
                if not part.training and program.variant != "device":       # a GPU adds in another order each time
                    student.once_more()
                end = process.end(max(0.1, student.until - time.monotonic()))
                if (end.how, end.code) != ("exit", 0):
                    outcome, message = student.ended("", end)
                    if outcome == EARLY:
                        message.about = f"the program ended with status {end.code} after its last answer"
                    raise Wrong(outcome, message)
                if process.answers or process.flooded:
                    raise Wrong(GARBLED, Message(about="the program wrote more after its last answer", case=student.case))
            except Wrong as wrong:
                recognise(wrong.outcome, wrong.message, student.misconceptions, student.last[1])
                result.outcome, result.message = wrong.outcome, wrong.message
                if wrong.compared and wrong.message.case > 1 and not part.training and self.right_alone(wrong.compared, program, limits):
                    message = result.message
                    message.about += ": right when it is asked alone, wrong after the calls before it"
                    message.misconception, message.says = KEEPS
                elif student.found and not (result.message.misconception or part.training or candidates):
                    self.guess(result.message, wrong.compared, part, student)
            except NotHere as why:
                result.outcome, result.message = NOT_RUN, Message(about=str(why))
            except Exception:
                result.outcome = OWN
                result.message = Message(about=f"the judge itself failed; this is not your mistake: {last_line()}")
                if os.environ.get("RECTO_JUDGE_TRACE"):
                    traceback.print_exc()
            result.message.printed, result.message.report = process.printed(), "\n".join(student.report)
            result.measured = student.measured
        if result.outcome == LATE:
            line = building.line_of(program, process.place, self.exercise.file)
            result.message.about += f": the program was in line {line} of {self.exercise.file}" if line else ""
        if result.outcome in (CRASHED, LATE, MEMORY, EARLY, GARBLED) and explaining(program.warnings):
            result.message.about = f"{explaining(program.warnings)}\n{result.message.about}"
        result.message = clean(result.message)
        result.seconds = time.monotonic() - started
        return result

    def guess(self, message: Message, told: Compared, part: Part, student: Student) -> None:
        """Adds a likely cause to a wrong answer without a known misconception."""
        said = slips.searched(self.functions[part.name], student, self.seed)
        if said:
            message.misconception, message.says = "slip", f"the judge gets your numbers if, in its own steps, {said}"
            return
        answers = [(one.compared.got, one.compared.expected) for one in student.found
                   if (one.compared.function, one.compared.kinds) == (told.function, told.kinds)]
        said = relations.common((told.got, told.expected), answers)
        if said:
            message.misconception, message.says = "relation", said

    def right_alone(self, compared: Compared, program: Program, limits: Limits) -> bool:
        """Whether a fresh program answers this call right."""
        with running(self.exercise, program, limits, environment(self.exercise)) as (process, _):
            try:
                return compared.right(Student(process, self.seed, [], ALONE))
            except Wrong:
                return False

    def run_parts(self, parts: Iterable[Part], program: Program, limits: Limits, wall: float) -> Iterator[Result]:
        """Parts on one program, in order. After one that is out of time the others are not run: an endless loop would cost each
        of them its whole time."""
        late = None
        for part in parts:
            if late:
                yield Result(part, message=Message(about=f"{late.name} ran out of time; the later parts were not run"))
                continue
            self.tell(f"{part.name}{', under sanitizers' if program.variant == 'sanitized' else ''} ...")
            result = self.run_part(part, program, limits, wall)
            late = part if result.outcome == LATE else None
            yield result

    def uncompiled(self, report: Report, error: CompileError) -> Report:
        """The report of a file that does not compile, with the misconception behind it if one is known."""
        message = Message(about=str(error))
        recognise(UNCOMPILED, message, self.misconceptions)
        report.results = all_of(self.exercise, UNCOMPILED, message)
        return report

    def on_device(self, source: Source, passed: bool, home: Path) -> Device:
        """The same parts on a GPU, if one is available."""
        why = building.no_device() or ("" if passed else "the emulator comes first")
        if why:
            return Device(why=why)
        self.tell("compiling for the GPU ...")
        try:
            program = building.build_for_device(self.exercise, source, home)
        except CompileError as error:
            return Device(UNCOMPILED, str(error))
        results = [self.run_part(part, program, KERNELS["device"], QUICK_WALL["device"])
                   for part in self.exercise.quick()]
        return Device(next((result.outcome for result in results if result.outcome != PASSED), PASSED), "", results)


def clean(message: Message) -> Message:
    """The message without anything in it that could harm a terminal: a judge.py may have quoted a stranger's text."""
    return Message(**{name: harmless(value)[:LONGEST] if isinstance(value, str) else value
                      for name, value in vars(message).items()})


def progress_line(part: Part, line: str, seconds: float) -> str:
    """training: 40 %, loss 2.31, 12 s left"""
    try:
        done, loss = map(float, line.split())
    except ValueError:
        return ""
    left = f", {seconds / done * (1 - done):.0f} s left" if 0 < done <= 1 else ""
    return f"{part.name}: {100 * done:.0f} %, loss {loss:.4g}{left}"


def all_of(exercise: Exercise, outcome: str, message: Message) -> list[Result]:
    """The same outcome for all parts."""
    return [Result(part, outcome, dataclasses.replace(message)) for part in exercise.parts]


def grade(exercise: Exercise, path: Path, seed: int | None = None, training: bool = True, sanitize: bool = True,
          tell: Callable[[str], None] = lambda text: None) -> Report:
    """Grades the file. No student's file can make this raise; only an error of ours can (Failure)."""
    started = time.monotonic()
    seed = random_seed() if seed is None else seed
    try:
        source = reading.read_source(path, exercise.file)
    except Unreadable as why:
        report = Report(exercise, seed, all_of(exercise, UNCOMPILED, Message(about=str(why))), sandbox.isolation())
        report.note = str(why)
        return report
    report = grade_source(exercise, source, seed, training, sanitize, tell)
    report.digest = source.digest()
    report.seconds = time.monotonic() - started
    return report


def grade_source(exercise: Exercise, source: Source, seed: int, training: bool, sanitize: bool,
                 tell: Callable[[str], None]) -> Report:
    """Grades the file that was read."""
    grading = Grading(exercise, seed, tell)
    report = Report(exercise, seed, [Result(part) for part in exercise.parts], sandbox.isolation())
    quick_limits = KERNELS if exercise.cuda else QUICK
    if exercise.cuda:
        report.device = Device(why=building.no_device() or "the emulator comes first")
    with building.workshop() as home:
        tell("compiling ...")
        variants = ["plain", "sanitized"] if sanitize else ["plain"]
        building.prepare(exercise, variants, tell)      # before the clock of two compilers at once
        with building.build_all(exercise, source, variants, home) as built:
            try:
                program = built["plain"].result()
            except CompileError as error:
                return grading.uncompiled(report, error)
            report.warnings = program.warnings
            quick = exercise.quick()
            results = {}
            for result in grading.run_parts(quick, program, quick_limits["plain"], QUICK_WALL["plain"]):
                results[result.part.name] = result
            again = [part for part in quick if sanitize and results[part.name].outcome in (PASSED, CRASHED)]
            suspect = next((result for result in results.values() if sanitize and result.outcome == WRONG
                            and result.message.misconception in ("", *GUESSED)), None)
            if again or suspect:
                tell("compiling with sanitizers ...")
                try:
                    careful = built["sanitized"].result()
                except CompileError as error:
                    return grading.uncompiled(report, error)
            if suspect:     # one part only: what the language leaves undefined may be behind its wrong answer
                undefined = grading.run_part(suspect.part, careful, quick_limits["sanitized"], QUICK_WALL["plain"])
                if undefined.outcome == CRASHED:
                    suspect.message.about = f"{undefined.message.about}\n{suspect.message.about}"
            for second in grading.run_parts(again, careful, quick_limits["sanitized"], QUICK_WALL["sanitized"]) if again else ():
                first = results[second.part.name]
                if first.outcome == PASSED or second.outcome == CRASHED:
                    second.seconds += first.seconds
                    results[second.part.name] = second
        if exercise.cuda:
            passed = all(result.outcome == PASSED for result in results.values())
            report.device = grading.on_device(source, passed, home)
        for part in exercise.parts:
            if part.training and training and all(result.outcome in (PASSED, NOT_RUN) for result in results.values()):
                tell(f"{part.name}: compiling ...")
                try:
                    fast = building.build(exercise, source, "training", home)
                except CompileError as error:
                    results[part.name] = Result(part, UNCOMPILED, Message(about=str(error)))
                    continue
                limits = Limits(cpu=int(3 * part.seconds), wall=4 * part.seconds, memory=2048, processes=32)
                results[part.name] = grading.run_part(part, fast, limits, 4 * part.seconds)
    report.results = [results.get(part.name, Result(part)) for part in exercise.parts]
    return report
