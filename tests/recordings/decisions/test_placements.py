"""Logged placements of brokers are the strategy's, computed from the logged loads."""

import gzip
from pathlib import Path

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.recordings.decisions.placements import recompute, summary
from oneowner.checkers.recordings.read.logged_placements import placements
from tests.command_line import oneowner

REAL = TOP / "traces" / "real"
STAMP = "2026-11-20T23:47:47,39{}+0000 [t] INFO  org.apache.pulsar.broker.loadbalance.extensions."
LOAD = "strategy.LeastResourceUsageWithWeight - Broker {} load data:{{cpu= 0.00%, weightedMaxEMA= {}%, updatedAt= {}}}"
MADE = 1795218460000


def test_every_placement_of_the_transfers_is_as_computed() -> None:
    found = [one for path in sorted((REAL / "transfer").glob("broker*.gz")) for one in placements(str(path)).placements]
    assert len(found) == 156
    assert [recompute(one).why for one in found if recompute(one).why] == []
    assert sum(bool(one.chosen) for one in found) == 143
    assert sum(len(one.best) < len(one.candidates) for one in found) == 2


@pytest.mark.slow
def test_every_recorded_placement_is_as_computed() -> None:
    found = [one for path in sorted(REAL.glob("*/broker*.gz")) for one in placements(str(path)).placements]
    assert len(found) == 1570
    assert [recompute(one).why for one in found if recompute(one).why] == []
    assert sum(len(one.loads) < len(one.candidates) for one in found) == 614


def log_of(tmp_path: Path, loads: dict[str, float], average: float, best: str, chosen: str, more: str = "") -> str:
    """A log of one placement among b1 and b2."""
    strategy = STAMP + "strategy.LeastResourceUsageWithWeight - "
    lines = [(STAMP + LOAD).format(0, name, load, MADE) for name, load in loads.items()]
    lines.append(f"{strategy}Computed avgUsage:{average}, diffThreshold:0.1".format(1))
    lines.append(f"{strategy}Selected 1 best brokers: [{best}] from candidate brokers: [b1, b2], noLoad:[]".format(2))
    lines.append(f"{STAMP}ExtensibleLoadManagerImpl - Selected new owner broker: {chosen} for bundle: t/n/0.".format(3))
    path = tmp_path / "broker.log.gz"
    path.write_bytes(gzip.compress((more + "\n".join(lines) + "\n").encode()))
    return str(path)


def why(path: str) -> str:
    (placement,) = placements(path).placements
    return recompute(placement).why


def test_placement_below_the_average_is_as_computed(tmp_path: Path) -> None:
    path = log_of(tmp_path, {"b1": 10, "b2": 50}, 0.3, "b1", "b1")
    (placement,) = placements(path).placements
    assert (placement.chosen, placement.bundle, placement.best) == ("b1", "t/n/0", ("b1",))
    assert recompute(placement) == (("b1",), "")
    assert summary("b.log", placements(path))[0].startswith("b.log: 1 placements, 1 as computed; 0 with")


@pytest.mark.parametrize(
    ("loads", "average", "best", "chosen", "said"),
    [
        ({"b1": 10, "b2": 50}, 0.3, "b1", "b2", "b2 was taken, which may not be drawn"),
        ({"b1": 10, "b2": 50}, 0.4, "b1", "b1", "the average is 0.4, of the loads that were printed it is 0.3000"),
        ({"b1": 10, "b2": 50}, 0.3, "b2", "b2", "loads changed after the average was computed, or others"),
        ({"b1": 10, "b2": 30}, 0.2, "b1, b2", "b2", "a load that was printed is too coarse to tell"),
    ],
)
def test_placement_that_is_not_as_computed_says_why(
    tmp_path: Path, loads: dict[str, float], average: float, best: str, chosen: str, said: str
) -> None:
    assert why(log_of(tmp_path, loads, average, best, chosen)).startswith(said)


@pytest.mark.parametrize("loads", [{}, {"b1": 10}])
def test_placement_of_which_the_log_lacks_a_load_is_left_open(tmp_path: Path, loads: dict[str, float]) -> None:
    assert why(log_of(tmp_path, loads, 0.3, "b1", "b1")) == "a load by which it was computed is not in the log"


def test_placement_whose_last_line_comes_twice_is_left_open(tmp_path: Path) -> None:
    text = gzip.decompress(Path(log_of(tmp_path, {"b1": 10, "b2": 50}, 0.3, "b1", "b1")).read_bytes()).decode()
    twice = tmp_path / "twice.log"
    twice.write_text("".join(f"{line}\n" * 2 for line in text.splitlines()))
    reasons = {recompute(one).why for one in placements(str(twice)).placements}
    assert reasons == {"a load by which it was computed is not in the log"}


def test_placement_at_an_address_of_version_6_is_read(tmp_path: Path) -> None:
    text = gzip.decompress(Path(log_of(tmp_path, {"b1": 10, "b2": 50}, 0.3, "b1", "b1")).read_bytes()).decode()
    other = tmp_path / "other.log"
    other.write_text(text.replace("b1", "[2001:db8::1]:8080").replace("b2", "[2001:db8::2]:8080"))
    (placement,) = placements(str(other)).placements
    assert placement.candidates == ("[2001:db8::1]:8080", "[2001:db8::2]:8080")
    assert recompute(placement) == (("[2001:db8::1]:8080",), "")


def test_log_that_is_cut_amid_a_placement_disturbs_not_the_next_one(tmp_path: Path) -> None:
    cut = (STAMP + LOAD).format(0, "b1", 90, MADE) + "\n" + (STAMP + LOAD).format(0, "b3", 90, MADE) + "\n"
    assert why(log_of(tmp_path, {"b1": 10, "b2": 50}, 0.3, "b1", "b1", cut)) == ""


def test_cut_log_is_unknown_and_what_stands_before_the_cut_is_told(tmp_path: Path) -> None:
    whole = (REAL / "kill-owner" / "broker-1.log.gz").read_bytes()
    (tmp_path / "broker-1.log.gz").write_bytes(whole[:20_000])
    found = oneowner("decide", tmp_path)
    assert found.code == 3
    assert "10 placements, 10 as computed" in found.out
    assert "the gzip stream is cut short; what it says of placements is not known" in found.out


def test_placement_that_a_rounded_load_leaves_open_is_unknown(tmp_path: Path) -> None:
    log_of(tmp_path, {"b1": 10, "b2": 30}, 0.2, "b1, b2", "b2")
    assert oneowner("decide", tmp_path).code == 3


def test_placement_that_is_not_as_computed_is_invalid(tmp_path: Path) -> None:
    log_of(tmp_path, {"b1": 10, "b2": 50}, 0.3, "b1", "b2")
    assert oneowner("decide", tmp_path).code == 1
