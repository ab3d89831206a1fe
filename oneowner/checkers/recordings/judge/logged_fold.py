"""
Records that logs print are folded as those of a dump; a finding counts if logs prove the records beside it.

Where a record is missing, the next one seems to follow on an entry that was replaced. So a law accuses by records that
have neighbouring versions, or that one process handled in debug mode, in which it prints every record (``ByLogs``).
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from oneowner.checkers.recordings.fold.channel_law import ByLogs, ChannelLaw
from oneowner.checkers.recordings.fold.channel_laws import CHANNEL_LAWS, STUCK, is_stuck
from oneowner.checkers.recordings.fold.fold import Fold, count
from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.read.events import Finding, Interval, Tally
from oneowner.checkers.recordings.scene.channel_history import Channel, Step
from oneowner.checkers.recordings.scene.logged_channel import LoggedChannel
from oneowner.model.channel.record import next_version
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity


class LoggedOutcome(NamedTuple):
    """The outcome of the fold of logged records."""

    tally: Tally
    findings: list[Finding]
    intervals: list[Interval]


def fold_logged(question: Question, logged: LoggedChannel, storage: Storage) -> LoggedOutcome:
    """
    Fold the records that logs print, by the rules of the topic, which accept a record behind a gap.

    Watches of the metadata store may skip values, so there no process prints all records.
    """
    laws = tuple(law for law in CHANNEL_LAWS if law.by_logs != ByLogs.NEVER)
    fold = Fold(replace(question, storage=Storage.SYSTEM_TOPIC, is_history=False), laws)
    if logged.rows:
        fold.take(list(logged.rows))
    tally, judged = fold.finish(), {law.name: law for law in laws}
    found = [one for one in fold.out if isinstance(one, Finding) and one.severity == Severity.VIOLATION]
    proved = [one for one in found if one.law in judged and _is_proved(judged[one.law], logged, one, storage)]
    proved += [one for one in _still_in_flight(question, logged, tally) if _is_in_scope(question, one)]
    counted = Tally(
        events=tally.events, units=tally.units, accepted=tally.accepted, last_time=tally.last_time,
        owners=tally.owners, names=tally.names, brokers=tally.brokers,
    )  # fmt: skip
    for one in proved:
        count(counted, one)
        counted.exercised[one.law] += 1
    return LoggedOutcome(counted, proved, fold.intervals)


def _is_in_scope(question: Question, finding: Finding) -> bool:
    return question.scope.kept(finding, None) is not None


def _is_proved(law: ChannelLaw, logged: LoggedChannel, finding: Finding, storage: Storage) -> bool:
    """Return whether logs prove the records beside a finding."""
    step = logged.channel.timeline[finding.position[1]]
    if law.by_logs == ByLogs.ALONE:
        return True
    if step.key in logged.unsettled:
        return False
    if law is STUCK:
        following = _following(logged.channel, step)
        return following is not None and _is_next(following)
    if law.by_logs == ByLogs.NEXT:
        return _is_next(step)
    beside = [logged.channel.timeline[place] for place in _beside(logged.channel, step)]
    if storage == Storage.METADATA_STORE or any(one.key in logged.unsettled for one in beside):
        return False
    return bool(logged.handlers(one.place for one in beside))


def _is_next(step: Step) -> bool:
    """Return whether no record is missing between a record and the one before it."""
    return not step.is_tombstone and step.record.version == next_version(step.held)


def _following(channel: Channel, step: Step) -> Step | None:
    return next((one for one in channel.units[step.key].steps if one.place > step.place), None)


def _beside(channel: Channel, step: Step) -> Iterator[int]:
    """Yield the places of a record, of the one before it, and of the last ones of units that overlap its own."""
    own = channel.units[step.key]
    yield step.place
    for unit in channel.of_namespace(step.key.rpartition("/")[0]):
        if unit.range.low < own.range.high and own.range.low < unit.range.high:
            yield from [place for place in unit.places if place < step.place][-1:]


def _still_in_flight(question: Question, logged: LoggedChannel, tally: Tally) -> Iterator[Finding]:
    """Yield the units that are in flight at the end, for longer than the limit by records that came later."""
    for entered in tally.in_flight:
        until = logged.followed_until(entered.finding.position[1])
        if entered.finding.unit not in logged.unsettled and is_stuck(entered.time, until, question.in_flight_limit):
            words = f"{entered.finding.proposed} stayed in flight for {(until - entered.time) / 1000:.3f} s, to the end"
            yield entered.finding._replace(law=STUCK.name, why=f"{words} of the logs")
