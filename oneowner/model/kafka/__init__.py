"""Kafka Streams: who is given which task; decisions of the client's assignors and of the broker."""
