"""Work on other machines finds the caller's files: their places, or copies of them."""

from pathlib import Path

from oneowner.checkers.recordings.read.partition import copies_lie_in, file_at


def test_file_of_another_machine_is_found_by_its_copy(tmp_path: Path) -> None:
    here = tmp_path / "run"
    copies_lie_in(str(tmp_path / "copies"))
    assert file_at(str(here)) == str(tmp_path / "copies" / "run")
    here.touch()
    assert file_at(str(here)) == str(here)
