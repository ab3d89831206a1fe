"""Every public report has a right answer by the door that a user takes, and the documents show it."""

from collections import Counter
from typing import Final

import pytest

from oneowner.checkers.places import TOP
from tests.command_line import oneowner
from tests.public_reports.cases import HERE, Answer, Case, cases, table

PAGE: Final = TOP / "docs" / "reference" / "public-reports.md"
EVERY: Final = cases("now")
COMMANDS: Final = [(case, answer) for case in EVERY for answer in case.answers]


@pytest.mark.parametrize(("case", "answer"), COMMANDS, ids=[f"{one.name} {to.command[:12]}" for one, to in COMMANDS])
def test_command_gives_the_right_answer(case: Case, answer: Answer) -> None:
    found = oneowner(*case.arguments(answer))
    assert found.code == answer.code
    assert answer.line in found.said


def test_every_folder_has_a_right_answer() -> None:
    assert [case.name for case in EVERY] == sorted(path.name for path in (HERE / "inputs").iterdir())
    assert all(case.answers for case in EVERY)


def test_none_is_wrong_or_nothing_and_the_page_counts_them() -> None:
    now = Counter(case.right["now"] for case in EVERY)
    assert set(now) <= {"R", "P"}
    before = Counter(case.right["then"] for case in EVERY)
    text = PAGE.read_text(encoding="utf-8")
    for word, counts in (("before", before), ("now", now)):
        assert f"| {word} | {' | '.join(str(counts[verdict]) for verdict in 'RPNW')} |" in text


def test_page_has_the_table() -> None:
    assert "\n".join(table()) in PAGE.read_text(encoding="utf-8")
