"""A scenario judged by the rules of another release (``oneowner replay FILE --release R``)."""

from collections.abc import Mapping
from dataclasses import replace

from oneowner.checkers.catalogue.families import bounds_under
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.scenarios.scenario import Scenario, switch_in_words
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.system import actions


def under_release(scenario: Scenario, release: str, turned: Mapping[str, str]) -> Scenario:
    """
    Return *scenario* by the rules of *release* alone, with some switches *turned*; raise Misuse if that cannot be.

    The faults and switches of its file give way, for they are not those of the release, and so does its expectation.
    """
    judged = judged_release(release, scenario.bounds.system.releases)
    bounds = bounds_under(scenario.bounds, judged.name, (), (), turned)
    own = [*scenario.faults, *(switch_in_words(*one) for one in scenario.rules.items())]
    by = f"judged by the rules of {judged.name}"
    by += f" instead of {scenario.release}" if judged.name != scenario.release else ""
    notes = [judged.note, f"{by}, without {', '.join(own)}" if own else by]
    return replace(
        scenario,
        bounds=bounds,
        steps=tuple(counterpart(action, bounds) for action in scenario.steps),
        release=judged.name,
        note="; ".join(filter(None, notes)),
        faults=(),
        rules={name: getattr(bounds.rules, name) for name in turned},
        expect=None,
    )


def counterpart(action: Action, bounds: Bounds) -> Action:
    """Return the one action of *bounds* with the same name and values, or else *action*, which is not enabled there."""
    values = dict(action.arguments)
    alike = [
        one
        for one in actions(bounds)
        if one.name == action.name and all(values.get(name, value) == value for name, value in one.arguments)
    ]
    return alike[0] if len(alike) == 1 else action
