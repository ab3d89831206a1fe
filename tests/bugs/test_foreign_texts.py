"""Lines of other products, and of other parts of Pulsar, look like no known bug; each is a text by itself."""

from pathlib import Path

import pytest

from oneowner.checkers.bugs.answer import answer_to
from oneowner.checkers.bugs.sources import Source

FOREIGN = Path(__file__).parent / "foreign"
LINES = [(path, line) for path in sorted(FOREIGN.iterdir()) for line in path.read_text().splitlines()]


def test_there_are_a_hundred_foreign_lines() -> None:
    assert len(LINES) > 100


@pytest.mark.parametrize(("path", "line"), LINES, ids=lambda one: one.stem if isinstance(one, Path) else "")
def test_foreign_line_looks_like_no_bug(path: Path, line: str, tmp_path: Path) -> None:
    text = tmp_path / path.name
    text.write_text(f"{line}\n")
    assert [one.bug.name for one in answer_to([Source(path.name, str(text))]).suspects] == []


@pytest.mark.parametrize("path", sorted(FOREIGN.iterdir()), ids=lambda path: path.stem)
def test_foreign_log_looks_like_no_bug(path: Path) -> None:
    assert answer_to([Source(path.name, str(path))]).suspects == ()
