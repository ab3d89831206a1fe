"""A real dump, changed in one place: the expected findings were written first (``mutations.yaml``)."""

from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.recordings.judge import lone_dump
from oneowner.checkers.yaml_text import data_of
from tests.recordings.dumps import Json, Judged, audit, recorded, write
from tools.random_recordings.dump_changes import MUTATIONS

WRITTEN = data_of((Path(__file__).parent / "mutations.yaml").read_text(encoding="utf-8"))
CASES: list[Json] = WRITTEN["mutations"]

RUN = "split"
SIDE_ISSUES = ("note",)
"""Details that the contract leaves to the auditor are not pinned here."""


def assert_valid_with_the_races_of_the_recording(judged: Judged) -> None:
    expected = WRITTEN["unmutated"]
    assert (judged.verdict, judged.exit_code) == (expected["verdict"], expected["exit"])
    assert judged.json["reasons"] == []
    assert judged.findings("violation", "warning") == []
    assert judged.refused == [tuple(row) for row in expected["refused"]]


def assert_says(words: list[str], text: str) -> None:
    missing = [word for word in words if word not in text]
    assert not missing, f"{missing} not in: {text}"


def assert_finding(found: Json, expected: Json, file: Path) -> None:
    for key in ("law", "severity", "unit"):
        if key in expected:
            assert found[key] == expected[key]
    at = {"file": str(file), "line": expected["line"], "messageId": expected["messageId"]}
    assert {key: found["at"][key] for key in at} == at
    if "brokers" in expected:
        assert sorted(found["brokers"]) == expected["brokers"]
    assert_says(expected["words"], f"{found['why']}; {found['repair']}")


def assert_refusals(judged: Judged, more: list[list[str]]) -> None:
    usual = {messageId for messageId, _ in WRITTEN["unmutated"]["refused"]}
    news = [row for row in judged.json["refusals"] if row["messageId"] not in usual]
    assert len(judged.json["refusals"]) == len(usual) + len(more)
    for row, (message_id, rule, *words) in zip(news, more, strict=True):
        assert (row["messageId"], row["rule"]) == (message_id, rule)
        assert_says(words, row["why"])


@pytest.mark.parametrize("case", CASES, ids=[case["name"].replace(" ", "_") for case in CASES])
def test_mutation_is_judged_as_it_was_written_down(case: dict[str, Any], tmp_path: Path) -> None:
    messages = recorded(RUN)
    assert_valid_with_the_races_of_the_recording(audit(write(tmp_path / "whole" / "channel.jsonl", messages)))

    mutated = MUTATIONS[case["mutation"]](messages, **case["arguments"])
    assert mutated != messages
    assert messages == recorded(RUN), "a mutation leaves the dump alone"
    file = write(tmp_path / "mutated" / "channel.jsonl", mutated)
    judged = audit(file)

    assert (judged.verdict, judged.exit_code) == (case["verdict"], case["exit"])
    findings = [finding for finding in judged.json["findings"] if finding["severity"] not in SIDE_ISSUES]
    of_numbers = sorted({finding["law"] for finding in findings if finding["law"] in lone_dump.LAWS})
    assert of_numbers == case.get("numbers", [])  # the dump was altered, and it is noticed
    found = [finding for finding in findings if finding["law"] not in lone_dump.LAWS]
    for finding, expected in zip(found, case.get("findings", []), strict=True):
        assert_finding(finding, expected, file)
    assert_refusals(judged, case.get("refused_too", []))
    assert_says(case.get("reasons", []), "; ".join(judged.json["reasons"]))
    broken = sorted({finding["law"] for finding in found if finding["severity"] == "violation"})
    assert_says(broken, "; ".join(judged.json["reasons"]))


def test_mutations_break_every_law_of_a_channel_dump() -> None:
    broken = {finding.get("law") for case in CASES for finding in case.get("findings", [])}
    assert broken - {None} == {
        "tombstone-of-active", "version-chain", "overlapping-owners", "parent-revived", "split-tiles",
        "children-before-deleted", "given-back-by-force", "stuck-in-flight",
    }  # fmt: skip


def test_mutations_are_all_used() -> None:
    assert {case["mutation"] for case in CASES} == MUTATIONS.keys()
