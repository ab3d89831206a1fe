"""Searches of the classes of 4.0.6 beyond the model's graph, beside a model with a guard that they do not have."""

import re
from dataclasses import replace
from pathlib import Path

from oneowner.checkers.catalogue.families import family_named
from oneowner.checkers.catalogue.family import bounds_with
from oneowner.checkers.real_classes.beside import Beside
from oneowner.checkers.real_classes.jars import BASE, jars_of
from oneowner.checkers.real_classes.machine import Machine
from oneowner.checkers.real_classes.projection import shown
from oneowner.checkers.real_classes.walk import bounds_of
from oneowner.checkers.report.json import STDOUT
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.model.channel.record import OWNED, Record
from tests.command_line import VALIDATOR, refused
from tests.real_classes.test_conform import conform, home

__all__ = ["home"]
NARROWER = ("removal", "--rule", "redirect_in_flight=false")
"""A lookup of a unit that is Releasing without a destination selects a broker, which the rules until #22112 refuse."""


def test_breadth_first_search_finds_the_step_of_a_narrower_guard(home: Path) -> None:
    outcome = conform(*NARROWER, "--search", 60, "--home", home, "--json", STDOUT)
    assert outcome.code == 1, outcome.said
    VALIDATOR.validate(outcome.json)
    (row,) = outcome.json["searched"]
    (found,) = row["findings"]
    assert [step.partition("(")[0] for step in found["path"]] == ["unload", "append", "consume", "look_up"]
    assert found["guard"] == "the unit is not in flight by the broker's view"
    assert found["sides"] == [{"part": "broker 1, lookup of unit 1", "model": "", "real": "selects"}]
    assert found["judged"]
    assert "single-server-always" in row["judgedByShown"]
    assert "single-server" in row["judgedWithModel"]


def test_random_walks_from_a_seed_find_it_and_shrink_it_to_a_scenario(home: Path, tmp_path: Path) -> None:
    asked = (*NARROWER, "--random", 1200, "--seed", 1, "--save", tmp_path, "--home", home, "--json", STDOUT)
    outcome = conform(*asked)
    assert outcome.code == 1, outcome.said
    (found,) = outcome.json["searched"][0]["findings"]
    (file,) = tmp_path.glob("*.yaml")
    scenario = read_scenario(file)
    assert [str(step) for step in scenario.steps] == found["path"]
    assert len(found["path"]) == 4
    assert not scenario.bounds.rules.redirect_in_flight


def test_search_of_a_model_that_agrees_is_valid_when_no_state_is_left(home: Path) -> None:
    outcome = conform("removal", "--set", "unloads=0", "--set", "assigns=0", "--search", 500, "--home", home)
    assert outcome.code == 0, outcome.said
    outcome = conform("removal", "--set", "unloads=0", "--search", 5, "--home", home)
    assert outcome.code == 3, outcome.said
    assert "nothing was found, and there are more runs" in outcome.out


def test_projection_reads_back_what_determines_a_cell() -> None:
    projection = shown(family_named("removal").bounds)
    assert projection.read_back("broker 1, topics of unit 1", "open") == (("serving", (1, 1)), True)
    record = Record(OWNED, 2, 1, False, 3)
    assert projection.read_back("broker 2, entry of unit 1", str(record)) == (("view", (2, 1)), record)
    assert projection.read_back("broker 1, publishes under way", "1:nothing") is None


def test_options_that_do_not_go_together_are_refused(home: Path) -> None:
    refused(conform("removal", "--search", 5, "--edges", 5, "--home", home), "--search does not go with --edges")
    refused(conform("removal", "--search", 5, "--random", 5, "--home", home), "--search does not go with --random")
    refused(conform("removal", "--seed", 5, "--home", home), "--seed goes with --random")
    refused(conform("removal", "--save", "x", "--home", home), "--save goes with --search or --random")


def test_destination_that_is_not_registered_serves_beside_the_source(home: Path) -> None:
    """The repaired model opens no topics there: its view is Releasing; 4.0.6 answers a lookup by the view alone."""
    bounds = bounds_with(family_named("transfer").bounds, {"brokers": "2", "crashes": "1", "owner": "1"})
    bounds = replace(bounds, rules=replace(bounds.rules, unregistered_awaits_owned=True))
    steps = ("crash(2)", "restart(2)", "transfer(1,2)", "append(1)", "consume(2)", "expire(2)", "open(2)")
    with Machine(jars_of(BASE, home, None, None), bounds_of(bounds)) as machine:
        beside = Beside(bounds, machine)
        path = [_label(beside, *re.findall(r"\w+", step)) for step in steps]
        ending = beside.ending(path)
        assert ending is not None
        _, before, offer, real = ending
        departed = beside.departed(before, beside.sides(before, real))
        assert departed is not None
        assert offer.guard == "the broker's view says that it owns the unit"
        assert {"single-server", "serve-implies-view"} <= beside.broken(departed) - beside.broken(before)


def _label(beside: Beside, name: str, *numbers: str) -> int:
    """Return the number of an action: its broker, then its destination if there is one; the unit is the only one."""
    wanted = [int(number) for number in numbers]
    return next(
        label
        for label, action in enumerate(beside.actions)
        if action.name == name and [value for key, value in action.arguments if key != "unit"] == wanted
    )
