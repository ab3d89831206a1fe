"""Families on the real classes of releases: a row each, where Java and the jars are at hand."""

from collections.abc import Iterator
from typing import Final

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.choices import PROFILES
from oneowner.checkers.ledger.pinned import Outcome
from oneowner.checkers.native_code import cache
from oneowner.checkers.real_classes.family_walks import QUICK, walks
from oneowner.checkers.real_classes.jars import BASE, Missing, jars_of, not_at_hand
from oneowner.checkers.real_classes.steps import why_not
from oneowner.checkers.real_classes.walk import MOST_STATES
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.releases import has_metadata_store

ON: Final = " on "
FIRST: Final = f"removal{ON}{BASE}"
"""The row of the profile pr."""
OTHERS: Final = ("3.0.0", "3.1.2", "3.2.3", "3.3.6", "4.0.0", "4.0.8", "4.2.4", "5.0.1")
"""The other releases whose jars Maven Central has whole, one of each kind of code."""


def classes_rows(profile: str) -> Iterator[tuple[str, float]]:
    """Yield a family on the default release; nightly, all that can be walked there, and small ones on others."""
    there = families()
    if PROFILES.index(profile) < PROFILES.index("pr") or "removal" not in there:
        return
    yield FIRST, 6
    if profile != "nightly":
        return
    for one in there.values():
        name = f"{one.name}{ON}{BASE}"
        if one.system.name == "channel" and one.states <= MOST_STATES and name != FIRST and not why_not(one.bounds):
            yield name, 6 + one.transitions / 3_000
    for release in OTHERS:
        for family, settings in QUICK:
            if has_metadata_store(release) or not family.endswith("metadata-store"):
                yield f"{', '.join([family, *(f'{key}={value}' for key, value in settings.items())])}{ON}{release}", 10


def check_classes(name: str) -> Outcome:
    """Walk a family on the classes of a release: every edge agrees."""
    subject, _, release = name.rpartition(ON)
    family, *settings = subject.split(", ")
    home = cache() / "pulsar"
    if missing := not_at_hand(release, home):
        return _not_run(missing)
    bounds = dict(setting.split("=") for setting in settings)
    try:
        jars = jars_of(release, home)
    except Missing as error:
        return _not_run(str(error))
    ((walked, _),) = walks([(family, bounds)], jars, release, {}, None, None)
    if "need a later Java" in walked.why:
        return _not_run(walked.why)
    return Outcome(Verdict.VALID.value, walked.verdict.value, walked.reasons())


def _not_run(why: str) -> Outcome:
    """Return the outcome of a row for which something is to be installed first: no failure, and no agreement."""
    words = f"{Verdict.UNKNOWN.value}: {why}"
    return Outcome(words, words)
