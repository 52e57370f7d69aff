"""Sentences of other languages and scripts, and what the report says of them."""

import pytest

from prefer_core.data.cleaning import clean
from prefer_core.data.language import shares
from prefer_core.data.reading_report import language_note
from prefer_core.data.splitting import count_words, shorten, split_sentences


@pytest.mark.parametrize(
    "text",
    [
        "背包的拉链第二天就坏了，我很失望。|这个价格能买到这样的质量，真不错！",
        "二日目にファスナーが壊れました。|「とても良い」と思います。|値段のわりに質が良い？",
        "สินค้าดีมากค่ะ |ใช้งานง่ายมากเลย |ส่งเร็วทันใจจริงๆ ",
        "หม้อใบนี้ร้อนเร็วมาก |ฝาปิดสนิทดี |แต่ว่าสายไฟสั้นไปหน่อยนะคะ |คราวหน้าจะซื้อสีแดง",
        "ได้รับของแล้วค่ะ |แพ็คมาดี ขนาด 25 cm พอดีกับที่วัดไว้ |ราคา 199 บาท ถือว่าคุ้ม!! |ซื้อซ้ำแน่นอน",
        "ສິນຄ້າດີຫຼາຍ ໃຊ້ງານງ່າຍຫຼາຍ |ສົ່ງໄວທັນໃຈແທ້ໆ ຂ້ອຍຈະຊື້ອີກ",
        "ផលិតផលនេះល្អណាស់។ |គម្របមិនលេចទឹកទេ។ |ខ្ញុំនឹងទិញម្ដងទៀត",
        "ဒီအိုးက အရမ်းကောင်းတယ်။ |ပြန်ဝယ်မယ်။",
        "هل تعمل جيدا؟ |نعم تعمل.",
        "यह बहुत अच्छा है। |मुझे पसंद आया।",
        "Der Griff ist z. B. nach ca. 3 Wochen noch fest, d. h. gut. |Er hat ca. 2,5 cm Spiel, usw. |Nr. 4 fehlte.",
        "Bei mir liegt er auf dem 1. Platz der Geräte. |Der Versand lt. Shop am 12. April. |Er klemmt bzw. hakt.",
        "I bought a 2nd. one for her. |It is the 2nd. |We love it!!|Would buy again",
        "What I like: |(1) it is soft |(2) it is warm |(3) it is red",
        "I am 50. |It fits me in the U.S. size.",
    ],
)
def test_where_sentences_end(text: str) -> None:
    """Stops of other scripts end a sentence, German abbreviations and ordinals do not, lists are cut at their marks."""
    assert split_sentences(text.replace("|", "")) == [part.strip() for part in text.split("|")]


def test_words_without_spaces() -> None:
    """A Chinese word counts two letters, a Thai one four; what has spaces counts as before."""
    assert [count_words(text) for text in ("这个价格能买到", "การใช้งาน", "soft - and warm", "好")] == [4, 2, 3, 1]


def test_run_ons_are_cut_not_lost() -> None:
    """Capitals without any stop, and long Chinese with commas only, are cut where a clause is likely to begin."""
    shouted = "IT LEAKS FROM THE LID AND I SENT IT BACK THEY NEVER ANSWERED " * 9
    parts = shorten(shouted.strip(), 80)
    assert " ".join(parts) == shouted.strip()
    assert all(len(part.split()) <= 80 for part in parts)
    assert len(shorten("这个价格能买到这样的质量，" * 30, 80)) > 1


def test_nothing_turns_the_direction_of_writing() -> None:
    """Overrides and isolates are taken out of the text, joiners of emoji and Persian stay."""
    assert clean("fine \u202eesool\u202c, \u2067they\u2069 \u200fsaid 👩\u200d🔧 می\u200cخواهم") == (
        "fine esool, they said 👩\u200d🔧 می\u200cخواهم"
    )


def test_which_languages_are_told() -> None:
    """A third of German is named with what it costs; a few Spanish rows are not worth a word."""
    english = ["This kettle is very quiet and the lid closes well every time."] * 20
    german = ["Der Griff ist nach drei Wochen noch fest und gut verarbeitet."] * 10
    found = shares([*english, *german])
    assert found == pytest.approx({"en": 2 / 3, "de": 1 / 3})
    note = language_note(found)
    assert "33 % of the reviews are in German" in note
    assert "--language en" in note
    assert "--language" not in language_note({"zh": 0.95, "en": 0.05})
    assert "--embedder multilingual" in language_note({"zh": 0.95, "en": 0.05})
    assert "--embedder" not in language_note({"hu": 0.95, "en": 0.05})
    built = language_note({"ja": 0.6, "hu": 0.4}, "multilingual")
    assert "no key points" in built
    assert "does not know Hungarian" in built
    assert "of Lao end" in language_note({"lo": 0.9, "th": 0.1})
    assert "segmenter" not in language_note({"th": 0.9, "ja": 0.1})
    assert language_note({"en": 0.95, "es": 0.05}) == ""
