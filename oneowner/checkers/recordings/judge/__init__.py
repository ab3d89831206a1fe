"""From what an engine found and what was seen beside the channel to a verdict: the verbs audit and timeline."""
