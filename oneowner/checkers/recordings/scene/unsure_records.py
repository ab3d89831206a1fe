"""
First records of units in a dump that begins late are unsure: each was accepted, or refused as it lost a race.

The next record may then be judged against an entry that no view had. From the second accepted record on it is certain.
"""

from oneowner.checkers.recordings.scene.channel_history import History
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.channel.record import FIRST_VERSION
from oneowner.model.channel.rules import Storage


def begins_late(scene: Scene) -> bool:
    """
    Return whether the dump begins amid the history of any unit; asked of a whole run.

    Then the past of a unit whose first record in it has version 1 is unknown, too: it may have lived before, and have
    been deleted, as the parent of a split is.
    """
    return any(
        unit.steps[0].record.version > FIRST_VERSION and not unit.steps[0].is_tombstone
        for unit in scene.channel.units.values()
    )


def unsure(scene: Scene) -> frozenset[int]:
    """Return the places of the records that may have been taken although the fold refuses them, or the other way."""
    if scene.storage == Storage.METADATA_STORE:  # every write took effect
        return frozenset()
    return frozenset(place for unit in scene.channel.units.values() for place in _of(unit))


def _of(unit: History) -> list[int]:
    found: list[int] = []
    for step in unit.steps:
        if step.is_accepted and (found or step.record.version <= FIRST_VERSION or step.record.force):
            break
        found.append(step.place)
    return found
