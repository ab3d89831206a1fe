"""What all systems of Pulsar share."""
