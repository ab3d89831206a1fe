"""The assignors of Kafka Streams (KIP-441 and older), which the leader of a group runs."""
