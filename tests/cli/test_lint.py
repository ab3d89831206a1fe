"""The verb ``lint``: exit codes, output, and files that no broker would read."""

import json
from pathlib import Path

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.settings.lint import laws
from tests.command_line import VALIDATOR, oneowner, refused

SHIPPED = TOP / "tests" / "vectors" / "broker-4.0.6.conf"
NEVER = "loadBalancerBrokerThresholdShedderPercentage=100\n"


def conf(tmp_path: Path, text: str, name: str = "broker.conf") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="latin-1")
    return path


def test_exit_code_says_whether_there_is_a_finding(tmp_path: Path) -> None:
    assert oneowner("lint", SHIPPED).code == 0
    never, empty = conf(tmp_path, NEVER), conf(tmp_path, "", "empty.conf")
    outcome = oneowner("lint", never)
    assert outcome.code == 1
    assert (
        f"{never}:1: shedder-can-act: loadBalancerBrokerThresholdShedderPercentage=100: ThresholdShedder" in outcome.out
    )
    assert "  witness: a broker at 100% with 2 bundles of 100 MB/s, beside another at 0%" in outcome.out
    assert "  instead: loadBalancerBrokerThresholdShedderPercentage=10" in outcome.out
    assert oneowner("lint", empty).code == 3
    assert oneowner("lint", SHIPPED, never, empty).code == 1
    assert oneowner("lint", SHIPPED, empty).code == 3


def test_result_is_written_as_json_sarif_and_junit(tmp_path: Path) -> None:
    never, sarif, junit = conf(tmp_path, NEVER), tmp_path / "a.sarif", tmp_path / "a.xml"
    outcome = oneowner("lint", never, SHIPPED, "--json", "-", "--sarif", sarif, "--junit", junit)
    VALIDATOR.validate(outcome.json)
    (finding,) = outcome.json["findings"]
    assert finding["set"] == {"loadBalancerBrokerThresholdShedderPercentage": "10"}
    assert {row["law"] for row in outcome.json["laws"]} == {law.name for law in laws()}
    (result,) = json.loads(sarif.read_text())["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("shedder-can-act", "error")
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 1
    assert 'failures="1"' in junit.read_text()


@pytest.mark.parametrize("arguments", [(), ("none.conf",), ("tests",), ("/dev/null",)])
def test_what_is_no_file_is_refused(arguments: tuple[str, ...]) -> None:
    assert oneowner("lint", *arguments).code == 2


def test_release_that_is_not_known_is_refused_with_a_near_one() -> None:
    refused(oneowner("lint", SHIPPED, "--release", "4.0.x"), "no such release: 4.0.x", "4.0.6")


def test_control_characters_of_a_value_are_shown(tmp_path: Path) -> None:
    outcome = oneowner("lint", conf(tmp_path, "loadBalancerBrokerMaxTopics=1\x1b[2J\x07\n"))
    assert outcome.code == 1
    assert "\x1b" not in outcome.said
    assert "1\\x1b[2J\\x07: it is no int" in outcome.out


def test_zero_byte_is_refused_by_its_line(tmp_path: Path) -> None:
    refused(oneowner("lint", conf(tmp_path, "a=1\n\0")), "broker.conf:2: no broker.conf: it contains a zero byte")


def test_document_lists_every_law_with_what_it_says() -> None:
    text = (TOP / "docs" / "lint.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert rows == [f"| `{law.name}` | {law.statement} |" for law in laws()]
