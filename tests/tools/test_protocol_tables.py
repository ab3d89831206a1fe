"""The tables of actions in the documents agree with the docstrings."""

import pytest

from oneowner.checkers.ledger.binding import bindings
from oneowner.checkers.report.action_texts import PARTS, action_text, markdown
from oneowner.model.kernel.action import Declared, action, declared_in
from oneowner.model.kernel.fairness import never
from oneowner.spec.systems import systems
from tools.protocol_tables import PAGES, written


@pytest.mark.parametrize("name", systems())
def test_page_has_the_tables_of_a_system(name: str) -> None:
    page = PAGES[name].read_text(encoding="utf-8")
    assert page == written(name), "stale: run python -m tools.protocol_tables"
    for one in systems()[name].declared:
        assert f"| `{one.name}({', '.join(one.parameters)})` |" in page


@pytest.mark.parametrize("name", systems())
def test_log_statements_stand_in_docstrings_or_in_the_binding_table(name: str) -> None:
    for one in systems()[name].declared:
        assert ("Log" in action_text(one).parts) != (one.name in bindings(name)), one.name


def declared(docstring: str) -> Declared:
    def leave() -> None: ...

    leave.__doc__ = docstring
    (found,) = declared_in([action(fairness=never("a command"))(leave)])
    return found


def test_action_says_its_parts_on_lines_of_their_own() -> None:
    text = action_text(
        declared(
            """
            *It* leaves.

            Why it does.

            Enabled: it is
            there, in ``a|b``.
            Changes: it is not.
            Log: none.
            Mirrors: ``Leave``.
            """
        )
    )
    assert (text.name, text.summary, text.reasons, text.bounds) == ("leave()", "*It* leaves.", "Why it does.", "")
    assert text.parts == dict(
        zip(PARTS, ["it is there, in ``a|b``.", "it is not.", "none.", "``Leave``."], strict=True)
    )


@pytest.mark.parametrize(
    ("docstring", "said"),
    [
        ("It leaves.", "nothing"),
        ("It leaves.\n\nEnabled: a.\nLog: none.\nMirrors: c.", "Enabled, Log, Mirrors"),
        ("It leaves.\n\nChanges: a.\nEnabled: b.\nLog: none.\nMirrors: c.", "Changes, Enabled, Log, Mirrors"),
        ("It leaves.\n\nEnabled: a. Changes: b.\nLog: none.\nMirrors: c.", "Enabled, Log, Mirrors"),
    ],
)
def test_action_without_one_of_its_parts_is_refused(docstring: str, said: str) -> None:
    with pytest.raises(
        ValueError, match=f"docstring of leave refused: it has {said}; Enabled, Changes, Log, Mirrors are"
    ):
        action_text(declared(docstring))


def test_table_says_in_which_bounds_an_action_is_there() -> None:
    rows = [line for line in markdown(systems()["channel"]) if line.startswith("| `")]
    cells = {row.split(" | ")[0]: row.split(" | ")[1] for row in rows}
    assert cells["| `append(broker)`"] == ""
    assert cells["| `crash(broker)`"] == "spends `crashes`"
    assert cells["| `start_zookeeper()`"] == "`outages`"
    assert cells["| `free_orphan(broker, unit)`"] == "`brokers_go and unplaced`, spends `unplaced`"
    assert cells["| `consume(broker)`"] == "`storage == SYSTEM_TOPIC`"
    assert cells["| `retry(broker, unit, destination)`"] == "`shutdowns and rules.shutdown_retries`"
