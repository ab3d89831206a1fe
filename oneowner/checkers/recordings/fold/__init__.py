"""Audit: what a real cluster did, judged by the model's own resolver."""
