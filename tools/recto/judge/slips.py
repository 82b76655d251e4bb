"""Which small slip gives a wrong answer? One place at a time of the judge's own functions is changed, and the part is judged again
on the answers that the student's program gave. A change with which the wrong answers become the expected ones, while the right
ones stay expected, is what the student may have written.

This names mistakes that the author of the exercise did not foresee. It does not use the student's text.
"""
import ast
import copy
import inspect
import os
import resource
import select
import signal
import sys
import textwrap
import time
import traceback
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

from recto.judge.comparing import difference
from recto.judge.frames import Array, encode
from recto.judge.judging import Student, Wrong

SEARCH = 2.0            # seconds for the search
MEMORY = 4 << 30        # bytes of addresses
LONGEST, SHORTEST = 70, 5       # characters of a step that is shown
OTHER = {ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.Div], ast.Div: [ast.Mult], ast.FloorDiv: [ast.Div],
         ast.Lt: [ast.LtE, ast.Gt], ast.LtE: [ast.Lt, ast.GtE], ast.Gt: [ast.GtE, ast.Lt], ast.GtE: [ast.Gt, ast.LtE],
         ast.Eq: [ast.NotEq], ast.NotEq: [ast.Eq], ast.And: [ast.Or], ast.Or: [ast.And]}
NAMES = {"max": ["min"], "min": ["max"], "log": ["log2", "log10", "log1p"], "log1p": ["log"], "expm1": ["exp"], "floor": ["ceil", "round"], "any": ["all"],
         "all": ["any"], "ceil": ["floor"], "round": ["int"]}


class Foreign(Exception):
    """Raised when the changed judge asks another question, or has no recorded answer to compare: the change explains nothing."""


class Ended(Exception):
    """Raised when the recorded answers are used up."""


class Recorded(Student):
    """A program's recorded answers, with a count of the comparisons that a change explains."""

    def __init__(self, student: Student, seed: int):
        super().__init__(student.process, seed, [], student.seconds)
        self.sanitized, self.emulated, self.counts = student.sanitized, student.emulated, student.counts
        self.record, self.verdicts, self.tolerances = student.record, student.verdicts, student.tolerances
        self.compared = self.explained = self.unmoved = 0
        self.telling: set[float] = set()        # numbers among what is explained that are not met by chance

    def exchange(self, function: str, arguments: tuple, frame: bytes) -> bytes:
        if self.case not in self.record:
            raise Ended
        asked, got = self.record[self.case]
        if asked != frame:
            raise Foreign
        return got

    def compare(self, got: Any, expected: Any, within: float = 0, relative: float = 0, about: str = "", function: str = "",
                arguments: tuple = ()) -> None:
        if self.compared == len(self.verdicts):
            raise Ended
        was = self.verdicts[self.compared]
        within, relative = self.tolerances[self.compared]   # a change that widens these explains nothing
        self.compared += 1
        if same(got, expected, within, relative):
            if was is not None:
                self.explained += 1
                self.telling.update(number for number in numbers(got) if abs(number) < 1e15 and number != int(number))
        elif was != encoded(expected):
            raise Foreign               # a right answer is no longer expected, or a third one is
        else:
            self.unmoved += 1

    def plausible(self) -> bool:
        """Whether the change explains enough comparisons to be reported."""
        return self.explained > self.unmoved and (len(self.telling) > 1 or self.explained > 2)


def same(got: Any, expected: Any, within: float, relative: float) -> bool:
    """Whether one answer, or each of several, is as expected."""
    if isinstance(expected, tuple):
        return len(got) == len(expected) and all(same(*pair, within, relative) for pair in zip(got, expected))
    return difference(got, expected, within, relative) is None


def encoded(expected: Any) -> tuple[bytes, ...]:
    """The expected values, to the bit."""
    return tuple(map(encode, expected if isinstance(expected, tuple) else (expected,)))


def numbers(value: Any) -> list[float]:
    """All finite numbers in an answer."""
    if isinstance(value, Array):
        value = value.numbers
    if isinstance(value, (list, tuple)):
        return [number for one in value for number in numbers(one)]
    return [value] if isinstance(value, (int, float)) and value - value == 0 else []


