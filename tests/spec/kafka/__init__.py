"""Tests of what must be true of what Kafka Streams decides."""
