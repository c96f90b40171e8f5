"""Exports all-MiniLM-L6-v2 to the folder from which ChromaDB's default embedding function reads.

    python export_onnx.py FOLDER

The published weights are the same; that the vectors are too is checked before the model is put there.
"""

import pathlib
import shutil
import sys

import numpy
import torch
from chromadb.utils.embedding_functions import ONNXMiniLM_L6_V2
from sentence_transformers import SentenceTransformer

import work

TEXTS = [
    "Alice drinks her tea black",
    "What is the capital of France?",
    "The deployment failed because the database migration timed out. " * 12,
    "Zofia ran a half marathon at a café in Kraków; 東京, München and Łódź were too far away.",
]


class Encoder(torch.nn.Module):
    """The part of the model before pooling, which the embedding function does itself."""

    def __init__(self, transformer):
        super().__init__()
        self.transformer = transformer

    def forward(self, input_ids, attention_mask, token_type_ids):
        output = self.transformer(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        )
        return output.last_hidden_state


def export(model, file):
    tokens = model.tokenizer(TEXTS, padding="max_length", max_length=256, truncation=True)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    transformer = model[0].auto_model
    # The older exporter and plain attention make a graph that onnxruntime computes 15 % faster than
    # what the newer one makes, and the published file is older than that too.
    transformer.set_attn_implementation("eager")
    torch.onnx.export(
        Encoder(transformer).eval(),
        tuple(torch.tensor(tokens[name]) for name in names),
        str(file),
        input_names=names,
        output_names=["last_hidden_state"],
        dynamic_axes={name: {0: "batch", 1: "length"} for name in [*names, "last_hidden_state"]},
        opset_version=14,
        dynamo=False,
    )


def check(model, folder):
    """Fails unless the vectors are those of sentence-transformers."""
    embed = type("Exported", (ONNXMiniLM_L6_V2,), {"DOWNLOAD_PATH": folder})()
    ours = numpy.array(embed(TEXTS))
    theirs = model.encode(TEXTS, normalize_embeddings=True)
    least = float((ours * theirs).sum(axis=1).min())
    if least < 0.9999:
        sys.exit(f"the exported model makes other vectors: a cosine of {least}")


destination = pathlib.Path(sys.argv[1])
unfinished = destination.with_name(destination.name + ".unfinished")
shutil.rmtree(unfinished, ignore_errors=True)
files = unfinished / ONNXMiniLM_L6_V2.EXTRACTED_FOLDER_NAME
shutil.copytree(work.MODEL, files, ignore=shutil.ignore_patterns("*.safetensors", "*.onnx"))
published = SentenceTransformer(str(work.MODEL), device="cpu")
export(published, files / "model.onnx")
check(published, unfinished)
shutil.rmtree(destination, ignore_errors=True)
unfinished.rename(destination)
