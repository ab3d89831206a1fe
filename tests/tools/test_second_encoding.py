"""The second encoding of the model, written from its description alone, must count what the families pin."""

from collections import Counter
from dataclasses import fields
from itertools import product
from pathlib import Path

import pytest

from oneowner.checkers.engines.explore.compiled import explore_compiled
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.yaml_text import data_of
from oneowner.model.channel import bounds as sizes
from tools.second_encoding.encoding import Counts, explore
from tools.second_encoding.resolver import DELETED, FREE, INIT, METADATA_STORE, OWNED, SYSTEM_TOPIC, Record, accepts
from tools.second_encoding.state import Bounds

pytestmark = pytest.mark.slow

FAMILIES = sorted((PACKAGE / "spec" / "channel" / "families").glob("*.yaml"))
KNOWN = {one.name for one in fields(Bounds)}
"""The bounds that the second encoding has: no compaction, shutdown, outage, split or unreleased dialect."""


def is_known(bounds: dict[str, object]) -> bool:
    """Return whether the second encoding has these bounds; it has no crash in the metadata store."""
    return set(bounds) <= KNOWN and not ("crashes" in bounds and bounds.get("storage") == "metadata-store")


IN_BOTH = [path for path in FAMILIES if is_known(data_of(path.read_text())["bounds"])]
SMALL = [path for path in IN_BOTH if data_of(path.read_text())["states"] <= 300_000]


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_second_encoding_counts_the_pinned_states_of(path: Path) -> None:
    family = data_of(path.read_text())
    pinned = Counts(family["states"], family["transitions"], family["depth"])
    assert explore(Bounds(**family["bounds"])) == pinned


def test_second_encoding_counts_what_the_first_does_in_the_big_family_with_one_crash() -> None:
    (path,) = set(IN_BOTH) - set(SMALL)
    bounds = data_of(path.read_text())["bounds"] | {"crashes": 1}
    first = explore_compiled(sizes.Bounds(**bounds), ())
    assert first.distinct > 10_000
    assert explore(Bounds(**bounds)) == Counts(first.distinct, first.transitions, first.depth)


@pytest.mark.parametrize(("in_store", "accepted"), [(False, 594), (True, 194)], ids=["system-topic", "metadata-store"])
def test_second_resolver_accepts_as_many_pairs_as_are_pinned(in_store: bool, accepted: int) -> None:
    """The exhaustive check of channel.3: two brokers or none, version 1 then 2, all that Pulsar can build."""
    states = sorted({state for step in SYSTEM_TOPIC for state in step})
    held = [r for r in records(states, 1) if r.state != OWNED or r.destination]
    pairs = list(product(held, records(states, 2)))
    assert len(pairs) == 3135
    verdicts = Counter((h.state, p.state) for h, p in pairs if accepts(h, p, in_store))
    assert verdicts.total() == accepted
    assert set(verdicts) == (METADATA_STORE if in_store else SYSTEM_TOPIC)
    assert verdicts[INIT, DELETED] == (0 if in_store else 64)
    assert verdicts[FREE, INIT] == (0 if in_store else 72)


def records(states: list[str], version: int) -> list[Record]:
    every = [Record(s, d, o, False, version) for s, d, o in product(states, range(3), range(3))]
    return [r for r in every if r.state == FREE or r.destination or r.source]
