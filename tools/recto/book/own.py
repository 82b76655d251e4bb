"""`recto run`: one page's program with a person's own options, as one self-contained HTML file."""
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from recto import machine, term
from recto.book import own_page, ranks
from recto.build import cmake, environment
from recto.gpu import kernels
from recto.pages import pages, runs
from recto.place import BUILD, MAIN, Failure, Mistake, shown, write
from recto.register import evidence

OWN = BUILD / "own"          # build/own/fit_curve/seed-3.html
BUNDLE = """
import importlib.metadata, pathlib, sys
import vl_convert
version = importlib.metadata.version("vl-convert-python")
kept = pathlib.Path(sys.argv[1]) / f"vega-{version}.js"
if not kept.exists():
    kept.parent.mkdir(parents=True, exist_ok=True)
    fresh = kept.with_suffix(".new")
    fresh.write_text(f"// Vega, Vega-Lite and Vega-Embed (BSD-3-Clause), bundled by vl-convert {version}\\n"
                     f"(() => {{{vl_convert.javascript_bundle()}}})();\\n", encoding="utf-8")
    fresh.rename(kept)
print(kept)
"""


def bundle() -> str:
    """The script that makes figures live, from vl-convert, kept where the book keeps it."""
    python = environment.ensure(whole=False)
    done = subprocess.run([str(python), "-c", BUNDLE, str(BUILD / "cache")], capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"vl-convert did not give its script: {done.stderr.strip().splitlines()[-1]}")
    return Path(done.stdout.strip()).read_text(encoding="utf-8")


def slug(options: list[str]) -> str:
    """A file name for these options: --seed 3 becomes seed-3."""
    words = re.sub(r"[^A-Za-z0-9.]+", "-", " ".join(options)).strip("-.")
    return words[:80] or "standard"


def show(path: Path) -> None:
    """Opens a file with whatever the desktop uses."""
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    try:
        subprocess.Popen([opener, str(path)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, start_new_session=True)
    except OSError:
        term.warn(f"recto: there is no {opener} here; open the file yourself")


def study(page: pages.Page, options: list[str]) -> int:
    """Runs a page's long studies with their output shown, and keeps figures/NAME.csv with its origin. With --array N it writes a
    Slurm job array instead, of which every task does a share of the cells."""
    tasks, options = ranks.take(options, "array")
    if tasks is not None:
        return array(page, options, tasks)
    origin = f"commit {kernels.commit()[:20]}\nmachine {machine.describe(machine.COMMON['RECTO_CPU'])}"
    env = {**os.environ, **machine.COMMON, "RECTO_ORIGIN": origin}
    return subprocess.run([str(page.program), *options], env=env).returncode


def array(page: pages.Page, options: list[str], tasks: str) -> int:
    """Writes the script of a Slurm job array for a page's long studies, and says how to start it."""
    if "--full" not in options:
        raise Mistake("--array wants --full beside it")
    if not tasks.isdigit() or not 1 <= int(tasks) <= 1000:
        raise Mistake(f"--array wants a number of tasks from 1 to 1000, got '{tasks}'")
    script = BUILD / "array" / f"{page.name}.sh"
    words = " ".join(shlex.quote(word) for word in [str(page.program), *options])
    settings = " ".join(f"{name}={value}" for name, value in machine.COMMON.items())
    write(script, f"""#!/bin/sh
# The long studies of the page {page.name}, in {tasks} tasks. Each keeps its cells in figures/*.begun and, if it is started again,
# does those that are missing. Afterwards `./recto run {page.name} --full` gathers them in figures/*.csv.
#SBATCH --job-name={page.name}
#SBATCH --array=0-{int(tasks) - 1}
#SBATCH --output={script.parent}/{page.name}-%a.log
export {settings}
exec {words} --task "$SLURM_ARRAY_TASK_ID/{tasks}"
""")
    term.say(f"sbatch {shown(script)} starts {term.plural(int(tasks), 'task')}; when all have ended, ./recto run {page.name} --full gathers them")
    return 0


def run(word: str, options: list[str], and_open: bool) -> int:
    """Runs `recto run`: builds and runs a page; prints the path of the page last."""
    page = pages.find_page(word, pages.all_pages())
    if not (MAIN / "build.ninja").exists():
        cmake.configure(machine.has_catch2())
    cmake.compile([f"page_{page.name}"])
    if any(option in ("-h", "--help") for option in options):
        return subprocess.run([str(page.program), "--help"]).returncode
    if any(option.partition("=")[0] in ("--full", "--again", "--array") for option in options):
        return study(page, options)
    asked, others = ranks.take(options, "ranks")
    if asked is not None:
        return ranks.run(page, options, OWN / page.name / f"{slug(others)}.checkpoint")
    mine = runs.changed(page, OWN / page.name / f"{slug(options)}.run", options) if options else None
    standard, _ = runs.standard(page)
    if not standard.complete and mine is None:
        raise Failure(f"{page.name}: {standard.error}")
    path = OWN / page.name / f"{slug(options)}.html"
    write(path, own_page.write_page(page, options, standard, mine, bundle()))
    outcome = mine or standard
    broken = [proof for proof in evidence.claims_of(page, outcome.folder) if proof.state == "broken"]
    for proof in broken:
        term.warn(evidence.complaint(proof))
    if and_open:
        show(path)
    term.say(str(path))
    return 1 if outcome.code or broken else 0
