"""The bench's arithmetic, and that it fails when somebody counts otherwise."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.bench.contenders import C_TWO_RUNS, C_TWO_THREADS, OURS, TINY, TLC, C, Contender, beside, counts_of
from tools.bench.engines import Row, Run, beyond, ceiling, differs, growth_of, measure, pairs, run, table_of
from tools.peers.contenders import Bounds, Counts, Peer, Unfinished, minicheck, spin, stateright, tlc

SIZE = Bounds()
EXPECTED = Counts(1100, 3300, 7)


def saying(*words: str) -> Peer:
    """A peer that prints *words* and counts as the last three state."""
    command = [sys.executable, "-c", f"print({' '.join(words)!r})"]

    def parse(out: str) -> Counts:
        return Counts(*map(int, out.split()[-3:]))

    return Peer("parrot", lambda: "", lambda bounds, folder, states: command, parse)


def row_of(peer: Peer, copies: int = 1) -> Row:
    return Row(Contender(peer, SIZE, SIZE, copies), SIZE, expected=EXPECTED, tiny=EXPECTED)


def measured(contender: Contender, seconds: list[float], start: float = 1.0) -> Row:
    row = Row(contender, SIZE, expected=EXPECTED, tiny=Counts(100, 300, 3), starts=[Run(start, start, 0, [])])
    row.runs = [Run(second, 2 * second, 2**20, []) for second in seconds]
    return row


def test_another_checkout_is_compared_round_by_round() -> None:
    other = Contender(saying("1100", "3300", "7"), SIZE, SIZE)
    rows = [measured(C, [3.0, 6.0, 2.0]), measured(other, [2.0, 6.0, 3.0])]
    (words,) = pairs(rows, [other])
    assert words.endswith("1.000 (0.500 to 2.000) times the seconds, 1.000 (0.667 to 1.500) times the processor's")
    rows[1].trouble = "failed: counts differ"
    assert list(pairs(rows, [other])) == ["C to parrot: unknown"]
    assert not list(pairs(rows, []))


def test_another_checkout_needs_its_command(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="make setup in"):
        beside(tmp_path)


def test_rate_is_of_the_states_and_seconds_beyond_the_tiny_size() -> None:
    row = measured(TLC, [3.0, 6.0, 2.0])
    assert row.distinct_rate == pytest.approx(500)  # the median run: 1000 states in 2 seconds
    assert row.generated_rate == pytest.approx(1500)
    assert row.cpu_rate == pytest.approx(200)  # twice the seconds: 1000 states in 5


@pytest.mark.parametrize("trouble", ["", "not installed"])
def test_every_cell_has_a_header(trouble: str) -> None:
    row = measured(TLC, [3.0])
    row.trouble = trouble
    for table in (table_of([row]), growth_of([row])):
        assert all(column.header for column in table.columns)
        assert len({len(list(column.cells)) for column in table.columns}) == 1


def test_noise_does_not_make_a_run_free() -> None:
    assert beyond(1.0, 2.0) > 0


@pytest.mark.slow
@pytest.mark.parametrize("contender", OURS, ids=lambda contender: contender.name)
def test_our_engines_find_the_tiny_size_valid(contender: Contender, tmp_path: Path) -> None:
    if missing := contender.peer.missing():
        pytest.skip(missing)
    command = contender.peer.prepare(TINY, tmp_path, 1728)
    bench = subprocess.run(command, capture_output=True, text=True, check=False)
    assert contender.peer.parse(bench.stdout).states == 1728, bench.stderr


def test_two_runs_at_once_are_the_ceiling_of_two_threads() -> None:
    rows = [measured(C_TWO_THREADS, [2.0]), measured(C_TWO_RUNS, [3.0])]
    assert list(ceiling(rows)) == ["C, two threads to two runs at once: 100%"]


def test_ceiling_is_unknown_without_threads() -> None:
    rows = [measured(C_TWO_THREADS, []), measured(C_TWO_RUNS, [3.0])]
    rows[0].trouble = "failed"
    assert list(ceiling(rows)) == ["C, two threads to two runs at once: unknown"]


def test_equal_counts_make_a_round(tmp_path: Path) -> None:
    row = row_of(saying("1100 3300 7"), copies=2)
    measure(row, tmp_path)
    assert (row.trouble, len(row.runs), len(row.runs[0].outs)) == ("", 1, 2)
    assert row.runs[0].peak > 2**20


@pytest.mark.parametrize("counts", ["1101 3300 7", "1100 3301 7", "1100 3300 8"])
def test_other_counts_fail(counts: str, tmp_path: Path) -> None:
    row = row_of(saying(counts))
    measure(row, tmp_path)
    assert row.failed
    assert "counts differ" in row.trouble


def test_what_is_not_installed_keeps_its_row_and_fails_nothing(tmp_path: Path) -> None:
    absent = Peer("absent", lambda: "make setup-referees", lambda *_: [], lambda _: EXPECTED)
    row = row_of(absent)
    measure(row, tmp_path)
    assert (row.failed, row.trouble) == (False, "not installed: make setup-referees")
    peer = Row(TLC, SIZE, trouble=row.trouble)
    assert table_of([row, peer]).row_count == 2


def test_what_a_tool_does_not_count_does_not_differ() -> None:
    assert differs(Counts(1100), EXPECTED) == ""
    assert differs(Counts(1100, 3299), EXPECTED) == "transitions 3,299, by C 3,300"


def test_run_keeps_what_is_printed_to_both_streams(tmp_path: Path) -> None:
    code = "import sys; print('out'); sys.stdout.flush(); sys.stderr.write('err')"
    assert run([sys.executable, "-c", code], tmp_path).outs == ["out\nerr"]


@pytest.mark.parametrize(
    "out", ["", "Error: No such option", '{"verdict": "unknown", "reasons": ["there are more than 9 states"]}']
)
def test_our_engines_must_be_valid(out: str) -> None:
    with pytest.raises(Unfinished):
        counts_of(out)


@pytest.mark.parametrize(
    ("peer", "out"),
    [
        (tlc(), "Error: Invariant OneOwner is violated.\n9 states generated, 8 distinct states found, 5 states left"),
        (spin(), "pan:1: assertion violated (x)\ndepth reached 9, errors: 1\n 9 states, stored\n"),
        (spin(), "error: max search depth too small\ndepth reached 9, errors: 0\n 9 states, stored\n"),
        (stateright(), "law one-owner is broken in 2 steps: []\nstates 9 transitions 9 depth 2\n"),
        (minicheck(), "law one-owner is broken\nstates 9 transitions 9\n"),
    ],
)  # fmt: skip
def test_a_peer_that_did_not_finish_counts_nothing(peer: Peer, out: str) -> None:
    with pytest.raises(Unfinished):
        peer.parse(out)
