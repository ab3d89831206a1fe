"""A packed log is the list that it stands for, and judged by it a run is what it is when all is in memory."""

import pickle
from contextlib import nullcontext
from pathlib import Path

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.recordings.fold.outcomes import sort_key
from oneowner.checkers.recordings.fold.runs import Options, find_runs
from oneowner.checkers.recordings.laws import judged_apart
from oneowner.checkers.recordings.laws.registry import SCENE_LAWS
from oneowner.checkers.recordings.laws.scene_verdict import Evidence, judge_scene
from oneowner.checkers.recordings.read.partition import Executor, in_processes
from oneowner.checkers.recordings.read.producer_names import ACCEPTED, CREATED
from oneowner.checkers.recordings.scene import line_store, packed_logs, run_files
from oneowner.checkers.recordings.scene.citations import cite
from oneowner.checkers.recordings.scene.gather import gather
from oneowner.checkers.recordings.scene.packed_logs import PackedLog, of_kinds, pieces_of, producers_of, times_of
from tests.recordings.elsewhere import WhereLinesWait, elsewhere
from tests.recordings.laws.crafted import B1, channel, message, printed, said, scene
from tests.recordings.laws.recorded import SHORT, gathered, of_run

KINDS = ("handle-request", "elected", "skipped", "session-event", "handle-request", "handled", "registered")
LINES = [said(number, 1_000 - number, kind) for number, kind in enumerate(KINDS)]
LINES.append(said(7, 0, "producer-created", producer="p"))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_logs, "BLOCK", 3)


def test_lines_that_say_whose_a_producer_is_are_never_packed_away() -> None:
    block = packed_logs.block_of([said(0, 1, CREATED, producer="p"), said(1, 2, ACCEPTED), said(2, 3, KINDS[0])])
    assert [line.event for line in block.kept.values()] == [CREATED, ACCEPTED]  # read_logs asks nobody else


def test_packed_log_is_the_list_that_it_stands_for() -> None:
    log = PackedLog.of(LINES)
    assert list(log) == LINES
    assert [log[number] for number in range(-len(LINES), len(LINES))] == LINES + LINES
    assert list(times_of(log)) == times_of(LINES)
    assert pieces_of(log) == pieces_of(LINES)
    assert producers_of(log) == producers_of(LINES) == {"p"}
    with pytest.raises(IndexError):
        log[len(LINES)]


def test_slices_of_a_packed_log_are_slices_of_the_list() -> None:
    for first in range(-1, len(LINES) + 2):
        for last in range(-1, len(LINES) + 2):
            log, lines = PackedLog.of(LINES)[first:last], LINES[first:last]
            assert list(log) == lines
            assert len(log) == len(lines)
            assert of_kinds(log, "elected", "registered") == of_kinds(lines, "elected", "registered")
            assert of_kinds(log, "handled", "elected") == of_kinds(lines, "handled", "elected")
            assert list(log[1:]) == lines[1:]
            assert list(log[::-1]) == lines[::-1]


def test_lines_that_are_named_when_all_are_read_stay_the_same_objects() -> None:
    log = PackedLog.of(LINES)
    assert log[7] == LINES[7]
    assert next(line for line in log if line.event == CREATED) is log[7]


RECORDINGS = sorted(path.name for path in (TOP / "traces" / "real").iterdir() if path.is_dir())


def shown(evidence: Evidence) -> str:
    """All events, with lines as they are cited."""
    happened = [
        (one._replace(evidence=()), [cite(line) for line in one.evidence]) for one in evidence.background.happenings
    ]
    findings = sorted(evidence.findings, key=lambda one: sort_key(0, one))
    background = evidence.background._replace(happenings=())
    return repr((evidence._replace(findings=tuple(findings), background=background), happened))


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [of_run(name, named=name, quick=SHORT) for name in RECORDINGS])
def test_run_on_disk_is_what_it_is_in_memory(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_logs, "BLOCK", 100)
    whole = judge_scene(*gathered(name))
    monkeypatch.setattr(run_files, "MOST_IN_MEMORY", 0)
    run = find_runs([str(TOP / "traces" / "real" / name)], Options())[0]
    assert shown(judge_scene(*gather(run, Options()))) == shown(whole)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [of_run(name, named=name, quick=SHORT) for name in RECORDINGS])
def test_run_whose_parts_others_judge_is_what_it_is_here(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_logs, "BLOCK", 100)
    whole = judge_scene(*gathered(name))
    run = find_runs([str(TOP / "traces" / "real" / name)], Options())[0]
    assert shown(judge_scene(*gather(run, Options(), elsewhere, is_packed=True), executor=elsewhere)) == shown(whole)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [of_run(name, named=name, quick=SHORT) for name in RECORDINGS])
