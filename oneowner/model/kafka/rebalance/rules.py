"""
``Rules`` holds as switches where releases differ, and ``RELEASES`` which release has which.

Which release has ``least_lag`` was seen in the answers of its own classes (``model.kafka.batch.assignors``); the rest
was read in ``StreamsPartitionAssignor``, ``StreamThread`` and ``ConsumerCoordinator``.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Rules:
    """The switches of a group; the defaults are those of 4.1.1, unless a switch names another release."""

    least_lag: bool = True
    """Where nobody has caught up, the client that is least behind gets a task (KAFKA-13600): ``TaskMovement``."""
    unknown_is_least: bool = True
    """A lag that is not known counts as less than any (apache/kafka#11760); without it, as a whole changelog: a repair,
    in no release."""
    cooperative: bool = True
    """A member that joins keeps its tasks meanwhile (KIP-429); before, all were given back first."""
    revokes_first: bool = True
    """A task that another member owns is not handed out before that one has given it back (KIP-429)."""
    asks_for_probing: bool = True
    """The leader schedules a probing rebalance while a task is not where it is meant to be (KIP-441)."""
    asks_anew: bool = True
    """A member that gave a task back, or waits for one, asks for another rebalance at once (KIP-429, KAFKA-9821)."""
    limits_warm_ups: bool = True
    """There are no more warm-ups than ``max.warmup.replicas`` (KIP-441)."""
    drops_lost: bool = True
    """A member that the group goes on without drops its tasks before it joins anew (KAFKA-8179)."""
    fences_commits: bool = True
    """An offset is committed by members of the present generation only: ``ILLEGAL_GENERATION``, ``FENCED``."""
    locks_reported: bool = True
    """The state cleaner keeps off what a member has told its lag of, until the rebalance is over (KIP-441)."""


RELEASES: Final = MappingProxyType(
    {
        "2.6.3": Rules(least_lag=False, unknown_is_least=False),
        **dict.fromkeys(("3.2.3", "3.3.2", "3.4.1", "3.7.2", "3.9.1", "4.1.1"), Rules()),
    }
)
"""The rules of every release that was read, in the order of age."""
