"""The main loop: pick a product, read the summary, rate it, see what changed."""

import streamlit as st

from prefer_core.ui import html, left_out, rating
from prefer_core.ui.home import invitation
from prefer_core.ui.page import page
from prefer_core.ui.rounds import open_round

with page("Rate summaries") as reader:
    if reader is None:
        invitation()
        st.stop()

    with st.container(key="rating"):
        main, side = st.columns([3, 2], gap="medium")
        with main:
            product_id = rating.pick_product(reader)
        shown = open_round(reader, product_id)

        with main:
            rating.summary_card(shown)
            rating.last_rating(reader, shown.product)
            rating.drift_offer(reader)
        with side:
            rating.preference_panel(shown)

        st.markdown("**Evidence**", help="The sentences this summary rests on, as their reviewers wrote them.")
        st.html(html.cards(shown.basis, reader.corpus.view, left_out.marks(shown)))
        left_out.panel(shown)
        rating.numbers(shown)
        rating.begin_at_slider(shown)
