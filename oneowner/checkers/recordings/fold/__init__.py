"""Audit: a real cluster's records, judged by the model's own resolver."""
