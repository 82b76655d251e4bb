"""`recto bench`: builds the benchmarks, runs them, and keeps what a whole run found for the page How fast is it."""
import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from recto import machine, term
from recto.build import cmake
from recto.gpu import profile
from recto.place import BUILD, PAGES, Failure, write_json

KEPT = BUILD / "bench.json"
MLP = "mlp_784_256_128_10_b64"


def line(found: dict[str, Any]) -> str:
    """Formats one result as a line for people."""
    if "not_run" in found:
        return f"{found['workload']:<32} not run on {found['device']}: {found['not_run']}"
    if "limit" in found:
        return f"{found['limit']:<32} {found['value']:>12.1f} {found['unit']}"
    if "measure" in found:
        return f"{found['measure']:<32} {found['value']:>12.1f} {found['unit']:<10} {found['wanted']:>10.4g} wanted at most"
    rate = f"{found['gflops']:>8.1f} GFLOP/s" if found["gflops"] else ""
    return (f"{found['workload']:<32} {found['samples_per_s']:>12.1f} {found['unit'] + 's/s':<10} "
            f"{found['step_ms_median']:>10.4g} ms a step {rate}")


def results(program: Path, words: list[str]) -> Iterator[dict[str, Any]]:
    """Yields the program's results as they arrive. Its temporary folder is removed, also after an interrupt."""
    with (tempfile.TemporaryDirectory() as home,
          subprocess.Popen([str(program), *words], stdout=subprocess.PIPE, text=True,
                           env=os.environ | {"TMPDIR": home}) as process):
        yield from (json.loads(text) for text in process.stdout or ())
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, program)


def workloads(program: Path, words: list[str], options: list[str]) -> Iterator[dict[str, Any]]:
    """Runs the named workloads, each in a separate process, so that its peak memory is measured alone."""
    names = subprocess.run([str(program), *words, *options, "--list"], stdout=subprocess.PIPE, text=True, check=True)
    for name in names.stdout.split():
        yield from results(program, [name, *options])


def profiles(program: Path, asked: argparse.Namespace, options: list[str]) -> None:
    """Where the time of the workloads goes. The limits are measured in the same minutes."""
    load = os.getloadavg()[0]
    limits = list(results(program, ["--limits", *options]))
    names = profile.WORKLOADS if asked.write else [asked.workload] if asked.workload else [""]
    kept = []
    for name in names:
        for found in workloads(program, [name] if name else [], [*options, "--profile"]):
            if "not_run" in found:
                term.say(json.dumps(found) if asked.json else line(found))
                continue
            kept.append(profile.profile(found, limits))
            for text in [json.dumps(kept[-1])] if asked.json else [*profile.table(kept[-1]), ""]:
                term.say(text)
    if asked.write:
        profile.keep(limits, kept, load)


def startup(_program: Path) -> dict[str, Any]:
    """Measures the time from the start of a page program to its first line."""
    cmake.compile(["page_fit_curve"])
    took = []
    for _ in range(21):
        start = time.perf_counter()
        with subprocess.Popen([str(PAGES / "fit_curve"), "--quick"], stdout=subprocess.PIPE) as process:
            said = process.stdout.readline() if process.stdout else b""
            took.append(time.perf_counter() - start)
            process.kill()
        if not said:
            raise Failure("the page fit_curve said nothing")
    return {"measure": "a page from start to first line", "value": 1e3 * statistics.median(took), "unit": "ms", "wanted": 20}


def memory(program: Path) -> dict[str, Any]:
    """Measures the peak memory of training the perceptron of the workloads."""
    [found] = results(program, [MLP, "--seconds", "1"])
    return {"measure": "memory of training the MLP", "value": found["peak_rss_mib"], "unit": "MiB", "wanted": 60}


def neighbour(program: Path) -> dict[str, Any]:
    """How much slower the same training is beside a process that keeps one processor busy.

    By the mean step: the system lets one run for some steps, then the other, and a median would see the first alone.
    """
    def step() -> float:
        [found] = results(program, [MLP, "--seconds", "2"])
        return found["step_ms_mean"]

    alone = step()
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        try:
            beside = step()
        finally:
            busy.kill()
    return {"measure": "the MLP beside a busy process", "value": beside / alone, "unit": "x slower", "wanted": 2.5}


MEASURES = {"startup": startup, "memory": memory, "neighbour": neighbour}


def bench(asked: argparse.Namespace) -> int:
    """Runs `recto bench`. Without arguments it runs and keeps all workloads, limits and measures."""
    program = cmake.program("recto_bench", asked.device or "cpu")
    options = [word for name in ("threads", "device", "matmul", "seconds") if (value := getattr(asked, name))
               for word in (f"--{name}", value)] + ["--small"] * asked.small + ["--captured"] * asked.captured

    def shown(all_found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        kept = []
        for found in all_found:
            term.say(json.dumps(found) if asked.json else line(found))
            kept.append(found)
        return kept

    try:
        if asked.profile or asked.write:
            profiles(program, asked, options)
        elif asked.limits:
            shown(results(program, ["--limits", *options]))
        elif asked.workload in MEASURES:
            shown([MEASURES[asked.workload](program)])
        elif asked.workload or options:
            shown(workloads(program, [asked.workload] if asked.workload else [], options))
        else:
            write_json(KEPT, {"machine": machine.processor()[0], "date": datetime.date.today().isoformat(),
                              "workloads": shown(workloads(program, [], [])),
                              "limits": shown(results(program, ["--limits"])),
                              "measures": shown(measure(program) for measure in MEASURES.values())})
    except subprocess.CalledProcessError as error:
        return error.returncode
    return 0
