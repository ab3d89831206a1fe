"""
A view keeps a dead entry if its reader is carried over the tombstone that deletes it (apache/pulsar#26190).

A compaction keeps no tombstone. A reader that connects anew below the horizon goes on with the kept entries, and never
learns that the entry is deleted. It drops all later records of the unit until versions have grown beyond that of the
entry, and answers lookups by it.
"""

from oneowner.checkers.recordings.laws.views.record_places import places_of
from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.channel.rules import Storage


def carried_over(scene: Scene, broker: str, held: Step, place: int) -> Happening | None:
    """
    Return that *broker* was carried over a tombstone, if its view still has *held* behind it.

    :param held: the record of the entry; :param place: up to where in the topic the view had read
    """
    if scene.storage != Storage.SYSTEM_TOPIC:
        return None
    deleted = places_of(scene).tombstone(held.key, held.place, place + 1)
    if deleted is None:
        return None
    tombstone = scene.channel.timeline[deleted]
    words = (
        f"the reader of {broker} skipped the deletion of an entry, as over a compaction: its view keeps "
        f"{held.record}, drops all later records, and answers lookups by it"
    )
    repair = f"restart {broker}, so that its view begins anew"
    cause = Cause(HappeningKind.CARRIED_OVER, broker, tombstone.time)
    return Happening(cause, END, words, (broker,), (held, tombstone), (), repair)
