"""What runs here: the model, the reviews, the versions, and the ledger."""

import streamlit as st

from prefer_core.ui import system
from prefer_core.ui.page import page

with page("System"):
    st.markdown("# System")
    who, which = st.columns([2, 5], gap="large")
    with who:
        system.model()
        system.fetching()
    with which:
        system.shelf()
    left, right = st.columns([3, 2], gap="large")
    with left:
        system.corpora()
        system.ledger()
    with right:
        system.versions()
