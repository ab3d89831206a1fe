"""The model: brokers, the bundle state channel, sessions and recovery, as plain functions."""
