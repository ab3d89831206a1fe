"""JUnit XML: valid by the schema that servers publish, green exactly if the exit code is 0."""

import io
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import xmlschema

from oneowner.checkers.report import junit
from oneowner.checkers.results import LawRow, Part, Result
from oneowner.checkers.verdict import Verdict
from tests.command_line import QUICK, REAL, oneowner
from tests.recordings.dumps import dump, write

pytestmark = pytest.mark.slow

VECTORS = Path(__file__).resolve().parents[1] / "vectors"

HOLDS, BROKEN, UNKNOWN = Verdict.VALID, Verdict.INVALID, Verdict.UNKNOWN


@cache
def schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(str(VECTORS / "junit-10.xsd"))


def parsed(text: str) -> ElementTree.Element:
    """Return a JUnit file, which is valid and whose counts are right."""
    schema().validate(text)
    root = ElementTree.fromstring(text)
    for element in (root, *root.iter("testsuite")):
        assert int(element.attrib["tests"]) == len(list(element.iter("testcase")))
        assert int(element.attrib["failures"]) == len(list(element.iter("failure")))
        assert int(element.attrib["errors"]) == len(list(element.iter("error")))
    return root


def junit_of(*arguments: object) -> ElementTree.Element:
    return parsed(oneowner(*arguments, "--junit", "-").out)


def tree_of(result: Result) -> ElementTree.Element:
    stream = io.StringIO()
    junit.write_to(stream, result)
    return parsed(stream.getvalue())


def ends(root: ElementTree.Element) -> dict[str, str]:
    """Return how every test case ended."""
    return {case.attrib["name"]: next((child.tag for child in case), "passed") for case in root.iter("testcase")}


def row(verdict: Verdict, exercised: int = 1, **more: Any) -> LawRow:
    return LawRow("some-law", "holds", Verdict.VALID, verdict, exercised, **more)


def audited(verdict: Verdict, *laws: LawRow, reasons: tuple[str, ...] = (), **more: Any) -> ElementTree.Element:
    part = Part("run", verdict, reasons, laws)
    return tree_of(Result("audit", verdict, list(reasons), laws=list(laws), parts=(part,), **more))


def test_law_that_holds_passes() -> None:
    assert ends(audited(HOLDS, row(HOLDS))) == {"some-law": "passed"}


def test_broken_law_fails_with_the_first_findings_and_their_number() -> None:
    finding = {"law": "some-law", "severity": "violation", "unit": "t/n/0x0_0x8", "why": "because",
               "at": {"file": "f", "line": 3, "messageId": "0:2", "time": 1}}  # fmt: skip
    root = audited(BROKEN, row(BROKEN), found=[(0, finding)] * 9)
    (failure,) = root.iter("failure")
    assert failure.attrib["message"] == "some-law is broken: 9 violations"
    assert (failure.text or "").split("\n")[1:] == ["f:3 (0:2): t/n/0x0_0x8: because"] * 5 + [
        "... and 4 more violations"
    ]


def test_unknown_law_is_an_error_with_its_reason() -> None:
    root = audited(UNKNOWN, row(UNKNOWN, 5, reason="damaged: broker logs"), reasons=("run: a log is cut",))
    (error,) = root.iter("error")
    assert error.attrib["message"] == "damaged: broker logs"


def test_law_without_occasion_is_skipped_and_hides_nothing() -> None:
    assert ends(audited(HOLDS, row(HOLDS), replace(row(UNKNOWN, 0), law="idle"))) == {
        "some-law": "passed",
        "idle": "skipped",
    }


def test_unknown_run_without_an_unknown_law_is_an_error_of_its_own() -> None:
    root = audited(UNKNOWN, row(UNKNOWN, 0), reasons=("run: no law was exercised",))
    assert ends(root) == {"some-law": "skipped", "verdict": "error"}
    (error,) = root.iter("error")
    assert "no law was exercised" in (error.text or "")


