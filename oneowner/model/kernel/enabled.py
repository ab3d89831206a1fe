"""
``EnabledLaw`` says when actions are enabled, by rules of its own beside their guards.

A law of steps sees what happens, never what a guard that is too strict keeps from happening. Here each action has two
rules over a state and its arguments: one that is enough for it to be enabled, and one that is needed.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, NamedTuple

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.law import LawKind, OnState, StateLaw, Status
from oneowner.model.kernel.system import actions


class Rule(NamedTuple):
    """When an action is enabled: always where *enough* says so, and only where *needed* does."""

    action: str
    enough: Callable[..., bool]
    needed: Callable[..., bool]


Asked = tuple[Rule, Action, dict[str, int]]
"""A rule, one action that it is about, and the arguments of that."""


@dataclass(frozen=True, slots=True)
class EnabledLaw(StateLaw):
    """A law of every state about what may happen in it."""

    rules: tuple[Rule, ...] = field(kw_only=True)
    where: Callable[[Any], bool] = field(kw_only=True)
    """In which bounds it has occasions."""

    def by_action(self, bounds: Any) -> Iterator[tuple[Action, OnState, OnState]]:
        """
        Yield each action with the occasions of the law for it alone, and whether it holds for it.

        The law has an occasion where it has one for any of them, and holds where it holds for all.
        """
        for rule, one, given in _asked(self.rules, bounds) if self.where(bounds) else ():
            only = ((rule, one, given),)
            yield one, partial(_has_any, only), partial(_are_as_ruled, only)


def exactly(action: str, rule: Callable[..., bool]) -> Rule:
    """Return that *action* is enabled where *rule* says so, and nowhere else."""
    return Rule(action, rule, rule)


def enabled_law(
    name: str, statement: str, source: str, *rules: Rule, where: Callable[[Any], bool], status: Status = Status.HOLDS
) -> EnabledLaw:
    """
    Declare when actions are enabled, *where* bounds are such; an occasion is a state where one is, or should be.

    It states guards a second time, so it is a mirror.
    """
    when, holds = partial(_has_occasion, rules, where), partial(_is_as_ruled, rules)
    return EnabledLaw(name, statement, source, when, holds, status, rules=rules, where=where, kind=LawKind.MIRROR)


def _has_occasion(rules: tuple[Rule, ...], where: Callable[[Any], bool], state: Any) -> bool:
    return where(state.bounds) and _has_any(_asked(rules, state.bounds), state)


def _is_as_ruled(rules: tuple[Rule, ...], state: Any) -> bool:
    return _are_as_ruled(_asked(rules, state.bounds), state)


def _has_any(asked: Iterable[Asked], state: Any) -> bool:
    return any(rule.enough(state, **given) or _is_enabled(state, one) for rule, one, given in asked)


def _are_as_ruled(asked: Iterable[Asked], state: Any) -> bool:
    return all(
        rule.needed(state, **given) if _is_enabled(state, one) else not rule.enough(state, **given)
        for rule, one, given in asked
    )


@lru_cache(maxsize=256)  # it is asked for every state
def _asked(rules: tuple[Rule, ...], bounds: Any) -> tuple[Asked, ...]:
    by_name = {rule.action: rule for rule in rules}
    return tuple((by_name[one.name], one, dict(one.arguments)) for one in actions(bounds) if one.name in by_name)


def _is_enabled(state: Any, action: Action) -> bool:
    try:
        action.run(state.draft(), **dict(action.arguments))
    except Disabled:
        return False
    except BoundReached:
        return True
    return True
