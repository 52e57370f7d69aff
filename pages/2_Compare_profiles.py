"""Several readers, one product: what each is shown, and why the texts differ."""

import streamlit as st

from prefer_core.ui import compare, compare_choices, resources
from prefer_core.ui.page import page

with page("Compare profiles"):
    st.markdown("# Compare profiles")
    st.markdown("The same reviews, summarised for readers who care about different things.")
    choice = compare_choices.choose(resources.required())
    compare_choices.remember(choice)
    compare.show(choice)