def test_violation_that_is_waived_fails_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "channel.jsonl", dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2", "0-8 Owned(2) v9 forced"))
    assert ends(junit_of("audit", path))["version-chain"] == "failure"
    waivers = tmp_path / "waivers.yaml"
    waivers.write_text("- {law: version-chain, unit: '*', reason: known, expires: 2027-01-01}\n")
    assert ends(junit_of("audit", path, "--waivers", waivers, "--today", "2026-11-22"))["version-chain"] == "passed"


def test_every_run_has_a_suite_of_its_own(tmp_path: Path) -> None:
    broken = write(
        tmp_path / "b" / "channel.jsonl", dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2", "0-8 Owned(2) v9 forced")
    ).parent
    root = junit_of("audit", REAL / "healthy", broken, "--engine", "inline")
    suites = {suite.attrib["name"]: suite.attrib["failures"] for suite in root.iter("testsuite")}
    assert suites == {str(broken): "1", str(REAL / "healthy"): "0"}


def test_text_that_xml_cannot_hold_is_replaced() -> None:
    part = Part("a\0b", UNKNOWN, ("\x1b[31m\ud800\ufffe & <x>",), ())
    (error,) = tree_of(Result("audit", UNKNOWN, [], parts=(part,))).iter("error")
    assert (error.text or "").endswith(r"\x1b[31m" "\ufffd\ufffd & <x>")


@pytest.mark.parametrize(
    "arguments",
    [
        ("audit", str(REAL / "zombie"), str(REAL / "healthy"), "--engine", "inline"),
        ("audit", str(REAL / "zk-partition-metadata"), "--engine", "inline"),
        ("timeline", str(REAL / "transfer"), "--engine", "inline"),
        ("explore", "expiry"),
        ("explore", "expiry", "--fault", "cleanup_without_health_check"),
        ("explore", "expiry", "--max-states", "20"),
        ("replay", str(QUICK.with_suffix(".yaml"))),
        ("replay", str(REAL / "healthy")),
        ("faults", "cleanup_without_health_check"),
        ("list", "laws"),
        ("export", "transfer-metadata-store", "--set", "unloads=0", "--to", "dot", "--out", "FOLDER"),
    ],
)
def test_junit_of_every_verb_is_green_exactly_if_the_exit_code_is_0(arguments: tuple[str, ...], tmp_path: Path) -> None:
    given = [str(tmp_path) if argument == "FOLDER" else argument for argument in arguments]
    target = tmp_path / "out.xml"
    code = oneowner(*given, "--junit", target).code
    root = parsed(target.read_text())
    assert len(list(root.iter("testcase"))) > 0
    assert (root.attrib["failures"] == root.attrib["errors"] == "0") == (code == 0)


def test_lemma_is_a_test_case() -> None:
    name = oneowner("list", "lemmas", "--json", "-").json["list"][0]["name"]
    assert ends(junit_of("prove", name)) == {name: "passed"}


def test_row_of_the_gate_is_a_test_case_that_fails_if_it_is_not_as_pinned() -> None:
    rows = [
        {"kind": "family", "name": "a", "expected": "valid", "verdict": "valid", "ok": True, "seconds": 1.5},
        {"kind": "run", "name": "b", "expected": "valid", "verdict": "not as pinned", "ok": False, "seconds": 0.0},
        {"kind": "engine", "name": "c", "expected": "valid", "verdict": "unknown", "ok": False, "seconds": 0.0},
    ]
    root = tree_of(Result("gate", BROKEN, ["run b: 3 events, 4 are pinned"], more={"rows": rows}))
    assert ends(root) == {"a": "passed", "b": "failure", "c": "error"}
    (failure,) = root.iter("failure")
    assert "3 events, 4 are pinned" in (failure.text or "")
    assert root.find("testsuite/testcase[@name='a']").attrib["time"] == "1.500"  # type: ignore[union-attr]
