"""The effects of a release: verdicts of families, and of the protocols from before the first release."""

from dataclasses import replace

import pytest

from oneowner.checkers.catalogue.families import bounds_under, families
from oneowner.checkers.engines.explore.native import explore
from oneowner.checkers.engines.liveness.check import check_liveness
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Dialect
from tests.channel import LAWS, LIVENESS_LAWS

pytestmark = pytest.mark.slow

CRASH = Bounds(brokers=2, assigns=1, crashes=1, closings=2)


def shortest(bounds: Bounds, law: str) -> int | None:
    """Return the length of the shortest counterexample to *law*, or None if it holds."""
    steps = explore(bounds, [LAWS[law]], stop_at=frozenset({law})).laws[law].steps
    return len(steps) if steps is not None else None


@pytest.mark.parametrize(
    ("release", "law", "steps"),
    [
        ("3.0.0", "dual-serving-explained", 6),
        ("3.0.0", "quiescent-agreement", 6),
        ("3.3.1", "override-names-the-gone", 4),
        ("3.3.8", "leader-caught-up", 5),
    ],
)
def test_expiry_breaks_a_law_in_a_release_that_4_0_6_keeps(release: str, law: str, steps: int) -> None:
    family = families()["expiry"]
    assert family.laws[law] == Verdict.VALID
    assert shortest(bounds_under(family.bounds, release, []), law) == steps


@pytest.mark.parametrize(("release", "is_kept"), [("4.0.6", False), ("5.0.1", True)])
def test_hand_over_that_waits_for_a_restart_ends_where_a_start_answers(release: str, is_kept: bool) -> None:
    """apache/pulsar#25379."""
    law = LIVENESS_LAWS["flight-ends-always"]
    lasso = check_liveness(bounds_under(CRASH, release, []), [law])[1][law.name].lasso
    assert (lasso is None) == is_kept


@pytest.mark.parametrize("release", ["3.0.0", "3.3.8"])
def test_release_without_a_metadata_store_refuses_its_families(release: str) -> None:
    with pytest.raises(Misuse, match=f"release refused: {release}"):
        bounds_under(families()["transfer-metadata-store"].bounds, release, [])


@pytest.mark.parametrize("dialect", [Dialect.RELEASED, Dialect.GENERATION_1, Dialect.GENERATION_0])
def test_unit_has_one_server_while_all_brokers_speak_one_protocol(dialect: Dialect) -> None:
    """models.S48: the fault of the family ``upgrade`` is the mixture, not one of its protocols."""
    upgrade = families()["upgrade"]
    assert upgrade.laws["single-server"] == upgrade.laws["same-tables"] == Verdict.INVALID
    assert shortest(replace(upgrade.bounds, dialect=dialect, upgraded=0), "single-server") is None


def test_rules_about_brokers_alone_keep_one_server() -> None:
    """models.H2: arrows alone do not (``arrows_only``)."""
    bounds = replace(families()["assignment"].bounds, resends=0)
    assert shortest(bounds_under(bounds, "4.0.6", ["no_version_check"]), "single-server") is None
    assert shortest(bounds_under(bounds, "4.0.6", ["arrows_only"]), "single-server") == 19
