"""Read export.zip of a study and draw its arms with intervals: `python assets/study/analyse.py export.zip arms.html`.

It needs pandas, scipy and plotly only. Change it for your own questions: codebook.csv in the zip explains every column.
"""

import sys
import zipfile
from itertools import combinations
from typing import Any

import pandas as pd
from plotly.subplots import make_subplots
from scipy import stats

COLOURS = ("#332288", "#cc6677", "#117733", "#ddaa33", "#88ccee", "#882255")

RATING = "rating"
"""Or "rating_own_scale": each rating on its participant's own scale, in standard deviations."""
LEAST_RELIABLE = 0.0
"""Participants with a lower reliability are left out; 0 keeps everyone. Settle this before you look at the arms."""


def main(export: str, figure: str) -> None:
    """Print each arm's mean and the differences with their intervals; draw the arms and their rounds."""
    with zipfile.ZipFile(export) as archive:
        wide = pd.read_csv(archive.open("wide.csv"), encoding="utf-8-sig")
        long = pd.read_csv(archive.open("long.csv"), encoding="utf-8-sig")
    kept = wide[(wide["status"] != "withdrawn") & ~(wide["reliability"] < LEAST_RELIABLE)]["participant"]
    counted = long["rating"].notna() & ~long["practice"].astype(bool) & long["repeats"].isna()
    rated = long[counted & long["participant"].isin(kept)]
    # A participant's rounds are not independent: one mean for each participant and arm.
    means = rated.groupby(["participant", "arm"])[RATING].mean().unstack()
    arms = with_intervals(means.melt(value_name=RATING).dropna().groupby("arm")[RATING])
    for arm, row in arms.iterrows():
        print(f"{arm}: {row['mean']:.3f} +- {row['half']:.3f} ({int(row['count'])} participants)")
    for ours, theirs in combinations(means.columns, 2):
        both = (means[ours] - means[theirs]).dropna()  # empty where everybody has met one arm only
        test = stats.ttest_1samp(both, 0) if len(both) > 1 else stats.ttest_ind(
            means[ours].dropna(), means[theirs].dropna(), equal_var=False
        )  # fmt: skip
        low, high = test.confidence_interval()
        print(f"{ours} less {theirs}: {(low + high) / 2:+.3f}, 95 % interval {low:+.3f} to {high:+.3f}")

    drawn = make_subplots(
        1, 2, column_widths=[0.3, 0.7], shared_yaxes=True, horizontal_spacing=0.04,
        subplot_titles=("all rounds, mean over participants", "round by round"),
    )  # fmt: skip
    for place, (arm, row) in enumerate(arms.iterrows()):
        ink = COLOURS[place % len(COLOURS)]
        drawn.add_scatter(
            x=[arm], y=[row["mean"]], error_y={"array": [row["half"]]}, marker={"size": 10, "color": ink},
            mode="markers", showlegend=False, row=1, col=1,
        )  # fmt: skip
        part = rated[rated["arm"] == arm]
        rounds = with_intervals(part.groupby(part["slot"].str.removeprefix("round-").astype(int))[RATING])
        # Side by side, so that the intervals of arms do not hide each other.
        drawn.add_scatter(
            x=rounds.index + 0.16 * (place - (len(arms) - 1) / 2), y=rounds["mean"], name=str(arm),
            error_y={"array": rounds["half"]}, line={"color": ink}, row=1, col=2,
        )  # fmt: skip
    drawn.update_layout(
        title=f"Mean {RATING} of each arm, 95 % intervals over participants", template="plotly_white",
        legend={"orientation": "h", "x": 1, "xanchor": "right", "y": -0.12},
    )  # fmt: skip
    drawn.update_yaxes(title=RATING, col=1)
    if RATING == "rating":
        drawn.update_yaxes(range=[0, 1])
    drawn.update_xaxes(title="round", dtick=1, col=2)
    drawn.update_xaxes(range=[-0.5, len(arms) - 0.5], col=1)
    drawn.write_html(figure, include_plotlyjs=True)


def with_intervals(groups: Any) -> pd.DataFrame:
    """Return mean, count and half the 95 % interval of each group; 0 where one value has no interval."""
    found = groups.agg(["mean", "sem", "count"])
    found["half"] = (found["sem"] * stats.t.ppf(0.975, found["count"] - 1)).fillna(0)
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
