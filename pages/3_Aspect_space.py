"""The aspects that were found: what they are, how far to trust them, and the space they were found in."""

import streamlit as st

from prefer_core.ui import corpus_page, space_page
from prefer_core.ui.page import page

with page("Aspect space"):
    st.markdown("# Aspect space")
    st.markdown(
        "What these reviews are about: the aspects that were found, how far to trust each, and how they were found."
    )
    corpus, _ = corpus_page.chosen()
    section = st.segmented_control(
        "Part", list(space_page.SECTIONS), default="Aspects", required=True, label_visibility="collapsed"
    )
    space_page.SECTIONS[section](corpus)
