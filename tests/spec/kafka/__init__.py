"""Tests of the laws of Kafka Streams' decisions."""
