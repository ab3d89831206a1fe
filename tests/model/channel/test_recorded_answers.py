"""The model answers as Pulsar's own classes did, input by input (``tests/vectors/channel``)."""

import pytest

from oneowner.model.channel import cleanup, leader_inputs, record_inputs
from oneowner.model.channel.record import NOBODY, OWNED, Record
from tests.model.channel.recorded_answers import KINDS, classes, compared

COUNTS = {
    "entry": 106, "version": 8, "lookup": 1240, "event": 156, "clean-up": 57, "override at-once": 54, "monitor": 880,
    "deleted": 8,
}  # fmt: skip
"""The number of compared answers of each kind; the others name an owner without name, or none that is gone."""


def test_steps_answer_every_input_as_4_0_6_and_4_2_4() -> None:
    count, unlike = compared("4.0.6", list(KINDS))
    assert unlike == []
    assert count == COUNTS


def test_resolver_answers_every_input_as_4_0_6_and_4_2_4() -> None:
    count, unlike = compared("4.0.6", ["resolver"])
    assert unlike == []
    assert count["resolver"] == 118_846


@pytest.mark.parametrize("release", ["3.0.0", "3.1.0"])
def test_overrides_before_23064_are_those_of_the_release(release: str) -> None:
    count, unlike = compared(release, ["former-override"])
    assert unlike == []
    assert count["former-override"] == 36


@pytest.mark.slow
@pytest.mark.parametrize("release", ["3.0.0", "3.1.0"])
def test_resolver_answers_every_input_as_releases_of_the_system_topic_alone(release: str) -> None:
    count, unlike = compared(release, ["resolver"])
    assert unlike == []
    assert count["resolver"] > 50_000


@pytest.mark.parametrize("release", ["3.0.0", "4.0.6"])
def test_classes_of_states_are_those_of_the_enum(release: str) -> None:
    pairs = list(classes(release))
    assert len(pairs) == 7
    assert all(ours == theirs for ours, theirs in pairs)


def test_answer_that_is_changed_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_inputs, "owner", lambda record: record.destination)
    monkeypatch.setattr(leader_inputs, "override", lambda *_: None)
    monkeypatch.setattr(cleanup, "leads", lambda *_: True)
    monkeypatch.setattr(leader_inputs, "is_enabled", lambda *_: False)
    _, unlike = compared("4.0.6", ["entry", "clean-up", "deleted", "monitor"])
    assert {line.split()[0] for line in unlike} == {"entry", "clean-up", "deleted", "monitor"}


def test_owner_without_name_is_left_out_because_pulsar_throws() -> None:
    assert not record_inputs.can_be_held(Record(OWNED, NOBODY, 1))
