"""Brings the book's sources together under build/source, writing only what changed.

book/*.md and references.bib lie at the top, chapters/1-foundations/NAME.cpp at foundations/NAME.cpp, and
two folders are generated: api/ (one page for each folder of the library) and tests/ (one page for each file of tests,
with an index for each folder).
"""
import json
import pathlib
import re
import textwrap

from recto_book import exercise
from recto_book.folders import sync
from recto_book.tools import lexer

HERE = pathlib.Path(__file__).resolve().parent.parent
IDEAS = {  # folders of the library, in the order of a reader, and what each holds
    "base": "Numbers, shapes, messages", "device": "Devices, memory, kernels", "core": "Tensors, integers, random numbers",
    "kernels": "Kernels without a tape", "autograd": "The tape", "ops": "Operations", "nn": "Layers",
    "optim": "Optimisers", "data": "Data", "classic": "Learning before networks",
    "linalg": "Linear algebra", "io": "Files", "text": "Text",
    "figure": "Figures", "book": "How a page speaks", "xt": "The door to xtensor",
    "emulator": "CUDA kernels on any machine", "ladder": "CUDA kernels by hand",
    "testing": "Help for tests"}
INSIDE = ("device", "kernels", "emulator", "ladder", "book", "testing")      # what the library and the book are built from
FAMILIES = {  # of operations, in the order of a reader
    "elementwise": "Number by number", "reductions": "Many numbers to one", "shapes": "Shapes", "indexing": "Indexing",
    "products": "Matrix products", "images": "Images", "losses": "Losses", "norms": "Normalisation", "sequences": "Sequences"}
CASE = re.compile(r'^\s*(?:GRADIENT_|TEMPLATE_)?TEST(?:_CASE)?\w*\(\s*"((?:[^"\\]|\\.)*)"\s*(?:,\s*((?:"(?:[^"\\]|\\.)*"\s*)+))?', re.M)


def is_page(path):
    """A page begins with a title in a comment."""
    with path.open(encoding="utf-8") as file:
        return path.suffix == ".cpp" and not path.name.endswith(".test.cpp") and file.readline().startswith("// # ")


def chapters(root):
    """(name, folder) of every chapter that has an index, in order."""
    found = [p for p in (root / "chapters").glob("[0-9]*-*") if (p / "index.md").exists()]
    return [(p.name.partition("-")[2], p) for p in sorted(found, key=lambda p: int(p.name.partition("-")[0]))]


