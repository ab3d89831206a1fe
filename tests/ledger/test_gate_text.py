"""The gate's output: failures in full and each story once, a line for each group, the whole table in a file."""

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from oneowner.checkers.ledger import gate
from oneowner.checkers.ledger.gate import Task
from oneowner.checkers.ledger.kinds import KINDS
from oneowner.checkers.report.gate_text import print_summary
from tests.command_line import RUN, oneowner, refused, saved_in


def row(kind: str, name: str, *reasons: str, ok: bool = True, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "name": name, "expected": "valid", "verdict": "valid" if ok else "invalid", "ok": ok,
            "seconds": 0.1, "reasons": reasons} | more  # fmt: skip


def summary(*rows: dict[str, Any]) -> list[str]:
    stream = io.StringIO()
    print_summary(Console(file=stream, width=200), rows, {kind.name: kind.group for kind in KINDS.values()})
    return stream.getvalue().splitlines()


def test_group_that_is_as_expected_is_one_line() -> None:
    families = [row("family", name, ledger={"states": 600}) for name in ("one", "two")]
    logs = [row("logs", str(number)) for number in range(50)]
    assert summary(*families, *logs, row("engine", "every run on Spark")) == [
        "families: 2 as expected, 1,200 states in all",
        "logs: 50 as expected (50 valid)",
        "Spark: the same bytes as inline",
        "slowest: family one 0.1 s, family two 0.1 s, logs 0 0.1 s, logs 1 0.1 s, logs 2 0.1 s",
    ]


def test_slowest_five_rows_are_told_with_their_seconds() -> None:
    rows = [row("logs", str(number), seconds=float(number)) for number in (1, 7, 3, 6, 2, 5)]
    assert summary(*rows)[-1] == "slowest: logs 7 7.0 s, logs 6 6.0 s, logs 5 5.0 s, logs 3 3.0 s, logs 2 2.0 s"


def test_what_is_not_as_expected_is_printed_in_full() -> None:
    broken = row("counterexample", "a/law.yaml", "it ends early", ok=False)
    many = [row("logs", str(number), *(f"reason {n}" for n in range(30)), ok=False) for number in range(2)]
    text = summary(broken, row("counterexample", "b/law.yaml"), *many)
    assert text.count("  it ends early") == 1
    assert sum(line.startswith("  reason ") for line in text) == 60
    assert "counterexamples: 1 of 2 as expected (1 valid)" in text
    assert "logs: 0 of 2 as expected" in text


@pytest.fixture
def small_gate(tree: Path, monkeypatch: pytest.MonkeyPatch, in_one_process: None) -> Path:
    tasks = [Task("counterexample", str(saved_in(tree)), 0.1), Task("run", str(tree / "traces/real" / RUN), 0.1)]
    monkeypatch.setattr(gate, "tasks_of", lambda profile: iter(tasks))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tree / "cache"))
    return tree


def test_table_is_in_the_cache_or_where_it_is_wanted_and_printed_if_asked(small_gate: Path) -> None:
    found = oneowner("gate")
    output = found.out
    table = small_gate / "cache" / "oneowner" / "gate-pr.txt"
    assert f"table: {table}" in output
    assert output.count("\n") <= 30
    assert "counterexample" in table.read_text()
    assert "seconds" not in output
    elsewhere = small_gate / "table.txt"
    found = oneowner("gate", "--verbose", "--table", elsewhere, "--no-progress")
    assert found.err == ""
    assert "seconds" in found.out
    assert "counterexample" in elsewhere.read_text()


def test_table_that_cannot_be_written_is_refused_before_anything_is_checked(small_gate: Path) -> None:
    refused(oneowner("gate", "--table", small_gate / "nowhere" / "table.txt"), "nowhere")


@pytest.mark.slow
def test_cache_that_cannot_be_written_costs_the_table_alone(small_gate: Path) -> None:
    (small_gate / "cache").write_text("no folder")
    found = oneowner("gate")
    assert (found.code, "table: not written" in found.out) == (0, True)
