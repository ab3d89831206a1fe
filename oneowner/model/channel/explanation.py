"""
``why`` explains the refusal of a record: the reason, the legal alternatives, and the smallest change to get there.

Nothing here decides anything, and no step calls it.
"""

from itertools import combinations
from typing import Any

from oneowner.model.channel.record import NOBODY, Record, is_absent, is_buildable, next_version
from oneowner.model.channel.resolver import Refusal, moves, ownerless, refusal, state_of

__traced__ = False  # words about a refusal that is concrete by then

GUARD_WORDS = {
    "splits_its_owner": "the source must be the held owner {owner}, with no destination",
    "releases_its_owner": "the source must be the held owner {owner}, and the destination another broker or none",
    "same_brokers": "destination and source must stay {brokers}",
    "same_brokers_with_destination": "destination and source must stay {brokers}, and there must be a destination",
    "only_destination": "there must be a destination and no source",
    "has_owner": "an Owned record must name its owner as destination",
    "has_destination": "there must be a destination",
    "has_no_source": "there must be no source",
    "same_destination": "the destination must stay {owner}",
    "same_destination_without_source": "the destination must stay {owner}, and there must be no source",
    "same_brokers_with_source": "destination and source must stay {brokers}, and there must be a source",
    "transfers_from_its_owner": "the source must be the held owner {owner}, and the destination another broker",
}


def why(refused: Refusal) -> str:
    """
    Explain in one sentence why the record was refused: the rule, the values, the legal alternatives.

    >>> from oneowner.model.channel.record import ASSIGNING, OWNED
    >>> held = Record(ASSIGNING, 2, version=1)
    >>> print(why(refusal(held, Record(ASSIGNING, 3, version=2))))
    Assigning(3) v2 refused after Assigning(2) v1: no move from Assigning to Assigning; allowed is Owned
    >>> print(why(refusal(held, Record(OWNED, 3, version=2))))
    Owned(3) v2 refused after Assigning(2) v1: destination and source must stay 2 and nobody
    """
    held, proposed = refused.held, refused.proposed
    after = "nothing" if is_absent(held) else str(held)
    return f"{proposed} refused after {after}: {reason(refused)}"


def reason(refused: Refusal) -> str:
    """Name the rule that refused the record, with the values that it looked at."""
    held, proposed = refused.held, refused.proposed
    if is_absent(proposed):
        return f"the tombstone is of version {proposed.version}, and the held one is {held.version}"
    if refused.rule == "version":
        return f"version {proposed.version} is not above the held {held.version}"
    if refused.rule == "gap":
        return f"version {proposed.version} is not the next one, {next_version(held)}"
    if refused.rule == "first-version":
        return f"the first record of a unit must have version 1, not {proposed.version}"
    if refused.rule == "transition":
        before = state_of(held, refused.dialect)
        allowed = [after for frm, after, _ in moves(refused.storage, refused.dialect).rows if frm == before]
        return f"no move from {before} to {proposed.state}; allowed is {' or '.join(map(str, allowed)) or 'none'}"
    return GUARD_WORDS[refused.guard].format(owner=named(held.destination), brokers=brokers_of(held))


def repair(refused: Refusal) -> str:
    """
    Name the smallest change that would have made the record acceptable, as the resolver confirms.

    Fewest changed fields win; force is the last resort.

    >>> from oneowner.model.channel.record import ASSIGNING, OWNED, RELEASING
    >>> print(repair(refusal(Record(ASSIGNING, 2, version=4), Record(OWNED, 3, version=5))))
    dstBroker 2 instead of 3
    >>> print(repair(refusal(Record(OWNED, 2, version=4), Record(RELEASING, 3, 2, version=4))))
    versionId 5 instead of 4
    """
    proposed = refused.proposed
    edits = possible_edits(refused)
    for count in range(1, len(Record._fields)):
        for chosen in combinations(edits, count):
            changed = dict(chosen)
            if len(changed) == count:
                attempt = proposed._replace(**changed)
                if is_possible(refused, attempt):
                    return " and ".join(edit_in_words(proposed, field, value) for field, value in chosen)
    return "none: only a tombstone or another history"


def is_possible(refused: Refusal, attempt: Record) -> bool:
    """Return whether Pulsar can build *attempt*, and accepts it where it refused another record."""
    if not is_buildable(attempt) or ownerless(refused.held, attempt, refused.storage) is not None:
        return False
    return refusal(refused.held, attempt, refused.storage, refused.dialect) is None


def possible_edits(refused: Refusal) -> list[tuple[str, Any]]:
    """List the single-field changes of the proposed record that could help, best first."""
    held, proposed = refused.held, refused.proposed
    before = state_of(held, refused.dialect)
    brokers = dict.fromkeys((held.destination, held.source, proposed.destination, proposed.source, NOBODY))
    allowed = [after for frm, after, _ in moves(refused.storage, refused.dialect).rows if frm == before]
    edits: list[tuple[str, Any]] = [("version", next_version(held))]
    edits += [("destination", broker) for broker in brokers]
    edits += [("source", broker) for broker in brokers]
    edits += [("state", state) for state in allowed]
    edits += [("force", True)]
    return [(field, value) for field, value in edits if getattr(proposed, field) != value]


def edit_in_words(proposed: Record, field: str, value: Any) -> str:
    """Return one change in the words of the record's JSON."""
    name = {"version": "versionId", "destination": "dstBroker", "source": "sourceBroker"}.get(field, field)
    if field == "force":
        return "force true"
    if field in ("destination", "source"):
        return f"{name} {named(value)} instead of {named(getattr(proposed, field))}"
    return f"{name} {value} instead of {getattr(proposed, field)}"


def brokers_of(record: Record) -> str:
    """Return destination and source in words."""
    return f"{named(record.destination)} and {named(record.source)}"


def named(broker: int) -> str:
    return str(broker) if broker else "nobody"
