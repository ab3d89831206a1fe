"""One model, many engines: actions and laws become decision trees, and trees become C."""
