"""How long clients could not send, and how long units were in flight."""

from __future__ import annotations

import pytest

from oneowner.checkers.recordings.laws.serving.availability import waits
from oneowner.checkers.recordings.read.observations import Send
from oneowner.checkers.recordings.scene.channel_history import Message
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from tests.recordings.laws.cases import Case, case, each, note, warning
from tests.recordings.laws.crafted import B1, B2, UNIT, channel, logs, lookup, message, printed, said, scene, send

AVAILABLE, IN_FLIGHT = "unit-is-available", "in-flight-time"
TOPIC = "persistent://t/n/a"
OWNED = message(0, 10, printed("Owned", 1, B1))
RELEASING = message(1, 20, printed("Releasing", 2, B2, B1))
ASSIGNING = message(2, 50, printed("Assigning", 3, B2, B1))
OWNED_BY_B2 = message(3, 90, printed("Owned", 4, B2, B1))
FAST = Limits(session=10_000, in_flight_wait=10_000, monitor=15_000)
GONE = {"said": logs(said(1, 0, "handled")), "lookups": [lookup(1, 50, 9_000, B1, None, TOPIC, None)]}

Times = tuple[tuple[int, int | None], ...]
"""When messages were sent, and when each was confirmed."""


def sends(*times: tuple[int, int | None]) -> list[Send]:
    return [send(number, time, acknowledged, TOPIC) for number, (time, acknowledged) in enumerate(times)]


@pytest.mark.parametrize(
    ("times", "spans"),
    [
        (
            ((0, 5), (10, 15), (20, None), (30, None), (40, 60)),
            [(0, 5, True), (10, 15, True), (20, 60, True)],
        ),
        (((0, 5), (90_000, 90_005)), [(0, 5, True), (90_000, 90_005, True)]),
        (((0, 5), (10, None), (90, None)), [(0, 5, True), (10, 90, False)]),
        (((10, None), (90, None)), [(10, 90, False)]),
        ((), []),
    ],
    ids=[
        "wait is from the first send after a confirmation to the next",
        "time in which nobody sends is no wait",
        "sends that are never confirmed are a wait to the last of them",
        "sends of which none is confirmed are one wait",
        "nothing sent is no wait",
    ],
)  # fmt: skip
def test_wait_lasts_from_a_send_to_a_confirmation(times: Times, spans: list[tuple[int, int, bool]]) -> None:
    assert [(wait.since, wait.until, wait.is_over) for wait in waits(TOPIC, sends(*times))] == spans


def sent(times: Times, *records: Message, **fields: object) -> Scene:
    return scene(channel=channel(*records), sends=sends(*times), limits=FAST, start=0, end=200_000, **fields)


A_MINUTE = ((0, 5), (10, None), (60_000, None))
TWENTY_SECONDS = ((0, 5), (10, None), (20_000, 20_005))

CASES = {
    "gap longer than a recovery is a warning of its unit":
        case(AVAILABLE, sent(A_MINUTE, OWNED), warning(B1, unit=UNIT, window=(10, 60_000, 10, None)), note(),
             occasions=2),
    "gap of a unit whose owner lives may last no longer than a hand-over":
        case(AVAILABLE, sent(TWENTY_SECONDS, OWNED), warning(), note()),
    "gap of a unit whose owner is gone may last as long as a recovery":
        case(AVAILABLE, sent(TWENTY_SECONDS, OWNED, **GONE), note()),
    "what went on meanwhile is named":
        case(AVAILABLE, sent(A_MINUTE, OWNED, RELEASING), warning(why="Releasing for 60.0 s"), note()),
    "short gaps are a note alone":
        case(AVAILABLE, sent(((0, 5), (10, 15), (20, 25)), OWNED), note(why="max 5 ms")),
    "nothing sent is no occasion": case(AVAILABLE, sent(()), occasions=0),
    "times in flight are told by phase":
        case(IN_FLIGHT, scene(channel=channel(OWNED, RELEASING, ASSIGNING, OWNED_BY_B2)),
             note(why=("1 Assigning: p50 40 ms", "1 Releasing: p50 30 ms")), occasions=2),
    "unit that never moves is no occasion": case(IN_FLIGHT, scene(channel=channel(OWNED)), occasions=0),
}  # fmt: skip


@each(CASES)
def test_time_without_service_is_told(case: Case) -> None:
    case.check()
