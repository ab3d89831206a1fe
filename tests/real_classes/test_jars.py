"""Jars of a release that Maven Central does not serve whole."""

from pathlib import Path

import pytest

from oneowner.checkers.lab.cluster import distribution
from oneowner.checkers.real_classes import jars
from oneowner.checkers.real_classes.jars import COMPARED, OWN, Missing, jars_of


def served(home: Path, artifacts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home in which these jars of 3.1.2 are fetched, beside a distribution of 4.0.6."""
    monkeypatch.setattr(jars, "found_program", lambda name, package: name)
    monkeypatch.setattr(jars, "_fetched", lambda release, home: (home / f"managed-ledger-{release}.jar",))
    folder = home / "own" / "3.1.2"
    folder.mkdir(parents=True)
    for artifact in artifacts:
        (folder / f"{artifact}-3.1.2.jar").touch()
    return home


def test_jar_of_another_release_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = served(tmp_path, tuple(one for one in OWN if one != "managed-ledger"), monkeypatch)
    assert jars_of("3.1.2", home).name == "Pulsar 3.1.2 with managed-ledger of 4.0.6"


@pytest.mark.parametrize("artifact", sorted(COMPARED - {"pulsar-broker"}))
def test_classes_that_are_judged_are_never_those_of_another_release(
    artifact: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = served(tmp_path, tuple(one for one in OWN if one != artifact), monkeypatch)
    with pytest.raises(Missing, match=f"no {artifact} of Pulsar 3.1.2; --lib DIR"):
        jars_of("3.1.2", home)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("Could not find artifact a:b", "Maven Central has no pulsar-broker-3.1.2.jar"),
        ("Could not transfer artifact a:b", "no jars of Pulsar 3.1.2: Maven did not fetch .*not transfer"),
    ],
)
def test_transfer_that_fails_is_no_jar_that_does_not_exist(
    error: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release with a jar of another one in place of its own would be judged for good."""
    monkeypatch.setattr(jars, "found_program", lambda name, package: name)
    monkeypatch.setattr(jars, "_fetched", lambda release, home: ())
    monkeypatch.setattr(distribution, "_maven", lambda *arguments: error)
    with pytest.raises(Missing, match=words):
        jars_of("3.1.2", tmp_path)
