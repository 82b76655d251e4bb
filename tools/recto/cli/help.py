"""The overview that `recto --help` prints, as the table of commands says it.

It is kept in tools/help.txt, which ./recto prints where there is no Python. After a change of the table:
PYTHONPATH=tools python3 -m recto.cli.help
"""
from recto.cli.table import GROUPS
from recto.place import ROOT, write

HELP = ROOT / "tools" / "help.txt"
FIRST = "recto: a deep-learning textbook whose every figure runs\n\n"
LAST = ("  ./recto COMMAND --help        more about one of them\n\n"
        "Missing packages of the distribution are installed after one question; --yes answers it.\n")


def overview() -> str:
    """The text of `./recto --help`: a line for each command, in groups."""
    groups = ("".join(f"  {f'./recto {command.name} {command.usage}':<29} {command.overview}\n" for command in group
                      if command.overview) for group in GROUPS)
    return FIRST + "".join(f"{group}\n" for group in groups) + LAST


if __name__ == "__main__":
    write(HELP, overview())
