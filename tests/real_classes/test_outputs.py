"""The outputs of ``conform`` and ``check-patch`` for build servers and code scanning."""

import io
import json
from typing import Any
from xml.etree import ElementTree

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.report import junit, sarif
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Verdict
from tests.real_classes.crafted import conformed, patched


def checks(result: Result) -> dict[str, str]:
    """Return how each check ends, by its kind and name."""
    stream = io.StringIO()
    junit.write_to(stream, result)
    cases = ElementTree.fromstring(stream.getvalue()).iter("testcase")
    return {
        f"{one.attrib['classname'].rpartition('.')[2]} {one.attrib['name']}": one[0].tag if len(one) else "passed"
        for one in cases
    }


def scanned(result: Result) -> list[dict[str, Any]]:
    stream = io.StringIO()
    sarif.write_to(stream, result)
    found: list[dict[str, Any]] = json.loads(stream.getvalue())["runs"][0]["results"]
    return found


def test_each_family_and_run_is_a_check() -> None:
    assert checks(conformed()) == {
        "walk removal": "passed", "walk transfer, brokers=2": "failure", "walk failure": "error",
        "saved run no_force/settles": "passed", "saved run words": "error", "saved run own.yaml": "failure",
    }  # fmt: skip


def test_each_defect_is_a_check_and_those_out_of_reach_are_skipped() -> None:
    assert checks(patched()) == {
        "walk removal": "passed", "defect replay_only_owned": "failure", "defect no_force": "error",
        "defect returned_unit_stays_fenced": "passed", "defect split_crash_overlaps": "skipped",
    }  # fmt: skip


@pytest.mark.parametrize("verb", ["conform", "check-patch"])
def test_classes_that_cannot_run_are_no_green_build(verb: str) -> None:
    result = Result(verb, Verdict.UNKNOWN, ["java is not on the path"], more={"walked": [], "defects": []})
    assert checks(result) == {"verdict verdict": "error"}


def test_code_scanning_has_a_rule_and_a_file_for_each_deviation() -> None:
    found = {one["message"]["text"].splitlines()[0]: one for one in scanned(conformed()) + scanned(patched())}
    places = {
        one["ruleId"]: one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in found.values()
    }
    assert set(places) == {"as-the-model", "replay_only_owned", "no_force"}
    gained = found["defect replay_only_owned: gained: Title of replay_only_owned."]
    assert gained["level"] == "error"
    walk = found["walk transfer, brokers=2: words."]
    (place,) = walk["locations"]
    assert (TOP / place["physicalLocation"]["artifactLocation"]["uri"]).is_file()
    assert (TOP / places["no_force"]).is_file()
    assert (TOP / places["replay_only_owned"]).is_file()
