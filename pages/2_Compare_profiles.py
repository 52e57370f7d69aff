"""Any number of readers, one product: what each is shown, and why the texts differ."""

import streamlit as st

from prefer_core.ui import compare, desk, resources
from prefer_core.ui.page import page

with page("Compare profiles") as reader:
    st.markdown("# Compare profiles")
    choice = desk.choose(resources.required(), reader)
    desk.remember(choice)
    compare.show(choice)
