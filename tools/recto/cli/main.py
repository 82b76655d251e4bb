"""Runs the command that was typed after ./recto."""
import argparse
import json
import signal
import sys

if sys.version_info < (3, 11):
    sys.exit(f"recto: needs Python 3.11 or newer, this is {sys.version.split()[0]}")

from recto import term
from recto.cli.help import overview
from recto.cli.table import COMMANDS, YES, Command
from recto.judge import arguments
from recto.pages import pages
from recto.place import Failure, Mistake

OURS = ("--yes", "--open")          # what `recto run` understands itself


class Words(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str):
        raise Mistake(f"{self.prog.removeprefix('recto ')}: {message} (--help says more)")


def parser_of(command: Command) -> argparse.ArgumentParser:
    """Builds the parser that a record of the command table describes."""
    words = Words(prog=f"recto {command.name}", description=command.about, allow_abbrev=False)
    for names, settings in ((YES, *command.arguments) if command.installs else command.arguments):
        words.add_argument(*names, **settings)
    arguments.parser_of(command.name, words)
    return words


def parse(command: Command, rest: list[str]) -> argparse.Namespace:
    """Parses the arguments of a command; `run` passes unknown arguments to the page program."""
    words = parser_of(command)
    if command.name != "run" or rest[:1] in (["-h"], ["--help"]):
        return words.parse_args(rest)
    others = [word for word in rest if word not in OURS]
    named = others[:1] if others and not others[0].startswith("-") else []
    asked = words.parse_args([word for word in rest if word in OURS] + named)
    asked.options = others[len(named):]
    return asked


def dispatch(command: str, rest: list[str]) -> int:
    """Runs one command; for a mistyped command, suggests the nearest."""
    if command not in COMMANDS:
        raise Mistake(f"there is no command {command}{pages.nearest(command, list(COMMANDS))} (./recto --help)")
    found = COMMANDS[command]
    return found.run(parse(found, rest))


def tell_json(words: list[str], why: str) -> None:
    """Prints the error of a `grade --json` that graded nothing, as JSON."""
    if words[:1] == ["grade"] and "--json" in words:
        from recto.judge import formats     # the start of no other command waits for the judge
        print(json.dumps(formats.write_failure(why, "--late" in words), indent=1))


def main(words: list[str]) -> int:
    """The exit status: 0 done, 1 failed, 2 the person's mistake, 130 interrupted."""
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview(), end="")
        return 0
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:       # tools/__main__.py set it for the imports
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return dispatch(words[0], words[1:])
    except (Mistake, Failure) as complaint:
        term.warn(f"recto: {complaint}")
        tell_json(words, str(complaint))
        return 2 if isinstance(complaint, Mistake) else 1
    except KeyboardInterrupt:
        term.clear()
        tell_json(words, "interrupted")
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except Exception as error:      # Python then shows it, with the exit status 1
        tell_json(words, f"an internal error: {type(error).__name__}: {error}")
        raise
