"""
``RELEASES`` lists the releases of Pulsar, once for all its systems.

A release that comes out is a greater number in ``_LINES``. It behaves as the one before it until a change names it.
"""

from typing import Final

_LINES: Final = (
    ("2.6", 4),
    ("2.7", 5),
    ("2.8", 4),
    ("2.9", 5),
    ("2.10", 6),
    ("2.11", 4),
    ("3.0", 17),
    ("3.1", 3),
    ("3.2", 4),
    ("3.3", 9),
    ("4.0", 14),
    ("4.1", 3),
    ("4.2", 5),
    ("5.0", 1),
)
"""Release lines, with the last patch release of each."""

RELEASES: Final[tuple[str, ...]] = tuple(f"{line}.{patch}" for line, last in _LINES for patch in range(last + 1))
"""Every release, line by line. From 4.0 on lines live side by side: 4.0.14 is younger than 4.2.4."""

DEFAULT_RELEASE: Final = "4.0.6"
"""The release that is meant where none is named: the one of which most was recorded."""

MILESTONES: Final = ("5.0.0-M1",)
"""Previews that were read, or run in a lab."""
