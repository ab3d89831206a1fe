"""
Laws of brokers are judged part by part, and conclude from what they saw; tables are put together from the parts before.

The parts may be judged one after the other or at once, here or elsewhere: what the laws say is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from oneowner.checkers.recordings.laws.answers.clocks import CLOCKS
from oneowner.checkers.recordings.laws.answers.lookup_answers import ATTESTED
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw, Scope
from oneowner.checkers.recordings.laws.views.first_sightings import SIGHTINGS
from oneowner.checkers.recordings.laws.views.line_record_join import APPENDED
from oneowner.checkers.recordings.scene.parts import Parts
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.tables import Table, fill

TABLES: Final[tuple[Table[Any, Any], ...]] = (CLOCKS, APPENDED, SIGHTINGS, ATTESTED)
"""What parts say together; all of it is known before a law is asked."""


def parts_of(scene: Scene, number: int) -> Parts:
    """Return *scene* in so many parts, all of them having said what tables hold."""
    parts = Parts(scene, number)
    if TABLES[0] not in scene.tables:
        fill(scene, parts, TABLES)
    return parts


def outcomes(scene: Scene, laws: Iterable[SceneLaw], parts: Iterable[Scene]) -> Mapping[str, LawOutcome]:
    """Return what those of *laws* say that are of brokers, by name; other laws may ask what they said."""
    of_brokers = [law for law in laws if law.scope == Scope.BROKER and law.lacks(scene) == ()]
    seen = [[law.see(part) for law in of_brokers] for part in parts]
    found: dict[str, LawOutcome] = {}
    for number, law in enumerate(of_brokers):
        found[law.name] = scene.know(law.judge, law.conclude(scene, [one[number] for one in seen]))
    return found
