"""The verb ``record``: a folder that an audit reads, refusals, continuation."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.collect import channel_reader
from oneowner.checkers.collect.cluster_facts import address_of, settings
from oneowner.checkers.documents import read_document
from oneowner.checkers.lab.cluster.processes import free_ports
from tests.collect.conftest import Broker
from tests.command_line import oneowner

UNIT = "t/n/0x00000000_0x80000000"
TOPIC = "persistent://t/n/topic"


class Reader:
    """Stands for the channel: one bundle is assigned and owned."""

    def __init__(self, url: str, folder: Path, arguments: dict[str, Any], most_a_second: int, say: Any) -> None:
        self.folder, self.read = folder, 0

    def follow(self, is_over: Callable[[], bool]) -> None:
        before = len((self.folder / "channel.jsonl").read_text().splitlines()) if self.read else 0
        records = [
            {"state": state, "dstBroker": "b1:8080", "force": False, "timestamp": 1_000 + number, "versionId": number}
            for number, state in enumerate(("Assigning", "Owned"), 1)
        ]
        with (self.folder / "channel.jsonl").open("a", encoding="utf-8") as file:
            for number, value in enumerate(records, before):
                line = {"messageId": f"1:{number}", "publishTime": 1_000 + number, "producer": "p", "key": UNIT}
                print(json.dumps(line | {"value": value}), file=file)
                self.read += 1

    def compacted(self) -> int:
        (self.folder / "compacted.jsonl").write_text("")
        return 0

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def cluster(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> Broker:
    """One broker of the cluster c that owns a bundle, and a channel that confirms it."""
    bundles = {"boundaries": ["0x00000000", "0x80000000", "0xffffffff"], "numBundles": 2}
    leader = {"brokerId": broker.name, "serviceUrl": f"http://{broker.name}"}
    runtime = {"loadBalancerEnabled": "true", "metadataStoreUrl": "zk:z:2181/c", "brokerClientSecret": "s"}
    for path, answer in {
        "/admin/v2/clusters": ["c", "global"],
        "/admin/v2/brokers/c": [broker.name],
        "/admin/v2/brokers/version": "4.0.6",
        "/admin/v2/brokers/leaderBroker": leader,
        f"/admin/v2/brokers/c/{broker.name}/ownedNamespaces": {UNIT: {}},
        "/admin/v2/brokers/configuration/runtime": runtime,
        "/admin/v2/brokers/configuration/values": {"loadBalancerDebugModeEnabled": "true"},
        "/admin/v2/namespaces/t/n/bundles": bundles,
        "/admin/v2/persistent/t/n": [TOPIC],
        "/lookup/v2/topic/persistent/t/n/topic": {"httpUrl": f"http://{broker.name}"},
    }.items():
        broker.answers[path] = (200, json.dumps(answer))
    monkeypatch.setattr(channel_reader, "ChannelReader", Reader)
    return broker


def record(cluster: Broker, out: Path, *more: str) -> Any:
    where = ("--admin-url", f"http://{cluster.name}/", "--service-url", "pulsar://b1:6650", "--rate", "1000")
    return oneowner("record", *where, "--out", out, *more)


def test_what_is_there_now_becomes_a_folder_that_an_audit_reads(cluster: Broker, tmp_path: Path) -> None:
    out = tmp_path / "now"
    outcome = record(cluster, out, "--once", "--namespace", "t/n")
    assert outcome.code == 0, outcome.err
    assert "1 owned, 1 lookups, 2 channel" in outcome.out
    assert f"oneowner audit {out}" in outcome.out
    manifest = read_document(out / "manifest.yaml").data
    assert manifest["versions"] == {"pulsar": "4.0.6"}
    assert manifest["brokers"] == [{"id": cluster.name}]
    assert manifest["config_base"] == {"loadBalancerEnabled": "true", "metadataStoreUrl": "zk:z:2181/c"}
    assert manifest["config_overrides"] == {"loadBalancerDebugModeEnabled": "true"}
    assert json.loads((out / "bundles.json").read_text())["after"]["namespaces"]["t/n"]["numBundles"] == 2
    audited = oneowner("audit", out, "--engine", "inline", "--json", "-")
    result = json.loads(audited.out)
    assert result["stats"]["events"] == 2
    assert not [reason for reason in result["reasons"] if "manifest" in reason or "damage" in reason]


def test_recording_lasts_as_long_as_it_is_told_and_goes_on(cluster: Broker, tmp_path: Path) -> None:
    out = tmp_path / "night"
    often = ("--for", "300ms", "--topic", "t/n/topic", "--lookup-every", "20ms", "--poll-every", "20ms")
    assert record(cluster, out, *often).code == 0
    polls = len((out / "owned.jsonl").read_text().splitlines())
    assert polls > 1
    with (out / "owned.jsonl").open("a") as file:
        file.write('{"t_start": 1')
    again = record(cluster, out, *often)
    assert again.code == 0
    assert "continued" in again.err
    lines = (out / "owned.jsonl").read_text().splitlines()
    assert len(lines) > polls
    assert all(json.loads(line)["status"] == 200 for line in lines)
    assert len(read_document(out / "manifest.yaml").data["recorded"]) == 2


def test_what_its_owner_has_put_into_the_folder_stays(cluster: Broker, tmp_path: Path) -> None:
    out = tmp_path / "night"
    assert record(cluster, out, "--once").code == 0
    (out / "zookeeper.jsonl").write_text('{"zxid": 1}')  # whole, and no newline at its end
    text = (out / "manifest.yaml").read_text()
    assert f"id: {cluster.name}" in text
    (out / "manifest.yaml").write_text(text.replace(f"id: {cluster.name}", f"id: {cluster.name}\n  log: b1.log"))
    assert record(cluster, out, "--once").code == 0
    assert (out / "zookeeper.jsonl").read_text() == '{"zxid": 1}'
    manifest = read_document(out / "manifest.yaml").data
    assert manifest["brokers"] == [{"id": cluster.name, "log": "b1.log"}]
    assert len(manifest["recorded"]) == 2


def test_what_nobody_tells_is_said(cluster: Broker, tmp_path: Path) -> None:
    for name in ("configuration/runtime", "configuration/values"):
        cluster.answers[f"/admin/v2/brokers/{name}"] = (403, "")
    cluster.answers["/admin/v2/namespaces/t/n/bundles"] = (403, "")
    outcome = record(cluster, tmp_path / "x", "--once")
    assert outcome.code == 0
    assert outcome.err.count("no broker returns its settings") == 1
    assert "no broker returns the bundles of t/n" in outcome.err


def test_passwords_are_not_kept(cluster: Broker) -> None:
    from oneowner.checkers.collect.admin import Admin

    base, _ = settings(Admin(), f"http://{cluster.name}")
    assert "brokerClientSecret" not in base


def test_broker_is_asked_over_tls_at_the_port_of_the_admin_url() -> None:
    assert address_of("b1:8080", "https://b2:8443") == "https://b1:8443"
    assert address_of("b1:8080", "http://b2:1") == "http://b1:8080"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--admin-url or --client-conf is required"),
        (("--admin-url", "b1:8080"), "such as http://broker:8080"),
        (("--admin-url", "http://b1:8080"), "--service-url is required"),
        (("--admin-url", "http://b1:8080", "--no-channel", "--once", "--for", "1m"), "exclude each other"),
        (("--admin-url", "http://b1:8080", "--no-channel", "--for", "0s"), "a time of 0 refused"),
        (("--admin-url", "http://b1:8080", "--no-channel", "--topic", "t"), "--topic refused: t"),
        (("--client-conf", "/no/such"), "cannot be read"),
    ],
)
def test_misuse_is_one_line(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    outcome = oneowner("record", "--out", tmp_path / "x", *arguments)
    assert (outcome.code, len(outcome.err.splitlines())) == (2, 1)
    assert words in outcome.err
    assert not (tmp_path / "x").exists()


def test_nobody_who_answers_is_told_in_one_line(tmp_path: Path) -> None:
    gone = f"http://127.0.0.1:{free_ports(1)[0]}"
    outcome = oneowner("record", "--admin-url", gone, "--no-channel", "--once", "--out", tmp_path / "x")
    assert (outcome.code, len(outcome.err.splitlines())) == (2, 1)
    assert "no answer" in outcome.err
    assert "reachable from here?" in outcome.err


@pytest.mark.parametrize(("status", "words"), [(401, "--auth-plugin"), (403, "superuser"), (500, "HTTP 500")])
def test_refusal_says_what_to_do(status: int, words: str, cluster: Broker, tmp_path: Path) -> None:
    cluster.answers["/admin/v2/brokers/c"] = (status, "")
    outcome = record(cluster, tmp_path / "x", "--once")
    assert outcome.code == 2
    assert words in outcome.err
    assert not (tmp_path / "x").exists()


def test_one_of_several_clusters_must_be_named(cluster: Broker, tmp_path: Path) -> None:
    cluster.answers["/admin/v2/clusters"] = (200, '["c", "d"]')
    assert "choose one with --cluster NAME" in record(cluster, tmp_path / "x", "--once").err
    assert record(cluster, tmp_path / "x", "--once", "--cluster", "c").code == 0


def test_folder_of_something_else_is_left_alone(cluster: Broker, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "channel.jsonl").write_text("keep me")
    outcome = record(cluster, tmp_path / "mine", "--once")
    assert outcome.code == 2
    assert "holds something else" in outcome.err
    assert (tmp_path / "mine" / "channel.jsonl").read_text() == "keep me"


def test_recording_of_another_cluster_is_not_continued(cluster: Broker, tmp_path: Path) -> None:
    assert record(cluster, tmp_path / "x", "--once").code == 0
    cluster.answers["/admin/v2/clusters"] = (200, '["d"]')
    cluster.answers["/admin/v2/brokers/d"] = cluster.answers["/admin/v2/brokers/c"]
    assert "holds a recording of the cluster c, and this is d" in record(cluster, tmp_path / "x", "--once").err


def test_too_many_lookups_are_refused(cluster: Broker, tmp_path: Path) -> None:
    cluster.answers["/admin/v2/persistent/t/n"] = (200, json.dumps([f"{TOPIC}-{number}" for number in range(401)]))
    assert "too many lookups" in record(cluster, tmp_path / "x", "--once", "--namespace", "t/n").err


def test_channel_that_is_lost_makes_the_recording_not_whole(
    cluster: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(self: Reader, is_over: Callable[[], bool]) -> None:
        raise ConnectionError("gone")

    monkeypatch.setattr(Reader, "follow", lost)
    outcome = record(cluster, tmp_path / "x", "--for", "30s", "--poll-every", "10ms")
    assert outcome.code == 3
    assert "not whole: the channel was lost: ConnectionError: gone" in outcome.err
    assert (tmp_path / "x" / "owned.jsonl").exists() or (tmp_path / "x" / "manifest.yaml").exists()


def test_brokers_that_do_not_answer_are_no_recording(cluster: Broker, tmp_path: Path) -> None:
    gone = f"127.0.0.1:{free_ports(1)[0]}"
    cluster.answers["/admin/v2/brokers/c"] = (200, json.dumps([gone]))
    outcome = record(cluster, tmp_path / "x", "--once", "--no-channel")
    assert outcome.code == 3
    assert "nothing was recorded: 2 unanswered, 1 owned" in outcome.err
