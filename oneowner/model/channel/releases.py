"""
``RELEASES`` gives every release of Pulsar its switches of ``rules.py``, as data: where it differs from 4.0.6.

Where ``CHANGES`` lists no switch, a release behaves as 4.0.6; ``readings.py`` says how that is known.
"""

from __future__ import annotations

from typing import Final

from oneowner.model.channel.later_changes import LATER
from oneowner.model.channel.release_changes import EARLIER, Change, Spans
from oneowner.model.channel.rules import Rules

__traced__ = False  # facts about releases, concrete before any state exists

_LINES: Final = (("3.0", 17), ("3.1", 3), ("3.2", 4), ("3.3", 9), ("4.0", 14), ("4.1", 3), ("4.2", 5), ("5.0", 1))
"""Release lines, with the last patch release of each."""

NAMES: Final[tuple[str, ...]] = tuple(f"{line}.{patch}" for line, last in _LINES for patch in range(last + 1))
"""Every release, line by line. From 4.0 on lines live side by side: 4.0.14 is younger than 4.2.4."""


def is_within(release: str, spans: Spans) -> bool:
    """
    Say whether *release* lies in one of *spans*.

    >>> is_within("3.1.2", (("3.0.1", "3.0.5"), ("3.1.0", "3.1.3"))), is_within("3.0.6", (("3.0.1", "3.0.5"),))
    (True, False)
    """
    place = NAMES.index(release)
    return any(NAMES.index(first) <= place <= NAMES.index(last) for first, last in spans)


METADATA_STORE_SINCE: Final = "4.0.0"
"""The first release that can keep the channel in the metadata store (PIP-378)."""


def has_metadata_store(release: str) -> bool:
    """Say whether *release* can keep the channel in the metadata store."""
    return NAMES.index(release) >= NAMES.index(METADATA_STORE_SINCE)


CHANGES: Final[tuple[Change, ...]] = (*EARLIER, *LATER)
"""Every switch that some release has otherwise than 4.0.6."""

RELEASES: Final[dict[str, Rules]] = {
    name: Rules(**{change.switch: change.value for change in CHANGES if is_within(name, change.spans)})
    for name in NAMES
}
"""The switches of every release."""
