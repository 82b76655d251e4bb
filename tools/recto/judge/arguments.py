"""The student's commands, their purpose and their arguments."""
import argparse

ABOUT = {
    "start": "Copies the stub of an exercise, or the stubs of a set, into work/; your files there are never overwritten.",
    "exercises": "Lists the exercises with their state and your marks.",
    "grade": "Grades your file, or all files that you have begun: builds each in a sandbox, calls its functions, compares "
             "the answers. Exit 0 if everything passes.",
    "watch": "Grades at every save, and goes on to the next exercise when one is solved. Ctrl-C ends it.",
    "hint": "Shows the next of three hints, from a nudge to almost the solution.",
    "solution": "Shows the reference solution of a solved exercise.",
    "release": "Writes a tree without solutions to hand out, and beside it the bundle with which an instructor grades.",
}


def parser_of(command: str, words_: argparse.ArgumentParser) -> None:
    """Adds the arguments of a student's command."""
    if command in ("start", "watch", "grade"):
        words_.add_argument("exercise", nargs="?", metavar="EXERCISE|SET", help="such as softmax (./recto exercises)")
    if command == "hint":
        words_.add_argument("exercise", nargs="?", metavar="EXERCISE", help="default: your current exercise")
    if command == "solution":
        words_.add_argument("exercise", metavar="EXERCISE", help="such as softmax")
        words_.add_argument("--give-up", action="store_true", help="show it before the exercise is solved")
    if command in ("watch", "grade"):
        words_.add_argument("--quick", action="store_true", help="without the training parts")
    if command == "grade":
        words_.add_argument("--file", metavar="F", help="grade this file instead of the one in work/")
        words_.add_argument("--seed", type=int, metavar="S", help="seed of the random cases (default: a new seed each time)")
        words_.add_argument("--late", action="store_true", help="handed in late: the mark is at most 1")
        words_.add_argument("--json", action="store_true", help="the report as JSON (exercises/result.schema.json)")
        words_.add_argument("--junit", metavar="F", help="write the report as JUnit's XML")
        words_.add_argument("--gradescope", metavar="F", help="write the report as Gradescope's results.json")
        words_.add_argument("--classroom50", metavar="F", help="write the report as Classroom 50's result.json")
        words_.add_argument("--replay", metavar="PART:CASE:SEED", help="run one case again, as a message says")
        words_.add_argument("--gdb", action="store_true", help="with --replay: in the debugger, outside the sandbox")
        words_.add_argument("--untrusted", action="store_true", help="refuse to run if namespaces are forbidden")
        words_.add_argument("--submissions", metavar="DIR", help="grade a class: one folder for each student")
        words_.add_argument("--csv", metavar="F", help="with --submissions: the file for the marks")
        words_.add_argument("--jobs", type=int, metavar="N", help="with --submissions: the number of parallel gradings")
        words_.add_argument("--bundle", metavar="F", help="in a tree that was handed out: the instructor's bundle")
    if command == "release":
        words_.add_argument("folder", metavar="DIR", help="a new folder; the bundle lies beside it")
