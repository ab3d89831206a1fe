"""Refinements: is every explored step of the model one that an abstract specification allows?"""
