"""Brokers that restart one by one with the other load manager: two owners have a cause, which no protocol excuses."""

from oneowner.checkers.recordings.laws.serving.dual_serving import DUAL_SERVING
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.broker_processes import lives_of
from oneowner.checkers.recordings.scene.happening import HappeningKind
from oneowner.checkers.recordings.scene.mixed_ownership import mixed_managers
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import B1, B2, B3, channel, logs, message, printed, said, scene

TOPIC = "persistent://t/n/a"
OPENED = ((7, 3_000, B2), (8, 53_000, B1))
LOCKS, CHANNEL = "a.b.ModularLoadManagerImpl", "a.b.ExtensibleLoadManagerImpl"


def process(broker: str, manager: str, ready: int, last: int) -> list[LogEvent]:
    settings = {"loadManagerClassName": manager}
    return [
        said(ready, ready - 500, "broker-starting", broker=broker),
        said(ready + 1, ready, "broker-ready", broker=broker, settings=settings),
        *(said(ready + 2, time, "monitor-started", broker=broker) for time in range(ready + 1_000, last + 1, 1_000)),
    ]


def rolling() -> Scene:
    """Each broker is restarted in turn; B1 loads a topic that B2 serves by its lock."""
    lines = [*process(B1, LOCKS, 1_000, 39_000), *process(B1, CHANNEL, 50_000, 200_000)]
    lines += [*process(B2, LOCKS, 2_000, 90_000), *process(B2, CHANNEL, 100_000, 200_000)]
    lines += [said(n, time, "topic-created", broker=one, topic=TOPIC) for n, time, one in OPENED]
    ordered = sorted(lines, key=lambda line: line.time)
    owned = channel(message(0, 52_000, printed("Owned", 1, B1)))
    own = logs(*ordered)
    lives = {broker: tuple(lives_of(some)) for broker, some in own.items()}
    return scene(said=own, lives=lives, channel=owned, migration="ownership moves", start=0, end=200_000)


def test_managers_are_mixed_from_the_first_broker_with_the_other_one_to_the_last_without() -> None:
    (one,) = mixed_managers(rolling())
    assert (one.cause.kind, one.since, one.until) == (HappeningKind.MANAGERS, 50_000, 90_000)


def test_brokers_with_one_manager_or_with_none_printed_are_not_mixed() -> None:
    lines = [*process(B1, CHANNEL, 1_000, 200_000), *process(B2, CHANNEL, 2_000, 200_000)]
    assert mixed_managers(scene(said=logs(*lines, *process(B3, "", 3_000, 200_000)))) == []


def test_two_owners_meanwhile_are_a_violation_whose_cause_they_are() -> None:
    judged = DUAL_SERVING.judge(rolling())
    assert {one.severity for one in judged.findings} == {Severity.VIOLATION}
    assert {cause.kind for one in judged.findings for cause in one.causes} == {HappeningKind.MANAGERS}
    assert [one.cause.kind for one in judged.happenings] == [HappeningKind.MANAGERS]
