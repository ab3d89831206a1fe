"""The verb ``bugs``: exit codes, output, any layout, and inputs that are no text."""

import io
import json
import sys
from pathlib import Path

import pytest

from tests.command_line import VALIDATOR, oneowner, refused

SPLIT = (
    "2024-05-01T12:56:26,945+0000 [pulsar-load-manager-1-1] WARN  org.apache.pulsar.broker.loadbalance.extensions."
    "strategy.DefaultNamespaceBundleSplitStrategyImpl - Can't split broker:shop/cart/0x80000000_0xc0000000. The size of"
    " split boundaries is not 1. splitBoundary:[2684354560, 2952790016]"
)
TIME, LOGGER, MESSAGE = SPLIT[:28], SPLIT.split()[3], SPLIT.partition(" - ")[2]


def pasted(tmp_path: Path, text: str, name: str = "paste.txt") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


LAYOUTS = {
    "as it is": SPLIT,
    "message alone": MESSAGE,
    "without a date": SPLIT.replace(TIME, "12:56:26.945"),
    "without a zone": SPLIT.replace(TIME, "2024-05-01 12:56:26.945"),
    "abbreviated": SPLIT.replace(LOGGER, "o.a.p.b.l.e.s.DefaultNamespaceBundleSplitStrategyImpl"),
    "class and line": SPLIT.replace("pulsar-load-manager-1-1", f"main:{LOGGER}@257"),
    "quoted": "\n".join(f"> > {SPLIT[at : at + 72]}" for at in range(0, len(SPLIT), 72)),
    "wrapped": "\n".join(SPLIT[at : at + 80] for at in range(0, len(SPLIT), 80)),
    "container": f"pulsar-broker {SPLIT}",
    "kubectl": f"[pod/pulsar-broker-0/pulsar-broker] {SPLIT}",
    "compose": f"broker-1  | {SPLIT}",
    "journald": f"Mai 01 12:56:26 mq-3 pulsar[2794]: {SPLIT}".replace("Mai", "May"),
    "containerd": f"2024-05-01T12:56:26.945123456Z stdout F {SPLIT}",
    "docker": json.dumps({"log": SPLIT + "\n", "stream": "stdout", "time": "2024-05-01T12:56:26.945Z"}),
    "json": json.dumps({"@timestamp": "2024-05-01T12:56:26.945Z", "severity": "WARN", "logger_name": LOGGER,
                        "thread_name": "pulsar-load-manager-1-1", "message": MESSAGE}),
    "log4j json": json.dumps({"instant": {"epochSecond": 1714568186, "nanoOfSecond": 945000000}, "level": "WARN",
                              "loggerName": LOGGER, "message": MESSAGE, "endOfBatch": False}),
    "coloured": f"\x1b[33m{SPLIT}\x1b[0m",
    "numbered": f"1714: {SPLIT}",
    "windows": SPLIT + "\r\n",
    "in a report": f"Hello,\nwe see this since yesterday:\n\n```\n{SPLIT}\n```\nAny idea?\n",
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_line_in_any_layout_finds_its_bug(layout: str, tmp_path: Path) -> None:
    outcome = oneowner("bugs", "--like", pasted(tmp_path, LAYOUTS[layout]), "--json", "-")
    VALIDATOR.validate(outcome.json)
    (found,) = outcome.json["bugs"]
    assert (found["name"], outcome.code) == ("split_boundaries_not_one", 0)
    assert "shop/cart/0x80000000_0xc0000000" in found["why"]


def test_answer_names_lines_releases_and_advice(tmp_path: Path) -> None:
    path = pasted(tmp_path, f"{SPLIT}\n", "broker.log")
    out = oneowner("bugs", "--like", path, "--release", "3.2.0").out
    assert f"{path}:1: {SPLIT[:100]}" in out
    assert "apache/pulsar#22254" in out
    assert "3.2.0 has it" in out
    assert "how sure:  certain" in out
    assert "do now:" in out
    assert "to decide:" in out


def test_bug_that_the_release_does_not_have_is_ruled_out(tmp_path: Path) -> None:
    line = "WARN ThresholdShedder - average max resource usage is 0"
    outcome = oneowner("bugs", "--like", pasted(tmp_path, line), "--release", "4.0.6")
    assert outcome.code == 3
    assert "ruled out: The leader considers every broker idle" in outcome.out
    assert "fixed in 2.8.4, 2.9.3, 2.10.1" in outcome.out


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SPLIT.encode())))
    from oneowner.checkers.bugs.answer import look

    assert [one.bug.name for one in look("-").suspects] == ["split_boundaries_not_one"]


