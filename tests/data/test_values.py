"""Ratings, times and ids: one rule for a column, and nothing outside it is guessed."""

from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefer_core.data.dates import milliseconds, read_times
from prefer_core.data.ratings import read_ratings
from prefer_core.data.sources import read_source
from prefer_core.data.values import read_ids
from tests.data.made import write_jsonl

MOMENTS = st.datetimes(datetime(1990, 1, 2), datetime(2026, 12, 30)).map(
    lambda moment: moment.replace(microsecond=0, tzinfo=UTC)
)
DAYS = st.dates(date(1990, 1, 2), date(2026, 12, 30))


def _ms(moment: datetime) -> int:
    return int(moment.timestamp()) * 1000


@settings(deadline=None)
@given(MOMENTS)
def test_every_unit_and_spelling_of_a_moment(moment: datetime) -> None:
    """Seconds to nanoseconds, ISO with and without offset, asctime, mail dates give the same millisecond."""
    seconds = int(moment.timestamp())
    west = moment.astimezone(tz=None)
    spelled = [
        *(seconds * 10**power for power in (0, 3, 6, 9)), str(seconds), float(seconds), moment.isoformat(),
        moment.strftime("%Y-%m-%dT%H:%M:%SZ"), moment.strftime("%Y-%m-%d %H:%M:%S"), west.isoformat(),
        moment.strftime("%a %b %d %H:%M:%S +0000 %Y"), moment.strftime("%a %b %d %H:%M:%S %Y"), format_datetime(moment),
        moment.strftime("%Y/%m/%d %H:%M:%S"), moment.strftime("%Y-%m-%d %H:%M:%S UTC"),
        (moment - timedelta(hours=7)).strftime("%Y-%m-%dT%H:%M:%S-07:00"),
    ]  # fmt: skip
    assert {milliseconds(value) for value in spelled} == {_ms(moment)}


@settings(deadline=None)
@given(DAYS)
def test_every_spelling_of_a_day(day: date) -> None:
    """Words in several languages, eight digits, the days of a spreadsheet, and the digits of 2014."""
    months = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()  # noqa: SIM905
    german = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()  # noqa: SIM905
    spelled = [
        day.isoformat(), day.strftime("%B %d, %Y"), day.strftime("%d %b %Y"), day.strftime("%d-%b-%Y"), day,
        f"{day.day} {months[day.month - 1]} {day.year}", f"{day.day}. {german[day.month - 1]} {day.year}",
        f"{day.year}年{day.month}月{day.day}日", day.strftime("%Y%m%d"), (day - date(1899, 12, 30)).days,
        f"{day.month:02} {day.day}, {day.year}",
        day.strftime("Reviewed in the United States on %B %d, %Y"),
    ]  # fmt: skip
    assert {milliseconds(value) for value in spelled} == {_ms(datetime(day.year, day.month, day.day, tzinfo=UTC))}


@settings(deadline=None)
@given(st.lists(DAYS, min_size=1, max_size=40), st.booleans(), st.sampled_from("/-."))
def test_day_or_month_first_is_decided_for_a_column(days: list[date], day_first: bool, sign: str) -> None:
    """No date of digits lands in a wrong month: it is right, or unknown because the column does not tell."""
    if sign == ".":
        day_first = True
    form = f"%d{sign}%m{sign}%Y" if day_first else f"%m{sign}%d{sign}%Y"
    found = read_times([day.strftime(form) for day in days])
    right = [_ms(datetime(day.year, day.month, day.day, tzinfo=UTC)) for day in days]
    assert all(one in (-1, other) for one, other in zip(found.milliseconds.tolist(), right, strict=True))
    if any(day.day > 12 for day in days) or sign == ".":
        assert found.milliseconds.tolist() == right
        assert ("day first" in found.rule) == day_first


@settings(deadline=None)
@given(st.one_of(st.integers(), st.floats(), st.text(max_size=30), st.none(), st.booleans()))
def test_no_time_lies_outside(value: object) -> None:
    """Whatever stands there: a time is unknown or from 1990 to the end of next year."""
    found = milliseconds(value, "day")
    assert found == -1 or 1990 <= datetime.fromtimestamp(found / 1000, tz=UTC).year <= datetime.now(UTC).year + 1


def test_years_of_two_digits() -> None:
    """21/04/03 beside 21/04/30 and 21/05/01 is of 2021; 13/4/21 beside 14/4/21 is the 13th."""
    assert [
        datetime.fromtimestamp(t / 1000, tz=UTC).date().isoformat()
        for t in read_times(["21/04/03", "21/04/30", "21/05/01"]).milliseconds.tolist()
    ] == ["2021-04-03", "2021-04-30", "2021-05-01"]
    assert read_times(["13/4/21", "14/4/21"]).milliseconds.tolist() == [
        milliseconds("2021-04-13"),
        milliseconds("2021-04-14"),
    ]


