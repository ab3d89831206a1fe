"""SARIF: valid by the schema, a result per finding, evidence as code flows in time order, within GitHub's limits."""

import hashlib
import io
import json
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from oneowner.checkers.report import sarif
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Verdict
from tests.command_line import QUICK, REAL, oneowner
from tests.recordings.dumps import dump, write

pytestmark = pytest.mark.slow

VECTORS = Path(__file__).resolve().parents[1] / "vectors"

BROKEN = ("0-8 Assigning(1) v1", "0-8 Owned(1) v2", "0-8 Owned(2, from 1) v7 forced")


@cache
def validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads((VECTORS / "sarif-schema-2.1.0.json").read_text()))


def sarif_of(*arguments: object) -> dict[str, Any]:
    """Return the one run of the SARIF file that a verb writes; it is valid."""
    document: dict[str, Any] = oneowner(*arguments, "--sarif", "-").json
    validator().validate(document)
    (run,) = document["runs"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["locations"], "GitHub takes no result without a place"
    return dict(run)


def finding(number: int = 0, severity: str = "violation", **more: Any) -> dict[str, Any]:
    return {
        "law": "version-chain", "severity": severity, "unit": "t/n/0x00000000_0x80000000",
        "at": {"file": "channel.jsonl", "line": number + 1, "messageId": f"0:{number}", "time": number},
        "brokers": [], "why": f"number {number}", "held": None, "proposed": None, "guard": "g", "repair": "", **more,
    }  # fmt: skip


def log_of(findings: list[dict[str, Any]], **limits: int) -> dict[str, Any]:
    stream = io.StringIO()
    sarif.write_to(stream, Result("audit", Verdict.INVALID, ["broken"], findings=findings), **limits)
    document = json.loads(stream.getvalue())
    validator().validate(document)
    return dict(document["runs"][0])


@pytest.mark.parametrize("run", ["zombie", "kill-owner"])
def test_sarif_of_a_recording_has_every_finding(run: str) -> None:
    found = sarif_of("audit", REAL / run, "--engine", "inline")
    there = oneowner("audit", REAL / run, "--engine", "inline", "--json", "-").json["findings"]
    assert len(there) > 0
    kinds = sorted((one["law"], {"violation": "error"}.get(one["severity"], one["severity"])) for one in there)
    assert sorted((one["ruleId"], one["level"]) for one in found["results"]) == kinds


def test_sarif_has_a_rule_for_every_law_with_its_statement() -> None:
    path = REAL / "transfer" / "channel.jsonl.gz"
    rules = {rule["id"]: rule for rule in sarif_of("audit", path)["tool"]["driver"]["rules"]}
    laws = oneowner("audit", path, "--json", "-").json["laws"]
    assert {row["law"] for row in laws} <= set(rules)
    sentence = "A record that replaces another one carries the next version."
    assert rules["version-chain"]["shortDescription"]["text"] == sentence


def test_places_in_compressed_files_say_what_stands_there() -> None:
    """No viewer opens a line of a .gz: its snippet is shown, and the artifact states the unit of its line numbers."""
    cites = [
        {"file": f"logs/b1.log{packed}", "line": 7, "messageId": None, "time": 5, "text": "it is said"}
        for packed in (".gz", "", ".zst")
    ]
    record = {"state": "Owned", "versionId": 3}
    at = {"file": "channel.jsonl.gz", "line": 3, "messageId": "0:2", "time": 4}
    run = log_of(
        [finding(at=at, proposed=record, evidence=cites), finding(at={**cites[0], "text": ""}, evidence=cites)]
    )
    first, second = run["results"]
    packed, plain, other = (
        step["location"]["physicalLocation"] for step in first["codeFlows"][0]["threadFlows"][0]["locations"]
    )
    assert packed["region"] == other["region"] == {"startLine": 7, "snippet": {"text": "it is said"}}
    assert plain == {"artifactLocation": {"uri": "logs/b1.log"}, "region": {"startLine": 7}}
    place = first["locations"][0]["physicalLocation"]
    snippet = json.loads(place["region"]["snippet"]["text"])
    assert snippet == {"messageId": "0:2", "key": finding()["unit"], "value": record}
    assert second["locations"][0]["physicalLocation"] == packed, "what it cites there"
    for one in (packed, other, place):
        artifact = run["artifacts"][one["artifactLocation"]["index"]]
        assert artifact["location"]["uri"] == one["artifactLocation"]["uri"]
        assert artifact["mimeType"] in ("application/gzip", "application/zstd")
    assert len(run["artifacts"]) == 3


def test_files_that_are_not_compressed_need_no_artifact() -> None:
    assert "artifacts" not in log_of([finding()])


def test_violation_is_an_error_at_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "channel.jsonl", dump(*BROKEN))
    run = sarif_of("audit", path)
    (result,) = [one for one in run["results"] if one["level"] == "error"]
    assert result["ruleId"] == "version-chain"
    place = result["locations"][0]
    assert place["physicalLocation"] == {"artifactLocation": {"uri": path.as_uri()}, "region": {"startLine": 3}}
    assert place["logicalLocations"][0]["fullyQualifiedName"] == "tenant/ns/0x00000000_0x80000000"
    assert run["invocations"] == [
        {
            "executionSuccessful": True,
            "exitCode": 1,
            "toolExecutionNotifications": [{"level": "warning", "message": {"text": f"{path}: broken: version-chain"}}],
        }
    ]


def test_unreadable_dump_is_no_successful_execution(tmp_path: Path) -> None:
    path = write(tmp_path / "channel.jsonl", dump(*BROKEN))
    path.write_text(path.read_text() + "no json\n")
    assert sarif_of("audit", path)["invocations"][0]["executionSuccessful"] is False


