"""Facts of ``HighAvailabilityTaskAssignorTest``, and the differences of releases."""

from oneowner.model.kafka.assignors.group import RUNNING, UNKNOWN, Assigned, Assignment, Client, Config, Group, Rules
from oneowner.model.kafka.assignors.high_availability import assign_highly_available
from oneowner.model.kafka.assignors.sticky import assign_as_before, assign_sticky
from oneowner.model.kafka.batch.assignors import RULES
from oneowner.model.kafka.task import TaskId
from oneowner.model.kernel.decision import Thrown

MOST = 2**63 - 1
T00, T01 = TaskId(0, 0), TaskId(0, 1)


def one_task(lags: tuple[int, ...], rules: Rules = RULES["4.1.1"], **config: int) -> Assignment:
    """Clients 1, 2, .. and the lags of one task."""
    clients = tuple(Client(number, lags=((T00, lag),)) for number, lag in enumerate(lags, 1))
    settings = Config(acceptable_recovery_lag=100)._replace(**config)  # type: ignore[arg-type]
    found = assign_highly_available(Group(clients, (T00,), config=settings, rules=rules))
    assert isinstance(found, Assignment)
    return found


def active(found: Assignment) -> list[int]:
    return [one.client for one in found.clients if T00 in one.active]


def test_warm_up_is_given_to_whom_the_task_is_meant_for() -> None:
    assert one_task((500, 0)) == Assignment((Assigned(1, standby=(T00,)), Assigned(2, (T00,))), probing=True)


def test_least_lag_decides_where_no_client_has_caught_up_from_3_2_on() -> None:
    lags = (MOST, 1000, 500)
    found = one_task(lags, num_standby_replicas=1)
    assert [(one.active, one.standby) for one in found.clients] == [((), (T00,)), ((), (T00,)), ((T00,), ())]
    assert found.probing
    assert active(one_task(lags, RULES["2.6.3"])) == [1]


def test_client_of_unknown_lag_is_preferred_to_one_that_runs_the_task_from_3_2_on() -> None:
    for release, owner in (("2.6.3", 2), ("3.2.3", 1), ("4.1.1", 1)):
        found = one_task((UNKNOWN, RUNNING), RULES[release])
        assert (active(found), found.probing) == ([owner], owner == 2), release


def test_every_client_has_caught_up_if_any_lag_is_acceptable() -> None:
    assert active(one_task((MOST, 0), acceptable_recovery_lag=MOST)) == [1]


def test_lag_that_is_not_told_is_thrown() -> None:
    clients = (Client(1, lags=((T00, 0),)),)
    lost = Thrown("java.lang.IllegalStateException", "Tried to lookup lag for unknown task 0_1")
    assert assign_highly_available(Group(clients, (T00, T01))) == lost


def test_group_without_clients_is_lost_by_each_assignor() -> None:
    for release, thrown in (("2.6.3", "java.lang.ArithmeticException"), ("4.1.1", "java.lang.IllegalStateException")):
        for assign in (assign_sticky, assign_as_before):
            found = assign(Group((), (T00,), rules=RULES[release]))
            assert isinstance(found, Thrown)
            assert found.exception == thrown
    found = assign_highly_available(Group((), (), (T00,)))
    assert isinstance(found, Thrown)
    assert found.exception == "java.lang.NullPointerException"


def test_fallback_keeps_every_active_task_where_it_was() -> None:
    """StreamsPartitionAssignorTest: one client had three tasks, the other is new."""
    tasks = (T00, T01, TaskId(0, 2))
    clients = (Client(1, previous_active=tasks), Client(2))
    kept = assign_as_before(Group(clients, tasks))
    assert kept == Assignment((Assigned(1, tasks), Assigned(2)), probing=True)
    assert assign_sticky(Group(clients, tasks)) != kept._replace(probing=False)
