"""From a student's file to a program: compiled in the sandbox, where it can include and link only listed files."""
import collections
import concurrent.futures
import contextlib
import dataclasses
import os
import re
import shutil
import struct
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from recto.place import BUILD, ROOT, Failure

from recto.judge import catalogue, folders, sandbox, symbols
from recto.judge.cage import compile_ours
from recto.judge.catalogue import Exercise
from recto.judge.complaints import NO_MEMORY, NUMBER, OURS, CompileError, beyond, explain, short, taken, warned
from recto.judge.given import EMULATOR, KERNEL_HEADERS, LIBRARY, digest, given, library_headers, library_objects, make, settle
from recto.judge.reading import Source
from recto.judge.sandbox import NOBODY, Limits

COMMON = ["-std=c++20", "-Wall", "-Wextra", "-fdiagnostics-color=never", "-fno-diagnostics-show-option", "-ffp-contract=off",
          "-fmax-errors=5"]
VARIANTS = {
    "plain": ["-O1", "-g1", "-D_GLIBCXX_ASSERTIONS"],
    "sanitized": ["-Og", "-g1", "-D_GLIBCXX_ASSERTIONS", "-fno-omit-frame-pointer", "-fsanitize=address,undefined",
                  "-fno-sanitize-recover=all"],
    "training": ["-O3", "-march=native", "-g1"],
}
# Kernels, as cmake/RectoKernels.cmake has them: the emulator defines what the sanitizers of "plain" make them call,
# their runtimes are not linked. Under "sanitized" the emulator only runs the kernels.
KERNELS = {
    "plain": ["-O1", "-gdwarf-4", "-g1", "-fsanitize=thread,bounds", "-fsanitize-coverage=trace-pc", "-fno-tree-sra",
              "-DRECTO_CUDA_ON_CPU", "-D_GLIBCXX_ASSERTIONS", "-Wno-unknown-pragmas"],
    "sanitized": [*VARIANTS["sanitized"], "-gdwarf-4", "-Wno-unknown-pragmas"],
}
# A third of the time of binutils' other linker, where that is a quarter of a small program's build.
LINKER = ["-fuse-ld=gold"] if Path("/usr/bin/ld.gold").exists() else []
NAMELESS = f"-ffile-prefix-map={ROOT}=."        # no path of this machine in what a student reads
COMPILER = Limits(cpu=20, wall=300, memory=1500, address=4096, processes=32, file=64)
HEADERS = dataclasses.replace(COMPILER, file=256)
MAKING = collections.defaultdict(threading.Lock)     # of what is compiled once for all, by its folder
SOON = 0.3                  # seconds after which progress is told
KEPT_HEADERS = 120          # more than the exercises have today, in both variants
READER = Limits(cpu=5, wall=20, memory=512, processes=8)        # of a program's lines
DEVICE_COMPILER = Limits(cpu=120, wall=600, memory=4000, processes=64, file=256)


def flags(exercise: Exercise, variant: str) -> list[str]:
    """The compiler flags for files of this exercise."""
    return [*COMMON, *(KERNELS if exercise.cuda else VARIANTS)[variant]]


def compile_all(home: Path, commands: dict[str, list[str]], beside: dict[str, Path] | None = None) -> None:
    """Compiles sources of ours into the folder `home`: the words of g++ by the name of their object. What lies `beside`
    them is copied."""
    def one(name: str, words: list[str]) -> str:
        done = compile_ours([*words, "-o", str(fresh / name)])
        return done.stderr.strip() if done.returncode else ""
    with MAKING[home], folders.held(make(home.parent), "making-") as fresh:
        if home.exists():
            return
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            said = list(pool.map(one, commands, commands.values()))
        for name, complaint in zip(commands, said):
            if complaint:
                raise Failure(f"{name.removesuffix('.o')} did not compile:\n{complaint}")
        for name, path in (beside or {}).items():
            shutil.copyfile(path, fresh / name)
        settle(fresh, home)


def objects(exercise: Exercise, variant: str) -> list[Path]:
    """Folders with our half of the program, compiled: the driver, the kit, the rooms of the library that are listed. The
    student's file is not needed for it."""
    sources = [] if exercise.file.endswith(".hpp") else [exercise.folder / "driver.cpp"]
    read = [*sources, *catalogue.KIT.glob("*.hpp"), *exercise.folder.glob("*.hpp")]
    if exercise.cuda:
        read += [EMULATOR / name for name in KERNEL_HEADERS]
    listed = library_objects(exercise.library)
    read += [*library_headers(exercise.library), *listed.values()]
    places = [catalogue.KIT, exercise.folder, *([LIBRARY] if exercise.cuda or exercise.library else [])]
    words = [*flags(exercise, variant), NAMELESS]
    key = digest(variant, *words, *(path.read_bytes() for path in sorted(read)))
    home = BUILD / "judge" / "objects" / f"{exercise.name}-{variant}-{key}"
    if not home.exists():
        compile_all(home, {"driver.o": [*words, *(f"-I{place}" for place in places), "-c", str(source)] for source in sources},
                    listed)
    return [home, kit(variant), *([emulator(variant)] if exercise.cuda else [])]


