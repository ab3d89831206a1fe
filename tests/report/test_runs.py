"""A run as text: one line a step with its changes, and every unit's owner and server before and after."""

from pathlib import Path

import pytest

from oneowner.checkers.report.run_text import changes_in_words, print_replay
from oneowner.checkers.report.text import console
from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.story import owners_in_words
from oneowner.model.kernel.system import initial_states
from tests.command_line import COUNTEREXAMPLES, oneowner

EARLY = COUNTEREXAMPLES / "assign_before_close" / "single-writer.yaml"


def lines(path: Path) -> list[str]:
    return oneowner("replay", path).out.splitlines()


def test_owner_map_is_shown_at_the_start_the_end_and_where_it_changes() -> None:
    shown = [line.strip() for line in lines(EARLY) if line.startswith("      = ")]
    assert shown == [
        "= unit 1: owner 1 (the channel holds Owned(1) v2), served by 1",
        "= unit 1: no owner (the channel holds Releasing(2, from 1) v3), served by 1",
        "= unit 1: no owner (the channel holds Releasing(2, from 1) v3), served by nobody, being closed by 1",
        "= unit 1: owner 2 (the channel holds Owned(2, from 1) v5), served by nobody, being closed by 1",
        "= unit 1: owner 2 (the channel holds Owned(2, from 1) v5), served by 2, being closed by 1",
    ]


def test_law_that_the_start_breaks_is_told_there(capsys: pytest.CaptureFixture[str]) -> None:
    replayed = replay(read_scenario(EARLY))
    replayed.broken["type-ok"] = 0
    print_replay(console(), replayed)
    out = capsys.readouterr().out.splitlines()
    (at,) = (number for number, line in enumerate(out) if line.startswith("        broken: type-ok: "))
    assert out[at + 1].startswith("   1  transfer(broker=1, destination=2)")


def test_owner_map_of_a_run_that_ends_otherwise_is_repeated_at_its_end(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("family: expiry\nsteps: ['expire(broker=2)', 'notice(observer=1, broker=2)']\n")
    out = lines(path)
    assert out[out.index("      in the end:") + 1].startswith("      = unit 1: owner 2")


def test_line_of_a_step_shows_new_values_and_no_bookkeeping() -> None:
    replayed = replay(read_scenario(EARLY))
    bounds = replayed.scenario.bounds
    assert changes_in_words(bounds, replayed.steps[0]) == ["outbox[1] + Releasing(2, from 1) v3"]
    assert changes_in_words(bounds, replayed.steps[1]) == [
        "log + Releasing(2, from 1) v3",
        "outbox[1] - Releasing(2, from 1) v3",
    ]
    assert changes_in_words(bounds, replayed.steps[-1]) == ["serving[2,1] = yes"]


def test_bookkeeping_is_shown_where_a_step_changes_nothing_else(tmp_path: Path) -> None:
    # Broker 1's second record is refused by all; that broker 1 has read it changes its cursor alone.
    path = tmp_path / "run.yaml"
    steps = ["unload(broker=1)", "unload(broker=2)", "append(broker=1)", "append(broker=2)", "consume(broker=1)",
             "consume(broker=1)"]  # fmt: skip
    path.write_text("family: transfer\nset: {unloads: 2}\nsteps:\n" + "".join(f"  - {step}\n" for step in steps))
    (last,) = [line for line in lines(path) if line.startswith("   6  ")]
    assert last.endswith("  cursor[1] = 2")


def test_unit_of_a_record_is_named_where_there_are_several(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("family: transfer\nset: {units: 2}\nsteps: ['unload(broker=1, unit=2)']\n")
    assert any("outbox[1] + unit 2 Releasing(from 1) v3" in line for line in lines(path))


def test_owner_map_names_nobody() -> None:
    (state,) = initial_states(Bounds())
    assert owners_in_words(state, 1) == "unit 1: no owner (the channel holds nothing), served by nobody"
