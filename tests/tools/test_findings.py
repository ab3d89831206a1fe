"""The pages about findings are those that the tool writes."""

from pathlib import Path

import pytest

from oneowner.checkers.catalogue.findings import findings
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
