"""Configuring and compiling with CMake and Ninja, with progress on a terminal."""
import os
import re
import shutil
import subprocess
from pathlib import Path

from recto import machine, term
from recto.pages import pages
from recto.place import BUILD, MAIN, ROOT, Failure, write

CUDA = BUILD / "cuda"          # preset `cuda`
PRESET = "ci" if os.environ.get("RECTO_CI") else "default"
STEP = re.compile(r"^\[(\d+)/(\d+)\] (.*)$")


def jobs(asked: int | None = None) -> int:
    """How many compilers run at once: one for each processor this process may use."""
    return asked or len(os.sched_getaffinity(0))


def configure(tests: bool) -> None:
    """Runs CMake if it has not run with these arguments; Ninja reruns it when its files change."""
    stamp, key = MAIN / "recto.configured", f"{PRESET} tests" if tests else PRESET
    before = stamp.read_text().strip() if stamp.exists() else ""
    cache = MAIN / "CMakeCache.txt"
    moved = cache.exists() and f"CMAKE_HOME_DIRECTORY:INTERNAL={ROOT}\n" not in cache.read_text()
    if before in (key, f"{key} tests") and (MAIN / "build.ninja").exists() and not moved:
        return
    term.progress("configuring ...")
    BUILD.mkdir(exist_ok=True)
    stamp.unlink(missing_ok=True)
    command = ["cmake", "--preset", PRESET, f"-DRECTO_TESTS={'ON' if tests else 'OFF'}"]
    if moved:
        command.insert(1, "--fresh")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise Failure(f"CMake could not configure:\n{done.stdout}{done.stderr}".rstrip())
    write(stamp, key + "\n")


def program(name: str, device: str) -> Path:
    """Builds a program for a device; programs for a GPU have a separate build with CUDA."""
    if device != "cuda":
        if not (MAIN / "build.ninja").exists():
            configure(machine.has_catch2())
        compile([name])
        return MAIN / name
    if not machine.gpu():
        raise Failure("not run: there is no NVIDIA GPU here (--device sim runs on the make-believe one)")
    if not shutil.which("nvcc"):
        raise Failure("not run: --device cuda wants nvcc to compile with, which is not here")
    preset(CUDA, "cuda", "-DRECTO_PAGES=OFF", "-DRECTO_TESTS=OFF")
    compile([name], folder=CUDA)
    return CUDA / name


def preset(folder: Path, name: str, *options: str) -> None:
    """Runs CMake with a preset, once; Ninja reruns it when its files change."""
    if (folder / "build.ninja").exists():
        return
    term.progress("configuring ...")
    done = subprocess.run(["cmake", "--preset", name, *options], cwd=ROOT, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise Failure(f"CMake could not configure:\n{done.stdout}{done.stderr}".rstrip())


def compile(targets: list[str], at_once: int | None = None, folder: Path = MAIN) -> bool:
    """Builds targets; True if anything was compiled or linked."""
    command = ["ninja", "-C", str(folder), "-j", str(jobs(at_once)), *targets]
    said: list[str] = []
    worked = False
    environment = {**os.environ, "NINJA_STATUS": "[%f/%t] "}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        for line in process.stdout or ():
            step = STEP.match(line)
            if step:
                worked = worked or "Building" in step[3] or "Linking" in step[3]
                term.progress(f"[{step[1]}/{step[2]}] {describe(step[3])}")
            elif not line.startswith(("ninja: Entering", "ninja: no work", "-- ")):
                said.append(line.rstrip().replace(f"{ROOT}/", ""))
    term.clear()
    unknown = re.search(r"unknown target 'page_(\w+)'", " ".join(said))
    if unknown:
        raise Failure(f"the page {unknown[1]} is not built: name it in recto_pages() of its folder's CMakeLists.txt")
    if process.returncode and drop_stale_snapshots():
        return compile(targets, at_once, folder)
    if process.returncode:
        raise Failure("the build failed:\n" + "\n".join(of_failures(said)[:60]))
    for line in said:
        term.warn(line)
    return worked


def of_failures(said: list[str]) -> list[str]:
    """The output of Ninja and the compiler from the first failure on, without command lines."""
    first = next((n for n, line in enumerate(said) if line.startswith("FAILED: ")), 0)
    return [line for n, line in enumerate(said) if n >= first and not (n and said[n - 1].startswith("FAILED: "))]


def drop_stale_snapshots() -> bool:
    """Removes snapshots of pages whose prose has moved, so that the compiler's messages name today's lines."""
    dropped = False
    for page in pages.all_pages():
        copy = MAIN / page.source.relative_to(ROOT)
        text = page.source.read_text(encoding="utf-8")
        if copy.exists() and copy.read_text(encoding="utf-8").partition("\n")[2] != text.partition("\n")[2]:
            copy.unlink()
            dropped = True
    return dropped


def describe(step: str) -> str:
    """Describes a step of the build in a few words."""
    match = re.search(r"(?:object|executable|library) (\S+)", step)
    return f"compiling {match[1].rpartition('/')[2].removesuffix('.o')}" if match else step
