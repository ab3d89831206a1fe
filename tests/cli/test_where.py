"""The verb ``where``: bundles of topics among equal ones, in lists of ``pulsar-admin``, and in recorded runs."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import REAL, VALIDATOR, oneowner, refused

LOOKUP = """\
"persistent://t1/ns1/orders-partition-0    pulsar://broker-1:6650"
"persistent://t1/ns1/orders-partition-1    pulsar://broker-2:6650"
"persistent://t1/ns1/orders-partition-2    pulsar://broker-2:6650"
"persistent://t1/ns1/orders-partition-3    pulsar://broker-1:6650"
"persistent://t1/ns1/orders-partition-4    pulsar://broker-1:6650"
"persistent://t1/ns1/orders-partition-5    pulsar://broker-2:6650"
"""
"""Bundle by bundle, as apache/pulsar#10143 has eight partitions at two of three brokers."""


def lookups(run: str) -> Iterator[dict[str, str]]:
    for line in gzip.decompress((REAL / run / "lookups.jsonl.gz").read_bytes()).splitlines():
        yield json.loads(line)


def test_topic_lies_in_the_bundle_of_its_hash() -> None:
    outcome = oneowner("where", "my-topic", "--bundles", 4)
    assert outcome.code == 0
    assert outcome.out == (
        "persistent://public/default/my-topic: public/default/0x00000000_0x40000000 (hash 0x2bad45f7, bundle 1 of 4)\n"
    )


def test_default_number_of_bundles_is_that_of_the_release_and_is_reported() -> None:
    outcome = oneowner("where", "my-topic", "--release", "4.0.6")
    assert "bundle 1 of 4" in outcome.out
    assert "4 bundles are the default of 4.0.6 (defaultNumberOfNamespaceBundles)" in outcome.out


def test_number_of_bundles_is_read_from_a_broker_conf(tmp_path: Path) -> None:
    conf = tmp_path / "broker.conf"
    conf.write_text("defaultNumberOfNamespaceBundles=8\n")
    outcome = oneowner("where", "my-topic", conf)
    assert "public/default/0x20000000_0x40000000 (hash 0x2bad45f7, bundle 2 of 8)" in outcome.out
    assert f"8 bundles are the default in {conf}" in outcome.out
    conf.write_text("defaultNumberOfNamespaceBundles=none\n")
    refused(oneowner("where", "my-topic", conf), "defaultNumberOfNamespaceBundles refused: 'none'")


def test_partitions_of_few_bundles_are_at_few_brokers(tmp_path: Path) -> None:
    listed = tmp_path / "partitioned-lookup.txt"
    listed.write_text(LOOKUP)
    outcome = oneowner("where", "--topics", listed, "--bundles", 4, "--json", "-")
    VALIDATOR.validate(outcome.json)
    (spread,) = outcome.json["spreads"]
    assert (spread["topics"], spread["used"], spread["bundles"], spread["empty"]) == (6, 4, 4, 0)
    assert spread["brokers"] == {"broker-1:6650": 3, "broker-2:6650": 3}
    assert outcome.code == 0
    assert "at most 4 brokers serve these topics" in oneowner("where", "--topics", listed, "--bundles", 4).out


def test_partitions_do_not_spread_over_more_bundles_before_their_hashes_do() -> None:
    """CRC-32 is linear: the numbers 0 to 7 change few of its upper bits."""
    (spread,) = oneowner("where", "t1/ns1/orders", "--partitions", 8, "--bundles", 4, "--json", "-").json["spreads"]
    assert {one["bundles"]: one["used"] for one in spread["over"]} == {8: 4, 16: 4, 32: 4, 64: 8, 128: 8}


def test_bundle_that_is_listed_at_two_brokers_leaves_the_answer_unknown(tmp_path: Path) -> None:
    listed = tmp_path / "partitioned-lookup.txt"
    listed.write_text(LOOKUP + '"persistent://t1/ns1/orders-partition-6    pulsar://broker-1:6650"\n')
    outcome = oneowner("where", "--topics", listed, "--bundles", 4)
    assert outcome.code == 3
    assert "0xc0000000_0xffffffff is listed at broker-1:6650 and broker-2:6650" in outcome.out
    assert "the list fits 64, 128," in outcome.out
    assert "`pulsar-admin namespaces bundles t1/ns1`" in outcome.out


@pytest.mark.parametrize("text", [
    '["persistent://t/n/a", "persistent://t/n/b"]',
    "broker-1    [persistent://t/n/a, persistent://t/n/b]",
    "# mine\nt/n/a\n\n- t/n/b\n",
    '{"persistent://t/n/a": "pulsar://b1:6650", "persistent://t/n/b": "pulsar://b1:6650"}',
])  # fmt: skip
def test_lists_are_read_as_they_are_printed(tmp_path: Path, text: str) -> None:
    listed = tmp_path / "list"
    listed.write_text(text)
    rows = oneowner("where", "--topics", listed, "--bundles", 4, "--json", "-").json["topics"]
    assert [row["topic"] for row in rows] == ["persistent://t/n/a", "persistent://t/n/b"]


