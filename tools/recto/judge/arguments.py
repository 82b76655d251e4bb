"""What the commands of a student are for, and the words that they understand."""
import argparse

ABOUT = {
    "start": "Copies the stub of an exercise, or those of a set, into work/, which is yours: nothing there is ever overwritten.",
    "exercises": "Lists the exercises with their state and your marks.",
    "grade": "Grades your file, or all that you have begun: builds it in a sandbox, asks it questions, compares the answers. "
             "Exit 0 if all of it passes.",
    "watch": "Grades whenever you save, and goes on to the next exercise when one is solved. Ctrl-C ends it.",
    "hint": "The next of three hints, from a nudge to nearly there.",
    "solution": "Shows the reference solution of an exercise that is solved.",
    "release": "Writes a tree for handing out, without solutions, and beside it the bundle that an instructor grades with.",
}


def parser_of(command: str, words_: argparse.ArgumentParser) -> None:
    """Adds the words that a student's command understands."""
    if command in ("start", "watch", "grade"):
        words_.add_argument("exercise", nargs="?", metavar="EXERCISE|SET", help="such as softmax (./recto exercises)")
    if command == "hint":
        words_.add_argument("exercise", nargs="?", metavar="EXERCISE", help="default: the one you are at")
    if command == "solution":
        words_.add_argument("exercise", metavar="EXERCISE", help="such as softmax")
        words_.add_argument("--give-up", action="store_true", help="show it although it is not solved")
    if command in ("watch", "grade"):
        words_.add_argument("--quick", action="store_true", help="without the training parts")
    if command == "grade":
        words_.add_argument("--file", metavar="F", help="grade this file instead of the one in work/")
        words_.add_argument("--seed", type=int, metavar="S", help="of the random cases (default: a new one each time)")
        words_.add_argument("--late", action="store_true", help="handed in late: the mark is 1 at most")
        words_.add_argument("--json", action="store_true", help="the report as JSON (exercises/result.schema.json)")
        words_.add_argument("--junit", metavar="F", help="write the report as JUnit's XML")
        words_.add_argument("--gradescope", metavar="F", help="write the report as Gradescope's results.json")
        words_.add_argument("--classroom50", metavar="F", help="write the report as Classroom 50's result.json")
        words_.add_argument("--replay", metavar="PART:CASE:SEED", help="run one case again, as a message says")
        words_.add_argument("--gdb", action="store_true", help="with --replay: in the debugger, outside the sandbox")
        words_.add_argument("--untrusted", action="store_true", help="refuse to run where namespaces are forbidden")
        words_.add_argument("--submissions", metavar="DIR", help="grade a class: one folder a student")
        words_.add_argument("--csv", metavar="F", help="with --submissions: where the marks go")
        words_.add_argument("--jobs", type=int, metavar="N", help="with --submissions: how many at once")
        words_.add_argument("--bundle", metavar="F", help="in a tree that was handed out: what the instructor kept")
    if command == "release":
        words_.add_argument("folder", metavar="DIR", help="a new folder; the bundle lies beside it")
