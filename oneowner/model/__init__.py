"""The model says what happens: brokers, the bundle state channel, sessions and recovery, as plain functions."""
