"""
Which steps are owed together: the declarations of ``spec/channel/fairness.py`` for the actions of one model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oneowner.checkers.verdict import Misuse
from oneowner.model.channel.system import Action
from oneowner.model.kernel.law import OnStep
from oneowner.spec.channel import FAIRNESS
from oneowner.spec.channel.fairness import Strength


@dataclass(frozen=True, slots=True)
class Demand:
    """Steps of which one has to be taken: instances of an action that differ in nothing but a free choice."""

    words: str
    strength: Strength
    actions: tuple[Action, ...]
    owed: OnStep


def demands_of(actions: Sequence[Action]) -> tuple[Demand, ...]:
    """
    Return what is owed among *actions*, in their order.

    >>> from model.system import Bounds, actions
    >>> [demand.words for demand in demands_of(actions(Bounds(brokers=2, crashes=1)))][-2:]
    ['override(broker=1, unit=1)', 'override(broker=2, unit=1)']
    """
    declared = {fairness.action: fairness for fairness in FAIRNESS}
    members: dict[str, list[Action]] = {}
    for action in actions:
        if action.name not in declared:
            raise Misuse(f"spec/channel/fairness.py does not say how {action.name} is owed")
        if declared[action.name].strength != Strength.NONE:
            members.setdefault(_without(action, declared[action.name].choice), []).append(action)
    return tuple(
        Demand(words, (fairness := declared[same[0].name]).strength, tuple(same), fairness.owed)
        for words, same in members.items()
    )


def _without(action: Action, choice: str) -> str:
    return str(Action(action.name, tuple(pair for pair in action.arguments if pair[0] != choice), action.run))
