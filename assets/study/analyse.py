"""Read export.zip of a study and draw its arms with intervals: `python assets/study/analyse.py export.zip arms.html`.

It needs pandas, scipy and plotly only. Change it for your own questions: codebook.csv in the zip explains every column.
"""

import sys
import zipfile

import pandas as pd
import plotly.graph_objects as go
from scipy import stats

RATING = "rating"
"""Or "rating_own_scale": each rating on its participant's own scale, in standard deviations."""
LEAST_RELIABLE = 0.0
"""Participants with a lower reliability are left out; 0 keeps everyone. Settle this before you look at the arms."""


def main(export: str, figure: str) -> None:
    """Print each arm's mean with its interval, and draw both the arms and the rounds."""
    with zipfile.ZipFile(export) as archive:
        wide = pd.read_csv(archive.open("wide.csv"), encoding="utf-8-sig")
        long = pd.read_csv(archive.open("long.csv"), encoding="utf-8-sig")
    kept = wide[(wide["status"] != "withdrawn") & ~(wide["reliability"] < LEAST_RELIABLE)]["participant"]
    counted = long["rating"].notna() & ~long["practice"].astype(bool) & long["repeats"].isna()
    rated = long[counted & long["participant"].isin(kept)]
    # A participant's rounds are not independent: one mean for each participant and arm.
    means = rated.groupby(["arm", "participant"])[RATING].mean()
    arms = means.groupby("arm").agg(["mean", "sem", "count"])
    arms["half"] = arms["sem"] * stats.t.ppf(0.975, arms["count"] - 1)
    for arm, row in arms.iterrows():
        print(f"{arm}: {row['mean']:.3f} +- {row['half']:.3f} ({int(row['count'])} participants)")
    drawn = go.Figure()
    for arm, part in rated.groupby("arm"):
        rounds = part.assign(round=part["slot"].str.removeprefix("round-").astype(int)).groupby("round")[RATING]
        found = rounds.agg(["mean", "sem", "count"])
        half = (found["sem"] * stats.t.ppf(0.975, found["count"] - 1)).fillna(0)
        drawn.add_scatter(x=found.index, y=found["mean"], error_y={"array": half}, name=str(arm))
    drawn.update_layout(title=f"Mean {RATING} of each arm by round, 95 % intervals")
    if RATING == "rating":
        drawn.update_yaxes(range=[0, 1])
    drawn.update_xaxes(title="round", dtick=1)
    drawn.write_html(figure, include_plotlyjs=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
