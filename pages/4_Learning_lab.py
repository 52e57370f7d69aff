"""The learning lab: simulated readers in front of the real session, learners side by side."""

import streamlit as st

from prefer_core.ui import lab, resources
from prefer_core.ui.page import page

with page("Learning lab"):
    st.markdown("# Learning lab")
    st.markdown(
        "A simulated reader wants something and says only how useful each summary is. "
        "Watch how fast each learner finds out what it is. It is the same code as on the rating page."
    )
    corpora = resources.required()
    corpus = corpora[0]
    if len(corpora) > 1:
        corpus = st.selectbox("Reviews", corpora, format_func=lambda c: f"{c.name} · {len(c.products)} products")
    with st.container(border=True):
        runs = lab.choose_runs(corpus)
        if st.button("Run", type="primary", width=160):
            lab.begin(corpus, runs)
    lab.calibration(corpus, opened=lab.current() is None)
    if job := lab.current():
        lab.live(job)
        if not job.running and job.rows:
            lab.outputs(job)
