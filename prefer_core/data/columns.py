"""Which column of a file holds what: told by its name, by what stands in it, or with ``--map``."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prefer_core.data.dates import read_times
from prefer_core.data.ratings import read_ratings
from prefer_core.data.wordlist import words
from prefer_core.errors import ConfigError, DataError

NAMES = {
    "text": """
        text review review_text reviewtext review_body body content comment comments reviews_text review_content
        reviewcontent reviewbody review_description user_review my_review answer review_comment full_review reviews
        feedback kommentar bewertungstext rezension avis commentaire comentario opinion reseña recensione 评论 評論
        レビュー 口コミ 리뷰
        rezensionstext erfahrungsbericht texte commento testo avaliação opinião texto beoordelingstekst recensie
        reactie recension omdöme kommentarer recenzja opinia komentarz treść yorum inceleme отзыв комментарий текст
        مراجعة تعليق النص レビュー本文 コメント 本文 评论内容 內容 内容 评价内容 후기 내용
    """,
    "negative_text": "",
    "parent_asin": """
        parent_asin asin product_id productid prod_id product item_id itemid item sku business_id app_id appid
        package_name book_id hotel_id gmap_id listing_id movie_id course_id place_id restaurant_id clothing_id
        game_id asins isbn bundle_id product_name product_title app_name hotel_name book_title movie_title
        restaurant_name item_name game app hotel restaurant book movie drugname urldrugname branch company_name
        company firm domain_url domain store_name location_name brand_name produkt artikel produit producto prodotto
        produkt_id artikelnummer 产品 商品 製品 상품
        produktname ware hotelname nom_produit article artículo nombre_del_producto articolo produto nome_do_produto
        artikelnaam produktnamn ürün ürün_adı товар продукт артикул المنتج 商品名 製品名 产品名称 商品名称 商品id
        상품명 제품
    """,
    "user_id": """
        user_id userid user reviewer_id reviewerid reviewer customer_id customer author username user_name
        profile_name profilename author_steamid author_id steamid review_consumer_user_id consumer_id
        reviews_username reviewer_name reviewername author_name nickname consumer_displayname author_title reviewers
        nutzer kunde benutzer utilisateur usuario utente 用户 ユーザー 사용자
        nutzername kundenname bewerter rezensent verfasser autor auteur client pseudo cliente autore gebruiker klant
        användare kund użytkownik klient kullanıcı müşteri пользователь автор покупатель المستخدم ユーザー名 投稿者
        用户名 用户id 买家 작성자 구매자
    """,
    "rating": """
        rating stars star_rating score overall review_rating star reviews_rating reviewer_score review_score
        review_stars rating_value ratingvalue overall_rating points voted_up recommended is_recommended
        recommendation recommended_ind sentiment user_rating reviews_dorecommend rate bewertung sterne note
        calificacion puntuacion voto grade positive is_positive airline_sentiment rating_review userscore thumbs
        thumb 评分 評価 평점
        gesamtbewertung étoiles évaluation estrellas valoración valutazione stelle nota classificação estrelas
        beoordeling sterren betyg stjärnor ocena gwiazdki puan yıldız оценка рейтинг звезды التقييم 星 評点 星级
        打分 별점
    """,
    "title": """
        title review_title review_headline headline summary subject reviews_title reviewtitle review_summary titel
        titre titulo titolo
        überschrift rubrik tytuł başlık заголовок العنوان タイトル 标题 標題 제목
    """,
    "timestamp": """
        timestamp unixreviewtime unix_review_time time review_time reviewtime review_date reviewdate date created_at
        date_posted submission_time timestamp_created review_submit_millis_since_epoch review_submit_date_and_time
        review_created_utc date_added at reviews_date datepublished date_published published_at publishedat
        dates_publisheddate date_of_review created createdat createtime create_time date_created date_review
        review_created published_date date_reviews date_of_experience datetime posted datum fecha data
        timestamp_updated 日期 时间 日付 날짜
        bewertungsdatum erstellt zeit date_avis giorno tid tarih дата время التاريخ 投稿日 日時 評論日期 评论时间
        작성일
    """,
    "helpful_vote": """
        helpful_vote helpful_votes helpful votes vote helpful_count useful n_votes votes_up thumbsupcount
        thumbs_up_count review_votes helpfulnessnumerator usefulcount useful_count positive_feedback_count
        reviews_numhelpful num_helpful likes helpfulcount total_positive_feedback_count
        hilfreich utile útil nuttig hjälpsam помогло 参考になった 有用 点赞数 도움
    """,
    "verified_purchase": "verified_purchase verified verifiedpurchase is_verified steam_purchase",
    "category": """
        category main_category product_label department department_name class_name
        kategorie catégorie categoría kategori категория カテゴリ 类别 分类 카테고리
    """,
    "product_title": "product_title product_name item_name app_name hotel_name game_name book_title app",
}
"""Names by which each standard column is recognised, best first; capitals, spaces and dashes do not matter.

