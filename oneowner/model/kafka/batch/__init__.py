"""Inputs of Kafka's decisions in files, as ``assign --batch`` takes them, and the answers to them."""
