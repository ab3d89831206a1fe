"""Recordings altered in one place each: does the audit notice?"""