def test_what_is_no_time() -> None:
    """Relative dates, bare years, wrong days and times before the shop are unknown and counted."""
    values = ["a week ago", "yesterday", "2021", "2021-02-30", -62135596800000, 44289.5, "", None]
    found = read_times(values)
    assert (found.milliseconds >= 0).tolist() == [False] * 5 + [True] + [False] * 2
    assert found.unknown.tolist() == [0, 1, 2, 3, 4]


@settings(deadline=None)
@given(st.sampled_from([5, 10, 100]), st.data())
def test_a_scale_is_one_for_a_column(top: int, data: st.DataObject) -> None:
    """Numbers of a scale of 5, 10 or 100 come to 1..5 in their order, however they are written."""
    low = {5: 1, 10: 1, 100: 20}[top]
    values = data.draw(st.lists(st.integers(low, top), min_size=5, max_size=60))
    values += [top, top - 1]  # somebody was content
    if sum(value > top / 2 for value in values) * 10 < len(values):
        return
    for written in (values, [str(v) for v in values], [f"{v}.0" for v in values], [f"{v},0" for v in values]):
        found = read_ratings(written)
        np.testing.assert_allclose(found.stars, [max(1.0, 5 * value / top) for value in values])
        assert found.outside.size == 0
    assert (f"scale of {top}" in read_ratings(values).rule) == (top > 5)


@settings(deadline=None)
@given(st.one_of(st.integers(), st.floats(), st.text(max_size=20), st.none()))
def test_no_rating_lies_outside(value: object) -> None:
    """Whatever stands there: stars are unknown or from 1 to 5."""
    stars = read_ratings([value]).stars[0]
    assert np.isnan(stars) or 1 <= stars <= 5


@pytest.mark.parametrize(
    ("values", "stars"),
    [
        (
            ["Rated 4 out of 5 stars", "4.0 out of 5 stars", "4/5", "8/10", "80 %", "4 stars", "★★★★☆", "four stars"],
            [4] * 8,
        ),
        ([1, -1, 1, None], [5, 1, 5, None]),
        (["1", "0", "1"], [5, 1, 5]),
        ([True, False], [5, 1]),
        (["Recommended", "Not Recommended"], [5, 1]),
        (["thumbs up", "👎"], [5, 1]),
        (["positive", "neutral", "negative"], [5, 3, 1]),
        ([0.5, 1.5, 4.5, 5], [1, 1.5, 4.5, 5]),
        (["3½", "4,5", "2 1/2 stars"], [3.5, 4.5, 2.5]),
        ([5, 4, 0, 6], [5, 4, None, None]),
        (["Excellent", "Bad", "so la la"], [5, 1, None]),
        (["4 out of five", "4 of 5 stars", "4⭐️", "★★★★☆ 4", "Rating: 4", "Rated 4/5", "4,0 von 5 Sternen"], [4] * 7),
        (["Score: 8", "Score: 4", "Score: 9"], [4, 2, 4.5]),
        (["Strongly agree", "disagree", "Love it", "Excelente", "très bon", "差"], [5, 2, 5, 5, 5, 2]),
        ([[5], {"a": 1}], [None, None]),
    ],
)
def test_ratings_in_words_and_signs(values: list[object], stars: list[float | None]) -> None:
    """Each is brought to stars by what it says of itself; what it does not say is unknown."""
    found = read_ratings(values)
    assert [None if np.isnan(star) else star for star in found.stars] == stars


def test_scores_of_ten_are_not_stars_of_five(tmp_path: Path) -> None:
    """A column with tens halves its fours too; the rule and what lies outside are told."""
    rows = [
        {"asin": "P", "text": f"A good soap, number {i}.", "rating": value} for i, value in enumerate([10, 4, 8, 2, 11])
    ]
    source = read_source(str(write_jsonl(tmp_path / "a.jsonl", rows)))
    assert source.rows["rating"].tolist()[:4] == [5, 2, 4, 1]
    assert source.counts["ratings outside 1 to 5"] == 1
    assert "ratings: a scale of 10, brought to 5 stars" in source.notes
    assert source.losses.examples["ratings outside 1 to 5"] == ["11"]


def test_which_ids_are_one(tmp_path: Path) -> None:
    """White space and .0 do not count, capitals and leading zeros do; all four are told with their numbers."""
    names = ["0007", "7", 7.0, "B00X ", "B00X", "b00x"]
    rows = [{"asin": name, "text": f"A good soap, number {i}."} for i, name in enumerate(names)]
    source = read_source(str(write_jsonl(tmp_path / "a.jsonl", rows)))
    assert source.rows["parent_asin"].tolist() == ["0007", "7", "7", "B00X", "B00X", "b00x"]
    assert [note.split(": ")[1].split(" ")[0] for note in source.notes if note.startswith("product ids")] == [
        "white", "1", "2",
    ]  # fmt: skip
    assert read_ids(["1.0", "2.5"]).values.tolist() == ["1.0", "2.5"]
    assert read_ids(['="0007"', "'0007", "Cafe\u0301  A", "Caf\u00e9 A", "#N/A"]).values.tolist() == [
        "0007", "0007", "Caf\u00e9 A", "Caf\u00e9 A", None,
    ]  # fmt: skip
