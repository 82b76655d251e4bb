"""What a tree that is handed out says otherwise than the whole project: the folders with the answers are not there."""
import re
from pathlib import Path

from recto.place import Failure

PROVER = "`tests/exercises/prove.py"
# In these files, the first words become the second; how lines are broken does not matter.
OTHERWISE = {
    ".ci/run": [("stage exercises python3 tests/exercises/prove.py \"$anew\"\n", "")],
    "README.md": [
        ("then edit `work/foundations/softmax/softmax.cpp` while `./recto watch softmax` grades it at every save.",
         "then edit\n   `work/foundations/softmax/softmax.cpp` and hand it in."),
        ("**This tree contains the answers**, in `solutions/`: it is a book. To teach with it, hand out a tree "
         "without them: `./recto release DIR` writes it, and beside it the bundle that `./recto grade --bundle` needs; "
         "`./recto grade SET --submissions FOLDER --csv FILE` grades a class.",
         "The teacher has the answers\nin a bundle: `./recto grade EXERCISE --bundle FILE` grades with it, "
         "and with `--submissions FOLDER --csv FILE` a class.")],
    "exercises/index.md": [
        ("./recto watch softmax     # grades it whenever you save\n", ""),
        ("In `solutions/`, in the open: this is a book. `./recto solution` shows a solution once you have solved the "
         "exercise, or earlier with `--give-up`. A teacher hands out a tree without the solutions (`./recto release`).",
         "With your teacher: this tree was handed out without them.")],
    "CONTRIBUTING.md": [(f"every exercise ({PROVER}`), ", "")],
    "ARCHITECTURE.md": [
        ("solutions/            what the judge keeps to itself: judge.py, reference, wrong and unusual right answers\n",
         ""),
        ("`solutions/SET/NAME` is what the judge keeps:", "What the judge keeps is not in this tree:"),
        (" A tree that is handed out (`recto release`) is the project without `solutions/`.", ""),
        (f"| `proven.py` | what {PROVER}` found, by receipt, for the register |",
         "| `proven.py` | what was proved of the exercises |"),
        (f"| `exercises.json` | exercise | {PROVER}` | exercise, solution, kit, judge, the rooms of the library that it links |\n",
         ""),
        (f"{PROVER}` proves for every exercise", "The whole project\nproves for every exercise"),
        ("`tests/judge/hostile` holds", "The whole project holds")],
}
SECTIONS = {"CONTRIBUTING.md": "## Adding an exercise"}      # which can be done in the whole project alone


def rewrite(home: Path) -> None:
    """Changes these files in the tree; a Failure if they do not hold the words any more."""
    for name, changes in OTHERWISE.items():
        path = home / name
        text = path.read_text(encoding="utf-8")
        for old, new in changes:
            text = once(r"\s+".join(map(re.escape, re.split(r"\s+", old))), new, text, name)
        if name in SECTIONS:
            text = once(rf"(?ms)^{re.escape(SECTIONS[name])}\n.*?(?=^## )", "", text, name)
        path.write_text(text, encoding="utf-8")


def once(pattern: str, new: str, text: str, name: str) -> str:
    """The text with what fits the pattern replaced, which must be there once."""
    changed, count = re.subn(pattern, lambda _: new, text)
    if count != 1:
        raise Failure(f"release: {name} says {count} times what a tree that is handed out says otherwise "
                      "(tools/recto/judge/released.py)")
    return changed
