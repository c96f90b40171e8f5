"""ChromaDB, persistent, with cosine distance and sentence-transformers: a documented choice."""

import time

import chromadb
from chromadb.config import Settings
from chromadb.utils.embedding_functions import SentenceTransformerEmbeddingFunction

import chroma
import work

job = work.Work()
begun = time.perf_counter()
embed = SentenceTransformerEmbeddingFunction(model_name=str(work.MODEL), device="cpu")
load_ms = (time.perf_counter() - begun) * 1e3

client = chromadb.PersistentClient(str(job.folder), Settings(anonymized_telemetry=False))
notes = client.create_collection(
    "notes", embedding_function=embed, configuration={"hnsw": {"space": "cosine"}}
)
versions = work.versions("chromadb", "sentence-transformers", "torch")
chroma.measure(job, notes, embed, load_ms, versions)
