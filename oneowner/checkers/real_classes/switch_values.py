"""``values_of`` decides, by running, which value each switch of the rules has in the classes of a release."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from oneowner.checkers.real_classes.defects import goes_repaired
from oneowner.checkers.real_classes.parting import UNSEEN
from oneowner.checkers.real_classes.runs import Classes, Ending
from oneowner.checkers.real_classes.telling import SWITCHES, TellingRun, telling_run
from oneowner.model.channel.releases import RELEASES
from oneowner.model.kernel.action import Action
from oneowner.spec.channel.system import SYSTEM


class Value(NamedTuple):
    """A switch of a release, claimed by the rules, and shown by the classes; None: undecided."""

    switch: str
    claimed: bool
    shown: bool | None
    path: tuple[Action, ...] = ()
    """The run that decides, up to the step at which the values part."""
    why: str = ""
    """The reason that it is undecided."""

    @property
    def contradicts(self) -> bool:
        return self.shown is not None and self.shown != self.claimed


def values_of(classes: Classes, release: str, telling: Mapping[str, TellingRun]) -> Iterator[Value]:
    """Yield the value of every switch in the classes of *release*, as far as *telling* runs decide it."""
    rules = RELEASES[release]
    for switch in SWITCHES:
        claimed = getattr(rules, switch)
        if switch not in telling:
            why = UNSEEN.get(switch, "no run was found on which real classes show it")
            yield Value(switch, claimed, None, why=why)
        else:
            yield _value(classes, release, claimed, telling[switch])


def _value(classes: Classes, release: str, claimed: bool, known: TellingRun) -> Value:
    """Decide a switch by a known run, by the other rules of the release."""
    switch = known.switch
    try:
        bounds = replace(known.states[0].bounds, rules=RELEASES[release])
    except ValueError as error:
        return Value(switch, claimed, None, why=str(error))
    if why := SYSTEM.refuse_release(bounds, release):
        return Value(switch, claimed, None, why=why)
    found = telling_run(known.family, bounds, switch, known.run)
    if found is None:
        return Value(switch, claimed, None, why="by the other rules of the release its run shows no difference")
    outcome = classes.take(found.run, found.states)
    if outcome.ending == Ending.AGREES:
        return Value(switch, claimed, found.value, found.run)
    if outcome.ending == Ending.DIFFERS and goes_repaired(outcome, found.parting):
        return Value(switch, claimed, not found.value, found.run)
    return Value(switch, claimed, None, found.run, outcome.like_neither())
