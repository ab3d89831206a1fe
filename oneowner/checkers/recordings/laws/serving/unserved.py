"""
Reasons that a unit was not served for some time: failures of the brokers in its records, and the records.

The unit's own records come first. Where these explain nothing, those follow of the unit that holds the topic policies
of its namespace: no broker opens a topic of the namespace without them.
"""

from collections.abc import Iterable
from typing import Final

from oneowner.checkers.recordings.laws.serving.given_back import cause_of, giving_back
from oneowner.checkers.recordings.laws.serving.refused_lookups import RefusedLookup
from oneowner.checkers.recordings.laws.views.missed_losses import missed_loss
from oneowner.checkers.recordings.laws.views.stale_boundaries import sent_away, why_elsewhere
from oneowner.checkers.recordings.laws.views.stopped_views import stopped_view
from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.explanations import unregistered_leaders, why_away, why_forced, why_unregistered
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import stays
from oneowner.checkers.recordings.scene.topics import Topics

POLICIES: Final = "persistent://{}/__change_events"


def why_unserved(scene: Scene, unit: str, since: int, until: int) -> tuple[Cause, ...]:
    """Return the known reasons that clients could not use *unit* from *since* to *until*."""
    policies = scene.once(Topics).unit(POLICIES.format(unit.rpartition("/")[0]), since)
    stale = sent_away(scene, unit, since, until) or (sent_away(scene, policies, since, until) if policies else ())
    own = stale or _of_unit(scene, unit, since, until)
    if own:
        return own
    return _of_unit(scene, policies, since, until) if policies not in (None, unit) else ()


def why_none_served(scene: Scene, units: Iterable[str], since: int, until: int) -> tuple[Cause, ...]:
    """Return the same of several units; whatever they are, an election of a broker that is not registered is part."""
    found = [cause for unit in units for cause in why_unserved(scene, unit, since, until)]
    return tuple(dict.fromkeys([*found, *unregistered_leaders(scene, since, until)]))


def why_refused(scene: Scene, broker: str, refused: Iterable[tuple[Step, RefusedLookup]]) -> tuple[Cause, ...]:
    """Return the causes of an owner's silence; *refused*: by which record it owns, and when."""
    found: list[Cause] = []
    for step, one in refused:
        if stale := why_elsewhere(scene, broker, one.unit, one.since, one.until):  # before all other causes
            found += stale
            continue
        found += [*why_away(scene, broker, one.since, one.until), *why_forced(scene, step)]
        found += why_unregistered(scene, broker, one.since, one.until) if one.is_unanswered else ()
        found += stopped_view(scene, one.unit, one.since, one.until)
    return tuple(dict.fromkeys(found))


def _of_unit(scene: Scene, unit: str | None, since: int, until: int) -> tuple[Cause, ...]:
    if unit not in scene.channel.units:
        return ()
    found: list[Cause] = []
    fenced = cause_of(scene, unit, since, until)
    if fenced is not None:
        found += giving_back(scene, fenced)
    for stay in stays(scene.channel.units[unit]):
        start, end = max(stay.since, since), min(stay.until, until)
        if start > end:
            continue
        for broker in stay.parties:
            found += why_away(scene, broker, start, end)
        if since <= stay.since:
            found += why_forced(scene, stay.step)
    found += (*missed_loss(scene, unit, since, until), *stopped_view(scene, unit, since, until))
    return tuple(dict.fromkeys(found))
