"""What must be true of what Kafka Streams decides."""
