"""Reports on the recording itself: its sources can be complete and unaltered, by the guarantees of their formats."""
