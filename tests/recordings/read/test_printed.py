"""A dump as pulsar-client prints it is judged as the same dump in our own format."""

import gzip
import json
from pathlib import Path

import pytest

from oneowner.checkers.recordings.read.pulsar_client_output import is_printed
from tests.command_line import oneowner
from tests.recordings.dumps import Json, recorded

NOISE = "2026-11-21T00:08:47,146+0000 [main] INFO  org.apache.pulsar.client.impl.ConsumerImpl - Subscribed\n"


def printed(messages: list[Json]) -> str:
    """Output of ``pulsar-client read`` for some messages, with a line of its log in between."""
    lines = [NOISE]
    for message in messages:
        content = "null" if message["value"] is None else json.dumps(message["value"])
        lines.append("----- got message -----\n")
        lines.append(
            f"publishTime:[{message['publishTime']}], eventTime:[0], key:[{message['key']}], properties:[],"
            f" content:{content}\n"
        )
    return "".join([*lines, NOISE])


@pytest.mark.parametrize("run", ["split", "kill-owner"])
@pytest.mark.parametrize("name", ["channel.txt", "channel.txt.gz"])
def test_printed_dump_has_the_findings_of_the_dump(run: str, name: str, tmp_path: Path) -> None:
    messages = recorded(run)
    text = printed(messages).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    found = oneowner("audit", tmp_path, "--json", "-").json
    plain = tmp_path / "plain" / "channel.jsonl"
    plain.parent.mkdir()
    plain.write_text("".join(f"{json.dumps(message)}\n" for message in messages), encoding="utf-8")
    other = oneowner("audit", plain, "--json", "-").json
    assert found["verdict"] == other["verdict"]
    assert found["stats"] | {"seconds": 0} == other["stats"] | {"seconds": 0}
    assert [row["exercised"] for row in found["laws"]] == [row["exercised"] for row in other["laws"]]
    assert [refusal["why"] for refusal in found["refusals"]] == [refusal["why"] for refusal in other["refusals"]]
    assert found["refusals"][0]["messageId"].startswith("line ")


def test_line_that_pulsar_client_does_not_print_ends_in_2(tmp_path: Path) -> None:
    text = printed(recorded("split")[:5])
    (tmp_path / "channel.txt").write_text(text.replace("eventTime:[0]", "eventTime:[", 1), encoding="utf-8")
    outcome = oneowner("audit", tmp_path)
    assert outcome.code == 2
    assert "channel.txt:3: not what pulsar-client prints" in outcome.out


def test_content_read_with_a_schema_is_refused_with_a_hint(tmp_path: Path) -> None:
    line = "publishTime:[1], eventTime:[0], key:[t/n/0x00000000_0x80000000], properties:[], content:key:[a], value=b\n"
    (tmp_path / "channel.txt").write_text(f"----- got message -----\n{line}", encoding="utf-8")
    outcome = oneowner("audit", tmp_path)
    assert outcome.code == 2
    assert "--schema-type bytes" in outcome.out


def test_log_line_in_a_dump_of_our_own_format_is_unreadable(tmp_path: Path) -> None:
    lines = [json.dumps(message) for message in recorded("split")[:3]]
    (tmp_path / "channel.jsonl").write_text("\n".join([lines[0], NOISE.strip(), *lines[1:]]), encoding="utf-8")
    assert not is_printed(str(tmp_path / "channel.jsonl"))
    assert oneowner("audit", tmp_path).code == 2
