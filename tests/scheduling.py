"""
The order in which pytest-xdist hands tests out: file by file, the longest first.

Tests of one file share their traces, searches and readings, and each process would do that anew. xdist's own
scheduler hands out test by test, and counts all tests that a process was ever given whenever one ends: of ten
thousand tests that costs a tenth of all the time, which goes up with the square of their number.
"""

from functools import cached_property

from xdist.scheduler import LoadGroupScheduling  # type: ignore[import-untyped]
from xdist.workermanage import WorkerController  # type: ignore[import-untyped]

LONGEST = (
    "spark", "chromium", "tests/engines/walks/test_walks.py", "tests/cli/test_extras.py", "tests/ledger/test_gate.py",
    "tests/ledger/test_blessing_kinds.py", "tests/ledger/test_exploring.py", "tests/engines/compile/test_watched.py",
    "tests/test_remote_files.py", "tests/recordings/fold/test_fold.py", "tests/comparison/test_page.py",
    "tests/ledger/test_referee.py", "tests/locks/test_schedules.py", "tests/streams_group/test_reconciler.py",
    "tests/lab/test_gates.py",
)  # fmt: skip
"""Groups, and files of few tests, that take longest; else one of them may be begun last, while other processes wait."""


class FileScheduling(LoadGroupScheduling):  # type: ignore[misc]
    """Hands out groups and whole files, first the longest, then those of the most tests."""

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """Forget what is done, so that to count what is left takes no longer from test to test."""
        nodeid = self.registered_collections[node][item_index]
        scope = self._split_scope(nodeid)
        left = self.assigned_work[node][scope]
        del left[nodeid]
        if not left:
            del self.assigned_work[node][scope]
        self._reschedule(node)

    def _split_scope(self, nodeid: str) -> str:
        group: str = super()._split_scope(nodeid)
        return nodeid.split("::", maxsplit=1)[0] if group == nodeid else group

    def _assign_work_unit(self, node: WorkerController) -> None:
        scope = next((one for one in LONGEST if one in self.workqueue), next(iter(self.workqueue)))
        self.assigned_work[node][scope] = self.workqueue.pop(scope)
        node.send_runtest_some([self._places[nodeid] for nodeid in self.assigned_work[node][scope]])

    @cached_property
    def _places(self) -> dict[str, int]:
        """The place of each test in the collection; the scheduler has made sure that all processes have the same."""
        return {nodeid: place for place, nodeid in enumerate(self.collection or [])}
