"""Tests of the audit: what a real cluster did, and dumps that no cluster wrote."""
