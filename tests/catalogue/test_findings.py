"""Findings: each scenario breaks its law, each label leads to one finding, and a file that does not fit is refused."""

import re
from pathlib import Path

import pytest

from oneowner.checkers.catalogue import families
from oneowner.checkers.catalogue.affected import affected_releases
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.catalogue.finding import FOLDERS, Finding
from oneowner.checkers.catalogue.findings import UPSTREAM, defects, finding_files, findings
from oneowner.checkers.catalogue.upstream import findings_named
from oneowner.checkers.documents import read_document
from oneowner.checkers.lab.drive.by_release import RELEASES
from oneowner.checkers.places import TOP
from oneowner.checkers.scenarios.scenario import Scenario, read_scenario
from oneowner.checkers.verdict import Misuse
from tests.command_line import oneowner

each = pytest.mark.parametrize("finding", findings().values(), ids=lambda one: one.name)


def named(scenario: str) -> Scenario:
    paths = [TOP / "traces" / folder / f"{scenario}.yaml" for folder in FOLDERS]
    return read_scenario(next(path for path in paths if path.exists()))


@each
def test_scenario_breaks_the_law_in_the_family_with_the_fault_of_its_name_alone(finding: Finding) -> None:
    if finding.scenario is None:
        assert finding.not_modelled
        return
    scenario = read_scenario(finding.scenario)
    assert scenario.expect is not None
    assert (scenario.expect.law, scenario.expect.verdict.value) == (finding.law, "invalid")
    assert scenario.family == finding.family
    assert set(scenario.faults) <= {finding.name}
    assert finding.steps == len(scenario.steps)


@each
def test_computed_releases_are_those_of_the_shortest_run(finding: Finding) -> None:
    if finding.defect is not None:
        assert finding.defect.steps == finding.steps
        assert finding.name in defects()
        assert bool(finding.defect.rules or finding.defect.repaired) == (finding.name in families.faults())


@each
def test_further_scenarios_break_a_law_and_trials_are_on_releases_of_the_lab(finding: Finding) -> None:
    for name in finding.also:
        found = named(name).expect
        assert found is not None
        assert found.verdict.value == "invalid", name
    assert {*finding.trials, *finding.explained} <= set(RELEASES)


def test_every_candidate_and_every_label_of_the_recordings_leads_to_a_finding() -> None:
    for label in [*(f"candidate {number}" for number in range(1, 18)), *(f"run.G{number}" for number in range(1, 13))]:
        assert label in findings_named(label)[0].aliases
    records = {row.record for row in families.faults().values() if row.record.startswith("run.")}
    assert records <= {label for one in findings().values() for label in one.aliases}


def test_list_prints_one_line_each_and_everything_about_a_named_one() -> None:
    listed = oneowner("list", "findings", "--json", "-").json["list"]
    assert [row["name"] for row in listed] == list(findings())
    (whole,) = oneowner("list", "findings", "candidate 6", "--json", "-").json["list"]
    assert whole["name"] == "split_crash_overlaps"
    assert whole["parts"]["law"] == "`no-overlapping-owners`, in the family `split-crash`"
    assert "4.2.4" in whole["parts"]["seen on"]


STATED = """\
title: A bundle has no owner
law: one-owner
family: transfer
scenario: transfer-given-back/owner-can-serve
status: unreported
happens: Nobody owns it.
"""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("families", "faults.yaml", "variants.yaml"):
        (tmp_path / "channel").mkdir(exist_ok=True)
        (tmp_path / "channel" / name).symlink_to(families.SPEC / "channel" / name)
    (tmp_path / "findings").mkdir()
    monkeypatch.setattr(families, "SPEC", tmp_path)
    return tmp_path / "findings"


