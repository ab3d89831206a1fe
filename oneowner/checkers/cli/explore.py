"""The verb ``explore``: a family by name, its bounds and faults, in; a verdict and a counterexample out."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from oneowner.checkers.catalogue.families import faults, switching_named
from oneowner.checkers.catalogue.family import Family, bounds_with, pick, rules_of
from oneowner.checkers.cli.explored_family import explored_family
from oneowner.checkers.cli.replay_result import page_of
from oneowner.checkers.cli.saved_counterexample import make_folder, save_counterexample
from oneowner.checkers.engines.explore.exploration import Exploration, Limits
from oneowner.checkers.engines.walks.plan import DEFAULT_DEPTH, DEFAULT_SEED, Plan, Walks
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.ledger.counterexample import counterexample
from oneowner.checkers.ledger.exploration_verdict import Judged, are_counts_pinned
from oneowner.checkers.ledger.family_search import Asked, search
from oneowner.checkers.report import text
from oneowner.checkers.report.exploration_text import mirrors_in_words, print_laws
from oneowner.checkers.report.run_text import print_counterexample, print_shrinking, print_walks
from oneowner.checkers.results import Result
from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.verdict import Misuse


def explore_family(
    out: Console, on_progress: Callable[[str], None] | None, family: str, asked: Asked, save: Path | None = None
) -> Result:
    """Explore a family, or walk through it; print and return the result."""
    row = explored_family(family)
    judged_by = judged_release(asked.release or row.release, row.system.releases)
    if judged_by.note:
        out.print(judged_by.note)
    row, asked = row.under(judged_by.name), replace(asked, release=judged_by.name)
    _check_repairs(row, asked)
    if save is not None:
        make_folder(save)
    judged = search(row, replace(asked, spares_mirrors=True), on_progress)
    result, exploration = judged.result, judged.exploration
    result.reasons += [judged_by.note] * bool(judged_by.note)
    if mirrors := result.more.get("mirrors"):
        result.reasons.append(mirrors_in_words(mirrors, bool(asked.rules or asked.faults or asked.repairs)))
    subject = f"{row.row} within {within(row, asked)}"
    result.page = page_of(subject, [], [row.system])
    if judged.mended:
        out.print(Text(f"Gone within these bounds: violations of {', '.join(judged.mended)}"))
    if judged.counterexample is not None:
        _show_counterexample(out, row, judged, judged.counterexample, asked, subject, save)
    out.print(f"engine: {judged.engine}", style="dim")
    if judged.walks is not None:
        print_laws(out, result, row.system.project, asked.laws)
        print_walks(out, judged.walks)
        result.more["walks"] = coverage(judged.walks)
    else:
        print_laws(out, result, row.system.project, asked.laws, undecided_in_words(exploration))
        out.print(text.counts(result, judged.as_pinned))
    if judged.liveness.left_out:
        out.print(f"the verdict excludes liveness: {judged.liveness.left_out}; --law NAME forces it", style="dim")
    if asked.rules and exploration.finished and are_counts_pinned(row, exploration):
        out.print("as many states and transitions as without --rule: the rule may not matter in these bounds")
    if exploration.represented is not None:
        out.print(text.orbits(exploration))
    if exploration.missed is not None:
        out.print(text.memory(exploration), style="dim")
    for note in filter(None, [row.note, *(switching_named(name).note for name in asked.faults)]):
        out.print(f"note: {note}", style="dim")
    text.verdict_line(out, subject, result)
    return result


def undecided_in_words(exploration: Exploration) -> str:
    """Return the reason that a search decides only the laws that it saw broken, or an empty string."""
    if exploration.finished:
        return ""
    return exploration.stopped or "the search ended at the violation, and --continue goes on"


def _show_counterexample(
    out: Console, row: Family, judged: Judged, law: str, asked: Asked, subject: str, save: Path | None
) -> None:
    """Print the counterexample to a law, put it into the result and its page, and save it if that is asked for."""
    scenario, walks, result = counterexample(row, judged, law, asked), judged.walks, judged.result
    shown: dict[str, Any] = {"law": law, "steps": [str(step) for step in scenario.steps], "scenario": None}
    result.more["counterexample"] = shown | ({"loop": scenario.loop} if scenario.loop is not None else {})
    if walks is not None:
        print_shrinking(out, law, walks.broken[law], len(scenario.steps))
    replayed = replay(scenario)
    result.page = page_of(subject, [replayed])
    print_counterexample(out, replayed, law, walks is None and asked.minimise == "steps")
    if save is not None:
        result.more["counterexample"]["scenario"] = str(save_counterexample(out, save, scenario))
    out.print()


def plan_of(
    walks: int | None, depth: int | None, seed: int | None, limits: Limits, minimise: str, goes_on: bool
) -> Plan | None:
    """Return the plan of random walks, or None for a search; raise Misuse for options that exclude each other."""
    if walks is None:
        if depth is not None or seed is not None:
            raise Misuse("--depth and --seed require --walks N")
        return None
    if limits.states is not None or limits.bytes is not None or minimise != "steps":
        raise Misuse("--walks excludes --max-states, --max-memory and --minimise: walks keep no states")
    deepest = DEFAULT_DEPTH if depth is None else depth
    return Plan(walks, deepest, DEFAULT_SEED if seed is None else seed, seconds=limits.seconds, goes_on=goes_on)


def parse_settings(settings: Sequence[str]) -> dict[str, str]:
    """
    Return ``bound=value`` texts as a mapping.

    >>> parse_settings(["brokers=3", "storage=metadata-store"])
    {'brokers': '3', 'storage': 'metadata-store'}
    """
    return _parsed("--set", "BOUND=VALUE, such as brokers=3", settings)


def parse_rules(rules: Sequence[str]) -> dict[str, str]:
    """
    Return ``switch=value`` texts as a mapping; raise Misuse for one that is given twice.

    >>> parse_rules(["version_check=false"])
    {'version_check': 'false'}
    """
    parsed = _parsed("--rule", "NAME=VALUE, such as version_check=false", rules)
    if len(parsed) < len(rules):
        raise Misuse(f"--rule refused: {', '.join(rules)}; each switch once")
    return parsed


def _parsed(option: str, reads: str, texts: Sequence[str]) -> dict[str, str]:
    parsed = {}
    for given in texts:
        name, equals, value = given.partition("=")
        if not equals:
            raise Misuse(f"{option} refused: {given}; the form is {reads}")
        parsed[name.strip()] = value.strip()
    return parsed


def _check_repairs(family: Family, asked: Asked) -> None:
    """Raise Misuse for a repair that would change nothing."""
    rules = rules_of(family.bounds, family.release)
    for name in asked.repairs:
        repaired = pick(faults(), name, "fault").repaired
        if name in asked.faults:
            raise Misuse(f"--repair {name} and --fault {name} exclude each other")
        if all(getattr(rules, switch) == value for switch, value in repaired.items()):
            raise Misuse(f"repair refused: {name}; {family.release} does not have that bug")


def within(family: Family, asked: Asked) -> str:
    """Return the bounds of a search in words: a verdict holds within them only."""
    settings = asked.settings
    changed = (*(f"fault {name}" for name in asked.faults), *(f"repair {name}" for name in asked.repairs))
    changed = (*changed, *(f"rule {name}={value}" for name, value in asked.rules.items()))
    bounds = bounds_with(family.bounds, settings)
    return ", ".join([*bounds.system.story.within(bounds, settings), *changed])


def coverage(walks: Walks) -> dict[str, Any]:
    """Return the coverage of walks, for the JSON."""
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
