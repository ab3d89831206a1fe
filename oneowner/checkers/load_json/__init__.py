"""Load data in Pulsar's own JSON, as brokers publish, store and answer it."""
