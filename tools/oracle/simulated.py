"""
Put the cycles of simulated runs to the unmodified shedders of a release, and compare every decision.

    python -m tools.oracle.simulated --release 4.0.6 --runs 3

A run is one input: one shedder of the original lives through all of its cycles. The original gets the simulated
leader's data of each cycle, and must unload the same bundles as the run.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from oneowner.checkers.simulation.run import RELEASES, simulate
from oneowner.checkers.simulation.traces import GENERATORS, Sizes, generated
from tools.oracle.__main__ import answered, save
from tools.oracle.jars import classpath
from tools.oracle.oracles import ORACLES


def run_of(trace: str, shedder: str, release: str, sizes: Sizes) -> tuple[dict[str, Any], list[Any]]:
    """Return a run as an input, and the decision of each of its cycles."""
    cycles, decided = list[dict[str, Any]](), list[Any]()

    def look(cycle: int, leader: Any) -> None:
        cycles.append(leader.row())
        decided.append(leader.told)

    simulate(generated(trace, sizes), shedder, release, {}, sizes.seed, look)
    return {"id": f"{trace}-{shedder}-{sizes.seed}", "algorithm": shedder, "conf": {}, "cycles": cycles}, decided


def of_answer(shedder: str, told: dict[str, Any]) -> Any:
    """Return the original's decision in a cycle, as the simulation has it."""
    if "error" in told:
        return {}
    if shedder != "transfer":
        return {broker: bundles for broker, bundles in told["unload"].items() if bundles}
    return [{**one, "destination": one["destination"] or ""} for one in told["decisions"]]


def main() -> None:
    """Read the command line, compare, and print how many cycles are equal; exit with 1 if one is not."""
    parser = argparse.ArgumentParser(prog="python -m tools.oracle.simulated", description=__doc__.split("\n\n")[0])
    parser.add_argument("shedders", nargs="*", choices=[*RELEASES, []], help="default: all")
    parser.add_argument("--release", default="4.0.6")
    parser.add_argument("--runs", type=int, default=2, help="seeds of each generated trace")
    parser.add_argument("--brokers", type=int, default=6)
    parser.add_argument("--bundles", type=int, default=60)
    parser.add_argument("--cycles", type=int, default=25)
    parser.add_argument("--home", type=Path, default=Path("build/oracle"), help="where jars are kept (500 MB)")
    parser.add_argument("--save", type=Path, help="write the runs into this folder: RELEASE/SHEDDER.jsonl.gz")
    asked = parser.parse_args()
    unequal = 0
    for shedder in asked.shedders or RELEASES:
        sizes = [Sizes(asked.brokers, asked.bundles, asked.cycles, seed) for seed in range(1, asked.runs + 1)]
        runs = [run_of(trace, shedder, asked.release, size) for trace in GENERATORS for size in sizes]
        harness = ORACLES[shedder].harness
        theirs = list(
            answered(classpath(asked.release, harness, asked.home.resolve()), harness, [row for row, _ in runs])
        )
        compared = moving = wrong = 0
        for (row, decided), answer in zip(runs, theirs, strict=True):
            for number, (ours, told) in enumerate(zip(decided, answer["cycles"], strict=True)):
                compared, moving = compared + 1, moving + bool(ours)
                if of_answer(shedder, told) != ours:
                    wrong += 1
                    if wrong <= 3:
                        print(f"  {row['id']} cycle {number}: ours {ours}, theirs {told}"[:2000])
        unequal += wrong
        print(
            f"{shedder} {asked.release}: {compared - wrong} of {compared} cycles equal, {moving} of them move",
            flush=True,
        )
        if asked.save is not None:
            rows = [row for row, _ in runs]
            save(
                asked.save / asked.release / f"{shedder}.jsonl.gz",
                rows,
                dict(zip((r["id"] for r in rows), theirs, strict=True)),
            )
    sys.exit(1 if unequal else 0)


if __name__ == "__main__":
    main()
