"""Fuzzing of the reader of files: `python -m tests.fuzz`, apart from the tests."""
