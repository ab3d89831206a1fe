"""The channel for tests: its system, its laws by name, the owed records."""

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.catalogue.family import Family
from oneowner.spec.channel.system import SYSTEM

__all__ = [
    "BUDGETS", "DEFAULT_RELEASE", "FAIRNESS", "LAWS", "LAW_NAMES", "LIVENESS_LAWS", "STATUSES", "SYSTEM",
    "channel_families",
]  # fmt: skip

LAWS = SYSTEM.laws_by_name
LIVENESS_LAWS = SYSTEM.liveness_by_name
STATUSES = SYSTEM.statuses
LAW_NAMES = {name: name for name in STATUSES}
BUDGETS = SYSTEM.budgets
FAIRNESS = tuple(SYSTEM.fairness.values())
DEFAULT_RELEASE = SYSTEM.default_release


def channel_families() -> dict[str, Family]:
    """Return the families of the channel alone, by name."""
    return {name: family for name, family in families().items() if family.system is SYSTEM}