def test_folder_is_read_file_by_file_and_what_is_no_text_is_named(tmp_path: Path) -> None:
    pasted(tmp_path, SPLIT, "broker.log")
    (tmp_path / "screenshot").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\r")
    outcome = oneowner("bugs", "--like", tmp_path)
    assert outcome.code == 0
    assert "not read: screenshot: not a text" in outcome.out


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("22414:M 11 Oct 2022 01:21:30.385 # I have keys for slot 16377, but the slot is assigned to another node.",
         "not about ownership: it is about Redis", 0),
        ("2024-01-01 10:00:00,000 ERROR [KafkaServer id=1] Fatal error (kafka.server.KafkaServer)",
         "not about ownership: it is about Kafka", 0),
        ("2024-01-01T10:00:00,000+0000 [io] ERROR org.apache.bookkeeper.client.PendingAddOp - Not enough bookies",
         "not about ownership: it is about BookKeeper", 0),
        ("2024-02-21 06:09:29.932 WARN  [139] ClientConnection:1730 | Received error response from server: Retryable "
         "(Namespace bundle for topic (persistent://shop/cart/a) not served by this instance:mq-1:8080.",
         "a client's log: collect the brokers' whole logs of 2024-02-21 06:07 UTC to 2024-02-21 06:11 UTC", 3),
        ("loadBalancerEnabled=true\nloadManagerClassName=org.example.A\n",
         "no log: another verb reads this", 3),
        ("pulsar://b1.example.org:6650\n", "no log: one broker's answer about owners", 3),
        ("asdf qwer\nzxcv\n", "nothing is recognised", 3),
    ],
)  # fmt: skip
def test_text_without_a_bug_is_named_or_more_is_asked_for(text: str, line: str, code: int, tmp_path: Path) -> None:
    outcome = oneowner("bugs", "--like", pasted(tmp_path, text))
    assert line in outcome.out
    assert outcome.code == code
    assert code == 0 or "collect" in outcome.out


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    picture = tmp_path / "a.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\r")
    refused(oneowner("bugs", "--like", picture), "not a text")
    refused(oneowner("bugs", "--like", pasted(tmp_path, "")), "empty; give a log")
    refused(oneowner("bugs", "--like", tmp_path / "none.log"), "no such file or folder")
    refused(oneowner("bugs", "--like", pasted(tmp_path, SPLIT), "--release", "four"), "no such release: four")
    refused(oneowner("bugs", "--like", pasted(tmp_path, SPLIT), "--symptom", "x"), "--symptom refused")
    broken = tmp_path / "b.log.gz"
    broken.write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\x03broken")
    refused(oneowner("bugs", "--like", broken), "gzip")


def test_catalogue_is_searched_by_release_words_class_and_number() -> None:
    names = oneowner("bugs", "--json", "-").json["bugs"]
    assert len(names) > 10
    found = oneowner("bugs", "--symptom", "already locked", "--class", "ExtensibleLoadManagerImpl", "--json", "-").json
    assert [one["name"] for one in found["bugs"]] == ["registration_is_locked"]
    old = oneowner("bugs", "--release", "2.9.2", "--json", "-").json["bugs"]
    assert "leader_is_forgotten" in [one["name"] for one in old]
    assert "registration_is_locked" not in [one["name"] for one in old]
    out = oneowner("bugs", "#25031").out
    assert "split_of_the_split" in out
    assert "OwnershipCache: Successfully acquired ownership of" in out
    refused(oneowner("bugs", "split_of_a_split"), "no such bug: split_of_a_split; did you mean split_of_the_split")
    assert oneowner("bugs", "--symptom", "no such words").code == 3
