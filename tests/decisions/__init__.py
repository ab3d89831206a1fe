"""Tests of what a decision is asked beside what it decides."""