Beside those of Amazon (2014, 2018, 2023) they are of exports and collections of Yelp, Steam, Google Play, the App
Store, Goodreads, Google Maps, Booking, TripAdvisor, Trustpilot, Datafiniti, Sephora, Airbnb and Glassdoor. Then come
words of German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Polish, Turkish, Russian, Arabic, Japanese,
Chinese and Korean.
"""

SHORT = {
    "product": "parent_asin",
    "user": "user_id",
    "time": "timestamp",
    "helpful": "helpful_vote",
    "verified": "verified_purchase",
    "negative": "negative_text",
}
"""Short names that ``--map`` takes beside the standard ones."""

SAID = {standard: short for short, standard in SHORT.items()}
"""What each standard column is called where people read it, if otherwise."""

SAMPLE = 1000
"""Rows from which the content of columns is told."""

# Words in a column's name that tell what it is about. A name is cut into words at capitals, digits and signs.
_OF_A_SHOP = frozenset({"reply", "response", "replied", "developer", "owner", "seller", "answered", "resp"})
_GOOD = words("positive pros pro advantages likes liked like love loved good best plus vorteile")
_BAD = words("negative cons con disadvantages dislikes disliked dislike hate bad worst minus nachteile")
_BAD |= words("improve improved improvement improvements better drawbacks missing")
_PRODUCT = words(
    """product prod item asin sku app application package game book hotel business restaurant company brand movie film
    show drug medicine course listing place branch store shop location domain airline firm venue property model service
    gmap isbn wine beer phone attraction produkt artikel produit producto"""
)
_PERSON = words(
    """user reviewer author customer consumer nickname profile steamid member person guest buyer respondent yelper
    verfasst username"""
)
_SCORE = words(
    """rating score stars star overall points grade recommend recommended sentiment thumbs vote nps csat osat
    satisfaction ratings scores"""
)
_WHEN = words("date time timestamp datetime created published posted submitted written day unix")
_AROUND = words("id name title key code number no nr hash display screen is ind value given out of at on in the")
_AROUND |= words("review reviews reviewed submit submission utc ms millis epoch since local label text of my your von")
_NAMES = words("name title hotel firm company game movie film restaurant book branch place drug store")
_CODES = words("id code key number url domain")
_SOUGHT = {"parent_asin": _PRODUCT, "user_id": _PERSON, "rating": _SCORE, "timestamp": _WHEN}
_NOT_OWN = words("average mean total count number num sum words length len avg reviews max min update updated")
_BOOK = words("book isbn isbn13 isbn10 bookshelves")
_NOT_OF_THE_REVIEW = _OF_A_SHOP | words(
    "reply birth birthday age release released launch average mean expiry delivered"
)
_LATER = words("updated update modified edited read changed")
_ENOUGH_TO_TELL, _NEARLY, _LONGEST_RATING = 5, 0.9, 40
"""Values, share of them and characters of each from which a column without a known name is told."""
_DATE = re.compile(
    r"(?:19|20)\d\d|\d{1,2}[/.-]\d{1,2}[/.-]\d\d|\d{1,2} \w{3,4} '?\d\d\b|(?<!\w)ago\b|^(?:il y a|vor|hace)\b"
)
_OUT_OF = re.compile(
    r"[★⭐🌟]|\d.*(?:star|stern|étoile|estrella|stell[ae]\b)|\d\s*(?:/|of|von|sur|de|su)\s*(?:5|10)\b", re.I
)
_URL = re.compile(r"^(?:https?://|www\.)\S+$", re.IGNORECASE)


@dataclass(frozen=True)
class Choice:
    """What a column was taken for.

    Attributes
    ----------
    standard : str
        Standard name.
    column : str
        Name in the file.
    why : str
        By which token: "name", "content" or "--map".
    """

    standard: str
    column: str
    why: str


def recognise(
    found: Iterable[str],
    given: Mapping[str, str],
    samples: Mapping[str, Sequence[Any]] | None = None,
    *,
    needs_product: bool = True,
) -> dict[str, str]:
    """Say which of the columns `found` holds what.

    Parameters
    ----------
    found : iterable of str
        Column names as they stand in the file.
    given : mapping of str to str
        Standard or short name to column, as given with ``--map``; it wins over what is recognised.
    samples : mapping of str to sequence, optional
        First values of the columns: a column of long text is the text, whatever it is called.
    needs_product : bool
        False where one name is given for the product of all reviews.

    Returns
    -------
    dict of str to str
        Standard name to column name; ``text`` and ``parent_asin`` are always there, the latter only if it is needed.

    Raises
    ------
    ConfigError
        If `given` uses a name that is not known.
    DataError
        If a given column, the text or the product is not there; the message lists the columns found.

    Examples
    --------
    >>> recognise(["prod_id", "Review", "review_id"], {})
    {'text': 'Review', 'parent_asin': 'prod_id'}
    """
    return {c.standard: c.column for c in choose(found, given, samples or {}, needs_product=needs_product)}


def choose(
    found: Iterable[str], given: Mapping[str, str], samples: Mapping[str, Sequence[Any]], *, needs_product: bool = True
) -> list[Choice]:
    """Do what `recognise` does, and say of every column why."""
    columns = list(found)
    listing = ", ".join(name for name in columns if name) or "none"
    chosen = {name: Choice(name, column, "--map") for name, column in _given(given, columns, listing).items()}
    looked = {name: _Content.of(samples.get(name, ())) for name in columns}
    by_name = {_fold(column): column for column in reversed(columns)}
    _choose_texts(chosen, by_name, looked)
    is_of_books = any(_words(column) & _BOOK for column in columns)
    writers = {column for column in columns if is_of_books and _fold(column) in ("author", "authors", "author_name")}
    for standard, aliases in _NAMES_OF.items():
        if standard in chosen or standard in ("text", "negative_text"):
            continue
        taken = {choice.column for choice in chosen.values()} | writers
        hits = [by_name[alias] for alias in aliases if alias in by_name]
        hits = [hit for hit in hits if hit not in taken or standard == "product_title"]
        hits = [hit for hit in hits if _may_be(standard, looked[hit])]
        if hits:
            chosen[standard] = Choice(standard, hits[0], "name")
        elif (guess := _guess(standard, [name for name in columns if name not in taken], looked)) is not None:
            chosen[standard] = Choice(standard, guess, "name")
    _choose_by_content(chosen, columns, samples)
    if not needs_product:
        chosen.pop("parent_asin", None)
    elif "parent_asin" not in chosen and (title := chosen.get("title")) and looked[title.column].is_repeated:
        chosen["parent_asin"] = Choice("parent_asin", chosen.pop("title").column, "content")
    _require(chosen, listing, needs_product=needs_product)
    return [chosen[name] for name in NAMES if name in chosen]


def is_wanted(column: str, given: Mapping[str, str]) -> bool:
    """Whether `column` may hold something that is read, so that the rest need not be kept."""
    return column in given.values() or _fold(column) in _KNOWN


def known_names(columns: Iterable[str]) -> list[str]:
    """Return those of the names that are known, whatever they stand for."""
    return [column for column in columns if _fold(column) in _KNOWN]


def holds_a_text(row: Mapping[str, Any]) -> bool:
    """Whether a row has a value under a name of the text of reviews."""
    return any(_fold(name) in _NAMES_OF["text"] for name, value in row.items() if not isinstance(value, (dict, list)))


def names_a_product(column: str) -> bool:
    """Whether a name is one of the product, its title or its category."""
    folded = _fold(column)
    return any(folded in _NAMES_OF[standard] for standard in ("parent_asin", "product_title", "category"))


def holds_names(column: str) -> bool:
    """Whether a column of products holds their names, by what it is called, and not their ids.

    >>> holds_names("Hotel_Name"), holds_names("product_id"), holds_names("product")
    (True, False, False)
    """
    own = _words(column)
    return bool(own & _NAMES) and not own & _CODES


def _given(given: Mapping[str, str], columns: Sequence[str], listing: str) -> dict[str, str]:
    mapping: dict[str, str] = {}
    for name, column in given.items():
        standard = SHORT.get(name, name)
        if standard not in NAMES:
            known = ", ".join([*(n for n in NAMES if n not in SHORT.values()), *SHORT])
            raise ConfigError(f"--map does not know {name!r}; it takes {known}, for example --map text=review.")
        if column not in columns:
            raise DataError(f"There is no column {column!r} to take as {name}; the file has: {listing}.")
        mapping[standard] = column
    return mapping


def _require(chosen: Mapping[str, Choice], listing: str, *, needs_product: bool) -> None:
    if "text" not in chosen:
        raise DataError(
            f"No column holds the text of a review; the file has: {listing}. "
            "Name it with --map text=COLUMN (several: --map text=review,product=prod_id)."
        )
    if "parent_asin" not in chosen and needs_product:
        raise DataError(
            f"No column holds the product of a review; the file has: {listing}. "
            "Name it with --map product=COLUMN (several: --map text=COLUMN,product=COLUMN), or, if all reviews are "
            "of one product, give its name with --one-product NAME."
        )


@dataclass(frozen=True)
class _Content:
    """What a sample of a column looks like.

    Attributes
    ----------
    known : int
        Values that are there.
    words : float
        Words of a value on average.
    numeric : float
        Share of values that are numbers, true or false.
    distinct : float
        Share of distinct values.
    """

    known: int = 0
    words: float = 0.0
    numeric: float = 0.0
    distinct: float = 0.0

    @classmethod
    def of(cls, values: Sequence[Any]) -> "_Content":
        known = [value for value in values if value is not None and value != "" and not isinstance(value, (dict, list))]
        if not known:
            return cls()
        texts = [str(value).strip() for value in known]
        sizes = [0 if _URL.match(text) else _count(text) for text in texts]
        numeric = sum(not isinstance(v, str) or _is_number(t) for v, t in zip(known, texts, strict=True))
        return cls(len(known), sum(sizes) / len(known), numeric / len(known), len(set(texts)) / len(known))

    @property
    def is_repeated(self) -> bool:
        """Whether most values occur several times, as names of products do and titles of reviews do not."""
        return self.known >= 10 and 1 / self.known < self.distinct <= 0.5

    @property
    def is_text(self) -> bool:
        """Whether these are texts of several words that mostly differ."""
        return self.words >= 4 and self.numeric < 0.2


def _count(text: str) -> float:
    """Count words; a script without spaces has about one in two letters."""
    if text.isascii():
        return len(text.split())
    return max(len(text.split()), sum(ord(sign) >= 0x0E00 and sign.isalpha() for sign in text) / 2)


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _choose_texts(chosen: dict[str, Choice], by_name: Mapping[str, str], looked: Mapping[str, _Content]) -> None:
    """Find the text, or the pair of what was good and what was bad."""
    if "text" in chosen:
        return
    free = {name: content for name, content in looked.items() if name not in {c.column for c in chosen.values()}}
    hits = [by_name[alias] for alias in _NAMES_OF["text"] if by_name.get(alias) in free]
    hits = [hit for hit in hits if not free[hit].known or free[hit].numeric < 0.5]
    longest = max(
        (name for name, content in free.items() if content.is_text and not _words(name) & _OF_A_SHOP),
        key=lambda name: free[name].words * (0.5 + free[name].distinct / 2),
        default=None,
    )
    pair = _pair(free)
    if pair is not None and not hits:
        chosen["text"], chosen["negative_text"] = (Choice(s, c, "name") for s, c in zip(_PAIR, pair, strict=True))
    elif hits and not (longest and longest not in hits and _is_far_longer(free[longest], free[hits[0]])):
        best = max(hits, key=lambda hit: free[hit].is_text)
        chosen["text"] = Choice("text", best, "name")
    elif longest is not None:
        chosen["text"] = Choice("text", longest, "content")


_PAIR = ("text", "negative_text")


def _is_far_longer(one: _Content, other: _Content) -> bool:
    """Whether a column is the text although another one has the name of it ("Review": "nice", "Summary": ...)."""
    return other.known > 0 and not other.is_text and one.words >= 3 * other.words


def _pair(looked: Mapping[str, _Content]) -> tuple[str, str] | None:
    """Return the columns of good and bad, which have the same name but for the word."""
    texts = [name for name, content in looked.items() if content.numeric < 0.5 and (content.words >= 2)]
    for good in texts:
        for bad in texts:
            one, other = _words(good), _words(bad)
            if one & _GOOD and other & _BAD and not (one ^ other) & _NOT_OWN:
                return good, bad
    return None


def _choose_by_content(chosen: dict[str, Choice], columns: Sequence[str], samples: Mapping[str, Sequence[Any]]) -> None:
    """Take for time and rating what nothing else can be: a column of dates in words or digits, one of "4 of 5 stars".

    Bare numbers tell neither.
    """
    for standard in ("timestamp", "rating"):
        if standard in chosen:
            continue
        taken = {choice.column for choice in chosen.values()}
        fitting = [
            name
            for name in columns
            if name not in taken and not _words(name) & _NOT_OF_THE_REVIEW and _is_told(standard, samples.get(name, ()))
        ]
        if fitting:
            best = min(fitting, key=lambda name: bool(_words(name) & _LATER))
            chosen[standard] = Choice(standard, best, "content")


def _is_told(standard: str, values: Sequence[Any]) -> bool:
    """Whether nearly all texts of a column are times, or ratings that name their scale."""
    known = [value for value in values if isinstance(value, str) and value.strip()]
    if len(known) < _ENOUGH_TO_TELL or len(known) < len([v for v in values if v not in (None, "")]):
        return False
    if any(map(_is_number, known)):
        return False
    if standard == "timestamp":
        is_date = [_DATE.search(value) is not None for value in known]
        return sum(is_date) >= _NEARLY * len(known) and len(read_times(known).unknown) <= len(known) // 2
    return sum(map(_has_scale, known)) >= _NEARLY * len(known)


def _has_scale(value: str) -> bool:
    return len(value) <= _LONGEST_RATING and bool(_OUT_OF.search(value)) and bool(read_ratings([value]).stars[0] >= 1)


def _may_be(standard: str, content: _Content) -> bool:
    """Whether what stands in a column can be what its name says."""
    if not content.known:
        return True
    if standard == "rating":
        return content.words < 8
    if standard in ("timestamp", "helpful_vote", "verified_purchase"):
        return content.words < 12
    if standard in ("parent_asin", "user_id"):
        return content.words < 30
    return True


def _guess(standard: str, columns: Sequence[str], looked: Mapping[str, _Content]) -> str | None:
    """Return a column whose name holds a word of what is sought and whose content agrees; None if there is none."""
    if standard not in _SOUGHT:
        return None
    sought = _SOUGHT[standard]
    fitting = []
    for name in columns:
        own, content = _words(name), looked[name]
        beside = _AROUND | _PERSON if standard == "rating" else _AROUND
        alike = own & sought and not {word for word in own - sought - beside if not word.isdecimal()}
        alike = alike and not (standard == "rating" and own & (_NOT_OWN | {"number", "no", "nr"}))
        is_text = content.is_text and standard != "rating"  # "1 - not at all good"
        if not alike or not content.known or is_text or not _may_be(standard, content):
            continue
        if standard == "parent_asin" and content.distinct == 1 and content.known > 20:
            continue
        fitting.append(name)
    return max(
        fitting, key=lambda name: ("id" in _words(name), "name" in _words(name), -len(_words(name))), default=None
    )


def _words(column: str) -> frozenset[str]:
    """Cut a name into words, at capitals too.

    >>> sorted(_words("reviewSubmit.Date_2"))
    ['2', 'date', 'review', 'submit']
    """
    parts = re.findall(r"[A-Z]?[a-zß-ÿ]+|[A-Z]+(?![a-z])|\d+", _NAMESPACE.sub("", column))
    return frozenset(part.lower() for part in parts)


def _fold(column: str) -> str:
    """Return a name as it is compared: capitals, signs, accents and the prefix of a namespace do not count.

    >>> _fold("Calificación"), _fold("im:rating.label"), _fold("Review-Text")
    ('calificacion', 'rating_label', 'review_text')
    """
    plain = "".join(_plain(sign) for sign in _NAMESPACE.sub("", column.strip().lower()))
    return re.sub(r"[^\w]+", "_", plain).strip("_")


def _plain(sign: str) -> str:
    base = unicodedata.normalize("NFD", sign)[:1]
    return base if base.isascii() else sign


_NAMESPACE = re.compile(r"^[a-z]{1,5}:(?=\w)")


_NAMES_OF = {standard: tuple(dict.fromkeys(map(_fold, names.split()))) for standard, names in NAMES.items()}
_KNOWN = frozenset(name for names in _NAMES_OF.values() for name in names)
