"""Laws of logs: quick readers against the laws as they are written, random logs, the ledger, the telling."""

from dataclasses import replace
from pathlib import Path

import pytest

from oneowner.checkers.catalogue.families import log_faults
from oneowner.checkers.catalogue.faults import KILLED, LogFault
from oneowner.checkers.compaction_logs import log_rows as ledger_module
from oneowner.checkers.compaction_logs.alphabets import ALPHABETS, ORDINARY, Drawing
from oneowner.checkers.compaction_logs.growing_logs import FOLLOWED
from oneowner.checkers.compaction_logs.log_faults import survival
from oneowner.checkers.compaction_logs.log_judging import (
    LAWS,
    Judgement,
    every_log,
    judge_as_written,
    judge_every_log,
    judge_random_logs,
)
from oneowner.checkers.compaction_logs.log_rows import differences, judged, ledger
from oneowner.checkers.compaction_logs.log_story import tell
from oneowner.checkers.ledger.gate_rows import check_counterexample
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.channel.record import is_buildable
from oneowner.model.kernel.law import Status
from oneowner.spec.channel.entries import DELETED_IS_NOT_KEPT, ENTRIES_TRANSPARENT
from tests.command_line import oneowner, refused

READ_ONLY = [name for name in LAWS if name in FOLLOWED]
"""The laws that the readers of a log decide."""


def counts(judgement: Judgement) -> dict[str, tuple[int, int, object]]:
    return {name: (one.exercised, one.broken, one.shortest) for name, one in judgement.laws.items()}


@pytest.mark.parametrize(("alphabet", "longest"), [("ordinary", 2), ("with-init", 2), ("around-the-wrap", 3)])
def test_readers_say_of_every_log_what_the_laws_say_as_written(alphabet: str, longest: int) -> None:
    quick = judge_every_log(ALPHABETS[alphabet], longest)
    slow = judge_as_written(every_log(ALPHABETS[alphabet], longest), READ_ONLY)
    assert quick.logs == slow.logs == sum(len(ALPHABETS[alphabet]) ** length for length in range(1, longest + 1))
    assert counts(quick) == counts(slow)


def test_readers_say_of_random_logs_what_the_laws_say_as_written() -> None:
    drawing = Drawing(7)
    slow = judge_as_written((drawing.draw(number) for number in range(12)), READ_ONLY)
    assert counts(judge_random_logs(7, 12)) == counts(slow)


def test_laws_of_order_hold_of_random_logs() -> None:
    drawing, names = Drawing(3), [name for name in LAWS if name not in READ_ONLY]
    by_entries = [ENTRIES_TRANSPARENT.name, DELETED_IS_NOT_KEPT.name]  # a long log is cut in too many ways
    of_order = [name for name in names if name not in by_entries]
    found = judge_as_written((drawing.draw(number) for number in range(200)), of_order)
    assert {name: (found.laws[name].exercised, found.laws[name].broken) for name in of_order} == dict.fromkeys(
        of_order, (200, 0)
    )


def test_random_logs_are_the_same_for_the_same_seed() -> None:
    assert [Drawing(5).draw(number) for number in range(5)] == [Drawing(5).draw(number) for number in range(5)]
    assert Drawing(5).draw(0) != Drawing(6).draw(0)


def test_alphabet_has_the_size_of_the_issue_and_only_what_pulsar_can_build() -> None:
    assert len(set(ORDINARY)) == len(ORDINARY) >= 12
    assert all(is_buildable(record) for record in ORDINARY[1:])
    assert ledger()["ordinary"].longest == 5


@pytest.mark.parametrize("name", ["around-the-wrap", pytest.param("two-units", marks=pytest.mark.slow)])
def test_logs_are_judged_as_pinned(name: str) -> None:
    row = ledger()[name]
    assert differences(row, judged(row)) == []


def test_wrong_pin_is_told() -> None:
    row = ledger()["two-units"]
    assert differences(row, Judgement())[0] == "0 logs; 1,884 are pinned"


def test_every_law_has_a_row_that_exercises_it_and_is_pinned_by_its_status() -> None:
    for name, law in LAWS.items():
        verdicts = {row.laws[name].verdict for row in ledger().values()} - {Verdict.UNKNOWN}
        assert verdicts, name
        assert (Verdict.INVALID in verdicts) == (law.status == Status.DOCUMENTED), name


def test_shortest_counterexample_is_told_record_by_record() -> None:
    found = judge_every_log(ALPHABETS["ordinary"], 3)
    law = LAWS["lagging-reader-without-gap-rule"]
    log = found.laws[law.name].shortest
    assert log is not None
    assert tell(law, log) == [
        "A reader of the whole log:",
        "  record 1: Assigning(1) v1 is accepted",
        "  record 2: Owned(1) v2 is accepted",
        "  record 3: Releasing(2, from 1) v3 is accepted",
        "A compaction of the first 3 records keeps Releasing(2, from 1) v3 (record 3).",
        "A reader that has read 1 record of the log and then reads what was kept:",
        "  record 1: Assigning(1) v1 is accepted",
        "  kept 3: Releasing(2, from 1) v3 is refused: version 3 is not the next one, 2",
        "It ends with Assigning(1) v1, the reader of the whole log with Releasing(2, from 1) v3.",
    ]


@pytest.mark.parametrize("fault", log_faults().values(), ids=lambda fault: fault.name)
def test_fault_of_logs_is_killed_by_its_law_as_pinned_and_told(fault: LogFault) -> None:
    assert survival(fault) == []
    assert LAWS[fault.law].status != Status.DOCUMENTED
    assert fault.title in fault.scenario.read_text()


def test_fault_of_logs_that_is_not_as_pinned_says_why() -> None:
    fault = log_faults()["split_batch_entries"]
    assert survival(replace(fault, steps=3)) == ["entries-transparent fails by a log of 2 records, but 3 are pinned"]
    assert survival(replace(fault, rules={}))[0].startswith("entries-transparent does not fail with it")
    assert survival(replace(fault, law="keep-last-transparent"))[0].startswith("keep-last-transparent is not pinned")
    untold = survival(replace(fault, title="Another"))
    assert untold == ["entries-transparent.txt does not tell the shortest log that breaks entries-transparent"]
    assert check_counterexample("split_batch_entries/entries-transparent.txt") == (KILLED, KILLED, [], None)


def test_every_broken_law_can_be_told() -> None:
    for alphabet in ("ordinary", "with-init", "around-the-wrap"):
        found = judge_every_log(ALPHABETS[alphabet], 3)
        for name, tally in found.laws.items():
            if tally.shortest is not None:
                assert len(tell(LAWS[name], tally.shortest)) > 3


def test_command_prints_what_is_pinned_and_exits_by_it() -> None:
    found = oneowner("logs", "around-the-wrap")
    assert found.code == 0
    assert "keep-last-transparent [documented] fails:" in found.out
    refused(oneowner("logs", "two-unit"), "did you mean two-units")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("by: random", "by: readers", "random ones have a seed"),
        ("alphabet: ordinary", "alphabet: ordinry", "ordinary"),
        ("verdict: valid", "verdict: vlid", "verdict"),
        ("logs: with-init", "logs: ordinary", "one of that name already"),
    ],
)
def test_ledger_with_a_mistake_is_refused_by_file_and_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = tmp_path / "logs.yaml"
    path.write_text(ledger_module.LEDGER.read_text().replace(old, new, 1))
    with pytest.raises(Misuse, match=words) as refused:
        ledger(path)
    assert f"{path}:" in str(refused.value)
