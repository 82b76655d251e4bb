"""The compiler's messages for a student: the student's own line first, then the broken rule."""
import re

from recto import term

from recto.judge.catalogue import Exercise
from recto.judge.given import headers
from recto.judge.reading import Source
from recto.judge.sandbox import Limits, one_line

OURS = re.compile(r"^(?:g\+\+|/usr/bin/ld|collect2): (?:fatal error: )?cannot (?:execute|open output file) .*"
                  r"|^/usr/bin/ld\.gold: fatal error: /out/program: open: .*", re.M)
NO_MEMORY = re.compile(r"^(?:\S*(?:cc1plus|as|ld|ld\.gold|collect2|lto1)): (?:out of memory|.*[Cc]annot allocate memory)"
                       r"|^virtual memory exhausted|^\S*(?:ld|as): .*memory exhausted", re.M)
# What the compiler cannot do, and what a student can do about it. The names are those of Limits.
BEYOND = [(re.compile(pattern, re.M), sentence) for pattern, sentence in (
    (r"template instantiation depth exceeds maximum of \d+",
     "templates exceed the compiler's maximum depth: end the recursion with a specialisation"),
    (r"#include nested depth \d+ exceeds maximum", "includes are nested too deeply: a file probably includes itself"),
    (r"^\S*g\+\+: .*File size limit exceeded|^\S*(?:as|ld|ld\.gold): .*(?:[Ff]ile too (?:big|large)|File size limit exceeded)",
     "the program would be larger than {file} MiB: replace a large array by a std::vector that is filled at run time"),
    (r"^\S*g\+\+: .*Killed signal", "the compiler was killed, perhaps because this machine is out of memory: try again, "
                                    "and if it fails again, find what makes the program large"),
    (r"^\S*g\+\+: internal compiler error: Segmentation fault",
     "the compiler ran out of stack: some expression or declaration is nested too deeply"),
    (r"^\S+: internal compiler error", "the compiler itself fails here: write this line in a simpler way"))]
BUG_REPORT = re.compile(r"^(?:Please submit a full bug report|See <\S*> for instructions).*\n?", re.M)
WIDEST = 300            # characters of a line that the compiler wrote
# Warnings of what may make a program crash, hang or answer nonsense.
EXPLAINS = re.compile(r"no return statement in function returning non-void|control reaches end of non-void|used uninitialized"
                      r"|array subscript|shift count|reference to (?:local|stack)|address of local|dangling|division by zero"
                      r"|used after|infinite recursion|into a region of size")
MOST_WARNINGS = 3       # that are shown
NUMBER = r"\d{1,30}"     # of a line: a text of the student's may stand where the compiler's own should


class CompileError(Exception):
    """The compiler's messages, the shortest useful form first."""


def short(said: str) -> str:
    """The first lines of what the compiler said."""
    return "\n".join(line[:WIDEST] for line in BUG_REPORT.sub("", said).strip().splitlines()[:30])


def quoted(source: Source, number: int) -> str:
    """A line of the student's file, as shown below a message."""
    lines = source.text.decode("utf-8", errors="replace").split("\n")
    return f"    {one_line(lines[number - 1].strip(), WIDEST) if 0 < number <= len(lines) else ''}"


def warned(said: str, source: Source) -> str:
    """What the compiler warned of in the student's own lines: the first ones, each with its line, and how many more; those that
    may explain a crash come before the others.

    A function that is still to be written uses none of its parameters: warnings about them are left out.
    """
    waits = b"not_written(" in source.text
    own = rf"^{re.escape(source.name)}:({NUMBER}):(?:\d+:)? +warning: (.*)$"
    found = [(number, message) for number, message in dict.fromkeys(re.findall(own, said, re.M))
             if not (waits and message.startswith("unused parameter"))]
    found.sort(key=lambda one: not EXPLAINS.search(one[1]))
    words = [f"{source.name}:{number}: warning: {one_line(message, WIDEST)}\n{quoted(source, int(number))}"
             for number, message in found[:MOST_WARNINGS]]
    if len(found) > MOST_WARNINGS:
        words.append(f"and {term.plural(len(found) - MOST_WARNINGS, 'more warning')}")
    return "\n".join(words)


