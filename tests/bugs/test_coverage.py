"""Each fault of Pulsar with an upstream number has a signature, or a reason why none can be had."""

import re
from typing import Final

import pytest

from oneowner.checkers.bugs.known_bugs import known_bugs
from oneowner.checkers.catalogue.affected import affected_releases, releases_of
from oneowner.checkers.catalogue.families import catalogue
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.yaml_text import data_of
from oneowner.model.kernel.releases import version

PULSAR: Final = ("channel", "lock_manager", "leader_election", "locks", "load_data", "closed_loop")
WITHOUT = data_of((PACKAGE / "spec" / "without_signature.yaml").read_text(encoding="utf-8"))
SIGNED = {name for one in known_bugs().values() if one.signatures for name in (one.name, *one.covers)}


def numbered() -> set[str]:
    """Return the faults of Pulsar whose row names an issue or a pull request."""
    there = (one for one in catalogue().values() if one.system in PULSAR)
    return {one.name for one in there if re.search(r"#\d", one.upstream)}


def test_every_numbered_fault_has_a_signature_or_a_reason() -> None:
    reasons = [name for names in WITHOUT.values() for name in names]
    assert len(reasons) == len(set(reasons))
    assert numbered() - SIGNED - set(reasons) == set()
    assert SIGNED & set(reasons) == set()
    assert set(reasons) <= set(catalogue())


def computed(name: str) -> set[str]:
    """Return the releases whose rules have a fault; none for a bug that is a matter of threads or of no model."""
    fault = defects().get(name)
    return set(affected_releases(fault)) if isinstance(fault, Fault) else set()


@pytest.mark.parametrize("name", [name for name, one in known_bugs().items() if one.stated and computed(name)])
def test_stated_releases_agree_with_computed_ones_as_far_as_these_go(name: str) -> None:
    """A stated end may lie between two releases that the model knows; it never contradicts one of them."""
    bug, affected = known_bugs()[name], computed(name)
    known = [one for one in releases_of(defects()[name]) if version(one) is not None]
    assert [one for one in known if (one in affected) != bool(bug.affects(one))] == []
