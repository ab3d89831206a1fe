"""A process that ended amid a split is a sign of harm, in a run whose logs show none."""

import pytest

from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.signs_of_harm import signs_of_harm
from tests.recordings.laws.crafted import B1, OTHER, UNIT, logs, said, scene

STOPS = said(8, 5_000, "broker-closing")
LIVES = said(1, 0, "broker-ready", settings={})


def published(unit: str, time: int) -> LogEvent:
    return said(2, time, "split-published", unit, timeout=20_000)


def ended(unit: str, time: int, event: str = "split-event-completed") -> LogEvent:
    return said(3, time, event, unit)


@pytest.mark.parametrize(
    ("lines", "signs"),
    [
        ((LIVES,), ()),
        ((LIVES, STOPS), (f"{B1} was stopped",)),
        ((LIVES, published(UNIT, 4_000), STOPS), (f"{B1} was stopped amid the split of {UNIT}",)),
        ((LIVES, published(UNIT, 4_000), published(OTHER, 4_500), STOPS), (f"{B1} was stopped amid 2 splits",)),
        ((LIVES, published(UNIT, 4_000), ended(UNIT, 4_500), STOPS), (f"{B1} was stopped",)),
        ((LIVES, published(UNIT, 4_000), ended(UNIT, 4_500, "split-event-failed"), STOPS), (f"{B1} was stopped",)),
        (
            (LIVES, published(UNIT, 4_000), ended(OTHER, 4_500), STOPS),
            (f"{B1} was stopped amid the split of {UNIT}",),
        ),
        ((LIVES, published(UNIT, 4_000)._replace(time=-16_000), STOPS), (f"{B1} was stopped",)),
    ],
)
def test_process_that_ends_amid_a_split_is_a_sign_of_harm(lines: tuple[LogEvent, ...], signs: tuple[str, ...]) -> None:
    assert signs_of_harm(scene(said=logs(*sorted(lines, key=lambda one: one.time)))) == signs
