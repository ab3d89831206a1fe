"""``systems`` and ``decisions`` list every system and decision: one line a folder."""

from functools import cache
from importlib import import_module

from oneowner.model.kernel.decision import Decision
from oneowner.model.kernel.lemma import Lemma
from oneowner.model.kernel.system import System

NAMES = (
    "channel",
    "locks",
    "load_data",
    "closed_loop",
    "lock_manager",
    "leader_election",
    "elasticsearch",
    "kafka",
    "streams_group",
    "redis",
)
"""A folder in model and one in spec, whose ``system`` module holds ``SYSTEM``."""
DECIDING = ("balancer", "channel", "kafka", "allocation")
"""A folder in model and one in spec, whose ``decisions`` module holds ``DECISIONS``."""


@cache
def names() -> dict[str, str]:
    """Return the name of every system by each of its names: its own, and its aliases."""
    return {word: name for name, system in systems().items() for word in (name, *system.aliases)}


@cache
def systems() -> dict[str, System]:
    return {name: import_module(f"oneowner.spec.{name}.system").SYSTEM for name in NAMES}


@cache
def decisions() -> dict[str, Decision]:
    """Return every decision by its name, with its folder, as in ``balancer/split-bundles``."""
    found = [one for name in DECIDING for one in import_module(f"oneowner.spec.{name}.decisions").DECISIONS]
    return {decision.name: decision for decision in found}


def subjects() -> tuple[System | Decision, ...]:
    return (*systems().values(), *decisions().values())


@cache
def lemmas() -> dict[str, tuple[Lemma, System | Decision]]:
    """Return every lemma by its name, with its subject."""
    return {lemma.name: (lemma, subject) for subject in subjects() for lemma in subject.lemmas}
