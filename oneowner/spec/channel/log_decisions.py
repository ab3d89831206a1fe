"""``KEPT``, ``COPIED``, ``NOTICED`` and ``RANGES`` judge the fate of records that are read, and the ranges of units."""

from collections.abc import Iterable
from itertools import pairwise

from oneowner.model.channel.log_inputs import (
    Compacted,
    Copied,
    LogSizes,
    Noticed,
    Places,
    RingSizes,
    Units,
    copied_to,
    kept_of,
    placed,
    read_compacted,
    read_copied,
    read_noticed,
    read_units,
    some_compacted,
    some_copied,
    some_noticed,
    some_units,
    viewed,
)
from oneowner.model.channel.parts import Message
from oneowner.model.channel.record import NOTHING, TOMBSTONE, Record
from oneowner.model.channel.resolver import refusal
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.decision import Decision, InputLaw
from oneowner.model.kernel.law import LawKind
from oneowner.model.pulsar.bundles import Range
from oneowner.model.pulsar.bundles import overlap as ranges_overlap

__traced__ = False  # laws of decisions, concrete


def folded(held: Record, log: Iterable[Message]) -> Record:
    """The entry of unit 1 that a reader of the topic holds after the records of *log*."""
    for message in log:
        if message.unit == 1 and refusal(held, message.record) is None:
            held = message.record
    return held


# ---- what a compaction keeps ----


def has_a_horizon(compacted: Compacted, answer: Record) -> bool:
    return compacted.horizon > 0


def is_kept_without_what_was_before(compacted: Compacted, answer: Record) -> bool:
    later = Compacted(compacted.before, compacted.log[compacted.horizon :], 0)
    return answer == kept_of(later)


def is_the_fold(compacted: Compacted, answer: Record) -> bool:
    return answer == folded(compacted.before, compacted.log[compacted.horizon :])


def has_foreign(compacted: Compacted, answer: Record) -> bool:
    return any(message.unit != 1 for message in compacted.log[compacted.horizon :])


def is_kept_without_the_others(compacted: Compacted, answer: Record) -> bool:
    own = tuple(message for message in compacted.log[compacted.horizon :] if message.unit == 1)
    return answer == kept_of(Compacted(compacted.before, own, 0))


KEPT = Decision(
    "channel/kept-record",
    "What a compaction keeps of a unit (StrategicTwoPhaseCompactor.phaseOne), after what an earlier one kept",
    LogSizes,
    some_compacted,
    kept_of,
    (
        InputLaw(
            "last-accepted-is-kept",
            "Kept is what a reader holds that begins with what was kept before, and reads what came after the horizon:"
            " nothing that it refuses, and nothing after a tombstone.",
            "StrategicTwoPhaseCompactor.doCompactMessage",
            lambda compacted, answer: True,
            is_the_fold,
            kind=LawKind.PROTOCOL,
        ),
        InputLaw(
            "horizon-is-where-reading-begins",
            "What lies before the horizon is not read again.",
            "StrategicTwoPhaseCompactor.phaseOne",
            has_a_horizon,
            is_kept_without_what_was_before,
            kind=LawKind.PROTOCOL,
        ),
        InputLaw(
            "units-are-kept-apart",
            "What is kept of a unit does not depend on records of another one.",
            "StrategicTwoPhaseCompactor.doCompactMessage",
            has_foreign,
            is_kept_without_the_others,
            kind=LawKind.PROTOCOL,
        ),
    ),
    read_compacted,
)


# ---- what the syncer copies ----


def last(copied: Copied) -> Record:
    return copied.log[-1].record


def is_taken_by_the_topic(copied: Copied) -> bool:
    before = folded(TOMBSTONE, copied.log[:-1])
    return copied.log[-1].unit == 1 and folded(TOMBSTONE, copied.log) != before


def is_taken_by_the_store(copied: Copied) -> bool:
    return refusal(copied.node, last(copied), Storage.METADATA_STORE) is None


def can_be_put(copied: Copied) -> bool:
    return last(copied).state != NOTHING or copied.release == "5.0.1"


def stays(copied: Copied, answer: Record) -> bool:
    return answer == copied.node


def is_copied(copied: Copied, answer: Record) -> bool:
    return answer == last(copied)