def explaining(warnings: str) -> str:
    """Those of the warnings, as `warned` tells them, that may explain a crash, each with its line."""
    lines = warnings.splitlines()
    return "\n".join(f"{line}\n{below}" for line, below in zip(lines, lines[1:])
                     if not line.startswith(" ") and EXPLAINS.search(line))


def beyond(said: str, source: Source, limits: Limits, sentence: str = "") -> str:
    """A sentence of ours, with the student's line if one is known, where the compiler came to a limit of its own; empty if it did
    not, or if it named a mistake before. `sentence` says it where what the compiler said does not."""
    own = re.search(rf"^{re.escape(source.name)}:({NUMBER}):(?:\d+:)? +(?:fatal |internal compiler )?(error|required from)", said, re.M)
    for pattern, ours in BEYOND:
        found = None if sentence else pattern.search(said)
        if found and not (own and own[2] == "error" and own.start() < said.rfind("\n", 0, found.start())):
            sentence = ours.format(file=limits.file)
    if not sentence or not own:
        return f"{source.name}: {sentence}" if sentence else ""
    return f"{source.name}:{int(own[1])}: {sentence}\n{quoted(source, int(own[1]))}"


def taken(source: Source, name: str) -> str:
    """What to say of a file that defines what the other half of its program defines."""
    leave = "leave main out, because the judge calls your functions" if name == "main" else "choose another name"
    return f"{source.name} defines {name}, which belongs to the kit of this exercise: {leave}"


def dynamic(source: Source, name: str) -> str:
    """What to say of a name that is nowhere because it is an array in dynamic shared memory; empty otherwise."""
    name, text = name.rpartition("::")[2], source.text.decode(errors="replace")
    if not re.search(rf"\bextern\s+__shared__\b[^;]{{0,200}}\b{re.escape(name)}\s*\[", text):
        return ""
    fixed = f"declare an array of constant size, such as `__shared__ float {name}[256];`"
    if "launch(" in text:
        return (f"{name} is dynamic shared memory, and only nvcc provides extern __shared__: {fixed}, or pass the bytes to launch, "
                f"{{blocks, threads, bytes}}, and write `float* {name} = dynamic_shared<float>();`")
    return f"{name} is dynamic shared memory (extern __shared__), and the launch of this exercise passes 0 bytes of it: {fixed}"


def explain(said: str, source: Source, exercise: Exercise) -> str:
    """What the compiler said, with the student's own line first, and what our rules make of it."""
    own = rf"^{re.escape(source.name)}:({NUMBER}):(?:\d+:)? +"
    first = re.search(own + r"(?:fatal )?error: (.*)$", said, re.M)
    inside = re.search(own + r"(?:required from|in |instantiat)", said, re.M)
    linked = re.search(own + r"(undefined reference to .*)$", said, re.M)
    where = first or inside or linked
    missing = re.search(r"error: (.+): No such file or directory", said)
    undefined = re.search(r"undefined reference to [`'](.*?)'", said)
    double = re.search(r"multiple definition of [`'](.*?)'", said)
    words = []
    if missing:
        listed = {f"recto/{room}.hpp" for room in exercise.library}
        may = ", ".join(name for name, _ in headers(exercise) if not name.startswith("recto/") or name in listed)
        words.append(f"{missing[1]} is not among the files that this exercise may include: {may}, and the standard library")
    elif double:
        words.append(taken(source, double[1]))
    elif undefined:
        words.append(dynamic(source, undefined[1]) or
                     f"{undefined[1]} is called, but neither {source.name} defines it nor does this exercise offer it "
                     "(a function that the header asks for must have exactly its name and its arguments)")
    if where:
        number = int(where[1])
        told = first or linked
        message = (told[2] if told else (re.search(r"error: (.*)", said) or [said, said])[1])[:WIDEST]
        words.insert(0 if not missing else 1, f"{source.name}:{number}: {message}\n{quoted(source, number)}")
    rest = short(said)
    return "\n".join([*(word[:4 * WIDEST] for word in words), rest]) if words else rest or "the compiler failed and said nothing"