def replace(node: ast.AST, field: str, value: Any) -> ast.AST:
    """A copy of a node with another field."""
    changed = copy.copy(node)
    setattr(changed, field, value)
    return changed


def others(node: ast.AST) -> Iterator[ast.AST | None]:
    """The possible replacements of an expression or statement; None stands for leaving it out."""
    if isinstance(node, ast.BinOp):
        for operator in OTHER.get(type(node.op), []):
            yield replace(node, "op", operator())
        yield node.left
        if isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
            yield node.right
        if isinstance(node.op, (ast.Sub, ast.Div)):
            yield ast.BinOp(node.right, node.op, node.left)
        if isinstance(node.op, ast.Div):
            yield ast.BinOp(node.left, node.op, ast.BinOp(node.right, ast.Sub(), ast.Constant(1)))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        yield node.operand
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for operator in OTHER.get(type(node.ops[0]), []):
            yield replace(node, "ops", [operator()])
    elif isinstance(node, ast.BoolOp):
        yield replace(node, "op", OTHER[type(node.op)][0]())
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield from (ast.Constant(node.value + step) for step in (1, -1))
    elif isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        yield from (replace(node, "func", ast.Name(other, ast.Load())) for other in NAMES.get(name, []))
        if name == "range":
            last = len(node.args) - (len(node.args) == 3) - 1
            yield replace(node, "args", [ast.BinOp(one, ast.Sub(), ast.Constant(1)) if at == last else one
                                         for at, one in enumerate(node.args)])
            if last == 0:
                yield replace(node, "args", [ast.Constant(1), *node.args])
        elif len(node.args) == 1 and not node.keywords:
            yield node.args[0]
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        if isinstance(node.slice, ast.Slice):
            yield node.value
        elif isinstance(node.value, ast.Subscript) and not isinstance(node.value.slice, ast.Slice):
            yield ast.Subscript(ast.Subscript(node.value.value, node.slice, node.ctx), node.value.slice, node.ctx)
    elif isinstance(node, ast.AugAssign):
        yield ast.Assign([node.target], node.value)
        yield from (replace(node, "op", operator()) for operator in OTHER.get(type(node.op), []))
        yield None
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        yield ast.AugAssign(node.targets[0], ast.Add(), node.value)
        yield None
    elif isinstance(node, (ast.If, ast.Continue, ast.Break)) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield None
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield replace(node, "ifs", node.ifs[1:])


def swaps(function: ast.FunctionDef) -> dict[str, list[str]]:
    """For each name of an argument or of a loop's range: the other names that may be confused with it."""
    arguments = [argument.arg for argument in function.args.args if argument.arg != "self"]
    loops = sorted({name.id for node in ast.walk(function) if isinstance(node, (ast.For, ast.comprehension))
                    for name in ast.walk(node.target) if isinstance(name, ast.Name)})
    return {name: [other for other in names if other != name] for names in (arguments, loops) for name in names}


def shown(node: ast.AST) -> str:
    """The text of a step in a message."""
    text = ast.unparse(node).splitlines()[0]
    return f"`{text}`" if len(text) <= LONGEST else f"`{text[:LONGEST - 3]}...`"


def changes(function: ast.FunctionDef) -> Iterator[tuple[ast.FunctionDef, str]]:
    """The function with one place changed, and the change in words. It is changed in place: use one before the next."""
    mistaken = swaps(function)
    for parent in list(ast.walk(function)):
        for field, value in list(ast.iter_fields(parent)):
            if field in ("decorator_list", "args", "returns", "annotation") and not isinstance(parent, ast.Call):
                continue
            for at, node in enumerate(value if isinstance(value, list) else [value]):
                if not isinstance(node, ast.AST):
                    continue
                found = list(others(node))
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    found += [ast.Name(other, ast.Load()) for other in mistaken.get(node.id, [])]
                for other in found:
                    if len(ast.unparse(node)) < SHORTEST and not isinstance(parent, ast.expr):
                        continue        # the sentence would be ambiguous
                    place = parent if isinstance(node, (ast.Name, ast.Constant)) and isinstance(parent, ast.expr) else node
                    before = shown(place if not isinstance(node, ast.IfExp) else node.orelse if other is node.body else node.body)
                    new = ast.copy_location(other if other is not None else ast.Pass(), node)
                    if isinstance(value, list):
                        value[at] = new
                    else:
                        setattr(parent, field, new)
                    after = shown(place if place is parent else new)
                    yield function, f"{before} is left out" if other is None else f"{before} is replaced by {after}"
                    if isinstance(value, list):
                        value[at] = node
                    else:
                        setattr(parent, field, node)


