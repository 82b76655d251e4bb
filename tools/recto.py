"""The commands behind ./recto."""
import signal

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)        # Ctrl-C during the imports ends the program without a traceback

import argparse
import sys

if sys.version_info < (3, 11):
    sys.exit(f"recto: needs Python 3.11 or newer, this is {sys.version.split()[0]}")

from pathlib import Path

import pages
import term
from judge import arguments, commands
from place import Failure, Mistake

HELP = (Path(__file__).parent / "help.txt").read_text()
COMMANDS = ("book", "run", "test", "bench", "parity", "carry", "inspect", "list", "doctor", "install",
            *arguments.ABOUT)


class Words(argparse.ArgumentParser):
    """A parser whose complaints are one line."""

    def error(self, message: str):
        raise Mistake(f"{self.prog.removeprefix('recto ')}: {message} (--help says more)")


def parser_of(command: str) -> argparse.ArgumentParser:
    """The words that a command understands."""
    about = {
        "book": "Builds the book: compiles and runs the pages that changed, computes the register, renders. "
                "The last line is the path of its first page. Exit 1 if a claim is broken or anything was warned of.",
        "run": "Runs the program of a page, named by its file or by a row it covers, and writes one HTML file of this "
               "run. Any other option goes to the program: --seed, --device, --threads, --quick, and those of the page "
               "(`recto run PAGE --help` lists them).",
        "test": "Builds and runs all tests, or those that match. The last line counts them.",
        "bench": "Measures the workloads of the page How fast is it, or those whose name contains WORKLOAD. Three measures "
                 "are no workloads: startup (of a page program), memory (of training a perceptron), and neighbour (the "
                 "same beside a busy process).",
        "parity": "Runs every operation, or those named, forward and backward on a GPU and on the CPU, and compares: each "
                  "number within the bound that the table lib/recto/testing/every_op.cpp states, in memory full of NaN "
                  "and between guards. A whole run on a GPU is kept in tests/receipts; exit 1 if anything differs.",
        "carry": "Builds what measures a GPU so that it can be carried to a machine with a driver and cuBLAS and nothing "
                 "else of ours: build/carry, with run.sh to be started there. With --back, takes what came back: the "
                 "receipt into tests/receipts, the rates into bench/measured-cuda.json.",
        "inspect": "Says what is inside IDX files (plain or gzip) and safetensors files: names, types, shapes, where "
                   "the bytes lie, minimum, mean, maximum and NaNs. A file that is damaged or something else is one line "
                   "on standard error, and the exit status is 1.",
        "list": "Lists the pages and the rows they cover.",
        "doctor": "Says what is here, what is missing, which BLAS and GPU, and what will therefore not run.",
        "install": "Installs the packages of the distribution that recto needs.",
        **arguments.ABOUT,
    }
    words = Words(prog=f"recto {command}", description=about[command], allow_abbrev=False)
    if command in ("book", "run", "test", "bench", "parity", "carry", "inspect", "install", "grade", "watch"):
        words.add_argument("--yes", action="store_true", help="install missing packages without asking")
    if command in ("book", "test"):
        words.add_argument("--jobs", type=int, metavar="N", help="compilers at once (default: one for each core)")
    if command == "book":
        words.add_argument("--strict", action="store_true", help="also warn of what this machine lacks; for CI")
    if command == "test":
        words.add_argument("filter", nargs="?", default="", metavar="FILTER", help="part of a name, a [tag], or a row")
    if command == "bench":
        words.add_argument("workload", nargs="?", metavar="WORKLOAD", help="part of a name, or startup, memory, neighbour")
        words.add_argument("--json", action="store_true", help="one line of JSON for each")
        words.add_argument("--threads", metavar="N", help="how many threads work (default: one for each core)")
        words.add_argument("--device", metavar="D", help="where: cpu, sim or cuda")
        words.add_argument("--matmul", metavar="P", help="how a GPU multiplies: ieee (default), tf32 or bf16")
        words.add_argument("--captured", action="store_true", help="training steps are recorded once and replayed")
        words.add_argument("--seconds", metavar="S", help="how long each is measured (default: 3)")
        words.add_argument("--small", action="store_true", help="small models and few steps: do they run at all?")
        words.add_argument("--limits", action="store_true", help="what this machine can do at most, as JSON")
    if command == "parity":
        words.add_argument("names", nargs="*", metavar="OP", help="such as softmax (default: all)")
        words.add_argument("--device", default="cuda", choices=("cuda", "sim"), help="cuda (default) or sim")
        words.add_argument("--json", metavar="FILE", default="", help="write the receipt into this file")
    if command == "carry":
        words.add_argument("--back", metavar="FOLDER", help="what run.sh left behind there")
    if command == "inspect":
        words.add_argument("files", nargs="+", metavar="FILE", help="such as train-labels-idx1-ubyte.gz")
    if command == "run":
        words.add_argument("--open", action="store_true", help="open the page when it is there")
        words.add_argument("page", metavar="PAGE|ROW", help="such as fit_curve or fig-1.1")
    arguments.parser_of(command, words)
    return words


def dispatch(command: str, rest: list[str]) -> int:
    """Runs one command; a mistyped one suggests the nearest."""
    if command not in COMMANDS:
        raise Mistake(f"there is no command {command}{pages.nearest(command, list(COMMANDS))} (./recto --help)")
    if command == "run" and not (rest and rest[0] in ("-h", "--help")):
        import own
        known, options = split_run(rest)
        asked = parser_of("run").parse_args(known)
        return own.run(asked.page, options, asked.open)
    asked = parser_of(command).parse_args(rest)
    if command in arguments.ABOUT:
        return commands.run(command, asked)
    if command == "book":
        import book
        return book.book(asked.strict, asked.jobs)
    if command == "test":
        import testing
        return testing.test(asked.filter, asked.jobs)
    if command == "bench":
        import bench
        return bench.bench(asked)
    if command == "parity":
        import parity
        return parity.parity(asked.names, asked.device, asked.json)
    if command == "carry":
        import carry
        return carry.back(Path(asked.back)) if asked.back else carry.carry()
    if command == "inspect":
        import inspection
        return inspection.inspect(asked.files)
    if command == "doctor":
        import doctor
        return doctor.doctor()
    return list_pages()


def split_run(rest: list[str]) -> tuple[list[str], list[str]]:
    """(what `recto run` understands itself, what goes to the program)."""
    ours = [word for word in rest if word in ("--yes", "--open")]
    others = [word for word in rest if word not in ("--yes", "--open")]
    named = others[:1] if others and not others[0].startswith("-") else []
    return ours + named, others[len(named):]


def list_pages() -> int:
    """The pages in the order of the book, each with its rows."""
    found = pages.all_pages()
    chapter = ""
    for page in found:
        if page.source.parent.name != chapter:
            chapter = page.source.parent.name
            term.say(("" if page is found[0] else "\n") + term.paint(chapter, "bold"))
        term.say(f"  {page.name:<24} {page.title}")
        if page.rows:
            term.say(f"  {'':<24} {term.paint(' '.join(page.rows), 'dim')}")
    if not found:
        term.say("there are no pages yet")
    return 0


def main(words: list[str]) -> int:
    """The exit status: 0 done, 1 failed, 2 the person's mistake, 130 interrupted."""
    if not words or words[0] in ("-h", "--help", "help"):
        print(HELP, end="")
        return 0
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return dispatch(words[0], words[1:])
    except Mistake as mistake:
        term.warn(f"recto: {mistake}")
        return 2
    except Failure as failure:
        term.warn(f"recto: {failure}")
        return 1
    except KeyboardInterrupt:
        term.clear()
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
