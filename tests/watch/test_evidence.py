"""Answers of brokers, reported while they are news; a recorded zombie within two seconds."""

import json
import time
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.fold.runs import DEFAULT_IN_FLIGHT_LIMIT
from oneowner.checkers.recordings.live.channel_watch import ChannelWatch, LiveFinding
from oneowner.checkers.recordings.live.evidence import ANSWERS, Evidence
from oneowner.checkers.verdict import Misuse
from oneowner.checkers.watch import answers
from oneowner.checkers.watch.answers import AnswerCollector
from oneowner.checkers.watch.clusters import Cluster
from oneowner.model.channel.rules import Storage
from tests.collect.conftest import Broker, broker
from tests.command_line import oneowner, refused
from tests.recordings.dumps import REAL, dump, recorded, text_of

__all__ = ["broker"]

QUESTION = Question(Storage.SYSTEM_TOPIC, is_history=False, in_flight_limit=DEFAULT_IN_FLIGHT_LIMIT, partial=False)
STEP = 1_000


def answers_of(run: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the answers of a recorded run, in their order."""
    found = []
    for stem in ("lookups", "owned"):
        (file,) = (REAL / run).glob(f"{stem}.jsonl*")
        found += [(f"{stem}.jsonl", json.loads(line)) for line in text_of(file).splitlines()]
    return sorted(found, key=lambda one: int(one[1]["t_end"]))


WOKEN = 1_795_219_645_900
"""The moment when the recorded zombie went on, by its log: 2026-11-21T00:07:25.900Z."""


def live(run: str, since: int = 0, until: int | None = None) -> tuple[list[tuple[int, LiveFinding]], Any]:
    """
    Return the reports on a recorded run as it goes on, with their times, and the kept state.

    It is observed each second up to *until*; everything before the moment *since* comes at once.
    """
    lines = [(one["publishTime"], json.dumps(one).encode()) for one in recorded(run)]
    answers = answers_of(run)
    held, watch = Evidence("c", "topic", QUESTION, 1_000), ChannelWatch("c", "topic", QUESTION)
    held.begin(watch.fold.units)
    reports: list[tuple[int, LiveFinding]] = []
    before = 0
    until = until or int(answers[-1][1]["t_end"]) + 3 * STEP
    for now in range(max(since, lines[0][0]), until, STEP):
        watch.take(line for time, line in lines if before < time <= now)
        held.take(watch.judged)
        held.answered([one for one in answers if before < one[1]["t_end"] <= now])
        reports += [(now, one) for one in held.judge(now, ())]
        before = now
    return reports, json.loads(json.dumps(held.memory()))


zombie = cache(partial(live, "zombie", WOKEN - 5 * STEP, WOKEN + 20 * STEP))


def test_zombie_is_told_within_seconds_of_its_second_answer() -> None:
    reports, memory = zombie()
    assert {one.finding["law"] for _, one in reports} == {"dual-serving", "claims-are-owned"}
    answered = min(
        line["t_end"] for name, line in answers_of("zombie")
        if name == "lookups.jsonl" and line["asked"] == "127.0.0.1:18083" and line["t_end"] >= WOKEN
    )  # fmt: skip
    for now, one in reports:
        assert one.finding["brokers"][0] == "127.0.0.1:18083"
        assert 0 <= now - answered <= 5_000
    assert len({one.name for _, one in reports}) == len(reports) == len(memory)


def test_what_is_told_is_not_told_by_who_goes_on() -> None:
    reports, memory = zombie()
    goes_on = Evidence("c", "topic", QUESTION, 1_000, memory)
    names = [" ".join(key) for key, _ in memory]
    assert all(any(one.name.startswith(name) for name in names) for _, one in reports)
    assert goes_on.memory() == memory


@pytest.mark.parametrize("run", ["healthy", pytest.param("transfer", marks=pytest.mark.slow)])
def test_cluster_in_order_gives_no_alarm(run: str) -> None:
    reports, _ = live(run)
    assert reports == []


def test_brokers_are_asked_and_newcomers_found(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "NEWCOMERS", 0.05)
    broker.answers = {
        "/admin/v2/clusters": (200, '["a"]'),
        "/admin/v2/brokers/a": (200, "[]"),
        f"/admin/v2/brokers/a/{broker.name}/ownedNamespaces": (200, '{"tenant/ns/0x00000000_0x80000000": {}}'),
    }
    asking = AnswerCollector(Cluster("a", "pulsar://x", f"http://{broker.name}"), 9.0, 0.05, 1_000)
    broker.answers["/admin/v2/brokers/a"] = (200, f'["{broker.name}"]')
    until = time.monotonic() + 20
    found: list[Any] = []
    while not found and time.monotonic() < until:
        found = asking.fetch()
        time.sleep(0.02)
    asking.stop()
    assert found[0][0] == "owned.jsonl"
    assert found[0][1]["owned"] == ["tenant/ns/0x00000000_0x80000000"]


def poll(asked: str, start: int, end: int, status: int | None) -> tuple[str, dict[str, Any]]:
    return "owned.jsonl", {"t_start": start, "t_end": end, "broker": asked, "status": status, "owned": []}


def test_owner_that_does_not_answer_is_reported_once_each_time() -> None:
    held, watch = Evidence("c", "topic", QUESTION, 1_000), ChannelWatch("c", "topic", QUESTION)
    records = dump("0-8 Owned(1) v1", "8-end Owned(2) v1")
    begun = int(records[-1]["publishTime"])
    watch.take(json.dumps(one).encode() for one in records)
    held.begin(watch.fold.units)
    reports: list[tuple[int, LiveFinding]] = []
    paused = (range(20, 45), range(70, 95))
    for second in range(0, 100, 2):
        now = begun + second * STEP
        for asked in ("b1", "b2", "b3"):  # b3 owns nothing
            hangs = asked != "b2" and any(second in pause for pause in paused)
            held.answered([poll(asked, now, now + 12 * STEP * hangs, None if hangs else 200)])
        reports += [(second, one) for one in held.judge(now + STEP, ()) if one.finding["law"] == "owner-answers"]
    assert [(second, one.finding["brokers"]) for second, one in reports] == [(32, ["b1"]), (82, ["b1"])]
    assert all(one.finding["severity"] == "warning" for _, one in reports)
    assert "b1 owns 1 bundle and has answered nobody for" in reports[0][1].finding["why"]


def test_answer_of_another_shape_is_told_once() -> None:
    held = Evidence("c", "topic", QUESTION, 1_000)
    held.begin(ChannelWatch("c", "topic", QUESTION).fold.units)
    reports: list[LiveFinding] = []
    for now in range(10 * STEP, 13 * STEP, STEP):
        held.answered([("owned.jsonl", {"t_end": now, "owned": "all of them"})])
        reports += held.judge(now + 60 * STEP, ())
    (found,) = reports
    assert found.finding["law"] == ANSWERS
    assert "a broker's answer" in found.finding["why"]


def test_admin_url_that_refuses_is_misuse(broker: Broker) -> None:
    broker.answers = {"/admin/v2/clusters": (401, '{"reason": "no"}')}
    with pytest.raises(Misuse, match=r"401.*credentials"):
        AnswerCollector(Cluster("a", "pulsar://x", f"http://{broker.name}"), 1.0, 1.0, 100)


def test_spark_asks_no_brokers(tmp_path: Path) -> None:
    clusters = tmp_path / "clusters.yaml"
    clusters.write_text("- {name: a, service-url: 'pulsar://a:1', admin-url: 'http://a:2'}\n")
    refused(oneowner("watch", "--clusters", clusters, "--engine", "spark"), "--admin-url requires --engine inline")
