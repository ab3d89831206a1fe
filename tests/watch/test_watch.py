"""The verb: clusters of a file, refusals, one of several that cannot be reached."""

import json
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.collect import channel_reader
from oneowner.checkers.collect.admin import now
from oneowner.checkers.lab.cluster.processes import free_ports
from oneowner.checkers.watch import watching
from oneowner.checkers.watch.clusters import Cluster
from oneowner.checkers.watch.inline import Follower, Terms
from oneowner.checkers.watch.readings import Readings
from oneowner.checkers.watch.sinks import JsonLines
from tests.command_line import oneowner, refused
from tests.recordings.dumps import REAL, dump, write
from tests.watch.broken_dumps import QUESTION

BROKEN = REAL / "split-crash" / "channel.jsonl"
WHOLE = REAL / "split" / "channel.jsonl.gz"
RECORD = json.dumps(dump("0-8 Owned(1) v1")[0]).encode()


def test_violations_are_told_as_an_audit_tells_them() -> None:
    outcome = oneowner("watch", "--replay", BROKEN)
    assert outcome.code == 1
    assert (
        f"violation overlapping-owners {BROKEN}:20 (0:19): rig/a/0x80000000_0xa0000000: 127.0.0.1:18083" in outcome.out
    )
    assert "found by this watch: 4 violations" in outcome.err
    audited = oneowner("audit", BROKEN, "--verbose").out
    own = ("    what to do: ", "      look: ")
    lines = [line for line in outcome.out.splitlines() if line and not line.startswith(own)]
    assert set(lines) <= set(audited.splitlines())
    look = 'pulsar-admin topics lookup "$(pulsar-admin topics list rig/a --bundle 0x80000000_0xa0000000 | head -1)"'
    assert f"      look:  {look}" in outcome.out.splitlines()


