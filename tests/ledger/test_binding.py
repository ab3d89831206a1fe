"""The binding table: every action has a declaration, each statement exists, and a broken one is refused by its line."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from oneowner.checkers.coverage.seen_on_clusters import Seen, seen_actions
from oneowner.checkers.documents import parse_document
from oneowner.checkers.ledger.binding import PATH, Line, bindings, bindings_in, shown_by
from oneowner.checkers.ledger.conformance_pins import PINS, counts_in
from oneowner.checkers.recordings.explain.model_steps import REGISTRY
from oneowner.checkers.recordings.read.log_patterns import class_of
from oneowner.checkers.verdict import Misuse
from oneowner.checkers.yaml_text import data_of
from oneowner.spec.channel.system import SYSTEM
from tools.binding_statements import FOUND, named_by_words, prints
from tools.log_statements import written

TEXT = PATH.read_text(encoding="utf-8")


def test_every_action_has_evidence_or_a_reason() -> None:
    assert list(bindings()) == list(dict.fromkeys(one.name for one in SYSTEM.declared))


def test_action_that_no_cluster_has_shown_has_a_reason() -> None:
    assert [one.name for one in seen_actions() if one.seen == Seen.NEVER and not one.reason] == []


def test_action_beyond_clusters_was_never_seen() -> None:
    seen = {one.name for one in seen_actions() if one.seen != Seen.NEVER}
    assert [name for name, one in bindings().items() if one.beyond and name in seen] == []


def test_rule_of_a_reason_has_one_value_in_all_releases() -> None:
    named = [rule for one in bindings().values() for rule in re.findall(r"\((\w+_\w+)\)", one.beyond)]
    assert named
    for rule in named:
        assert len({getattr(rules, rule) for rules in SYSTEM.releases.values()}) == 1, rule


def test_registry_steps_of_explanations_are_those_declared() -> None:
    of_registry = {name for name, one in bindings().items() if one.explained == "registry"}
    assert of_registry == REGISTRY.keys() - {"read"}


def test_observed_actions_of_recordings_are_declared() -> None:
    rows = data_of(PINS.read_text(encoding="utf-8")).values()
    observed = {name for row in rows for name in counts_in(row, "observed-actions")}
    assert observed <= {name for name, one in bindings().items() if one.explained}


def test_statement_named_by_its_words_is_one_of_pulsar() -> None:
    rows = [tuple(line.split("\t")[:2]) for line in FOUND.read_text(encoding="utf-8").splitlines()]
    rows += [(class_of(one.logger), one.text) for one in written()]
    assert named_by_words()
    for statement in named_by_words():
        assert any(prints(statement, cls, text) for cls, text in rows), statement


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("look_up:\n", "look_upp:\n", "no such action: look_upp"),
        ("lose:\n  hidden:", "lose:\n  hiden:", "no such key: hiden"),
        ("lose:\n  hidden: what", "lose:\n  needs: what", "lose has neither evidence nor a reason"),
        ("{id: owner-selected}", "{id: owner-selektiert}", "no such log line: owner-selektiert"),
        ("{subject: self}", "{subjekt: self}", "no such field: subjekt"),
        ("{subject: self}", "{subject: '('}", "regular expression refused"),
        ("again: true}]\nbegin", "again: maybe}]\nbegin", "again refused"),
        ("after: channel-started", "after: channel-begun", "no such log line or action: channel-begun"),
        ("as: [assign]", "as: [assing]", "no such action: assing"),
        ("begin_wait:\n", "begin_wait:\n  hidden: none\n", "beyond refused for begin_wait"),
    ],
)
def test_broken_declaration_is_refused_by_file_and_line(before: str, after: str, words: str) -> None:
    assert before in TEXT
    broken = TEXT.replace(before, after, 1)
    with pytest.raises(Misuse) as refused:
        bindings_in(parse_document(Path("binding.yaml"), broken))
    place, line, complaint = str(refused.value).split(":", 2)
    assert (place, words in complaint) == ("binding.yaml", True), str(refused.value)
    assert abs(int(line) - (TEXT[: TEXT.index(before)].count("\n") + 1)) <= 3


def test_missing_action_is_refused() -> None:
    with pytest.raises(Misuse, match="the action lose is missing"):
        bindings_in(
            parse_document(
                Path("binding.yaml"),
                TEXT.replace("lose:\n  hidden: what a killed process had yet to send is nowhere\n", ""),
            )
        )


def shown(*lines: tuple[str, Mapping[str, object]]) -> list[str]:
    """Return the actions that some lines of broker a:1 show."""
    return [action for action, _ in shown_by([Line("", "", event, values) for event, values in lines], "a:1")]


def test_fields_tell_actions_apart_that_print_the_same() -> None:
    def override(inactive: str | None, record: str) -> list[str]:
        return shown(("override", {"inactive": inactive, "override": record}))

    assert override("a:1", "Owned(2) v3") == ["drain"]
    assert override("b:1", "Owned(2) v3") == ["override"]
    assert override("b:1", "Free v3") == ["free_orphan"]
    assert override(None, "Owned(2) v3") == ["end_flight"]


def test_earlier_lines_of_the_process_tell_actions_apart() -> None:
    none: dict[str, object] = {}
    registered, started, process = ("registered", none), ("channel-started", none), ("broker-starting", none)
    assert shown(process, registered, started) == []  # the first start is the beginning of the model's run
    assert shown(process, process, registered, started) == ["begin_start", "restart", "finish_start"]
    assert shown(process, started, registered) == ["register"]
    assert "register" not in shown(process, started, process, registered)


def test_value_that_lines_must_share_tells_them_apart() -> None:
    behind, closed = ("topic-left-behind", {"topic": "t"}), ("topic-closed", {"topic": "t"})
    assert shown(behind, closed) == ["open_late", "end_close"]
    assert shown(behind, ("topic-closed", {"topic": "other"})) == ["open_late"]
