"""Laws about brokers' views of the channel: records that they took, skipped and published."""