def tests(root):
    """Every test of the tree: name, file, first and last line, tags, and the page and anchor that show it."""
    found = []
    files = [p for top in ("lib", "chapters", "tests") for p in (root / top).rglob("*.cpp")]
    for path in sorted(files):
        if not (path.name.endswith(".test.cpp") or path.is_relative_to(root / "tests")):
            continue
        text = lexer.without_comments(path.read_text(encoding="utf-8", errors="replace"))
        cases = list(CASE.finditer(text))
        parts = path.relative_to(root).parts
        group = parts[2] if parts[0] == "lib" and len(parts) > 3 else re.sub(r"^\d+-", "", parts[1]) if len(parts) > 2 else parts[0]
        for k, case in enumerate(cases):
            end = cases[k + 1].start() if k + 1 < len(cases) else len(text)
            tags = re.findall(r"\[([^\]]+)\]", case[2] or "")
            name = case[1] + (": gradient" if case[0].lstrip().startswith("GRADIENT_TEST") else "")
            found.append({"name": name, "file": path.relative_to(root).as_posix(), "tags": tags,
                          "line": text.count("\n", 0, case.start()) + 1, "end": text.count("\n", 0, end),
                          "rows": [t[4:] for t in tags if t.startswith("row:")],
                          "doc": f"tests/{group}/{path.name.partition('.')[0]}",
                          "anchor": re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")})
    return found


def test_pages(found):
    """One page for each file of tests, whose directive reads the file itself, and an index for each folder.

    Only the indices are in the contents: a hundred files would make the sidebar of every page longer.
    """
    pages, groups = {}, {}
    for test in found:
        groups.setdefault(test["doc"].split("/")[1], {}).setdefault(test["doc"], []).append(test)
    for group, docs in groups.items():
        listed = ""
        for doc, cases in docs.items():
            name, files = doc.rpartition("/")[2], dict.fromkeys(test["file"] for test in cases)
            body = "".join(f"`{f}`\n\n```{{test-file}} {f}\n```\n\n" for f in files)
            pages[f"{doc}.md"] = f"---\norphan: true\n---\n\n# Tests: {group}, {name}\n\n[All of {group}](../{group}.md)\n\n{body}"
            listed += f"* [{name}]({group}/{name}.md): {len(cases)} test{'s' * (len(cases) != 1)}\n"
        pages[f"tests/{group}.md"] = (f"# Tests: {group}\n\n{IDEAS.get(group, group)}: what proves it, file by file, "
                                      f"as it is compiled.\n\n{listed}")
    listed = "\n".join(sorted(groups))
    none = "" if groups else "There are no tests in this tree yet.\n\n"
    pages["tests/index.md"] = ("# Tests\n\nWhat proves the library and the pages, as it is compiled.\n\n" + none
                               + f"```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n")
    return pages


def header(file, level):
    """One header of the reference."""
    return f"{level} {pathlib.Path(file).stem}\n\n`#include <{file}>`\n\n```{{header-file}} {file}\n```\n\n"


def operations(files):
    """The reference of all operations: family by family, each with an example."""
    body, left = "", {}
    for file in files:
        left.setdefault(file.split("/")[2], []).append(file)
    for family in [*FAMILIES, *sorted(set(left) - {*FAMILIES, "ops.hpp"})]:
        if family in left:
            body += f"## {FAMILIES.get(family, family)}\n\n```{{example}} {family}\n```\n\n"
            body += "".join(header(file, "###") for file in left[family])
    return f"One `#include <recto/ops/ops.hpp>` has them all; each is also a header of its own.\n\n{body}"


def api_pages(root, xml):
    """One reference page for each folder of the library that has public headers."""
    pages, listed = {}, []
    files = {p.relative_to(root / "lib").as_posix() for p in (root / "lib/recto").rglob("*.hpp")}
    known = {re.search(r'<location file="([^"]+)"', p.read_text())[1] for p in xml.glob("*_8hpp.xml")}
    for folder in sorted({f.split("/")[1] for f in files if f.count("/") > 1},
                         key=lambda f: (list(IDEAS).index(f) if f in IDEAS else 99, f)):
        here = sorted(f for f in files & known if f.startswith(f"recto/{folder}/"))
        body = operations(here) if folder == "ops" else "".join(header(file, "##") for file in here)
        if here:
            listed.append(folder)
            pages[f"api/{folder}.md"] = f"# {IDEAS.get(folder, folder)}\n\n{body}"
    words = textwrap.dedent("""\
        # Reference

        What the library promises, folder by folder. The comments in its headers are the source. [Operations](ops.md) begin with
        examples.
        """) if "ops" in listed else "# Reference\n\nThe reference is not built here: Doxygen is missing, or has found no headers.\n"
    for title, wanted in (("To build with", lambda f: f not in INSIDE), ("Inside the library and the book", lambda f: f in INSIDE)):
        names = "\n".join(filter(wanted, listed))
        words += f"\n```{{toctree}}\n:caption: {title}\n:maxdepth: 1\n\n{names}\n```\n" if names else ""
    pages["api/index.md"] = words
    return pages


def gather(root, build):
    """Writes build/source; returns where each of its files comes from, as a path to edit."""
    wanted, origins = {}, {}

    def add(name, path):
        wanted[name] = path.read_bytes()
        origins[name] = path.relative_to(root).as_posix() if path.is_relative_to(root) else f"book/{path.name}"

    for path in [*HERE.glob("*.md"), *HERE.glob("*.bib")]:
        add(path.name, path)
    for name, folder in chapters(root):
        for path in sorted(folder.iterdir()):
            if path.suffix == ".md" or is_page(path) if path.is_file() else False:
                add(f"{name}/{path.name}", path)
    for name, (text, source) in exercise.pages(root).items():
        wanted[name] = text.encode()
        origins[name] = source.relative_to(root).as_posix() if source else f"{name} (generated)"
    entries = "\n".join(f"{name}/index" for name, _ in chapters(root))
    sets = "\n".join(name.removesuffix(".md") for name in wanted if re.fullmatch(r"exercises/(\w+/)?index.md", name))
    wanted["index.md"] = wanted["index.md"].replace(b"@CHAPTERS@", entries.encode()).replace(b"@EXERCISES@", sets.encode())
    found = tests(root)
    for name, text in {**test_pages(found), **api_pages(root, build / "doxygen/xml")}.items():
        wanted[name] = text.encode()
        origins[name] = f"{name} (generated)"
    wanted["tests.json"] = json.dumps(found).encode()
    wanted["origins.json"] = json.dumps(origins).encode()
    sync(build / "source", wanted)
    return origins
