"""The old address of the paper's tables, which are a part of *How good is it?*."""

import streamlit as st

query = {"view": "paper", **st.query_params}
st.switch_page("pages/accuracy.py", query_params=query)
