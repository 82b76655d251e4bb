#!/usr/bin/env python3
"""Renders the book from what is there:  PYTHONPATH=tools build/venv/bin/python book/build.py [--strict] [--quiet]

Gathers the sources under build/source, lets Doxygen read the headers, then runs Sphinx into build/book.
Reads build/runs/NAME/trace.jsonl (runs), build/book/register.json (verdicts, see tools/recto/register),
build/mistakes.json (wrong answers, see tools/recto/judge/mistakes.py), build/web (programs for the browser, see
tools/recto/build/web.py) and build/times.json (steps); all of them may be missing. Ends with one line per warning, each naming the file a person edits. Exit status: 0 clean, 1 written
but with warnings, 2 not written. `--strict` also warns of whatever a reader's machine may lack: a page that has
not run, Doxygen, Graphviz, KaTeX.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
KNOWN = re.compile("Internal inconsistency: scope for class")     # Doxygen 1.9 loses specialisations


def fingerprint(root, build, strict):
    """One hash over name, size and time of everything the book is made from: equal means nothing to do."""
    found = [strict, sys.version]
    for top, ends in ((HERE, ""), (root / "chapters", ""), (root / "lib", (".hpp", ".cuh", ".test.cpp")),
                      (root / "tests", ".cpp"), (root / "exercises", (".md", ".toml")), (build / "runs", ""), (root / "tools/recto", ".py")):
        for folder, folders, files in os.walk(top):
            folders[:] = [f for f in folders if f != "__pycache__"]
            for name in files:
                if name.endswith(ends) and not name.endswith(".pyc"):
                    at = os.stat(os.path.join(folder, name))
                    found.append((folder, name, at.st_size, at.st_mtime_ns))
    for path in (build / "book/register.json", build / "times.json", build / "mistakes.json", build / "checks.json", build / "bench.json",
                 build / "web/programs.json", build / "web/packed.json",
                 root / "bench/measured.json", root / "bench/profile.json", root / "bench/ladder.json"):
        found.append((str(path), hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""))
    return hashlib.sha256(json.dumps(sorted(map(str, found))).encode()).hexdigest()


def public(found):
    """Of what Doxygen wrote, {name of a file: its XML}, what a user may call: nothing private, no friends."""
    within = rb'<innerclass refid="([^"]+)" prot="private">'
    hidden = {name for data in found.values() for name in re.findall(within, data)}
    listed = b"|".join(map(re.escape, sorted(hidden))) or b"(?!)"
    out = {}
    for name, data in found.items():
        if name.removesuffix(".xml").encode() not in hidden:
            data = re.sub(rb'(?s)\s*<sectiondef kind="(?:private-|friend)[^"]*">.*?</sectiondef>', b"", data)
            data = re.sub(rb'\s*<innerclass refid="(?:%s)"[^>]*>[^<]*</innerclass>' % listed, b"", data)
            out[name] = re.sub(rb'(?s)\s*<compound refid="(?:%s)".*?</compound>' % listed, b"", data)
    return out


def doxygen(root, build):
    """Reads every public header into XML; says again what it said last time if no header changed."""
    home, stamp = build / "doxygen", hashlib.sha256((HERE / "Doxyfile").read_bytes() + pathlib.Path(__file__).read_bytes())
    for path in sorted((root / "lib").rglob("*.hpp")):
        stamp.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    home.mkdir(parents=True, exist_ok=True)
    said, key = home / "warnings.txt", home / "key"
    if not (key.exists() and key.read_text() == stamp.hexdigest()):
        if not shutil.which("doxygen"):
            return ["doxygen is missing: the reference is not built"]
        fresh = home / "fresh"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        settings = (HERE / "Doxyfile").read_text() + (
            f'\nINPUT = "{root}/lib/recto"\nOUTPUT_DIRECTORY = "{fresh}"\nSTRIP_FROM_PATH = "{root}/lib"\n')
        ran = subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=root, capture_output=True)
        from recto_book.folders import sync
        found = public({p.name: p.read_bytes() for p in (fresh / "xml").glob("*.xml")})
        for name, data in found.items():        # the index knows files by their last name, Breathe asks by path
            where = re.findall(rb'<location file="([^"]+)"/>', data) if name.endswith("_8hpp.xml") else []
            if where:
                found["index.xml"] = re.sub(rb'(<compound refid="%s" kind="file"><name>)[^<]*' % name[:-4].encode(),
                                            rb"\g<1>" + where[-1], found["index.xml"])
        if {path.name for path in (home / "xml").glob("*.xml")} - set(found):
            shutil.rmtree(build / "doctrees", ignore_errors=True)     # Breathe asks for files that pages once used
        sync(home / "xml", found)
        shutil.rmtree(fresh)
        lines = ran.stderr.replace(f"{root}/", "").replace("\n  ", " ").splitlines()
        said.write_text("\n".join(line for line in lines if line.strip() and not KNOWN.search(line)))
        key.write_text(stamp.hexdigest())
    return said.read_text().splitlines()


class Messages:
    """The warning stream: keeps what was said, and names the file a person edits, not our copy of it."""

    def __init__(self, root, build, origins):
        self.root, self.source, self.origins, self.kept = root, str(build / "source") + "/", origins, []

    def write(self, text):
        for line in text.splitlines():
            if self.source in line:
                path = line.partition(self.source)[2].partition(":")[0]
                line = line.replace(self.source + path, self.origins.get(path, path))
            if line.strip():
                self.kept.append(line.replace(f"{self.root}/", ""))

    def flush(self):
        """Nothing is held back."""

    def isatty(self):
        return False


def render(root, build, strict, quiet):
    """Returns the list of warnings."""
    from recto_book import gather
    said = doxygen(root, build)
    origins = gather.gather(root, build)
    os.environ["RECTO_ROOT"], os.environ["RECTO_BUILD"] = str(root), str(build)
    os.environ["RECTO_STRICT"] = "1" if strict else ""
    from sphinx.application import Sphinx
    from sphinx.util.console import nocolor
    from sphinx.util.docutils import docutils_namespace, patch_docutils
    nocolor()
    stream = Messages(root, build, origins)
    with patch_docutils(str(HERE)), docutils_namespace():
        app = Sphinx(str(build / "source"), str(HERE), str(build / "book"), str(build / "doctrees"), "html",
                     confoverrides={"nitpicky": True}, status=None if quiet else sys.stdout, warning=stream,
                     parallel=os.cpu_count() or 1)
        app.build()
    return list(dict.fromkeys(said + stream.kept))


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--strict", action="store_true", help="also warn of what this machine lacks")
    words.add_argument("--quiet", action="store_true", help="say nothing but warnings")
    words.add_argument("--root", type=pathlib.Path, default=HERE.parent, help="the repository")
    words.add_argument("--build", type=pathlib.Path, help="where everything generated is (ROOT/build)")
    asked = words.parse_args()
    root = asked.root.resolve()
    build = (asked.build or root / "build").resolve()
    start, stamp = time.time(), build / "book.key"
    key = fingerprint(root, build, asked.strict)
    index = build / "book" / "index.html"
    if not (stamp.exists() and stamp.read_text() == key and index.exists()):
        stamp.unlink(missing_ok=True)
        try:
            warnings = render(root, build, asked.strict, asked.quiet)
        except Exception as error:          # one line for a person; the trace is for us
            if os.environ.get("RECTO_DEBUG"):
                raise
            print(f"book: not written: {type(error).__name__}: {error}", file=sys.stderr)
            return 2
        for line in warnings:
            print(line, file=sys.stderr)
        if warnings:
            print(f"book: {len(warnings)} warnings", file=sys.stderr)
            return 1
        stamp.write_text(key)
    if not asked.quiet:
        print(f"book: {index} ({time.time() - start:.1f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
