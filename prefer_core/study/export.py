"""A study as one zip that needs no cleaning: tables with a codebook, the definition, and checksums.

Participants appear by pseudonyms. Their own codes, which could identify them, are left out unless asked for.
"""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd

from prefer_core import simplex
from prefer_core.corpus import Corpus
from prefer_core.data.spreadsheet import to_csv
from prefer_core.experiments.offpolicy import slate_feedback
from prefer_core.files.manifest import digest_of
from prefer_core.store import StudyBook
from prefer_core.store.rows import with_offset
from prefer_core.store.studies import ParticipantRecord, StoredStudy
from prefer_core.study.assignment import Slot, cells
from prefer_core.study.definition import Question, Study
from prefer_core.study.reliability import Reliability, reliability, sus_score

Row = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """One line of the codebook."""

    name: str
    meaning: str
    unit: str = "text"
    range: str = ""


@dataclass(frozen=True)
class Tables:
    """The data of a study: one row a participant, one a summary shown, one an event."""

    wide: list[Row]
    long: list[Row]
    events: list[Row]


_WHO = (
    Column("participant", "Made-up name of the participant", "pseudonym"),
    Column("kind", "Who took part", "category", "person, bot"),
    Column("study", "Name of the study"),
    Column("study_digest", "SHA-256 of the definition", "hex"),
)
WIDE = (
    *_WHO,
    Column("bot", "How a simulated participant behaves; empty for a person", "category",
           "honest, noisy, drifting, constant, random"),
    Column("number", "Order in which participants began", "count", "0 and up"),
    Column("condition", "Arm, or order of arms, that was dealt to the participant", "category"),
    Column("corpus", "Id of the reviews", "hex"),
    Column("settings_digests", "SHA-256 of the session settings of each arm that the participant has met", "JSON"),
    Column("status", "How far the participant came", "category", "going on, completed, withdrawn"),
    Column("rounds_rated", "Rounds rated, without practice and repeats", "count", "0 and up"),
    Column("consent_at", "When the participant agreed", "ISO 8601 time with offset"),
    Column("completed_at", "When the end was reached", "ISO 8601 time with offset"),
    Column("mean_rating", "Mean rating over all summaries", "rating", "0 to 1"),
    Column("reliability", "How far the ratings can be relied on; docs/study.md says how it is measured", "score",
           "0 to 1"),
    Column("reliability_reasons", "What spoke against the participant"),
    Column("reliability_parts", "The parts of the score by name", "JSON"),
    Column("sus_score", "System Usability Scale", "score", "0 to 100"),
)  # fmt: skip
LONG = (
    Column("round_id", "Key: participant, place in the plan, side", "pseudonym-slot-side"),
    *_WHO,
    Column("corpus", "Id of the reviews", "hex"),
    Column("arm", "Arm whose summary was shown", "category"),
    Column("settings_digest", "SHA-256 of the session settings of the arm", "hex"),
    Column("slot", "Place in the participant's plan", "category", "practice, round-1 and up, repeat-1 and up"),
    Column("position", "Place in the order of what was shown; practice is 0 if there is one", "count", "0 and up"),
    Column("side", "Where the summary stood, from left to right", "count", "0 and up"),
    Column("practice", "Whether the round counts for nothing", "boolean"),
    Column("repeats", "The slot that is shown again here, unannounced; such a rating teaches nothing"),
    Column("product", "Product id"),
    Column("session", "Session of the ledger that played the arm", "count"),
    Column("ledger_round", "Number of the round in that session", "count", "1 and up"),
    Column("t", "Ratings in force in that session, plus 1", "count", "1 and up"),
    Column("rating", "The participant's rating of the summary; empty while there is none", "rating", "0 to 1"),
    Column("rating_own_scale", "The rating less the participant's mean, over their standard deviation",
           "standard deviations"),
    Column("slider_start", "Where the slider stood at first", "rating", "0 to 1"),
    Column("seconds", "How long the summary was in view, in the tab that sent the rating", "seconds", "0 and up"),
    Column("evidence_alignment", "A_evid: cosine of the preference used for selection and of what was shown", "cosine",
           "0 to 1"),
    Column("baseline", "Rating that the learner expected", "rating", "0 to 1"),
    Column("pool", "What was selected", "category", "sentences, keypoints"),
    Column("text", "The summary as it stood on the screen when it was rated"),
    Column("text_writer", "Who wrote it: a model's name, or template"),
    Column("text_source", "Whether a model wrote any of it", "category", "model, template"),
    Column("evidence_ids", "Ids of the sentences cited", "JSON list"),
    Column("evidence", "The sentences cited, as their reviewers wrote them", "JSON list"),
    Column("choices", "Ids of what was selected, in order: points by their representative", "JSON list"),
    Column("propensities", "Probability of each choice given those before it and w_used", "JSON list", "0 to 1"),
    Column("pscore", "Probability of all choices in this order", "probability", "0 to 1"),
    Column("z", "Aspect profile of what was shown", "JSON list", "sums to 1"),
    Column("w_used", "Preference that selection used", "JSON list", "sums to 1"),
    Column("w_after", "Preference after the rating", "JSON list", "sums to 1"),
    Column("shown_at", "When it was first shown", "ISO 8601 time with offset"),
    Column("rated_at", "When the rating was kept", "ISO 8601 time with offset"),
)  # fmt: skip
EVENTS = (
    Column("event", "Key; events are in the order in which they happened, also where a clock was set back", "count"),
    Column("participant", "Made-up name of the participant; empty for what the researcher did", "pseudonym"),
    Column("who", "Who took part; empty for what the researcher did", "category", "person, bot"),
    Column("condition", "Arm, or order of arms, that was dealt to the participant", "category"),
    Column("study", "Name of the study"),
    Column("study_digest", "SHA-256 of the definition", "hex"),
    Column("corpus", "Id of the reviews", "hex"),
    Column("kind", "What happened", "category", "begun, answered, sent, completed, withdrawn, bot, open, paused, ..."),
    Column("step", "Step of the participant's way"),
    Column("detail", "What goes with it: of a rating its values, slider starts, seconds and answers", "JSON"),
    Column("at", "When, by the server's clock", "ISO 8601 time with offset"),
)
CODE = Column("code", "The code that came with the participant's link: it may identify them")