def test_nothing_broken_is_exit_code_0(tmp_path: Path) -> None:
    dumped = write(tmp_path / "channel.jsonl", dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2"))
    outcome = oneowner("watch", "--replay", dumped)
    assert (outcome.code, outcome.out) == (0, "")


@pytest.mark.parametrize(
    ("text", "words", "code"),
    [
        (b"", "no record was read", 3),
        (b"\n\n", "no record was read", 3),
        (b"no JSON\n[]\n\xff\xfe\n", "unreadable lines: 3", 2),
        (RECORD + b'\n{"messageId', "unreadable lines: 1", 2),
        (BROKEN.read_bytes() + b"no JSON\n", "unreadable lines: 1", 2),
    ],
)
def test_what_cannot_be_judged_ends_with_the_code_of_an_audit(
    text: bytes, words: str, code: int, tmp_path: Path
) -> None:
    dumped = tmp_path / "channel.jsonl"
    dumped.write_bytes(text)
    outcome = oneowner("watch", "--replay", dumped)
    assert outcome.code == code
    assert words in outcome.err.splitlines()[-1]
    assert oneowner("audit", dumped, "--engine", "inline").code == code


def test_one_of_several_that_never_came_is_unknown(tmp_path: Path) -> None:
    clusters = tmp_path / "clusters.yaml"
    clusters.write_text(f"- {{name: a, service-url: b1}}\n- {{name: b, replay: {WHOLE}}}\n")
    outcome = oneowner("watch", "--clusters", clusters, "--for", "1s")
    assert outcome.code == 3
    assert outcome.err.endswith("unknown: a: no record was read\n")


def test_finding_that_cannot_be_written_ends_the_watch_in_a_line() -> None:
    outcome = oneowner("watch", "--replay", BROKEN, "--json-lines", "/dev/full", "--quiet")
    assert outcome.code == 3
    assert "a finding or the checkpoint cannot be written: No space left" in outcome.err.splitlines()[-1]


def test_clusters_of_a_file_are_watched_together(tmp_path: Path) -> None:
    clusters, lines = tmp_path / "clusters.yaml", tmp_path / "found.jsonl"
    clusters.write_text(f"- {{name: a, replay: {BROKEN}}}\n- {{name: b, replay: {WHOLE}}}\n")
    outcome = oneowner("watch", "--clusters", clusters, "--json-lines", lines, "--checkpoint", tmp_path / "state")
    assert outcome.code == 1
    assert [json.loads(line)["cluster"] for line in lines.read_text().splitlines()] == ["a"] * 4
    assert f"violation overlapping-owners a {BROKEN}:20" in outcome.out
    again = oneowner("watch", "--clusters", clusters, "--json-lines", lines, "--checkpoint", tmp_path / "state")
    assert (again.code, again.out) == (0, "")
    assert "a: watching" in again.err
    assert "continues behind its first 29 records" in again.err


def test_law_that_is_broken_in_a_growing_dump_is_told_within_five_seconds(tmp_path: Path) -> None:
    dumped, lines = tmp_path / "channel.jsonl", tmp_path / "found.jsonl"
    first, second = dump("0-8 Owned(1) v1", "0-8 Owned(1) v7")
    dumped.write_text(json.dumps(first) + "\n")
    terms = Terms(QUESTION, 0, None, [JsonLines(str(lines))])
    follower = Follower(Cluster("c", dump=str(dumped)), terms, watching.source_of, Readings())
    follower.step()
    assert lines.read_text() == ""
    published = now()
    with dumped.open("a") as file:
        print(json.dumps({**second, "publishTime": published}), file=file)
    while not lines.read_text():
        follower.step()
    follower.close()
    finding = json.loads(lines.read_text())
    assert finding["law"] == "version-chain"
    assert finding["told"] - published < 5_000


def test_lines_to_standard_output_leave_it_to_them() -> None:
    outcome = oneowner("watch", "--replay", BROKEN, "--json-lines", "-")
    assert [json.loads(line)["law"] for line in outcome.out.splitlines()] == ["overlapping-owners"] * 4
    assert "violation overlapping-owners" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "no source of its channel"),
        (("--replay", BROKEN, "--dump", BROKEN), "two places"),
        (("--replay", "none.jsonl"), "none.jsonl: no such file"),
        (("--dump", BROKEN, "--speed", "3"), "--speed requires --replay"),
        (("--replay", BROKEN, "--speed", "nan"), "--speed refused: nan"),
        (("--replay", BROKEN, "--speed", "inf"), "--speed refused: inf"),
        (("--service-url", "b1:6650"), "--service-url refused: b1:6650: The scheme part is missing"),
        (("--service-url", "pulsar://a:1", "--service-url", "pulsar://a:1"), "a cluster is named twice"),
        (("--service-url", "pulsar://a:1", "--service-url", "pulsar://b:1", "--name", "x"), "use --clusters FILE"),
        (("--replay", BROKEN, "--name", "a/b"), "has no slash"),
        (("--replay", BROKEN, "--on-finding", "no-such-program-here"), "no such program"),
        (("--replay", BROKEN, "--json-lines", "/no/such/file"), "cannot be written"),
        (("--replay", BROKEN, "--checkpoint", "/dev/null/x"), "--checkpoint /dev/null/x"),
        (("--service-url", "pulsar://a:1", "--auth-plugin", "kerberos"), "token and tls"),
        (("--replay", BROKEN, "--in-flight-limit", "1"), "duration refused"),
    ],
)
def test_what_cannot_be_watched_is_refused_in_a_line(arguments: tuple[object, ...], words: str) -> None:
    refused(oneowner("watch", *arguments), words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "no cluster in it"),
        ("- {name: a}", "clusters.yaml:1: a: no source of its channel"),
        ("- {name: a, service_url: x}", "no such key: service_url; did you mean service-url"),
        (f"- {{name: a, replay: {BROKEN}}}\n- {{name: a, replay: {BROKEN}}}", "clusters.yaml:2: name refused"),
        (f"- {{name: a, replay: {BROKEN}, topics: [x/y/z]}}", "--topic requires --admin-url"),
        (f"- {{name: a, replay: {BROKEN}, admin-url: 'http://b:1'}}", "requires a cluster, not a dump"),
    ],
)
def test_file_of_clusters_is_refused_by_line(text: str, words: str, tmp_path: Path) -> None:
    clusters = tmp_path / "clusters.yaml"
    clusters.write_text(text)
    refused(oneowner("watch", "--clusters", clusters), words)


def test_cluster_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel_reader, "PATIENCE", 2)
    monkeypatch.setattr(channel_reader, "TOLD_AFTER", 0.2)
    (port,) = free_ports(1)
    outcome = oneowner("watch", "--service-url", f"pulsar://127.0.0.1:{port}", "--for", "1s")
    assert outcome.code == 2
    waits, refuses = outcome.err.splitlines()
    assert waits == f"pulsar://127.0.0.1:{port}: no answer yet; it is waited for 2 s at most"
    assert refuses.startswith(f"error: pulsar://127.0.0.1:{port}: ")
    assert "is --service-url the address of a broker" in refuses


def test_one_of_several_that_is_not_there_holds_up_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "AGAIN", 0.1)
    clusters = tmp_path / "clusters.yaml"
    late = tmp_path / "late.jsonl"
    clusters.write_text(f"- {{name: a, replay: {late}}}\n- {{name: b, replay: {BROKEN}}}\n")
    begun = watching.source_of

    def appearing(cluster: Any, place: Any, *more: Any) -> Any:
        try:
            return begun(cluster, place, *more)
        finally:
            late.write_bytes(BROKEN.read_bytes())  # there the next time

    monkeypatch.setattr(watching, "source_of", appearing)
    outcome = oneowner("watch", "--clusters", clusters)
    assert outcome.code == 1
    assert "late.jsonl: no such file; it is tried again" in outcome.err
    assert "found by this watch: 8 violations" in outcome.err
