"""Tests of the audit of logged decisions."""
