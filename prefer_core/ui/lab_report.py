"""What the calibration of a corpus found, for the learning lab."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from prefer_core.corpus import Corpus
from prefer_core.insight.calibrated import report_of

KINDS = {"single": "one aspect", "two": "two aspects", "diffuse": "diffuse", "persona": "real reviewer"}
NAMES = {"omd": "OMD", "posterior": "posterior"}


def calibration(corpus: Corpus, opened: bool) -> None:
    """Show what held-out readers reach with the numbers that the pages use, or how to find such numbers."""
    report = report_of(corpus.manifest)
    with st.expander("What to expect on these reviews", expanded=opened):
        if report is None:
            st.caption(
                "Not calibrated: the pages use numbers that suit most reviews. `precompute.py --calibrate` finds the "
                "ones that suit these, and what readers reach with them."
            )
            return
        table = reached(report)
        marks = {name: st.column_config.NumberColumn(format="%.2f") for name in table[0] if name.startswith("after")}
        st.dataframe(table, hide_index=True, width="stretch", column_config=marks)
        each = report["readers of each kind"]
        st.caption(
            f"Median A_pref of {each} simulated readers of each kind, on products and with tastes that the choice of "
            f"the numbers had not seen. {_back(report)}"
        )


def reached(report: Mapping[str, Any]) -> list[dict[str, object]]:
    """Return a line for each learner and kind of reader: median A_pref after some ratings."""
    lines: list[dict[str, object]] = []
    for learner, name in NAMES.items():
        found = report["held_out"][learner]
        kinds = {shown: found["by_kind"][kind] for kind, shown in KINDS.items() if kind in found["by_kind"]}
        for reader, marks in {"all": found["median"], **kinds}.items():
            after = {f"after {t}": marks[t] for t in sorted(marks, key=int)}  # a manifest sorts its keys as text
            lines.append({"learner": name, "reader": reader, **after})
    return lines


def _back(report: Mapping[str, Any]) -> str:
    told = []
    for learner, drift in report["drift"].items():
        needed = drift["median_ratings"]
        told.append(f"{NAMES[learner]} {'does not get there' if needed is None else f'{needed:.0f}'}")
    return f"Ratings from the end of a drift back to 0.9: {', '.join(told)}."
