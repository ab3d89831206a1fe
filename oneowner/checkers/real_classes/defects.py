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
from oneowner.checkers.real_classes.counterexamples import is_broken
from oneowner.checkers.real_classes.parting import UNSEEN, Parting, parting
from oneowner.checkers.real_classes.runs import Classes, Ending, Taken
from oneowner.checkers.real_classes.steps import why_not
from oneowner.checkers.real_classes.walk import COMPLAINT
from oneowner.checkers.scenarios.replay import Replay, replay
from oneowner.checkers.scenarios.scenario import Scenario, read_scenario
from oneowner.checkers.scenarios.under_release import counterpart
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.releases import RELEASES, has_metadata_store
from oneowner.model.channel.rules import Rules, Storage

CHANNEL: Final = "channel"


class Has(StrEnum):
    """Whether some classes have a defect."""

    HAS = "has"
    LACKS = "lacks"
    UNDECIDED = "undecided"


class Telling(NamedTuple):
    """The run of a defect by the rules of a release; it decides unless there is a reason against it."""

    defect: Fault
    run: Replay | None
    parting: Parting
    why_not: str = ""


class Decision(NamedTuple):
    """A defect, decided on some classes."""

    telling: Telling
    has: Has
    claimed: bool
    """The rules of the nearest release have the defect."""
    taken: Taken | None = None
    why: str = ""
    """The reason that it is undecided."""


def tellings(release: str) -> Iterator[Telling]:
    """Yield the run of every defect of the channel, by the rules of *release*."""
    for defect in defects().values():
        if defect.system == CHANNEL:
            yield _telling(defect, read_scenario(defect.scenario), release)


def _telling(defect: Fault, scenario: Scenario, release: str) -> Telling:
    if why := why_not(scenario.bounds, scenario.steps):
        return Telling(defect, None, Parting(0), why)
    switches = dict(defect.repaired or defect.rules)
    unseen = [words for name, words in UNSEEN.items() if name in switches]
    why = unseen[0] if unseen else "no repair is modelled beside which its run could decide"
    if unseen or not switches:
        return Telling(defect, None, Parting(0), why)
    if scenario.bounds.storage == Storage.METADATA_STORE and not has_metadata_store(release):
        return Telling(defect, None, Parting(0), "the release has no metadata store for the channel")
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
            return Telling(defect, run, other)
        why = other.why
    return Telling(defect, None, Parting(0), why)


def _turned_as(scenario: Scenario, switches: Mapping[str, bool], base: Rules) -> Rules:
    """Return *base* with the switches that the scenario turns, and those of the defect, as the scenario has them."""
    own, usual = scenario.bounds.rules, RELEASES[scenario.release]
    names = {one.name for one in fields(own) if getattr(own, one.name) != getattr(usual, one.name)} | switches.keys()
    return replace(base, **{name: getattr(own, name) for name in names})


def _within(scenario: Scenario, bounds: Bounds) -> Scenario:
    steps = tuple(counterpart(action, bounds) for action in scenario.steps)
    return replace(scenario, bounds=bounds, steps=steps, expect=None)


def decided(classes: Classes, telling: Telling, rules: Rules) -> Decision:
    """Take the run of a defect on real classes, of which *rules* are the nearest release's."""
    claimed = _claims(telling.defect, rules)
    if telling.run is None:
        return Decision(telling, Has.UNDECIDED, claimed, why=telling.why_not)
    taken = classes.taken(telling.run.scenario.steps, telling.run.states)
    if taken.ending == Ending.AGREES:
        return Decision(telling, Has.HAS, claimed, taken)
    if taken.ending == Ending.DIFFERS and _goes_repaired(taken, telling.parting):
        return Decision(telling, Has.LACKS, claimed, taken)
    why = taken.why
    if taken.sides:
        last = taken.sides[-1]
        shown = last.real if last.part == COMPLAINT else f"{last.part}: {last.real or '-'}"
        why = f"step {taken.at}, {taken.action}, ends like neither rule: {shown}"
    return Decision(telling, Has.UNDECIDED, claimed, taken, why)


def _goes_repaired(taken: Taken, at: Parting) -> bool:
    if taken.at != at.at:
        return False
    return taken.real == at.other if at.other else any(side.part == COMPLAINT for side in taken.sides)


def _claims(defect: Fault, rules: Rules) -> bool:
    switches = defect.repaired or defect.rules
    wanted = {name: not value for name, value in switches.items()} if defect.repaired else dict(switches)
    return all(getattr(rules, name) == value for name, value in wanted.items())
