"""`recto doctor`: what is here, what is missing, and what will therefore not run."""
import platform
import shutil
import sys

from recto import machine, term
from recto.build import environment
from recto.gpu import receipts
from recto.judge import sandbox
from recto.pages import pages
from recto.place import BOOK, ROOT, RUNS, Failure, shown


def line(good: bool, name: str, what: str) -> None:
    """Prints one line of the report: yes or no, a name and the details."""
    mark = term.paint("yes", "green") if good else term.paint("no ", "yellow")
    term.say(f"  {mark}  {name:<18} {what}")


def version(command: str) -> str:
    """The first line of what a tool says of itself."""
    said = machine.words_of([command, "--version"])
    return said.splitlines()[0] if said else "missing"


def system() -> str:
    """The distribution's name."""
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        return platform.system()


def look_at_packages() -> dict[str, list[str]]:
    """Says which packages are missing; group to those missing."""
    wanted = machine.packages()
    here = machine.installed([name for _, name in wanted])
    missing: dict[str, list[str]] = {"run": [], "book": [], "test": [], "exercises": [], "ranks": []}
    for group, name in wanted:
        if name not in here or (name == "catch2" and not machine.has_catch2()):
            missing[group].append(name)
    for group, needs in (("run", "page programs"), ("book", "the book"), ("test", "the tests"),
                         ("exercises", "the exercises"), ("ranks", "several ranks")):
        words = f"missing: {' '.join(missing[group])}" if missing[group] else "all here"
        line(not missing[group], needs, words)
    return missing


def doctor() -> int:
    """Runs `recto doctor`: prints what this machine has and lacks."""
    name, kind = machine.processor()
    term.say(f"Recto in {ROOT}")
    term.say(f"{system()}, {machine.cores()} cores, {name}, code for {kind}")
    term.say("\nPackages of the distribution")
    missing = look_at_packages()
    term.say("\nTools")
    for tool in ("g++", "cmake", "ninja", "doxygen", "dot"):
        line(bool(shutil.which(tool)), tool, version(tool) if tool != "dot" else shutil.which("dot") or "missing")
    line(True, "python3", sys.version.split()[0])
    for whole, what in ((False, "for figures"), (True, "for the book")):
        line(environment.ready(whole), f"Python {what}", shown(environment.VENV) if environment.ready(whole)
             else "not made yet; it comes by itself")
    blas = machine.blas()
    line(bool(blas), "OpenBLAS", blas or "missing")
    line(machine.fashion_mnist(), "Fashion-MNIST", "/usr/share/datasets/fashion-mnist" if machine.fashion_mnist()
         else "missing (package dataset-fashion-mnist)")
    full = sandbox.isolation() == sandbox.FULL
    line(full, "the judge", "keeps programs apart: own user, processes, network and files" if full
         else f"only limits what programs use ({sandbox.why_not_full()})")
    term.say("\nGPU")
    gpu, nvcc = machine.gpu(), shutil.which("nvcc")
    line(bool(gpu), "device", gpu or "no NVIDIA GPU here")
    line(bool(nvcc), "nvcc", nvcc or "missing")
    line(machine.cuda_built(), "CUDA in this build", "compiled in" if machine.cuda_built() else "off (preset cuda)")
    try:
        parity = receipts.standing()
    except Failure as failure:
        parity = receipts.Standing("broken", str(failure))
    line(parity.state == "held", "parity", parity.why)
    term.say("\nBuilt")
    found = pages.all_pages()
    done = sum((RUNS / page.name / "trace.jsonl").exists() for page in found)
    line(done == len(found), "pages", f"{done} of {len(found)} have run")
    line((BOOK / "index.html").exists(), "book", shown(BOOK / "index.html"))
    say_what_will_not_run(missing, gpu, bool(nvcc))
    return 0


def say_what_will_not_run(missing: dict[str, list[str]], gpu: str, nvcc: bool) -> None:
    """Returns the consequences as lines, or a line that says that nothing is missing."""
    out = []
    if missing["run"]:
        out.append("nothing yet: ./recto book installs what is missing")
    if missing["book"]:
        out.append("recto book: it will install " + " ".join(missing["book"]))
    if missing["test"]:
        out.append("recto test, until Catch2 3 is here; the book shows what tests prove as not run")
    if sandbox.isolation() != sandbox.FULL:
        out.append("recto grade --untrusted, and the tests with hostile programs")
    if missing["ranks"]:
        out.append("recto run PAGE --ranks N: it will install " + " ".join(missing["ranks"]))
    if not machine.fashion_mnist():
        out.append("pages that read Fashion-MNIST")
    if not gpu or not nvcc or not machine.cuda_built():
        why = "no GPU" if not gpu else "no nvcc" if not nvcc else "this build has no CUDA side"
        out.append(f"--device cuda, and what the register says of GPUs ({why})")
    term.say("\nWill not run" if out else "\nEverything will run")
    for words in out:
        term.say(f"  {words}")
