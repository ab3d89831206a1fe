"""Replay: a step that is refused is explained, a scenario's expectations decide, and nothing is green by silence."""

import json
import re
from pathlib import Path

import pytest

from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.checkers.verdict import Verdict
from oneowner.spec.channel.registry import PROPERTIES
from tests.command_line import COUNTEREXAMPLES, QUICK, each_fourth, oneowner

SAVED = sorted(COUNTEREXAMPLES.glob("*/*.yaml"))

EXPIRY_STEPS = ["expire(broker=2)", "notice(observer=1, broker=2)", "override(broker=1, destination=1)"]
STEPS = [*EXPIRY_STEPS, "append(broker=1)", "consume(broker=1)", "open(broker=1)"]
"""Six steps to two servers: a unit that the leader gives away is still served by its owner (single-server-always)."""


def scenario(folder: Path, *steps: str, family: str = "expiry", more: str = "") -> Path:
    path = folder / "run.yaml"
    path.write_text(f"family: {family}\n{more}steps:\n" + "".join(f"  - {step}\n" for step in steps))
    return path


def line_of(path: Path, words: str) -> int:
    return next(number for number, line in enumerate(path.read_text().splitlines(), 1) if words in line)


@pytest.mark.sample(25)
@pytest.mark.parametrize("path", each_fourth(SAVED))
def test_saved_counterexample_is_reproduced_and_every_step_is_one_line_that_says_what_it_changes(
    path: Path, tmp_path: Path
) -> None:
    saved = read_scenario(path)
    expect = saved.expect
    assert expect is not None
    found = oneowner("replay", path, "--json", tmp_path / "result.json")
    result = json.loads((tmp_path / "result.json").read_text())
    assert (found.code, result["verdict"]) == (1, "invalid")
    (row,) = [row for row in result["laws"] if row["law"] == expect.law]
    assert row["verdict"] == "invalid"
    at = [finding["at"] for finding in result["findings"] if finding["law"] == expect.law]
    steps = line_of(path, "steps:")
    assert [(one["file"], one["line"]) for one in at] == [(str(path), steps + (expect.step or 0))]
    lines = [line for line in found.out.splitlines() if re.match(r" *[1-9]\d*  \w+\(", line)]
    assert len(lines) == len(saved.steps)
    for line, action in zip(lines, saved.steps, strict=True):
        name, _, changes = line.strip().partition("  ")[2].partition(")")
        assert name.startswith(action.name)
        assert changes.strip()
        assert not re.search(r"<\w+\.\w+:|\w\(\w+=", changes)  # no value as Python writes it


def test_replay_names_the_law_after_the_step_that_breaks_it() -> None:
    out = oneowner("replay", QUICK.with_suffix(".yaml")).out
    last = out.index("   5  override")
    assert out.index("broken: override-names-the-gone") > last
    assert out.rstrip().endswith("invalid")


def test_step_that_is_not_enabled_stops_with_its_guard_and_what_was_enabled(tmp_path: Path) -> None:
    path = scenario(tmp_path, "expire(broker=2)", "override(broker=1, destination=1)", "register(broker=2)")
    found = oneowner("replay", path, "--json", "-")
    assert (found.code, found.json["verdict"]) == (3, "unknown")
    (reason,) = found.json["reasons"]
    assert reason.startswith(f"{path}:4: ")
    assert "step 2 " in reason
    assert "override(broker=1, unit=1, destination=1)" in reason
    enabled = reason.rpartition("; enabled: ")[2]
    assert "notice(observer=1, broker=2)" in enabled
    assert "reestablish(broker=2)" in enabled
    assert "register(" not in enabled
    assert "override(" not in enabled
    assert re.search(r"it needs: \w+", reason)


