"""Kafka Streams: the placement of tasks; decisions of the client's assignors and of the broker."""
