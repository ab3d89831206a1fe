"""Random inputs of decisions, in the form of ``decide --batch``: of every size, and often exactly at a threshold."""
