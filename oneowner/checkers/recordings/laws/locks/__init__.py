"""Laws of clusters whose bundles are owned by locks: each an ephemeral node of ZooKeeper."""
