"""Answers of brokers become lines of a recording; a server of the test's own stands for the brokers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest

from oneowner.checkers.lab.cluster.processes import free_ports
from oneowner.checkers.lab.cluster.recorder import MOST_HOPS, Recorder

TOPIC = "persistent://t/n/topic"
REST = "/lookup/v2/topic/persistent/t/n/topic"


class Broker(BaseHTTPRequestHandler):
    """Answers by a table: path to status, body or redirect."""

    answers: ClassVar[dict[str, tuple[int, str]]] = {}

    def do_GET(self) -> None:
        status, what = self.answers.get(self.path, (404, '{"reason": "Not here"}'))
        self.send_response(status)
        if status == 307:
            self.send_header("Location", what)
        body = b"" if status == 307 else what.encode()
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_PUT = do_GET

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def broker() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Broker)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


def test_lookup_is_followed_as_a_client_follows_it(broker: str, tmp_path: Path) -> None:
    Broker.answers = {
        REST: (307, f"http://{broker}{REST}?authoritative=true"),
        f"{REST}?authoritative=true": (200, json.dumps({"httpUrl": "http://b2:8080"})),
    }
    Recorder([broker], [TOPIC], tmp_path).look_up(broker, TOPIC)
    first, last = lines(tmp_path, "lookups.jsonl")
    assert first["status"] == 307
    assert first["redirect"].endswith("authoritative=true")
    assert (last["asked"], last["status"], last["url"]) == (broker, 200, "http://b2:8080")


def test_lookup_in_a_circle_ends(broker: str, tmp_path: Path) -> None:
    Broker.answers = {REST: (307, f"http://{broker}{REST}")}
    Recorder([broker], [TOPIC], tmp_path).look_up(broker, TOPIC)
    assert len(lines(tmp_path, "lookups.jsonl")) == MOST_HOPS


def test_refusal_keeps_its_reason(broker: str, tmp_path: Path) -> None:
    Broker.answers = {}
    recorder = Recorder([broker], [TOPIC], tmp_path)
    recorder.look_up(broker, TOPIC)
    recorder.call("unload", broker, "PUT", "/admin/x", bundle="t/n/0x0_0x1")
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


def test_poll_tells_bundles_and_leader(broker: str, tmp_path: Path) -> None:
    Broker.answers = {
        f"/admin/v2/brokers/lab/{broker}/ownedNamespaces": (200, json.dumps({"t/n/0x1_0x2": {}, "t/n/0x0_0x1": {}})),
        "/admin/v2/brokers/leaderBroker": (200, json.dumps({"serviceUrl": "http://b1:8080"})),
    }
    polled = Recorder([broker], [TOPIC], tmp_path).poll(broker)
    assert (polled["owned"], polled["leader"]) == (["t/n/0x0_0x1", "t/n/0x1_0x2"], "b1:8080")
