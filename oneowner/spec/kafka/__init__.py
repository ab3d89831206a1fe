"""Laws of the decisions of Kafka Streams."""
