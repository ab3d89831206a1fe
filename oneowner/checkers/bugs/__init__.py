"""Known bugs, found by a text: log lines, stack traces, and answers of admin calls."""
