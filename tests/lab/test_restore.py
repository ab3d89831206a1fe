"""A cluster is brought back: the order in which brokers are ended and started, and the conditions waited for."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from oneowner.checkers.lab.cluster.named import Broker, Named
from oneowner.checkers.lab.drive import restore as restoring
from oneowner.checkers.verdict import EngineError

CLUSTER = Named("one", "4.0.6", "", "", 0, 0, "", "", 0, brokers=[Broker(f"b:{at}", 0, 0) for at in (1, 2, 3)])


def restored(monkeypatch: pytest.MonkeyPatch, forgets: bool = True) -> list[str]:
    """Return the events of broker 2's restart, in a cluster that *forgets* departed brokers, or does not."""
    happened: list[str] = []

    def ask(_: Named, **request: object) -> None:
        happened.append(" ".join(map(str, request.values())))

    def registered(_: object, ids: Sequence[str]) -> list[str]:
        happened.append(f"wait for {len(ids)}")
        return list(ids) if forgets else ["b:1", "b:2", "b:3"]

    monkeypatch.setattr(restoring, "ask", ask)
    monkeypatch.setattr(restoring, "registered", registered)
    monkeypatch.setattr(restoring, "is_ready", lambda _: True)
    monkeypatch.setattr(restoring, "named", lambda home, name: CLUSTER)
    assert restoring.restore(Path(), CLUSTER, [2], 0.0, happened.append) is CLUSTER
    return happened


def test_broker_starts_anew_once_the_others_know_that_it_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    happened = restored(monkeypatch)
    assert happened[:5] == ["relay 2 open", "signal 2 SIGKILL", "wait for 2", "start 2", "wait for 3"]
    assert happened[5].startswith("the cluster is as it was: broker 2 of it was started anew")


def test_broker_that_stays_listed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EngineError, match=r"drive: brokers know of .*b:2.* after 0 s; there are"):
        restored(monkeypatch, forgets=False)
