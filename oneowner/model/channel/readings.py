"""
``known`` says how it is known which value a switch has in a release: by source, by bytecode, or by release notes alone.

The notes of a release name a pull request and show no code; that they do not name one is no more than that. What was
read of which release is in docs/sources.md, "Releases".
"""

from enum import StrEnum
from typing import Final, NamedTuple

from oneowner.model.kernel.releases import is_between
from oneowner.model.kernel.system import Known

__traced__ = False  # facts about releases, concrete before any state exists


class Artifact(StrEnum):
    """The parts of Pulsar that the model tells of, by the names of their jars."""

    BROKER = "pulsar-broker"
    CLIENT = "pulsar-client"
    LEDGER = "managed-ledger"
    METADATA = "pulsar-metadata"


class Reading(NamedTuple):
    """The evidence on some releases; of their other parts, only the release notes were read."""

    ranges: tuple[tuple[str, str], ...]
    """The first and the last release of each: nobody has read what comes after."""
    known: Known
    artifacts: frozenset[Artifact] = frozenset(Artifact)

    def has(self, release: str) -> bool:
        return any(is_between(release, first, last) for first, last in self.ranges)


READINGS: Final = (
    Reading(
        (("3.0.0", "3.0.13"), ("3.1.0", "3.1.3"), ("3.2.0", "3.2.4"), ("3.3.0", "3.3.8"), ("4.0.0", "4.0.6")),
        Known.SOURCE,
    ),
    Reading((("4.0.7", "4.0.7"),), Known.SOURCE, frozenset({Artifact.BROKER, Artifact.METADATA})),
    Reading((("4.0.8", "4.0.8"), ("4.1.0", "4.1.0"), ("4.2.0", "4.2.0"), ("4.2.4", "4.2.4")), Known.SOURCE),
    Reading((("5.0.1", "5.0.1"),), Known.BYTECODE),
)
"""All readings: tags, source jars, published classes; docs/sources.md says which."""

ELSEWHERE: Final[dict[str, Artifact]] = {
    "reset_keeps_properties": Artifact.LEDGER,
    "cursor_keeps_properties": Artifact.LEDGER,
    "flush_applies_last": Artifact.CLIENT,
    "tombstone_is_read": Artifact.CLIENT,
    "seek_keeps_horizon": Artifact.LEDGER,
    "ephemeral_registration": Artifact.METADATA,
    "foreign_leader_kept": Artifact.METADATA,
    "hears_of_election": Artifact.METADATA,
    "leader_read_from_cache": Artifact.METADATA,
    "migration_awaits_all": Artifact.METADATA,
    "refresh_before_invalidate": Artifact.METADATA,
    "children_miss_cached": Artifact.METADATA,
    "re_election": Artifact.METADATA,
    "watch_set_again": Artifact.METADATA,
}
"""The switches that tell of another part than the broker."""


def known(release: str, switch: str) -> Known:
    """
    Return the evidence for the value that *switch* has in *release*.

    >>> known("5.0.1", "registers_with_session").value, known("4.0.7", "flush_applies_last").value
    ('bytecode read', 'release notes only')
    """
    artifact = ELSEWHERE.get(switch, Artifact.BROKER)
    read = (one.known for one in READINGS if artifact in one.artifacts and one.has(release))
    return next(read, Known.NOTES)
