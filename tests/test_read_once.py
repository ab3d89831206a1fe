"""A file is read again when it changes, and only then."""

from pathlib import Path

import pytest

from oneowner.checkers.documents import read_once
from oneowner.checkers.verdict import Misuse


def test_mapping_is_read_again_only_when_a_file_has_changed(tmp_path: Path) -> None:
    file, read = tmp_path / "one", []

    @read_once(lambda: [str(file)])
    def words() -> dict[str, str]:
        read.append(1)
        if not file.exists():
            raise Misuse("no such file")
        return {"word": file.read_text()}

    for _ in range(2):  # what was refused is not kept
        with pytest.raises(Misuse):
            words()
    file.write_text("a")
    assert [words() for _ in range(3)] == [{"word": "a"}] * 3
    assert len(read) == 3
    file.write_text("other")
    assert words() == {"word": "other"}
    file.unlink()
    with pytest.raises(Misuse):
        words()


def test_mapping_that_a_caller_changes_is_still_what_was_read(tmp_path: Path) -> None:
    @read_once(lambda: [str(tmp_path)])
    def words() -> dict[str, int]:
        return {"one": 1}

    words().clear()
    assert words() == {"one": 1}