def test_finding_that_is_no_fault_turns_no_switch_and_is_no_defect_once_it_is_withdrawn(spec: Path) -> None:
    assert defects() == families.faults()
    (spec / "no_owner.yaml").write_text(f"{STATED}holds: before 3.0.6\n")
    assert findings()["no_owner"].title == "A bundle has no owner"
    added = defects()["no_owner"]
    assert isinstance(added, Fault)
    assert (added.rules, added.repaired, added.upstream) == ({}, {}, "no report found")
    assert "3.0.5" not in affected_releases(added)
    assert "3.0.6" in affected_releases(added)
    (spec / "no_owner.yaml").write_text(STATED.replace("unreported", "withdrawn\nissues: [1]"))
    assert defects() == families.faults()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (STATED.replace("one-owner", "one-ower"), "no_owner.yaml:2: no such law: one-ower; did you mean one-owner"),
        (STATED.replace("family: transfer", "family: transfr"), "yaml:3: no such family: transfr"),
        (STATED.replace("owner-can-serve", "owner-can"), "yaml:4: no such scenario: transfer-given-back/owner-can;"),
        (STATED.replace("unreported", "reported"), "yaml:5: status refused: reported; a defect has issues unless"),
        (STATED.replace("unreported", "open"), "yaml:5: no such status: open"),
        (STATED + "issues: [0]\n", "yaml:7: issues refused: 0"),
        (STATED + "holds: before 9.9.9\n", "yaml:7: no such release: 9.9.9"),
        (STATED + "severity: high\n", "yaml:7: no such key: severity"),
        (
            STATED + "recordings: [no-such]\n",
            "yaml:7: recordings refused: no-such; there is no such file in traces",
        ),
        (STATED + "report: no-such.md\n", "yaml:7: report refused: no-such.md; there is no such file in docs/upstream"),
        (STATED + "also: {transfer/none: it}\n", "yaml:7: no such scenario: transfer/none"),
        (STATED + "repair: {rules: [no_such], effect: it}\n", "yaml:7: no such rule: no_such"),
        (STATED + "system: chanel\n", "yaml:7: no such system: chanel"),
        (STATED.replace("happens", "# happens"), "yaml:1: the key happens is missing"),
        ("- title\n", "yaml:1: no_owner.yaml refused: .*it is a mapping"),
    ],
)
def test_file_that_does_not_fit_is_refused_by_its_line(spec: Path, text: str, words: str) -> None:
    (spec / "no_owner.yaml").write_text(text)
    with pytest.raises(Misuse, match=words):
        findings()


def test_label_and_place_belong_to_one_finding(spec: Path) -> None:
    (spec / "first.yaml").write_text(f"{STATED}aliases: [candidate 99]\nfront_page: 1\n")
    for line, taken in (("aliases: [candidate 99]", "candidate 99"), ("front_page: 1", "front_page 1")):
        (spec / "second.yaml").write_text(f"{STATED}{line}\n")
        with pytest.raises(Misuse, match=f"second refused: first has {taken} already"):
            findings()


def test_finding_of_a_fault_repeats_nothing_of_its_row(spec: Path) -> None:
    (spec / "no_version_check.yaml").write_text("status: fixed\nissues: [19620]\nhappens: It is torn down.\n")
    assert findings()["no_version_check"].title == families.faults()["no_version_check"].title
    (spec / "no_version_check.yaml").write_text(STATED)
    with pytest.raises(Misuse, match="yaml:1: no such key: title"):
        findings()


def test_every_file_of_the_folder_is_a_finding() -> None:
    known_upstream = {path.stem for path in finding_files() if UPSTREAM in read_document(path).data}
    assert [path.stem for path in finding_files() if path.stem not in known_upstream] == list(findings())
    assert known_upstream


def test_no_text_of_the_spec_ends_at_an_issue_that_yaml_takes_for_a_comment() -> None:
    cut = re.compile(r"^\s*(?:- )?\w+: [^\"'>|\[{#].* #\d", re.MULTILINE)
    files = [*(TOP / "oneowner").rglob("*.yaml")]
    assert files
    assert [path.name for path in files if cut.search(path.read_text("utf-8"))] == []
