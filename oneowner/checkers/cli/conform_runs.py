"""``conform --scenario FILE`` and ``--counterexamples``: saved runs, step by step on the real classes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from oneowner.checkers.cli.explore import parse_rules
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.real_classes.compared import Difference
from oneowner.checkers.real_classes.counterexamples import End, by_release, counterexamples, ends_of, law_of
from oneowner.checkers.real_classes.in_words import difference_lines
from oneowner.checkers.real_classes.jars import Jars
from oneowner.checkers.real_classes.runs import Classes, Ending
from oneowner.checkers.results import Result, Stats
from oneowner.checkers.scenarios.packaged import scenario_file
from oneowner.checkers.scenarios.replay import Replay, replay
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.checkers.scenarios.under_release import under_release
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.channel.releases import NAMES

FAMILIES_ONLY = ("edges", "refused", "search", "random", "seed", "save")
WORST = {
    Ending.DIFFERS: Verdict.INVALID,
    Ending.NOT_WALKED: Verdict.UNKNOWN,
    Ending.AGREES: Verdict.VALID,
}


def conform_runs(
    out: Console,
    jars: Jars,
    files: Sequence[Path],
    has_counterexamples: bool,
    release: str,
    changes: Mapping[str, Any],
) -> Result:
    """Take saved runs by the rules of *release*, and print a line for each, then what differs."""
    given = {f"--{name}": changes[name] for name in FAMILIES_ONLY}
    given |= {"--set": changes["settings"], "--fault": changes["faults"]}
    if refused := [name for name, value in given.items() if value]:
        raise Misuse(f"{refused[0]} goes with FAMILY..., not with runs")
    rules, judged_by = parse_rules(changes["rules"]), judged_release(release, NAMES)
    runs = [_own(file, judged_by.name, rules) for file in files]
    total = 0
    if has_counterexamples:
        saved = list(counterexamples())
        total = len(saved)
        runs += by_release(saved, judged_by.name, rules)
    began = time.monotonic()
    with Classes(jars) as classes:
        ends = list(ends_of(classes, runs))
    seconds = time.monotonic() - began
    subject = f"{jars.name}, by the rules of {judged_by.name}"
    _print(out, ends)
    counts = Counter(end.outcome.ending for end in ends)
    verdict = next((worst for ending, worst in WORST.items() if counts[ending]), Verdict.UNKNOWN)
    reasons = [judged_by.note] * bool(judged_by.note)
    reasons += [f"{counts[ending]} of {len(ends)} runs: {ending}" for ending in WORST if counts[ending]]
    if total:
        left = total - (len(ends) - len(files))
        reasons.append(f"{left} of {total} counterexamples break no law by these rules, and are left out")
    for line in (f"{subject}: {verdict}: {'; '.join(reasons)}", f"{seconds:.1f} s on the real classes"):
        out.print(line, markup=False, highlight=False, soft_wrap=True)
    steps = sum(_walked(end) for end in ends)
    return Result(
        "conform",
        verdict,
        [f"{subject}: {reason}" for reason in reasons],
        Stats(transitions=steps, seconds=seconds),
        more={"walked": [], "runs": [_as_json(end, jars.name, judged_by.name) for end in ends]},
    )


def _own(file: Path, release: str, rules: Mapping[str, str]) -> tuple[str, str, Replay]:
    """Return a file, its law, and its run by the rules of *release*."""
    scenario = read_scenario(scenario_file(file))
    if scenario.bounds.system.name != "channel":
        raise Misuse(f"{file}: a run of the system {scenario.bounds.system.name}; conform takes those of the channel")
    return str(file), law_of(scenario), replay(under_release(scenario, release, rules))


def _walked(end: End) -> int:
    """Return the number of steps that the real classes took."""
    return end.outcome.at or (len(end.replay.steps) if end.outcome.ending == Ending.AGREES else 0)


def _print(out: Console, ends: Sequence[End]) -> None:
    width = max((len(end.name) for end in ends), default=0)
    for end in ends:
        line = f"  {end.name:{width}}  {len(end.replay.scenario.steps):>3} steps  {end.outcome.ending}: {_words(end)}"
        out.print(line, markup=False, highlight=False, soft_wrap=True)
    for end in ends:
        if end.outcome.ending == Ending.DIFFERS:
            path = end.replay.scenario.steps[: end.outcome.at]
            one = Difference(path[-1].name, 1, path, end.outcome.sides, end.outcome.stack)
            out.print(end.name, markup=False, highlight=False, soft_wrap=True)
            for line in difference_lines(one):
                out.print(line, markup=False, highlight=False, soft_wrap=True)


def _words(end: End) -> str:
    if end.outcome.ending == Ending.NOT_WALKED:
        return end.outcome.why
    if end.outcome.ending == Ending.DIFFERS:
        return f"after step {end.outcome.at}, {end.outcome.action}"
    if not end.law:
        return "it names no law"
    return f"{end.law} {'fails' if end.breaks else 'holds'} there"


def _as_json(end: End, jars: str, release: str) -> dict[str, Any]:
    """Return a run as the JSON has it (``result.schema.json``, taken)."""
    return {
        "run": end.name,
        "classes": jars,
        "release": release,
        "law": end.law,
        "breaks": end.breaks,
        "ending": str(end.outcome.ending),
        "steps": len(end.replay.scenario.steps),
        "at": end.outcome.at,
        "action": end.outcome.action,
        "why": end.outcome.why,
        "sides": [side._asdict() for side in end.outcome.sides],
        "stack": list(end.outcome.stack),
    }
