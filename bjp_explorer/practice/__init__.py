"""Exercises as pages and files. What writes files imports no Streamlit: `bjp sheet` uses it."""
