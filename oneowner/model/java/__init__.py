"""The JDK, step by step, where what it does decides what an original answers."""
