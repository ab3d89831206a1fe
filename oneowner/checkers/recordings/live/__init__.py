"""A channel and the answers of brokers, judged as they arrive."""