def parsed(function: FunctionType) -> ast.FunctionDef | None:
    """The syntax tree of a function, without its decorators; None if a change could make it run without end."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    if not isinstance(tree, ast.FunctionDef) or any(isinstance(node, ast.While) for node in ast.walk(tree)):
        return None
    tree.decorator_list = []
    return tree


def compiled(tree: ast.FunctionDef, function: FunctionType) -> CodeType | None:
    """The code of a changed function; None if it cannot take the place of what it was."""
    module = ast.Module([tree], [])
    ast.fix_missing_locations(module)
    made = compile(module, function.__code__.co_filename, "exec")
    code = next(one for one in made.co_consts if isinstance(one, CodeType) and one.co_name == tree.name)
    return code if code.co_freevars == function.__code__.co_freevars else None


def own_functions(folder: str) -> list[FunctionType]:
    """The functions and methods in the files of a judge, except the parts themselves."""
    found = {}
    for module in [module for module in list(sys.modules.values()) if (getattr(module, "__file__", None) or "").startswith(folder)]:
        for value in list(vars(module).values()):
            for one in [value, *vars(value).values()] if isinstance(value, type) else [value]:
                one = inspect.unwrap(one) if callable(one) else one
                if isinstance(one, FunctionType) and one.__code__.co_filename.startswith(folder) and not hasattr(one, "part"):
                    found[one.__code__] = one
    return list(found.values())


def judged_again(function: Callable, student: Student, seed: int) -> Recorded | None:
    """The result of the part on the recorded answers with the changed functions; None if they explain nothing."""
    again = Recorded(student, seed)
    try:
        function(again)
    except (Ended, Wrong):
        pass
    except Exception:       # a changed function may fail in any way
        return None
    return again if again.compared == len(again.verdicts) else None


def used(function: Callable, student: Student, seed: int) -> list[FunctionType]:
    """The judge's functions that affect its expected answers."""
    ran = set()

    def note(frame, event, _):
        if event == "call":
            ran.add(frame.f_code)
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        judged_again(function, student, seed)
    finally:
        sys.setprofile(before)
    return [one for one in own_functions(str(sys.modules[function.__module__].__file__).rpartition("/")[0] + "/") if one.__code__ in ran]


def slip(function: Callable, student: Student, seed: int) -> str:
    """The change that explains most of the wrong answers of a part; empty if none does. Changes functions: only in a process
    of its own."""
    until = time.monotonic() + SEARCH
    best, words = 0, ""
    for one in used(function, student, seed):
        sound, tree = one.__code__, parsed(one)
        for changed, said in changes(tree) if tree else ():
            if time.monotonic() > until:
                return words
            try:
                code = compiled(changed, one)
            except (SyntaxError, ValueError, TypeError):
                continue
            if code is None:
                continue
            one.__code__ = code
            again = judged_again(function, student, seed)
            one.__code__ = sound
            if again and again.plausible() and again.explained > best:
                best, words = again.explained, said
    return words


def searched(function: Callable, student: Student, seed: int) -> str:
    """The same, in a child of this process: other gradings use the same functions, and a change may need any time and memory."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        try:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            os.write(writes, slip(function, student, seed).encode())
        except Exception:
            if os.environ.get("RECTO_JUDGE_TRACE"):
                traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writes)
    ready, _, _ = select.select([reads], [], [], SEARCH + 1)
    found = os.read(reads, 4096).decode() if ready else ""
    os.close(reads)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return found
