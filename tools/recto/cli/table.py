"""The table of all commands: help, parsers and dispatch come from it."""
import argparse
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recto.judge import arguments

Argument = tuple[tuple[str, ...], dict[str, Any]]       # what argparse's add_argument takes


@dataclass(frozen=True)
class Command:
    """A command: its name, help, arguments and function."""
    name: str
    usage: str                                      # its arguments in the overview
    overview: str                                   # what it does, in half a line; empty if the overview leaves it out
    about: str                                      # what it does, in full, for --help
    run: Callable[[argparse.Namespace], int]        # returns the exit status
    arguments: tuple[Argument, ...] = ()
    installs: bool = False                          # whether ./recto first installs the packages that it needs


def argument(*names: str, **settings: Any) -> Argument:
    """One argument of a command."""
    return names, settings


def student(name: str, usage: str = "", overview: str = "", installs: bool = False,
            run: Callable[[argparse.Namespace], int] | None = None) -> Command:
    """A command of the judge; its arguments and help are in the package recto.judge."""
    return Command(name, usage, overview, arguments.ABOUT[name],
                   run or (lambda asked: later("judge.commands.run", name, asked)), installs=installs)


def later(place: str, *given: Any) -> int:
    """Calls the function MODULE.NAME. Its module is imported only now, so that other commands start faster."""
    module, _, name = place.rpartition(".")
    return getattr(importlib.import_module(f"recto.{module}"), name)(*given)


YES = argument("--yes", action="store_true", help="install missing packages without asking")
JOBS = argument("--jobs", type=int, metavar="N", help="compilers at once (default: one for each core)")
JSON = argument("--json", action="store_true", help="one line of JSON for each")

