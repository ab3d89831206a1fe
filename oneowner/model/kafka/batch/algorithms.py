"""``ALGORITHMS`` lists what a line may ask of Kafka: one line each."""

from collections.abc import Mapping
from typing import Final

from oneowner.model.kafka.batch.assignors import ASSIGNORS, RACKS, SERIES
from oneowner.model.kafka.batch.streams_group import RECONCILE, STICKY
from oneowner.model.kernel.batch import Algorithm, Row

ALGORITHMS: Final[Mapping[str, Algorithm]] = {
    "assignors": ASSIGNORS,
    "racks": RACKS,
    "series": SERIES,
    "reconcile": RECONCILE,
    "sticky": STICKY,
}
RELEASES: Final = tuple(dict.fromkeys(release for one in ALGORITHMS.values() for release in one.rules))
"""Every release of which some algorithm is known."""
DEFAULT_RELEASE: Final = "4.1.1"
"""The youngest release of which every algorithm is known."""


def name_of(row: Row) -> str | None:
    """
    Return the algorithm of a line, by its kind and keys; None if it names none.

    >>> name_of({"kind": "series", "stateful": []}), name_of({"kind": "random", "stateful": []}), name_of({"kind": "x"})
    ('series', 'assignors', 'x')
    """
    kind = row.get("kind", row.get("algorithm"))
    if "stateful" in row or "assignors" in row:
        return "series" if kind == "series" or "rounds" in row else "assignors"
    return None if kind is None else str(kind)
