"""The Python of this project is two packages: no import circles, no patched paths, one table of commands."""
import ast
import importlib
import re
import subprocess
import sys
import unittest
from pathlib import Path

from recto.cli import help, table
from recto.place import ROOT

PACKAGES = (ROOT / "tools" / "recto", ROOT / "book" / "recto_book")
FOLDERS = ("bench", "book", "exercises", "figures", "solutions", "tests", "tools")


def modules() -> dict[str, Path]:
    """Every module of the two packages by its full name."""
    found = {}
    for top in PACKAGES:
        for path in top.rglob("*.py"):
            parts = path.relative_to(top.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(text: str, known: set[str]) -> set[str]:
    """The modules among `known` that a source imports, at its top or inside a function."""
    named = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names} & known
            named |= inside or {node.module}
    return named & known


def circle(edges: dict[str, set[str]]) -> list[str]:
    """A circle in a graph, or an empty list."""
    done: set[str] = set()

    def follow(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name):], name]
        if name in done:
            return []
        found = next(filter(None, (follow(other, [*path, name]) for other in sorted(edges.get(name, ())))), [])
        done.add(name)
        return found

    return next(filter(None, (follow(name, []) for name in sorted(edges))), [])


class Structure(unittest.TestCase):
    def setUp(self):
        found = modules()
        self.edges = {name: imports(path.read_text(encoding="utf-8"), set(found)) for name, path in found.items()}

    def test_a_circle_is_found(self):
        self.assertEqual(circle({"a": {"b"}, "b": {"c", "d"}, "c": set(), "d": {"b"}}), ["b", "d", "b"])
        self.assertEqual(circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}), [])
        text = "from recto import term\ndef f():\n    from recto.pages import runs, pages\n    import recto.place\n"
        known = {"recto", "recto.term", "recto.pages", "recto.pages.runs", "recto.pages.pages", "recto.place"}
        self.assertEqual(imports(text, known), known - {"recto", "recto.pages"})

    def test_no_module_imports_itself_through_others(self):
        self.assertGreater(sum(map(len, self.edges.values())), 100)
        self.assertEqual(circle(self.edges), [])

    def test_no_package_imports_itself_through_others(self):
        """What lies in tools/recto itself is the lowest floor."""
        def package(name: str) -> str:
            return ".".join(name.split(".")[:2]) if name.count(".") > 1 else name.split(".")[0]

        between: dict[str, set[str]] = {}
        for name, others in self.edges.items():
            between.setdefault(package(name), set()).update({package(other) for other in others} - {package(name)})
        self.assertEqual(circle(between), [])

    def test_the_book_imports_the_tools_in_one_place(self):
        importing = {name for name, others in self.edges.items()
                     if name.startswith("recto_book") and any(other.startswith("recto.") for other in others)}
        self.assertEqual(importing, {"recto_book.tools"})

    def test_no_file_patches_the_path(self):
        pattern = re.compile(r"\bsys\s*\.\s*path\b")
        files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if path != Path(__file__).resolve()]
        self.assertGreater(len(files), 100)
        self.assertEqual([str(path) for path in files if pattern.search(path.read_text(encoding="utf-8"))], [])


class Commands(unittest.TestCase):
    def test_the_overview_without_python_is_the_one_with_it(self):
        self.assertEqual(help.HELP.read_text(encoding="utf-8"), help.overview(), "PYTHONPATH=tools python3 -m recto.cli.help")

    def test_each_command_calls_a_function_that_there_is(self):
        places = re.findall(r'later\("([\w.]+)"', (ROOT / "tools" / "recto" / "cli" / "table.py").read_text())
        self.assertGreater(len(places), 10)
        for place in places:
            module, _, name = place.rpartition(".")
            self.assertTrue(callable(getattr(importlib.import_module(f"recto.{module}"), name, None)), place)

    def test_no_command_waits_for_what_others_need(self):
        done = subprocess.run([sys.executable, "-c", "import recto.cli.main, sys; print(*sys.modules)"], capture_output=True, text=True,
                              cwd=ROOT / "tools")
        found = {name for name in done.stdout.split() if name.startswith("recto.")}
        self.assertIn("recto.cli.main", found)
        self.assertEqual({name for name in found if re.match(r"recto\.(judge\.(?!arguments)|book|checks|gpu|register)", name)}, set())

    def test_the_shell_installs_for_the_commands_that_say_so(self):
        [listed] = re.findall(r"^ *([a-z |]+)\) \. \"\$root/tools/install\.sh\"; install_for", (ROOT / "recto").read_text(), re.M)
        self.assertEqual(set(listed.split(" | ")), {name for name, command in table.COMMANDS.items() if command.installs})


if __name__ == "__main__":
    unittest.main()