def tables(book: StudyBook, study: Study, stored: StoredStudy, *, codes: bool = False) -> Tables:
    """Return the data of a study as it stands; people may be taking part meanwhile."""
    # Events come last: of a rating that is read here, what was sent with it has then been kept.
    records, rounds, happened = book.records(stored), book.shown_rounds(stored), book.events(stored)
    details = sent_by(happened)
    bots = {row["participant"]: row["detail"]["kind"] for row in happened if row["kind"] == "bot"}
    long = [row for record in records for row in _long(study, stored, record, rounds, details)]
    wide = [_wide(study, stored, record, long, bots) for record in records]
    if codes:
        for row, record in zip(wide, records, strict=True):
            row[CODE.name] = record.participant.code
    of = {row["participant"]: row for row in wide}
    whole = {"study": stored.name, "study_digest": stored.digest, "corpus": stored.corpus_id}
    events = []
    for row in happened:
        who = of.get(row["participant"], {})
        more = {"who": who.get("kind"), "condition": who.get("condition"), "at": _time(row["at"])}
        values = row | whole | more | {"detail": _json(row["detail"])}
        events.append({column.name: values[column.name] for column in EVENTS})
    return Tables(wide, long, events)


def bundle(book: StudyBook, study: Study, stored: StoredStudy, corpus: Corpus, *, codes: bool = False) -> bytes:
    """Return the zip: tables as CSV, Parquet and JSON, codebook, definition, manifest of the corpus, checksums."""
    made = tables(book, study, stored, codes=codes)
    book_of = codebook(study, codes=codes)
    files: dict[str, bytes] = {}
    for name, rows in (("wide", made.wide), ("long", made.long), ("events", made.events)):
        columns = [row["column"] for row in book_of if row["table"] == name]
        frame = pd.DataFrame(rows, columns=columns)
        files[f"{name}.csv"] = to_csv(rows, columns).encode()
        files[f"{name}.json"] = _json(rows, indent=1).encode()
        stream = io.BytesIO()
        frame.to_parquet(stream, index=False)
        files[f"{name}.parquet"] = stream.getvalue()
    files["codebook.csv"] = to_csv(book_of, ["table", "column", "meaning", "unit", "range"]).encode()
    files["definition.toml"] = study.text.encode()
    files["definition.json"] = _json({"digest": study.digest, "conditions": cells(study)}, indent=1).encode()
    files["corpus-manifest.json"] = _json(corpus.manifest, indent=1).encode()
    rated = [
        row | {"feedback": row["rating"], "who": row["kind"]}
        for row in made.long
        if row["rating"] is not None and not row["repeats"]
    ]
    if rated:
        stream = io.BytesIO()
        np.savez_compressed(stream, **slate_feedback(rated))
        files["slates.npz"] = stream.getvalue()
    sums = "".join(f"{sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items()))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            archive.writestr(name, content)
        archive.writestr("SHA256SUMS", sums)
    return out.getvalue()


def codebook(study: Study, *, codes: bool = False) -> list[dict[str, str]]:
    """Return what every column means, its unit and its range."""
    wide = [*WIDE, *([CODE] if codes else []), *map(_asked, (*study.before, *study.after))]
    wide += map(_asked, study.sus)
    wide += [
        Column(f"attention_{i}", f"Answer to: {item.text} (wanted: {item.expected})", "category",
               ", ".join(item.options))
        for i, item in enumerate(study.attention, start=1)
    ]  # fmt: skip
    long = [*LONG, *map(_asked, study.each_round)]
    return [
        {"table": table, "column": one.name, "meaning": one.meaning, "unit": one.unit, "range": one.range}
        for table, columns in (("wide", wide), ("long", long), ("events", EVENTS))
        for one in columns
    ]


def _asked(question: Question) -> Column:
    if question.kind == "scale":
        ends = f"1 = {question.low}, {question.points} = {question.high}"
        return Column(question.name, f"Answer to: {question.text}", "points", ends)
    if question.kind == "choice":
        return Column(question.name, f"Answer to: {question.text}", "category", ", ".join(question.options))
    return Column(question.name, f"Answer to: {question.text} Free words: they may say who wrote them.")


def judged(study: Study, record: ParticipantRecord, sent: Mapping[str, Mapping[str, Any]]) -> Reliability | None:
    """Return how far a participant's ratings can be relied on.

    Parameters
    ----------
    study, record : Study, ParticipantRecord
        The definition, and what is kept of the participant.
    sent : mapping of str to mapping
        What went with the participant's ratings, by slot.
    """
    slots = [Slot.from_dict(one) for one in record.participant.plan or []]
    rated = {
        slot.name: [one.feedback for one in record.at(slot.name) if one.feedback is not None]
        for slot in slots
        if not slot.practice and not slot.repeats
    }
    pairs = [
        (float(first), float(second))
        for slot in slots
        if slot.repeats and slot.name in record.answers
        for first, second in zip(rated[slot.repeats], record.answers[slot.name]["values"], strict=True)
    ]
    seconds = [float(sent[name]["seconds"]) for name, values in rated.items() if values and name in sent]
    return reliability(study, [f for values in rated.values() for f in values], seconds, pairs, record.answers)


def sent_by(events: Sequence[Mapping[str, Any]]) -> dict[int, dict[str, Any]]:
    """Return what went with each rating, by participant id and slot, from a study's events."""
    found: dict[int, dict[str, Any]] = {}
    for row in events:
        if row["kind"] == "sent":
            found.setdefault(row["participant_id"], {})[row["step"]] = row["detail"]
    return found


def _wide(
    study: Study, stored: StoredStudy, record: ParticipantRecord, long: Sequence[Row], bots: Mapping[str, str]
) -> Row:
    who = record.participant
    mine = [row for row in long if row["participant"] == who.pseudonym and row["rating"] is not None]
    counted = [row for row in mine if not row["practice"] and not row["repeats"]]
    details = {row["slot"]: {"seconds": row["seconds"]} for row in mine}
    found = judged(study, record, details)
    answered = {name: value for step in record.answers.values() for name, value in step.items()}
    status = next((name for name in ("withdrawn", "completed") if name in record.answers), "going on")
    row: Row = _who(stored, record) | {
        "bot": bots.get(who.pseudonym),
        "number": who.number,
        "condition": " > ".join(cells(study)[who.cell or 0]),
        "corpus": stored.corpus_id,
        "settings_digests": _json(_digests(record)),
        "status": status,
        "rounds_rated": len({one["slot"] for one in counted}),
        "consent_at": _time(record.times.get("consent")),
        "completed_at": _time(record.times.get("completed")),
        "mean_rating": float(np.mean([one["rating"] for one in counted])) if counted else None,
        "reliability": None if found is None else found.score,
        "reliability_reasons": None if found is None else "; ".join(found.reasons),
        "reliability_parts": None if found is None else _json(dict(found.parts)),
        "sus_score": sus_score(record.answers.get("after", {})) if study.about.sus else None,
    }
    asked = [*study.before, *study.closing]
    row |= {question.name: answered.get(question.name) for question in asked}
    return row | {f"attention_{i}": answered.get(f"attention_{i}") for i in range(1, len(study.attention) + 1)}


def _long(
    study: Study,
    stored: StoredStudy,
    record: ParticipantRecord,
    rounds: Mapping[tuple[int, int], Mapping[str, Any]],
    sent: Mapping[int, Mapping[str, Any]],
) -> list[Row]:
    """Return one row for each summary that a participant was shown."""
    found: list[Row] = []
    digests = _digests(record)
    for position, slot in enumerate(map(Slot.from_dict, record.participant.plan or [])):
        kept = record.answers.get(slot.name) if slot.repeats else sent.get(record.participant.id, {}).get(slot.name)
        for one in record.at(slot.repeats or slot.name):
            shown = rounds.get((one.session_id, one.round))
            if shown is None or (slot.repeats and kept is None):
                continue
            arm = slot.arms[one.side]
            rating = shown["feedback"] if not slot.repeats else kept["values"][one.side] if kept else None
            text = shown["shown"] or {}
            chosen = shown["points"] or shown["evidence"]
            found.append(
                {"round_id": f"{record.participant.pseudonym}-{slot.name}-{one.side}"}
                | _who(stored, record)
                | {
                    "corpus": stored.corpus_id, "arm": arm,
                    "settings_digest": digests.get(f"practice:{arm}" if slot.practice else arm),
                    "slot": slot.name, "position": position, "side": one.side, "practice": slot.practice,
                    "repeats": slot.repeats or None, "product": slot.product_id, "session": one.session_id,
                    "ledger_round": one.round, "t": shown["t"], "rating": rating, "rating_own_scale": None,
                    "slider_start": slot.starts[one.side] / 100,
                    "seconds": kept["seconds"] if kept and rating is not None else None,
                    "evidence_alignment": simplex.cosine(np.array(shown["w_used"]), np.array(shown["z"])),
                    "baseline": shown["baseline"] if not slot.repeats else None, "pool": shown["pool"],
                    "text": text.get("paragraph"), "text_writer": text.get("writer"), "text_source": shown["source"],
                    "evidence_ids": _json([piece.get("id") for piece in shown["evidence"]]),
                    "evidence": _json([piece.get("text") for piece in shown["evidence"]]),
                    "choices": _json([piece["id"] for piece in chosen]),
                    "propensities": _json(shown["propensities"]), "pscore": float(np.prod(shown["propensities"])),
                    "z": _json(shown["z"]), "w_used": _json(shown["w_used"]),
                    "w_after": None if shown["w_after"] is None or slot.repeats else _json(shown["w_after"]),
                    "shown_at": _time(one.shown_at) if not slot.repeats else None,
                    "rated_at": _time(record.times.get(slot.name) if slot.repeats else shown["rated_at"]),
                }
                | {q.name: (kept or {}).get("answers", {}).get(q.name) for q in study.each_round}
            )  # fmt: skip
    _standardise(found)
    return found


def _digests(record: ParticipantRecord) -> dict[str, str]:
    return {arm: digest_of(session.settings.to_dict()) for arm, session in record.sessions.items()}


def _standardise(rows: Sequence[Row]) -> None:
    """Put each rating on its participant's own scale."""
    values = [row["rating"] for row in rows if row["rating"] is not None and not row["practice"]]
    spread = float(np.std(values)) if len(values) > 1 else 0.0
    for row in rows:
        if row["rating"] is not None and not row["practice"] and spread > 0:
            row["rating_own_scale"] = (row["rating"] - float(np.mean(values))) / spread


def _who(stored: StoredStudy, record: ParticipantRecord) -> Row:
    who = record.participant
    return {"participant": who.pseudonym, "kind": who.kind, "study": stored.name, "study_digest": stored.digest}


def _time(moment: Any) -> str | None:
    return None if moment is None else with_offset(moment)


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str)
