"""
``Rules`` holds as switches where releases of Elasticsearch differ, and ``RELEASES`` which release has which.

The sources of every release listed here were searched for each change (``tools.release_edges``); the behaviour itself
was read in the classes that the actions name.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Rules:
    """The switches of a shard's copies; the defaults are those of 8.0.0, unless a switch names another release."""

    master_fails_copies: bool = True
    """A write waits until the master has failed the copies that do not have it (#14252, 5.0.0-alpha1)."""
    in_sync_ids: bool = True
    """Only a copy whose allocation id is in sync is made a primary from disk (#14671, #15281, 5.0.0-alpha1)."""
    copies_check_term: bool = True
    """A copy refuses the operation of an older primary term than its own (#17044, 5.0.0)."""
    term_is_authority: bool = True
    """The master fails a copy for the primary of the current term alone (#19715, 5.0.0-beta1)."""
    no_write_fails_primary: bool = False
    """The master fails no primary because it lacks a write: a repair, in no release."""
    hands_over: bool = True
    """A primary that is relocated lets go before its target accepts (#15900, 5.0.0-alpha1)."""
    relocated_stays_so: bool = True
    """A primary that has handed over never accepts again, even if the relocation is cancelled (#15900, #20443)."""
    recoveries_restart: bool = True
    """Recoveries from a primary that has been relocated begin anew (#19287, 5.0.0-alpha5; #23926, 5.4.0)."""
    target_knows_group: bool = True
    """The target of a relocation is told which copies there are: the primary context (#25122, 6.0.0)."""
    resyncs: bool = True
    """A copy that is promoted sends what it has to the other copies (#24841, 6.0.0-beta1)."""
    rolls_back: bool = True
    """A copy drops what the promoted one does not have (#33473, 6.5.0)."""
    closing_acknowledges_nothing: bool = True
    """A node that shuts down acknowledges no write that some copy lacks (#39584, 6.7.0)."""
    delay_is_rescheduled: bool = True
    """A reroute after a delay schedules the next one, if copies are still delayed (#14494, 2.0.1)."""
    limits_outgoing: bool = True
    """The recoveries from one node are limited, not only those to one (#10267, #15372, 5.0.0-alpha1)."""


_BEFORE_6_7: Final = {"closing_acknowledges_nothing": False}
_BEFORE_6_5: Final = {**_BEFORE_6_7, "rolls_back": False}
_BEFORE_6: Final = {**_BEFORE_6_5, "resyncs": False}
_BEFORE_5: Final = {
    **_BEFORE_6,
    "master_fails_copies": False,
    "in_sync_ids": False,
    "copies_check_term": False,
    "term_is_authority": False,
    "hands_over": False,
    "relocated_stays_so": False,
    "recoveries_restart": False,
    "target_knows_group": False,
    "limits_outgoing": False,
}

RELEASES: Final = MappingProxyType(
    {
        "2.0.0": Rules(**{**_BEFORE_5, "delay_is_rescheduled": False}),
        **dict.fromkeys(("2.0.1", "2.4.6"), Rules(**_BEFORE_5)),
        "5.6.16": Rules(**_BEFORE_6),
        **dict.fromkeys(("6.0.0", "6.4.3"), Rules(**_BEFORE_6_5)),
        **dict.fromkeys(("6.5.0", "6.6.2"), Rules(**_BEFORE_6_7)),
        **dict.fromkeys(("6.7.0", "6.8.23", "7.0.0", "7.17.0", "7.17.29", "8.0.0", "8.15.0"), Rules()),
    }
)
"""The rules of some releases, in the order of age. 5.6 has no primary context: its target waits for the cluster state
of the source, and writes go to every copy of that; so it knows the group, too."""
