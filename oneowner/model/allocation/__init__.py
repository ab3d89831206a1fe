"""Allocation decisions of other systems: key groups, shares, tasks, replicas, instances."""
