"""Our aspect space against plain scikit-learn in memory, on as many made vectors as the paper has sentences.

Each side runs in a process of its own, so that the highest memory is its own: `python -m benchmarks.space SIDE FILE`.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Result
from prefer_core.files.machine import peak

N, D, M, SEED = 1_336_813, 384, 17, 0
TRUE_K = 10
CANDIDATES = (5, 10, 15, 20, 25)
LEAST_COSINE = 0.99
_BLOCK = 65_536


def run() -> Result:
    """Fit both on the same file; K must be the same, and matched centroids must point the same way."""
    from scipy.optimize import linear_sum_assignment

    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "embeddings.npy"
        _make(path)
        ours, theirs = (_in_own_process(side, path) for side in ("ours", "theirs"))
    left, right = (np.array(found["centroids"]) for found in (ours, theirs))
    if len(left) != len(right):
        raise AssertionError(f"ours chose K = {len(left)}, scikit-learn {len(right)}")
    unit = [c / np.linalg.norm(c, axis=1, keepdims=True) for c in (left, right)]
    cosines = unit[0] @ unit[1].T
    least = float(cosines[linear_sum_assignment(-cosines)].min())
    if least < LEAST_COSINE:
        raise AssertionError(f"smallest cosine of matched centroids {least:.4f}")
    for side, found in (("ours", ours), ("scikit-learn", theirs)):
        parts = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in found["seconds"].items())
        print(f"aspect_space: {side}: {parts}; peak {found['peak']:.2f} GB")
    total = [sum(found["seconds"].values()) for found in (ours, theirs)]
    return Result(
        "aspect_space",
        f"PCA, sweep over {len(CANDIDATES)} K, K-means, memberships of {N:,} made vectors; K = {len(left)} by both, "
        f"smallest cosine of matched centroids {least:.4f}",
        f"{total[0]:.1f} s, peak {ours['peak']:.2f} GB",
        f"scikit-learn in memory: {total[1]:.1f} s, peak {theirs['peak']:.2f} GB",
        total[1] / total[0],
    )


def ours(path: Path) -> dict[str, Any]:
    """Fit as the offline build does, from the memory-mapped file."""
    from contextlib import contextmanager

    from prefer_core.aspects.space import fit_space
    from prefer_core.config import AspectSettings

    seconds: dict[str, float] = {}

    @contextmanager
    def stage(name: str):  # type: ignore[no-untyped-def]  # a local generator
        began = time.perf_counter()
        yield lambda done, total: None
        seconds[name] = time.perf_counter() - began

    vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    fitted = fit_space(vectors, np.ones(len(vectors)), AspectSettings(n_components=M, preset="paper"), SEED, stage)
    directions = fitted.space.centroids @ fitted.space.components
    return {"seconds": seconds, "centroids": directions.tolist()}


def theirs(path: Path) -> dict[str, Any]:
    """Do the same with scikit-learn on the whole array in memory: metrics on 5,000, K-means on everything."""
    from sklearn.cluster import KMeans
    from sklearn.decomposition import PCA
    from sklearn.metrics import davies_bouldin_score, pairwise_distances, silhouette_score

    seconds: dict[str, float] = {}
    vectors = np.load(path, allow_pickle=False).astype(np.float32)
    began = time.perf_counter()
    pca = PCA(M, random_state=SEED).fit(vectors)
    reduced = pca.transform(vectors)
    seconds["reduce"], began = time.perf_counter() - began, time.perf_counter()
    scores = {}
    for k in CANDIDATES:
        labels = KMeans(k, n_init=10, random_state=SEED).fit(reduced).labels_
        rows = np.random.default_rng(SEED).choice(len(reduced), 5000, replace=False)
        points = reduced[rows]
        scores[k] = (silhouette_score(points, labels[rows]), davies_bouldin_score(points, labels[rows]))
    chosen = min(CANDIDATES, key=lambda k: _rank(scores, k))
    seconds["choose K"], began = time.perf_counter() - began, time.perf_counter()
    centroids = KMeans(chosen, n_init=10, random_state=SEED).fit(reduced).cluster_centers_
    seconds["cluster"], began = time.perf_counter() - began, time.perf_counter()
    distances = pairwise_distances(reduced, centroids, metric="sqeuclidean")
    nearest = np.partition(distances, 1, axis=1)
    temperature = np.log(10) / np.median(nearest[:, 1] - nearest[:, 0])
    phi = np.exp(-temperature * (distances - distances.min(axis=1, keepdims=True)))
    phi /= phi.sum(axis=1, keepdims=True)
    seconds["memberships"] = time.perf_counter() - began
    return {"seconds": seconds, "centroids": (centroids @ pca.components_).tolist()}


def _rank(scores: dict[int, tuple[float, float]], k: int) -> float:
    better = sum(other[0] > scores[k][0] for other in scores.values())
    return better + sum(other[1] < scores[k][1] for other in scores.values())


def _make(path: Path) -> None:
    """Write unit vectors around a few directions, as float16, block by block."""
    rng = np.random.default_rng(SEED)
    centres = rng.normal(size=(TRUE_K, D)).astype(np.float32)
    # Sentence vectors spread mostly along some directions: the spread of a coordinate falls.
    spread = (2.0 / np.sqrt(1 + np.arange(D))).astype(np.float32)
    header = {"descr": "<f2", "fortran_order": False, "shape": (N, D)}
    with path.open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, header)
        for start in range(0, N, _BLOCK):
            size = min(_BLOCK, N - start)
            block = rng.standard_normal((size, D), dtype=np.float32) * 0.6 + centres[rng.integers(TRUE_K, size=size)]
            block *= spread
            block /= np.linalg.norm(block, axis=1, keepdims=True)
            stream.write(block.astype(np.float16).tobytes())


def _in_own_process(side: str, path: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.space", side, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    work = {"ours": ours, "theirs": theirs}[sys.argv[1]]
    print(json.dumps(work(Path(sys.argv[2])) | {"peak": peak() * 2**20 / 1e9}))
