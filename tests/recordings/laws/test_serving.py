"""Observed serving: answers and loaded topics, each for no longer than it was seen."""

import pytest

from oneowner.checkers.recordings.laws.serving.observed_serving import (
    ServingKind,
    Spell,
    answering,
    away_of,
    is_own,
    loaded,
)
from oneowner.checkers.recordings.read.observations import LogEvent, Lookup
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.topics import Topics
from tests.recordings.laws.crafted import B1, B2, channel, logs, lookup, message, poll, printed, said, scene

TOPIC = "persistent://t/n/other"
BROKER_LOAD = "non-persistent://pulsar/system/loadbalancer-broker-load-data"
WHOLE = "t/n/0x00000000_0xffffffff"
OWNED = message(0, 5, printed("Owned", 1, B1), WHOLE)
RELEASED = message(1, 50, printed("Releasing", 2, B2, B1), WHOLE)
CHANNEL = channel(OWNED)


def answer(start: int, end: int) -> Lookup:
    return lookup(start, start, end, B1, B1, TOPIC)


NO_ANSWER = lookup(3, 30, 40, B1, None, TOPIC, 500)
PAUSED = said(1, 100, "handled"), said(2, 60_000, "handled")
CREATED = said(1, 10, "topic-created", topic=TOPIC)
HANDLED_AT_20 = said(2, 20, "handled")
CLOSES = said(2, 50, "topic-unloading", topic=TOPIC)
TWO_LIVES = {B1: [Life(B1, 0, 10, 20, 0, 2, 10), Life(B1, 1, 90, 90, 2, 3, 90)]}


def unloaded_in(ms: float) -> LogEvent:
    return said(3, 90, "bundle-unloaded", WHOLE, topics=1, ms=ms)


def spells(run: Scene) -> list[Spell]:
    away = away_of(run)
    topics = Topics(run)
    return [*answering(run, topics, away), *loaded(run, topics, away)]


SPELLS: dict[str, tuple[Scene, list[tuple[int, int]]]] = {
    "answers are joined while no record came between":
        (scene(channel=CHANNEL, lookups=[answer(10, 20), answer(90, 99)]), [(10, 99)]),
    "answers are not carried over a record":
        (scene(channel=channel(OWNED, RELEASED), lookups=[answer(10, 20), answer(90, 99)]), [(10, 20), (90, 99)]),
    "answers are not carried over another answer":
        (scene(channel=CHANNEL, lookups=[answer(10, 20), NO_ANSWER, answer(90, 99)]), [(10, 20), (90, 99)]),
    "answer that waited for a paused process is from after the pause":
        (scene(channel=CHANNEL, said=logs(*PAUSED), lookups=[answer(500, 60_010)]), [(60_000, 60_010)]),
    "topic is not served by a paused process":
        (scene(channel=CHANNEL, said=logs(CREATED, HANDLED_AT_20, said(3, 60_000, "handled")),
               polls=[poll(1, 1_000, 60_010, B1)]),
         [(10, 20), (60_000, 60_000)]),
    "topic is loaded no longer than its process lived":
        (scene(channel=CHANNEL, said=logs(CREATED, HANDLED_AT_20, said(3, 90, "broker-starting")), lives=TWO_LIVES),
         [(10, 20)]),
    "topics of the load manager itself are left out":
        (scene(channel=CHANNEL, said=logs(said(1, 10, "topic-created", topic=BROKER_LOAD)),
               boundaries={"pulsar/system": (0, 0xFFFFFFFF)}),
         []),
}  # fmt: skip


@pytest.mark.parametrize(("run", "times"), SPELLS.values(), ids=SPELLS)
def test_spell_lasts_no_longer_than_was_seen(run: Scene, times: list[tuple[int, int]]) -> None:
    found = [(one.broker, one.unit, one.since, one.until) for one in spells(run)]
    assert found == [(B1, WHOLE, *time) for time in times]


def test_answer_that_names_another_broker_is_no_serving() -> None:
    assert is_own(lookup(1, 10, 20, B1, B1))
    assert not is_own(lookup(1, 10, 20, B1, B2))
    assert not is_own(lookup(1, 10, 20, B1, B1, status=500))


@pytest.mark.parametrize(
    "lines",
    [(CREATED, CLOSES, unloaded_in(45.0)), (CREATED, unloaded_in(40.0))],
    ids=["by its own line", "by the unload alone"],
)
def test_topic_is_loaded_from_its_creation_to_the_beginning_of_its_close(lines: tuple[LogEvent, ...]) -> None:
    [spell] = spells(scene(channel=CHANNEL, said=logs(*lines)))
    assert (spell.kind, spell.since, spell.until, spell.fades) == (ServingKind.LOADED, 10, 50, 90)
