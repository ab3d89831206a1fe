"""Pseudonyms: no name of a recording is in any output, and the same name is the same everywhere."""

import base64
import gzip
import json
import re
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from oneowner.checkers.recordings.judge.anonymise import Pseudonyms
from tests.command_line import REAL, VALIDATOR, oneowner, refused
from tests.recordings.dumps import dump, write

OUTPUTS = ("json", "html", "sarif", "junit", "perfetto")


def names_of(run: str) -> list[str]:
    """Names that must not be seen, collected from the files by hand: brokers, hosts, namespaces, topics, producers."""
    found: set[str] = set()
    for path in (REAL / run).iterdir():
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8", "replace")
        found |= set(re.findall(r"127\.0\.0\.1:1\d{4}", text))
        found |= set(re.findall(r"\brig/[a-z]+\b", text))
        found |= set(re.findall(r"persistent://(rig/[\w/-]+)", text))
        found |= {json.loads(name) for name in re.findall(r'"producer": ?("rig[^"]*")', text)}
    return sorted(found | {"127.0.0.1", "rig", run, str(REAL)})


def seen(text: str, name: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", text) is not None


@cache
def outputs(folder: Path, run: str, *more: str) -> dict[str, str]:
    """Return everything that an audit and a timeline write of one run, as text."""
    written: dict[str, str] = {}
    for verb in ("audit", "timeline"):
        files = {kind: folder / f"{verb}.{kind}" for kind in OUTPUTS}
        options = [text for kind, file in files.items() for text in (f"--{kind}", str(file))]
        outcome = oneowner(verb, REAL / run, "--engine", "inline", *more, *options, "--tables", folder / verb)
        written[f"{verb} text"] = outcome.said
        written |= {f"{verb} {kind}": file.read_text() for kind, file in files.items()}
        for table in sorted((folder / verb).iterdir()):
            written[f"{verb} {table.name}"] = json.dumps(pq.read_table(table).to_pylist(), default=str)
    return written


@pytest.fixture(scope="module")
def plainly(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return outputs(tmp_path_factory.mktemp("plainly"), "zombie")


@pytest.fixture(scope="module")
def zombie(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("zombie")
    return outputs(folder, "zombie", "--anonymise", "--salt", "pepper")


def unfolded(page: str) -> str:
    """Return a page without its scripts' comments, and with the data that it holds compressed."""
    page = re.sub(r"/\*.*?\*/", "", page, flags=re.DOTALL)
    packed = "".join(re.findall(r"^[A-Za-z0-9+/]{40,}={0,2}$", page, re.MULTILINE))
    decoder = zlib.decompressobj(47)
    return page + decoder.decompress(base64.b64decode(packed)).decode("utf-8", "replace") if packed else page


@pytest.mark.sample(1)
@pytest.mark.parametrize("run", ["zombie", "kill-owner"])
def test_no_name_is_in_any_output(run: str, zombie: dict[str, str], tmp_path: Path) -> None:
    names = names_of(run)
    assert len(names) > 10
    written = zombie if run == "zombie" else outputs(tmp_path, run, "--anonymise", "--salt", "pepper")
    for output, text in written.items():
        whole = unfolded(text) if output.endswith("html") else text
        assert len(whole) > 100 or output.endswith(".parquet"), output
        assert [name for name in names if seen(whole, name)] == [], output


def test_the_names_are_there_without_it(plainly: dict[str, str]) -> None:
    """Else the test above would show nothing."""
    names = names_of("zombie")
    for output in ("audit json", "audit sarif", "timeline json", "timeline perfetto", "audit events.parquet"):
        assert sum(seen(plainly[output], name) for name in names) > 3, output


def test_ranges_ids_times_versions_and_verdicts_stay(zombie: dict[str, str], plainly: dict[str, str]) -> None:
    shown, plain = (json.loads(found["timeline json"]) for found in (zombie, plainly))
    VALIDATOR.validate(shown)
    order = [(one["unit"].rpartition("/")[2], one["state"], one["from"], one["to"]) for one in shown["intervals"]]
    assert sorted(order, key=str) == sorted(
        [(one["unit"].rpartition("/")[2], one["state"], one["from"], one["to"]) for one in plain["intervals"]], key=str
    )
    assert shown["verdict"] == plain["verdict"]


def test_findings_say_the_same_with_other_names(zombie: dict[str, str], plainly: dict[str, str]) -> None:
    shown, plain = (json.loads(found["audit json"]) for found in (zombie, plainly))
    VALIDATOR.validate(shown)
    for one, other in zip(shown["findings"], plain["findings"], strict=True):
        assert [one[key] for key in ("law", "severity", "guard")] == [
            other[key] for key in ("law", "severity", "guard")
        ]
        assert [cite["line"] for cite in one.get("evidence", ())] == [c["line"] for c in other.get("evidence", ())]
        for broker, original in zip(one["brokers"], other["brokers"], strict=True):
            assert re.fullmatch(r"broker-[0-9a-f]{10}", broker)
            assert one["why"].count(broker) == len(re.findall(rf"{re.escape(original)}(?!\d)", other["why"]))


def test_a_name_is_the_same_in_all_outputs_and_runs_of_one_salt(tmp_path: Path) -> None:
    brokers: list[set[str]] = []
    for number, salt in enumerate(("one", "one", "two")):
        target = tmp_path / f"{number}.json"
        oneowner("timeline", REAL / "healthy", "--anonymise", "--salt", salt, "--quiet", "--json", target)
        rows = json.loads(target.read_text())["intervals"]
        brokers.append({row["broker"] for row in rows if row["broker"]})
    assert brokers[0] == brokers[1]
    assert not brokers[0] & brokers[2]
    assert len(brokers[0]) == len(brokers[2]) == 3


def test_without_a_salt_pseudonyms_are_new_every_time(tmp_path: Path) -> None:
    path = write(tmp_path / "channel.jsonl", dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2"))
    outputs = [oneowner("timeline", path, "--anonymise").out for _ in range(2)]
    assert outputs[0] != outputs[1]


def test_owners_at_a_time_have_pseudonyms(tmp_path: Path) -> None:
    path = write(tmp_path / "channel.jsonl", dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2"))
    found = oneowner("timeline", path, "--anonymise", "--at", "2030-01-01", "--json", "-").json
    ((unit, owner),) = found["owners"].items()
    assert re.fullmatch(r"tenant-\w{10}/namespace-\w{10}/0x00000000_0x80000000", unit)
    assert re.fullmatch(r"broker-\w{10}", owner)


def test_what_cannot_be_read_is_not_quoted(tmp_path: Path) -> None:
    path = write(tmp_path / "channel.jsonl", dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2"))
    path.write_text(path.read_text().replace('"tenant/ns/0x00000000_0x80000000"', '"secret/house/0x1"'))
    found = oneowner("audit", path, "--anonymise", "--json", "-")
    assert "secret" not in found.said
    assert "house" not in found.said
    assert "key refused: '...'" in found.out


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        ("Owned(b1:8080) v2", r"Owned\(B\) v2"),
        ("at http://b1:8080/lookup", r"at http://B/lookup"),
        ("b1 hung", r"b1 hung"),  # two characters: no host that is replaced alone
        ("from /10.1.2.3:4242 at 12:30:45", r"from /H:4242 at 12:30:45"),
        ("from node.example.org:6650", r"from H:6650"),
        ("acme/prod/0x00000000_0x40000000", r"T/N/0x00000000_0x40000000"),
        ("/service_unit_state/acme/prod/0x00000000_0x40000000", r"/service_unit_state/T/N/0x00000000_0x40000000"),
        ("/admin/policies/acme/prod", r"/admin/policies/T/N"),
        ("persistent://acme/prod/orders-partition-3", r"persistent://T/N/O-partition-3"),
        ("public/default/0x00000000_0x40000000", r"public/default/0x00000000_0x40000000"),
        ("pulsar/b1:8080/0x00000000_0xffffffff", r"pulsar/B/0x00000000_0xffffffff"),
        ("acme-0-6 published 0:41 (zxid:12)", r"P published 0:41 \(zxid:12\)"),
        ("tenant acme, version 4.0.6", r"tenant T, version 4.0.6"),
        ("a macmean acmetron", r"a macmean acmetron"),
        ("org.apache.pulsar.Broker:57", r"org.apache.pulsar.Broker:57"),
        ("night/run 7/channel.jsonl:3: cut short", r"D/channel.jsonl:3: cut short"),
        ("night/run 7/broker-one.log.gz:9", r"D/F.log.gz:9"),
    ],
)
def test_names_are_found_in_sentences(words: str, pattern: str) -> None:
    names = Pseudonyms("salt")
    names.learn_brokers(["b1:8080"])
    names.learn_producers(["acme-0-6"])
    names.learn_units(["acme/prod/0x00000000_0x80000000"])
    names.learn_files(["night/run 7/channel.jsonl", "night/run 7/broker-one.log.gz"])
    kinds = {
        "B": "broker",
        "H": "host",
        "T": "tenant",
        "N": "namespace",
        "O": "topic",
        "P": "producer",
        "D": "folder",
        "F": "file",
    }
    wanted = re.sub(r"\b([BHTNOPDF])\b", lambda match: rf"{kinds[match[1]]}-[0-9a-f]{{10}}", pattern)
    assert re.fullmatch(wanted, names.text(words)), names.text(words)


def test_namespace_in_a_log_line_is_the_one_of_its_unit() -> None:
    names = Pseudonyms("salt")
    unit = names.text("rig/b/0x40000000_0x80000000")
    for before in ("serviceUnit:", "Unloading bundle:", "key=", "[", ""):
        assert names.text(f"{before}rig/b/0x40000000_0x80000000 x") == f"{before}{unit} x"


def test_names_change_in_keys_and_lists_but_our_own_words_stay() -> None:
    names = Pseudonyms("salt")
    names.learn_brokers(["holds:8080"])
    names.learn_units(["version-chain/Owned/0x00000000_0x80000000"])
    value: dict[str, Any] = {"law": "version-chain", "state": "Owned", "why": ["holds:8080"], "time": 7, "to": None}
    shown = names.show(value)
    assert {**shown, "why": 0} == {**value, "why": 0}
    assert shown["why"][0].startswith("broker-")


def test_waivers_name_no_names_either(tmp_path: Path) -> None:
    path = write(tmp_path / "channel.jsonl", dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2"))
    waivers = tmp_path / "acme-waivers.yaml"
    waivers.write_text("- {law: version-chain, unit: acme/*, reason: tenant and b1, expires: 2999-01-01}\n" * 2)
    found = oneowner("audit", path, "--anonymise", "--waivers", waivers, "--json", "-")
    assert "matched no violation" in found.said
    assert "acme" not in found.said
    assert str(tmp_path) not in found.said


def test_salt_needs_anonymise_and_is_not_empty() -> None:
    refused(oneowner("audit", REAL / "healthy", "--salt", "x"), "--salt requires --anonymise")
    refused(
        oneowner("audit", REAL / "healthy", "--anonymise", "--salt", ""),
        "an empty salt lets anybody reverse the pseudonyms",
    )


def test_a_story_is_not_told_under_pseudonyms() -> None:
    unit = "rig/a/0x00000000_0x40000000"
    refused(oneowner("audit", REAL / "healthy", "--why", "--unit", unit, "--anonymise"), "--why", "--anonymise")
