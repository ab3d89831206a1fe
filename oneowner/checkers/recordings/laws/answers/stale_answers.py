"""
Answers by an entry that the channel replaced long before show a view that lags, or that has stopped.

A lookup may wait for its owner as long as the in-flight timeout, and a view reads on within seconds. An older answer is
not false, for any prefix of the channel may be a view, but it sends clients to a broker that does not serve them.
"""

from oneowner.checkers.recordings.laws.answers.lookup_answers import LookupAnswer
from oneowner.checkers.recordings.laws.views.first_sightings import is_seen
from oneowner.checkers.recordings.laws.views.view_snapshots import LAG
from oneowner.checkers.recordings.scene.absences import absences
from oneowner.checkers.recordings.scene.scene import Scene


def behind(scene: Scene, answer: LookupAnswer, last: int) -> int:
    """
    Return for how many milliseconds the channel had not named the broker of an answer, 0 if a view may lag so much.

    *last* is the last stage that the view can have reached. A process that stood still counts from when it went on; a
    record that nothing shows to have been in the topic may have come late (``first_sightings.py``).
    """
    stages, lookup = answer.stages.stages, answer.lookup
    number = last
    while number >= 0 and stages[number].is_known and answer.named not in stages[number].names:
        number -= 1
    if number in (last, -1) or not stages[number].is_known:
        return 0
    ended_by = stages[number + 1].step
    if ended_by is None:
        return 0
    pauses = [one.until for one in absences(scene, lookup.asked) if one.until <= lookup.end]
    late = lookup.start - max([ended_by.time, *pauses]) - scene.limits.clock_skew
    wait = scene.limits.in_flight_wait
    run = scene.whole or scene  # answers to others show it, too
    return late if late > wait + LAG and is_seen(run, ended_by, lookup.start - wait) else 0