def kit(variant: str) -> Path:
    """A folder with the compiled kit of all exercises, which the emulator does not observe."""
    words = [*COMMON, *VARIANTS[variant], NAMELESS]
    sources = [catalogue.KIT / name for name in ("driver.cpp", "main.cpp")]
    read = [*sources, *sorted(catalogue.KIT.glob("*.hpp"))]
    home = BUILD / "judge" / "objects" / f"kit-{variant}-{digest(*words, *(path.read_bytes() for path in read))}"
    if not home.exists():
        compile_all(home, {f"{source.stem}.o": [*words, f"-I{catalogue.KIT}", "-c", str(source)] for source in sources})
    return home


def candidates(exercise: Exercise) -> Path:
    """The program of the candidates of a student's test, without any code of the student's."""
    sources = [exercise.solution / exercise.candidates, *(catalogue.KIT / name for name in ("candidates.cpp", "driver.cpp"))]
    read = [*sources, *sorted(catalogue.KIT.glob("*.hpp")), *sorted(exercise.folder.glob("*.hpp"))]
    words = [*COMMON, *VARIANTS["plain"], NAMELESS, f"-I{catalogue.KIT}", f"-I{exercise.folder}"]
    home = BUILD / "judge" / "objects" / f"{exercise.name}-candidates-{digest(*words, *(path.read_bytes() for path in read))}"
    if not home.exists():
        compile_all(home, {"program": [*words, *LINKER, *map(str, sources)]})
    return home / "program"


def precompiled(exercise: Exercise, variant: str) -> Path:
    """A folder with the exercise's own header, the last of those given, precompiled: a student's file that begins with it
    compiles in half the time, and one that does not finds the header itself. It takes 30 MB and more, so that only those
    used last are kept."""
    shown = given(exercise)
    header = exercise.given[-1] if exercise.given else ""
    home = BUILD / "judge" / "headers" / f"{shown.name}-{digest(*flags(exercise, variant))}"
    if home.exists():
        with contextlib.suppress(OSError):
            os.utime(home)
        return home
    with MAKING[home], workshop() as bench, folders.held(make(home.parent), "making-") as fresh:
        if home.exists():
            return home
        if header and variant != "training":      # which is compiled once
            out = out_of(bench)
            words = ["/usr/bin/g++", *flags(exercise, variant), "-w", "-I/given", "-x", "c++-header", f"/given/{header}"]
            end, said = sandbox.run([*words, "-o", f"/out/{header}.gch"], HEADERS, {"/given": shown}, {"/out": out})
            if (end.how, end.code) != ("exit", 0):
                raise Failure(f"{header} did not compile:\n{short(said)}")
            shutil.copyfile(out / f"{header}.gch", fresh / f"{header}.gch")
        settle(fresh, home)
    with contextlib.suppress(OSError):      # another grading may be at it too
        homes = [path for path in home.parent.iterdir() if not path.name.startswith("making-")]
        for stale in sorted(homes, key=lambda path: -path.stat().st_mtime)[KEPT_HEADERS:]:
            shutil.rmtree(stale)
    return home


def emulator(variant: str) -> Path:
    """A folder with the emulator of CUDA kernels, compiled."""
    sources = sorted(path for path in EMULATOR.glob("*.cpp") if not path.name.endswith(".test.cpp"))
    words = ["-std=c++20", "-O2", "-g1", f"-I{LIBRARY}"]
    if variant == "sanitized":
        sources = [source for source in sources if source.name != "hooks.cpp"]      # the sanitizers bring their own
        words.append("-fsanitize=address")
    read = [*sources, *sorted(EMULATOR.glob("*.hpp"))]
    home = BUILD / "judge" / "objects" / f"emulator-{variant}-{digest(*words, *(path.read_bytes() for path in read))}"
    if not home.exists():
        compile_all(home, {f"{source.stem}.o": [*words, "-c", str(source)] for source in sources})
    return home


