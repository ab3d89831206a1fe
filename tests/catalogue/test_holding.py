"""The laws that hold in a family, as its file pins them: by fingerprints, from which their names come back."""

from itertools import combinations

import pytest

from oneowner.checkers.catalogue import holding
from oneowner.checkers.catalogue.families import families
from oneowner.checkers.catalogue.holding import fingerprint, fingerprints_in, in_fingerprints, split
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.spec.systems import systems
from tests.command_line import VALIDATOR, oneowner


@pytest.mark.parametrize("system", systems())
def test_laws_of_a_system_have_fingerprints_of_their_own(system: str) -> None:
    laws = systems()[system].statuses
    assert len({fingerprint(law) for law in laws}) == len(laws)


def test_names_come_back_and_do_not_depend_on_their_order() -> None:
    laws = [*systems()["locks"].statuses]
    for held in combinations(laws, 3):
        text = in_fingerprints(held)
        assert text == in_fingerprints(reversed(held))
        marks = fingerprints_in(text)
        assert marks is not None
        assert split(marks, laws) == ([law for law in laws if law in held], [])
    assert fingerprints_in(in_fingerprints([])) == []


def test_fingerprint_of_no_known_law_is_kept_apart() -> None:
    assert split([fingerprint("a-law"), fingerprint("gone")], ["a-law", "other"]) == (["a-law"], [fingerprint("gone")])


@pytest.mark.parametrize("text", ["", "laws", "1 law", "2 laws, abc", "1 law, abcdef", "2 laws, abcabc", "1 law, ab!"])
def test_text_that_does_not_fit_its_number_is_damaged(text: str) -> None:
    assert fingerprints_in(text) is None


def test_two_laws_of_one_fingerprint_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "fingerprint", lambda law: "abc")
    with pytest.raises(Misuse, match="other and a-law have the same fingerprint"):
        split(["abc"], ["a-law", "other"])


def test_family_that_is_named_is_listed_with_the_verdict_on_each_law() -> None:
    found = oneowner("list", "families", "shutdown", "shutdown@3.3.6", "--json", "-")
    assert found.code == 0
    VALIDATOR.validate(found.json)
    own, other = found.json["list"]
    family = families()["shutdown"]
    assert own["verdicts"] == {law: pin.value for law, pin in {**family.laws, **family.liveness}.items()}
    held = [law for law, verdict in own["verdicts"].items() if verdict == Verdict.VALID]
    assert len(held) == own["ledger"]["laws"]["valid"] > 50
    assert (own["verdicts"]["leader-caught-up"], other["verdicts"]["leader-caught-up"]) == ("valid", "invalid")
    assert all(f"  - {law}" in found.err for law in held)
