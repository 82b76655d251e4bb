"""`recto bench`: builds the benchmarks, runs them, and keeps what a whole run found for the page How fast is it."""
import datetime
import json
import subprocess
from typing import Any

import build
import machine
import term
from place import BUILD, MAIN, write_json

KEPT = BUILD / "bench.json"


def line(found: dict[str, Any]) -> str:
    """One line for people."""
    if "limit" in found:
        return f"{found['limit']:<32} {found['value']:>12.1f} {found['unit']}"
    rate = f"{found['gflops']:>8.1f} GFLOP/s" if found["gflops"] else ""
    return (f"{found['workload']:<32} {found['samples_per_s']:>12.1f} {found['unit'] + 's/s':<10} "
            f"{found['step_ms_median']:>10.4g} ms a step {rate}")


def measure(words: list[str], as_json: bool) -> tuple[int, list[dict[str, Any]]]:
    """Runs the program and shows each line as it comes. Returns its exit status and what it found."""
    found = []
    with subprocess.Popen([str(MAIN / "recto_bench"), *words], stdout=subprocess.PIPE, text=True) as process:
        for text in process.stdout or ():
            found.append(json.loads(text))
            term.say(text.rstrip() if as_json else line(found[-1]))
    return process.returncode, found


def bench(words: list[str]) -> int:
    """The command. Without words it runs all workloads and the limits, and keeps them."""
    if not (MAIN / "build.ninja").exists():
        build.configure(machine.has_catch2())
    build.compile(["recto_bench"])
    asked = [word for word in words if word != "--json"]
    code, found = measure(asked, "--json" in words)
    if asked or code:
        return code
    code, limits = measure(["--limits"], "--json" in words)
    if code == 0:
        write_json(KEPT, {"machine": machine.processor()[0], "date": datetime.date.today().isoformat(),
                          "limits": limits, "workloads": found})
    return code
