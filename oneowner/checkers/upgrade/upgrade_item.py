"""One change between two releases: its weight, words, action and source."""

from enum import StrEnum
from typing import Any, NamedTuple


class Weight(StrEnum):
    """The weight of a change, the heaviest first."""

    ACT = "act"
    """It breaks something: act before the upgrade."""
    MIND = "mind"
    """The cluster behaves otherwise, and goes on."""
    NOTE = "note"


class Area(StrEnum):
    """The subject of a change, in the order of the output."""

    TOGETHER = "both releases in one cluster"
    SETTINGS = "settings"
    DECISIONS = "decisions on these loads"
    BUGS = "bugs"


class UpgradeItem(NamedTuple):
    """A change."""

    area: Area
    weight: Weight
    what: str
    todo: str = ""
    source: str = ""
    """The class, the issue, or the file with its line."""

    def json(self) -> dict[str, Any]:
        return {
            "area": self.area.value, "weight": self.weight.value, "what": self.what, "todo": self.todo,
            "source": self.source,
        }  # fmt: skip
