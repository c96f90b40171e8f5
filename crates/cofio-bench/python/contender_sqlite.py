"""SQLite with FTS5 and sqlite-vec, fused by rank: what one would build by hand."""

import re
import time

import apsw
import numpy
import sqlite_vec
from sentence_transformers import SentenceTransformer

import work

DEPTH = 50
RANK_CONSTANT = 60

job = work.Work()
begun = time.perf_counter()
model = SentenceTransformer(str(work.MODEL), device="cpu")
load_ms = (time.perf_counter() - begun) * 1e3


def embed(texts):
    return model.encode(texts, normalize_embeddings=True, show_progress_bar=False)


database = apsw.Connection(str(job.folder / "notes.db"))
database.enable_load_extension(True)
database.load_extension(sqlite_vec.loadable_path())
# As durable as Cofio: an acknowledged write survives a loss of power.
database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
database.execute(
    """
    CREATE TABLE note (id INTEGER PRIMARY KEY, content TEXT NOT NULL);
    CREATE VIRTUAL TABLE word USING fts5(
        content, content = 'note', content_rowid = 'id', tokenize = 'porter unicode61'
    );
    CREATE VIRTUAL TABLE vector USING vec0(embedding float[384] distance_metric = cosine);
    """
)


def add(first, texts):
    vectors = embed(texts)
    rows = list(enumerate(texts, first))
    with database:
        database.executemany("INSERT INTO note (id, content) VALUES (?, ?)", rows)
        database.executemany("INSERT INTO word (rowid, content) VALUES (?, ?)", rows)
        database.executemany(
            "INSERT INTO vector (rowid, embedding) VALUES (?, ?)",
            ((first + place, vector.tobytes()) for place, vector in enumerate(vectors)),
        )


def nearest(vector, count):
    sql = "SELECT rowid FROM vector WHERE embedding MATCH ? AND k = ? ORDER BY distance"
    return [id for (id,) in database.execute(sql, (vector.tobytes(), count))]


def matching(query, count):
    words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
    sql = "SELECT rowid FROM word WHERE word MATCH ? ORDER BY rank LIMIT ?"
    return [id for (id,) in database.execute(sql, (words, count))]


def load(ids):
    marks = ",".join("?" * len(ids))
    found = dict(database.execute(f"SELECT id, content FROM note WHERE id IN ({marks})", ids))
    return [(id, found[id]) for id in ids]


def by_both(query, vector):
    scores = {}
    for ids in (nearest(vector, DEPTH), matching(query, DEPTH)):
        for rank, id in enumerate(ids, 1):
            scores[id] = scores.get(id, 0) + 1 / (RANK_CONSTANT + rank)
    return load(sorted(scores, key=scores.get, reverse=True)[:10])


begun = time.perf_counter()
for first, texts in job.batches():
    add(first, texts)
per_second = len(job.texts) / (time.perf_counter() - begun)

end_to_end = lambda query: by_both(query, embed([query])[0])
work.timed(end_to_end, job.warm_up)
_, with_embedding = work.timed(end_to_end, job.queries)
vectors = embed(job.queries)
_, hybrid = work.timed(lambda both: by_both(*both), list(zip(job.queries, vectors)))
answers, semantic = work.timed(lambda vector: load(nearest(vector, 10)), vectors)
count = len(job.texts)
single = lambda place: add(count + place, [job.singles[place]])
_, single_add = work.timed(single, range(len(job.singles)))
database.close()

work.report(
    versions=work.versions("apsw", "sqlite-vec", "sentence-transformers", "torch"),
    load_ms=load_ms,
    acknowledged_per_second=per_second,
    embedded_per_second=per_second,
    hybrid=hybrid,
    semantic=semantic,
    with_embedding=with_embedding,
    single_add=single_add,
    peak_resident_megabytes=work.peak_megabytes(),
    disk_megabytes=work.disk_megabytes(job.folder),
    nearest=[[id for id, _ in answer] for answer in answers],
)
