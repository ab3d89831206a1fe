"""The table of hypotheses: complete, and its scenarios are violations that replay finds."""

from dataclasses import replace

import pytest

from oneowner.checkers.catalogue.families import bounds_under, catalogue
from oneowner.checkers.catalogue.faults import scenarios
from oneowner.checkers.ledger.kills.hypotheses import Hypothesis, hypotheses
from oneowner.checkers.scenarios.replay import enabled, replay
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.checkers.verdict import Verdict

LISTS = {"bugs.H": 14, "channel.B": 17, "channel.D": 12, "models.H": 18}
"""The numbers of hypotheses, known bugs, hazards and holes in the notes."""

each_row = pytest.mark.parametrize("row", hypotheses().values(), ids=lambda row: row.record)


def test_every_label_of_the_four_lists_has_exactly_one_row_in_order() -> None:
    labels = [f"{label}{number}" for label, most in LISTS.items() for number in range(1, most + 1)]
    assert [row.record for row in hypotheses().values()] == labels  # the reader refuses a second row of one label


@each_row
def test_row_says_one_sentence_and_why_it_was_not_found(row: Hypothesis) -> None:
    assert row.says.endswith(".")
    assert ". " not in row.says
    assert row.why.endswith(".") or (row.scenarios and not row.why)


@each_row
def test_scenario_of_a_row_shows_a_law_that_fails_by_a_fault_that_the_row_names_or_by_none(row: Hypothesis) -> None:
    for name in row.scenarios:
        path = scenarios() / name
        if path.parent.name in catalogue():
            assert path.parent.name in row.faults, name
        if path.suffix == ".yaml":
            scenario = read_scenario(path)
            assert scenario.expect is not None
            assert scenario.expect.verdict == Verdict.INVALID
            assert scenario.title, name


@each_row
def test_not_found_names_what_shows_its_mechanism(row: Hypothesis) -> None:
    assert bool(row.reached) == bool(row.rows)


@pytest.mark.parametrize(("release", "ends"), [("3.0.4", False), ("3.0.6", True)])
def test_hand_over_that_hangs_is_ended_although_a_broker_is_gone_since_23064(release: str, ends: bool) -> None:
    """bugs.H8: until then the leader's monitor looked no further once it had found a broker missing."""
    scenario = read_scenario(scenarios() / "shutdown-race" / "flight-ends-always.yaml")
    bounds = bounds_under(scenario.bounds, release, ())
    last = replay(replace(scenario, release=release, bounds=bounds, expect=None, loop=None)).states[-1]
    assert any(action.name == "end_flight" for action in enabled(last)) == ends
