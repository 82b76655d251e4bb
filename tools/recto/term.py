"""What the commands print: progress on a terminal only, colours never with NO_COLOR."""
import os
import shutil
import sys

shown = False          # whether a progress line stands on the terminal
CODES = {"green": "32", "red": "31", "yellow": "33", "bold": "1", "dim": "2"}


def paint(text: str, colour: str, stream=None) -> str:
    """The text in colour, if the stream is a terminal with colours."""
    stream = stream or sys.stdout
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty()
    return text if plain else f"\033[{CODES[colour]}m{text}\033[0m"


def say(text: str = "") -> None:
    """Prints a line on standard output."""
    clear()
    print(text, flush=True)


def warn(text: str) -> None:
    """Prints a line on standard error."""
    clear()
    print(text, file=sys.stderr, flush=True)


def progress(text: str) -> None:
    """Shows the present step in the last line of a terminal; silent in a pipe."""
    global shown
    if sys.stderr.isatty() and (text or shown):
        shown = bool(text)
        width = shutil.get_terminal_size().columns - 1
        print("\r\033[K" + text[:width], end="", file=sys.stderr, flush=True)


def clear() -> None:
    """Takes the progress line away."""
    progress("")


def duration(seconds: float) -> str:
    """Formats a duration: 0.4 s, 12 s, 3 min 05 s."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"


def plural(count: int, word: str) -> str:
    """Formats a count with its noun: 1 page, 2 pages."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
