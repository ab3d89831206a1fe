"""Tests of what Kafka Streams decides."""
