"""``Plan`` describes a job of random walks; progress and findings are the same for every engine."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached
from oneowner.model.kernel.language import Slot

DEFAULT_DEPTH = 200
DEFAULT_SEED = 1


class Plan(NamedTuple):
    """The plan of walks to take: *walks* of at most *depth* steps, the first of which has number *first*."""

    walks: int
    depth: int = DEFAULT_DEPTH
    seed: int = DEFAULT_SEED
    first: int = 0
    seconds: float | None = None
    goes_on: bool = False
    """True if walks go on after one has broken a law that ends it."""

    def left(self, started: float) -> Plan:
        """Return the plan with its remaining time, for work that began at this moment of the monotonic clock."""
        if self.seconds is None:
            return self
        return self._replace(seconds=max(0.0, self.seconds - (time.monotonic() - started)))


class Broken(NamedTuple):
    """The shortest walk that broke a law, up to the step that did."""

    walk: int
    steps: tuple[Action, ...]


class Pace(NamedTuple):
    """The progress of the walks; passed to the caller about once a second."""

    walk: int
    steps: int
    seconds: float
    before: str = ""
    """The work before the first step is taken, in words."""


@dataclass(slots=True)
class Walks:
    """The findings of walks; of states and classes it is what they happened to see."""

    plan: Plan
    walks: int = 0
    steps: int = 0
    longest: int = 0
    terminal: int = 0
    """Walks that ended where no action is enabled."""
    distinct: int = 0
    is_estimate: bool = False
    classes: int = 0
    """Classes of states (``System.state_class``) that were seen."""
    are_classes_full: bool = False
    """True if there were more than could be kept, so that the numbers of classes are too low."""
    fired: dict[str, int] = field(default_factory=dict)
    pairs: dict[str, int] = field(default_factory=dict)
    """In how many classes of states each action, by name, was taken."""
    exercised: dict[str, int] = field(default_factory=dict)
    broken: dict[str, Broken] = field(default_factory=dict)
    witnesses: dict[str, bool] = field(default_factory=dict)
    last: tuple[Action, ...] = ()
    """The steps of the last walk, for those who want to look at one."""
    state: bytes = b""
    """The codes of the state in which it ended."""
    stopped: str = ""
    """The reason that the walks ended early, in words."""
    seconds: float = 0.0
    memory: int = 0


OUTSIDE = "a value leaves its domain"


def beyond(bound: str, number: int) -> str:
    """Return in words that step *number* of a walk was left out because it needs more than a bound holds."""
    return f"{BoundReached(bound)} at step {number} of a walk"


def class_slots(slots: Sequence[Slot], classes: Sequence[str]) -> list[int]:
    """Return the numbers of the slots that distinguish classes of states, named with * for any number."""
    patterns = [re.compile(re.escape(name).replace(r"\*", "[0-9]+")) for name in classes]
    return [number for number, slot in enumerate(slots) if any(p.fullmatch(slot.name) for p in patterns)]
