"""The verb ``prove``."""

from dataclasses import replace

import pytest

from oneowner.checkers.cli import prove as verb
from oneowner.checkers.cli.prove import summary, verdict_of
from oneowner.checkers.engines.prove.proof import Proven
from oneowner.checkers.ledger.lemma_check import complaint
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.lemma import PROVED, REFUTED, UNKNOWN
from oneowner.spec.channel.system import SYSTEM
from oneowner.spec.channel.version_lemmas import VERSIONS_INCREASE, VERSIONS_INCREASE_ALWAYS
from oneowner.spec.systems import lemmas
from tests.command_line import VALIDATOR, oneowner, refused


@pytest.fixture
def in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb, "in_parallel", lambda work, names, on_progress: {name: work(name) for name in names})


NAMES = (VERSIONS_INCREASE.name, VERSIONS_INCREASE_ALWAYS.name)


def test_prove_writes_what_the_schema_says() -> None:
    found = oneowner("prove", *NAMES, "--json", "-")
    assert found.code == 0, found.said
    VALIDATOR.validate(found.json)
    proved, refuted = found.json["lemmas"]
    assert (proved["verdict"], refuted["verdict"]) == ("proved", "refuted")
    assert proved["mutant"]["witness"].keys() == refuted["witness"].keys() == {"held", "proposed"}
    assert "9223372036854775807" in refuted["witness"]["held"]


@pytest.mark.usefixtures("in_one_process")
def test_prove_shows_a_named_lemma_in_words_and_in_python() -> None:
    found = oneowner("prove", *NAMES)
    assert found.code == 0
    assert "def version_grows(held: Record, proposed: Record) -> bool:" in found.out
    assert "its mutant (they increase by one: the gap rule lets more in) is false for:" in found.out
    assert "false for:" in found.out
    assert found.out.rstrip().endswith("prove, 1 proved, 1 refuted: valid")


def test_prove_refuses_an_unknown_lemma() -> None:
    refused(oneowner("prove", "versions-increse"), "no such lemma: versions-increse", "versions-increase")


@pytest.mark.usefixtures("in_one_process")
def test_prove_is_invalid_if_a_lemma_is_not_as_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = replace(VERSIONS_INCREASE_ALWAYS, expected=PROVED, mutant=VERSIONS_INCREASE.mutant)
    monkeypatch.setattr(verb, "lemmas", lambda: {wrong.name: (wrong, SYSTEM)})
    found = oneowner("prove", wrong.name)
    assert found.code == 1
    assert f"{wrong.name}: refuted, and not proved" in found.out


def test_lemma_that_is_unknown_makes_the_verdict_unknown() -> None:
    found = Proven("any", UNKNOWN, reason="z3 cannot tell within 20 s (timeout)")
    assert verdict_of(VERSIONS_INCREASE, found) == Verdict.UNKNOWN
    assert complaint(VERSIONS_INCREASE, found) == "z3 cannot tell within 20 s (timeout)"


def test_lemma_that_is_proved_against_expectation_is_invalid() -> None:
    assert verdict_of(VERSIONS_INCREASE_ALWAYS, Proven("any", PROVED)) == Verdict.INVALID
    assert verdict_of(VERSIONS_INCREASE_ALWAYS, Proven("any", REFUTED)) == Verdict.VALID


def test_summary_counts() -> None:
    found = {name: Proven(name, verdict) for name, verdict in zip("abc", (PROVED, REFUTED, PROVED), strict=True)}
    assert summary(found) == "prove, 2 proved, 1 refuted"


@pytest.mark.usefixtures("in_one_process")
def test_counterexample_to_induction_is_printed_as_two_states() -> None:
    found = oneowner("prove", "single-owner-closed-late", "--json", "-").json["lemmas"][0]
    before, after = found["witness"]["before"], found["witness"]["after"]
    assert before.startswith("the history ends with ")
    assert after.startswith("the history ends with ")
    assert "serves, has let go" in after
    assert "serves, has let go" not in before


def test_list_names_every_lemma() -> None:
    listed = oneowner("list", "lemmas", "--json", "-").json["list"]
    assert [row["name"] for row in listed] == list(lemmas())
