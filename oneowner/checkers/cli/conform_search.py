"""``conform --search`` and ``--random``: a search of the real classes beyond the model's graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.cli.explore import parse_rules, parse_settings
from oneowner.checkers.cli.saved_counterexample import make_folder
from oneowner.checkers.judged_release import JudgedRelease
from oneowner.checkers.real_classes.beside import Beside
from oneowner.checkers.real_classes.jars import Jars
from oneowner.checkers.real_classes.machine import Machine
from oneowner.checkers.real_classes.search import Search, at_random, breadth_first
from oneowner.checkers.real_classes.search_in_words import as_json, lines_of, reasons_of, verdict_of
from oneowner.checkers.real_classes.walk import bounds_of
from oneowner.checkers.report.json import write_text
from oneowner.checkers.results import Result, Stats
from oneowner.checkers.scenarios.scenario import Scenario, write_scenario
from oneowner.model.channel.bounds import Bounds

Subject = tuple[Family, Bounds, JudgedRelease]
"""The family, its bounds by the rules of a release, and that release."""


def searched(
    out: Console,
    on_progress: Callable[[str], None] | None,
    jars: Jars,
    subject: Subject,
    changes: Mapping[str, Any],
) -> Result:
    """Search one family, print the result, and save the path to each finding."""
    family, bounds, judged_by = subject
    if changes["save"] is not None:
        make_folder(changes["save"])
    with Machine(jars, bounds_of(bounds)) as machine:
        beside = Beside(bounds, machine)
        if changes["search"]:
            found = breadth_first(beside, changes["search"], on_progress)
        else:
            seed = 1 if changes["seed"] is None else changes["seed"]
            found = at_random(beside, changes["random"], seed, on_progress)
            out.print(f"random walks from the seed {seed}", highlight=False)
    for line in lines_of(found):
        out.print(line, markup=False, highlight=False, soft_wrap=True)
    if changes["save"] is not None:
        _save(out, changes["save"], found, subject, changes)
    return Result(
        "conform",
        verdict_of(found),
        [judged_by.note] * bool(judged_by.note) + reasons_of(found),
        Stats(states=found.states, transitions=found.steps, seconds=found.seconds),
        more={"walked": [], "searched": [as_json(family.name, jars.name, judged_by.name, found)]},
    )


def _save(out: Console, folder: Path, found: Search, subject: Subject, changes: Mapping[str, Any]) -> None:
    family, bounds, judged_by = subject
    for number, one in enumerate(found.findings, 1):
        path = folder / f"{family.name}-{one.difference.action}-{number}.yaml"
        scenario = Scenario(
            path=path,
            family=family.name,
            steps=one.difference.path,
            bounds=bounds,
            title=f"The classes take {one.difference.path[-1]}, the model does not",
            release=judged_by.name,
            settings=parse_settings(changes["settings"]),
            faults=tuple(changes["faults"]),
            rules={name: value == "true" for name, value in parse_rules(changes["rules"]).items()},
        )
        write_text(path, write_scenario(scenario))
        out.print(f"saved: {path}", markup=False, highlight=False, soft_wrap=True)
