"""Obligations group the steps that are owed together, by the fairness that the actions of a model declare."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.fairness import Fairness, OnStep, Strength


@dataclass(frozen=True, slots=True)
class Demand:
    """Steps of which one has to be taken: instances of an action that differ in nothing but a free choice."""

    words: str
    strength: Strength
    actions: tuple[Action, ...]
    owed: OnStep


def demands_of(actions: Sequence[Action], fairness: Mapping[str, Fairness]) -> tuple[Demand, ...]:
    """
    Return the obligations among *actions*, in their order; *fairness* maps names of actions to their fairness.
    """
    members: dict[str, list[Action]] = {}
    for action in actions:
        if fairness[action.name].strength != Strength.NONE:
            members.setdefault(_without(action, fairness[action.name].choice), []).append(action)
    return tuple(
        Demand(words, (how := fairness[same[0].name]).strength, tuple(same), how.owed)
        for words, same in members.items()
    )


def _without(action: Action, choice: str) -> str:
    return str(Action(action.name, tuple(pair for pair in action.arguments if pair[0] != choice), action.run))
