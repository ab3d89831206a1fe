"""How we find out: engines that explore the model, replay traces and audit real runs."""

from importlib import metadata


def version() -> str:
    """Return the version of the installed project, or of this source tree if it is not installed."""
    try:
        return metadata.version("oneowner")
    except metadata.PackageNotFoundError:
        return "0.1.0"
