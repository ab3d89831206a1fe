"""``KEY_GROUPS`` judges which key groups each parallel operator of Flink has."""

from oneowner.model.allocation.allocation_inputs import JobSizes, some_job
from oneowner.model.allocation.key_groups import Job, key_group_ranges, operator_of
from oneowner.model.kernel.decision import Decision, InputLaw, Thrown, throws
from oneowner.model.kernel.law import LawKind

CLASS = "KeyGroupRangeAssignment"
Found = tuple[tuple[int, int], ...] | Thrown


def has_enough(job: Job, found: Found) -> bool:
    return job.operators <= job.key_groups


def has_too_few(job: Job, found: Found) -> bool:
    return job.operators > job.key_groups


def ranges(found: Found) -> tuple[tuple[int, int], ...]:
    return () if isinstance(found, Thrown) else found


def each_is_given_once(job: Job, found: Found) -> bool:
    given = [one for first, last in ranges(found) for one in range(first, last + 1)]
    return len(ranges(found)) == job.operators and given == list(range(job.key_groups))


def sizes_are_even(job: Job, found: Found) -> bool:
    sizes = [last - first + 1 for first, last in ranges(found)]
    return bool(sizes) and max(sizes) - min(sizes) <= 1


def operators_agree(job: Job, found: Found) -> bool:
    """The operator that a record is sent to is the one that has its state."""
    return not isinstance(found, Thrown) and all(
        operator_of(*job, one) == number for number, (first, last) in enumerate(found) for one in range(first, last + 1)
    )


KEY_GROUPS = Decision(
    "allocation/key-groups",
    "Which key groups each parallel operator has (Flink)",
    JobSizes,
    some_job,
    key_group_ranges,
    (
        InputLaw("each-key-group-has-one-operator", "The ranges of the operators are a partition of the key groups.",
                 CLASS, has_enough, each_is_given_once, kind=LawKind.PURPOSE),
        InputLaw("key-groups-are-even", "No operator has two key groups more than another.", CLASS, has_enough,
                 sizes_are_even, kind=LawKind.PURPOSE),
        InputLaw("records-go-where-their-state-is", "The operator that is computed for a key group is the one whose "
                                                    "range contains it.",
                                                    "CheckpointCoordinatorTest.testCreateKeyGroupPartitions",
                                                    has_enough,
                 operators_agree, kind=LawKind.PURPOSE),
        InputLaw("idle-operators-are-refused", "More operators than key groups are refused.", CLASS, has_too_few,
                 throws, kind=LawKind.PROTOCOL),
    ),
    lambda row: Job(row["key_groups"], row["operators"]),
)  # fmt: skip