COPIED = Decision(
    "channel/copied-record",
    "What the syncer puts into the metadata store (ServiceUnitStateTableViewSyncer.syncToMetadataStore), by release",
    LogSizes,
    some_copied,
    copied_to,
    (
        InputLaw(
            "refused-record-is-not-copied",
            "What the topic's readers refuse, or what is another unit's, changes nothing in the metadata store.",
            "ServiceUnitStateTableViewSyncer.syncToMetadataStore",
            lambda copied, answer: not is_taken_by_the_topic(copied),
            stays,
            kind=LawKind.PROTOCOL,
        ),
        InputLaw(
            "store-refuses-a-copy-as-any-record",
            "What the metadata store's resolver refuses, or is a tombstone that cannot be put (until #25946), is not in"
            " the node.",
            "ServiceUnitStateMetadataStoreTableViewImpl.put; apache/pulsar#25946",
            lambda copied, answer: not (is_taken_by_the_store(copied) and can_be_put(copied)),
            stays,
            kind=LawKind.PROTOCOL,
        ),
        InputLaw(
            "accepted-record-is-copied",
            "What both take is in the node.",
            "ServiceUnitStateTableViewSyncer.syncToMetadataStore",
            lambda copied, answer: (
                is_taken_by_the_topic(copied) and is_taken_by_the_store(copied) and can_be_put(copied)
            ),
            is_copied,
            kind=LawKind.PROTOCOL,
        ),
    ),
    read_copied,
)


# ---- what a view in the metadata store takes ----


def is_alike(noticed: Noticed) -> bool:
    """The records are equal to that release."""
    return noticed.view.version == noticed.node.version if noticed.release == "4.0.4" else noticed.view == noticed.node


NOTICED = Decision(
    "channel/noticed-node",
    "What a view in the metadata store holds after a notification (MetadataStoreTableViewImpl), by release",
    LogSizes,
    some_noticed,
    viewed,
    (
        InputLaw(
            "view-takes-what-differs",
            "A view takes what its node holds, whatever the resolver would say of it.",
            "MetadataStoreTableViewImpl.handleNotification",
            lambda noticed, answer: not is_alike(noticed),
            lambda noticed, answer: answer == noticed.node,
            kind=LawKind.MIRROR,
        ),
        InputLaw(
            "equal-record-is-no-news",
            "A record that is equal to the held one is no news; until #24186 one of the held version was.",
            "ServiceUnitStateData.equals; apache/pulsar#24186",
            lambda noticed, answer: is_alike(noticed),
            lambda noticed, answer: answer == noticed.view,
            kind=LawKind.MIRROR,
        ),
    ),
    read_noticed,
)


# ---- how units lie on the ring ----

EXTENTS = {1: Range(0, 8), 2: Range(0, 4), 3: Range(4, 8), 4: Range(0, 2), 5: Range(2, 4)}
"""A parent, its children, the children of the first; the topic has hash 0."""
TOPIC = Range(0, 1)


def overlap_as_ranges_do(units: Units, answer: Places) -> bool:
    return answer.overlap == ranges_overlap(EXTENTS[units.one], EXTENTS[units.other])


def share_the_topic(units: Units, answer: Places) -> bool:
    return answer.share_topics == all(ranges_overlap(EXTENTS[unit], TOPIC) for unit in (units.one, units.other))


def is_between_boundaries(units: Units, answer: Places) -> bool:
    boundaries = [0, *([2] if units.ring.nested else []), *([4] if units.ring.split else []), 8]
    bundles = [Range(low, high) for low, high in pairwise(boundaries)]
    return answer.is_there == (EXTENTS[units.one] in bundles)


RANGES = Decision(
    "channel/unit-ranges",
    "How the units of a split lie to each other, and which are bundles by some boundaries (NamespaceBundles)",
    RingSizes,
    some_units,
    placed,
    (
        InputLaw(
            "units-overlap-as-their-ranges-do",
            "Two units overlap where the halves of a range, and of its lower half, do.",
            "NamespaceBundle.includes",
            lambda units, answer: True,
            overlap_as_ranges_do,
            kind=LawKind.PROTOCOL,
        ),
        InputLaw(
            "units-share-the-topic-that-both-include",
            "Two units share topics if both include the topic, which lies lowest.",
            "NamespaceBundle.includes",
            lambda units, answer: True,
            share_the_topic,
            kind=LawKind.PROTOCOL,
        ),
        InputLaw(
            "bundle-lies-between-boundaries",
            "A unit is a bundle if it lies between two boundaries that follow each other.",
            "NamespaceBundles.validateBundle",
            lambda units, answer: True,
            is_between_boundaries,
            kind=LawKind.PROTOCOL,
        ),
    ),
    read_units,
)
