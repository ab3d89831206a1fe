"""The classes of a Pulsar release, in one JVM, take the steps of the channel's model."""
