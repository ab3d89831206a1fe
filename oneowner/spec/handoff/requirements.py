"""
``REQUIREMENTS`` are the promises that a system may make of a hand-over, in neutral words: R0, O1 to O10, V1 to V6.

R0 is the requirement of PIP-192, in its three sentences. O is about every state and step, V about final outcomes and
their frequency. The ``requirements.yaml`` of a system lists the laws that stand for each, or the reason that it claims
none.
"""

from typing import NamedTuple

from oneowner.model.handoff.sentences import LET_GO, LOST, NAMED


class Requirement(NamedTuple):
    """One promise; systems weaken it in their own ways."""

    name: str
    title: str
    statement: str
    source: str
    """The system that promises it first or most clearly."""


REQUIREMENTS = (
    Requirement(NAMED, "the heir is named",
                "An owner changes only through a hand-over that names the heir beforehand.",
                "PIP-192, Assign and Transfer"),
    Requirement(LET_GO, "the former owner lets go first",
                "The former owner lets go before the heir owns.",
                "PIP-192, Transfer; KIP-429"),
    Requirement(LOST, "only the failed lose",
                "Nobody but an owner that has failed loses a unit, or a hand-over, in any other way.",
                "PIP-192, Broker Failure"),
    Requirement("O1", "a single server", "At most one member serves a unit.", "PIP-192; KIP-441"),
    Requirement("O2", "serving by authority",
                "A member serves a unit only if the latest record that it has applied names it, as the owner or as the"
                " source that has not let go.", "PIP-192, Bundle State Channel"),
    Requirement("O3", "epochs grow, and name one owner",
                "The epoch of a unit never falls in any view, and no two views accept one epoch with two owners.",
                "Redis Cluster Specification, configuration epoch; KIP-1071, member epoch"),
    Requirement("O4", "release before acquisition", "Within one epoch the release comes before the acquisition.",
                "KIP-429, incremental cooperative rebalancing; KIP-1071"),
    Requirement("O5", "the destination is ready",
                "Who is given a unit is eligible, and ready for it, when it is given.", "KIP-441, acceptable lag"),
    Requirement("O6", "a phase has its driver",
                "Each phase of a hand-over follows the system's table, and somebody who lives, or a time-out, will end"
                " it.", "PIP-192, Broker Failure"),
    Requirement("O7", "units are a partition",
                "The units are a partition of what is owned, before and after a split or a transfer.",
                "PIP-192, Split; Redis Cluster Specification, hash slots"),
    Requirement("O8", "moves are bounded", "No more than so many units are being moved at once.",
                "KIP-441, max.warmup.replicas"),
    Requirement("O9", "replicas are counted", "A unit has as many replicas as are asked for, as far as members go.",
                "KIP-441, num.standby.replicas"),
    Requirement("O10", "copies are apart", "No two copies of a unit are on one member.",
                "KIP-441; Elasticsearch, SameShardAllocationDecider"),
    Requirement("V1", "every unit is owned again", "In the end every unit is owned by a member that lives.",
                "PIP-192, Broker Failure"),
    Requirement("V2", "views converge", "In the end all views of who owns what are the same.", "redis/redis#3776"),
    Requirement("V3", "balance is reached in time",
                "While nobody joins, leaves or changes load, balance is reached after as many rounds as the moves need,"
                " and one.", "KIP-441, probing rebalances"),
    Requirement("V4", "rest at balance", "Where balance is reached, nothing moves.", "KIP-441, stickiness"),
    Requirement("V5", "few owners change", "One member that comes or goes changes few owners more than it must.",
                "KIP-54, sticky assignment; KIP-441"),
    Requirement("V6", "no return", "No unit comes back to where it was just taken from, unless load has changed.",
                "KIP-441, probing rebalances"),
)  # fmt: skip
