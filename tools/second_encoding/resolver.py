"""
Which record a reader accepts: the conflict resolver, typed from the code of release 4.0.6 (channel.1 to channel.3).

Records that nobody publishes here have no rule: versions that overflow (R3).
"""

from functools import cache
from typing import NamedTuple

INIT, FREE, OWNED, ASSIGNING, RELEASING, SPLITTING, DELETED = (
    "Init Free Owned Assigning Releasing Splitting Deleted".split()
)
ACTIVE = {OWNED, ASSIGNING, RELEASING, SPLITTING}
IN_FLIGHT = {ASSIGNING, RELEASING, SPLITTING}

NOBODY = 0


class Record(NamedTuple):
    """A record about a unit (channel.2): timestamp and split children are left out, brokers count from 1."""

    state: str
    destination: int
    source: int
    force: bool
    version: int


Held = Record | None  # None is "nothing": no record was accepted yet

# Section 1.1, the rows that both storages share, then the two that differ.
SHARED = {
    (OWNED, RELEASING), (OWNED, SPLITTING), (ASSIGNING, OWNED), (RELEASING, FREE), (RELEASING, ASSIGNING),
    (SPLITTING, DELETED), (DELETED, INIT),
}  # fmt: skip
SYSTEM_TOPIC = SHARED | {
    (INIT, FREE),
    (INIT, OWNED),
    (INIT, ASSIGNING),
    (INIT, RELEASING),
    (INIT, SPLITTING),
    (INIT, DELETED),
    (FREE, INIT),
    (FREE, ASSIGNING),
}
METADATA_STORE = SHARED | {(INIT, ASSIGNING), (FREE, ASSIGNING)}


def next_version(held: Held) -> int:
    return 1 if held is None else held.version + 1


@cache
def accepts(held: Held, proposed: Held, in_store: bool) -> bool:
    """The table R1 to R9 (channel.3): the first rule that matches decides. In the store no node means no deletion."""
    if proposed is None:
        return not in_store or held is not None  # R1
    if held is None and in_store:
        return proposed.version == 1  # R2: whatever else it says
    if held is not None and held.version >= proposed.version:
        return False  # R4
    if held is not None and held.version < proposed.version - 1:
        return not in_store  # R5: behind a gap the topic's readers take anything
    if proposed.force:
        return True  # R6
    step = (INIT if held is None else held.state, proposed.state)
    if step not in (METADATA_STORE if in_store else SYSTEM_TOPIC):
        return False  # R7
    return held is None or names_the_right_brokers(held, proposed)


def names_the_right_brokers(held: Record, proposed: Record) -> bool:
    """The table of rule R8 (channel.3); a step that it does not list may name anybody."""
    same = (held.destination, held.source) == (proposed.destination, proposed.source)
    match held.state, proposed.state:
        case "Owned", "Splitting":
            return proposed.destination == NOBODY and held.destination == proposed.source
        case "Owned", "Releasing":
            names_the_owner = proposed.source != NOBODY and held.destination == proposed.source
            return names_the_owner and held.destination != proposed.destination
        case ("Assigning", "Owned") | ("Releasing", "Free") | ("Splitting", "Deleted"):
            return same
        case "Releasing", "Assigning":
            return same and proposed.destination != NOBODY
        case "Free", "Assigning":
            return proposed.source == NOBODY and proposed.destination != NOBODY
    return True
