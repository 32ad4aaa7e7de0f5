"""Searches that decide by what flips gain: each is a small file on one `Walk`."""
