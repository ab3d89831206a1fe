"""The verb ``explore``: a family by name, its bounds and faults, in; a verdict and a counterexample out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from checkers.explore.compiled_walks import walk_by
from checkers.explore.engines import explore_by
from checkers.explore.exploration import Exploration, Limits, Progress
from checkers.explore.fewest import explore_by_perturbations
from checkers.explore.native import confirm
from checkers.explore.ordering import in_reading_order
from checkers.explore.verdicts import Judged, judge, pinned, stopping
from checkers.explore.walked import explored
from checkers.explore.walks import DEFAULT_DEPTH, DEFAULT_SEED, Pace, Plan, Walks
from checkers.families import (
    DEFAULT_RELEASE,
    Family,
    bounds_under,
    bounds_with,
    family_named,
    fault_named,
    pick,
)
from checkers.itf import write_itf
from checkers.replay import replay
from checkers.report import text
from checkers.report.json import write_text
from checkers.report.runs import print_counterexample
from checkers.report.walks import print_shrinking, print_walks
from checkers.results import Result
from checkers.trace import Expectation, Scenario, write_scenario
from checkers.verdict import Misuse, Verdict
from spec import PROPERTIES, WITNESSES

MINIMA = {"steps": explore_by, "perturbations": explore_by_perturbations}
"""What a counterexample can have the fewest of, and how it is searched for."""


def explore_family(
    out: Console,
    on_progress: Callable[[str], None] | None,
    family: str,
    faults: Sequence[str] = (),
    release: str = DEFAULT_RELEASE,
    settings: Sequence[str] = (),
    laws: Sequence[str] = (),
    limits: Limits = Limits(),  # noqa: B008 - it cannot change
    go_on: bool = False,
    save: Path | None = None,
    engine: str = "auto",
    threads: int | None = None,
    plan: Plan | None = None,
    minimise: str = "steps",
) -> Result:
    """Explore a family as the command line asks, or walk through it by *plan*; print what was found and return it."""
    row = family_named(family)
    if save is not None:
        _make(save)
    changes = parse_settings(settings)
    judged = search(row, faults, release, changes, laws, limits, go_on, on_progress, engine, threads, plan, minimise)
    result, exploration = judged.result, judged.exploration
    out.print(f"engine: {judged.engine}", style="dim")
    out.print(text.laws_table(result.laws))
    if judged.walks is not None:
        print_walks(out, judged.walks)
        result.more["walks"] = coverage(judged.walks)
    else:
        out.print(text.counts(result, judged.as_pinned))
    if exploration.missed is not None:
        out.print(text.memory(exploration), style="dim")
    if judged.counterexample is not None:
        scenario = counterexample(row, exploration, judged.counterexample, faults, release, changes)
        result.more["counterexample"] = {
            "law": judged.counterexample,
            "steps": [str(step) for step in scenario.steps],
            "scenario": None,
        }
        out.print()
        law, walks = judged.counterexample, judged.walks
        if walks is not None:
            print_shrinking(out, law, walks.broken[law], len(scenario.steps))
        is_shortest = walks is None and minimise == "steps"
        print_counterexample(out, replay(scenario), law, is_shortest)
        if save is not None:
            saved = _save(save, scenario)
            result.more["counterexample"]["scenario"] = str(saved)
            out.print(f"saved: {saved}; replay it with: oneowner replay {saved}")
    text.verdict_line(out, f"{row.name} within {within(row, changes, faults)}", result)
    return result


def search(
    family: Family,
    faults: Sequence[str] = (),
    release: str = DEFAULT_RELEASE,
    settings: Mapping[str, str] | None = None,
    laws: Sequence[str] = (),
    limits: Limits = Limits(),  # noqa: B008 - it cannot change
    go_on: bool = False,
    on_progress: Callable[[str], None] | None = None,
    engine: str = "auto",
    threads: int | None = None,
    plan: Plan | None = None,
    minimise: str = "steps",
) -> Judged:
    """Explore a family, or walk through it by *plan*, and judge what was found."""
    bounds = bounds_under(bounds_with(family.bounds, settings or {}), release, faults)
    known = {law.name: law for law in PROPERTIES}
    chosen = [pick(known, name, "law") for name in laws] or list(PROPERTIES)
    unchanged = not (settings or faults or laws or release != DEFAULT_RELEASE)
    expected = pinned(family, unchanged)  # of a law asked for by name, its first violation is what is wanted
    ends = stopping(expected) & {law.name for law in chosen}
    stop_at = frozenset() if go_on and plan is None else ends
    if plan is not None:
        pace = (lambda at: on_progress(pace_in_words(family.name, at))) if on_progress else None
        walks, which = walk_by(engine, bounds, chosen, WITNESSES, stop_at, plan, pace)
        judged = judge(family, explored(bounds, chosen, walks), expected, unchanged, which)
        return replace(judged, walks=walks)
    tell = (lambda progress: on_progress(in_words(family.name, progress))) if on_progress else None
    exploration, which = MINIMA[minimise](engine, bounds, chosen, WITNESSES, stop_at, limits, tell, threads)
    return judge(family, exploration, expected, unchanged, which)


def counterexample(
    family: Family,
    exploration: Exploration,
    law: str,
    faults: Sequence[str],
    release: str,
    settings: Mapping[str, str],
) -> Scenario:
    """Return the least counterexample to *law* as a scenario, in a reader's order."""
    found = exploration.laws[law].steps
    assert found is not None
    broken = next(one for one in PROPERTIES if one.name == law)
    steps = in_reading_order(exploration.bounds, broken, found)
    confirm(exploration.bounds, broken, steps)
    titles = [fault_named(name).title for name in faults]
    numbers = {name: value if name == "storage" else int(value) for name, value in settings.items()}
    return Scenario(
        path=Path(f"{'-'.join([family.name, *faults, law])}.yaml"),
        family=family.name,
        steps=steps,
        bounds=exploration.bounds,
        title="; ".join(titles) or f"{law} in {family.name}",
        release=release,
        settings=numbers,
        faults=tuple(faults),
        expect=Expectation(law, Verdict.INVALID, len(steps)),
    )


