"""A kept trace reads back the same, and a damaged one is traced anew."""

import marshal
from pathlib import Path

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.engines.compile.column_program import written, written_in
from oneowner.checkers.engines.compile.program import Program, trace
from oneowner.checkers.engines.explore.model_cache import NAME, kept
from oneowner.checkers.verdict import Misuse
from oneowner.model.kernel.law import LawKind, StateLaw, Status, any_state
from tests.channel import LAWS

BOUNDS = families()["pip-192"].bounds
LAW = LAWS["transfer-handshake"]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def traced() -> Program:
    return trace(BOUNDS, [LAW], ())


def never() -> Program:
    raise AssertionError("it is traced again")


def test_model_that_is_written_and_read_is_the_same() -> None:
    model = written(traced())
    assert written_in(model.as_bytes()) == model
    assert len(model.trees) == len(model.step_checks)


def test_kept_model_is_not_traced_again(cache: Path) -> None:
    assert kept(BOUNDS, [LAW], traced) == kept(BOUNDS, [LAW], never)
    assert len(list(cache.rglob(NAME))) == 1


def test_model_of_other_laws_or_bounds_is_another(cache: Path) -> None:
    kept(BOUNDS, [LAW], traced)
    with pytest.raises(AssertionError, match="traced again"):
        kept(BOUNDS, [LAWS["version-chain"]], never)
    with pytest.raises(AssertionError, match="traced again"):
        kept(families()["pip-192-rounds"].bounds, [LAW], never)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "text", [b"", b"{", marshal.dumps([]), marshal.dumps({"kind": "x"}), marshal.dumps({"nodes": [1]})]
)
def test_kept_model_that_is_not_whole_is_traced_and_kept_anew(cache: Path, text: bytes) -> None:
    model = kept(BOUNDS, [LAW], traced)
    (path,) = cache.rglob(NAME)
    path.write_bytes(text)
    assert kept(BOUNDS, [LAW], traced) == model
    assert kept(BOUNDS, [LAW], never) == model


def test_law_whose_function_has_no_name_of_its_own_is_not_traced_and_so_never_kept(cache: Path) -> None:
    """Nothing would distinguish two of them."""
    law = StateLaw("local", "", "", any_state, lambda state: False, Status.HOLDS, kind=LawKind.PROTOCOL)
    line = law.holds.__code__.co_firstlineno
    words = rf"tests/engines/explore/test_kept.py:{line}: \S+<lambda> is no function of a module that is traced"
    with pytest.raises(Misuse, match=words):
        kept(BOUNDS, [law], lambda: trace(BOUNDS, [law], ()))
    assert not list(cache.rglob(NAME))


def test_folder_that_cannot_be_written_costs_the_cache_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert kept(BOUNDS, [LAW], traced) == written(traced())
