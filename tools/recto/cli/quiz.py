"""`recto quiz`: asks the questions of a chapter in the terminal and grades the answers.

Questions, choices and reasons are those that the page of the chapter's quiz printed, and so is which choice is right: nothing is
written down here. Answers come from the keyboard, or all at once from a file or a pipe.
"""
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

from recto import machine, term
from recto.build import cmake
from recto.pages import pages, runs
from recto.pages.trace import page_lines, read_trace
from recto.place import MAIN, Failure, Mistake

NAME = "quiz_"                       # how the names of these pages begin
MOST = 10_000                        # bytes of piped answers
READ_ON = re.compile(r"^\s*// To read on: .*?\[[^\]]+\]\((?:[\w./-]*/)?(\w+)\.cpp\)")
Question = dict[str, Any]            # a record of the trace, with the page that teaches it as "page"


def chapter_of(page: pages.Page) -> str:
    """The chapter of a page: fine-tuning."""
    return page.document.partition("/")[0]


def chosen(word: str, found: list[pages.Page]) -> list[pages.Page]:
    """The quizzes that a word names: a chapter's name or number, or the page itself; without a word all."""
    quizzes = [page for page in found if page.name.startswith(NAME)]
    names = {page: (chapter_of(page), page.source.parent.name.partition("-")[0], page.name) for page in quizzes}
    named = [page for page in quizzes if not word or word.lower().replace("_", "-") in (n.replace("_", "-") for n in names[page])]
    if not named:
        known = [chapter_of(page) for page in quizzes]
        raise Mistake(f"quiz: there is no chapter {word}{pages.nearest(word, known)} (there are {', '.join(known)})")
    return named


def questions(page: pages.Page) -> list[Question]:
    """Builds and runs the page, if it has changed, and returns its questions."""
    if not (MAIN / "build.ninja").exists():
        cmake.configure(machine.has_catch2())
    cmake.compile([f"page_{page.name}"])
    outcome, _ = runs.standard(page)
    if outcome.code:
        raise Failure(f"quiz: {page.name} cannot say which answers are right: {outcome.error}")
    return asked(read_trace(outcome.folder), page.source.read_text(encoding="utf-8").splitlines(), page_lines(page))


def asked(records: list[Question], text: list[str], lines: list[int]) -> list[Question]:
    """The questions among these records, each with the page that the text below it names."""
    found = []
    for record in records:
        if record.get("kind") == "ask" and "choices" in record:
            below = text[lines[min(record["line"], len(lines) - 1)]:]
            named = next((match[1] for match in map(READ_ON.match, below) if match), "")
            found.append(record | {"page": named})
    return found


def letters_of(question: Question) -> str:
    """The letters of its choices: abcd."""
    return "abcdefgh"[:len(question["choices"])]


def piped(listed: list[Question]) -> Iterator[str]:
    """Answers from a file or a pipe, letters with or without space between them: all are checked before the first question."""
    given = "".join(sys.stdin.buffer.read(MOST).decode("utf-8", "replace").split()).lower() if sys.stdin else ""
    if len(given) > len(listed):
        raise Mistake(f"quiz: wanted an answer for each of {len(listed)} questions, got {len(given)}")
    for number, (letter, question) in enumerate(zip(given, listed), 1):
        if letter not in letters_of(question):
            raise Mistake(f"quiz: wanted one of {letters_of(question)} for question {number}, got {letter!r}")
    return iter(given)


def typed(listed: list[Question]) -> Iterator[str]:
    """Answers from the keyboard; ends with Ctrl-D."""
    for question in listed:
        letters = letters_of(question)
        while True:
            try:
                letter = input(f"  {letters[0]} to {letters[-1]}? ").strip().lower()
            except EOFError:
                term.say()
                return
            except UnicodeDecodeError:
                continue
            if len(letter) == 1 and letter in letters:
                yield letter
                break


def wrapped(text: str, indent: str, begin: str = "") -> str:
    """A paragraph as wide as the terminal, at most as wide as a page."""
    width = max(40, min(88, shutil.get_terminal_size().columns - 1))
    return textwrap.fill(text, width, initial_indent=begin or indent, subsequent_indent=indent, break_on_hyphens=False)


def judged(question: Question, letter: str) -> bool:
    """Prints whether the answer is right and why, and returns whether it is."""
    right = next(n for n, choice in enumerate(question["choices"]) if choice["right"])
    if not letter:
        term.say("  " + term.paint("No answer.", "yellow"))
        return False
    number = letters_of(question).index(letter)
    verdict = term.paint("Right.", "green") if number == right else term.paint("No.", "red")
    term.say(f"  {letter}: {verdict}")
    term.say(wrapped(question["choices"][number]["why"], "     "))
    if number != right:
        best = question["choices"][right]
        term.say(wrapped(f"It is {best['text']}: {best['why']}", "     ", f"  {letters_of(question)[right]}: "))
        if question["page"]:
            term.say(f"     To read on: {question['page']}")
    return number == right


def quiz(word: str) -> int:
    """Runs `recto quiz`: 0 if every answer is right, 1 if one is wrong or missing."""
    found = chosen(word, pages.all_pages())
    each = [(page, questions(page)) for page in found]
    listed = [question for _, those in each for question in those]
    answers = typed(listed) if sys.stdin and sys.stdin.isatty() else piped(listed)
    right = number = 0
    for page, those in each:
        term.say(term.paint(page.title, "bold"))
        for question in those:
            number += 1
            term.say("\n" + wrapped(question["question"], "    ", f"{number:>2}. "))
            for letter, choice in zip(letters_of(question), question["choices"]):
                term.say(wrapped(choice["text"], "     ", f"  {letter}. "))
            right += judged(question, next(answers, ""))
        term.say()
    term.say(f"{right} of {len(listed)} right")
    return 0 if right == len(listed) else 1
