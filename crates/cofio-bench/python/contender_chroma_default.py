"""ChromaDB, persistent, as it comes: a collection made without saying what embeds.

Its default opens the model with every call, and pads every text to 256 tokens.
"""

import time

import chromadb
from chromadb.config import Settings
from chromadb.utils.embedding_functions import DefaultEmbeddingFunction, ONNXMiniLM_L6_V2

import chroma
import work

job = work.Work()
# The only thing that is not as it comes: the model is not fetched, but found where we exported it.
ONNXMiniLM_L6_V2.DOWNLOAD_PATH = job.model
embed = DefaultEmbeddingFunction()
begun = time.perf_counter()
embed(["warm up"])
load_ms = (time.perf_counter() - begun) * 1e3

client = chromadb.PersistentClient(str(job.folder), Settings(anonymized_telemetry=False))
notes = client.create_collection("notes")
versions = work.versions("chromadb", "onnxruntime", "tokenizers")
chroma.measure(job, notes, embed, load_ms, versions)
