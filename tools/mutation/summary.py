"""
The summary of both runs, which the repository keeps: a row for each file of the model.

The results of a run lie in ``build/mutation``, and a run resumes from them. Where they are missing, a run of the
protocol's mutants skips the files whose mutants have the digest of the summary.
"""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from oneowner.checkers.yaml_text import data_of
from tools.mutation.mutants import ROOT

SUMMARY = Path(__file__).with_name("summary.yaml")
RESULTS = ROOT / "build" / "mutation"
"""The folder of the full results, which is not tracked."""
HEAD = "# Written by `make mutants`; see README.md.\n"

Row = Mapping[str, Any]
"""Of a file of the model: how many mutants it has, how many of them each kind of row kills, and those that are left."""


def digest_of(mutants: Iterable[str]) -> str:
    """
    Return eight hexadecimal digits of a set of mutants.

    >>> digest_of(["b", "a"]) == digest_of(["a", "b"])
    True
    """
    return hashlib.sha256("\n".join(sorted(mutants)).encode()).hexdigest()[:8]


def read_summary(run: str, path: Path = SUMMARY) -> Mapping[str, Row]:
    """Return the rows of a run, ``protocol`` or ``operators``; none if there is no file."""
    data: Mapping[str, Mapping[str, Row]] = data_of(path.read_text(encoding="utf-8")) if path.exists() else {}
    return data.get(run) or {}


def write_summary(run: str, rows: Mapping[str, Row], path: Path = SUMMARY) -> None:
    """Replace the rows of a run, and leave the other run's as they are."""
    every = {name: read_summary(name, path) for name in ("protocol", "operators")} | {run: dict(sorted(rows.items()))}
    text = yaml.safe_dump(every, sort_keys=False, width=120, allow_unicode=True, default_flow_style=None)
    new = path.with_suffix(".new")
    new.write_text(HEAD + text, encoding="utf-8")
    new.replace(path)
