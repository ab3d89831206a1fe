"""Which releases have equal classes."""
