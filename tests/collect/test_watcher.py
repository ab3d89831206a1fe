"""Answers of brokers become lines of a recording."""

import json
import time
from pathlib import Path
from typing import Any

from oneowner.checkers.collect.admin import Admin
from oneowner.checkers.collect.credentials import Credentials
from oneowner.checkers.collect.watcher import MOST_HOPS, Watcher
from oneowner.checkers.lab.cluster.processes import free_ports
from oneowner.checkers.lab.cluster.recorder import Recorder
from tests.collect.conftest import Broker

TOPIC = "persistent://t/n/topic"
REST = "/lookup/v2/topic/persistent/t/n/topic"


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


def test_lookup_is_followed_as_a_client_follows_it(broker: Broker, tmp_path: Path) -> None:
    broker.answers = {
        REST: (307, f"http://{broker.name}{REST}?authoritative=true"),
        f"{REST}?authoritative=true": (200, json.dumps({"httpUrl": "http://b2:8080"})),
    }
    Recorder([broker.name], [TOPIC], tmp_path).look_up(broker.name, TOPIC)
    first, last = lines(tmp_path, "lookups.jsonl")
    assert first["status"] == 307
    assert first["redirect"].endswith("authoritative=true")
    assert (last["asked"], last["status"], last["url"]) == (broker.name, 200, "http://b2:8080")


def test_lookup_in_a_circle_ends(broker: Broker, tmp_path: Path) -> None:
    broker.answers = {REST: (307, f"http://{broker.name}{REST}")}
    Recorder([broker.name], [TOPIC], tmp_path).look_up(broker.name, TOPIC)
    assert len(lines(tmp_path, "lookups.jsonl")) == MOST_HOPS


def test_refusal_keeps_its_reason(broker: Broker, tmp_path: Path) -> None:
    broker.answers = {}
    recorder = Recorder([broker.name], [TOPIC], tmp_path)
    recorder.look_up(broker.name, TOPIC)
    recorder.call("unload", broker.name, "PUT", "/admin/x", bundle="t/n/0x0_0x1")
    assert lines(tmp_path, "lookups.jsonl")[0]["error"] == "Not here"
    call = lines(tmp_path, "actions.jsonl")[0]
    assert (call["status"], call["result"], call["bundle"]) == (404, "Not here", "t/n/0x0_0x1")


def test_broker_that_does_not_answer_has_no_status(tmp_path: Path) -> None:
    gone = f"127.0.0.1:{free_ports(1)[0]}"
    recorder = Recorder([gone], [TOPIC], tmp_path)
    recorder.look_up(gone, TOPIC)
    recorder.poll(gone)
    assert lines(tmp_path, "lookups.jsonl")[0]["status"] is None
    polled = lines(tmp_path, "owned.jsonl")[0]
    assert (polled["status"], polled["owned"], polled["leader"]) == (None, [], None)


def test_poll_tells_bundles_and_leader(broker: Broker, tmp_path: Path) -> None:
    broker.answers = {
        f"/admin/v2/brokers/lab/{broker.name}/ownedNamespaces": (
            200,
            json.dumps({"t/n/0x1_0x2": {}, "t/n/0x0_0x1": {}}),
        ),
        "/admin/v2/brokers/leaderBroker": (200, json.dumps({"serviceUrl": "http://b1:8080"})),
    }
    polled = Recorder([broker.name], [TOPIC], tmp_path).poll(broker.name)
    assert (polled["owned"], polled["leader"]) == (["t/n/0x0_0x1", "t/n/0x1_0x2"], "b1:8080")


def test_poll_names_the_leader_by_its_id_where_the_broker_tells_it(broker: Broker, tmp_path: Path) -> None:
    broker.answers = {
        "/admin/v2/brokers/leaderBroker": (200, json.dumps({"brokerId": "b1:8080", "serviceUrl": "https://b1:8443"}))
    }
    assert Recorder([broker.name], [], tmp_path).poll(broker.name)["leader"] == "b1:8080"


def test_watching_goes_on_until_it_is_stopped_and_counts(broker: Broker, tmp_path: Path) -> None:
    broker.answers = {"/admin/v2/brokers/c/b1:8080/ownedNamespaces": (200, "{}")}
    watcher = Watcher(["b1:8080"], [TOPIC], tmp_path, "c", Admin(), lambda _: f"http://{broker.name}")
    watcher.start(0.01, 0.01)
    while min(watcher.counts["owned.jsonl"], watcher.counts["lookups.jsonl"]) < 3:
        time.sleep(0.01)
    watcher.stop()
    seen = len(lines(tmp_path, "owned.jsonl"))
    time.sleep(0.05)
    assert len(lines(tmp_path, "owned.jsonl")) == seen == watcher.counts["owned.jsonl"]
    assert watcher.answered == seen
    assert watcher.counts["status 404"] == seen + watcher.counts["lookups.jsonl"]


def test_requests_carry_the_token_and_keep_their_rate(broker: Broker) -> None:
    admin = Admin(Credentials(token="secret"), most_a_second=50)
    began = time.monotonic()
    for _ in range(6):
        admin.ask("GET", f"http://{broker.name}/x")
    assert time.monotonic() - began >= 0.1
    assert broker.asked == [("/x", "Bearer secret")] * 6
