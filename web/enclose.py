"""enclose.py SNAPSHOT COPY: a page in a namespace of its own, so that one program may hold many pages.

What the page defines begins after its last `#include`. There the copy opens the namespace, without a line of its own: messages
and traces name the lines of the page. The same line tells the program that the options and studies from here on are this page's.
"""
import pathlib
import sys


def enclosed(text: str, name: str) -> str:
    """The page's text, enclosed."""
    lines = text.split("\n")
    first = max(number for number, line in enumerate(lines) if line.startswith("#include")) + 1
    lines[first] = f'namespace page_{name} {{ void page(); const recto::web::Page this_page("{name}", page); {lines[first]}'
    return "#include <page.hpp>\n" + "\n".join(lines) + "}\n"


if __name__ == "__main__":
    source, target = map(pathlib.Path, sys.argv[1:3])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(enclosed(source.read_text(encoding="utf-8"), source.stem), encoding="utf-8")