def test_evidence_is_a_code_flow_in_time_order() -> None:
    lines = [{"file": "b.log", "line": n, "messageId": None, "time": time, "text": f"at {time}"}
             for n, time in enumerate((30, 10, 20), 1)]  # fmt: skip
    run = log_of([finding(evidence=lines)])
    steps = run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps] == [2, 3, 1]
    assert [step["executionOrder"] for step in steps] == [1, 2, 3]
    assert steps[0]["location"]["message"]["text"].endswith("at 10")


def test_evidence_of_real_findings_goes_forward_in_time() -> None:
    flows = [one["codeFlows"] for one in sarif_of("audit", REAL / "zombie")["results"] if "codeFlows" in one]
    assert flows
    for flow in flows:
        texts = [step["location"]["message"]["text"][:24] for step in flow[0]["threadFlows"][0]["locations"]]
        assert texts == sorted(texts)


def test_long_evidence_keeps_both_ends() -> None:
    lines = [{"file": "b.log", "line": n, "messageId": None, "time": n, "text": ""} for n in range(1, 3001)]
    steps = log_of([finding(evidence=lines)])["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert len(steps) == 1000
    assert [steps[n]["location"]["physicalLocation"]["region"]["startLine"] for n in (0, -1)] == [1, 3000]


def test_fingerprint_stays_when_the_line_moves_and_differs_between_findings() -> None:
    moved = finding(1) | {"at": finding(1)["at"] | {"line": 77, "file": "elsewhere/channel.jsonl"}}
    prints = [one["partialFingerprints"] for one in log_of([finding(1), finding(2), moved])["results"]]
    assert prints[0] == prints[2] != prints[1]


def test_upstream_issue_is_the_rules_help() -> None:
    run = log_of([finding(), finding(1, upstream="looks like #25379, fixed in 4.0.7")])
    assert run["tool"]["driver"]["rules"][0]["helpUri"] == "https://github.com/apache/pulsar/issues/25379"


def test_waived_violation_is_suppressed_with_its_reason() -> None:
    run = log_of([finding(waived={"reason": "known", "expires": "2027-01-31"})])
    (suppression,) = run["results"][0]["suppressions"]
    assert suppression == {"kind": "external", "status": "accepted", "justification": "known (until 2027-01-31)"}


def test_beyond_the_limit_the_least_severe_are_left_out_and_it_says_so() -> None:
    findings = [finding(n, "note") for n in range(30)] + [finding(30, "warning"), finding(31), finding(32)]
    run = log_of(findings, most=10)
    assert [one["level"] for one in run["results"]] == ["error", "error", "warning", *["note"] * 7]
    assert [one["message"]["text"] for one in run["results"][3:5]] == [
        "t/n/0x00000000_0x80000000: number 0.",
        "t/n/0x00000000_0x80000000: number 1.",
    ]
    texts = [one["message"]["text"] for one in run["invocations"][0]["toolExecutionNotifications"]]
    assert any("23 of 33 findings (2 violations, 1 warnings, 30 notes) are omitted" in words for words in texts)


def test_github_limits_hold_for_a_hundred_thousand_findings() -> None:
    stream = io.StringIO()
    findings = (finding(n, "note") for n in range(100_000))
    sarif.write_to(stream, Result("audit", Verdict.VALID, [], findings=list(findings)))
    text = stream.getvalue()
    assert len(json.loads(text)["runs"][0]["results"]) == 25_000
    assert len(zlib.compress(text.encode())) < 10_000_000


def test_size_limit_holds_too() -> None:
    texts = [hashlib.sha256(b"%d" % number).hexdigest() for number in range(100)]  # hard to compress
    findings = [finding(n, "violation" if n == 99 else "note", repair=text) for n, text in enumerate(texts)]
    run = log_of(findings, most_bytes=6000)
    assert 1 < len(run["results"]) < 100
    assert run["results"][0]["level"] == "error"
    stream = io.StringIO()
    sarif.write_to(stream, Result("audit", Verdict.INVALID, [], findings=findings), most_bytes=6000)
    assert len(zlib.compress(stream.getvalue().encode())) <= 6000


@pytest.mark.parametrize(
    "arguments",
    [
        ("explore", "expiry", "--fault", "cleanup_without_health_check"),
        ("explore", "expiry", "--max-states", "20"),
        ("replay", str(QUICK.with_suffix(".yaml"))),
        ("replay", str(REAL / "healthy")),
        ("timeline", str(REAL / "transfer"), "--engine", "inline"),
        ("faults", "cleanup_without_health_check"),
        ("prove", "legal-move-total"),
        ("list",),
    ],
)
def test_every_verb_writes_valid_sarif(arguments: tuple[str, ...]) -> None:
    if arguments[0] == "prove":
        name = oneowner("list", "lemmas", "--json", "-").json["list"][0]["name"]
        arguments = ("prove", name)
    run = sarif_of(*arguments)
    assert run["invocations"][0]["exitCode"] == oneowner(*arguments, "--quiet").code


def test_counterexample_is_a_result_with_its_steps() -> None:
    results = sarif_of("explore", "expiry", "--fault", "cleanup_without_health_check")["results"]
    assert [result["ruleId"] for result in results] == ["orphans-are-taken", "override-names-the-gone"]
    assert results[1]["message"]["text"].splitlines()[1:] == [
        "expire(broker=2)", "reestablish(broker=2)", "notice(observer=1, broker=2)", "register(broker=2)",
        "override(broker=1, unit=1, destination=1)",
    ]  # fmt: skip
