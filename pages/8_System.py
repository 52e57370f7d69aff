"""What runs here: the model, the reviews, the versions, and the ledger."""

import streamlit as st

from prefer_core.ui import models, system
from prefer_core.ui.page import page

with page("System"):
    st.markdown("# System")
    left, right = st.columns([3, 2], gap="large")
    with left:
        system.corpora()
        system.ledger()
        system.experiments()
    with right:
        models.model()
        models.shelf()
        system.versions()
