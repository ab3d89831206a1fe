"""``gates``: the first gate that refuses is reported, with the later ones that its caller skips."""

from typing import Any

import pytest

from oneowner.checkers.decisions import gates
from oneowner.model.balancer.shedding.load_shedding_task import RULES
from oneowner.model.balancer.shedding.unload_scheduler import Gate

TWO: dict[str, Any] = {"brokers": [{"id": "b1", "bundles": ["t/n/a"]}, {"id": "b2"}]}
NAMED = {"b1": ["t/n/a"]}
OFF = {"loadBalancerSheddingEnabled": "false"}


@pytest.mark.parametrize(
    ("told", "gate"),
    [
        ({}, None),
        ({"leader": False}, Gate.NOT_STARTED),
        ({"metadata_available": False, "conf": OFF}, Gate.NO_STORE),
        ({"conf": OFF, "active": ["b1"]}, Gate.OFF),
        ({"active": ["b1"]}, Gate.ONE_BROKER),
    ],
)
def test_first_gate_of_the_modular_manager_is_told(told: dict[str, Any], gate: Gate | None) -> None:
    assert gates.shed({**TWO, **told}, NAMED, RULES["4.0.6"]).skipped == gate


@pytest.mark.parametrize(
    ("told", "gate"),
    [
        ({}, Gate.NOTHING),
        ({"conf": OFF, "leader": False}, Gate.OFF),
        ({"leader": False}, Gate.NOT_OWNER),
        ({"brokers": [{"id": "b1"}, {"id": "b2", "available": False}]}, Gate.ONE_BROKER),
    ],
)
def test_first_gate_of_the_extensible_manager_is_told(told: dict[str, Any], gate: Gate) -> None:
    assert gates.scheduled({**TWO, **told}).skipped == gate


def test_bundle_stays_that_policies_give_to_no_other_broker() -> None:
    policy = {"namespaces": ["t/n"], "primary": ["b1"], "secondary": [], "min_limit": 1}
    (stays,) = gates.shed({**TWO, "policies": [policy]}, NAMED, RULES["4.0.6"]).stays
    assert stays == ("t/n/a", "policies allow no other broker")
    assert not gates.shed({**TWO, "policies": [policy]}, NAMED, RULES["2.10.5"]).stays


def test_bundles_within_the_grace_period_alone_are_told() -> None:
    found = gates.shed({**TWO, "recent": {"t/n/a": 29, "t/n/b": 31}}, {}, RULES["4.0.6"])
    assert found.told == ("t/n/a",)
    assert gates.shed({**TWO, "recent": ["t/n/a"]}, {}, RULES["4.0.6"]).told == ("t/n/a",)
