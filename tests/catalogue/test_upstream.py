"""Upstream numbers as names of faults and findings, and the order of bugs by harm."""

import pytest

from oneowner.checkers.catalogue.families import catalogue
from oneowner.checkers.catalogue.faults import Unkilled
from oneowner.checkers.catalogue.findings import defects, findings
from oneowner.checkers.catalogue.harm import LEAST, by_harm, harm_of
from oneowner.checkers.catalogue.upstream import findings_named, repairable_name, rows_named, switching_name
from oneowner.checkers.verdict import Misuse
from tests.command_line import VALIDATOR, oneowner, refused


@pytest.mark.parametrize(
    "name",
    ["19620", "#19620", "apache/pulsar#19620", "https://github.com/apache/pulsar/issues/19620"],
)
def test_number_names_its_fault_in_each_form(name: str) -> None:
    assert [row.name for row in rows_named(name, catalogue(), "fault")] == ["no_version_check"]
    assert switching_name(name) == "no_version_check"


def test_number_in_brackets_names_a_row_only_if_none_is_about_it() -> None:
    assert "apache/pulsar#11287" in catalogue()["compactor_ignores_snapshot"].upstream
    named = [row.name for row in rows_named("11287", catalogue(), "fault")]
    assert named == [row.name for row in catalogue().values() if "apache/pulsar#11287" in row.upstream]


OF_26520 = ["waiting_clean_up_overrides_again", "cleanup_no_retry", "assign_after_disable"]


def test_number_of_several_faults_is_refused_where_one_is_needed_and_lists_them() -> None:
    with pytest.raises(Misuse, match=f"26520; it is 3 faults: {', '.join(OF_26520)}; name one"):
        switching_name("26520")
    refused(oneowner("explore", "transfer", "--fault", "#26520"), "cleanup_no_retry, assign_after_disable; name one")
    with pytest.raises(Misuse, match="name one"):
        repairable_name("26520")


def test_number_of_a_near_report_names_the_finding() -> None:
    near = next(one for one in findings().values() if one.upstream.startswith("near "))
    assert near in findings_named(f"#{near.issues[0]}")


def test_number_that_nothing_is_about_is_refused_with_the_list() -> None:
    refused(oneowner("faults", "#999999"), "no fault of #999999 is known; oneowner list faults")
    refused(oneowner("list", "findings", "999999"), "no finding of 999999 is known; oneowner list findings")
    refused(oneowner("releases", "999999"), "no fault of 999999 is known")


def test_number_is_a_name_of_faults_and_of_releases() -> None:
    found = oneowner("faults", "26520", "--json", "-")
    assert found.code == 0
    assert list(VALIDATOR.iter_errors(found.json)) == []
    assert {row["name"] for row in found.json["faults"]} == set(OF_26520)
    found = oneowner("releases", "26520", "--json", "-")
    assert found.code == 0
    assert {row["fault"] for row in found.json["releases"]} == set(OF_26520)
    described = oneowner("list", "faults", "26520")
    assert "Releases, according to the notes: 3.0.1 to 4.0.13" in described.out


def test_law_of_each_killed_bug_has_a_harm() -> None:
    known = [row for row in {**catalogue(), **defects()}.values() if not isinstance(row, Unkilled)]
    assert [row.name for row in known if harm_of(row) is LEAST] == []
    ranks = [harm_of(row).rank for row in by_harm(known)]
    assert ranks == sorted(ranks)
