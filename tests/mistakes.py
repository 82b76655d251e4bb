"""Can a proof fail? Makes each deliberate mistake of mistakes.json and shows which parts of the register turn red.

    python3 tests/mistakes.py [ROW | ROW/PART ...]

Works on a copy of the tracked tree in build/mistakes, which is kept, so that a later run builds only what changed.
Ends with one line: N passed, N failed, and how many rows have no mistake yet.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REGISTERS = [ROOT / "book/register/1-foundations.json", ROOT / "book/register/2-training.json"]
PLACE = ROOT / "build/mistakes"
TREE, BUILD, OUT = PLACE / "tree", PLACE / "build", PLACE / "out"


class Broken(Exception):
    """A mistake that could not be judged; the text says why."""


def run(command: list[str], seconds: int = 1800) -> subprocess.CompletedProcess[str]:
    """Runs a command politely and keeps what it printed."""
    try:
        return subprocess.run(["nice", *command], cwd=ROOT, text=True, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Broken(f"it ran for more than {seconds} s") from None


def copy_tree() -> None:
    """Brings the copy up to date; what is the same already keeps its time stamp."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, text=True, capture_output=True, check=True)
    wanted = {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}
    for name in wanted:
        source, copy = ROOT / name, TREE / name
        if copy.is_file() and copy.read_bytes() == source.read_bytes():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())
        copy.chmod(source.stat().st_mode)
    for copy in [path for path in TREE.rglob("*") if path.is_file()]:
        if str(copy.relative_to(TREE)) not in wanted and "__pycache__" not in copy.parts:
            copy.unlink()


def configure() -> None:
    """Once: later builds see by themselves what has changed."""
    if (BUILD / "build.ninja").exists():
        return
    done = run(["cmake", "-S", str(TREE), "-B", str(BUILD), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                "-DRECTO_TESTS=ON"])
    if done.returncode != 0:
        sys.exit(f"cmake: {done.stderr.strip()[-2000:]}")


def build(target: str) -> None:
    """Builds one target."""
    done = run(["cmake", "--build", str(BUILD), "-j2", "-t", target])
    if done.returncode != 0:
        raise Broken("it does not compile: " + next(
            (line for line in done.stdout.splitlines() if "error:" in line), done.stdout.strip()[-300:]))


def red_of_page(name: str) -> tuple[set[str], set[str]]:
    """Runs a page: the parts its claims name, and those that are broken. A timing never is."""
    build(f"page_{name}")
    trace = OUT / name / "trace.jsonl"
    trace.unlink(missing_ok=True)
    done = run([str(BUILD / "pages" / name), "--out", str(OUT / name)], 300)
    if not trace.exists():
        raise Broken(f"the page ended early: {done.stderr.strip()[-300:]}")
    records = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    claims = [r for r in records if r["kind"] == "claim" and r["judged"] and not r["timing"]]
    red = {c["part"] for c in claims if c["holds"] != (c["expect"] == "holds")} - {""}
    if red and done.returncode != 1:
        raise Broken(f"a claim is broken, and the page exits with {done.returncode}")
    return {c["part"] for c in claims}, red


def red_of_test(flavour: str, part: str) -> tuple[set[str], set[str]]:
    """Runs the tests that prove a part; Catch2 fails when there is none."""
    target = {"float": "recto_tests", "double": "recto_tests64"}[flavour]
    build(target)
    done = run([str(BUILD / target), f"[row:{part}]"], 300)
    if "No test" in done.stdout + done.stderr:
        raise Broken(f"there is no test with the tag [row:{part}]")
    return {part}, {part} if done.returncode != 0 else set()


def red(proof: str, part: str) -> tuple[set[str], set[str]]:
    """Asks for the proof of a part: `page NAME`, `test float` or `test double`."""
    kind, name = proof.split()
    return red_of_page(name) if kind == "page" else red_of_test(name, part)


def try_mistake(mistake: dict[str, str], sound: dict[str, tuple[set[str], set[str]]]) -> str:
    """Makes one mistake and takes it back. Returns the parts that turned red with the one that must."""
    part, proof = f"{mistake['row']}/{mistake['part']}", mistake["proof"]
    key = proof if proof.startswith("page") else f"{proof} {part}"
    if key not in sound:
        try:
            sound[key] = red(proof, part)
        except Broken as why:
            raise Broken(f"without the mistake, {why}") from None
    named, already = sound[key]
    if part not in named or part in already:
        raise Broken("without the mistake it is " + ("red too" if part in already else "not claimed"))
    file = TREE / mistake["file"]
    before = file.read_text(encoding="utf-8")
    if before.count(mistake["old"]) != 1:
        raise Broken(f"wanted the old text once in {mistake['file']}, found it {before.count(mistake['old'])} times")
    try:
        file.write_text(before.replace(mistake["old"], mistake["new"]), encoding="utf-8")
        turned = red(proof, part)[1] - already
    finally:
        file.write_text(before, encoding="utf-8")
    if part not in turned:
        raise Broken("STILL GREEN" + (f", but red: {', '.join(sorted(turned))}" if turned else ""))
    others = sorted(turned - {part})
    return "red" + (f", with {', '.join(others)}" if others else "")


def main() -> int:
    """All mistakes, or those of the rows and parts that are named."""
    mistakes = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    rows = [row["id"] for register in REGISTERS for row in json.loads(register.read_text(encoding="utf-8"))["rows"]]
    wanted = sys.argv[1:]
    chosen = [m for m in mistakes if not wanted or m["row"] in wanted or f"{m['row']}/{m['part']}" in wanted]
    covered = {m["row"] for m in mistakes} | {f"{m['row']}/{m['part']}" for m in mistakes}
    unknown = [name for name in wanted if name not in covered]
    if unknown:
        print(f"mistakes.py: no mistake is listed for {', '.join(unknown)}", file=sys.stderr)
        return 2
    copy_tree()
    configure()
    passed = failed = 0
    sound: dict[str, tuple[set[str], set[str]]] = {}       # what each proof says of the tree as it is
    for mistake in chosen:
        try:
            verdict = try_mistake(mistake, sound)
        except Broken as why:
            verdict = str(why)
        passed, failed = passed + verdict.startswith("red"), failed + (not verdict.startswith("red"))
        print(f"{mistake['row']}/{mistake['part']}: {mistake['words']}: {verdict}", flush=True)
    print(f"{passed} passed, {failed} failed, {len(set(rows) - covered)} of {len(rows)} rows have no mistake")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
