"""The aspects that were found: what they are, how far to trust them, and the space they were found in."""

import streamlit as st

from prefer_core.ui import corpus_page, space_page
from prefer_core.ui.page import page

with page("Aspect space"):
    st.markdown("# Aspect space")
    st.markdown(
        "The aspects found in these reviews, called themes where people read and rate: what they are about, how far to "
        "trust them, how they were found."
    )
    corpus, _ = corpus_page.chosen()
    section = st.segmented_control(
        "Part", list(space_page.SECTIONS), default="Aspects", required=True, label_visibility="collapsed"
    )
    space_page.SECTIONS[section](corpus)
