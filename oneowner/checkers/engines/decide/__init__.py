"""The engine judges decisions on all small inputs, on random ones, and by facts copied from the original."""
