"""A record that breaks a law of recordings and the law of states that agrees with it has one finding."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.recordings.fold.channel_laws import OVERLAPPING_OWNERS, TOMBSTONE_OF_ACTIVE
from oneowner.checkers.recordings.fold.runs import Options
from oneowner.checkers.recordings.judge import model_laws
from oneowner.checkers.recordings.judge.agreeing_laws import SAME, joined
from oneowner.checkers.recordings.judge.audit import audit
from oneowner.checkers.recordings.judge.judgement import Judgement
from oneowner.checkers.recordings.laws import registry
from oneowner.checkers.recordings.laws.registry import RECORDING_LAWS
from oneowner.checkers.recordings.read.events import NOWHERE, Finding, ModelStep, Origin, Position
from oneowner.checkers.report.cases import Case, Outcome, suites
from oneowner.checkers.results import Result
from oneowner.model.kernel.law import Severity
from oneowner.spec.channel.system import SYSTEM
from tests.command_line import VALIDATOR, oneowner
from tests.recordings.dumps import REAL

AT: Position = (0, 34, -1)
VIOLATION, WARNING, NOTE = Severity.VIOLATION, Severity.WARNING, Severity.NOTE


def of_recordings(
    law: str = TOMBSTONE_OF_ACTIVE.name, unit: str = "a", at: Position = AT, severity: Severity = VIOLATION
) -> Finding:
    return Finding(law, severity, unit, at, Origin(0, 0, 0), "0:34", 1, (), "deleted", None, None, law, "")


def of_states(
    law: str = TOMBSTONE_OF_ACTIVE.same_as, unit: str = "a", at: Position = AT, severity: Severity = NOTE
) -> Finding:
    return of_recordings(law, unit, at, severity)._replace(model=ModelStep(law, 36, "append(broker=b)", unit, "run"))


def shown(*found: Finding) -> list[tuple[str, str | None, str]]:
    """Return law, unit and law of states of the findings that are reported of one run."""
    return [(one.law, one.unit, one.model.law if one.model else "") for _, one in joined((0, one) for one in found)]


def audited(name: str) -> tuple[Result, Judgement, list[Mapping[str, Any]]]:
    result, judgement, _ = audit([str(REAL / name)], Options(), "inline", None)
    return result, judgement, list(result.findings)


def test_laws_that_agree_are_those_of_the_model() -> None:
    assert {TOMBSTONE_OF_ACTIVE.name, OVERLAPPING_OWNERS.name} <= SAME.keys()
    assert set(SAME.values()) <= SYSTEM.laws_by_name.keys()
    assert all(law.same_as in SYSTEM.laws_by_name for law in RECORDING_LAWS if law.same_as)


def test_table_of_the_readme_names_laws_of_both_kinds() -> None:
    text = (Path(registry.__file__).parent / "README.md").read_text(encoding="utf-8")
    assert f"Now there are {len(RECORDING_LAWS)} laws of recordings" in " ".join(text.split())
    table = text.partition("| law of recordings |")[2].partition("\n\n")[0].splitlines()[2:]
    of_recordings, of_states = {law.name for law in RECORDING_LAWS}, SYSTEM.laws_by_name.keys()
    rows = [[set(re.findall("`([^`]+)`", cell)) for cell in row.split("|")[1:3]] for row in table]
    assert len(rows) >= 10
    assert all(mine <= of_recordings and theirs <= of_states for mine, theirs in rows)
    assert all(any({law} <= mine and {same} <= theirs for mine, theirs in rows) for law, same in SAME.items())


@pytest.mark.parametrize("in_order", [True, False])
def test_record_that_breaks_both_laws_has_one_finding(in_order: bool) -> None:
    both = [of_recordings(), of_states()]
    (found,) = [one for _, one in joined((0, one) for one in (both if in_order else both[::-1]))]
    assert found == both[0]._replace(model=both[1].model)
    assert found.sentence == (
        "deleted; this breaks the law of states tombstone-safe, too: append(broker=b), step 36 of the run that explains"
        " the bundle"
    )


def test_record_that_breaks_a_law_beside_several_units_names_the_step_in_each_finding() -> None:
    law = OVERLAPPING_OWNERS
    assert shown(of_recordings(law.name), of_recordings(law.name), of_states(law.same_as)) == [
        (law.name, "a", law.same_as), (law.name, "a", law.same_as),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "other",
    [
        of_states(unit="b"),
        of_states(at=(0, 35, -1)),
        of_states(at=NOWHERE),
        of_states("no-overlapping-owners"),
        of_states(severity=VIOLATION)._replace(law="unregistered-owns-nothing"),
    ],
    ids=["unit", "record", "no record", "law", "law that agrees with none"],
)
def test_findings_that_differ_stay_two(other: Finding) -> None:
    assert [one for _, one in joined([(0, of_recordings()), (0, other)])] == [of_recordings(), other]


def test_findings_of_two_runs_stay_two() -> None:
    assert [*joined([(0, of_recordings()), (1, of_states())])] == [(0, of_recordings()), (1, of_states())]


@pytest.mark.parametrize(("severity", "number"), [(VIOLATION, 1), (WARNING, 2)])
def test_breach_that_the_law_of_states_takes_more_seriously_stays(severity: Severity, number: int) -> None:
    assert len(shown(of_recordings(severity=severity), of_states(severity=VIOLATION))) == number


def test_audit_reports_each_late_tombstone_once_with_a_step_that_can_be_saved(tmp_path: Path) -> None:
    _, judgement, found = audited("forced-free")
    late = [one for one in found if "tombstone" in one["law"]]
    assert [(one["law"], one["severity"], one["model"]["law"]) for one in late] == [
        ("tombstone-of-active", "violation", "tombstone-safe")
    ] * 4
    assert judgement.runs[0].explained is not None
    assert judgement.runs[0].explained["laws"]["tombstone-safe"] >= 4
    first, story = late[0], tmp_path / "story.yaml"
    command = first["model"]["save"].replace("FILE", str(story)).split()
    told = oneowner(*command[1:])
    assert told.out.count("breaks the law of states tombstone-safe, too") == 1
    assert f"expect: {{law: tombstone-safe, verdict: invalid, step: {first['model']['step']}}}" in story.read_text()


def test_text_prints_the_command_that_writes_the_run() -> None:
    printed = oneowner("audit", REAL / "split-crash", "--verbose")
    unit = "rig/a/0x80000000_0xc0000000"
    assert f"write that run: oneowner audit {REAL / 'split-crash'} --why --unit {unit} --save FILE" in printed.out


def test_child_of_a_split_and_its_record_are_named_and_the_parent_saves_the_run() -> None:
    _, _, found = audited("split-crash")
    (one,) = [one for one in found if "model" in one]
    assert (one["law"], one["unit"], one["at"]["messageId"]) == (
        "overlapping-owners", "rig/a/0x80000000_0xa0000000", "0:19",
    )  # fmt: skip
    assert one["model"]["unit"] == "rig/a/0x80000000_0xc0000000"


def test_both_laws_keep_their_rows_and_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_laws, "_why_noted", lambda *_: "")  # as if Pulsar kept all laws of states
    result, judgement, found = audited("forced-free")
    (run,) = judgement.runs
    laws = ("tombstone-of-active", "tombstone-safe")
    assert [row.verdict.value for row in run.laws if row.law in laws] == ["invalid", "invalid"]
    assert [run.tally.violations[law] for law in laws] == [4, 4]
    assert [one["law"] for one in found if one["law"] in laws] == ["tombstone-of-active"] * 4
    (suite,) = suites(result)
    cases = {case.name: case for case in suite.cases if case.name in laws}
    assert all(case.outcome == Outcome.FAILED and _number(case) == 4 for case in cases.values())
    assert {name: len(case.details) for name, case in cases.items()} == dict.fromkeys(laws, 4)


def _number(case: Case) -> int:
    return int(case.message.partition(": ")[2].split()[0])


def test_result_with_a_step_of_the_model_is_valid_by_the_schema() -> None:
    result = oneowner("audit", REAL / "forced-free", "--json", "-").json
    assert sum("model" in one for one in result["findings"]) == 4
    VALIDATOR.validate(result)
