"""Reports on the recording itself: whether its sources can be whole and unaltered, by what their formats promise."""
