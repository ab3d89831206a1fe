"""Laws report nothing, and have no doubt, of recordings without a violation of theirs."""

from collections.abc import Iterator
from typing import Any

import pytest

from oneowner.checkers.recordings.laws.scene_law import SceneLaw
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.cases import LAWS
from tests.recordings.laws.recorded import of_run, recorded

EVERY_RUN = (
    "healthy healthy-quiet transfer shedding split kill-owner kill-mid-transfer compaction delete-decommission "
    "metadata-store zombie leader-hang zk-partition zk-partition-metadata zk-restart zk-restart-metadata "
    "rolling-restart"
)
NO_ANSWER_IS_STALE = " ".join(run for run in EVERY_RUN.split() if run != "zk-restart-metadata")
VIEWS_GO_ON = " ".join(run for run in EVERY_RUN.split() if run not in ("zk-restart", "rolling-restart"))

AT_LEAST = (
    # laws, occasions at least, recordings
    ("dual-serving", 501, "healthy healthy-quiet transfer shedding kill-owner metadata-store"),
    ("claims-are-owned", 501, "healthy healthy-quiet transfer shedding split kill-mid-transfer"),
    (
        "owner-answers lookups-are-answered others-answer-too", 1,
        "healthy healthy-quiet transfer shedding kill-owner zombie",
    ),
    ("lookup-follows-the-log", 1_001, NO_ANSWER_IS_STALE),
    ("lookups-are-monotone", 1_001, EVERY_RUN),
    ("refused-is-not-handled", 61, EVERY_RUN),
    ("accepted-is-not-skipped handled-is-in-dump counters-count", 0, EVERY_RUN),
    (
        "accepted-is-handled", 71,
        "healthy transfer shedding split kill-owner kill-mid-transfer compaction delete-decommission zombie "
        "leader-hang zk-partition zk-restart",
    ),
    ("view-lag", 71, "healthy transfer shedding split metadata-store"),
    ("view-stops", 0, VIEWS_GO_ON),
    ("sent-once", 21, "healthy healthy-quiet transfer shedding split rolling-restart"),
    (
        "live-broker-is-registered somebody-is-registered", 3,
        "healthy healthy-quiet transfer shedding split kill-owner compaction",
    ),
    (
        "somebody-leads leader-is-registered one-believes-to-lead one-leader-node", 1,
        "healthy healthy-quiet transfer shedding rolling-restart",
    ),
    ("role-is-taken", 3, "healthy healthy-quiet transfer shedding compaction metadata-store"),
    ("assigned-to-the-dead", 0, "healthy transfer shedding kill-owner zombie"),
    ("recovery-stalled", 1, "kill-owner"),
    (
        "cleanup-is-by-the-leader", 1,
        "kill-owner kill-mid-transfer metadata-store zombie leader-hang zk-partition zk-partition-metadata zk-restart "
        "rolling-restart delete-decommission compaction",
    ),
    ("recovery-runs", 1, "kill-owner kill-mid-transfer metadata-store zk-partition"),
    (
        "recovery-is-stable no-broker-exits-by-itself redirects-end", 1,
        "healthy transfer shedding kill-mid-transfer delete-decommission",
    ),
    (
        "done-as-asked refusal-is-told", 0,
        "healthy healthy-quiet shedding compaction kill-owner metadata-store",
    ),
    ("boundary-is-never-lost", 1, "split healthy-quiet metadata-store delete-decommission healthy"),
    (
        "clocks-agree", 11,
        "healthy healthy-quiet transfer shedding zombie metadata-store rolling-restart compaction",
    ),
)  # fmt: skip

EXACTLY = {
    "accepted-is-not-skipped": {"transfer": 93, "split": 45, "healthy-quiet": 15},
    "publisher-is-entitled": {
        "healthy": 12, "healthy-quiet": 124, "transfer": 775, "shedding": 13, "split": 88, "kill-owner": 75,
        "kill-mid-transfer": 657, "compaction": 427, "delete-decommission": 85, "metadata-store": 264, "zombie": 38,
        "leader-hang": 18, "zk-partition": 34, "zk-partition-metadata": 35, "zk-restart": 159,
        "zk-restart-metadata": 29, "rolling-restart": 63,
    },
    "orphans-are-reassigned": dict.fromkeys(("healthy", "healthy-quiet", "transfer", "shedding"), 0),
    "recovery-stalled": dict.fromkeys(("healthy", "healthy-quiet", "transfer", "shedding"), 0),
    "recovery-runs": dict.fromkeys(("healthy", "healthy-quiet", "transfer", "shedding", "split"), 0),
    "cleanup-hits-the-dead": dict.fromkeys(("healthy", "healthy-quiet", "transfer", "shedding", "split"), 0),
    "cleanup-is-by-the-leader": dict.fromkeys(("healthy", "healthy-quiet", "transfer", "shedding", "split"), 0),
    "cleanup-is-called-off": dict.fromkeys(("healthy", "healthy-quiet", "transfer", "shedding", "split"), 0),
    "split-reaches-the-policies": {"split": 16, "healthy-quiet": 3, "metadata-store": 3, "healthy": 0},
}  # fmt: skip
"""The number of occasions of a law in a recording."""


def judged_runs() -> Iterator[Any]:
    """Yield each law with a recording of which it is quiet, and how often it has occasion: at least, at most."""
    for laws, least, runs in AT_LEAST:
        for law in laws.split():
            for run in runs.split():
                yield of_run(run, LAWS[law], least, None, named=f"{law}-{run}")
    for law, counts in EXACTLY.items():
        for run, count in counts.items():
            yield of_run(run, LAWS[law], count, count, named=f"{law}-{run}-{count}")


@pytest.mark.sample(62)
@pytest.mark.parametrize(("run", "law", "least", "most"), list(judged_runs()))
def test_law_is_quiet_of_a_recording(run: str, law: SceneLaw, least: int, most: int | None) -> None:
    judged = law.judge(recorded(run))
    assert (judged.findings, judged.doubts) == ([], [])
    assert least <= judged.exercised
    assert most is None or judged.exercised <= most


@pytest.mark.parametrize("law", ["unit-is-available", "in-flight-time"])
@pytest.mark.parametrize(
    "run",
    [of_run(run, named=run) for run in ("healthy", "healthy-quiet", "transfer", "shedding", "split", "kill-owner")],
)
def test_report_of_times_is_one_note_of_a_run_in_order(run: str, law: str) -> None:
    judged = LAWS[law].judge(recorded(run))
    assert [found.severity for found in judged.findings] == [Severity.NOTE]
    assert judged.exercised > 0
