"""The verb ``explore`` for a decision: verdicts, the least input, refusals, the JSON."""

import pytest

from tests.command_line import VALIDATOR, oneowner, refused

NAME = "balancer/find-bundle"


def test_decision_is_valid_if_its_laws_are_as_pinned() -> None:
    found = oneowner("explore", NAME, "--json", "-")
    VALIDATOR.validate(found.json)
    assert (found.code, found.json["verdict"], found.json["reasons"]) == (0, "valid", [])
    assert found.json["inputs"] == 378
    assert found.json["counterexample"] == {
        "law": "found-bundle-includes-the-hash-always",
        "steps": ["find-bundle(namespace=(0, 4294967295), point=4294967295) = -1"],
        "scenario": None,
    }
    assert "the least input that breaks it" in found.err


def test_other_sizes_are_judged_without_pins() -> None:
    found = oneowner("explore", NAME, "--set", "hashes=3", "--set", "bundles=2", "--json", "-")
    assert (found.code, found.json["inputs"]) == (0, 24)


def test_law_without_an_occasion_is_unknown() -> None:
    found = oneowner("explore", "balancer/topic-count-equally-divide", "--set", "topics=1", "--json", "-")
    assert (found.code, found.json["verdict"]) == (3, "unknown")
    assert "topics-are-halved had no occasion" in found.json["reasons"]


@pytest.mark.parametrize("options", [("--walks", 300), ("--walks", 300, "--seed", 7), ("--max-states", 300)])
def test_inputs_that_are_not_all_leave_it_unknown(options: tuple[object, ...]) -> None:
    found, again = (oneowner("explore", NAME, *options, "--json", "-") for _ in range(2))
    VALIDATOR.validate(found.json)
    assert (found.code, found.json["inputs"]) == (3, 300)
    assert found.json["laws"] == again.json["laws"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("balancer/find-bundel",), "no such decision: balancer/find-bundel; did you mean balancer/find-bundle"),
        ((NAME, "--fault", "no_version_check"), "--fault refused"),
        ((NAME, "--release", "4.0.6"), "--release refused"),
        ((NAME, "--continue"), "--continue refused"),
        ((NAME, "--law", "parts-fit"), "no such law: parts-fit"),
        ((NAME, "--set", "topics=2"), "no such bound: topics"),
        ((NAME, "--set", "hashes=0"), "bound refused: hashes=0"),
        ((NAME, "--seed", "2"), "--seed requires --walks N"),
        ((NAME, "--walks", "2", "--max-states", "2"), "--walks and --max-states exclude each other"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: tuple[str, ...], words: str) -> None:
    refused(oneowner("explore", *arguments), words)


def test_page_and_reports_are_written(tmp_path: object) -> None:
    found = oneowner("explore", NAME, "--html", f"{tmp_path}/page.html", "--junit", f"{tmp_path}/j.xml",
                     "--sarif", f"{tmp_path}/s.sarif")  # fmt: skip
    assert found.code == 0


def test_decisions_are_listed_with_their_laws() -> None:
    found = oneowner("list", "decisions", "--json", "-")
    assert NAME in {row["name"] for row in found.json["list"]}
    laws = {row["name"]: row["about"] for row in oneowner("list", "laws", "--json", "-").json["list"]}
    assert laws["parts-are-full"].startswith("Of decisions: ")
