"""
Times of the making of records, by their own fields, on the common clock.

They are read as they are printed, because lines of logs are joined to records by them; where the clock of a publisher
is corrected, so are they here.
"""

from oneowner.checkers.recordings.read.clock_leads import NO_LEADS
from oneowner.checkers.recordings.read.coded_table import Array
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.scene import Scene


def making_times(scene: Scene) -> Array:
    """Return the time of making of each record of the channel; 0: it has none."""
    columns = scene.channel.columns
    made = columns.array("made")
    if scene.clocks == NO_LEADS:
        return made
    made = made.copy()
    for code, name in enumerate(columns.producers.names):
        if (lead := scene.clocks.producers.get(name)) is not None:
            own = (columns.array("producer") == code) & (made != 0)
            made[own] = lead.of_column(made[own])
    return made


def made_at(scene: Scene, step: Step) -> int:
    """Return the time of making of one record; 0: it has none."""
    lead = scene.clocks.producers.get(step.producer)
    return step.made if lead is None or not step.made else lead.common(step.made)