GROUPS = (
    (
        Command("book", "", "build the book; its last line is the page to open",
                "Builds the book: compiles and runs the pages that changed, computes the register, renders. "
                "The last line is the path of its first page. Exit 1 if a claim is broken or anything was warned of.",
                lambda asked: later("book.book.book", asked.strict, asked.jobs, not asked.no_web),
                (JOBS, argument("--no-web", action="store_true",
                                help="without the pages' programs for the browser, for which a compiler of 100 MB is installed once"),
                 argument("--strict", action="store_true", help="also warn of what this machine lacks; for CI")),
                installs=True),
        Command("run", "PAGE|ROW [...]", "run the program of one page: ./recto run fig-1.1 --seed 3 --open",
                "Runs the program of a page, named by its file or by a row it covers, and writes one HTML file of this "
                "run. Any other option goes to the program: --seed, --device, --threads, --quick, --until, and those of the page "
                "(`recto run PAGE --help` lists them). Of a page with the option --ranks, N processes train one model "
                "together, by MPI. --full does a page's long studies; with --array N it writes a Slurm job array for them.",
                lambda asked: later("book.own.run", asked.page, asked.options, asked.open),
                (argument("--open", action="store_true", help="open the page when it is there"),
                 argument("page", metavar="PAGE|ROW", help="such as fit_curve or fig-1.1")), installs=True),
    ), (
        student("start", "[EXERCISE|SET]", "begin an exercise: its stub is copied into work/, which is yours"),
        student("watch", "[EXERCISE|SET]", "grade it whenever you save; ./recto grade does it once", installs=True,
                run=lambda asked: later("judge.watching.watch", asked.exercise, asked.quick)),
        student("grade", installs=True),
        student("hint", "[EXERCISE]", "the next of three hints; ./recto solution EXERCISE, when it is solved"),
        student("solution"),
        student("exercises", "", "all of them, with their state and your marks"),
        Command("quiz", "[CHAPTER]", "questions on a chapter, or on all: answer with a letter",
                "Asks the multiple-choice questions of a chapter, or of all, and says for each answer whether it is right, and why. "
                "The right answers are those that the chapter's quiz page computes. Answers are typed, or come from a file or a pipe, a "
                "letter for each question: `recto quiz training < answers.txt`. Exit 0 if every answer is right, 1 if one is wrong or "
                "missing, 2 if one is no letter of a choice.",
                lambda asked: later("cli.quiz.quiz", asked.chapter),
                (argument("chapter", nargs="?", default="", metavar="CHAPTER", help="its name or number, such as training or 2"),),
                installs=True),
    ), (
        Command("test", "[FILTER]", "build and run all tests, or those that match",
                "Builds and runs all tests, or those that match. The last line counts them.",
                lambda asked: later("checks.testing.test", asked.filter, asked.jobs),
                (JOBS, argument("filter", nargs="?", default="", metavar="FILTER", help="part of a name, a [tag], or a row")),
                installs=True),
        Command("bench", "[WORKLOAD]", "how many samples a second, and what the machine could do at most",
                "Measures the workloads of the page How fast is it, or those whose name contains WORKLOAD. Three measures "
                "are no workloads: startup (of a page program), memory (of training a perceptron), and neighbour (the "
                "same beside a busy process). With --profile, a table says where the time of a step goes: per operation and "
                "direction the time, the rate, and how near this comes to what the machine could do at most.",
                lambda asked: later("gpu.bench.bench", asked),
                (argument("workload", nargs="?", metavar="WORKLOAD", help="part of a name, or startup, memory, neighbour"),
                 JSON,
                 argument("--threads", metavar="N", help="how many threads work (default: one for each core)"),
                 argument("--device", metavar="D", help="where: cpu, sim or cuda"),
                 argument("--matmul", metavar="P", help="how a GPU multiplies: ieee (default), tf32 or bf16"),
                 argument("--captured", action="store_true", help="training steps are recorded once and replayed"),
                 argument("--seconds", metavar="S", help="how long each is measured (default: 3)"),
                 argument("--small", action="store_true", help="small models and few steps: do they run at all?"),
                 argument("--profile", action="store_true", help="where the time of a step goes, operation by operation"),
                 argument("--write", action="store_true", help="with --profile: measure what the book shows, into bench/profile.json"),
                 argument("--limits", action="store_true", help="what this machine can do at most, as JSON")), installs=True),
        Command("parity", "[OP...]", "every operation on a GPU beside the CPU, and the receipt of it",
                "Runs every operation, or those named, forward and backward on a GPU and on the CPU, and compares: each "
                "number within the bound that the table lib/recto/testing/every_op.cpp states, in memory full of NaN "
                "and between guards. A whole run on a GPU is kept in tests/receipts; exit 1 if anything differs.",
                lambda asked: later("gpu.parity.parity", asked.names, asked.device, asked.json),
                (argument("names", nargs="*", metavar="OP", help="such as softmax (default: all)"),
                 argument("--device", default="cuda", choices=("cuda", "sim"), help="cuda (default) or sim"),
                 argument("--json", metavar="FILE", default="", help="write the receipt into this file")), installs=True),
        Command("carry", "", "build what measures a GPU on a machine without all of this",
                "Builds what measures a GPU so that it can be carried to a machine with a driver and cuBLAS and nothing "
                "else of ours: build/carry, with run.sh to be started there. With --back, takes what came back: the "
                "receipt into tests/receipts, the rates into bench/measured-cuda.json.",
                lambda asked: later("gpu.carry.back", Path(asked.back)) if asked.back else later("gpu.carry.carry"),
                (argument("--back", metavar="FOLDER", help="what run.sh left behind there"),), installs=True),
        Command("inspect", "FILE...", "what is inside IDX, safetensors and GGUF files",
                "Says what is inside IDX files (plain or gzip), safetensors files and GGUF files: names, types, shapes, "
                "where the bytes lie, minimum, mean, maximum and NaNs. A file that is damaged or something else is one "
                "line on standard error, and the exit status is 1.",
                lambda asked: later("cli.inspection.inspect", asked.files),
                (argument("files", nargs="+", metavar="FILE", help="such as train-labels-idx1-ubyte.gz"),), installs=True),
        Command("generate", "MODEL", "continue a text with a language model",
                "Continues a text with a language model on the CPU and prints it as it comes. MODEL is a GGUF file of the "
                "architecture gpt2 or llama with its tokenizer, in F32, F16, BF16 or blocks (Q4_0, Q4_1, Q5_0, Q5_1, Q8_0), or a "
                "safetensors file of GPT-2 with vocab.json and merges.txt beside it. Nothing is downloaded. The same seed prints the same text.",
                lambda asked: later("cli.generation.generate", asked.model, {
                    "--prompt": asked.prompt, "--tokens": asked.tokens, "--temperature": asked.temperature,
                    "--top-k": asked.top_k, "--seed": asked.seed, "--threads": asked.threads}),
                (argument("model", metavar="MODEL", help="such as model.gguf"),
                 argument("--prompt", metavar="TEXT", help="the text to be continued"),
                 argument("--tokens", metavar="N", help="how many tokens at most (128)"),
                 argument("--temperature", metavar="T", help="0 takes the best token, 1 the model's own chances (0.8)"),
                 argument("--top-k", metavar="K", help="draw among the K best tokens; 0 for all (40)"),
                 argument("--seed", metavar="S", help="where the draws start (1)"),
                 argument("--threads", metavar="N", help="how many threads work (one for each core)")), installs=True),
        Command("list", "", "the pages and the rows they cover", "Lists the pages and the rows they cover.",
                lambda asked: later("cli.listing.list_pages")),
        Command("doctor", "", "what is here, what is missing, what will not run",
                "Says what is here, what is missing, which BLAS and GPU, and what will therefore not run.",
                lambda asked: later("cli.doctor.doctor")),
        Command("install", "", "only install the packages all of this needs",
                "Installs the packages of the distribution that recto needs.",
                lambda asked: 0, installs=True),            # ./recto has done it before Python starts
        student("release", "DIR", "a tree of exercises to hand out, without their solutions"),
    ),
)
COMMANDS = {command.name: command for group in GROUPS for command in group}