def test_run_whose_lines_wait_on_a_cluster_is_what_it_is_here(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part has its own brokers' lines, and of the others those that laws ask for by kinds."""
    monkeypatch.setattr(packed_logs, "BLOCK", 100)
    whole = judge_scene(*gathered(name))
    run, cluster = find_runs([str(TOP / "traces" / "real" / name)], Options())[0], WhereLinesWait()
    found, coverage = gather(run, Options(), cluster, is_packed=True)
    logs = [sorted(lines.store.items) for lines in found.said.values() if isinstance(lines, PackedLog)]
    assert shown(judge_scene(found, coverage, executor=cluster)) == shown(whole)
    assert sorted(cluster.brought) == sorted(logs * 2)  # for tables, and for laws


def waiting(name: str, monkeypatch: pytest.MonkeyPatch) -> PackedLog:
    """Return a log of a run whose blocks wait on a cluster, as its judge reads it."""
    monkeypatch.setattr(packed_logs, "BLOCK", 100)
    run = find_runs([str(TOP / "traces" / "real" / name)], Options())[0]
    found, _ = gather(run, Options(), WhereLinesWait(), is_packed=True)
    log = next(iter(found.said.values()))
    assert isinstance(log, PackedLog)
    copied = pickle.loads(pickle.dumps(log, 5))
    assert isinstance(copied, PackedLog)
    return copied


def test_lines_of_another_broker_are_no_lines_where_they_did_not_go(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LookupError, match="where it is not"):
        list(waiting("healthy", monkeypatch))


def test_blocks_that_went_astray_are_no_shorter_log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="bytes of a file 0 are here"):
        waiting("healthy", monkeypatch).store.take([], str(tmp_path))


@pytest.mark.parametrize(("fit", "processes"), [(None, 3), (9, 3), (2.5, 2), (0.5, 1), (0, 1)])
def test_longer_logs_are_judged_by_fewer_processes_and_never_here(
    fit: float | None, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many parts *fit* into half of the free memory; None: the system does not report it."""
    monkeypatch.setattr(judged_apart, "LEAST_AT_ONCE", 0)
    asked: list[int] = []

    def processes_of(number: int) -> nullcontext[Executor]:
        asked.append(number)
        return nullcontext(elsewhere)

    monkeypatch.setattr(judged_apart, "processes", processes_of)
    monkeypatch.setattr(judged_apart, "LocalParts", lambda *_: pytest.fail("it is judged here"))
    run = find_runs([str(TOP / "traces" / "real" / "healthy")], Options())[0]
    found, coverage = gather(run, Options(), elsewhere, is_packed=True)
    of_part = judged_apart.BYTES_OF_LINE * sum(map(len, found.said.values())) / 3
    free = None if fit is None else int(2 * fit * of_part)
    monkeypatch.setattr(judged_apart, "free_memory", lambda: free)
    assert judge_scene(found, coverage, executor=in_processes).rows
    assert asked == [processes]


def test_torn_copy_of_a_channel_is_never_a_shorter_one() -> None:
    whole = gathered("split")[0].channel
    text = pickle.dumps(whole, 5)
    assert pickle.loads(text).timeline == whole.timeline
    for size in range(0, len(text), 97):
        with pytest.raises((EOFError, pickle.UnpicklingError)):
            pickle.loads(text[:size])


def test_step_goes_without_the_others_of_its_channel() -> None:
    whole = gathered("split")[0].channel
    for step in whole.timeline:
        alone = pickle.loads(pickle.dumps(step, 5))
        assert (alone, alone.place, cite(alone)) == (step, -1, cite(step))
        assert len(pickle.dumps(step, 5)) < 2_000


def test_laws_of_views_open_no_block_of_a_run_in_which_nothing_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """A law that asks for every line of it would take as long as reading the log, and keep a broker's lines."""
    records = [printed("Assigning", 1, B1, timestamp=n) for n in range(300)]
    messages = [message(n, 100 + n, record, f"t/n{n}/0x00000000_0xffffffff") for n, record in enumerate(records)]
    lines = [
        said(n, 101 + n, "handle-request", f"t/n{n}/0x00000000_0xffffffff", data=record, handled=n + 1)
        for n, record in enumerate(records)
    ]
    begun = said(0, 1, "channel-tableview-started")
    run = scene(channel=channel(*messages), said={B1: PackedLog.of([begun, *lines])}, brokers=(B1,))
    opened, block = set[int](), line_store.Store.block

    def open_block(store: line_store.Store, number: int) -> line_store.OpenBlock:
        opened.add(number)
        return block(store, number)

    monkeypatch.setattr(line_store.Store, "block", open_block)
    names = {
        "refused-is-not-handled", "accepted-is-not-skipped", "handled-is-in-dump", "counters-count",
        "accepted-is-handled", "view-lag", "threads-write-in-order", "clocks-agree",
    }  # fmt: skip
    evidence = judge_scene(run, laws=[law for law in SCENE_LAWS if law.name in names], parts=1)
    exercised = dict(evidence.reports) | {row.law: row.exercised for row in evidence.rows}
    assert exercised.keys() == names
    assert exercised["refused-is-not-handled"] == exercised["accepted-is-handled"] == 300
    assert (evidence.findings, opened) == ((), {0, 100})  # where the view begins, and the last line, when it ended
