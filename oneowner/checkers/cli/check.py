"""The verb ``check``: source of models and laws that engines cannot trace, by file and line (``make check``)."""

from rich.console import Console

from oneowner.checkers.engines.compile.traceable import Complaint, check_modules
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Verdict
from oneowner.spec.systems import subjects


def run_check(out: Console) -> Result:
    """Print and return the complaints; the result is invalid if there are any."""
    found = [str(complaint) for complaint in check_systems()]
    for complaint in found:
        out.print(complaint, markup=False, highlight=False, soft_wrap=True)
    return Result("check", Verdict.INVALID if found else Verdict.VALID, found)


def check_systems() -> list[Complaint]:
    """Check the source of every system and decision."""
    modules = {module.__name__: module for subject in subjects() for module in subject.modules}
    return check_modules(modules.values())
