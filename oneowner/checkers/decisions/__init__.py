"""Questions to a decision beside what it decides: what would turn it, and what another release decides."""
