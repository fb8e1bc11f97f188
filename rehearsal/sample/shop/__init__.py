"""Lantern Shop."""
