"""These modules hold what all systems of Pulsar share."""
