"""The pages about findings are those that the tool writes."""

import re
from pathlib import Path

import pytest

from oneowner.checkers.catalogue.affected import affected_releases, in_spans, releases_of
from oneowner.checkers.catalogue.findings import defects, findings
from oneowner.model.kernel.releases import is_between, since
from tools import findings as tool
from tools.findings import PAGE, ROOT, TABLES, written


@pytest.mark.parametrize("name", [PAGE, *TABLES])
def test_page_is_current(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == written(name), "stale: run python -m tools.findings"


def test_page_has_an_anchor_for_every_finding() -> None:
    page = written(PAGE)
    for name in findings():
        assert page.count(f'<a id="{name}"></a>') == 1


def test_front_page_shows_the_chosen_ones_in_order() -> None:
    chosen = sorted((one for one in findings().values() if one.front_page), key=lambda one: one.front_page)
    rows = list(tool.front_page())[2:]
    assert len(rows) >= 10
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [one.title for one in chosen]


def test_page_without_a_place_for_its_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "README.md").write_text("# no table\n")
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    with pytest.raises(ValueError, match=r"README\.md refused: one place for a table is needed"):
        written("README.md")


RELEASE = r"[0-9]+\.[0-9]+\.[0-9]+"
REPORTS = sorted({one.report for name, one in findings().items() if one.report and name in defects()})


def claimed(versions: str, of: list[str]) -> list[str]:
    """Return the releases *of* those that the paragraph on versions claims, but for its exceptions."""
    if versions.startswith("Every release"):
        found = of
    elif listed := re.match(rf"From ((?:{RELEASE}(?:, | and )?)+)", versions):
        found = [one for one in of if one in since(*re.findall(RELEASE, listed[1]))]
    else:
        first, last = re.match(rf"(?:From )?({RELEASE}) to ({RELEASE})", versions).groups()  # type: ignore[union-attr]
        found = [one for one in of if is_between(one, first, last)]
    spans = re.findall(rf"({RELEASE}) to ({RELEASE})", versions.partition("except ")[2])
    return [one for one in found if not any(is_between(one, *span) for span in spans)]


@pytest.mark.parametrize("report", REPORTS)
def test_report_names_the_releases_that_the_rules_give(report: str) -> None:
    text = " ".join((ROOT / "docs/upstream" / report).read_text(encoding="utf-8").split())
    versions = text.partition("**Versions.** ")[2].partition("**What happens.**")[0]
    if re.match(RELEASE + r"(,| and)", versions):
        return  # a list of the releases on which it was seen
    rows = [defects()[name] for name, one in findings().items() if one.report == report and name in defects()]
    of = [one for one in releases_of(rows[0]) if one[0].isdigit()]
    affected = {one for row in rows for one in affected_releases(row)}
    assert in_spans(claimed(versions, of), of) == in_spans([one for one in of if one in affected], of)
