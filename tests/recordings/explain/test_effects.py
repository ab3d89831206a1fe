"""Records whose effect is on record."""

from dataclasses import replace

from oneowner.checkers.recordings.explain.record_effects import effects
from oneowner.model.channel.rules import Dialect
from tests.recordings.explain.crafted import record, recording

LINES = "1: Assigning(2) v1", "2: Owned(2) v2", "2: Releasing(3, from 2) v3", "2: Assigning(3, from 2) v4"


def test_record_on_which_another_was_built_had_an_effect() -> None:
    assert effects(recording(*LINES), Dialect.RELEASED).effective == 3  # on the last one nothing was built


def test_record_with_a_rival_needs_a_handler_line() -> None:
    lines = *LINES[:2], "3: Releasing(from 2) v3", *LINES[2:]
    assert effects(recording(*lines), Dialect.RELEASED).effective == 2
    handled = frozenset({("t/n/0x0_0x1", record("Releasing(from 2) v3"))})
    found = effects(replace(recording(*lines), handled=handled), Dialect.RELEASED)
    assert (found.effective, found.handled, found.contradictions) == (3, 1, ())


def test_record_that_was_handled_and_is_refused_contradicts() -> None:
    handled = frozenset({("t/n/0x0_0x1", record("Assigning(3) v2"))})
    crafted = replace(recording(LINES[0], "3: Assigning(3) v2"), handled=handled)
    (found,) = effects(crafted, Dialect.RELEASED).contradictions
    assert "no move from Assigning to Assigning" in found.in_words()


def test_generation_1_refuses_the_first_release_of_a_transfer() -> None:
    found = effects(recording(*LINES), Dialect.GENERATION_1).contradictions[0]
    assert (found.written.place, found.refused.rule) == ("0:3", "broker")
    assert "Assigning(3, from 2) v4 (0:4) was built on it" in found.in_words()
