"""From a student's file to a program: compiled in the sandbox, with nothing to include or link but what is listed."""
import concurrent.futures
import contextlib
import dataclasses
import hashlib
import os
import re
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

from place import BUILD, ROOT, Failure

from judge import catalogue, sandbox
from judge.catalogue import Exercise
from judge.sandbox import NOBODY, Limits, harmless

LARGEST = 256 << 10     # bytes of a student's file
COMMON = ["-std=c++20", "-Wall", "-Wextra", "-fdiagnostics-color=never", "-fno-diagnostics-show-option", "-ffp-contract=off"]
VARIANTS = {
    "plain": ["-O1", "-g", "-D_GLIBCXX_ASSERTIONS"],
    "sanitized": ["-O1", "-g", "-D_GLIBCXX_ASSERTIONS", "-fno-omit-frame-pointer", "-fsanitize=address,undefined",
                  "-fno-sanitize-recover=all"],
    "training": ["-O3", "-march=native", "-g1"],
}
COMPILER = Limits(cpu=20, wall=300, memory=1500, address=4096, processes=32, file=64)


class Unreadable(Exception):
    """The student's file is not one that can be graded: one line."""


class CompileError(Exception):
    """What the compiler said, shortest useful form first."""


@dataclasses.dataclass(frozen=True)
class Source:
    """A student's file, read once: what is graded is this text, whatever becomes of the file."""
    name: str
    text: bytes


def read_source(path: Path, name: str) -> Source:
    """The student's file. Refuses what is no ordinary text file of a sensible size."""
    shown = harmless(str(path))
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise Unreadable(f"{shown}: there is no such file") from None
    except OSError as error:
        link = path.is_symlink()
        raise Unreadable(f"{shown}: is a symbolic link" if link else f"{shown}: {error.strerror}") from None
    with open(number, "rb") as file:
        about = os.fstat(number)
        if not stat.S_ISREG(about.st_mode):
            raise Unreadable(f"{shown}: is no ordinary file")
        if about.st_size > LARGEST:
            raise Unreadable(f"{shown}: has {about.st_size} bytes, {LARGEST} are the most")
        text = file.read(LARGEST + 1)
    if len(text) > LARGEST:
        raise Unreadable(f"{shown}: has more than {LARGEST} bytes")
    if b"\0" in text:
        raise Unreadable(f"{shown}: is no text, byte {text.index(0)} is zero")
    return Source(name, text)


def headers(exercise: Exercise) -> list[tuple[str, Path]]:
    """What the student's file may include: (name, file)."""
    found = [(name, catalogue.KIT / name) for name in ("matrix.hpp", "not_written.hpp")]
    found += [(name, exercise.folder / name) for name in exercise.given]
    if exercise.file.endswith(".hpp"):
        found.append(("driver.hpp", catalogue.KIT / "driver.hpp"))
    return found


def digest(*parts: bytes | str) -> str:
    """A name for what these make."""
    sum_ = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        sum_.update(len(data).to_bytes(8, "little") + data)
    return sum_.hexdigest()[:24]


def given(exercise: Exercise) -> Path:
    """A folder that holds the headers and nothing else."""
    found = headers(exercise)
    key = digest(*(part for name, path in found for part in (name, path.read_bytes())))
    folder = BUILD / "judge" / "given" / f"{exercise.name}-{key}"
    if not folder.exists():
        fresh = Path(tempfile.mkdtemp(dir=make(BUILD / "judge" / "given")))
        for name, path in found:
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, fresh / name)
        settle(fresh, folder)
    return folder


def make(folder: Path) -> Path:
    """The folder, made if it was not there."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def settle(fresh: Path, home: Path) -> None:
    """Gives a finished folder its name, unless another grading was faster; everybody may read it."""
    for path in [fresh, *fresh.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    try:
        fresh.rename(home)
    except OSError:
        shutil.rmtree(fresh)


def objects(exercise: Exercise, variant: str) -> Path:
    """A folder with our half of the program, compiled: the driver and the kit. The student's file is not needed for it."""
    sources = [catalogue.KIT / "driver.cpp"]
    if not exercise.file.endswith(".hpp"):
        sources.append(exercise.folder / "driver.cpp")
    read = [*sources, *catalogue.KIT.glob("*.hpp"), *exercise.folder.glob("*.hpp")]
    flags = [*COMMON, *VARIANTS[variant]]
    key = digest(variant, *flags, *(path.read_bytes() for path in sorted(read)))
    home = BUILD / "judge" / "objects" / f"{exercise.name}-{variant}-{key}"
    if not home.exists():
        fresh = Path(tempfile.mkdtemp(dir=make(home.parent)))
        for source in sources:
            name = "kit.o" if source.parent == catalogue.KIT else "driver.o"
            command = ["g++", *flags, f"-I{catalogue.KIT}", f"-I{exercise.folder}", "-c", str(source), "-o", str(fresh / name)]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace")
            if done.returncode:
                shutil.rmtree(fresh)
                raise Failure(f"{source.relative_to(ROOT)} did not compile:\n{done.stderr.strip()}")
        settle(fresh, home)
    return home


