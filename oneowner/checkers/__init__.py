"""How we find out: engines that explore the model, replay traces and audit real runs."""


def version() -> str:
    """Return the version of the installed project, or of this source tree if it is not installed."""
    from importlib import metadata  # late: every process would load it, and few say the version

    try:
        return metadata.version("oneowner")
    except metadata.PackageNotFoundError:
        return "0.1.0"