def test_every_step_that_is_said_to_be_enabled_instead_is(tmp_path: Path) -> None:
    reason = oneowner("replay", scenario(tmp_path, "expire(broker=2)", "close(broker=2, number=1)"), "--json", "-")
    enabled = re.findall(r"\w+\([^)]*\)", reason.json["reasons"][0].rpartition("; enabled: ")[2])
    assert enabled
    for step in enabled:
        assert oneowner("replay", scenario(tmp_path, "expire(broker=2)", step)).code == 0, step


def test_step_after_the_refused_one_is_not_taken(tmp_path: Path) -> None:
    path = scenario(tmp_path, "expire(broker=2)", "close(broker=2, number=1)", "register(broker=2)")
    assert len(replay(read_scenario(path)).steps) == 1


def test_law_broken_before_a_refused_step_is_not_forgotten(tmp_path: Path) -> None:
    # The contract: several causes: 1 before 3.
    text = QUICK.with_suffix(".yaml").read_text()
    path = tmp_path / "run.yaml"
    path.write_text(re.sub(r"expect:.*\n", "", text) + "  - close(broker=2, number=1)\n")
    found = oneowner("replay", path, "--json", "-")
    assert "override-names-the-gone" in [row["law"] for row in found.json["findings"]]
    assert found.code == 1


@pytest.mark.parametrize(
    ("expect", "words"),
    [
        ("{law: override-names-the-gone, step: 4}", ["after step 4", "override-names-the-gone failed after step 5"]),
        ("{law: single-server, step: 5}", ["single-server", "override-names-the-gone failed after step 5"]),
        ("{law: single-server}", ["single-server", "override-names-the-gone failed after step 5"]),
        ("{law: override-names-the-gone, verdict: valid}", ["to hold", "override-names-the-gone failed after step 5"]),
        ("{verdict: valid}", ["every law", "override-names-the-gone failed after step 5"]),
        ("{verdict: invalid, step: 2}", ["after step 2", "override-names-the-gone failed after step 5"]),
    ],
)
def test_expectation_that_is_not_met_is_unknown_with_the_difference(
    tmp_path: Path, expect: str, words: list[str]
) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(re.sub(r"expect:.*", f"expect: {expect}", QUICK.with_suffix(".yaml").read_text()))
    found = oneowner("replay", path, "--json", "-")
    assert (found.code, found.json["verdict"]) == (3, "unknown")
    (reason,) = found.json["reasons"]
    assert str(path) in reason
    for word in words:
        assert word in reason


def test_expectation_that_a_law_fails_is_not_met_where_none_does(tmp_path: Path) -> None:
    found = oneowner("replay", scenario(tmp_path, "expire(broker=2)", more="expect: {law: single-server}\n"))
    assert found.code == 3
    assert "no law failed" in found.out


@pytest.mark.parametrize("expect", ["{law: override-names-the-gone}", "{verdict: invalid, step: 5}", "{step: 5}"])
def test_expectation_that_is_met_in_part_of_words_is_reproduced(tmp_path: Path, expect: str) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(re.sub(r"expect:.*", f"expect: {expect}", QUICK.with_suffix(".yaml").read_text()))
    assert oneowner("replay", path).code == 1


def test_expectation_that_a_law_holds_is_met_where_it_was_exercised(tmp_path: Path) -> None:
    path = scenario(tmp_path, *STEPS[:3], more="expect: {law: single-server, verdict: valid}\n")
    assert oneowner("replay", path).code == 0


def test_expectation_that_a_law_holds_is_unknown_where_it_was_never_exercised(tmp_path: Path) -> None:
    # The contract: a law that was never exercised is never green.
    path = scenario(tmp_path, "expire(broker=2)", more="expect: {law: override-names-the-gone, verdict: valid}\n")
    found = oneowner("replay", path, "--json", "-")
    (row,) = [row for row in found.json["laws"] if row["law"] == "override-names-the-gone"]
    assert (row["exercised"], row["verdict"]) == (0, "unknown")
    assert (found.code, found.json["verdict"]) == (3, "unknown")


