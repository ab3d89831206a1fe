"""
The run: every mutant in a process of its own, two at a time; results are written as they come, and a run resumes there.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path

from tools.mutation.judging import BUDGET, Fate, Outcome
from tools.mutation.mutants import FILES, Mutant, mutants
from tools.mutation.original import WORKERS, graph_of, kept_at, original
from tools.mutation.overlay import environment, overlaid
from tools.mutation.results import Result, read_results, rows_of, summary, write_results
from tools.mutation.rows import rows
from tools.mutation.summary import RESULTS, read_summary, write_summary

PATIENCE = 4
"""The factor on a mutant's budget of processor time on a busy machine."""
NICENESS = 10
MORE = 300
"""Seconds for the row that is asked when the budget ends, and for the tests."""


def main(arguments: Sequence[str]) -> int:
    """Run what is still to be run of the mutants asked for, and print the score."""
    parser = argparse.ArgumentParser("python -m tools.mutation", description=__doc__)
    parser.add_argument(
        "files", nargs="*", metavar="FILE.py", help=f"files of model/channel/; default: {' '.join(FILES)}"
    )
    parser.add_argument("--only", type=int, metavar="NUMBER", help="one mutant, told in full; nothing is written")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th mutant only")
    parser.add_argument("--budget", type=float, default=BUDGET, metavar="S", help="seconds of one processor for each")
    parser.add_argument(
        "--results", type=Path, default=RESULTS / "operators.yaml", metavar="FILE", help="where results are written"
    )
    parser.add_argument("--list", action="store_true", help="list the mutants, run none")
    asked = parser.parse_args(arguments)
    every = mutants()
    chosen = [
        one for one in every if (not asked.files or one.file in asked.files) and (one.number - 1) % asked.every == 0
    ]
    if asked.list:
        sys.stdout.writelines(
            f"{one.number} {one.file}:{one.line} {one.kind}: {one.old} -> {one.new}\n" for one in chosen
        )
        return 0
    original(FILES)
    if asked.only is not None:
        mutant = every[asked.only - 1]
        sys.stdout.write(f"{mutant.file}:{mutant.line} {mutant.old}\n  -> {mutant.new}\n")
        sys.stdout.write(json.dumps(asdict(judged_apart(mutant, kept_at(FILES), asked.budget)), indent=1) + "\n")
        return 0
    run(chosen, every, asked.results, asked.budget)
    results = list(read_results(asked.results).values())
    if asked.results == RESULTS / "operators.yaml":
        write_summary("operators", {**read_summary("operators"), **rows_of(results)})
    sys.stdout.write(summary(results))
    return 0


def run(chosen: Sequence[Mutant], every: Sequence[Mutant], path: Path, budget: float) -> None:
    """
    Judge those of *chosen* that *path* has no result of, and write every result there as it comes.

    One that was undecided within a smaller budget is judged again.
    """
    known = read_results(path)
    done = {one.number: one for one in known.values() if _is_decided(one, every, budget)}
    waiting = [one for one in chosen if one.number not in done]
    with ThreadPoolExecutor(WORKERS) as pool:
        asked = {pool.submit(judged_apart, one, kept_at(FILES), budget): one for one in waiting}
        for count, future in enumerate(as_completed(asked), 1):
            mutant, fate = asked[future], future.result()
            done[mutant.number] = Result.of(mutant, fate)
            write_results(path, sorted(done.values()))
            tally = dict(Counter(one.outcome for one in done.values()))
            sys.stderr.write(f"{count} of {len(waiting)}: {mutant.number} {fate.outcome} by {fate.by}; {tally}\n")
            sys.stderr.flush()


def _is_decided(result: Result, every: Sequence[Mutant], budget: float) -> bool:
    """Return whether a result is of a mutant that still exists, and as complete as a budget allows."""
    if not 0 < result.number <= len(every):
        return False
    mutant = every[result.number - 1]
    is_it = (mutant.file, mutant.old, mutant.new) == (result.file, result.old, result.new)
    return is_it and (result.outcome != Outcome.UNDECIDED or result.seconds >= budget)


def judged_apart(mutant: Mutant, against: Path, budget: float = BUDGET) -> Fate:
    """
    Judge a mutant in an overlay and a process of its own, *against* what is kept of the model as it is.

    One that no row kills is put to the tests of its file too.
    """
    with overlaid(mutant) as place:
        text = place / "mutant.json"
        text.write_text(json.dumps(asdict(mutant)), encoding="utf-8")
        command = [sys.executable, "-m", "tools.mutation.judging", str(against), str(text), str(budget)]
        try:
            done = ran(command, place, PATIENCE * budget + MORE)
            fate = Fate(**json.loads(done.stdout.splitlines()[-1]))
            fate.outcome = Outcome(fate.outcome)
        except subprocess.TimeoutExpired:
            return Fate(Outcome.UNDECIDED, "", "the time is used up")
        except (ValueError, IndexError):  # it did not even print a fate
            return Fate(Outcome.ERROR, "loading", " ".join(done.stderr.split())[-200:])
        if fate.outcome in (Outcome.KILLED, Outcome.ERROR, Outcome.UNDECIDED):
            return fate
        if fate.outcome == Outcome.SURVIVED and has_same_graphs(fate):
            fate.outcome = Outcome.EQUIVALENT
        tests = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests_of(mutant)]
        try:
            done = ran(tests, place, PATIENCE * budget + MORE)
        except subprocess.TimeoutExpired:
            return fate
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        fate.test = failed[0].split(" - ")[0].split(maxsplit=1)[-1] if done.returncode and failed else ""
        return fate


def has_same_graphs(fate: Fate) -> bool:
    """Sort the rows that are another model: those with the graph of the model as it is differ in nothing."""
    by_name = {str(row): row for row in rows()}
    for name, graph in list(fate.differs.items()):
        if graph and graph == graph_of(by_name[name], FILES):
            fate.same_graph.append(name)
            del fate.differs[name]
    return not fate.differs


def tests_of(mutant: Mutant) -> list[str]:
    """Return the tests of a mutant's file, and of refusals in words."""
    return [f"tests/model/channel/test_{mutant.file}", "tests/model/channel/test_explanation.py"]


def polite() -> None:
    """Leave the processors to others that want them."""
    os.nice(max(0, NICENESS - os.nice(0)))


def ran(command: Sequence[str], place: Path, seconds: float) -> subprocess.CompletedProcess[str]:
    """Run a command in an overlay; raise TimeoutExpired after so many seconds."""
    return subprocess.run(
        command, cwd=place, env=environment(place), capture_output=True, text=True, timeout=seconds, check=False,
        preexec_fn=polite,
    )  # fmt: skip
