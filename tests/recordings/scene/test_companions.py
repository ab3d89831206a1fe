"""Files beside the logs: their lines mean the same to the evidence and to the audit."""

import json
from pathlib import Path

import pytest

from oneowner.checkers.recordings.fold.runs import Options, find_runs
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.gather import gather
from tests.recordings.laws.files import copied

FIELDS = ("dstBroker", "sourceBroker")


@pytest.mark.parametrize("blank", ["", " \t"])
def test_blank_broker_is_nobody_as_it_is_to_pulsar(tmp_path: Path, blank: str) -> None:
    """channel.3: blank is null, empty or whitespace."""
    folder = copied("healthy", tmp_path)
    (run,) = find_runs([str(folder)], Options())
    whole, _ = gather(run, Options())
    messages = [json.loads(line) for line in (folder / "channel.jsonl").read_text().splitlines()]
    records = [message["value"] for message in messages if message["value"]]
    absent = [(record, name) for record in records for name in FIELDS if not record.get(name)]
    for record, name in absent:
        record[name] = blank
    (folder / "channel.jsonl").write_text("".join(f"{json.dumps(message)}\n" for message in messages))
    found, _ = gather(run, Options())
    assert absent
    assert found.channel.timeline == whole.channel.timeline
    assert found.brokers == whole.brokers


def test_lines_of_a_companion_that_lack_the_same_are_one_doubt_with_a_count(tmp_path: Path) -> None:
    (tmp_path / "lookups.jsonl").write_text('{"t_start": 1}\n' * 40 + "[]\n")
    (run,) = find_runs([str(tmp_path)], Options())
    scene, _ = gather(run, Options())
    missing, other = scene.damage[Source.LOOKUPS]
    assert missing.startswith(f"{tmp_path}/lookups.jsonl:1: ")
    assert missing.endswith("(and 39 more such lines)")
    assert other.startswith(f"{tmp_path}/lookups.jsonl:41: ")


HEARTBEAT = "pulsar/h:8081/0x00000000_0xffffffff"
REGISTERED = {"zxid": 1, "time": 5, "op": "create", "session": "0x1", "path": "/loadbalance/brokers/h:8081"}


@pytest.mark.parametrize(
    ("owned", "writes", "asked"), [([], [], "h:8080"), ([HEARTBEAT], [], "h:8081"), ([], [REGISTERED], "h:8081")]
)
def test_second_broker_of_a_host_is_known_though_it_owns_nothing(
    owned: list[str], writes: list[dict[str, object]], asked: str, tmp_path: Path
) -> None:
    """Else a name with the host of the only broker that is known would be taken for another port of that one."""
    record = {"state": "Owned", "dstBroker": "h:8080", "force": False, "timestamp": 5, "versionId": 1}
    unit = "t/n/0x00000000_0xffffffff"
    files: dict[str, list[dict[str, object]]] = {
        "channel": [{"messageId": "0:0", "publishTime": 5, "key": unit, "value": record}],
        "lookups": [{"t_start": 9, "t_end": 10, "asked": "h:8081", "topic": "persistent://t/n/x", "status": 503}],
        "owned": [{"t_start": 9, "t_end": 10, "broker": "h:8081", "status": 200, "owned": owned, "leader": None}],
        "zookeeper": writes,
    }
    for name, lines in files.items():
        if lines:
            (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    found, _ = gather(find_runs([str(tmp_path)], Options())[0], Options())
    assert [found.lookups[0].asked, found.polls[0].asked] == [asked, asked]
