"""From an engine's findings and observations beside the channel to a verdict: the verbs audit and timeline."""
