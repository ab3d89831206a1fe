"""Each system and shedder states by which release's rules it judges another, and why."""

import pytest

from oneowner.checkers.ledger.kills.release_classes import classes_of


@pytest.mark.parametrize(
    ("release", "system", "by", "why"),
    [
        ("4.0.2", "lock_manager", "4.0.2", "classes equal to those of 4.0.1"),
        ("4.0.7", "channel", "4.0.7", "classes equal to those of 4.0.6; source read"),
        ("4.0.7", "leader_election", "4.0.6", "the nearest; other code in AbstractMetadataStore"),
        ("4.0.1", "locks", "4.0.1", "classes equal to those of 4.0.6"),
        ("4.0.9", "locks", "4.0.8", "the nearest; its classes were not measured"),
        ("2.10.4", "avg", "", "no such class"),
        ("2.10.4", "threshold", "2.10.4", "classes equal to those of 2.10.5"),
    ],
)
def test_release_is_judged_by_its_equal_or_by_the_nearest(release: str, system: str, by: str, why: str) -> None:
    (found,) = [one for one in classes_of(release) if one.subject == system]
    assert (found.by, found.why) == (by, why)
