"""The verb ``bugs`` gives the right answer to each public report: its bug, its subject, or the verb to ask."""

import pytest

from tests.command_line import oneowner
from tests.public_reports.cases import HERE, Case, cases


@pytest.mark.parametrize("case", cases("bugs"), ids=lambda case: case.name)
def test_bugs_gives_the_right_answer(case: Case) -> None:
    right = case.right["bugs"]
    outcome = oneowner("bugs", "--like", case.input)
    assert outcome.code == right["code"]
    if "first" in right:
        (first, *_) = oneowner("bugs", "--like", case.input, "--json", "-").json["bugs"]
        assert (first["name"], first["sure"]) == (right["first"], right["sure"])
        assert first["do"]
    for line in right.get("lines", ()):
        assert line in outcome.out


def test_every_case_has_a_right_answer_of_bugs() -> None:
    assert {case.name for case in cases("bugs")} == {path.name for path in (HERE / "inputs").iterdir()}
