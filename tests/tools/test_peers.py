"""Four models by hand, in four languages, count the states of ours; a peer that finds anything wrong reports it."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from oneowner.checkers.catalogue.families import family_named
from oneowner.checkers.engines.explore.native import explore
from oneowner.model.channel.bounds import Bounds as ModelBounds
from tools.peers.contenders import HERE, Bounds, Counts, Peer, Unfinished, minicheck, spin, stateright, tlc

pytestmark = pytest.mark.slow

PEERS = [tlc(), spin(), stateright(), minicheck()]
PINNED = Bounds()
OTHER = Bounds(transfers=1, unloads=1, window=2, versions=8)


def installed(peer: Peer) -> Peer:
    if words := peer.missing():
        pytest.skip(f"{peer.name} is not installed: {words}")
    return peer


def run(peer: Peer, bounds: Bounds, folder: Path) -> str:
    command = peer.prepare(bounds, folder, 100_000)
    # A short run is over before the better compiler of the JVM pays.
    short = {**os.environ, "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=short).stdout


def agrees(found: Counts, expected: Counts) -> bool:
    """A number that a tool does not count cannot be wrong."""
    pairs = zip(found, expected, strict=True)
    return found.transitions is not None and all(ours == theirs for theirs, ours in pairs if theirs is not None)


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_peer_counts_the_pinned_states(peer: Peer, tmp_path: Path) -> None:
    family = family_named("transfer")
    assert ModelBounds(brokers=3, owner=1, **PINNED._asdict()) == family.bounds
    found = peer.parse(run(installed(peer), PINNED, tmp_path))
    assert agrees(found, Counts(family.states, family.transitions, family.depth)), found


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_peer_counts_what_the_native_interpreter_counts(peer: Peer, tmp_path: Path) -> None:
    """Other bounds, so that no peer has the pinned ones built in."""
    found = peer.parse(run(installed(peer), OTHER, tmp_path))
    ours = explore(ModelBounds(brokers=3, owner=1, **OTHER._asdict()), ())
    assert agrees(found, Counts(ours.distinct, ours.transitions, ours.depth)), found


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_peer_refuses_a_bound_that_is_too_small(peer: Peer, tmp_path: Path) -> None:
    """A tool that cuts off states it cannot hold would count too few and call it the whole."""
    out = run(installed(peer), PINNED._replace(versions=5), tmp_path)
    with pytest.raises(Unfinished):
        peer.parse(out)


SERVES_ON, FOLDS_ALL, TAKES_STALE = "a closed unit is served on", "what was refused is folded", "a stale version wins"
BROKEN = [
    (SERVES_ON, tlc, "transfer.tla", "serving' = serving \\ {b}", "serving' = serving", "ServeImpliesView"),
    (FOLDS_ALL, tlc, "transfer.tla", "base' = Folded(base, Head(log))", "base' = Head(log)", "ViewIsPrefixFold"),
    (TAKES_STALE, tlc, "transfer.tla", "    /\\ held.version < r.version\n", "", "version-chain"),
    (SERVES_ON, spin, "transfer.pml", "serving = serving & ~(1 << i)", "skip", "assertion violated"),
    (FOLDS_ALL, spin, "transfer.pml", ":: ACCEPTS(base, topic[0]) ->", ":: true ->", "assertion violated"),
    (TAKES_STALE, spin, "transfer.pml", "(VERSION(held) < VERSION(r) && ", "(", "assertion violated"),
    (SERVES_ON, minicheck, "by_minicheck.py", "(closing=None, serving=False)", "(closing=None)", "serve-implies-view"),
    (
        FOLDS_ALL,
        minicheck,
        "by_minicheck.py",
        "folded(state.base, state.log[:1])",
        "state.log[0]",
        "view-is-prefix-fold",
    ),
    (
        TAKES_STALE,
        minicheck,
        "by_minicheck.py",
        "        return False\n    return rec",
        "        return True\n    return rec",
        "version-chain",
    ),
]


@pytest.mark.parametrize(
    ("what", "peer_of", "file", "right", "wrong", "words"), BROKEN, ids=[f"{row[2]}: {row[0]}" for row in BROKEN]
)
def test_peer_says_which_law_a_broken_model_breaks(
    what: str, peer_of: Callable[..., Peer], file: str, right: str, wrong: str, words: str, tmp_path: Path
) -> None:
    source = Path(shutil.copytree(HERE, tmp_path / "source", ignore=shutil.ignore_patterns("stateright")))
    text = (source / file).read_text()
    assert text.count(right) == 1, what
    (source / file).write_text(text.replace(right, wrong))
    peer = installed(peer_of(source=source))
    out = run(peer, PINNED, tmp_path)
    with pytest.raises(Unfinished):
        peer.parse(out)
    assert words in out
