"""Who was seen to serve: answers and loaded topics, each for no longer than was seen."""

from __future__ import annotations

from oneowner.checkers.recordings.laws.serving.observed_serving import (
    ServingKind,
    Spell,
    answering,
    away_of,
    is_own,
    loaded,
)
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.topics import Topics
from tests.recordings.laws.crafted import B1, B2, UNIT, channel, logs, lookup, message, poll, printed, said, scene

TOPIC = "persistent://t/n/other"
WHOLE = "t/n/0x00000000_0xffffffff"
OWNED = message(0, 5, printed("Owned", 1, B1), WHOLE)


def spells(run: Scene) -> list[Spell]:
    away = away_of(run)
    topics = Topics(run)
    return [*answering(run, topics, away), *loaded(run, topics, away)]


def test_answer_that_names_another_broker_is_no_serving() -> None:
    assert is_own(lookup(1, 10, 20, B1, B1))
    assert not is_own(lookup(1, 10, 20, B1, B2))
    assert not is_own(lookup(1, 10, 20, B1, B1, status=500))


def test_answers_are_joined_while_no_record_came_between() -> None:
    run = scene(channel=channel(OWNED), lookups=[lookup(1, 10, 20, B1, B1, TOPIC), lookup(2, 90, 99, B1, B1, TOPIC)])
    assert [(one.broker, one.unit, one.since, one.until) for one in spells(run)] == [(B1, WHOLE, 10, 99)]


def test_answers_are_not_carried_over_a_record() -> None:
    released = message(1, 50, printed("Releasing", 2, B2, B1), WHOLE)
    run = scene(
        channel=channel(OWNED, released), lookups=[lookup(1, 10, 20, B1, B1, TOPIC), lookup(2, 90, 99, B1, B1, TOPIC)]
    )
    assert [(one.since, one.until) for one in spells(run)] == [(10, 20), (90, 99)]


def test_answers_are_not_carried_over_another_answer() -> None:
    asked = [
        lookup(1, 10, 20, B1, B1, TOPIC), lookup(2, 30, 40, B1, None, TOPIC, 500), lookup(3, 90, 99, B1, B1, TOPIC),
    ]  # fmt: skip
    assert [one.since for one in spells(scene(channel=channel(OWNED), lookups=asked))] == [10, 90]


def test_answer_that_waited_for_a_paused_process_is_from_after_the_pause() -> None:
    lines = logs(said(1, 100, "handled"), said(2, 60_000, "handled"))
    run = scene(channel=channel(OWNED), said=lines, lookups=[lookup(1, 500, 60_010, B1, B1, TOPIC)])
    assert [(one.since, one.until) for one in spells(run)] == [(60_000, 60_010)]


def test_topic_is_loaded_from_its_creation_to_the_beginning_of_its_close() -> None:
    lines = logs(
        said(1, 10, "topic-created", topic=TOPIC),
        said(2, 50, "topic-unloading", topic=TOPIC),
        said(3, 90, "bundle-unloaded", WHOLE, topics=1, ms=45.0),
    )
    [spell] = spells(scene(channel=channel(OWNED), said=lines))
    assert (spell.kind, spell.since, spell.until, spell.fades) == (ServingKind.LOADED, 10, 50, 90)


def test_unload_alone_tells_when_a_close_began() -> None:
    lines = logs(
        said(1, 10, "topic-created", topic=TOPIC), said(2, 90, "bundle-unloaded", WHOLE, topics=1, ms=40.0)
    )  # fmt: skip
    [spell] = spells(scene(channel=channel(OWNED), said=lines))
    assert (spell.until, spell.fades) == (50, 90)


def test_topic_is_not_served_by_a_paused_process() -> None:
    lines = logs(said(1, 10, "topic-created", topic=TOPIC), said(2, 20, "handled"), said(3, 60_000, "handled"))
    run = scene(channel=channel(OWNED), said=lines, polls=[poll(1, 1_000, 60_010, B1)])
    assert [(one.since, one.until) for one in spells(run)] == [(10, 20), (60_000, 60_000)]


def test_topic_is_loaded_no_longer_than_its_process_lived() -> None:
    lines = logs(said(1, 10, "topic-created", topic=TOPIC), said(2, 20, "handled"), said(3, 90, "broker-starting"))
    lives = {B1: [Life(B1, 0, 10, 20, 0, 2, 10), Life(B1, 1, 90, 90, 2, 3, 90)]}
    assert [(one.since, one.until) for one in spells(scene(channel=channel(OWNED), said=lines, lives=lives))] == [
        (10, 20)
    ]


def test_topics_of_the_load_manager_itself_are_left_out() -> None:
    topic = "non-persistent://pulsar/system/loadbalancer-broker-load-data"
    run = scene(
        channel=channel(OWNED), said=logs(said(1, 10, "topic-created", topic=topic)),
        boundaries={"pulsar/system": (0, 0xFFFFFFFF)},
    )  # fmt: skip
    assert spells(run) == []
    assert UNIT not in {spell.unit for spell in spells(run)}
