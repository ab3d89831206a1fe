"""
``defects_of`` decides, by running, the defects of the catalogue that some real classes have.

A defect has a saved run, and switches that bring it back or repair it. By the rules of the nearest release, with those
switches, the run must break its law, and part from the repaired rules where the classes show it (``parting.py``): such
a run decides. Classes that take it to its end have the defect; classes that go the repaired way at the parting lack it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from enum import StrEnum
from typing import Final, NamedTuple

from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.real_classes.compared import COMPLAINT
from oneowner.checkers.real_classes.counterexamples import is_broken
from oneowner.checkers.real_classes.parting import UNSEEN, Parting, parting
from oneowner.checkers.real_classes.runs import Classes, Ending, Outcome
from oneowner.checkers.real_classes.steps import why_not
from oneowner.checkers.scenarios.replay import Replay, replay
from oneowner.checkers.scenarios.scenario import Scenario, read_scenario
from oneowner.checkers.scenarios.under_release import counterpart
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.releases import RELEASES, has_metadata_store
from oneowner.model.channel.rules import Rules, Storage

CHANNEL: Final = "channel"


class Has(StrEnum):
    """The verdict of some classes on a defect."""

    HAS = "has"
    LACKS = "lacks"
    UNDECIDED = "undecided"


class DecidingRun(NamedTuple):
    """The run of a defect by the rules of a release; it decides unless there is a reason against it."""

    defect: Fault
    run: Replay | None
    parting: Parting
    why_not: str = ""


class Decision(NamedTuple):
    """A defect, decided on some classes."""

    decided_by: DecidingRun
    has: Has
    claimed: bool
    """The rules of the nearest release have the defect."""
    outcome: Outcome | None = None
    why: str = ""
    """The reason that it is undecided."""


def deciding_runs(release: str) -> Iterator[DecidingRun]:
    """Yield the run of every defect of the channel, by the rules of *release*."""
    for defect in defects().values():
        if defect.system == CHANNEL:
            yield _deciding_run(defect, read_scenario(defect.scenario), release)


def _deciding_run(defect: Fault, scenario: Scenario, release: str) -> DecidingRun:
    if why := why_not(scenario.bounds, scenario.steps):
        return DecidingRun(defect, None, Parting(0), why)
    switches = dict(defect.repaired or defect.rules)
    unseen = [words for name, words in UNSEEN.items() if name in switches]
    why = unseen[0] if unseen else "no repair is modelled beside which its run could decide"
    if unseen or not switches:
        return DecidingRun(defect, None, Parting(0), why)
    if scenario.bounds.storage == Storage.METADATA_STORE and not has_metadata_store(release):
        return DecidingRun(defect, None, Parting(0), "the release has no metadata store for the channel")
    for base in (RELEASES[release], scenario.bounds.rules):
        try:
            with_defect = replace(scenario.bounds, rules=_turned_as(scenario, switches, base))
        except ValueError as error:  # bounds that these rules do not have
            why = str(error)
            continue
        run = replay(_within(scenario, with_defect))
        if not is_broken(run, defect.law):
            why = "its run breaks no law beside the other rules of the release"
            continue
        turned = {name: not getattr(with_defect.rules, name) for name in switches}
        other = parting(
            run.scenario.steps, run.states, replace(with_defect, rules=replace(with_defect.rules, **turned))
        )
        if other.at:
            return DecidingRun(defect, run, other)
        why = other.why
    return DecidingRun(defect, None, Parting(0), why)


def _turned_as(scenario: Scenario, switches: Mapping[str, bool], base: Rules) -> Rules:
    """Return *base* with the switches that the scenario turns, and those of the defect, as the scenario has them."""
    own, usual = scenario.bounds.rules, RELEASES[scenario.release]
    names = {one.name for one in fields(own) if getattr(own, one.name) != getattr(usual, one.name)} | switches.keys()
    return replace(base, **{name: getattr(own, name) for name in names})


def _within(scenario: Scenario, bounds: Bounds) -> Scenario:
    steps = tuple(counterpart(action, bounds) for action in scenario.steps)
    return replace(scenario, bounds=bounds, steps=steps, expect=None)


def decide(classes: Classes, deciding: DecidingRun, rules: Rules) -> Decision:
    """Take the run of a defect on real classes, of which *rules* are the nearest release's."""
    claimed = _claims(deciding.defect, rules)
    if deciding.run is None:
        return Decision(deciding, Has.UNDECIDED, claimed, why=deciding.why_not)
    outcome = classes.take(deciding.run.scenario.steps, deciding.run.states)
    if outcome.ending == Ending.AGREES:
        return Decision(deciding, Has.HAS, claimed, outcome)
    if outcome.ending == Ending.DIFFERS and goes_repaired(outcome, deciding.parting):
        return Decision(deciding, Has.LACKS, claimed, outcome)
    return Decision(deciding, Has.UNDECIDED, claimed, outcome, outcome.like_neither())


def goes_repaired(outcome: Outcome, at: Parting) -> bool:
    """Return whether a run on real classes differs where the other rules part from it, and as they do."""
    if outcome.at != at.at:
        return False
    if not at.other:
        return any(side.part == COMPLAINT for side in outcome.sides)
    seen, _, complaint = outcome.real.rpartition("|")
    is_beside = not complaint or complaint.startswith("listeners of ")  # the moment of a notice is no part of a defect
    return is_beside and seen == at.other.removesuffix("|")


def _claims(defect: Fault, rules: Rules) -> bool:
    switches = defect.repaired or defect.rules
    wanted = {name: not value for name, value in switches.items()} if defect.repaired else dict(switches)
    return all(getattr(rules, name) == value for name, value in wanted.items())
