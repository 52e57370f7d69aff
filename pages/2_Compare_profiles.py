"""Several readers, one product: what each is shown, and why the texts differ."""

import streamlit as st

from prefer_core.ui import compare, resources
from prefer_core.ui.page import page

with page("Compare profiles"):
    st.markdown("# Compare profiles")
    st.markdown("The same reviews, summarised for readers who care about different things.")
    choice = compare.choose(resources.required())
    compare.remember(choice)
    compare.show(choice)
