"""A day of many units is a recording whose units are explained like the one that it is made of."""

from pathlib import Path

from oneowner.checkers import places
from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, judge
from oneowner.checkers.recordings.explain.recording import read_recording
from tools.random_recordings.many_units import main


def test_units_of_a_recording_are_explained_as_often_as_they_are_copied(tmp_path: Path) -> None:
    main(places.RUNS / "healthy", 3, tmp_path / "day")
    one, day = judge(read_recording(places.RUNS / "healthy")), judge(read_recording(tmp_path / "day"))
    assert day.answer == Acceptance.ACCEPTED
    assert (len(day.units), day.inferred) == (3 * len(one.units), 3 * one.inferred)
