"""``explore --all`` and ``explore --diff``: families with a change of the rules, beside the same without it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from oneowner.checkers.catalogue.families import family_named, unreadable
from oneowner.checkers.cli.change_tables import (
    broken_mirrors,
    by_law,
    gains,
    in_families,
    listed,
    print_changes,
    print_families,
    summary,
)
from oneowner.checkers.cli.explored_family import explored_family
from oneowner.checkers.cli.replay_result import page_of
from oneowner.checkers.cli.saved_counterexample import make_folder, save_counterexample
from oneowner.checkers.engines.explore.exploration import NO_LIMITS, Limits
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.ledger.family_changes import RANK, FamilyChange, change_in, families_of_change
from oneowner.checkers.ledger.family_search import Asked
from oneowner.checkers.parallel import in_parallel
from oneowner.checkers.report import text
from oneowner.checkers.report.run_text import print_counterexample
from oneowner.checkers.results import LawRow, Result, Stats
from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.scenarios.scenario import Scenario
from oneowner.checkers.verdict import Misuse, Verdict, worst

BUDGET = Limits(states=300_000)
"""The limits of the search of one family, unless others are given."""


def explore_changes(
    out: Console,
    on_progress: Callable[[str], None] | None,
    subject: str | None,
    asked: Asked,
    is_all: bool,
    only_changes: bool,
    save: Path | None = None,
) -> Result:
    """Compare the families of a system, of all systems or one family with a change and without; print the result."""
    refuse_options(asked, "--all" if is_all else "--diff")
    names = families_of_change(subject, replace(asked, release=None)) if is_all else one_family(subject, asked)
    judged_by = judged_release(asked.release, family_named(names[0]).system.releases) if asked.release else None
    if judged_by is not None:
        asked = replace(asked, release=judged_by.name)
    if save is not None:
        make_folder(save)
    within = replace(asked, limits=BUDGET) if asked.limits == NO_LIMITS else asked
    work = partial(change_in, replace(within, threads=1 if len(names) > 1 else asked.threads))
    found = found_of(names, work, on_progress)
    result = result_of(found)
    if judged_by is not None and judged_by.note:
        out.print(judged_by.note)
        result.reasons.append(judged_by.note)
    if is_all:
        result.doubted(unreadable().values())
    named = f"the families of {subject}" if subject and is_all else subject or "all families"
    changes = (f"rule {name}={value}" for name, value in asked.rules.items())
    words = (*(f"fault {name}" for name in asked.faults), *(f"repair {name}" for name in asked.repairs), *changes)
    about = f"{named}, with {', '.join(words)}"
    story = worst_scenario(found)
    if story is not None:
        assert story.expect is not None
        assert story.expect.law is not None
        replayed = replay(story)
        print_counterexample(out, replayed, story.expect.law)
        steps = [str(step) for step in story.steps]
        shown: dict[str, Any] = {"law": story.expect.law, "steps": steps, "scenario": None}
        if save is not None:
            shown["scenario"] = str(save_counterexample(out, save, story))
        result.more["counterexample"] = shown
        out.print()
    for line in gains(found):
        out.print(line)
    print_changes(out, found)
    if not only_changes:
        print_families(out, found)
    for line in summary(found):
        out.print(line)
    result.page = page_of(about, [] if story is None else [replayed], [family_named(names[0]).system])
    text.verdict_line(out, about, result)
    return result


def found_of(
    names: Sequence[str], work: Callable[[str], FamilyChange], on_progress: Callable[[str], None] | None
) -> list[FamilyChange]:
    """Return the effect on each family, in their order; large families are begun first."""
    if len(names) == 1:
        return [work(names[0])]
    longest_first = sorted(names, key=lambda name: -family_named(name).states)
    found = in_parallel(work, longest_first, on_progress, more=0)
    return [found[name] for name in names]


def refuse_options(asked: Asked, option: str) -> None:
    """Raise Misuse for options that do not go with a comparison."""
    others = {
        "--walks": asked.plan is not None,
        "--engine spark": asked.engine == "spark",
        "--symmetry": asked.symmetry,
        "--minimise perturbations": asked.minimise != "steps",
    }
    for other, is_given in others.items():
        if is_given:
            raise Misuse(f"{option} excludes {other}: it compares whole searches")


def one_family(name: str | None, asked: Asked) -> list[str]:
    """Return the family of a comparison; raise Misuse if there is none, or no change."""
    if name is None:
        raise Misuse("a family is required, or --all")
    family = explored_family(name)
    families_of_change(family.system.name, replace(asked, release=None))
    return [family.full_name]


def worst_scenario(found: Sequence[FamilyChange]) -> Scenario | None:
    """Return the shortest counterexample to a law of the worst kind that the change breaks."""
    scenarios = [one.scenario for one in found if one.scenario is not None]

    def by_harm(scenario: Scenario) -> tuple[int, int]:
        assert scenario.expect is not None
        return RANK[scenario.bounds.system.kinds[scenario.expect.law]], len(scenario.steps)

    return min(scenarios, key=by_harm, default=None)


def result_of(found: Sequence[FamilyChange]) -> Result:
    """
    Return the result: a law is broken if the change breaks it in some family in which it must hold.

    A change that takes part in no step of any family is unknown: nothing has been judged.
    """
    is_idle = all(one.is_untouched for one in found)
    verdict = Verdict.UNKNOWN if is_idle else worst(one.verdict for one in found)
    doubts = (one for one in found if one.verdict == Verdict.UNKNOWN)
    lost = [(law, sum(one.is_regression for one in changes)) for law, changes in by_law(found)]
    reasons = [f"{law} is violated in {in_families(number)}" for law, number in lost if number]
    open_in: dict[str, list[str]] = {}
    for one in doubts:
        for reason in one.reasons:
            open_in.setdefault(reason, []).append(one.family)
    reasons += [f"{listed(of)}: {reason}" for reason, of in open_in.items()]
    reasons += [idle_in_words(found)] * is_idle
    return Result(
        verb="explore",
        verdict=verdict,
        reasons=reasons,
        stats=Stats(
            states=sum(one.states_after or 0 for one in found), seconds=round(sum(one.seconds for one in found), 2)
        ),
        laws=[LawRow(law, "holds", Verdict.VALID, Verdict.INVALID, 1) for law, number in lost if number],
        more={
            "counterexample": None,
            "actions": {},
            "witnesses": {},
            "mirrors": broken_mirrors(found),
            "families": [family_json(one) for one in found],
        },
    )


def idle_in_words(found: Sequence[FamilyChange]) -> str:
    """Return the reason that a change which no family exercises has no verdict, with a way to exercise it."""
    if len(found) == 1:
        wider = f"oneowner explore {family_named(found[0].family).system.name} --all with this change searches others"
    else:
        wider = "a family needs bounds, or --set, that let the steps happen which the change is about"
    return f"the change is never exercised: it has no part in any step, or has this value already; {wider}"


def family_json(one: FamilyChange) -> dict[str, Any]:
    """Return the keys of ``result.schema.json`` for a family."""
    return {
        "family": one.family,
        "verdict": one.verdict.value,
        "untouched": one.is_untouched,
        "statesBefore": one.states_before,
        "statesAfter": one.states_after,
        "seconds": one.seconds,
        "changes": [
            {
                "law": law.law,
                "lawKind": law.kind.value,
                "before": law.before.value,
                "after": law.after.value,
                "stepsBefore": law.steps_before,
                "stepsAfter": law.steps_after,
                "regression": law.is_regression,
            }
            for law in one.laws
        ],
    }
