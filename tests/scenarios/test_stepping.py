"""A run that a person takes step by step: choose, undo, go back, keep it as a scenario."""

from pathlib import Path

import pytest

from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.scenarios.scenario import Scenario, read_scenario
from oneowner.checkers.scenarios.stepping import SteppedRun
from oneowner.checkers.verdict import Misuse, Verdict
from tests.command_line import COUNTEREXAMPLES

EARLY = COUNTEREXAMPLES / "assign_before_close" / "single-writer.yaml"


def stepped(steps: int = 9) -> SteppedRun:
    """The run of a counterexample up to a step."""
    run = SteppedRun(read_scenario(EARLY))
    run.back(steps)
    return run


def test_run_begins_with_the_steps_of_its_scenario() -> None:
    run = SteppedRun(read_scenario(EARLY))
    assert run.taken == read_scenario(EARLY).steps
    assert list(run.replayed.broken) == list(replay(read_scenario(EARLY)).broken)


def test_action_is_named_by_its_number_its_words_or_their_beginning() -> None:
    run = stepped(2)
    there = list(run.enabled())
    number = there.index("consume(broker=1)") + 1
    named = {str(run.named(text)) for text in (str(number), "consume(broker=1)", " consume( broker = 1 )")}
    assert named == {"consume(broker=1)"}
    assert str(stepped(1).named("append")) == "append(broker=1)"
    with pytest.raises(Misuse, match=r"several actions begin so: consume; consume\(broker=1\), consume\(broker=2\)"):
        run.named("consume")


@pytest.mark.parametrize("text", ["0", "999", "²"])
def test_number_that_no_action_has_is_refused(text: str) -> None:
    with pytest.raises(Misuse):
        stepped(2).named(text)


def test_action_that_is_not_enabled_is_refused_with_its_guard() -> None:
    run = stepped(2)
    with pytest.raises(Misuse, match=r"open\(broker=2\) is not enabled: it needs: the broker's view says"):
        run.take(run.named("open(broker=2)"))
    assert len(run.taken) == 2


def test_undo_brings_back_each_run_before_in_turn() -> None:
    run = stepped()
    whole = run.taken
    run.take(run.named("close(broker=1)"))
    run.back(3)
    assert run.taken == whole[:3]
    run.undo()
    assert run.taken[:9] == whole
    assert len(run.taken) == 10
    run.undo()
    assert run.taken == whole
    assert run.replayed.states == replay(read_scenario(EARLY)).states


def test_undo_without_a_choice_is_refused() -> None:
    with pytest.raises(Misuse, match="nothing was chosen yet"):
        SteppedRun(read_scenario(EARLY)).undo()


@pytest.mark.parametrize("number", [-1, 10])
def test_return_to_a_step_that_was_not_taken_is_refused(number: int) -> None:
    with pytest.raises(Misuse, match="allowed is 0 to 9"):
        SteppedRun(read_scenario(EARLY)).back(number)


def test_scenario_expects_the_law_that_the_last_step_breaks() -> None:
    kept: Scenario = stepped().scenario(Path("kept.yaml"))
    assert kept.expect is not None
    assert (kept.expect.law, kept.expect.step) == ("single-writer", 9)
    assert replay(kept).verdict == Verdict.INVALID
    assert stepped(8).scenario(Path("kept.yaml")).expect is None