def prepare(exercise: Exercise, variants: list[str], tell: Callable[[str], None] = lambda text: None) -> None:
    """Compiles what grading needs of ours, several files at once: the student's is not among them, so that it can be done before
    there is one. What was compiled before costs nothing, and is not spoken of."""
    sandbox.warden()
    steps = [(candidates, exercise)] if exercise.candidates else []
    for variant in variants:
        steps += [*([(emulator, variant)] if exercise.cuda else []), (kit, variant), (objects, exercise, variant),
                  (precompiled, exercise, variant)]
    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done, step in enumerate(concurrent.futures.as_completed([pool.submit(*step) for step in steps])):
            step.result()
            if time.monotonic() - started > SOON:
                tell(f"preparing what grading needs, this once: {done + 1} of {len(steps)}")


@dataclasses.dataclass(frozen=True)
class Program:
    """A student's program, ready to run in a sandbox."""
    folder: Path
    variant: str
    warnings: str = ""      # what the compiler warned of in the student's lines

    def places(self) -> dict[str, Path]:
        """The files that the sandbox must see."""
        shown = device_files() if self.variant == "device" else []
        return {"/program": self.folder / "program", **{str(path): path for path in shown}}

    def megabytes(self) -> int:
        """The memory of its code and variables at the start: the sum of the segments in its ELF header."""
        with (self.folder / "program").open("rb") as file:
            start = file.read(64)
            at, size, count = struct.unpack_from("<Q", start, 32)[0], *struct.unpack_from("<HH", start, 54)
            file.seek(at)
            table = file.read(size * count)
        entries = [(struct.unpack_from("<I", table, n * size)[0], struct.unpack_from("<Q", table, n * size + 40)[0])
                   for n in range(len(table) // size)]
        return sum(length for kind, length in entries if kind == 1) >> 20


def line_of(program: Program, place: list[str], file: str) -> int:
    """The innermost line of the student's file among these addresses of a program; 0 without such a line.

    What the student wrote is in the program, so it is read in a sandbox like it."""
    if not place:
        return 0
    _, said = sandbox.run(["/usr/bin/addr2line", "-i", "-e", "/program", *place], READER, program.places())
    found = re.search(rf"^\S*/student/{re.escape(file)}:({NUMBER})", said, re.M)
    return int(found[1]) if found else 0


def out_of(folder: Path) -> Path:
    """A new folder in this one, where a compiler may write."""
    out = folder / "out"
    out.mkdir()
    if os.getuid() == 0:
        os.chown(out, NOBODY, NOBODY)
    return out


def benches(source: Source, variant: str, home: Path) -> tuple[Path, Path, Path]:
    """New folders for a build: of all of it, of the student's file, of what the compiler writes."""
    folder = Path(tempfile.mkdtemp(prefix=f"{variant}-", dir=home))
    student, out = folder / "student", out_of(folder)
    student.mkdir()
    (student / source.name).write_bytes(source.text)
    for path in (home, folder, student):
        path.chmod(0o755)
    (student / source.name).chmod(0o644)
    return folder, student, out


def build(exercise: Exercise, source: Source, variant: str, home: Path, stop: threading.Event | None = None) -> Program:
    """Compiles and links; raises CompileError with the message for the student."""
    folder, student, out = benches(source, variant, home)
    halves = {f"/ours{number}": half for number, half in enumerate(objects(exercise, variant))}
    read_only = {"/student": student, "/precompiled": precompiled(exercise, variant), "/given": given(exercise), **halves}
    ours = [f"{place}/{path.name}" for place, half in halves.items() for path in sorted(half.iterdir())]
    compiled = f"/student/{source.name}"
    if exercise.file.endswith(".hpp"):
        read_only["/driver.cpp"] = exercise.folder / "driver.cpp"
        compiled = "/driver.cpp"
    words = ["/usr/bin/g++", *flags(exercise, variant), "-I/precompiled", "-I/given", "-I/student", "-x", "c++", "-c", compiled]
    said = run_compiler([*words, "-o", "/out/student.o"], COMPILER, read_only, out, "student.o", source, exercise, stop)
    refuse_our_names(source, out / "student.o", [path for half in halves.values() for path in half.iterdir()])
    # Kernels are compiled for ThreadSanitizer and linked without its runtime. Of weak definitions the first counts: ours.
    words = ["/usr/bin/g++", *(["-fsanitize=address,undefined"] if variant == "sanitized" else []), *LINKER]
    libraries = ["-lfmt", "-pthread"] if exercise.cuda or exercise.library else []
    said += run_compiler([*words, *ours, "/out/student.o", *libraries, "-o", "/out/program"], COMPILER, read_only, out, "program",
                         source, exercise, stop)
    return finished(folder, out, variant, warned(said, source))


def refuse_our_names(source: Source, student: Path, ours: list[Path]) -> None:
    """Raises CompileError if the student's object file defines a name of ours."""
    try:
        name = symbols.taken(student, ours)
    except symbols.Unlike:
        raise CompileError(f"{source.name}: its compiled form cannot be linked") from None
    if name:
        raise CompileError(taken(source, name))


def finished(folder: Path, out: Path, variant: str, warnings: str = "") -> Program:
    """A program that was linked, where no compiler can write any more."""
    (out / "program").replace(folder / "program")
    (folder / "program").chmod(0o755)
    return Program(folder, variant, warnings)


def run_compiler(words: list[str], limits: Limits, read_only: dict[str, Path], out: Path, made: str, source: Source,
                 exercise: Exercise, stop: threading.Event | None = None) -> str:
    """Runs a compiler in the sandbox, until `made` lies in `out`: what it said; raises CompileError with what to tell
    the student."""
    end, said = sandbox.run(words, limits, read_only, {"/out": out}, stop=stop)
    said = re.sub(r"/(student|given)/", "", said)
    if end.how == "exit" and end.code == 0 and (out / made).is_file() and not (out / made).is_symlink():
        return said
    if end.how in ("lost", "failed"):
        raise Failure("the compiler could not be started in the sandbox")
    if end.how == "memory" or NO_MEMORY.search(said):
        raise CompileError(beyond(said, source, limits, f"the compiler needs more than {limits.memory} MiB of memory: an array, "
                                                        "macro or template probably grows without bound"))
    if end.how == "time":
        raise CompileError(beyond(said, source, limits, f"the compiler did not come to an end within {limits.cpu} s: a macro, "
                                                        "template or constant probably grows without bound"))
    if end.how == "signal":
        raise CompileError(beyond(said, source, limits, f"the compiler was ended by signal {end.code}: try again"))
    ours = OURS.search(said)
    if ours and not compiles(limits, out.parent):
        raise Failure(f"the compiler could not do its work: {ours[0]}")
    raise CompileError(beyond(said, source, limits) or explain(said, source, exercise))


def compiles(limits: Limits, folder: Path) -> bool:
    """Whether the compiler works on a program of ours. Its message about a student's file may be the student's own text."""
    with tempfile.TemporaryDirectory(dir=folder) as bench:
        Path(bench).chmod(0o755)
        ours = Path(bench, "ours.cpp")
        ours.write_text("int main() {}\n")
        end, _ = sandbox.run(["/usr/bin/g++", "/ours.cpp", "-o", "/out/program"], limits, {"/ours.cpp": ours},
                             {"/out": out_of(Path(bench))})
    return (end.how, end.code) == ("exit", 0)


def no_device() -> str:
    """The reason why kernels cannot run on a device here; empty if they can."""
    if not nvcc():
        return "no nvcc here"
    return "" if any(re.fullmatch(r"nvidia\d+", path.name) for path in device_files()) else "no GPU here"


def device_files() -> list[Path]:
    """The device files that a program needs to use a GPU."""
    return [path for path in sorted(Path("/dev").glob("nvidia*")) if path.is_char_device()]


def nvcc() -> str | None:
    """CUDA's compiler."""
    usual = "/usr/local/cuda/bin/nvcc"
    return shutil.which("nvcc") or (usual if os.access(usual, os.X_OK) else None)


def build_for_device(exercise: Exercise, source: Source, home: Path, architecture: str = "native") -> Program:
    """The same files for a GPU, by nvcc; raises CompileError."""
    folder, student, out = benches(source, "device", home)
    read_only = {"/student": student, "/given": given(exercise), "/kit": catalogue.KIT, "/exercise": exercise.folder}
    words = [os.path.realpath(nvcc()), "-std=c++20", "-O2", "-lineinfo", f"-arch={architecture}",
             "-I/given", "-I/student", "-I/kit", "-I/exercise", "-x", "cu", f"/student/{source.name}",
             "/exercise/driver.cpp", "/kit/driver.cpp", "/kit/main.cpp", "-o", "/out/program"]
    run_compiler(words, DEVICE_COMPILER, read_only, out, "program", source, exercise)
    return finished(folder, out, "device")


@contextlib.contextmanager
def workshop():
    """A folder for one grading, removed afterwards."""
    with folders.held(folders.temporary(NOBODY if os.getuid() == 0 else None), "recto-grade-") as folder:
        folder.chmod(0o755)
        yield folder


@contextlib.contextmanager
def build_all(exercise: Exercise, source: Source, variants: list[str],
              home: Path) -> Iterator[dict[str, concurrent.futures.Future]]:
    """Builds all variants in parallel; unfinished builds are cancelled when the caller stops waiting."""
    stop = threading.Event()
    pool = concurrent.futures.ThreadPoolExecutor(len(variants))
    try:
        yield {variant: pool.submit(build, exercise, source, variant, home, stop) for variant in variants}
    finally:
        stop.set()
        pool.shutdown()
