"""A run judged in parts has the results of the whole: every law reports the same, byte for byte."""

from dataclasses import replace

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.recordings.fold.outcomes import sort_key
from oneowner.checkers.recordings.laws.registry import SCENE_LAWS
from oneowner.checkers.recordings.laws.scene_law import Scope
from oneowner.checkers.recordings.laws.scene_verdict import Evidence, judge_scene
from oneowner.checkers.recordings.scene.parts import Parts
from oneowner.checkers.recordings.scene.scene import Scene
from tests.recordings.laws.recorded import SHORT, of_run, recorded

RECORDINGS = sorted(path.name for path in (TOP / "traces" / "real").iterdir() if path.is_dir())
LAWS = {law.name: law for law in SCENE_LAWS}


def judge_in_parts(scene: Scene, parts: int) -> Evidence:
    """The results of a scene that has not been judged before; findings in the order of results."""
    evidence = judge_scene(replace(scene), parts=parts)
    findings = sorted(evidence.findings, key=lambda one: sort_key(0, one))
    return evidence._replace(findings=tuple(findings))


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [of_run(name, named=name, quick=SHORT) for name in RECORDINGS])
def test_parts_say_what_the_whole_says(name: str) -> None:
    whole = judge_in_parts(recorded(name), 1)
    for parts in (2, 7):
        assert repr(judge_in_parts(recorded(name), parts)) == repr(whole)


def test_parts_are_disjoint_and_nothing_is_left_out() -> None:
    whole = recorded("healthy")
    parts = list(Parts(whole, 2))
    assert [broker for part in parts for broker in part.said] == list(whole.said)
    assert sorted(lookup for part in parts for lookup in part.lookups) == sorted(whole.lookups)
    assert sum(len(part.polls) for part in parts) == len(whole.polls)
    assert all(part.channel is whole.channel for part in parts)


def test_laws_of_views_need_no_more_than_one_broker_at_a_time() -> None:
    apart = {law.name for law in SCENE_LAWS if law.scope == Scope.BROKER}
    assert {"accepted-is-handled", "view-stops", "threads-write-in-order", "lookups-are-monotone"} <= apart
