"""What a corpus consists of, who wrote it, and what building it took; the paper's figures beside it."""

import streamlit as st

from prefer_core.ui import corpus_page
from prefer_core.ui.page import page

with page("Corpus"):
    st.markdown("# Corpus")
    st.markdown("What was read and what is left of it, who wrote it, and what it took, beside the paper's figures.")
    corpus, others = corpus_page.chosen()
    section = st.segmented_control(
        "Part", list(corpus_page.SECTIONS), default="Tables", required=True, label_visibility="collapsed"
    )
    corpus_page.SECTIONS[section](corpus, others)
