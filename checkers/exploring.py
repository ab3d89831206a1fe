"""The verb ``explore``: a family by name, its bounds and faults, in; a verdict and a counterexample out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from rich.console import Console

from checkers.explore.engines import explore_by
from checkers.explore.exploration import Exploration, Limits, LiveResult, Progress
from checkers.explore.verdicts import Judged, Liveness, counts_of, judge, pinned, stopping
from checkers.families import (
    DEFAULT_RELEASE,
    LAWS,
    LIVENESS_LAWS,
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
from checkers.results import Result
from checkers.trace import Expectation, Scenario, write_scenario
from checkers.verdict import EngineError, Misuse, Verdict
from spec import WITNESSES


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
) -> Result:
    """Explore a family as the command line asks; print what was found and return it."""
    row = family_named(family)
    if save is not None:
        _make(save)
    changes = parse_settings(settings)
    judged = search(row, faults, release, changes, laws, limits, go_on, on_progress, engine)
    result, exploration = judged.result, judged.exploration
    out.print(f"engine: {judged.engine}", style="dim")
    out.print(text.laws_table(result.laws))
    out.print(text.counts(result, judged.as_pinned))
    if exploration.missed:
        out.print(text.memory(exploration), style="dim")
    if judged.counterexample is not None:
        scenario = counterexample(row, judged, judged.counterexample, faults, release, changes)
        result.more["counterexample"] = {
            "law": judged.counterexample,
            "steps": [str(step) for step in scenario.steps],
            "scenario": None,
        } | ({"loop": scenario.loop} if scenario.loop is not None else {})
        out.print()
        text.print_counterexample(out, replay(scenario), judged.counterexample)
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
    is_live: bool = True,
) -> Judged:
    """Explore a family and judge what was found; with *is_live*, by the laws of liveness too."""
    bounds = bounds_under(bounds_with(family.bounds, settings or {}), release, faults)
    asked = [pick({**LAWS, **LIVENESS_LAWS}, name, "law").name for name in laws] or [*LAWS, *family.liveness]
    chosen = [LAWS[name] for name in asked if name in LAWS]
    live = [name for name in asked if name in LIVENESS_LAWS and is_live]
    unchanged = not (settings or faults or laws or release != DEFAULT_RELEASE)
    expected = pinned(family, unchanged)  # of a law asked for by name, its first violation is what is wanted
    stop_at = frozenset() if go_on else stopping(expected) & {law.name for law in chosen}
    tell = (lambda progress: on_progress(in_words(family.name, progress))) if on_progress else None
    exploration, which = explore_by(engine, bounds, chosen, WITNESSES, stop_at, limits, tell)
    liveness = judge_runs(exploration, live)
    return judge(family, exploration, expected, unchanged, which, liveness)


def judge_runs(exploration: Exploration, laws: Sequence[str]) -> Liveness:
    """Judge these laws of liveness on the whole graph, if there is a whole graph."""
    unjudged = {name: LiveResult(0) for name in laws}
    if not laws or not exploration.finished:
        return Liveness(unjudged)
    from checkers.explore.graph import MOST_STATES, Incomplete  # NumPy and SciPy take long to load
    from checkers.explore.liveness import check_liveness

    if exploration.distinct > MOST_STATES:
        return Liveness(unjudged, f"{exploration.distinct:,} states are more than {MOST_STATES:,}")
    try:
        graph, results = check_liveness(exploration.bounds, [LIVENESS_LAWS[name] for name in laws])
    except (Incomplete, Misuse) as error:
        return Liveness(unjudged, str(error))
    except KeyboardInterrupt:
        return Liveness(unjudged, "interrupted")
    found, searched = (graph.states, len(graph.targets), graph.depth), counts_of(exploration)
    if found != searched:
        raise EngineError(f"the graph has {found} states, transitions and depth, but the search found {searched}")
    return Liveness(results)


def counterexample(
    family: Family,
    judged: Judged,
    law: str,
    faults: Sequence[str],
    release: str,
    settings: Mapping[str, str],
) -> Scenario:
    """Return the least counterexample to *law* as a scenario, with a loop if the law is one of liveness."""
    lasso = judged.liveness.results[law].lasso if law in judged.liveness.results else None
    steps = lasso.steps if lasso is not None else judged.exploration.laws[law].steps
    assert steps is not None
    titles = [fault_named(name).title for name in faults]
    numbers = {name: value if name == "storage" else int(value) for name, value in settings.items()}
    return Scenario(
        path=Path(f"{'-'.join([family.name, *faults, law])}.yaml"),
        family=family.name,
        steps=steps,
        bounds=judged.exploration.bounds,
        title="; ".join(titles) or f"{law} in {family.name}",
        release=release,
        settings=numbers,
        faults=tuple(faults),
        expect=Expectation(law, Verdict.INVALID, len(steps) if lasso is None else lasso.loop - 1),
        loop=lasso.loop if lasso is not None else None,
    )


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
        f" depth {progress.depth} ({progress.frontier:,} to go, {progress.following:,} next), {rate:,.0f} states/s,"
        f" {progress.memory / 2**20:,.0f} MiB"
    )


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
