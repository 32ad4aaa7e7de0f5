"""Stored values and the program that writes them."""
