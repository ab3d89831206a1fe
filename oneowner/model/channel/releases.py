"""
``RELEASES`` gives every release with this channel its switches of ``rules.py``, as data: where it differs from 4.0.6.

Where ``CHANGES`` lists no switch, a release behaves as 4.0.6; ``readings.py`` says how that is known.
"""

from __future__ import annotations

from typing import Final

from oneowner.model.channel.later_changes import LATER
from oneowner.model.channel.release_changes import EARLIER, Change
from oneowner.model.channel.rules import Rules
from oneowner.model.kernel.releases import is_within, since
from oneowner.model.pulsar import releases

__traced__ = False  # facts about releases, concrete before any state exists

_CHANNEL: Final = since("3.0.0")
"""The releases with this channel (PIP-192)."""

NAMES: Final[tuple[str, ...]] = tuple(name for name in releases.RELEASES if name in _CHANNEL)
"""Every release with this channel, line by line."""

METADATA_STORE_SINCE: Final = "4.0.0"
"""The first release that can keep the channel in the metadata store (PIP-378)."""

_METADATA_STORE: Final = since(METADATA_STORE_SINCE)


def has_metadata_store(release: str) -> bool:
    """Report whether *release* can keep the channel in the metadata store."""
    return release in _METADATA_STORE


CHANGES: Final[tuple[Change, ...]] = (*EARLIER, *LATER)
"""Every switch that some release has otherwise than 4.0.6."""


def rules_of(release: str) -> Rules:
    """Return the switches of *release*."""
    return Rules(**{change.switch: change.value for change in CHANGES if is_within(release, change.spans)})


RELEASES: Final[dict[str, Rules]] = {name: rules_of(name) for name in NAMES}
"""The switches of every release."""
