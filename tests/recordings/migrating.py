"""Signs of a migration, each written into the copy of a recording."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.recordings.laws.files import rewrite

SYNCER = "loadBalancerServiceUnitTableViewSyncer"
CLASS = "org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateTableViewSyncer"
RECORD = '{"state":"Owned","dstBroker":"127.0.0.1:18081","force":false,"timestamp":1,"versionId":2}'


def ran(folder: Path) -> None:
    rewrite(folder, "broker-1.log", lambda lines: [*lines, _replace_words(lines[-1], "Synced existing items of 8")])


def _replace_words(last: bytes, words: str) -> bytes:
    return last.partition(b" ")[0] + f" [pulsar-load-manager-1-1] INFO  {CLASS} - {words}".encode()


def write_run(folder: Path) -> None:
    path = "/service_unit_state/rig/a/0x00000000_0x40000000"
    rewrite(folder, "zookeeper.jsonl", lambda lines: [*lines, _write(lines, path, RECORD)])


def setting(folder: Path, value: str = "SystemTopicToMetadataStoreSyncer") -> None:
    data = json.dumps({SYNCER: value})
    rewrite(folder, "zookeeper.jsonl", lambda lines: [*lines, _write(lines, "/admin/configuration", data)])


def _write(lines: list[bytes], path: str, data: str) -> bytes:
    last = json.loads(lines[-1])
    made = {"zxid": last["zxid"] + 1, "time": last["time"], "session": "0x0", "op": "create", "path": path}
    return json.dumps(made | {"data": data, "ephemeral": False}).encode()


def change_of_manager(folder: Path) -> None:
    """Brokers of the modular manager led and held locks before those of the extensible one did."""

    def begun(lines: list[bytes]) -> list[bytes]:
        writes = [json.loads(line) | {"zxid": json.loads(line)["zxid"] + len(OF_LOCKS)} for line in lines]
        time = writes[0]["time"] - 60_000
        first = [{"zxid": number, "time": time, "session": "0x7", **one} for number, one in enumerate(OF_LOCKS, 1)]
        return [json.dumps(one).encode() for one in (*first, *writes)]

    rewrite(folder, "zookeeper.jsonl", begun)


OF_LOCKS: tuple[dict[str, Any], ...] = (
    {"op": "createSession", "timeoutMs": 30_000},
    {"op": "create", "path": "/loadbalance/leader", "ephemeral": True,
     "data": '{"serviceUrl":"http://127.0.0.1:18083"}'},
    {"op": "create", "path": "/namespace/rig/a/0x00000000_0x40000000", "ephemeral": True,
     "data": '{"nativeUrl":"pulsar://127.0.0.1:16653","httpUrl":"http://127.0.0.1:18083","disabled":false}'},
    {"op": "closeSession"},
)  # fmt: skip


def configured(folder: Path) -> None:
    manifest = folder / "manifest.yaml"
    text = manifest.read_text(encoding="utf-8")
    assert "config_base:\n" in text
    manifest.write_text(text.replace("config_base:\n", f"config_base:\n  {SYNCER}: Any\n"), encoding="utf-8")


SIGNS: dict[str, Callable[[Path], None]] = {
    "ran": ran, "written": write_run, "set": setting, "configured": configured,
}  # fmt: skip
