"""Columns of the places that reviews come from are recognised by name and by content."""

from pathlib import Path

import pandas as pd
import pytest

from prefer_core.config import TextSettings
from prefer_core.data.columns import choose, recognise
from prefer_core.data.reviews import review_table
from prefer_core.data.sentences import sentence_table
from prefer_core.data.sources import read_source
from prefer_core.types import Flag
from tests.data.made import write_jsonl

LONG = "I sent the kettle back because the lid was cracked and the cord is too short"


def _mapped(header: str, given: dict[str, str] | None = None, **samples: list[object]) -> dict[str, str]:
    return recognise(header.split(","), given or {}, samples)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (
            "reviewerID,asin,reviewerName,helpful,reviewText,overall,summary,unixReviewTime,reviewTime",
            "reviewText,asin,reviewerID,overall,summary,unixReviewTime,helpful",
        ),
        (
            "overall,vote,verified,reviewTime,reviewerID,asin,style,reviewerName,reviewText,summary,unixReviewTime",
            "reviewText,asin,reviewerID,overall,summary,unixReviewTime,vote,verified",
        ),
        (
            "rating,title,text,images,asin,parent_asin,user_id,timestamp,helpful_vote,verified_purchase",
            "text,parent_asin,user_id,rating,title,timestamp,helpful_vote,verified_purchase",
        ),
        (
            "review_id,user_id,business_id,stars,useful,funny,cool,text,date",
            "text,business_id,user_id,stars,date,useful",
        ),
        (
            "app_id,app_name,review_text,review_score,review_votes",
            "review_text,app_id,review_score,review_votes,app_name",
        ),
        (
            "reviewId,userName,userImage,content,score,thumbsUpCount,reviewCreatedVersion,at,replyContent,repliedAt,appId",
            "content,appId,userName,score,at,thumbsUpCount",
        ),
        ("App Name,App ID,Nickname,Rating,Title,Body,Date", "Body,App ID,Nickname,Rating,Title,Date,App Name"),
        (
            "user_id,book_id,review_id,rating,review_text,date_added,date_updated,read_at,n_votes,n_comments",
            "review_text,book_id,user_id,rating,date_added,n_votes",
        ),
        (
            "Review Id,Review Created (UTC),Review Consumer User Id,Review Title,Review Content,Review Stars,Domain Url,"  # noqa: E501
            "Company Reply Content",
            "Review Content,Domain Url,Review Consumer User Id,Review Stars,Review Title,Review Created (UTC)",
        ),
        (
            "id,name,asins,reviews.date,reviews.doRecommend,reviews.numHelpful,reviews.rating,reviews.text,reviews.title,"
            "reviews.username",
            "reviews.text,asins,reviews.username,reviews.rating,reviews.title,reviews.date,reviews.numHelpful",
        ),
        (
            "Id,ProductId,UserId,ProfileName,HelpfulnessNumerator,HelpfulnessDenominator,Score,Time,Summary,Text",
            "Text,ProductId,UserId,Score,Summary,Time,HelpfulnessNumerator",
        ),
        (
            ",Clothing ID,Age,Title,Review Text,Rating,Recommended IND,Positive Feedback Count,Department Name,Class Name",  # noqa: E501
            "Review Text,Clothing ID,Rating,Title,Positive Feedback Count,Department Name",
        ),
        ("uniqueID,drugName,condition,review,rating,date,usefulCount", "review,drugName,rating,date,usefulCount"),
        ("Review_ID,Rating,Year_Month,Reviewer_Location,Review_Text,Branch", "Review_Text,Branch,Rating"),
        ("gmap_id,user_id,name,time,rating,text,pics,resp", "text,gmap_id,user_id,rating,time"),
        ("listing_id,id,date,reviewer_id,reviewer_name,comments", "comments,listing_id,reviewer_id,date"),
        ("Produkt,Nutzer,Sterne,Datum,Rezension", "Rezension,Produkt,Nutzer,Sterne,Datum"),
        (
            "Produktname,Bewerter,Sterne,Titel,Rezension,Datum",
            "Rezension,Produktname,Bewerter,Sterne,Titel,Datum",
        ),
        ("producto,usuario,calificación,reseña,fecha", "reseña,producto,usuario,calificación,fecha"),
        ("товар,пользователь,оценка,отзыв,дата", "отзыв,товар,пользователь,оценка,дата"),
        ("商品名,投稿者,評価,タイトル,本文,投稿日", "本文,商品名,投稿者,評価,タイトル,投稿日"),
        ("상품명,작성자,별점,후기,작성일", "후기,상품명,작성자,별점,작성일"),
    ],
)
def test_headers_of_shops_and_collections(header: str, expected: str) -> None:
    """Each header gives the columns that hold text, product, reviewer, rating, title, time, votes, in that order."""
    assert sorted(_mapped(header).values()) == sorted(expected.split(","))
    assert _mapped(header)["text"] == expected.split(",")[0]