@dataclasses.dataclass(frozen=True)
class Program:
    """A student's program, ready to run in a sandbox."""
    folder: Path
    variant: str

    def places(self) -> dict[str, Path]:
        """What the sandbox needs to see."""
        return {"/program": self.folder / "program"}


def build(exercise: Exercise, source: Source, variant: str, home: Path) -> Program:
    """Compiles and links; raises CompileError with what to tell the student."""
    folder = Path(tempfile.mkdtemp(prefix=f"{variant}-", dir=home))
    student = folder / "student"
    student.mkdir()
    (student / source.name).write_bytes(source.text)
    out = folder / "out"
    out.mkdir()
    if os.getuid() == 0:
        os.chown(out, NOBODY, NOBODY)
    for path in (home, folder, student):
        path.chmod(0o755)
    (student / source.name).chmod(0o644)
    half = objects(exercise, variant)
    read_only = {"/student": student, "/given": given(exercise), "/ours": half}
    compiled = [f"/student/{source.name}"]
    if exercise.file.endswith(".hpp"):
        read_only["/driver.cpp"] = exercise.folder / "driver.cpp"
        compiled = ["/driver.cpp"]
    words = ["/usr/bin/g++", *COMMON, *VARIANTS[variant], "-I/given", "-I/student", *compiled,
             *(f"/ours/{path.name}" for path in sorted(half.iterdir())), "-o", "/out/program"]
    end, said = sandbox.run(words, COMPILER, read_only, {"/out": out})
    program = out / "program"
    if end.how == "exit" and end.code == 0 and program.is_file() and not program.is_symlink():
        program.replace(folder / "program")
        (folder / "program").chmod(0o755)
        return Program(folder, variant)
    if end.how == "memory" or "out of memory" in said or "cannot allocate memory" in said.lower():
        raise CompileError(f"{source.name}: the compiler needs more than {COMPILER.memory} MiB for it\n{said}".strip())
    if end.how in ("time", "signal"):
        raise CompileError(f"{source.name}: the compiler did not come to an end within {COMPILER.cpu} s\n{said}".strip())
    raise CompileError(explain(said, source, exercise))


def explain(said: str, source: Source, exercise: Exercise) -> str:
    """What the compiler said, with the student's own line first, and what our rules make of it."""
    said = re.sub(r"/(student|given)/", "", said)
    lines = source.text.decode("utf-8", errors="replace").split("\n")
    first = re.search(rf"^{re.escape(source.name)}:(\d+):(?:\d+:)? +(?:fatal )?error: (.*)$", said, re.M)
    inside = re.search(rf"^{re.escape(source.name)}:(\d+):(?:\d+:)? +(?:required from|in |instantiat)", said, re.M)
    where = first or inside
    missing = re.search(r"error: (\S+): No such file or directory", said)
    undefined = re.search(r"undefined reference to `(.*?)'", said)
    double = re.search(r"multiple definition of `(.*?)'", said)
    words = []
    if missing:
        may = ", ".join(name for name, _ in headers(exercise))
        words.append(f"{missing[1]} is not among the files that this exercise may include: {may}, and the standard library")
    elif double:
        words.append(f"{source.name} defines {double[1]}, which the exercise's own program defines already"
                     + (": leave main out, the judge calls your functions" if double[1] == "main" else ""))
    elif undefined:
        words.append(f"{undefined[1]} is called, but neither {source.name} defines it nor does this exercise offer it "
                     "(a function that the header asks for must have exactly its name and its arguments)")
    if where:
        number = int(where[1])
        text = lines[number - 1].strip() if number <= len(lines) else ""
        message = first[2] if first else (re.search(r"error: (.*)", said) or [said, said])[1]
        words.insert(0 if not missing else 1, f"{source.name}:{number}: {message}\n    {text}")
    rest = "\n".join(said.strip().splitlines()[:30])
    return "\n".join([*words, rest] if words else [rest or "the compiler failed and said nothing"])


@contextlib.contextmanager
def workshop():
    """A folder for one grading, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="recto-grade-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def build_all(exercise: Exercise, source: Source, variants: list[str], home: Path) -> dict[str, concurrent.futures.Future]:
    """Starts building the variants, all at once."""
    pool = concurrent.futures.ThreadPoolExecutor(len(variants))
    started = {variant: pool.submit(build, exercise, source, variant, home) for variant in variants}
    pool.shutdown(wait=False)
    return started
