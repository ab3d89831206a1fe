"""A scenario of the channel's model, done by real brokers step by step."""