def plan_of(
    walks: int | None, depth: int | None, seed: int | None, limits: Limits, minimise: str, goes_on: bool
) -> Plan | None:
    """Return which random walks are asked for, or None; raise Misuse for options that do not go together."""
    if walks is None:
        if depth is not None or seed is not None:
            raise Misuse("--depth and --seed go with --walks N")
        return None
    if limits.states is not None or limits.bytes is not None or minimise != "steps":
        raise Misuse("--walks goes without --max-states, --max-memory and --minimise: walks keep no states")
    deepest = DEFAULT_DEPTH if depth is None else depth
    return Plan(walks, deepest, DEFAULT_SEED if seed is None else seed, seconds=limits.seconds, goes_on=goes_on)


def parse_settings(settings: Sequence[str]) -> dict[str, str]:
    """
    Return ``bound=value`` texts as a mapping.

    >>> parse_settings(["brokers=3", "storage=metadata-store"])
    {'brokers': '3', 'storage': 'metadata-store'}
    """
    parsed = {}
    for text_ in settings:
        name, equals, value = text_.partition("=")
        if not equals:
            raise Misuse(f"--set refused: {text_}; it reads BOUND=VALUE, such as brokers=3")
        parsed[name.strip()] = value.strip()
    return parsed


def within(family: Family, settings: Mapping[str, str], faults: Sequence[str]) -> str:
    """Return the bounds of a search in words: a verdict holds within them only."""
    bounds = bounds_with(family.bounds, settings)
    names = [field.name for field in fields(bounds) if field.name not in ("rules", "storage", "owner", "versions")]
    names += [name for name in settings if name in ("owner", "versions")]
    counts = [f"{name} {getattr(bounds, name)}" for name in names if getattr(bounds, name) or name in settings]
    return ", ".join([*counts, str(bounds.storage), *(f"fault {name}" for name in faults)])


def in_words(family: str, progress: Progress) -> str:
    """Return the progress of a search on one line."""
    rate = progress.distinct / progress.seconds if progress.seconds else 0
    return (
        f"{family}: {progress.distinct:,} distinct, {progress.transitions:,} transitions,"
        f" depth {progress.depth} ({progress.frontier:,} to go in about {progress.rest:.0f} s,"
        f" {progress.following:,} next), {rate:,.0f} states/s, {progress.memory / 2**20:,.0f} MiB"
    )


def pace_in_words(family: str, pace: Pace) -> str:
    """Return the progress of random walks on one line."""
    rate = pace.steps / pace.seconds if pace.seconds else 0
    return f"{family}: walk {pace.walk:,}, {pace.steps:,} steps, {rate:,.0f} steps/s"


def coverage(walks: Walks) -> dict[str, Any]:
    """Return what walks met, for the JSON."""
    plan = walks.plan
    return {
        "walks": walks.walks,
        "depth": plan.depth,
        "seed": plan.seed,
        "steps": walks.steps,
        "distinct": walks.distinct,
        "distinctIsEstimate": walks.is_estimate,
        "classes": walks.classes,
        "classesAreAll": not walks.are_classes_full,
        "pairs": walks.pairs,
        "violations": {law: {"walk": row.walk, "steps": len(row.steps)} for law, row in walks.broken.items()},
    }


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Misuse(f"{directory}: cannot be written: {error.strerror}") from None


def _save(directory: Path, scenario: Scenario) -> Path:
    path = directory / scenario.path.name
    write_text(path, write_scenario(scenario))
    write_text(directory / f"{scenario.path.stem}.itf.json", write_itf(replay(scenario)))
    return path
