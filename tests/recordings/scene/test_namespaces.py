"""Deletions of namespaces, and namespaces for which no broker may be chosen."""

from oneowner.checkers.recordings.laws.units_hit import units_hit
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from tests.recordings.laws.crafted import (
    B1,
    B2,
    call,
    channel,
    logs,
    message,
    printed,
    said,
    scene,
    session_event,
    write,
)

POLICIES = "/admin/policies/t/n"
OWNED = message(0, 100, printed("Owned", 1, B1))


def of_kind(found: Scene, kind: HappeningKind) -> list[Happening]:
    return [one for one in happenings_of(found).found.values() if one.cause.kind == kind]


def test_namespace_whose_policies_go_was_deleted_until_they_are_made_again() -> None:
    gone, made = write(2, 50_000, "delete", POLICIES), write(3, 90_000, "create", POLICIES)
    (lasting,) = of_kind(scene(writes=[gone]), HappeningKind.DELETED_NAMESPACE)
    assert (lasting.cause.subject, lasting.since, lasting.until) == ("t/n", 50_000, END)
    assert lasting.repair.startswith("if nobody meant it, create the namespace t/n again")
    (over,) = of_kind(scene(writes=[gone, made]), HappeningKind.DELETED_NAMESPACE)
    assert over.until == 90_000
    topic = write(2, 50_000, "delete", f"{POLICIES}/x")
    assert of_kind(scene(writes=[topic, made]), HappeningKind.DELETED_NAMESPACE) == []


def test_admin_call_shows_a_deletion_where_no_history_is_there_and_its_name_fits_one_namespace() -> None:
    def deleted(name: str, status: int = 204, *writes: int) -> list[str]:
        history = [write(number, 10, "createSession") for number in writes]
        found = scene(channel=channel(OWNED), calls=[call(1, 50_000, 50_010, "delete namespace", None, status,
                                                          namespace=name)], writes=history)  # fmt: skip
        return [one.cause.subject for one in of_kind(found, HappeningKind.DELETED_NAMESPACE)]

    assert deleted("n") == deleted("t/n") == ["t/n"]
    assert deleted("n", 409) == deleted("m") == deleted("") == deleted("n", 204, 1) == []


def test_lines_that_no_broker_was_found_are_one_event_of_their_namespace() -> None:
    lines = [said(n, 50_000 + 1_000 * n, "lookup-no-broker", topic="persistent://t/n/a") for n in range(6)]
    lines += [said(n, 111_000 + 1_000 * n, "bundle-finds-no-broker", "t/n/0x00000000_0x80000000", B2) for n in (9, 18)]
    lines += [said(30, 121_000, "lookup-no-broker", topic="persistent://t/other/a")]  # one client amid an unload
    found = of_kind(scene(said=logs(*lines)), HappeningKind.NO_CHOICE)
    times = sorted((one.cause.subject, one.since, one.until) for one in found)
    assert times == [("t/n", 50_000, 55_000), ("t/n", 120_000, 129_000)]
    hits = units_hit(scene(said=logs(*lines[:-1])))  # boundaries are not known: a topic may be of any bundle
    assert [(hit.unit, hit.since, hit.until) for hit in hits] == [("t/n/0x00000000_0x80000000", 120_000, 129_000)]


def test_change_of_an_isolation_policy_before_it_is_named() -> None:
    lines = [said(n, 50_000 + 6_000 * n, "lookup-no-broker", topic="persistent://t/n/a") for n in range(2)]

    def words(**fields: object) -> str:
        (one,) = of_kind(scene(said=logs(*lines), **fields), HappeningKind.NO_CHOICE)
        return one.words

    after = "no broker could be chosen for bundles of t/n, after an isolation policy was changed"
    assert words(calls=[call(1, 40_000, 40_010, "isolation policy")]) == after
    path = "/admin/clusters/lab/namespaceIsolationPolicies"
    assert words(writes=[write(2, 40_000, "setData", path)]) == after
    late = words(calls=[call(1, 60_000, 60_010, "isolation policy")])
    assert late == words() == "no broker could be chosen for bundles of t/n"


def test_broker_without_its_session_finds_no_broker_for_that_reason_and_others_may_serve() -> None:
    lines = [session_event(1, 48_000, "SessionLost"), session_event(2, 90_000, "SessionReestablished")]
    lines += [said(n, 50_000 + 1_000 * n, "bundle-finds-no-broker", "t/n/0x00000000_0x80000000") for n in range(9)]
    other = said(20, 120_000, "monitor-started", broker=B2)
    found = scene(said=logs(*sorted([*lines, other], key=lambda line: line.time)))
    (one,) = of_kind(found, HappeningKind.NO_CHOICE)
    assert [cause.kind for cause in one.behind] == [HappeningKind.CUT]
    assert units_hit(found) == []


def test_topics_of_unknown_bundles_are_hit_all_the_same() -> None:
    lines = [said(n, 50_000 + 1_000 * n, "lookup-no-broker", topic="persistent://t/n/a") for n in range(9)]
    (hit,) = units_hit(scene(said=logs(*lines)))
    assert (hit.unit, hit.since, hit.until) == ("", 50_000, 58_000)
