"""A sentence for a program that crashed, with the student's line where it is known."""
import re

from recto.judge.sandbox import one_line

SIGNALS = {4: "an instruction that does not exist", 6: "it gave up (abort)", 7: "a bus error", 8: "a division by zero",
           9: "killed", 11: "memory that is not its own (segmentation fault)", 13: "a closed pipe",
           25: "a file that grew too large", 31: "a forbidden system call"}


def crash(code: int, printed: str) -> str:
    """A sentence for a signal."""
    if "Assertion" in printed and "size()" in printed:
        return "the program stopped: an index outside a std::vector"
    found = re.search(r"Assertion '(.*?)' failed|Assertion `(.*?)' failed|what\(\):\s+(.*)", printed)
    detail = f": {next(filter(None, found.groups()))}" if found else ""
    return f"the program crashed: {SIGNALS.get(code, f'signal {code}')}{one_line(detail)}"


def sanitizer(printed: str) -> str:
    """A sentence for what AddressSanitizer or UBSan reported, with the student's line."""
    line = next((f", in {m[1]} line {m[2]}" for m in re.finditer(r"/student/([\w.-]+):(\d+)", printed)), "")
    undefined = re.search(r"runtime error: (.*)", printed)
    if undefined:
        return f"what the language leaves undefined: {one_line(undefined[1])}{line}"
    kind = re.search(r"AddressSanitizer: ([\w-]+)", printed)
    names = {"heap-buffer-overflow": "an index outside memory that was allocated",
             "stack-buffer-overflow": "an index outside an array", "global-buffer-overflow": "an index outside an array",
             "heap-use-after-free": "memory that was given back already", "stack-use-after-scope": "a variable that is gone",
             "stack-use-after-return": "a variable of a function that has returned", "container-overflow":
             "an element beyond the size of a container", "stack-overflow": "too deep a recursion, the stack is full",
             "SEGV": "memory that is not its own", "FPE": "a division by zero", "ABRT": "it gave up (abort)",
             "attempting": "memory freed twice, or never allocated", "allocation-size-too-big": "a size that makes no sense",
             "negative-size-param": "a negative size", "requested": "a size that makes no sense"}
    if kind and kind[1] == "ABRT" and "Assertion" in printed:
        return f"an index outside a std::vector{line}"
    return f"the program crashed: {names.get(kind[1], kind[1]) if kind else 'a sanitizer stopped it'}{line}"
