"""
Omissions of the model are separated from refusals: bounds that it does not combine, and missing behaviour.

From there on a unit has no verdict. Single steps that it lacks are in ``steps_left_out.py``.
"""

from dataclasses import replace

from oneowner.checkers.recordings.explain.recording import Recording, RegistryStep, goes_on
from oneowner.checkers.recordings.explain.sizing import NotCombined, bounds_of
from oneowner.checkers.recordings.explain.unit_groups import TOGETHER, Append, UnitGroup
from oneowner.model.channel.record import NOBODY
from oneowner.model.channel.rules import Rules


def combined(recording: Recording, group: UnitGroup, rules: Rules) -> tuple[UnitGroup, str]:
    """Return as much of *group*, from its beginning, as the model combines, and the reason for the cut."""
    end, why = _lacking(recording, group)
    for count in range(end, 0, -1):
        part = replace(group, timeline=group.timeline[:count], is_cut=group.is_cut or why != "")
        try:
            bounds_of(recording, part, rules)
        except NotCombined as refused:
            why = str(refused)
        else:
            return part, why
    return replace(group, timeline=(), is_cut=True), why


def is_of_shutdown(group: UnitGroup, part: UnitGroup, place: str) -> bool:
    """
    Return whether the record at *place* may be of a broker that shuts down, if its departure lies beyond *part*.

    It gives its units up by forced records before it leaves the registry (``doCleanup`` of ``disable``).
    """
    for at, seen in enumerate(part.timeline):
        if isinstance(seen, Append) and seen.written.place == place and seen.written.record.force:
            own = (one for one in group.timeline[at:] if isinstance(one, RegistryStep))
            then = next((one for one in own if one.broker == seen.written.broker), None)
            return then is not None and then.action == "unregister" and then not in part.timeline
    return False


def _lacking(recording: Recording, group: UnitGroup) -> tuple[int, str]:
    """
    Return the length of *group* before the first step that no state of the model represents, and that step.

    A node of a live broker is deleted by hand; a record names a broker before its first registration, where the history
    begins late; a unit had an entry before the channel's first record, which compaction and retention leave.
    """
    begun: set[int] = set()
    for place, seen in enumerate(group.timeline):
        if isinstance(seen, RegistryStep):
            if seen.action == "vacate":
                return place, f"a node of broker {seen.broker}, which goes on, is deleted by another session"
        elif isinstance(seen, Append):
            if recording.begins_late and seen.unit not in begun and goes_on(seen.written.record):
                return place, f"the channel begins late: before {seen.written.record} it held an entry of the unit"
            begun.add(seen.unit)
            for named in (seen.written.record.destination, seen.written.record.source):
                early = recording.joined[named - 1] - seen.written.time if named != NOBODY and recording.joined else 0
                if early > TOGETHER:
                    return place, f"{seen.written.record} names broker {named} {early} ms before it first registers"
    return len(group.timeline), ""
