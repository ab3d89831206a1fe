"""What other systems decide of who is given what: key groups, shares, tasks, replicas, instances."""