def test_a_column_of_long_text_is_the_text() -> None:
    """Whatever it is called; the shop's reply is none, and one named text that holds two words gives way."""
    samples = {"what they wrote": [LONG] * 9, "Developer Reply Text": [LONG + LONG] * 9, "item": ["P"] * 9}
    chosen = {c.standard: c for c in choose(samples, {}, samples)}
    assert (chosen["text"].column, chosen["text"].why) == ("what they wrote", "content")
    flipkart = {"product_name": ["Fan"] * 9, "Rate": ["5"] * 9, "Review": ["nice fan"] * 9, "Summary": [LONG] * 9}
    assert recognise(flipkart, {}, flipkart)["text"] == "Summary"
    assert recognise(flipkart, {"text": "Review"}, flipkart)["text"] == "Review"


def test_columns_of_others_words_are_recognised_by_parts_of_their_name() -> None:
    """Ids go before names; a version, a nationality, an average are no product, reviewer or rating."""
    samples: dict[str, list[object]] = {
        "Reviewed Product Title": ["Fan A", "Fan B"] * 5, "reviewedProductCode": ["A", "B"] * 5,
        "Reviewer Nationality": ["French"] * 10, "guestName": ["Ann", "Bob"] * 5, "Average Score": [4.2] * 10,
        "Score given": [4, 5] * 5, "App Version": ["1.2"] * 10, "body": [LONG] * 10, "submitted on": ["2021-04-03"] * 10,  # noqa: E501
    }  # fmt: skip
    found = recognise(samples, {}, samples)
    assert found["parent_asin"] in ("reviewedProductCode", "Reviewed Product Title")
    assert (found["user_id"], found["rating"], found["timestamp"]) == ("guestName", "Score given", "submitted on")


def test_values_in_the_wrappers_of_exports(tmp_path: Path) -> None:
    """XML turned into JSON and databases put objects around values; namespaces stand before names."""
    row = {
        "app": "P", "author": {"name": {"label": "Ann"}}, "im:rating": {"label": "4"},
        "content": {"label": LONG, "attributes": {"type": "text"}},
        "updated": {"$date": {"$numberLong": "1614729600000"}},
    }  # fmt: skip
    write_jsonl(tmp_path / "a.jsonl", [row])
    [found] = read_source(str(tmp_path / "a.jsonl"), {"time": "updated"}).rows.to_dict("records")
    assert (found["user_id"], found["rating"], found["text"], found["timestamp"]) == ("Ann", 4, LONG, 1614729600000)


@pytest.mark.parametrize(
    "held_place",
    [
        "This user left no review", "User did not leave a comment", "There are no comments available for this review",
        "Kein Kommentar", "[deleted]", "...", "--", "暂无评论", "Product received for free", "(No review text)",
    ],
)  # fmt: skip
def test_words_for_no_text(tmp_path: Path, held_place: str) -> None:
    """Shops' own words for an empty review, and signs alone, are no text; what only begins like them is one."""
    texts = [
        held_place,
        LONG,
        "No comments needed, the lid says it all",
        "There is no review that does it justice",
        "👍",
    ]
    rows = [{"asin": "P", "text": text} for text in texts]
    source = read_source(str(write_jsonl(tmp_path / "a.jsonl", rows)))
    assert source.rows["text"].tolist() == texts[1:]
    assert source.counts["placeholders instead of a text"] == 1


def test_names_of_products_may_stand_as_titles(tmp_path: Path) -> None:
    """Where no column is of products, titles that repeat are their names, and products are called by them."""
    rows = [{"title": f"Game {i % 3}", "review": f"{LONG} {i}", "recommendation": "Recommended"} for i in range(30)]
    pd.DataFrame(rows).to_csv(tmp_path / "a.csv", index=False)
    source = read_source(str(tmp_path / "a.csv"))
    assert source.titles == {f"Game {i}": f"Game {i}" for i in range(3)}
    assert source.rows["title"].eq("").all()


def test_good_and_bad_are_joined_and_kept_apart(tmp_path: Path) -> None:
    """Two texts are one review; what stood under bad is negative whatever its words, placeholders are no text."""
    rows = {
        "hotel": ["A"] * 4,
        "pros": ["The staff found us an iron at once", "No Positive", "It is quiet there at night", "No Positive"],
        "cons": ["No Negative", "The walls are thin there", "A very nice big window", "No Negative"],
    }
    pd.DataFrame(rows).to_csv(tmp_path / "a.csv", index=False)
    source = read_source(str(tmp_path / "a.csv"))
    assert source.counts["placeholders instead of a text"] == 1
    reviews = review_table(source, TextSettings())
    found = sentence_table(reviews.rows, TextSettings(), "sentence").rows
    flags = dict(zip(found["text"], (bool(f & Flag.NEGATIVE) for f in found["flags"]), strict=True))
    assert flags == {
        "The staff found us an iron at once": False, "The walls are thin there": True,
        "It is quiet there at night": False, "A very nice big window": True,
    }  # fmt: skip
    assert any("4 placeholders stand where" in note for note in source.notes)
