"""ChromaDB's part of the comparison, whatever it embeds with."""

import time

import work


def measure(job, notes, embed, load_ms, versions):
    """Fills a collection, asks it, and reports the figures."""
    begun = time.perf_counter()
    for first, texts in job.batches():
        notes.add(ids=[str(first + place) for place in range(len(texts))], documents=texts)
    per_second = len(job.texts) / (time.perf_counter() - begun)

    end_to_end = lambda query: notes.query(query_texts=[query], n_results=10)
    by_vector = lambda vector: notes.query(query_embeddings=[vector], n_results=10)
    single = lambda place: notes.add(ids=[f"single-{place}"], documents=[job.singles[place]])

    work.timed(end_to_end, job.warm_up)
    _, with_embedding = work.timed(end_to_end, job.queries)
    vectors = embed(job.queries)
    answers, semantic = work.timed(by_vector, vectors)
    _, single_add = work.timed(single, range(len(job.singles)))

    work.report(
        versions=versions,
        load_ms=load_ms,
        # A collection embeds before it answers, so both are the same.
        acknowledged_per_second=per_second,
        embedded_per_second=per_second,
        hybrid=None,
        semantic=semantic,
        with_embedding=with_embedding,
        single_add=single_add,
        peak_resident_megabytes=work.peak_megabytes(),
        disk_megabytes=work.disk_megabytes(job.folder),
        nearest=[[int(id) for id in answer["ids"][0]] for answer in answers],
    )
