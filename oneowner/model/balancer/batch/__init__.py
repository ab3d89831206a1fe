"""Inputs of decisions in files, as ``decide --batch`` takes them, and the answers to them."""