def test_expectation_of_unknown_gives_a_reason(tmp_path: Path) -> None:
    path = scenario(tmp_path, "expire(broker=2)", more="expect: {verdict: unknown}\n")
    found = oneowner("replay", path, "--json", "-")
    assert found.code == 3
    assert found.json["reasons"]


def test_run_without_a_step_is_never_valid(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    for steps in ("steps: []", "steps:", "steps: ''", "steps: 0", "steps: false"):
        path.write_text(f"family: expiry\n{steps}\n")
        assert oneowner("replay", path).code in (2, 3), steps


def test_run_that_breaks_no_law_is_valid(tmp_path: Path) -> None:
    found = oneowner("replay", scenario(tmp_path, *STEPS[:3]), "--json", "-")
    assert (found.code, found.json["verdict"], found.json["reasons"]) == (0, "valid", [])
    assert found.json["stats"]["depth"] == 3


def test_run_to_a_documented_violation_does_not_contradict_itself(tmp_path: Path) -> None:
    # A verdict "valid" beside a law expected to be valid and found invalid would mislead every reader of the JSON.
    found = oneowner("replay", scenario(tmp_path, *STEPS), "--json", "-").json
    (row,) = [row for row in found["laws"] if row["law"] == "single-server-always"]
    assert (row["status"], row["verdict"]) == ("documented", "invalid")
    assert found["verdict"] == "valid"
    assert row["expected"] != "valid"


def test_run_whose_versions_run_out_is_never_valid(tmp_path: Path) -> None:
    # Two records after the assignment that is over (versions 1 and 2) need version 4.
    steps = ["transfer(broker=1, destination=2)", "append(broker=1)", "close(broker=1)", "append(broker=1)"]
    path = scenario(tmp_path, *steps, family="transfer-metadata-store", more="set: {versions: 3}\n")
    found = oneowner("replay", path)
    assert found.code in (1, 2, 3)
    assert str(path) in found.said
    path.write_text(path.read_text().replace("versions: 3", "versions: 4"))
    assert oneowner("replay", path).code == 0


def test_loop_that_does_not_lead_back_is_unknown(tmp_path: Path) -> None:
    found = oneowner("replay", scenario(tmp_path, *STEPS[:3], more="loop: 2\n"), "--json", "-")
    assert (found.code, found.json["verdict"]) == (3, "unknown")
    assert any("step 2" in reason for reason in found.json["reasons"])


def test_replay_judges_the_other_files_when_one_is_misspelt(tmp_path: Path) -> None:
    # An edited scenario with a typo is one clear line, and the rest of the input is still judged.
    bad = tmp_path / "bad.yaml"
    bad.write_text("family: expirie\nsteps: []\n")
    found = oneowner("replay", bad, QUICK.with_suffix(".yaml"))
    assert found.code == 2
    assert f"{bad}:1: " in found.err
    assert "broken: override-names-the-gone" in found.out


def test_replay_of_several_files_has_the_worst_verdict(tmp_path: Path) -> None:
    good, unmet = scenario(tmp_path, *STEPS[:3]), tmp_path / "unmet.yaml"
    unmet.write_text("family: expiry\nexpect: {law: single-server}\nsteps: ['expire(broker=2)']\n")
    assert oneowner("replay", good, unmet).code == 3
    found = oneowner("replay", good, unmet, QUICK.with_suffix(".yaml"), "--json", "-")
    assert (found.code, found.json["verdict"]) == (1, "invalid")
    assert len(found.json["reasons"]) == 2
    assert [row["law"] for row in found.json["laws"]] == [law.name for law in PROPERTIES]


def test_replay_keeps_a_state_more_than_steps_and_tells_what_changed() -> None:
    found = replay(read_scenario(QUICK.with_suffix(".yaml")))
    assert found.verdict is Verdict.INVALID
    assert len(found.states) == len(found.steps) + 1
    for step, before, after in zip(found.steps, found.states, found.states[1:], strict=False):
        assert step.changes
        assert list(step.changes) == list(before.differences(after))
