"""Crafted states and steps that break the laws of load data."""

from oneowner.model.load_data.bounds import Bounds
from oneowner.model.load_data.state import Report, State
from oneowner.spec.load_data.system import SYSTEM
from tests.cells import where
from tests.crafted_laws import Cells, LawCases

KEPT: Cells = {"registered": {2: False}, "up": {2: False}, "view": {(1, 2): Report.OLD}}
"""Broker 2 has gone, and broker 1, the leader, still has its report."""

START = where(State(Bounds(shutdowns=1)), view={(1, 1): Report.FRESH, (1, 2): Report.FRESH})

STATES: dict[str, Cells] = {
    "sorted-are-registered": KEPT,
}

EXCUSED: dict[str, list[Cells]] = {
    "sorted-are-registered": [
        {"registered": {2: True}},
        {"view": {(1, 2): Report.NONE}},
        {"leader": 0},
        {"role_due": {1: True}},
    ],
}

CASES = LawCases(
    SYSTEM,
    START,
    states=STATES,
    excused=EXCUSED,
    spare_switches=frozenset({"cleans_up_itself", "stops_reporting"}),
)
