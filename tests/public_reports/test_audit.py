"""The verb ``audit``, given the logs of a public report alone, names the known bug below its first line."""

import pytest

from oneowner.checkers.bugs.known_bugs import known_bugs
from tests.command_line import REAL, RUN, oneowner
from tests.public_reports.cases import Case, cases

LOGGED = [case for case in cases("bugs") if [*case.input.glob("*.log")]]


@pytest.mark.parametrize("case", LOGGED, ids=lambda case: case.name)
def test_audit_of_logs_alone_names_a_bug_that_is_certain_or_likely(case: Case) -> None:
    right = case.right["bugs"]
    found = oneowner("audit", case.input)
    below = found.out.splitlines()[1]
    assert found.code == 3
    assert below.endswith(f": oneowner bugs --like {case.input}")
    if "first" in right:
        is_sure = right["sure"] in ("certain", "likely")
        assert ("looks like apache/pulsar#" in below) == is_sure
        assert (known_bugs()[right["first"]].title in below) == is_sure
    else:
        assert "looks like" not in below
    assert below in oneowner("audit", case.input, "--json", "-").json["reasons"]


def test_audit_of_a_recording_with_its_channel_has_an_answer_of_its_own() -> None:
    assert "oneowner bugs --like" not in oneowner("audit", REAL / RUN).out
