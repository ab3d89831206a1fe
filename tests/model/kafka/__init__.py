"""Tests of Kafka Streams' decisions."""
