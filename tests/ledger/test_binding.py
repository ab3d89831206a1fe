"""The binding table: every action has a declaration, each statement exists, and a broken one is refused by its line."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from oneowner.checkers.coverage.seen_on_clusters import Seen, seen_actions
from oneowner.checkers.documents import parse_document
from oneowner.checkers.ledger.binding import CHANNEL, bindings, bindings_in, bound_systems, path_of
from oneowner.checkers.ledger.conformance_pins import PINS, counts_in
from oneowner.checkers.ledger.shown_actions import Line, shown_by
from oneowner.checkers.ledger.stored_actions import stored_actions
from oneowner.checkers.recordings.explain.model_steps import OTHERWISE, REGISTRY
from oneowner.checkers.recordings.read.log_patterns import class_of
from oneowner.checkers.verdict import Misuse
from oneowner.checkers.yaml_text import data_of
from oneowner.model.channel.record import OWNED, Record
from oneowner.spec.channel.system import SYSTEM
from oneowner.spec.systems import systems
from tools.binding_statements import FOUND, named_by_words, prints
from tools.log_statements import written

TEXT = path_of(CHANNEL).read_text(encoding="utf-8")


@pytest.mark.parametrize("system", bound_systems())
def test_every_action_has_evidence_or_a_reason(system: str) -> None:
    assert list(bindings(system)) == list(dict.fromkeys(one.name for one in systems()[system].declared))


@pytest.mark.parametrize("system", bound_systems())
def test_action_that_no_cluster_has_shown_has_a_reason(system: str) -> None:
    assert [one.name for one in seen_actions(system) if one.seen == Seen.NEVER and not one.reason] == []


def test_action_beyond_clusters_was_never_seen() -> None:
    seen = {one.name for one in seen_actions() if one.seen != Seen.NEVER}
    assert [name for name, one in bindings().items() if one.beyond and name in seen] == []


def test_rule_of_a_reason_has_one_value_in_all_releases() -> None:
    named = [rule for one in bindings().values() for rule in re.findall(r"\((\w+_\w+)\)", one.beyond)]
    assert named
    for rule in named:
        assert len({getattr(rules, rule) for rules in SYSTEM.releases.values()}) == 1, rule


def test_registry_steps_of_explanations_are_those_declared() -> None:
    of_registry = {name for name, one in bindings().items() if one.observed == "registry"}
    assert of_registry == (REGISTRY.keys() | {one.__name__ for one in OTHERWISE.values()}) - {"read"}


def test_observed_actions_of_recordings_are_declared() -> None:
    rows = data_of(PINS.read_text(encoding="utf-8")).values()
    observed = {name for row in rows for name in counts_in(row, "observed-actions")}
    assert observed <= {name for name, one in bindings().items() if one.observed}


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
        ("after: [channel-started]", "after: [channel-begun]", "no such log line or action: channel-begun"),
        ("leap: data", "leap: date", "no such field: date"),
        ("same: {unit: children}", "same: {units: children}", "no such field: units"),
        ("    goes_on: 20\n", "", "never refused: the log must go on for some time (goes_on)"),
        ("until: [plays-leader]", "until: [plays-leder]", "no such log line: plays-leder"),
        ('where: {1: "/service_unit', 'where: {3: "/service_unit', "no such field: 3"),
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
    return actions(*(Line("", "", event, values) for event, values in lines))


def actions(*lines: Line) -> list[str]:
    """Return the actions that some lines of broker a:1 show."""
    return [action for action, _ in shown_by(lines, "a:1")]


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
    split = ("split-done", {"unit": "a", "children": ["b", "c"]})
    assert "split_child" in shown(split, ("split-published", {"unit": "b"}))
    assert "split_child" not in shown(split, ("split-published", {"unit": "d"}))


def test_kind_of_view_tells_whether_a_record_or_a_node_is_read() -> None:
    view, handled = "channel.ServiceUnitStateTableViewImpl", ("handled", {"event": "Owned"})
    assert shown(("channel-tableview-created", {"tableview": view}), handled) == ["consume"]
    nodes = view.replace("Table", "MetadataStoreTable")
    assert shown(("channel-tableview-created", {"tableview": nodes}), handled) == ["notify"]


def test_versions_that_are_left_out_show_a_jump() -> None:
    def read(*versions: int) -> list[str]:
        records = [Record(OWNED, 1, version=version) for version in versions]
        return shown(*(("handle-request", {"unit": "a", "data": record}) for record in records))

    assert "jump" not in read(1, 2, 3, 1)
    assert "jump" in read(1, 2, 4)


def test_role_that_a_process_never_takes_shows_a_deadlock() -> None:
    setting = Line("", "", "role-setting", {"from": "Follower", "to": "Follower"})
    later = Line("", "", "lookup-failed", {}, time=20_000)
    plays = Line("", "", "plays-follower", {}, time=10_000)
    assert actions(setting, later) == ["deadlock"]
    assert "deadlock" not in actions(setting, plays, later)
    assert actions(setting, later._replace(time=19_999)) == []


def test_line_ends_what_an_earlier_one_has_shown() -> None:
    leads, plays = Line("", "", "leader-monitor-started", {}), Line("", "", "plays-leader", {})
    deletes = Line(
        "AbstractMetadataStore", "Deleting path: /service_unit_state/a/b/0x0_0x1 (v. Optional.empty)", "", {}
    )
    other = deletes._replace(message="Deleting path: /ledgers/1 (v. Optional.empty)")
    assert actions(leads, other, deletes) == ["start_syncer"]
    assert "start_syncer" not in actions(leads, plays, deletes)


def test_nodes_beside_records_show_the_syncer(tmp_path: Path) -> None:
    def record(time: int) -> dict[str, object]:
        return {"state": "Owned", "dstBroker": "a:1", "timestamp": time, "versionId": time}

    def write(session: str, op: str, time: int) -> dict[str, object]:
        return {
            "time": time, "session": session, "op": op, "path": "/service_unit_state/t/n/0x0_0x1",
            "data": json.dumps(record(time - 1)),
        }  # fmt: skip

    def run(*published: int) -> Mapping[str, int]:
        lines = [{"key": "t/n/0x0_0x1", "publishTime": time, "value": record(time)} for time in published]
        (tmp_path / "channel.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return stored_actions(tmp_path)

    leads = {"time": 1, "session": "0x1", "op": "create", "path": "/loadbalance/extension/leader"}
    writes = [leads, write("0x1", "create", 100), write("0x1", "setData", 200), write("0x2", "setData", 300)]
    (tmp_path / "zookeeper.jsonl").write_text("".join(json.dumps(line) + "\n" for line in writes))
    assert run() == {}
    assert run(99) == {"put": 1}
    assert run(99, 199) == {"put": 1, "copy_to_store": 1}
    assert run(99, 299) == {"put": 1, "copy_to_topic": 1}
