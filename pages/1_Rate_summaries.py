"""The main loop: pick a product, read the summary, rate it, see what changed."""

import streamlit as st

from prefer_core.store import steps
from prefer_core.ui import html, left_out, rating, resources, round_numbers
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
        outcome = resources.ledger().last_outcome(reader.session)
        history = resources.ledger().history(reader.session)
        taken = steps(reader.session, history)

        with main:
            rating.summary_card(shown)
            rating.last_rating(reader, shown.product, outcome)
            rating.drift_offer(reader, taken)
        with side:
            rating.preference_panel(shown, outcome, history)

        st.markdown("**Evidence**", help="The sentences this summary rests on, as their reviewers wrote them.")
        st.html(html.cards(shown.basis, reader.corpus.view, left_out.marks(shown)))
        left_out.panel(shown)
        round_numbers.numbers(shown, outcome, taken)
        rating.begin_at_slider(shown)
