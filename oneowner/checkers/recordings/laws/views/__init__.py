"""Laws about brokers' views of the channel: what they took, skipped and published."""
