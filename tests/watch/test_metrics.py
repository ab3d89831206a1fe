"""The text that Prometheus reads."""

import socket
import urllib.request
from collections import Counter

import pytest

from oneowner.checkers.recordings.live.channel_watch import Counts
from oneowner.checkers.verdict import Misuse
from oneowner.checkers.watch.metrics import serve
from oneowner.checkers.watch.readings import Reading, Readings


def test_metrics_tell_what_is_known() -> None:
    readings = Readings()
    port = serve(readings, 0, "127.0.0.1")
    counts = Counts(7, {"version": 2}, {"Owned": 3}, 1, 2500)
    readings.set("a", Reading(True, False, 1.5, counts, 2, 1), Counter({("version-chain", "violation"): 4}))
    readings.set("b", Reading(), Counter())
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    for line in (
        'oneowner_up{cluster="a"} 1.0',
        'oneowner_up{cluster="b"} 0.0',
        'oneowner_lag_seconds{cluster="a"} 1.5',
        'oneowner_records_total{cluster="a"} 7.0',
        'oneowner_refused_total{cluster="a",rule="version"} 2.0',
        'oneowner_units{cluster="a",state="Owned"} 3.0',
        'oneowner_in_flight{cluster="a"} 1.0',
        'oneowner_in_flight_longest_seconds{cluster="a"} 2.5',
        'oneowner_explained_units{cluster="a"} 2.0',
        'oneowner_behind_units{cluster="a"} 1.0',
        'oneowner_findings_total{cluster="a",law="version-chain",severity="violation"} 4.0',
    ):
        assert line in lines


def test_cluster_that_is_lost_is_printed_once() -> None:
    said: list[str] = []
    readings = Readings(say=said.append)
    for is_up in (True, True, False, False, True):
        readings.set("a", Reading(is_up), Counter())
    assert said == [
        "a: its channel cannot be read any more; reading is tried again",
        "a: its channel can be read again",
    ]


def test_port_that_is_taken_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(Misuse, match="another port, or 0"):
            serve(Readings(), taken.getsockname()[1], "127.0.0.1")