@pytest.mark.parametrize("text", [
    '{"boundaries": ["0x00000000", "0x80000000", "0xffffffff"], "numBundles": 2}',
    '{"auth_policies": {}, "bundles": {"boundaries": ["0x00000000", "0x80000000", "0xffffffff"], "numBundles": 2}}',
    '{"after": {"namespaces": {"t/n": {"boundaries": ["0x00000000", "0x80000000", "0xffffffff"]}, "t/m": {}}}}',
])  # fmt: skip
def test_boundaries_are_read_as_they_are_printed(tmp_path: Path, text: str) -> None:
    bundles = tmp_path / "bundles.json"
    bundles.write_text(text)
    assert "t/n/0x00000000_0x80000000" in oneowner("where", "t/n/a2", bundles).out


@pytest.mark.parametrize(("run", "topic"), [
    ("healthy", "persistent://rig/a/t0"), ("split", "persistent://rig/c/t0"), ("shedding", "persistent://rig/b/t3"),
])  # fmt: skip
def test_owner_at_a_time_is_the_broker_that_lookups_then_name(run: str, topic: str) -> None:
    """By the recorded answers: a broker's own answer, with its URL, is a proof that it served the topic."""
    answered = [one for one in lookups(run) if one["topic"] == topic and one.get("url")]
    assert answered
    for one in (answered[0], answered[len(answered) // 2], answered[-1]):
        (row,) = oneowner("where", topic, REAL / run, "--at", one["t_end"], "--json", "-").json["topics"]
        assert f"http://{row['owner']}" == one["url"]
        assert row["state"] in ("Owned", "Splitting")


def test_hand_over_is_nobodys() -> None:
    outcome = oneowner("where", "rig/a/t0", REAL / "zombie", "--at", "2026-11-21T00:07:56.137Z")
    assert "; being released by 127.0.0.1:18082 for 127.0.0.1:18081 since 2026-11-21T00:07:56.135Z" in outcome.out


def test_owner_by_a_lock_is_the_broker_of_the_node() -> None:
    outcome = oneowner("where", "lab/a/t0", REAL / "locks-healthy")
    assert outcome.code == 0
    assert "lab/a/0x80000000_0xc0000000 (hash 0xa9db6804); 127.0.0.1:43159 owns it since" in outcome.out


def test_unknown_namespace_is_unknown_and_the_known_ones_are_named() -> None:
    outcome = oneowner("where", "rig/a/t0", REAL / "locks-healthy")
    assert outcome.code == 3
    assert "has those of lab/a, lab/b" in outcome.out


def test_time_outside_of_the_recording_is_reported() -> None:
    early = oneowner("where", "rig/a/t0", REAL / "healthy", "--at", "2020-01-01T00:00:00Z")
    late = oneowner("where", "rig/a/t0", REAL / "healthy", "--at", "2030-01-01T00:00:00Z")
    assert "is before the recording begins" in early.out
    assert "is after the recording ends" in late.out


@pytest.mark.parametrize(("arguments", "words"), [
    ((), "name a topic"),
    (("a/b", "--bundles", 4), "topic refused: 'a/b'"),
    (("queue://t/n/a", "--bundles", 4), "topic refused"),
    (("persistent://t//a", "--bundles", 4), "topic refused"),
    (("t/n/a", "./none"), "./none: neither a file nor a directory"),
    (("t/n/a", REAL / "healthy", "--bundles", 4), "which states the bundles"),
    (("t/n/a", "--bundles", 4, "--at", "5"), "--at requires the path of a recorded run"),
    (("--topics", "none.txt"), "none.txt: cannot be read"),
    (("--topics", "/dev/null"), "/dev/null: no topic in it"),
])  # fmt: skip
def test_misuse_is_refused(arguments: tuple[object, ...], words: str) -> None:
    refused(oneowner("where", *arguments), words)


@pytest.mark.parametrize(("text", "words"), [
    ("", "bundles.json:1: no boundaries of bundles: not JSON"),
    ("[]", "bundles.json:1: no boundaries of bundles"),
    ("{\n1", "bundles.json:2: no boundaries of bundles: not JSON"),
    ('{"boundaries": ["0x00000000", "0x80000000"]}', "they must rise from 0x00000000 to 0xffffffff"),
    ('{"boundaries": [0, 1]}', "numbers such as 0x40000000 are allowed"),
    ('{"boundaries": null}', "numbers such as 0x40000000 are allowed"),
])  # fmt: skip
def test_bad_boundaries_are_refused(tmp_path: Path, text: str, words: str) -> None:
    bundles = tmp_path / "bundles.json"
    bundles.write_text(text)
    refused(oneowner("where", "t/n/a", bundles), words)


def test_line_of_a_list_without_a_topic_is_refused(tmp_path: Path) -> None:
    listed = tmp_path / "list"
    listed.write_text("t/n/a\nno topic here\n")
    refused(oneowner("where", "--topics", listed, "--bundles", 4), f"{listed}:2: topic refused: 'no topic here'")
    listed.write_bytes(b"t/n/a\n\xff\n")
    refused(oneowner("where", "--topics", listed, "--bundles", 4), f"{listed}:2: not UTF-8")
