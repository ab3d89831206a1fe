"""A broker.conf, read as Pulsar reads it, and judged by the laws of settings."""
